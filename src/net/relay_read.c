/* net/relay_read.c - from the sockets into the batch, in turns.
 *
 * Fairness: those who have something to say stand in a queue; each turn reads once
 * from each of them, and who is not done stands at the end again. A batch is bounded,
 * so delivering is never far away.
 *
 * Lines are cut by agent/frame.h and wrapped with the sender's address. A line that is
 * too long or not UTF-8, and too many lines a minute, are offences: the agent is
 * warned, and after some of them its address is in quarantine, which ends all its
 * connections. Warnings are limited as well: it may not be reading them. */
#include "net/relay_state.h"

#include "base/utf8.h"

enum { READ_BYTES = 65536, BATCH_BYTES = 256 * 1024, WARN_EVERY_MS = 1000 };

#define TOO_FAST "Warning: You are sending messages too quickly. Please slow down.\n"
#define TOO_LONG "Warning: Your message is too long and was not delivered.\n"
#define NOT_TEXT                                                                       \
    "Warning: You have been disconnected: your message is not valid UTF-8.\n"

void nt_relay_wants_turn(nt_relay *r, nt_conn *c)
{
    if (c->ready || c->dead) {
        return;
    }
    c->ready = true;
    c->next_ready = NULL;
    if (r->ready_last) {
        r->ready_last->next_ready = c;
    } else {
        r->ready_first = c;
    }
    r->ready_last = c;
    r->ready_count++;
}

static nt_conn *next_turn(nt_relay *r)
{
    nt_conn *c = r->ready_first;
    r->ready_first = c->next_ready;
    if (!r->ready_first) {
        r->ready_last = NULL;
    }
    c->ready = false;
    r->ready_count--;
    return c;
}

/* Warnings to one agent are themselves limited: it may not be reading them. */
static void warn(nt_relay *r, nt_conn *c, mt_str text)
{
    if (r->now_ms - c->warned_ms >= WARN_EVERY_MS) {
        c->warned_ms = r->now_ms;
        nt_relay_tell(r, c, text);
    }
}

void nt_relay_offence(nt_relay *r, nt_conn *c, const char *what)
{
    mt_str host = mt_str_z(c->host);
    if (!nt_guard_strike(&r->guard, host, r->now_ms)) {
        return;
    }
    r->stats.quarantines++;
    nt_relay_say(r, "%s is in quarantine for %u s: %s", c->host,
                 r->config.quarantine_seconds, what);
    for (size_t i = 0; i < r->conns.len; i++) {
        if (mt_str_eq(mt_str_z(r->conns.items[i]->host), host)) {
            nt_relay_kill(r, r->conns.items[i]);
        }
    }
}

void nt_relay_too_long(nt_relay *r, nt_conn *c)
{
    r->stats.lines_oversize++;
    warn(r, c, MT_STR(TOO_LONG));
    nt_relay_offence(r, c, "lines that are too long");
}

static void not_text(nt_relay *r, nt_conn *c)
{
    r->stats.invalid_utf8++;
    nt_relay_say(r, "%s disconnected: text that is not UTF-8", c->address);
    nt_relay_tell(r, c, MT_STR(NOT_TEXT));
    nt_relay_offence(r, c, "text that is not UTF-8");
    nt_relay_kill(r, c);
}

static void take_line(nt_relay *r, nt_conn *c, nt_segment *segment, mt_str line)
{
    uint64_t seq;
    r->stats.lines_in++;
    if (c->who && nt_ack_read(line, &seq)) { /* nothing is said by it */
        nt_durable_ack(r->durable, c->who, seq);
        return;
    }
    if (!os_rate_take(&c->rate, r->config.rate_per_minute, r->now_ms)) {
        r->stats.lines_rate_limited++;
        warn(r, c, MT_STR(TOO_FAST));
        if (c->who) { /* it will send it again, none of its lines may be left out */
            nt_relay_kill(r, c);
        }
        return;
    }
    if (mt_utf8_check(line) != line.len) {
        not_text(r, c);
        return;
    }
    if (c->who || nt_is_relay_line(line)) {
        nt_relay_private_line(r, c, line);
        return;
    }
    size_t before = r->batch.len;
    ag_frame_relay(&r->batch, mt_str_from(c->address, c->address_len), line);
    if (r->batch.len - before > r->config.max_line) {
        r->batch.len = before;
        nt_relay_too_long(r, c);
        return;
    }
    segment->lines++;
    segment->end = r->batch.len;
}

static void take_lines(nt_relay *r, nt_conn *c, nt_segment *segment)
{
    mt_str line;
    ag_frame_kind kind;
    while (!c->dead && (kind = ag_framer_next(&c->framer, &line)) != AG_FRAME_MORE) {
        if (kind == AG_FRAME_LINE) {
            take_line(r, c, segment, line);
        } else {
            r->stats.lines_in++;
            nt_relay_too_long(r, c);
            nt_relay_skip_number(r, c);
        }
    }
}

/* The peer is gone; what it said without a last newline still counts. But over TLS a
 * connection that was cut has no last line: whoever cuts would choose where it ends. */
static void take_end(nt_relay *r, nt_conn *c, nt_segment *segment, bool announced)
{
    mt_str line;
    if ((announced || !c->stream.ssl) &&
        ag_framer_end(&c->framer, &line) == AG_FRAME_LINE) {
        take_line(r, c, segment, line);
    }
    nt_relay_kill(r, c);
}

static void read_once(nt_relay *r, nt_conn *c, nt_segment *segment)
{
    ssize_t n = nt_stream_read(&c->stream, r->scratch, READ_BYTES);
    if (n == NT_STREAM_WAIT) {
        return;
    }
    if (n <= 0) {
        take_end(r, c, segment, n == NT_STREAM_END);
        return;
    }
    r->stats.bytes_in += (uint64_t)n;
    c->heard_ms = r->now_ms;
    ag_framer_feed(&c->framer, mt_str_from(r->scratch, (size_t)n));
    take_lines(r, c, segment);
    /* A short read has emptied the socket; TLS may hold more than it gave. */
    if ((size_t)n == READ_BYTES || c->stream.ssl || c->hung_up) {
        nt_relay_wants_turn(r, c);
    }
}

static void close_segment(nt_relay *r, const nt_segment *segment)
{
    if (!segment->lines) {
        return;
    }
    mt_vec_push(&r->arena, &r->segments, *segment);
    if (segment->from) {
        segment->from->segment = r->segments.len;
    }
    if ((r->bus || r->durable) && segment->from) {
        mt_str lines = {r->batch.ptr + segment->start, segment->end - segment->start};
        uint64_t failed =
            r->bus ? nt_bus_publish(r->bus, lines) : nt_relay_store(r, lines);
        r->stats.bus_errors += failed;
        r->stats.bus_published += segment->lines - failed;
    }
}

void nt_relay_read_turn(nt_relay *r)
{
    for (size_t n = r->ready_count; n && r->batch.len < BATCH_BYTES; n--) {
        nt_conn *c = next_turn(r);
        if (c->dead || !c->joined || !nt_relay_may_read(r, c)) {
            continue;
        }
        nt_segment segment = {c, r->batch.len, r->batch.len, 0};
        read_once(r, c, &segment);
        close_segment(r, &segment);
    }
    if (r->bus) {
        nt_bus_flush(r->bus);
    }
}

void nt_relay_bus_turn(nt_relay *r)
{
    nt_segment segment = {NULL, r->batch.len, r->batch.len, 0};
    segment.lines = nt_bus_take(r->bus, &r->batch, BATCH_BYTES);
    segment.end = r->batch.len;
    r->stats.bus_received += segment.lines;
    close_segment(r, &segment);
}

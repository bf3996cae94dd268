/* net/relay_durable.c - the relay between agents that said hello and the durable
 * stream.
 *
 * Out of the stream: lines for agents without hello become part of the batch; those for
 * one that said hello are queued for it alone, with their sequence. None is dropped: an
 * agent that lets too much wait is disconnected, and goes on where it was when it is
 * back. Into the stream: numbered lines, one after the other; while too many of an
 * agent wait to be stored it is not read from.
 *
 * Invariants: `stored` <= `number`; they differ only while the last lines were too
 * long, which count and are not stored. docs/adr/0027 has the wire and its reasons. */
#include "net/relay_state.h"

#include <stdio.h>

enum { PAUSE_BYTES = 1 << 20, QUEUE_MOST = 64 << 20 };

#define NOT_DURABLE                                                                    \
    "Warning: This relay keeps nothing; start it with --durable, or without a "        \
    "hello.\n"

/* ---- what agents say ---- */

static void say(nt_relay *r, nt_conn *c, const nt_said *said)
{
    mt_buf text = {0};
    nt_said_write(&text, said);
    nt_relay_tell(r, c, mt_buf_str(&text));
    mt_buf_free(&text);
}

static void refuse(nt_relay *r, nt_conn *c, const char *why)
{
    nt_said said = {.kind = NT_REFUSED};
    snprintf(said.why, sizeof said.why, "%s", why);
    nt_relay_say(r, "%s disconnected: %s", c->address, why);
    say(r, c, &said);
    nt_relay_kill(r, c);
}

static void hello(nt_relay *r, nt_conn *c, mt_str line)
{
    nt_hello said;
    const char *why = c->who ? "you have said hello" : nt_hello_read(line, &said);
    if (why) {
        refuse(r, c, why);
        return;
    }
    c->who = nt_durable_join(r->durable, &said, c);
    r->stats.durable_agents++;
}

/* Without gaps, from one after what is stored; or from anywhere above, when nothing of
 * this sender is. */
static bool is_next(const nt_conn *c, uint64_t number)
{
    return c->counted || c->number ? number == c->number + 1 : number > 0;
}

static void store_line(nt_relay *r, nt_conn *c, uint64_t number, mt_str line)
{
    c->number = number - 1;
    mt_buf_clear(&r->wrapped);
    ag_frame_relay(&r->wrapped, mt_str_from(c->address, c->address_len), line);
    mt_str wrapped = mt_str_from(r->wrapped.ptr, r->wrapped.len - 1);
    if (r->wrapped.len > r->config.max_line ||
        !nt_durable_send(r->durable, c->who, number, wrapped)) {
        nt_relay_too_long(r, c);
        nt_relay_skip_number(r, c);
        return;
    }
    c->counted = true;
    c->stored = c->number = number;
    r->stats.bus_published++;
}

void nt_relay_private_line(nt_relay *r, nt_conn *c, mt_str line)
{
    uint64_t number;
    mt_str rest;
    if (!r->durable) {
        nt_relay_tell(r, c, MT_STR(NOT_DURABLE));
    } else if (nt_is_relay_line(line)) {
        hello(r, c, line);
    } else if (!nt_numbered_read(line, &number, &rest)) {
        refuse(r, c, "after a hello, lines are `ack SEQ` or `NUMBER LINE`");
    } else if (!c->welcomed || !is_next(c, number)) {
        refuse(r, c, "numbers go on by one, from the welcome's `kept`");
    } else {
        store_line(r, c, number, rest);
    }
}

static void say_kept(nt_relay *r, nt_conn *c, uint64_t number)
{
    say(r, c, &(nt_said){.kind = NT_KEPT, .number = number});
}

void nt_relay_skip_number(nt_relay *r, nt_conn *c)
{
    if (!c->welcomed || c->dead) {
        return;
    }
    c->number++;
    c->counted = true;
    if (!nt_durable_waiting(r->durable, c->who)) {
        say_kept(r, c, c->number);
    }
}

bool nt_relay_may_read(nt_relay *r, nt_conn *c)
{
    c->paused = c->who && nt_durable_waiting(r->durable, c->who) > PAUSE_BYTES;
    return !c->paused;
}

uint64_t nt_relay_store(nt_relay *r, mt_str lines)
{
    uint64_t failed = 0;
    while (lines.len) {
        mt_str line = mt_str_from(lines.ptr, mt_str_find(lines, '\n'));
        failed += !nt_durable_send(r->durable, NT_DURABLE_SELF, 0, line);
        lines = mt_str_skip(lines, line.len + 1);
    }
    return failed;
}

/* ---- what the stream says ---- */

static void flush_other(nt_relay *r, nt_conn *next)
{
    if (r->flush_next && r->flush_next != next) {
        nt_relay_flush(r, r->flush_next);
    }
    r->flush_next = next;
}

static void deliver_line(nt_relay *r, nt_conn *c, mt_str line, uint64_t seq)
{
    size_t waiting = c->out.len - c->out_head;
    if (waiting > QUEUE_MOST ||
        (waiting && r->stats.queued_bytes + line.len > r->config.memory_bytes)) {
        nt_relay_say(r, "%s disconnected: too much waits for it", c->address);
        nt_relay_kill(r, c);
        return;
    }
    mt_buf_clear(&r->wrapped);
    nt_sequenced_write(&r->wrapped, line, seq);
    nt_relay_queue(r, c, mt_buf_str(&r->wrapped));
    r->stats.lines_out++;
    flush_other(r, c);
}

static void hear_kept(nt_relay *r, nt_conn *c, uint64_t number)
{
    say_kept(r, c, number >= c->stored ? c->number : number);
    if (c->paused && nt_durable_waiting(r->durable, c->who) <= PAUSE_BYTES / 2) {
        c->paused = false;
        nt_relay_wants_turn(r, c);
    }
}

static void hear_welcome(nt_relay *r, nt_conn *c, const nt_said *said)
{
    c->welcomed = true;
    c->number = c->stored = said->number;
    say(r, c, said);
}

static void add_to_batch(nt_relay *r, mt_str line)
{
    nt_segment *last = r->segments.len ? &r->segments.items[r->segments.len - 1] : NULL;
    if (!last || last->from) {
        last = mt_vec_add(&r->arena, &r->segments);
        *last = (nt_segment){NULL, r->batch.len, r->batch.len, 0};
    }
    mt_buf_adds(&r->batch, line);
    mt_buf_addc(&r->batch, '\n');
    last->end = r->batch.len;
    last->lines++;
    r->stats.bus_received++;
}

static void hear(void *state, const nt_event *event)
{
    nt_relay *r = state;
    nt_conn *c = event->owner;
    if (!c) {
        add_to_batch(r, event->line);
        return;
    }
    if (c->dead) {
        return;
    }
    switch (event->kind) {
    case NT_EVENT_WELCOME: hear_welcome(r, c, event->said); break;
    case NT_EVENT_LINE: deliver_line(r, c, event->line, event->number); break;
    case NT_EVENT_KEPT: hear_kept(r, c, event->number); break;
    case NT_EVENT_END:
        nt_relay_say(r, "%s disconnected: the stream is another", c->address);
        nt_relay_kill(r, c);
        break;
    }
}

/* Before anything is read: what agents without hello cause, they hear. */
void nt_relay_durable_turn(nt_relay *r)
{
    bool hears = r->log_fd >= 0 || r->conns.len > r->stats.durable_agents;
    if (hears != r->self_hears) {
        r->self_hears = hears;
        nt_durable_self_hears(r->durable, hears);
    }
    nt_durable_take(r->durable, hear, r);
    flush_other(r, NULL);
}

/* net/bus.c - see bus.h.
 *
 * The gate: lines go out while every relay that is known to be there can hear us. When
 * the connection breaks the gate closes, and lines wait (KEEP_BYTES of them). Back on
 * the bus, and once the server has confirmed our subscriptions, we ask the others;
 * when all who were there before have spoken, or NT_PEER_BACK_MS are over, the gate
 * opens and we go on after the last line that all of them have heard. What they had
 * heard they drop by its number.
 *
 * Threads: the library's bring lines and presence in (on_*), the publisher's own takes
 * lines out, because publishing may block, and the relay's takes what came in and
 * leaves what goes out.
 *
 * Invariants: only the publisher's thread publishes and touches `backlog`; everything
 * the library's threads change is guarded by `lock`. Lines that find no room are
 * refused and counted, and the others are told how many.
 *
 * What may fail: publishing, which leaves the line where it is until the connection is
 * back; opening, with a sentence. Closing waits for the library's last call. */
#include "net/bus.h"

#include <openssl/rand.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "base/wait.h"
#include "net/backlog.h"
#include "net/nats.h"
#include "net/peers.h"
#include "os/clock.h"

enum {
    IN_BYTES = 4 << 20,   /* lines taken from the library, not yet by the relay */
    OUT_BYTES = 16 << 20, /* lines of our agents for the publisher to take */
    KEEP_BYTES = 8 << 20, /* of them while the gate is closed; also lines published */
    PENDING_BYTES = 64 << 20,
    STUCK_MS = 20,
    HEAD_BYTES = NT_NODE_TEXT + 22, /* node and number before a line */
    FLUSH_MS = 1000
};

struct nt_bus {
    natsConnection *connection;
    natsSubscription *lines, *presence;
    char subject[128], presence_subject[128];
    char name[NT_NODE_TEXT + 1];
    size_t line_limit;
    int wake; /* an eventfd, readable when there is something for the relay */

    pthread_mutex_t lock; /* guards everything down to the next blank line */
    pthread_cond_t room_in, work_out, gone;
    mt_buf in, out; /* lines for the relay; lines of our agents */
    uint64_t in_lines;
    bool closing;
    int hears;        /* subscriptions for which the library may still call us */
    bool talks;       /* it may still tell us of the connection */
    nt_stats counted; /* since the last nt_bus_news() */
    nt_peers peers;
    bool connected, gate; /* on the bus; lines may go out */
    bool asked;           /* the others, since we are connected */
    bool asked_of_us;     /* somebody wants to know that we are there */
    uint64_t refused;     /* lines that found no room, or are too long for the bus */
    size_t payload_most;  /* of one message, as the server says */
    uint64_t again_from;  /* a line somebody missed, and all after it; 0: nobody */
    int64_t gate_ms;      /* when the gate opens at the latest */
    int64_t beat_ms;      /* when we say again that we are there */
    int64_t rewind_ms;    /* when lines may be published again, once more */

    pthread_t publisher;
    bool publishing;    /* the thread runs */
    uint64_t number;    /* of our last line; the relay's thread only */
    uint64_t dropped;   /* as the library last said; the relay's thread only */
    nt_backlog backlog; /* the publisher's thread only */
};

/* ---- in: on the library's threads ---- */

typedef struct parcel {
    const char *node;
    uint64_t number; /* counted by its node */
    mt_str line;
} parcel;

static bool read_parcel(const nt_bus *b, mt_str data, parcel *out)
{
    if (data.len < NT_NODE_TEXT + 3 || data.ptr[NT_NODE_TEXT] != ' ') {
        return false;
    }
    mt_str rest = mt_str_skip(data, NT_NODE_TEXT + 1);
    size_t digits = mt_str_find(rest, ' ');
    if (!digits || digits > 19 || digits == rest.len) {
        return false;
    }
    *out = (parcel){.node = data.ptr, .line = mt_str_skip(rest, digits + 1)};
    for (size_t i = 0; i < digits; i++) {
        if (rest.ptr[i] < '0' || rest.ptr[i] > '9') {
            return false;
        }
        out->number = out->number * 10 + (uint64_t)(rest.ptr[i] - '0');
    }
    return out->number && out->line.len && out->line.ptr[0] == '{' &&
           out->line.len < b->line_limit &&
           mt_str_find(out->line, '\n') == out->line.len &&
           mt_utf8_check(out->line) == out->line.len;
}

/* New, or heard before? Counts what is missing in between. */
static bool is_new(nt_bus *b, const parcel *p)
{
    uint64_t lost;
    nt_heard heard = nt_peers_line(&b->peers, p->node, p->number, os_now_ms(), &lost);
    b->counted.bus_duplicates += heard == NT_LINE_AGAIN;
    b->counted.bus_lost += lost;
    return heard == NT_LINE_NEW;
}

static void wake_relay(const nt_bus *b)
{
    uint64_t one = 1;
    ssize_t n = write(b->wake, &one, sizeof one);
    (void)n; /* a full eventfd is a wake-up already */
}

static void keep_line(nt_bus *b, mt_str line)
{
    while (b->in.len + line.len > IN_BYTES && !b->closing) {
        pthread_cond_wait(&b->room_in, &b->lock);
    }
    if (!b->in_lines) {
        wake_relay(b);
    }
    mt_buf_adds(&b->in, line);
    mt_buf_addc(&b->in, '\n');
    b->in_lines++;
}

static void on_message(natsConnection *connection, natsSubscription *subscription,
                       natsMsg *message, void *closure)
{
    (void)connection;
    (void)subscription;
    nt_bus *b = closure;
    mt_str data = {natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message)};
    parcel p;
    pthread_mutex_lock(&b->lock);
    if (!read_parcel(b, data, &p)) {
        b->counted.bus_malformed++;
    } else if (is_new(b, &p)) {
        keep_line(b, p.line);
    }
    pthread_mutex_unlock(&b->lock);
    natsMsg_Destroy(message);
}

static void hear_presence(nt_bus *b, mt_str text)
{
    nt_presence said;
    if (!nt_peers_presence(&b->peers, b->name, text, os_now_ms(), &said)) {
        b->counted.bus_malformed++;
        return;
    }
    b->counted.bus_lost += said.lost;
    /* While lines flow, one who says where he is may have some still on their way. */
    bool missed = said.heard_us && (said.kind == NT_ASK || !b->gate);
    if (missed && (!b->again_from || said.number < b->again_from)) {
        b->again_from = said.number + 1;
    }
    b->asked_of_us |= said.kind == NT_ASK;
    pthread_cond_signal(&b->work_out);
}

static void on_presence(natsConnection *connection, natsSubscription *subscription,
                        natsMsg *message, void *closure)
{
    (void)connection;
    (void)subscription;
    nt_bus *b = closure;
    pthread_mutex_lock(&b->lock);
    hear_presence(
        b, (mt_str){natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message)});
    pthread_mutex_unlock(&b->lock);
    natsMsg_Destroy(message);
}

static void on_error(natsConnection *connection, natsSubscription *subscription,
                     natsStatus status, void *closure)
{
    (void)connection;
    (void)subscription;
    nt_bus *b = closure;
    pthread_mutex_lock(&b->lock);
    if (status == NATS_SLOW_CONSUMER) {
        b->counted.bus_slow_consumer++;
    }
    pthread_mutex_unlock(&b->lock);
}

static void on_disconnect(natsConnection *connection, void *closure)
{
    (void)connection;
    nt_bus *b = closure;
    pthread_mutex_lock(&b->lock);
    b->counted.bus_disconnects++;
    b->connected = b->gate = b->asked = false;
    nt_peers_cut_off(&b->peers, os_now_ms());
    pthread_mutex_unlock(&b->lock);
}

static size_t payload_most(natsConnection *connection)
{
    int64_t most = natsConnection_GetMaxPayload(connection);
    return most > 0 ? (size_t)most : SIZE_MAX; /* some servers do not say */
}

static void on_reconnect(natsConnection *connection, void *closure)
{
    nt_bus *b = closure;
    size_t most = payload_most(connection);
    pthread_mutex_lock(&b->lock);
    b->connected = true;
    b->payload_most = most;
    b->gate_ms = os_now_ms() + NT_PEER_BACK_MS;
    nt_peers_back(&b->peers, os_now_ms());
    pthread_cond_signal(&b->work_out);
    pthread_mutex_unlock(&b->lock);
}

/* The library's last words: after them it calls us no more. */
static void on_last_message(void *closure)
{
    nt_bus *b = closure;
    pthread_mutex_lock(&b->lock);
    b->hears--;
    pthread_cond_broadcast(&b->gone);
    pthread_mutex_unlock(&b->lock);
}

static void on_closed(natsConnection *connection, void *closure)
{
    (void)connection;
    nt_bus *b = closure;
    pthread_mutex_lock(&b->lock);
    b->talks = false;
    pthread_cond_broadcast(&b->gone);
    pthread_mutex_unlock(&b->lock);
}

/* ---- out: on a thread of our own, because the library may block ---- */

/* Publishes the next line. False: it has to wait for the connection. */
static bool publish_one(nt_bus *b, mt_str line, uint64_t *failed)
{
    if (natsConnection_Publish(b->connection, b->subject, line.ptr, (int)line.len)) {
        if (natsConnection_Status(b->connection) != NATS_CONN_STATUS_CONNECTED) {
            return false;
        }
        ++*failed; /* the line itself is at fault */
    }
    nt_backlog_done(&b->backlog);
    return true;
}

static void rest_until(nt_bus *b, int64_t ms)
{
    mt_cond_wait(&b->work_out, &b->lock, ms);
}

/* Called with the lock, which it gives up meanwhile. */
static void publish_lines(nt_bus *b, mt_buf *work)
{
    uint64_t failed = 0, again = 0, from = b->again_from;
    int64_t now = os_now_ms();
    bool rewind = from && now >= b->rewind_ms;
    mt_buf swap = *work;
    *work = b->out;
    b->out = swap;
    if (rewind) {
        b->again_from = 0;
        b->rewind_ms = now + NT_PEER_BEAT_MS;
    }
    pthread_mutex_unlock(&b->lock);
    nt_backlog_add(&b->backlog, mt_buf_str(work));
    mt_buf_clear(work);
    if (rewind) {
        again = nt_backlog_rewind(&b->backlog, from);
    }
    mt_str line;
    bool flows = true;
    while (flows && (line = nt_backlog_next(&b->backlog)).len) {
        flows = publish_one(b, line, &failed);
    }
    nt_backlog_trim(&b->backlog, KEEP_BYTES);
    pthread_mutex_lock(&b->lock);
    if (!flows) {
        rest_until(b, now + STUCK_MS); /* word of the lost connection is on its way */
    }
    b->counted.bus_errors += failed;
    b->counted.bus_resent += again;
}

/* Likewise. To ask is to say that we hear, so the server has to confirm that first. */
static void say_presence(nt_bus *b, nt_presence_kind kind)
{
    mt_buf text = {0};
    natsStatus s = NATS_OK;
    b->asked_of_us = false;
    b->beat_ms = os_now_ms() + NT_PEER_BEAT_MS;
    if (b->gate) { /* otherwise they are waited for */
        nt_peers_sweep(&b->peers, os_now_ms());
    }
    if (kind == NT_ASK) {
        pthread_mutex_unlock(&b->lock);
        s = natsConnection_FlushTimeout(b->connection, FLUSH_MS);
        pthread_mutex_lock(&b->lock);
    }
    nt_standing standing = {b->backlog.last, nt_backlog_first(&b->backlog), b->refused};
    nt_peers_announce(&b->peers, kind, b->name, standing, &text);
    pthread_mutex_unlock(&b->lock);
    s = s ? s
          : natsConnection_Publish(b->connection, b->presence_subject, text.ptr,
                                   (int)text.len);
    mt_buf_free(&text);
    pthread_mutex_lock(&b->lock);
    b->asked |= kind == NT_ASK && s == NATS_OK && b->connected;
    if (s != NATS_OK && !b->closing) {
        rest_until(b, os_now_ms() + STUCK_MS);
    }
}

static void try_gate(nt_bus *b, int64_t now)
{
    if (!b->gate && b->asked && (nt_peers_all_there(&b->peers) || now >= b->gate_ms)) {
        b->gate = true;
        b->rewind_ms = 0;
        b->counted.bus_absent += nt_peers_give_up(&b->peers);
    }
}

/* Until there is something to do, or it is time to say that we are there. */
static void rest(nt_bus *b, int64_t now)
{
    int64_t until = b->beat_ms;
    if (b->again_from && b->gate && b->rewind_ms < until) {
        until = b->rewind_ms;
    }
    if (!b->connected || until <= now) {
        until = now + NT_NATS_RECONNECT_MS;
    }
    rest_until(b, until);
}

/* One thing at a time, the most urgent first. */
static void publish_step(nt_bus *b, mt_buf *work)
{
    int64_t now = os_now_ms();
    try_gate(b, now);
    bool unpublished = b->out.len || nt_backlog_next(&b->backlog).len;
    if (b->connected && !b->asked) {
        say_presence(b, NT_ASK);
    } else if (b->connected && (b->asked_of_us || now >= b->beat_ms)) {
        say_presence(b, NT_HERE);
    } else if (b->gate && (unpublished || (b->again_from && now >= b->rewind_ms))) {
        publish_lines(b, work);
    } else {
        rest(b, now);
    }
}

static void *publish_loop(void *closure)
{
    nt_bus *b = closure;
    mt_buf work = {0};
    pthread_mutex_lock(&b->lock);
    while (!b->closing || (b->gate && b->out.len)) {
        publish_step(b, &work);
    }
    if (b->connected) {
        say_presence(b, NT_GONE);
    }
    pthread_mutex_unlock(&b->lock);
    mt_buf_free(&work);
    return NULL;
}

uint64_t nt_bus_publish(nt_bus *b, mt_str lines)
{
    uint64_t failed = 0;
    pthread_mutex_lock(&b->lock);
    size_t most = b->gate ? OUT_BYTES : KEEP_BYTES;
    while (lines.len) {
        size_t end = mt_str_find(lines, '\n') + 1;
        if (b->out.len + end > most || end + HEAD_BYTES > b->payload_most) {
            failed++; /* the others are told how many (peers.h) */
        } else {
            b->number++;
            mt_buf_add(&b->out, b->name, NT_NODE_TEXT);
            mt_buf_addc(&b->out, ' ');
            mt_buf_add_u64(&b->out, b->number);
            mt_buf_addc(&b->out, ' ');
            mt_buf_add(&b->out, lines.ptr, end);
        }
        lines = mt_str_skip(lines, end);
    }
    b->refused += failed;
    pthread_mutex_unlock(&b->lock);
    return failed;
}

void nt_bus_flush(nt_bus *b)
{
    pthread_mutex_lock(&b->lock);
    if (b->out.len) {
        pthread_cond_signal(&b->work_out);
    }
    pthread_mutex_unlock(&b->lock);
}

/* ---- the relay's side ---- */

int nt_bus_fd(const nt_bus *b)
{
    return b->wake;
}

uint64_t nt_bus_take(nt_bus *b, mt_buf *out, size_t room)
{
    pthread_mutex_lock(&b->lock);
    size_t take = b->in.len;
    uint64_t lines = b->in_lines;
    if (take > room) {
        take = 0;
        for (lines = 0; take < room; lines++) {
            take += mt_str_find(mt_str_skip(mt_buf_str(&b->in), take), '\n') + 1;
        }
    }
    mt_buf_add(out, b->in.ptr, take);
    b->in.len -= take;
    if (b->in.len) {
        memmove(b->in.ptr, b->in.ptr + take, b->in.len);
        wake_relay(b);
    }
    b->in_lines -= lines;
    if (take) {
        pthread_cond_signal(&b->room_in);
    }
    pthread_mutex_unlock(&b->lock);
    return lines;
}

bool nt_bus_news(nt_bus *b, nt_stats *stats, mt_buf *why)
{
    int64_t dropped = 0;
    natsSubscription_GetDropped(b->lines, &dropped);
    pthread_mutex_lock(&b->lock);
    nt_stats news = b->counted;
    b->counted = (nt_stats){0};
    pthread_mutex_unlock(&b->lock);
    if (dropped > 0 && (uint64_t)dropped > b->dropped) {
        news.bus_dropped = (uint64_t)dropped - b->dropped;
        b->dropped = (uint64_t)dropped;
    }
    return nt_stats_news(stats, &news, why);
}

/* ---- opening and closing ---- */

static natsStatus set_options(nt_bus *b, natsOptions *options, const char *url)
{
    natsStatus s = nt_nats_options(options, url);
    s = s ? s : natsOptions_SetNoEcho(options, true);
    s = s ? s : natsOptions_SetErrorHandler(options, on_error, b);
    s = s ? s : natsOptions_SetDisconnectedCB(options, on_disconnect, b);
    s = s ? s : natsOptions_SetReconnectedCB(options, on_reconnect, b);
    s = s ? s : natsOptions_SetClosedCB(options, on_closed, b);
    return s;
}

static natsStatus subscribe(nt_bus *b, natsSubscription **to, const char *subject,
                            natsMsgHandler handler)
{
    natsStatus s = natsConnection_Subscribe(to, b->connection, subject, handler, b);
    s = s ? s : natsSubscription_SetOnCompleteCB(*to, on_last_message, b);
    pthread_mutex_lock(&b->lock);
    b->hears += s == NATS_OK;
    pthread_mutex_unlock(&b->lock);
    return s;
}

static natsStatus connect_and_listen(nt_bus *b, const char *url, size_t pending)
{
    natsOptions *options = NULL;
    natsStatus s = natsOptions_Create(&options);
    s = s ? s : set_options(b, options, url);
    s = s ? s : natsConnection_Connect(&b->connection, options);
    b->talks = s == NATS_OK;
    b->payload_most = s ? 0 : payload_most(b->connection);
    s = s ? s : subscribe(b, &b->lines, b->subject, on_message);
    s = s ? s : subscribe(b, &b->presence, b->presence_subject, on_presence);
    s = s ? s
          : natsSubscription_SetPendingLimits(
                b->lines, (int)(pending < INT32_MAX ? pending : INT32_MAX),
                PENDING_BYTES);
    /* So that what is published from now on is heard. */
    s = s ? s : natsConnection_FlushTimeout(b->connection, NT_NATS_CONNECT_MS);
    natsOptions_Destroy(options);
    return s;
}

static void name_self(nt_bus *b)
{
    unsigned char bytes[NT_NODE_BYTES];
    if (RAND_bytes(bytes, sizeof bytes) != 1) {
        MT_BUG("no random numbers");
    }
    mt_hex(bytes, sizeof bytes, b->name);
}

static void make_conditions(nt_bus *b)
{
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->room_in, NULL);
    mt_cond_init(&b->work_out);
    pthread_cond_init(&b->gone, NULL);
}

mt_err nt_bus_open(const char *url, const char *room, size_t pending, size_t line_limit,
                   nt_bus **out, mt_buf *why)
{
    *out = NULL;
    mt_err err = nt_nats_ready(room, why);
    if (err) {
        return err;
    }
    nt_bus *b = mt_xmalloc(sizeof *b);
    *b = (nt_bus){.line_limit = line_limit,
                  .connected = true, /* it is, or there will be no bus */
                  .gate = true,
                  .wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    snprintf(b->subject, sizeof b->subject, "motet.relay.%s", room);
    snprintf(b->presence_subject, sizeof b->presence_subject, "motet.relay.%s.presence",
             room);
    name_self(b);
    make_conditions(b);
    natsStatus s = connect_and_listen(b, url, pending);
    if (s != NATS_OK || pthread_create(&b->publisher, NULL, publish_loop, b) != 0) {
        /* Never the URL: it may hold a password. */
        mt_buf_addf(why, "cannot join the bus: %s", natsStatus_GetText(s));
        nt_bus_close(b);
        return MT_E_IO;
    }
    b->publishing = true;
    *out = b;
    return MT_OK;
}

static void end_threads(nt_bus *b)
{
    pthread_mutex_lock(&b->lock);
    b->closing = true;
    pthread_cond_broadcast(&b->room_in);
    pthread_cond_broadcast(&b->work_out);
    pthread_mutex_unlock(&b->lock);
    if (b->publishing) {
        pthread_join(b->publisher, NULL);
    }
    if (natsConnection_Status(b->connection) == NATS_CONN_STATUS_CONNECTED) {
        natsConnection_FlushTimeout(b->connection, FLUSH_MS);
    }
}

void nt_bus_close(nt_bus *b)
{
    if (!b) {
        return;
    }
    end_threads(b);
    natsSubscription_Unsubscribe(b->lines);
    natsSubscription_Unsubscribe(b->presence);
    natsConnection_Close(b->connection);
    pthread_mutex_lock(&b->lock);
    while (b->hears || b->talks) {
        pthread_cond_wait(&b->gone, &b->lock);
    }
    pthread_mutex_unlock(&b->lock);
    natsSubscription_Destroy(b->lines);
    natsSubscription_Destroy(b->presence);
    natsConnection_Destroy(b->connection);
    close(b->wake);
    mt_buf_free(&b->in);
    mt_buf_free(&b->out);
    nt_backlog_free(&b->backlog);
    pthread_cond_destroy(&b->room_in);
    pthread_cond_destroy(&b->work_out);
    pthread_cond_destroy(&b->gone);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

/* net/durable_hear.c - what the server says to a durable relay.
 * Room: net. On the library's thread, except the events for the relay, which the
 * speaker adds to as well. Everything under the lock; nothing here waits. */
#include "net/durable_state.h"

#include <unistd.h>

#include "base/utf8.h"
#include "os/clock.h"

/* ---- events ---- */

static void wake_relay(const nt_durable *d)
{
    uint64_t one = 1;
    ssize_t n = write(d->wake, &one, sizeof one);
    (void)n; /* a full eventfd is a wake-up already */
}

void nt_durable_note(nt_durable *d, const nt_member *m, nt_event_kind kind,
                     uint64_t number, mt_str bytes)
{
    nt_note n = {.kind = kind, .who = m->who, .number = number, .len = bytes.len};
    if (!d->in.len) {
        wake_relay(d);
    }
    mt_buf_add(&d->in, (const char *)&n, sizeof n);
    mt_buf_adds(&d->in, bytes);
}

void nt_durable_note_kept(nt_durable *d, nt_member *m)
{
    if (m->owner && !m->kept_news) { /* the number is looked up when it is told */
        m->kept_news = true;
        nt_durable_note(d, m, NT_EVENT_KEPT, 0, (mt_str){0});
    }
}

/* ---- in: on the library's thread ---- */

/* The line inside a message; ptr NULL: this is not a relay's. */
static mt_str line_in(const nt_durable *d, mt_str data)
{
    mt_str rest = mt_str_skip(data, mt_str_find(data, ' ') + 1), line;
    uint64_t number;
    bool ok = nt_numbered_read(rest, &number, &line) && line.len > 1 &&
              line.len < d->config.line_limit && line.ptr[0] == '{' &&
              line.ptr[line.len - 1] == '}' && mt_str_find(line, '\n') == line.len &&
              mt_utf8_check(line) == line.len;
    return ok ? line : (mt_str){0};
}

static void hear_delivery(nt_durable *d, nt_member *m, const nt_delivery *at,
                          const natsMsg *message)
{
    mt_str data = {natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message)};
    mt_str line = line_in(d, data);
    bool own = nt_member_owns(m, mt_str_z(natsMsg_GetSubject(message)));
    d->counted.durable_again += at->times > 1;
    d->counted.bus_malformed += !line.ptr;
    switch (
        nt_member_hear(m, own || !line.ptr, mt_str_z(natsMsg_GetReply(message)), at)) {
    case NT_PASS: nt_durable_note(d, m, NT_EVENT_LINE, at->seq, line); break;
    case NT_SKIP: break;
    case NT_GAP: m->consuming = false; break;
    }
    bool due = m->mark_count && m->marks[m->first_mark].need <= m->acked;
    if (!m->consuming || due) {
        nt_durable_enlist(d, m);
    }
}

static void hear_answer(nt_durable *d, nt_member *m, uint64_t number,
                        const natsMsg *message)
{
    const char *data = natsMsg_GetData(message);
    size_t len = (size_t)natsMsg_GetDataLength(message);
    bool stored =
        len && memmem(data, len, "\"seq\"", 5) && !memmem(data, len, "\"error\"", 7);
    m->progress_ms = os_now_ms();
    if (!stored) {
        d->counted.durable_refused++;
        m->hole = true;
        nt_member_again(m, number, m->progress_ms + NT_SPEAK_AGAIN_MS);
    } else if (nt_member_stored(m, number)) {
        d->counted.durable_stored++;
        nt_durable_note_kept(d, m);
    }
    if (nt_backlog_next(&m->backlog).len) {
        nt_durable_enlist(d, m);
    }
}

/* "WHO-NUMBER". */
static bool read_pair(mt_str text, uint64_t *who, uint64_t *number)
{
    size_t dash = mt_str_find(text, '-');
    return nt_number_read(mt_str_from(text.ptr, dash), who) &&
           nt_number_read(mt_str_skip(text, dash + 1), number);
}

/* What came is a delivery (its subject is the line's, so the name of the consumer,
 * NODE-WHO-ROUND, says for whom it is), a sign of life of a consumer (to NODE.d.WHO-0),
 * or the stream's answer to a line (to NODE.p.WHO-NUMBER). */
static void hear_message(nt_durable *d, const natsMsg *message)
{
    nt_delivery at;
    uint64_t who, number;
    const char *reply = natsMsg_GetReply(message);
    mt_str subject = mt_str_z(natsMsg_GetSubject(message));
    mt_str rest = mt_str_skip(subject, strlen(d->inbox_prefix) + 1);
    bool line = reply && nt_delivery_read(mt_str_z(reply), &at);
    mt_str pair =
        line ? mt_str_skip(at.consumer, NT_KEEPER_TEXT + 1) : mt_str_skip(rest, 2);
    nt_member *m = read_pair(pair, &who, &number) ? nt_durable_member(d, who) : NULL;
    if (!m) {
        return;
    }
    if (!line && mt_str_starts(rest, MT_STR("p."))) {
        hear_answer(d, m, number, message);
    } else if (!line || (number == m->round && m->consuming)) {
        m->alive_ms = os_now_ms();
        if (line) {
            hear_delivery(d, m, &at, message);
        }
    }
}

static void on_message(natsConnection *connection, natsSubscription *subscription,
                       natsMsg *message, void *closure)
{
    (void)connection;
    (void)subscription;
    nt_durable *d = closure;
    pthread_mutex_lock(&d->lock);
    hear_message(d, message);
    pthread_mutex_unlock(&d->lock);
    natsMsg_Destroy(message);
}

/* The library's last words: after them it calls us no more. */
static void on_last_message(void *closure)
{
    nt_durable *d = closure;
    pthread_mutex_lock(&d->lock);
    d->hears--;
    pthread_cond_broadcast(&d->gone);
    pthread_mutex_unlock(&d->lock);
}

/* The connection is gone for good: the speaker makes another. The library could, too,
 * but would go on publishing there before anybody knows, and leave a gap. */
static void on_closed(natsConnection *connection, void *closure)
{
    nt_durable *d = closure;
    pthread_mutex_lock(&d->lock);
    if (connection == d->connection) {
        d->counted.bus_disconnects += !d->closing;
        d->connected = false;
    }
    d->talks--;
    pthread_cond_broadcast(&d->gone);
    pthread_cond_signal(&d->work);
    pthread_mutex_unlock(&d->lock);
}

/* ---- for whom it is called ---- */

/* Windows bound what may wait in the library; a line that it dropped would have to be
 * asked for again. */
natsStatus nt_durable_listen(nt_durable *d, natsSubscription **to, const char *subject)
{
    natsStatus s = natsConnection_Subscribe(to, d->connection, subject, on_message, d);
    s = s ? s : natsSubscription_SetOnCompleteCB(*to, on_last_message, d);
    pthread_mutex_lock(&d->lock);
    d->hears += s == NATS_OK;
    pthread_mutex_unlock(&d->lock);
    return s ? s : natsSubscription_SetPendingLimits(*to, -1, -1);
}

natsStatus nt_durable_callbacks(nt_durable *d, natsOptions *options)
{
    natsStatus s = natsOptions_SetAllowReconnect(options, false);
    s = s ? s : natsOptions_SetClosedCB(options, on_closed, d);
    /* One thread for all subscriptions, of which there is one per agent. */
    return s ? s : natsOptions_UseGlobalMessageDelivery(options, true);
}

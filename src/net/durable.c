/* net/durable.c - see durable.h.
 *
 * Way out: nt_durable_send() puts a line into its member's backlog; the speaker's
 * thread publishes it with a name that the stream takes once and an address for the
 * answer; the answer comes in on the library's thread, takes the line off the backlog
 * and becomes an event. What was refused, or was on its way when the connection broke,
 * is published again in order.
 *
 * Way in: each member has a consumer of its own that ends with this relay and sends to
 * an address with the member's number and the round in it. A consumer that has skipped
 * something, or has not been heard of for SILENT_MS, is replaced by one that goes on
 * after the last sequence heard.
 *
 * Threads: the library's (on_*), the speaker's (speak_*), the relay's (nt_durable_*).
 * Everything is guarded by `lock`, except what the speaker says to the server, which
 * may block. Invariants: the relay's thread adds members and marks them gone, only the
 * speaker frees them, so it may use one without the lock.
 *
 * What may fail: opening, with a sentence. Later every fault is tried again, and
 * counted. Closing waits for the library's last call. */
#include "net/durable.h"

#include <openssl/rand.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/late_nats.h"
#include "base/utf8.h"
#include "base/wait.h"
#include "net/durable_member.h"
#include "net/nats.h"
#include "os/clock.h"

enum {
    NODE_BYTES = 8,
    NODE_TEXT = 2 * NODE_BYTES,
    SELF_BYTES = 16 << 20,   /* lines without hello that may wait for the server */
    FLYING_BYTES = 4 << 20,  /* of one member, published and not answered */
    PORTION_BYTES = 1 << 16, /* of one member in its turn */
    HEAD_BYTES = 512,        /* of a message, beside its line */
    SWEEP_MS = 250,
    ANSWER_MS = 5000, /* after which lines on their way are published again */
    HEARTBEAT_MS = 2000,
    SILENT_MS = 3 * HEARTBEAT_MS,
    REQUEST_MS = 3000,
    FLUSH_MS = 1000,
    SLOT_BITS = 24
};
#define SECOND_NS     ((int64_t)1000000000)
#define ACK_WAIT_NS   (30 * SECOND_NS)
#define INACTIVE_NS   (30 * SECOND_NS)
#define DUPLICATES_NS (120 * SECOND_NS)

/* An event as it waits; the bytes of its line, or its nt_said, follow. */
typedef struct note {
    nt_event_kind kind;
    uint64_t who, number;
    size_t len;
} note;

struct nt_durable {
    nt_durable_config config;
    natsConnection *connection;
    jsCtx *js;
    natsSubscription *inbox;
    char node[NODE_TEXT + 1], stream[128], prefix[128], inbox_prefix[64];
    int wake;

    pthread_mutex_t lock; /* guards everything down to the next blank line */
    pthread_cond_t work, gone;
    nt_member **slots;
    size_t slot_count;
    uint64_t serial; /* of members, ever */
    nt_member *first, *last;
    mt_buf in; /* notes for the relay */
    bool connected, closing, talks;
    size_t hears; /* subscriptions for which the library may still call us */
    size_t payload_most;
    nt_stats counted;

    pthread_t speaker;
    bool speaking;
    mt_buf taken; /* the relay's thread only */
};

/* ---- members ---- */

static nt_member *member_of(const nt_durable *d, uint64_t who)
{
    size_t slot = who & ((1u << SLOT_BITS) - 1);
    nt_member *m = slot < d->slot_count ? d->slots[slot] : NULL;
    return m && m->who == who && !m->gone ? m : NULL;
}

static void enlist(nt_durable *d, nt_member *m)
{
    if (m->queued) {
        return;
    }
    m->queued = true;
    m->next = NULL;
    if (d->last) {
        d->last->next = m;
    } else {
        d->first = m;
    }
    d->last = m;
    pthread_cond_signal(&d->work);
}

static nt_member *next_member(nt_durable *d)
{
    nt_member *m = d->first;
    if (m) {
        d->first = m->next;
        d->last = d->first ? d->last : NULL;
        m->queued = false;
    }
    return m;
}

static size_t free_slot(nt_durable *d)
{
    for (size_t i = 1; i < d->slot_count; i++) {
        if (!d->slots[i]) {
            return i;
        }
    }
    size_t count = d->slot_count ? 2 * d->slot_count : 16, slot = d->slot_count;
    nt_member **grown = mt_xmalloc(mt_array_bytes(count, sizeof *grown));
    memset(grown, 0, mt_array_bytes(count, sizeof *grown));
    if (d->slot_count) {
        memcpy(grown, d->slots, d->slot_count * sizeof *grown);
    }
    free(d->slots);
    d->slots = grown;
    d->slot_count = count;
    return slot;
}

static nt_member *add_member(nt_durable *d, const nt_hello *hello, void *owner)
{
    size_t slot = free_slot(d);
    nt_member *m = mt_xmalloc(sizeof *m);
    *m = (nt_member){
        .who = d->serial++ << SLOT_BITS | slot, .owner = owner, .hello = *hello};
    d->slots[slot] = m;
    int own =
        owner ? snprintf(m->subject, sizeof m->subject, "%s.a.%s.%s", d->prefix,
                         hello->name, hello->id) -
                    (int)strlen(hello->id)
              : snprintf(m->subject, sizeof m->subject, "%s.n.%s", d->prefix, d->node);
    m->own = (size_t)own;
    enlist(d, m);
    return m;
}

static void free_member(nt_durable *d, nt_member *m)
{
    d->slots[m->who & ((1u << SLOT_BITS) - 1)] = NULL;
    natsSubscription_Destroy(m->inbox);
    nt_backlog_free(&m->backlog);
    free(m);
}

/* ---- events ---- */

static void wake_relay(const nt_durable *d)
{
    uint64_t one = 1;
    ssize_t n = write(d->wake, &one, sizeof one);
    (void)n; /* a full eventfd is a wake-up already */
}

static void add_note(nt_durable *d, const nt_member *m, nt_event_kind kind,
                     uint64_t number, mt_str bytes)
{
    note n = {kind, m->who, number, bytes.len};
    if (!d->in.len) {
        wake_relay(d);
    }
    mt_buf_add(&d->in, (const char *)&n, sizeof n);
    mt_buf_adds(&d->in, bytes);
}

static void note_kept(nt_durable *d, nt_member *m)
{
    if (m->owner && !m->kept_news) { /* the number is looked up when it is told */
        m->kept_news = true;
        add_note(d, m, NT_EVENT_KEPT, 0, (mt_str){0});
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
    case NT_PASS: add_note(d, m, NT_EVENT_LINE, at->seq, line); break;
    case NT_SKIP: break;
    case NT_GAP: m->consuming = false; break;
    }
    bool due = m->mark_count && m->marks[m->first_mark].need <= m->acked;
    if (!m->consuming || due) {
        enlist(d, m);
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
        nt_member_again(m, number, m->progress_ms + SWEEP_MS);
    } else if (nt_member_stored(m, number)) {
        d->counted.durable_stored++;
        note_kept(d, m);
    }
    if (nt_backlog_next(&m->backlog).len) {
        enlist(d, m);
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
    mt_str pair = line ? mt_str_skip(at.consumer, NODE_TEXT + 1) : mt_str_skip(rest, 2);
    nt_member *m = read_pair(pair, &who, &number) ? member_of(d, who) : NULL;
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

static void on_disconnect(natsConnection *connection, void *closure)
{
    (void)connection;
    nt_durable *d = closure;
    pthread_mutex_lock(&d->lock);
    d->counted.bus_disconnects++;
    d->connected = false;
    pthread_mutex_unlock(&d->lock);
}

/* Consumers may be gone, answers may have been lost: both are asked for anew. */
static void on_reconnect(natsConnection *connection, void *closure)
{
    nt_durable *d = closure;
    int64_t most = natsConnection_GetMaxPayload(connection);
    pthread_mutex_lock(&d->lock);
    d->connected = true;
    d->payload_most = most > 0 ? (size_t)most : SIZE_MAX;
    for (size_t i = 0; i < d->slot_count; i++) {
        nt_member *m = d->slots[i];
        if (m) {
            m->consuming = false;
            m->retry_ms = 0;
            m->unsure = m->backlog.next > m->backlog.head && !m->hole;
            nt_member_again(m, m->kept + 1, 0);
            enlist(d, m);
        }
    }
    pthread_mutex_unlock(&d->lock);
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

static void on_closed(natsConnection *connection, void *closure)
{
    (void)connection;
    nt_durable *d = closure;
    pthread_mutex_lock(&d->lock);
    d->talks = false;
    pthread_cond_broadcast(&d->gone);
    pthread_mutex_unlock(&d->lock);
}

/* ---- the stream: on the speaker's thread, without the lock ---- */

static jsOptions options(void)
{
    jsOptions o;
    jsOptions_Init(&o);
    o.Wait = REQUEST_MS;
    return o;
}

static natsStatus make_stream(nt_durable *d, jsStreamInfo **info)
{
    char subjects[160];
    const char *list[] = {subjects};
    jsStreamConfig config;
    jsOptions o = options();
    jsErrCode code = 0;
    snprintf(subjects, sizeof subjects, "%s.>", d->prefix);
    jsStreamConfig_Init(&config);
    config.Name = d->stream;
    config.Subjects = list;
    config.SubjectsLen = 1;
    config.Storage = js_FileStorage;
    config.MaxAge = (int64_t)d->config.keep_seconds * SECOND_NS;
    config.Duplicates = DUPLICATES_NS;
    if (config.MaxAge && config.MaxAge < config.Duplicates) {
        config.Duplicates = config.MaxAge; /* the server wants it so */
    }
    return js_AddStream(info, d->js, &config, &o, &code);
}

/* What the stream is now; it is made where it is not there. */
typedef struct extent {
    char made[HO_STREAM_TEXT + 1];
    uint64_t first, last;
} extent;

static natsStatus ask_extent(nt_durable *d, extent *out)
{
    jsStreamInfo *info = NULL;
    jsOptions o = options();
    jsErrCode code = 0;
    natsStatus s = js_GetStreamInfo(&info, d->js, d->stream, &o, &code);
    if (s == NATS_NOT_FOUND) {
        s = make_stream(d, &info);
    }
    if (s == NATS_OK) {
        snprintf(out->made, sizeof out->made, "%lld", (long long)info->Created);
        out->first = info->State.FirstSeq;
        out->last = info->State.LastSeq;
    }
    jsStreamInfo_Destroy(info);
    return s;
}

/* The number of the sender's last line that is stored; 0: none is. */
static natsStatus ask_kept(nt_durable *d, const nt_member *m, uint64_t *kept)
{
    natsMsg *message = NULL;
    jsOptions o = options();
    jsErrCode code = 0;
    natsStatus s = js_GetLastMsg(&message, d->js, d->stream, m->subject, &o, &code);
    *kept = 0;
    if (s == NATS_OK) {
        mt_str data = {natsMsg_GetData(message),
                       (size_t)natsMsg_GetDataLength(message)},
               line;
        nt_numbered_read(mt_str_skip(data, mt_str_find(data, ' ') + 1), kept, &line);
    }
    natsMsg_Destroy(message);
    return s == NATS_NOT_FOUND ? NATS_OK : s;
}

static void consumer_config(jsConsumerConfig *c, uint64_t start)
{
    jsConsumerConfig_Init(c);
    c->DeliverPolicy = js_DeliverByStartSequence;
    c->OptStartSeq = start;
    c->AckPolicy = js_AckAll;
    c->AckWait = ACK_WAIT_NS;
    c->MaxAckPending = NT_DURABLE_WINDOW;
    c->Heartbeat = HEARTBEAT_MS * (SECOND_NS / 1000);
    c->InactiveThreshold = INACTIVE_NS;
    c->Replicas = 1;
    c->MemoryStorage = true;
}

/* Windows bound what may wait in the library; a line that it dropped would have to be
 * asked for again. */
static natsStatus listen_to(nt_durable *d, natsSubscription **to, const char *subject)
{
    natsStatus s = natsConnection_Subscribe(to, d->connection, subject, on_message, d);
    s = s ? s : natsSubscription_SetOnCompleteCB(*to, on_last_message, d);
    pthread_mutex_lock(&d->lock);
    d->hears += s == NATS_OK;
    pthread_mutex_unlock(&d->lock);
    return s ? s : natsSubscription_SetPendingLimits(*to, -1, -1);
}

/* A consumer sends only where somebody listens to that very subject: a pattern is not
 * enough. */
static natsStatus add_consumer(nt_durable *d, nt_member *m, const char *name)
{
    char deliver[160];
    jsConsumerConfig config;
    jsOptions o = options();
    jsErrCode code = 0;
    snprintf(deliver, sizeof deliver, "%s.d.%llu-0", d->inbox_prefix,
             (unsigned long long)m->who);
    natsStatus s = m->inbox ? NATS_OK : listen_to(d, &m->inbox, deliver);
    consumer_config(&config, m->heard + 1);
    config.Name = name;
    config.DeliverSubject = deliver;
    return s ? s : js_AddConsumer(NULL, d->js, d->stream, &config, &o, &code);
}

static void delete_consumer(nt_durable *d, const char *name)
{
    jsOptions o = options();
    jsErrCode code = 0;
    if (name[0]) { /* one that is gone already is as good */
        (void)js_DeleteConsumer(d->js, d->stream, name, &o, &code);
    }
}

/* The sequence before the first line since a moment: as a consumer that nobody hears
 * finds it. */
static natsStatus ask_since(nt_durable *d, int64_t since_ms, uint64_t *after)
{
    char deliver[160];
    jsConsumerInfo *info = NULL;
    jsConsumerConfig config;
    jsOptions o = options();
    jsErrCode code = 0;
    snprintf(deliver, sizeof deliver, "%s.nobody", d->prefix + strlen("motet."));
    consumer_config(&config, 0);
    config.DeliverPolicy = js_DeliverByStartTime;
    config.OptStartTime = since_ms * 1000000;
    config.DeliverSubject = deliver;
    natsStatus s = js_AddConsumer(&info, d->js, d->stream, &config, &o, &code);
    if (s == NATS_OK) {
        *after = info->Delivered.Stream;
        delete_consumer(d, info->Name);
    }
    jsConsumerInfo_Destroy(info);
    return s;
}

/* ---- welcoming and going on: on the speaker's thread ---- */

/* After which sequence a member that says hello is to hear. */
static natsStatus find_start(nt_durable *d, const nt_member *m, const extent *now,
                             uint64_t *after)
{
    const nt_hello *hello = &m->hello;
    uint64_t before_first = now->first ? now->first - 1 : 0;
    bool stranger = hello->stream[0] && strcmp(hello->stream, now->made) != 0;
    *after = before_first;
    if (hello->from == NT_FROM_SINCE) {
        return ask_since(d, hello->since_ms, after);
    }
    if (hello->from == NT_FROM_NEW) {
        *after = now->last;
    } else if (hello->from == NT_FROM_AFTER && !stranger) {
        *after = hello->after < now->last ? hello->after : now->last;
    }
    return NATS_OK;
}

static natsStatus welcome(nt_durable *d, nt_member *m, const extent *now)
{
    nt_said said = {.kind = NT_WELCOME, .first = now->first};
    natsStatus s = find_start(d, m, now, &said.after);
    s = s ? s : ask_kept(d, m, &said.number);
    if (s) {
        return s;
    }
    snprintf(said.stream, sizeof said.stream, "%s", now->made);
    pthread_mutex_lock(&d->lock);
    snprintf(m->hello.stream, sizeof m->hello.stream, "%s", now->made);
    m->heard = m->passed = m->acked = said.after;
    if (m->owner) {
        m->kept = m->number = said.number;
        add_note(d, m, NT_EVENT_WELCOME, 0, mt_str_from((char *)&said, sizeof said));
    }
    m->welcomed = true;
    pthread_mutex_unlock(&d->lock);
    return s;
}

/* Whoever has been welcomed goes on where it was, if that is still a place. */
static void check_place(nt_durable *d, nt_member *m, const extent *now)
{
    bool other = strcmp(m->hello.stream, now->made) != 0;
    uint64_t missed =
        !other && m->heard + 1 < now->first ? now->first - m->heard - 1 : 0;
    if (!other && !missed && m->heard <= now->last) {
        return;
    }
    pthread_mutex_lock(&d->lock);
    if (m->owner) {
        add_note(d, m, NT_EVENT_END, 0, (mt_str){0});
    } else {
        d->counted.bus_lost += missed;
        m->heard = m->passed = m->acked = other    ? 0
                                          : missed ? now->first - 1
                                                   : now->last;
        snprintf(m->hello.stream, sizeof m->hello.stream, "%s", now->made);
    }
    pthread_mutex_unlock(&d->lock);
}

/* Called with the lock, which it gives up meanwhile. */
static void begin_consuming(nt_durable *d, nt_member *m)
{
    extent now = {0};
    char old[NT_REPLY_TEXT], name[NT_REPLY_TEXT];
    memcpy(old, m->consumer, sizeof old);
    nt_member_new_consumer(m);
    snprintf(name, sizeof name, "%s-%llu-%llu", d->node, (unsigned long long)m->who,
             (unsigned long long)m->round);
    m->consuming = true; /* what comes before the server's answer counts */
    m->alive_ms = os_now_ms();
    pthread_mutex_unlock(&d->lock);
    delete_consumer(d, old);
    natsStatus s = ask_extent(d, &now);
    if (s == NATS_OK && !m->welcomed) {
        s = welcome(d, m, &now);
    } else if (s == NATS_OK) {
        check_place(d, m, &now);
    }
    s = s ? s : add_consumer(d, m, name);
    pthread_mutex_lock(&d->lock);
    snprintf(m->consumer, sizeof m->consumer, "%s", name);
    if (s != NATS_OK) {
        m->consuming = false;
        m->retry_ms = os_now_ms() + SWEEP_MS;
    }
}

/* ---- publishing: on the speaker's thread ---- */

static bool publish_line(nt_durable *d, const nt_member *m, mt_str line,
                         uint64_t number)
{
    natsMsg *message = NULL;
    char name[NT_SUBJECT_TEXT + 24], answer[160];
    snprintf(name, sizeof name, "%s.%llu", m->subject + strlen(d->prefix) + 1,
             (unsigned long long)number);
    snprintf(answer, sizeof answer, "%s.p.%llu-%llu", d->inbox_prefix,
             (unsigned long long)m->who, (unsigned long long)number);
    natsStatus s =
        natsMsg_Create(&message, m->subject, answer, line.ptr, (int)line.len);
    s = s ? s : natsMsgHeader_Set(message, "Nats-Msg-Id", name);
    s = s ? s : natsConnection_PublishMsg(d->connection, message);
    natsMsg_Destroy(message);
    return s == NATS_OK;
}

/* Lines a member may have on their way now; they count as published. With the lock. */
static void take_portion(nt_member *m, mt_buf *out)
{
    size_t flying = m->backlog.next - m->backlog.head;
    size_t most = m->careful ? 1 : PORTION_BYTES;
    mt_str line;
    if (m->careful && flying) {
        return;
    }
    while (out->len < most && flying + out->len < FLYING_BYTES &&
           (line = nt_backlog_next(&m->backlog)).len) {
        mt_buf_adds(out, line);
        mt_buf_addc(out, '\n');
        nt_backlog_done(&m->backlog);
    }
}

/* Called with the lock, which it gives up meanwhile. */
static void publish_portion(nt_durable *d, nt_member *m, mt_buf *work)
{
    bool resting = m->backlog.head == m->backlog.next;
    mt_buf_clear(work);
    take_portion(m, work);
    if (!work->len) {
        return;
    }
    m->progress_ms = resting ? os_now_ms() : m->progress_ms;
    pthread_mutex_unlock(&d->lock);
    uint64_t number = 0;
    bool flows = true;
    for (mt_str rest = mt_buf_str(work); rest.len && flows;) {
        mt_str line = mt_str_from(rest.ptr, mt_str_find(rest, '\n')), text;
        nt_numbered_read(mt_str_skip(line, mt_str_find(line, ' ') + 1), &number, &text);
        flows = publish_line(d, m, line, number);
        rest = mt_str_skip(rest, line.len + 1);
    }
    pthread_mutex_lock(&d->lock);
    if (!flows) {
        nt_member_again(m, number, os_now_ms() + SWEEP_MS);
    } else if (nt_backlog_next(&m->backlog).len) {
        enlist(d, m);
    }
}

/* The stream takes a name once, but forgets names: so after a connection that broke it
 * is asked what it has, however long that took. Gives up the lock meanwhile. */
static void settle(nt_durable *d, nt_member *m)
{
    uint64_t kept = 0;
    pthread_mutex_unlock(&d->lock);
    natsStatus s = ask_kept(d, m, &kept);
    pthread_mutex_lock(&d->lock);
    if (s != NATS_OK) {
        m->again_ms = os_now_ms() + SWEEP_MS;
        return;
    }
    m->unsure = false;
    nt_member_settle(m, kept);
    note_kept(d, m);
}

static void publish_ack(nt_durable *d, nt_member *m)
{
    const nt_mark *due = nt_member_due(m);
    char reply[NT_REPLY_TEXT];
    if (!due) {
        return;
    }
    memcpy(reply, due->reply, sizeof reply);
    pthread_mutex_unlock(&d->lock);
    (void)natsConnection_PublishString(d->connection, reply,
                                       "+ACK"); /* or it comes again */
    pthread_mutex_lock(&d->lock);
}

/* ---- the speaker ---- */

static void serve(nt_durable *d, nt_member *m, mt_buf *work)
{
    int64_t now = os_now_ms();
    if (m->gone) {
        pthread_mutex_unlock(&d->lock);
        natsSubscription_Unsubscribe(m->inbox);
        delete_consumer(d, m->consumer);
        pthread_mutex_lock(&d->lock);
        if (!m->queued) { /* a connection that came back has work for everybody */
            free_member(d, m);
        }
        return;
    }
    if (!m->consuming && now >= m->retry_ms) {
        begin_consuming(d, m);
    }
    publish_ack(d, m);
    if (m->unsure && now >= m->again_ms) {
        settle(d, m);
    }
    if (!m->unsure && now >= m->again_ms) {
        publish_portion(d, m, work);
    }
}

/* What nobody has told us of. */
static void sweep(nt_durable *d, int64_t now)
{
    for (size_t i = 0; i < d->slot_count; i++) {
        nt_member *m = d->slots[i];
        if (!m) {
            continue;
        }
        if (m->consuming && now - m->alive_ms > SILENT_MS) {
            m->consuming = false;
        }
        bool flying = m->backlog.next > m->backlog.head;
        if (flying && now - m->progress_ms > ANSWER_MS) {
            d->counted.bus_resent += nt_backlog_rewind(&m->backlog, m->kept + 1);
            m->careful = true;
            m->progress_ms = now;
        }
        if (!m->consuming || nt_backlog_next(&m->backlog).len) {
            enlist(d, m);
        }
    }
}

static bool has_to_finish(const nt_durable *d, int64_t end_ms)
{
    const nt_member *self = d->slots[NT_DURABLE_SELF];
    return d->connected && self->backlog.text.len > self->backlog.head &&
           os_now_ms() < end_ms;
}

static void *speak_loop(void *closure)
{
    nt_durable *d = closure;
    mt_buf work = {0};
    int64_t sweep_ms = 0, end_ms = INT64_MAX;
    pthread_mutex_lock(&d->lock);
    while (!d->closing || has_to_finish(d, end_ms)) {
        int64_t now = os_now_ms();
        nt_member *m = d->connected ? next_member(d) : NULL;
        if (d->closing && end_ms == INT64_MAX) {
            end_ms = now + FLUSH_MS;
        }
        if (m) {
            serve(d, m, &work);
        }
        if (now >= sweep_ms) {
            sweep(d, now);
            sweep_ms = now + SWEEP_MS;
        } else if (!m) {
            mt_cond_wait(&d->work, &d->lock, sweep_ms);
        }
    }
    pthread_mutex_unlock(&d->lock);
    mt_buf_free(&work);
    return NULL;
}

/* ---- the relay's side ---- */

int nt_durable_fd(const nt_durable *d)
{
    return d->wake;
}

uint64_t nt_durable_join(nt_durable *d, const nt_hello *hello, void *owner)
{
    pthread_mutex_lock(&d->lock);
    uint64_t who = add_member(d, hello, owner)->who;
    pthread_mutex_unlock(&d->lock);
    return who;
}

void nt_durable_leave(nt_durable *d, uint64_t who)
{
    pthread_mutex_lock(&d->lock);
    nt_member *m = member_of(d, who);
    if (m) {
        m->gone = true;
        enlist(d, m);
    }
    pthread_mutex_unlock(&d->lock);
}

static size_t waiting(const nt_member *m)
{
    return m->backlog.text.len - m->backlog.head;
}

static void add_line(nt_durable *d, nt_member *m, uint64_t number, mt_str line)
{
    mt_buf *to = &m->backlog.text;
    mt_buf_addz(to, m->owner ? m->hello.name : d->node);
    mt_buf_addc(to, ' ');
    mt_buf_add_u64(to, number);
    mt_buf_addc(to, ' ');
    mt_buf_adds(to, line);
    mt_buf_addc(to, '\n');
    m->number = number;
    enlist(d, m);
}

bool nt_durable_send(nt_durable *d, uint64_t who, uint64_t number, mt_str line)
{
    pthread_mutex_lock(&d->lock);
    nt_member *m = member_of(d, who);
    bool self = who == NT_DURABLE_SELF;
    bool ok = line.len + HEAD_BYTES <= d->payload_most &&
              !(self && waiting(m) + line.len > SELF_BYTES);
    if (ok && m) {
        add_line(d, m, self ? m->number + 1 : number, line);
    }
    pthread_mutex_unlock(&d->lock);
    return ok;
}

size_t nt_durable_waiting(nt_durable *d, uint64_t who)
{
    pthread_mutex_lock(&d->lock);
    const nt_member *m = member_of(d, who);
    size_t bytes = m ? waiting(m) : 0;
    pthread_mutex_unlock(&d->lock);
    return bytes;
}

void nt_durable_ack(nt_durable *d, uint64_t who, uint64_t seq)
{
    pthread_mutex_lock(&d->lock);
    nt_member *m = member_of(d, who);
    if (m && seq > m->acked) {
        m->acked = seq < m->passed ? seq : m->passed;
        enlist(d, m);
    }
    pthread_mutex_unlock(&d->lock);
}

/* With the lock: what is true of the member now. */
static bool complete(nt_durable *d, const note *n, nt_event *event)
{
    pthread_mutex_lock(&d->lock);
    nt_member *m = member_of(d, n->who);
    if (m && n->kind == NT_EVENT_KEPT) {
        event->number = m->kept;
        m->kept_news = false;
    }
    event->owner = m ? m->owner : NULL;
    pthread_mutex_unlock(&d->lock);
    return m != NULL;
}

void nt_durable_take(nt_durable *d, void (*hear)(void *state, const nt_event *event),
                     void *state)
{
    uint64_t self_seq = 0;
    pthread_mutex_lock(&d->lock);
    mt_buf swap = d->taken;
    d->taken = d->in;
    d->in = swap;
    mt_buf_clear(&d->in);
    pthread_mutex_unlock(&d->lock);
    for (mt_str rest = mt_buf_str(&d->taken); rest.len;) {
        note n;
        nt_said said;
        memcpy(&n, rest.ptr, sizeof n);
        nt_event event = {.kind = n.kind,
                          .number = n.number,
                          .line = mt_str_from(rest.ptr + sizeof n, n.len),
                          .said = &said};
        if (n.kind == NT_EVENT_WELCOME) {
            memcpy(&said, event.line.ptr, sizeof said);
        }
        if (complete(d, &n, &event)) {
            hear(state, &event);
            self_seq = n.who == NT_DURABLE_SELF ? n.number : self_seq;
        }
        rest = mt_str_skip(rest, sizeof n + n.len);
    }
    if (self_seq) {
        nt_durable_ack(d, NT_DURABLE_SELF, self_seq);
    }
}

bool nt_durable_news(nt_durable *d, nt_stats *stats, mt_buf *why)
{
    pthread_mutex_lock(&d->lock);
    nt_stats news = d->counted;
    d->counted = (nt_stats){0};
    pthread_mutex_unlock(&d->lock);
    return nt_stats_news(stats, &news, why);
}

/* ---- opening and closing ---- */

static natsStatus set_options(nt_durable *d, natsOptions *o)
{
    natsStatus s = nt_nats_options(o, d->config.url);
    s = s ? s : natsOptions_SetDisconnectedCB(o, on_disconnect, d);
    s = s ? s : natsOptions_SetReconnectedCB(o, on_reconnect, d);
    s = s ? s : natsOptions_SetClosedCB(o, on_closed, d);
    /* One thread for all subscriptions, of which there is one per agent. */
    s = s ? s : natsOptions_UseGlobalMessageDelivery(o, true);
    return s;
}

static natsStatus open_inbox(nt_durable *d)
{
    char answers[80];
    snprintf(answers, sizeof answers, "%s.p.*", d->inbox_prefix);
    return listen_to(d, &d->inbox, answers);
}

static natsStatus connect_and_ask(nt_durable *d)
{
    natsOptions *o = NULL;
    extent now;
    jsOptions js = options();
    natsStatus s = natsOptions_Create(&o);
    s = s ? s : set_options(d, o);
    s = s ? s : natsConnection_Connect(&d->connection, o);
    natsOptions_Destroy(o);
    if (s) {
        return s;
    }
    int64_t most = natsConnection_GetMaxPayload(d->connection);
    d->payload_most = most > 0 ? (size_t)most : SIZE_MAX;
    d->talks = true;
    s = natsConnection_JetStream(&d->js, d->connection, &js);
    s = s ? s : open_inbox(d);
    return s ? s : ask_extent(d, &now);
}

static void name_things(nt_durable *d)
{
    unsigned char bytes[NODE_BYTES];
    if (RAND_bytes(bytes, sizeof bytes) != 1) {
        MT_BUG("no random numbers");
    }
    mt_hex(bytes, sizeof bytes, d->node);
    snprintf(d->stream, sizeof d->stream, "motet-durable-%s", d->config.room);
    snprintf(d->prefix, sizeof d->prefix, "motet.durable.%s", d->config.room);
    snprintf(d->inbox_prefix, sizeof d->inbox_prefix, "_INBOX.%s", d->node);
}

mt_err nt_durable_open(const nt_durable_config *config, nt_durable **out, mt_buf *why)
{
    *out = NULL;
    mt_err err = nt_nats_ready(config->room, why);
    if (err) {
        return err;
    }
    nt_durable *d = mt_xmalloc(sizeof *d);
    *d = (nt_durable){.config = *config,
                      .connected = true,
                      .wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    name_things(d);
    pthread_mutex_init(&d->lock, NULL);
    mt_cond_init(&d->work);
    pthread_cond_init(&d->gone, NULL);
    add_member(d, &(nt_hello){.from = NT_FROM_NEW}, NULL);
    natsStatus s = connect_and_ask(d);
    if (s != NATS_OK || pthread_create(&d->speaker, NULL, speak_loop, d) != 0) {
        /* Never the URL: it may hold a password. */
        mt_buf_addf(why, "cannot keep lines on the bus: %s%s", natsStatus_GetText(s),
                    d->talks ? "; has the server JetStream (nats-server -js)?" : "");
        nt_durable_close(d);
        return MT_E_IO;
    }
    d->speaking = true;
    *out = d;
    return MT_OK;
}

static void end_threads(nt_durable *d)
{
    pthread_mutex_lock(&d->lock);
    d->closing = true;
    pthread_cond_broadcast(&d->work);
    pthread_mutex_unlock(&d->lock);
    if (d->speaking) {
        pthread_join(d->speaker, NULL);
    }
    natsSubscription_Unsubscribe(d->inbox);
    natsConnection_Close(d->connection);
    pthread_mutex_lock(&d->lock);
    while (d->hears || d->talks) {
        pthread_cond_wait(&d->gone, &d->lock);
    }
    pthread_mutex_unlock(&d->lock);
}

void nt_durable_close(nt_durable *d)
{
    if (!d) {
        return;
    }
    end_threads(d);
    natsSubscription_Destroy(d->inbox);
    jsCtx_Destroy(d->js);
    natsConnection_Destroy(d->connection);
    for (size_t i = 0; i < d->slot_count; i++) {
        if (d->slots[i]) {
            free_member(d, d->slots[i]);
        }
    }
    free(d->slots);
    close(d->wake);
    mt_buf_free(&d->in);
    mt_buf_free(&d->taken);
    pthread_cond_destroy(&d->work);
    pthread_cond_destroy(&d->gone);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

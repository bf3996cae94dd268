/* net/durable_speak.c - what a durable relay says to the server.
 *
 * One thread, because each word may have to wait. Members that have something to be
 * done stand in a queue; one at a time gets its consumer, has its acknowledgement sent
 * and a portion of its lines published. Four times a second all are looked at for what
 * nobody has told of: consumers that have fallen silent, lines without an answer.
 *
 * Called with the lock; what talks to the server gives it up meanwhile. A member is
 * freed here only, so it may be used without the lock. */
#include <stdio.h>

#include "base/wait.h"
#include "net/durable_state.h"
#include "os/clock.h"

enum {
    FLYING_BYTES = 4 << 20,  /* of one member, published and not answered */
    PORTION_BYTES = 1 << 16, /* of one member in its turn */
    ANSWER_MS = 5000,        /* after which lines on their way are published again */
    SILENT_MS = 3 * NT_HEARTBEAT_MS,
    FLUSH_MS = 1000
};

/* ---- welcoming and going on: on the speaker's thread ---- */

/* After which sequence a member that says hello is to hear. */
static natsStatus find_start(nt_durable *d, const nt_member *m, const nt_extent *now,
                             uint64_t *after)
{
    const nt_hello *hello = &m->hello;
    uint64_t before_first = now->first ? now->first - 1 : 0;
    bool stranger = hello->stream[0] && strcmp(hello->stream, now->made) != 0;
    *after = before_first;
    if (hello->from == NT_FROM_SINCE && hello->since_ms > 0) {
        return nt_js_since(d, hello->since_ms, after);
    }
    if (hello->from == NT_FROM_NEW || hello->from == NT_FROM_NONE) {
        *after = now->last;
    } else if (hello->from == NT_FROM_AFTER && !stranger) {
        *after = hello->after < now->last ? hello->after : now->last;
    }
    return NATS_OK;
}

static natsStatus welcome(nt_durable *d, nt_member *m, const nt_extent *now)
{
    nt_said said = {.kind = NT_WELCOME, .first = now->first};
    natsStatus s = find_start(d, m, now, &said.after);
    s = s ? s : nt_js_kept(d, m, &said.number);
    if (s) {
        return s;
    }
    snprintf(said.stream, sizeof said.stream, "%s", now->made);
    pthread_mutex_lock(&d->lock);
    snprintf(m->hello.stream, sizeof m->hello.stream, "%s", now->made);
    m->heard = m->passed = m->acked = said.after;
    if (m->owner) {
        m->kept = m->number = said.number;
        nt_durable_note(d, m, NT_EVENT_WELCOME, 0,
                        mt_str_from((char *)&said, sizeof said));
    }
    m->welcomed = true;
    pthread_mutex_unlock(&d->lock);
    return s;
}

/* Whoever has been welcomed goes on where it was, if that is still a place. */
static void check_place(nt_durable *d, nt_member *m, const nt_extent *now)
{
    bool other = strcmp(m->hello.stream, now->made) != 0;
    uint64_t missed =
        !other && m->heard + 1 < now->first ? now->first - m->heard - 1 : 0;
    if (!other && !missed && m->heard <= now->last) {
        return;
    }
    pthread_mutex_lock(&d->lock);
    if (m->owner) {
        nt_durable_note(d, m, NT_EVENT_END, 0, (mt_str){0});
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
    nt_extent now = {0};
    char old[NT_REPLY_TEXT], name[NT_REPLY_TEXT];
    memcpy(old, m->consumer, sizeof old);
    nt_member_new_consumer(m);
    snprintf(name, sizeof name, "%s-%llu-%llu", d->node, (unsigned long long)m->who,
             (unsigned long long)m->round);
    m->consuming = true; /* what comes before the server's answer counts */
    m->alive_ms = os_now_ms();
    pthread_mutex_unlock(&d->lock);
    nt_js_forget(d, old);
    natsStatus s = nt_js_extent(d, &now);
    if (s == NATS_OK && !m->welcomed) {
        s = welcome(d, m, &now);
    } else if (s == NATS_OK) {
        check_place(d, m, &now);
    }
    s = s ? s : nt_js_consume(d, m, name);
    pthread_mutex_lock(&d->lock);
    snprintf(m->consumer, sizeof m->consumer, "%s", name);
    if (s != NATS_OK) {
        m->consuming = false;
        m->retry_ms = os_now_ms() + NT_SPEAK_AGAIN_MS;
    }
}

/* Gives up the lock meanwhile. */
static void stop_consuming(nt_durable *d, nt_member *m)
{
    char old[NT_REPLY_TEXT];
    memcpy(old, m->consumer, sizeof old);
    nt_member_new_consumer(m);
    m->consuming = false;
    m->welcomed = m->owner != NULL; /* the relay begins anew when it hears again */
    natsSubscription *inbox = m->inbox;
    m->inbox = NULL;
    pthread_mutex_unlock(&d->lock);
    natsSubscription_Destroy(inbox);
    nt_js_forget(d, old);
    pthread_mutex_lock(&d->lock);
}

/* Likewise: a welcome, and nothing more. */
static void welcome_deaf(nt_durable *d, nt_member *m)
{
    nt_extent now;
    pthread_mutex_unlock(&d->lock);
    natsStatus s = nt_js_extent(d, &now);
    s = s ? s : welcome(d, m, &now);
    pthread_mutex_lock(&d->lock);
    m->retry_ms = s ? os_now_ms() + NT_SPEAK_AGAIN_MS : 0;
}

static void mind_ears(nt_durable *d, nt_member *m, int64_t now)
{
    if (m->deaf && m->consumer[0]) {
        stop_consuming(d, m);
    } else if (m->deaf && m->owner && !m->welcomed && now >= m->retry_ms) {
        welcome_deaf(d, m);
    } else if (!m->deaf && !m->consuming && now >= m->retry_ms) {
        begin_consuming(d, m);
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
        nt_member_again(m, number, os_now_ms() + NT_SPEAK_AGAIN_MS);
    } else if (nt_backlog_next(&m->backlog).len) {
        nt_durable_enlist(d, m);
    }
}

/* The stream takes a name once, but forgets names: so after a connection that broke it
 * is asked what it has, however long that took. Gives up the lock meanwhile. */
static void settle(nt_durable *d, nt_member *m)
{
    uint64_t kept = 0;
    pthread_mutex_unlock(&d->lock);
    natsStatus s = nt_js_kept(d, m, &kept);
    pthread_mutex_lock(&d->lock);
    if (s != NATS_OK) {
        m->again_ms = os_now_ms() + NT_SPEAK_AGAIN_MS;
        return;
    }
    m->unsure = false;
    nt_member_settle(m, kept);
    nt_durable_note_kept(d, m);
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

static void serve(nt_durable *d, nt_member *m, mt_buf *work)
{
    int64_t now = os_now_ms();
    if (m->gone) {
        pthread_mutex_unlock(&d->lock);
        natsSubscription_Unsubscribe(m->inbox);
        nt_js_forget(d, m->consumer);
        pthread_mutex_lock(&d->lock);
        if (!m->queued) { /* a connection that came back has work for everybody */
            nt_durable_free_member(d, m);
        }
        return;
    }
    mind_ears(d, m, now);
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
        bool ready = m->deaf ? m->welcomed || !m->owner : m->consuming;
        if (!ready || nt_backlog_next(&m->backlog).len) {
            nt_durable_enlist(d, m);
        }
    }
}

static bool has_to_finish(const nt_durable *d, int64_t end_ms)
{
    const nt_member *self = d->slots[NT_DURABLE_SELF];
    return d->connected && self->backlog.text.len > self->backlog.head &&
           os_now_ms() < end_ms;
}

/* Consumers may be gone, answers were lost: both are asked for anew. */
static void begin_anew(nt_durable *d)
{
    for (size_t i = 0; i < d->slot_count; i++) {
        nt_member *m = d->slots[i];
        if (m) {
            natsSubscription_Destroy(m->inbox);
            m->inbox = NULL;
            m->consuming = false;
            m->retry_ms = 0;
            m->unsure = m->backlog.next > m->backlog.head && !m->hole;
            nt_member_again(m, m->kept + 1, 0);
            nt_durable_enlist(d, m);
        }
    }
}

/* Gives up the lock meanwhile. */
static void reconnect(nt_durable *d)
{
    pthread_mutex_unlock(&d->lock);
    nt_js_shut(d);
    natsStatus s = nt_js_open(d);
    pthread_mutex_lock(&d->lock);
    if (s == NATS_OK) {
        d->connected = true;
        begin_anew(d);
    }
}

/* What nobody has told us of: the connection, then what goes over it. */
static void look_around(nt_durable *d, int64_t now)
{
    if (natsConnection_Status(d->connection) != NATS_CONN_STATUS_CONNECTED) {
        d->connected = false;
    }
    if (d->connected) {
        sweep(d, now);
    } else if (!d->closing) {
        reconnect(d);
    }
}

static void speak_once(nt_durable *d, mt_buf *work, int64_t *sweep_ms)
{
    int64_t now = os_now_ms();
    nt_member *m = d->connected ? next_member(d) : NULL;
    if (m) {
        serve(d, m, work);
    }
    if (now >= *sweep_ms) {
        *sweep_ms = now + NT_SPEAK_AGAIN_MS;
        look_around(d, now);
    } else if (!m) {
        mt_cond_wait(&d->work, &d->lock, *sweep_ms);
    }
}

void *nt_durable_speak(void *closure)
{
    nt_durable *d = closure;
    mt_buf work = {0};
    int64_t sweep_ms = 0, end_ms = INT64_MAX;
    pthread_mutex_lock(&d->lock);
    while (!d->closing || has_to_finish(d, end_ms)) {
        if (d->closing && end_ms == INT64_MAX) {
            end_ms = os_now_ms() + FLUSH_MS;
        }
        speak_once(d, &work, &sweep_ms);
    }
    pthread_mutex_unlock(&d->lock);
    mt_buf_free(&work);
    return NULL;
}

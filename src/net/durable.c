/* net/durable.c - see durable.h.
 *
 * Way out: nt_durable_send() puts a line into its member's backlog; the speaker's
 * thread publishes it with a name that the stream takes once and an address for the
 * answer; the answer comes in on the library's thread, takes the line off the backlog
 * and becomes an event. What was refused, or was on its way when the connection broke,
 * is published again in order. The library never mends a connection: the speaker makes
 * a new one, so that nothing is published there before what was lost.
 *
 * Way in: each member has a consumer of its own that ends with this relay and sends to
 * an address with the member's number in it. A consumer that has skipped
 * something, or has not been heard of for SILENT_MS, is replaced by one that goes on
 * after the last sequence heard.
 *
 * Threads: the library's (durable_hear.c), the speaker's (durable_speak.c), the relay's
 * (nt_durable_*). Everything is guarded by `lock`, except what the speaker says to the
 * server, which may block. Invariants: the relay's thread adds members and marks them
 * gone, only the speaker frees them, so it may use one without the lock.
 *
 * What may fail: opening, with a sentence. Later every fault is tried again, and
 * counted. Closing waits for the library's last call. */
#include "net/durable.h"

#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/wait.h"
#include "net/durable_state.h"
#include "net/nats.h"

enum {
    SELF_BYTES = 16 << 20, /* lines without hello that may wait for the server */
    HEAD_BYTES = 512       /* of a message, beside its line */
};

/* ---- members ---- */

nt_member *nt_durable_member(const nt_durable *d, uint64_t who)
{
    size_t slot = who & ((1u << NT_SLOT_BITS) - 1);
    nt_member *m = slot < d->slot_count ? d->slots[slot] : NULL;
    return m && m->who == who && !m->gone ? m : NULL;
}

void nt_durable_enlist(nt_durable *d, nt_member *m)
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
        .who = d->serial++ << NT_SLOT_BITS | slot, .owner = owner, .hello = *hello};
    d->slots[slot] = m;
    int own =
        owner ? snprintf(m->subject, sizeof m->subject, "%s.a.%s.%s", d->prefix,
                         hello->name, hello->id) -
                    (int)strlen(hello->id)
              : snprintf(m->subject, sizeof m->subject, "%s.n.%s", d->prefix, d->node);
    m->own = (size_t)own;
    m->deaf = hello->from == NT_FROM_NONE;
    nt_durable_enlist(d, m);
    return m;
}

void nt_durable_free_member(nt_durable *d, nt_member *m)
{
    d->slots[m->who & ((1u << NT_SLOT_BITS) - 1)] = NULL;
    natsSubscription_Destroy(m->inbox);
    nt_backlog_free(&m->backlog);
    free(m);
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
    nt_member *m = nt_durable_member(d, who);
    if (m) {
        m->gone = true;
        nt_durable_enlist(d, m);
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
    nt_durable_enlist(d, m);
}

bool nt_durable_send(nt_durable *d, uint64_t who, uint64_t number, mt_str line)
{
    pthread_mutex_lock(&d->lock);
    nt_member *m = nt_durable_member(d, who);
    bool self = who == NT_DURABLE_SELF;
    bool ok = line.len + HEAD_BYTES <= d->payload_most &&
              !(self && waiting(m) + line.len > SELF_BYTES);
    if (ok && m) {
        add_line(d, m, self ? m->number + 1 : number, line);
    }
    pthread_mutex_unlock(&d->lock);
    return ok;
}

void nt_durable_self_hears(nt_durable *d, bool hears)
{
    pthread_mutex_lock(&d->lock);
    nt_member *self = d->slots[NT_DURABLE_SELF];
    self->deaf = !hears;
    nt_durable_enlist(d, self);
    pthread_mutex_unlock(&d->lock);
}

size_t nt_durable_waiting(nt_durable *d, uint64_t who)
{
    pthread_mutex_lock(&d->lock);
    const nt_member *m = nt_durable_member(d, who);
    size_t bytes = m ? waiting(m) : 0;
    pthread_mutex_unlock(&d->lock);
    return bytes;
}

void nt_durable_ack(nt_durable *d, uint64_t who, uint64_t seq)
{
    pthread_mutex_lock(&d->lock);
    nt_member *m = nt_durable_member(d, who);
    if (m && seq > m->acked) {
        m->acked = seq < m->passed ? seq : m->passed;
        nt_durable_enlist(d, m);
    }
    pthread_mutex_unlock(&d->lock);
}

/* What is true of their members now. */
static void complete_notes(nt_durable *d)
{
    for (size_t at = 0; at < d->taken.len;) {
        nt_note n;
        memcpy(&n, d->taken.ptr + at, sizeof n);
        nt_member *m = nt_durable_member(d, n.who);
        if (m && n.kind == NT_EVENT_KEPT) {
            n.number = m->kept;
            m->kept_news = false;
        }
        n.owner = m ? m->owner : NULL;
        n.stale = !m;
        memcpy(d->taken.ptr + at, &n, sizeof n);
        at += sizeof n + n.len;
    }
}

static void take_notes(nt_durable *d)
{
    pthread_mutex_lock(&d->lock);
    mt_buf swap = d->taken;
    d->taken = d->in;
    d->in = swap;
    mt_buf_clear(&d->in);
    complete_notes(d);
    pthread_mutex_unlock(&d->lock);
}

static void tell(const nt_note *n, mt_str bytes, nt_durable_hear *hear, void *state)
{
    nt_said said;
    nt_event event = {.kind = n->kind,
                      .owner = n->owner,
                      .number = n->number,
                      .line = bytes,
                      .said = &said};
    if (n->kind == NT_EVENT_WELCOME) {
        memcpy(&said, bytes.ptr, sizeof said);
    }
    hear(state, &event);
}

void nt_durable_take(nt_durable *d, nt_durable_hear *hear, void *state)
{
    uint64_t self_seq = 0;
    take_notes(d);
    for (mt_str rest = mt_buf_str(&d->taken); rest.len;) {
        nt_note n;
        memcpy(&n, rest.ptr, sizeof n);
        if (!n.stale) {
            tell(&n, mt_str_from(rest.ptr + sizeof n, n.len), hear, state);
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

static void name_things(nt_durable *d)
{
    unsigned char bytes[NT_KEEPER_BYTES];
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
    add_member(d, &(nt_hello){.from = NT_FROM_NEW}, NULL)->deaf = true;
    natsStatus s = nt_js_open(d);
    if (s != NATS_OK || pthread_create(&d->speaker, NULL, nt_durable_speak, d) != 0) {
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
    nt_js_shut(d);
    for (size_t i = 0; i < d->slot_count; i++) {
        if (d->slots[i]) {
            nt_durable_free_member(d, d->slots[i]);
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

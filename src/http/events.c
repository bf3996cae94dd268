/* http/events.c - server-sent events: the ledger as it grows, to whoever listens.
 *
 * One event for each record: its id is the record's seq, its name the record's kind,
 * its data the record's body, one line of canonical JSON. A client that comes back
 * with Last-Event-ID gets what it missed, so nothing is lost and nothing comes twice.
 *
 * The house keeper reads each page of records once and copies it to every stream that
 * is due; a stream holds BUFFER bytes at most and gets more when its reader has taken
 * them, so a slow reader costs memory nobody else misses. Between events a comment
 * line is sent now and then, which is how a dead connection is noticed.
 *
 * Threads: network threads take bytes out, the house keeper puts them in, both under
 * one lock; a stream that has nothing is suspended and woken when it has. A token that
 * was revoked or granted something else ends its streams at the next look. */
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "exec/evidence/decision.h"
#include "http/server_state.h"

enum { BUFFER = 64 << 10, PAGE_RECORDS = 256, PAGE_BYTES = 1 << 20, TURNS = 64 };

typedef struct stream {
    struct stream *prev, *next;
    ht_streams *home;
    struct MHD_Connection *connection;
    int64_t next_seq; /* the record it needs next */
    ht_pass pass;     /* whose it is, and which records it may see */
    mt_str kind, contract, entity, instance;
    mt_arena arena;
    mt_buf out;
    size_t taken; /* bytes of `out` */
    int64_t fed_ms;
    bool asleep; /* suspended: there was nothing to give */
    bool ended;  /* gets no more; closes when it is empty */
} stream;

struct ht_streams {
    ht_server *server;
    pthread_mutex_t lock; /* of the list and everything in it */
    stream *first;
    atomic_size_t count;
    bool ending;
    atomic_int_fast64_t last; /* newest seq in the ledger, -1: none */
    /* Only the house keeper touches these: */
    mt_arena page_arena;
    MT_VEC(st_record) page;
    int64_t page_from, page_to; /* seqs covered; to is exclusive */
    size_t page_bytes;
};

static void hear_news(void *state, int64_t last)
{
    ht_streams *s = state;
    atomic_store(&s->last, last);
    if (atomic_load(&s->count)) {
        pthread_cond_signal(&s->server->wake);
    }
}

/* The ledger's size is read once; from then on the executor tells of news. A store that
 * cannot be read counts as empty: the first news corrects it. */
ht_streams *ht_streams_new(ht_server *server)
{
    ht_streams *s = mt_xmalloc(sizeof *s);
    *s = (ht_streams){.server = server};
    pthread_mutex_init(&s->lock, NULL);
    int64_t size = 0;
    st_tx *tx;
    if (server->options.store && !st_begin(server->options.store, ST_READ, &tx)) {
        mt_arena arena = {0};
        mt_str tail;
        (void)st_ledger_tail(tx, &arena, &size, &tail);
        st_rollback(tx);
        mt_arena_free(&arena);
    }
    atomic_init(&s->last, size - 1);
    ex_executor_on_news(server->options.executor, hear_news, s);
    return s;
}

void ht_streams_free(ht_streams *s)
{
    mt_arena_free(&s->page_arena);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

size_t ht_streams_count(ht_streams *s)
{
    return atomic_load(&s->count);
}

/* ---- The reader's side: network threads ---- */

/* On a network thread. Nothing to give suspends the connection; the house keeper wakes
 * it. */
static ssize_t give(void *state, uint64_t position, char *to, size_t room)
{
    (void)position;
    stream *st = state;
    pthread_mutex_lock(&st->home->lock);
    size_t left = st->out.len - st->taken, n = left < room ? left : room;
    ssize_t given = (ssize_t)n;
    if (n) {
        memcpy(to, st->out.ptr + st->taken, n);
        st->taken += n;
        if (st->taken == st->out.len) {
            mt_buf_clear(&st->out);
            st->taken = 0;
        }
    } else if (st->ended) {
        given = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        st->asleep = true;
        MHD_suspend_connection(st->connection);
    }
    pthread_mutex_unlock(&st->home->lock);
    return given;
}

static void drop_stream(stream *st)
{
    if (st->pass.caller) {
        ex_quota_close_stream(st->home->server->options.executor, st->pass.caller);
    }
    ht_pass_end(&st->pass);
    mt_buf_free(&st->out);
    mt_arena_free(&st->arena);
    free(st);
}

/* The library is done with the stream, for whatever reason; it leaves the list before
 * it is freed. */
static void forget(void *state)
{
    stream *st = state;
    ht_streams *s = st->home;
    pthread_mutex_lock(&s->lock);
    *(st->prev ? &st->prev->next : &s->first) = st->next;
    if (st->next) {
        st->next->prev = st->prev;
    }
    s->count--;
    pthread_mutex_unlock(&s->lock);
    drop_stream(st);
}

/* At most 18 digits, so the sum cannot overflow. */
static bool read_seq(mt_str text, int64_t *out)
{
    int64_t value = 0;
    if (!text.len || text.len > 18) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
        value = value * 10 + (text.ptr[i] - '0');
    }
    *out = value;
    return true;
}

static mt_str kept(stream *st, const ht_request *r, const char *name)
{
    return mt_str_dup(&st->arena, ht_target_param(&r->target, mt_str_z(name)));
}

/* Where to begin: after the last event the client has seen, at `from`, or now. */
static bool find_start(const ht_request *r, ht_streams *s, int64_t *next)
{
    mt_str from = ht_target_param(&r->target, MT_STR("from"));
    if (r->head.last_event_id.ptr) {
        bool ok = read_seq(r->head.last_event_id, next);
        *next += ok;
        return ok;
    }
    if (from.ptr) {
        return read_seq(from, next);
    }
    *next = atomic_load(&s->last) + 1;
    return true;
}

/* Filters and the pass are copied: the request is gone long before the stream. */
static stream *new_stream(ht_request *r, int64_t next)
{
    ht_streams *s = r->server->streams;
    stream *st = mt_xmalloc(sizeof *st);
    *st = (stream){.home = s, .connection = r->connection, .next_seq = next};
    st->pass = ht_pass_again(&r->pass);
    st->kind = kept(st, r, "kind");
    st->contract = kept(st, r, "contract");
    st->entity = kept(st, r, "entity");
    st->instance = kept(st, r, "instance");
    st->fed_ms = ht_now_ms();
    mt_buf_addz(&st->out, "retry: 1000\n\n");
    return st;
}

/* False when there are enough of them, or the server is ending. */
static bool add_stream(ht_streams *s, stream *st)
{
    pthread_mutex_lock(&s->lock);
    bool fits = s->count < s->server->options.max_streams && !s->ending;
    if (fits) {
        st->next = s->first;
        if (s->first) {
            s->first->prev = st;
        }
        s->first = st;
        s->count++;
    }
    pthread_mutex_unlock(&s->lock);
    return fits;
}

/* No length, no buffering in between, and the connection ends with the stream. */
static enum MHD_Result answer_stream(ht_request *r, stream *st)
{
    struct MHD_Response *answer =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16 << 10, give, st, forget);
    if (!answer) {
        forget(st);
        return MHD_NO;
    }
    MHD_add_response_header(answer, "Content-Type", "text/event-stream");
    MHD_add_response_header(answer, "Cache-Control", "no-store");
    MHD_add_response_header(answer, "X-Accel-Buffering", "no");
    MHD_add_response_header(answer, "Connection", "close"); /* its end is the end */
    enum MHD_Result result = ht_answer_queue(r, MHD_HTTP_OK, answer);
    if (r->peer) {
        ht_peers_now(r->server->peers, r->peer, HT_SERVED, ht_now_ms());
    }
    pthread_cond_signal(&r->server->wake);
    return result;
}

/* Rights are looked at before the stream exists, and again while it runs (tend_one): a
 * token may be revoked during the hours a stream lasts. */
enum MHD_Result ht_events_answer(ht_request *r)
{
    const ex_caller *who = r->pass.caller;
    int64_t next = 0;
    if (!ex_caller_may_somewhere(who, MT_STR("ledger:read"))) {
        return ht_answer_without(r, "ledger:read");
    }
    if (!find_start(r, r->server->streams, &next)) {
        return ht_answer_problem(r, MHD_HTTP_BAD_REQUEST, "bad_request",
                                 "an event id is the number of a ledger record");
    }
    if (!ex_quota_open_stream(r->server->options.executor, who)) {
        return ht_answer_problem(r, MHD_HTTP_TOO_MANY_REQUESTS, "quota_exceeded",
                                 "the caller has as many event streams as it may have");
    }
    stream *st = new_stream(r, next);
    if (!add_stream(r->server->streams, st)) {
        drop_stream(st);
        return ht_answer_problem(r, MHD_HTTP_SERVICE_UNAVAILABLE, "too_many_streams",
                                 "no more event streams are taken now");
    }
    return answer_stream(r, st);
}

/* ---- The writer's side: the house keeper ---- */

/* A page is bounded by bytes as well: bodies may be large. Queued records have no
 * place yet. */
static mt_err keep_record(void *state, const st_record *row)
{
    ht_streams *s = state;
    if (s->page_bytes > PAGE_BYTES || row->seq < 0) {
        return MT_OK;
    }
    mt_arena *a = &s->page_arena;
    *mt_vec_add(a, &s->page) = (st_record){.seq = row->seq,
                                           .kind = mt_str_dup(a, row->kind),
                                           .contract = mt_str_dup(a, row->contract),
                                           .subject = mt_str_dup(a, row->subject),
                                           .body = mt_str_dup(a, row->body)};
    s->page_to = row->seq + 1;
    s->page_bytes += row->body.len;
    return MT_OK;
}

/* False: there is nothing (yet) or the store does not answer. */
static bool load_page(ht_streams *s, int64_t from)
{
    if (from >= s->page_from && from < s->page_to) {
        return true;
    }
    st_tx *tx;
    mt_arena_reset(&s->page_arena);
    s->page.items = NULL;
    s->page.len = s->page.cap = 0;
    s->page_from = s->page_to = from;
    s->page_bytes = 0;
    if (!s->server->options.store || st_begin(s->server->options.store, ST_READ, &tx)) {
        return false;
    }
    st_record_filter filter = {.from_seq = from};
    st_page page = {.limit = PAGE_RECORDS};
    mt_err err = st_record_walk(tx, &filter, page, keep_record, s);
    st_rollback(tx);
    return !err && s->page_to > from;
}

/* Its subject is one of the instances a record binds; the others stand in its body. */
static bool binds(const st_record *row, mt_str entity, mt_str instance)
{
    mt_arena a = {0};
    mt_json body;
    bool bound = !mt_json_read(&a, row->body, NULL, &body, NULL) &&
                 ex_body_binds(&body, entity, instance);
    mt_arena_free(&a);
    return bound;
}

/* A subject is "Entity/instance", or several separated by blanks. */
static bool subject_has(mt_str subject, mt_str entity, mt_str instance)
{
    if (!entity.len && !instance.len) {
        return true;
    }
    for (mt_str rest = subject; rest.len;) {
        size_t end = mt_str_find(rest, ' ');
        mt_str one = mt_str_from(rest.ptr, end);
        size_t slash = mt_str_find(one, '/');
        if ((!entity.len || mt_str_eq(mt_str_from(one.ptr, slash), entity)) &&
            (!instance.len || mt_str_eq(mt_str_skip(one, slash + 1), instance))) {
            return true;
        }
        rest = mt_str_skip(rest, end + 1);
    }
    return false;
}

/* Records of a contract that is not the caller's to read are not there for it. */
static bool wants(const stream *st, const st_record *row)
{
    return ex_caller_may(st->pass.caller, row->contract, MT_STR("ledger:read")) &&
           (!st->kind.len || mt_str_eq(st->kind, row->kind)) &&
           (!st->contract.len || mt_str_eq(st->contract, row->contract)) &&
           (subject_has(row->subject, st->entity, st->instance) ||
            binds(row, st->entity, st->instance));
}

static void wake(stream *st)
{
    if (st->asleep) {
        st->asleep = false;
        MHD_resume_connection(st->connection);
    }
}

/* Up to BUFFER bytes; what a filter leaves out moves the stream on all the same. */
static void feed(ht_streams *s, stream *st, int64_t now_ms)
{
    for (size_t i = 0; i < s->page.len && st->out.len < BUFFER; i++) {
        const st_record *row = &s->page.items[i];
        if (row->seq < st->next_seq) {
            continue;
        }
        st->next_seq = row->seq + 1;
        if (wants(st, row)) {
            mt_buf_addf(&st->out, "id: %lld\nevent: %.*s\ndata: ", (long long)row->seq,
                        MT_ARG(row->kind));
            mt_buf_adds(&st->out, row->body);
            mt_buf_addz(&st->out, "\n\n");
        }
    }
    if (st->out.len) {
        st->fed_ms = now_ms;
        wake(st);
    }
}

static bool is_due(const ht_streams *s, const stream *st)
{
    return !st->ended && !st->out.len && st->next_seq <= atomic_load(&s->last);
}

/* The lowest seq that a stream with nothing left to say needs; -1: none. */
static int64_t next_needed(ht_streams *s)
{
    int64_t from = -1;
    pthread_mutex_lock(&s->lock);
    for (stream *st = s->first; st; st = st->next) {
        if (is_due(s, st) && (from < 0 || st->next_seq < from)) {
            from = st->next_seq;
        }
    }
    pthread_mutex_unlock(&s->lock);
    return from;
}

/* Streams whose next record is not on the page wait for another turn; they are never
 * fed from the middle, so no record is left out. */
static void feed_all(ht_streams *s, int64_t now_ms)
{
    pthread_mutex_lock(&s->lock);
    for (stream *st = s->first; st; st = st->next) {
        if (is_due(s, st) && st->next_seq >= s->page_from &&
            st->next_seq < s->page_to) {
            feed(s, st, now_ms);
        }
    }
    pthread_mutex_unlock(&s->lock);
}

/* A token that was revoked ends its stream here; a comment line shows whether the peer
 * is still there. */
static void tend_one(ht_streams *s, stream *st, int64_t now_ms)
{
    ht_server *server = s->server;
    if (!st->ended && !ht_tokens_still(server->tokens, &st->pass)) {
        st->ended = true;
        wake(st);
    }
    int64_t quiet = (int64_t)server->options.heartbeat_seconds * 1000;
    if (!st->ended && !st->out.len && quiet && now_ms - st->fed_ms >= quiet) {
        mt_buf_addz(&st->out, ":\n\n");
        st->fed_ms = now_ms;
        wake(st);
    }
}

/* From the house keeper only. TURNS bounds how many pages one call reads, so that a
 * client far behind does not keep connections from being swept. */
void ht_streams_tend(ht_streams *s, int64_t now_ms)
{
    for (int turn = 0; turn < TURNS; turn++) {
        int64_t from = next_needed(s);
        if (from < 0 || !load_page(s, from)) {
            break;
        }
        feed_all(s, now_ms);
    }
    pthread_mutex_lock(&s->lock);
    for (stream *st = s->first; st; st = st->next) {
        tend_one(s, st, now_ms);
    }
    pthread_mutex_unlock(&s->lock);
}

/* Idempotent: called when draining and again when freeing. Ended streams get their end
 * from the network threads, which still run. */
void ht_streams_end(ht_streams *s)
{
    pthread_mutex_lock(&s->lock);
    bool first = !s->ending;
    s->ending = true;
    for (stream *st = s->first; st; st = st->next) {
        st->ended = true;
        wake(st);
    }
    pthread_mutex_unlock(&s->lock);
    if (first) { /* the executor may be gone when we are called again */
        ex_executor_on_news(s->server->options.executor, NULL, NULL);
    }
}

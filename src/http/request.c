/* http/request.c - one request from its first line to its answer.
 *
 * libmicrohttpd calls in this order: begin (the request line is there), go_on once for
 * the head, once for each piece of the body, once more at the end of the body and
 * again after each resume, end. Everything that can be refused by the head alone is
 * refused at the head, before a body is read: malformed fields, the rate, a server
 * that stops, an unknown route, a missing token, a body that is too large.
 *
 * A call goes to the executor, on this thread or on a worker's, and its answer comes
 * on any thread; the connection sleeps meanwhile. `stage` is the one word both sides
 * change: whoever changes it second wakes the connection, so no wake-up is lost.
 *
 * Memory: a request has an arena and a body buffer and goes back to a pool, without
 * them if they have grown. What may fail is an answer; MHD_NO closes the connection. */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "http/home.h"
#include "http/server_state.h"
#include "http/studio.h"

enum { POOLED = 1024, KEEP_BODY = 64 << 10, KEEP_ARENA = 64 << 10, DRAIN = 1 << 20 };

/* Requests are reused with their buffers and arena; what must not survive from one to
 * the next is cleared by ht_request_begin(). */
static ht_request *new_request(ht_server *s)
{
    pthread_mutex_lock(&s->lock);
    ht_request *r = s->pool;
    if (r) {
        s->pool = r->next;
        s->pooled--;
    }
    pthread_mutex_unlock(&s->lock);
    if (!r) {
        r = mt_xmalloc(sizeof *r);
        memset(r, 0, sizeof *r);
    }
    r->server = s;
    return r;
}

void ht_request_free(ht_request *r)
{
    mt_arena_free(&r->arena);
    mt_buf_free(&r->body);
    free(r);
}

/* Keeps its memory for the next request unless it has grown large. */
static void recycle(ht_server *s, ht_request *r)
{
    if (r->arena.reserved > KEEP_ARENA) {
        mt_arena_free(&r->arena);
    } else {
        mt_arena_reset(&r->arena);
    }
    if (r->body.cap > KEEP_BODY) {
        mt_buf_free(&r->body);
    }
    mt_buf_clear(&r->body);
    pthread_mutex_lock(&s->lock);
    bool keep = s->pooled < POOLED;
    if (keep) {
        r->next = s->pool;
        s->pool = r;
        s->pooled++;
    }
    pthread_mutex_unlock(&s->lock);
    if (!keep) {
        ht_request_free(r);
    }
}

static ht_peer *peer_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* The first that is known of a request: its target, before the head is read. The
 * library frees `uri`, hence the copy. */
void *ht_request_begin(void *server, const char *uri, struct MHD_Connection *c)
{
    ht_request *r = new_request(server);
    r->connection = c;
    r->peer = peer_of(c);
    atomic_store_explicit(&r->stage, HT_NEW, memory_order_relaxed);
    r->uri = mt_str_dup(&r->arena, mt_str_z(uri));
    r->target.path = (mt_str){0};
    r->match = (ht_match){0};
    r->head = (ht_head){0};
    r->pass = (ht_pass){0};
    r->by_cookie = r->asked = false;
    r->redirect = (mt_str){0};
    r->cookie_count = 0;
    r->body_dropped = 0;
    r->status = 0;
    r->reply.status = 0;
    r->reply.retry_after = 0;
    r->reply.body = (mt_buf){0};
    r->reply.contract = (mt_str){0};
    r->code = NULL;
    r->trace.known = r->trace.sampled = false;
    return r;
}

/* The head as the library has cut it up: each field where it came, its line's end made
 * two NULs. So a field begins where the one before it ended. */
typedef struct heard {
    ht_head *head;
    const char *next; /* where the next field begins, if lines end as they should */
    bool torn;        /* it did not */
} heard;

static enum MHD_Result add_field(void *state, enum MHD_ValueKind kind, const char *name,
                                 size_t name_len, const char *value, size_t value_len)
{
    (void)kind;
    heard *h = state;
    h->torn |= h->next && name != h->next;
    h->next = value ? value + value_len + 2 : NULL;
    ht_head_add(h->head, mt_str_from(name, name_len), mt_str_from(value, value_len));
    return MHD_YES;
}

/* A NUL ends a value early, a folded line is copied elsewhere, and a line that ends
 * with LF alone is shorter by one byte: each of them leaves a gap between two fields,
 * or makes the head longer or shorter than its parts. Each is read in another way by
 * some proxy; the library tolerates them. */
static void take_fields(ht_request *r, const char *method, const char *version)
{
    heard h = {.head = &r->head, .next = version + strlen(version) + 2};
    MHD_get_connection_values_n(r->connection, MHD_HEADER_KIND, add_field, &h);
    const union MHD_ConnectionInfo *size =
        MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    bool whole = h.next && size && h.next + 2 == method + size->header_size;
    if (h.torn || !whole) {
        ht_head_fault(&r->head, "a header field is folded, has a NUL or does not end "
                                "with CR and LF");
    }
}

/* Ours are 8 random bytes of this process and a counter: unique across restarts and
 * nodes without asking the system for each. */
static void give_id(ht_request *r)
{
    if (ht_head_request_id_ok(&r->head)) {
        memcpy(r->id, r->head.request_id.ptr, r->head.request_id.len);
        r->id[r->head.request_id.len] = '\0';
        return;
    }
    uint64_t number =
        atomic_fetch_add_explicit(&r->server->id_next, 1, memory_order_relaxed);
    unsigned char bytes[12];
    uint32_t low = (uint32_t)number;
    memcpy(bytes, &r->server->id_start, 8);
    for (int i = 0; i < 4; i++) {
        bytes[8 + i] = (unsigned char)(low >> (24 - 8 * i));
    }
    mt_hex(bytes, sizeof bytes, r->id);
    r->id[24] = '\0';
}

static enum MHD_Result answer_options(ht_request *r)
{
    struct MHD_Response *answer =
        MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (answer) {
        MHD_add_response_header(answer, "Allow", r->match.allow);
    }
    return ht_answer_queue(r, MHD_HTTP_NO_CONTENT, answer);
}

/* The route, or an answer that says why there is none. *answered says which. */
static enum MHD_Result find_route(ht_request *r, bool *answered)
{
    const char *why = NULL;
    *answered = true;
    mt_err err = ht_target_read(&r->arena, ht_studio_target(r->uri), &r->target, &why);
    if (err) {
        return err == MT_E_LIMIT
                   ? ht_answer_problem(r, MHD_HTTP_URI_TOO_LONG, "uri_too_long", why)
                   : ht_answer_problem(r, MHD_HTTP_BAD_REQUEST, "bad_request", why);
    }
    ht_route_find(r->method, &r->target, &r->match);
    if (r->match.route) {
        *answered = false;
        return MHD_YES;
    }
    if (!r->match.allow[0]) {
        return ht_answer_problem(r, MHD_HTTP_NOT_FOUND, "not_found",
                                 "there is nothing at this path");
    }
    if (mt_str_is(r->method, "OPTIONS")) {
        return answer_options(r);
    }
    return ht_answer_problem(r, MHD_HTTP_METHOD_NOT_ALLOWED, "method_not_allowed",
                             "this path does not have that method");
}

static bool only_reads(mt_str method)
{
    return mt_str_is(method, "GET") || mt_str_is(method, "HEAD");
}

/* A name of this machine's own; where others are let in, whatever a program says, but
 * from a page an address: a name of somebody else's can be made to lead here. */
static bool host_is_ours(const ht_request *r)
{
    const ht_head *h = &r->head;
    bool page = !only_reads(r->method) && ht_head_is_from_page(h);
    return ht_head_host_is_local(h) ||
           (r->server->options.insecure && (!page || ht_head_host_is_address(h)));
}

/* Without tokens nothing but where a request comes from tells the owner of the machine
 * from a page in the owner's browser. So what writes, with a body or without, comes
 * from no other page. */
static enum MHD_Result check_stranger(ht_request *r, bool *answered)
{
    *answered = true;
    if (!host_is_ours(r)) {
        return ht_answer_problem(r, MHD_HTTP_MISDIRECTED_REQUEST, "wrong_host",
                                 "a server without tokens answers to localhost only");
    }
    if (!only_reads(r->method) && !ht_head_is_own_origin(&r->head)) {
        return ht_answer_problem(r, MHD_HTTP_FORBIDDEN, "cross_origin",
                                 "a server without tokens takes nothing from a page of "
                                 "another origin");
    }
    *answered = false;
    return MHD_YES;
}

static enum MHD_Result refuse(ht_request *r, ht_verdict verdict)
{
    if (verdict == HT_FORGED) {
        return ht_answer_problem(
            r, MHD_HTTP_FORBIDDEN, "csrf",
            "a browser's session writes with the X-CSRF-Token that "
            "/session tells, from a page of this server");
    }
    return ht_answer_problem(r, MHD_HTTP_UNAUTHORIZED, "unauthorized",
                             verdict == HT_NO_TOKEN ? "a bearer token is needed"
                             : verdict == HT_BAD_CERTIFICATE
                                 ? "a client certificate that is trusted is needed"
                                 : "the token is not valid");
}

/* ORDER: a server without tokens first looks whether a web page is behind the request;
 * then the token. Public pages need none, unless the configuration keeps the manifest
 * private. */
static enum MHD_Result let_in(ht_request *r, bool *answered)
{
    ht_server *s = r->server;
    bool public =
        (r->match.route->flags & HT_PUBLIC) &&
        !(s->options.private_manifest &&
          (r->match.route->page == HT_MANIFEST || r->match.route->page == HT_OPENAPI ||
           r->match.route->page == HT_CARD));
    if (ht_tokens_open_to_all(s->tokens)) {
        enum MHD_Result result = check_stranger(r, answered);
        if (*answered) {
            return result;
        }
    }
    *answered = true;
    bool looks = r->match.route->page == HT_HOME || /* show more to who is known */
                 r->match.route->page == HT_CARD;
    if (!public || looks) {
        ht_verdict verdict = ht_admit(r);
        if (verdict == HT_ASK_PROVIDER && !r->asked && ht_admit_later(r)) {
            return MHD_YES; /* *answered: there is nothing more to do now */
        }
        bool stranger = public && verdict == HT_NO_TOKEN;
        if (verdict != HT_LET_IN && !stranger) {
            return refuse(r, verdict);
        }
        if (!stranger && !ex_quota_take(s->options.executor, r->pass.caller,
                                        EX_QUOTA_REQUESTS, &r->reply.retry_after)) {
            return ht_answer_problem(r, MHD_HTTP_TOO_MANY_REQUESTS, "quota_exceeded",
                                     "the caller's quota of requests is used up");
        }
    }
    *answered = false;
    return MHD_YES;
}

/* With a transfer coding the length is unknown and 0 here; take_body() counts the bytes
 * as they come. */
static enum MHD_Result check_body(ht_request *r, bool *answered)
{
    size_t length = ht_head_length(&r->head, 0);
    bool has = length || r->head.transfer_encoding.ptr;
    *answered = true;
    if (has && !(r->match.route->flags & HT_BODY)) {
        return ht_answer_problem(r, MHD_HTTP_BAD_REQUEST, "bad_request",
                                 "this request takes no body");
    }
    if (length > r->server->options.max_body) {
        return ht_answer_problem(r, MHD_HTTP_CONTENT_TOO_LARGE, "too_large",
                                 "the body is larger than the server takes");
    }
    bool lines = r->match.route->flags & HT_LINES;
    if (has && !(lines ? ht_head_is_lines : ht_head_is_json)(&r->head)) {
        bool access = r->match.route->flags & HT_ACCESS;
        return ht_answer_problem(
            r, access ? MHD_HTTP_BAD_REQUEST : MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
            access ? "bad_request" : "unsupported_media_type",
            lines ? "a batch must be application/jsonl in UTF-8"
                  : "a body must be application/json in UTF-8");
    }
    *answered = false;
    return MHD_YES;
}

/* Once more after the provider was asked, if need be. */
static enum MHD_Result take_in(ht_request *r)
{
    bool answered;
    enum MHD_Result result = let_in(r, &answered);
    return answered ? result : check_body(r, &answered);
}

/* ORDER: well-formed, rate, stopping, route, token, body. What costs least comes first,
 * and nothing is evaluated or stored before the token is known to be good. */
static enum MHD_Result take_head(ht_request *r, const char *method, const char *version)
{
    ht_server *s = r->server;
    atomic_fetch_add_explicit(&s->requests, 1, memory_order_relaxed);
    take_fields(r, method, version);
    give_id(r);
    if (s->exporter || r->head.traceparent.len) {
        tr_trace_begin(&r->trace, r->head.traceparent,
                       s->exporter ? s->options.otlp->sample : 0);
    }
    int64_t now = ht_now_ms();
    if (r->peer) {
        ht_peers_now(s->peers, r->peer, HT_SENDING, now);
    }
    if (!ht_head_check(&r->head)) {
        return ht_answer_problem(r, MHD_HTTP_BAD_REQUEST, "bad_request", r->head.fault);
    }
    if (r->peer && !ht_peers_take(s->peers, r->peer, now)) {
        return ht_answer_problem(r, MHD_HTTP_TOO_MANY_REQUESTS, "rate_limited",
                                 "too many requests from this address");
    }
    if (atomic_load_explicit(&s->draining, memory_order_relaxed)) {
        return ht_answer_problem(r, MHD_HTTP_SERVICE_UNAVAILABLE, "stopping",
                                 "the server is stopping");
    }
    bool answered;
    enum MHD_Result result = find_route(r, &answered);
    return answered ? result : take_in(r);
}

/* A body that turns out too large can be refused only at its end; up to DRAIN bytes
 * are read and dropped for that, then the connection is closed. */
static enum MHD_Result take_body(ht_request *r, const char *data, size_t *size)
{
    if (r->body.len + *size > r->server->options.max_body || r->body_dropped) {
        r->body_dropped += *size;
        if (r->body_dropped > DRAIN) {
            return MHD_NO;
        }
    } else {
        mt_buf_add(&r->body, data, *size);
    }
    *size = 0;
    return MHD_YES;
}

static void take_digest(ht_request *r)
{
    mt_str head = mt_strf(&r->arena, "%.*s %.*s\n", MT_ARG(r->method), MT_ARG(r->uri));
    mt_sha256 digest = mt_sha256_of_two(head, mt_buf_str(&r->body));
    mt_hex(digest.bytes, MT_SHA256_BYTES, r->digest);
}

/* Everything in the call is borrowed from the request, which lives until
 * ht_request_end(). The digest binds an idempotency key to one body: by it the executor
 * knows a key that comes back with another request. */
static void make_call(ht_request *r)
{
    r->call = (ex_call){.action = r->match.route->action,
                        .caller = r->pass.caller,
                        .contract = r->match.contract,
                        .name = r->match.name,
                        .id = r->match.id,
                        .body = mt_buf_str(&r->body),
                        .query = r->target.query,
                        .query_count = r->target.query_count,
                        .people = &r->server->ask,
                        .trace = r->trace.known ? &r->trace : NULL,
                        .must_not_linger = true};
    if (r->head.idempotency_key.ptr) {
        take_digest(r);
        r->call.idempotency_key = r->head.idempotency_key;
        r->call.request_digest = mt_str_from(r->digest, sizeof r->digest);
    }
}

/* An etag that stands in the reply's own room, or anywhere, stands in ours afterwards.
 */
static mt_str moved(mt_str text, char *room, size_t size)
{
    size_t len = text.len < size ? text.len : size;
    if (len) {
        memmove(room, text.ptr, len);
    }
    return mt_str_from(room, len);
}

static void done(void *state, ex_reply *reply);

void ht_request_done(ht_request *r, ex_reply *reply)
{
    done(r, reply);
}

void ht_request_turn_away(ht_request *r)
{
    ex_reply reply = {
        .status = MHD_HTTP_SERVICE_UNAVAILABLE, .problem = true, .code = "stopping"};
    ht_problem_write(&reply.body, reply.status, reply.code,
                     MT_STR("the server is stopping"), r->id);
    done(r, &reply);
}

/* The executor's answer, on any thread. */
static void done(void *state, ex_reply *reply)
{
    ht_request *r = state;
    r->reply = *reply;
    reply->body = (mt_buf){0};
    r->reply.etag = moved(reply->etag, r->reply.etag_room, sizeof r->reply.etag_room);
    r->reply.location = mt_str_dup(&r->arena, reply->location);
    atomic_fetch_sub(&r->server->under_way, 1);
    if (atomic_exchange(&r->stage, HT_DONE) == HT_SUSPENDED) {
        MHD_resume_connection(r->connection);
    }
}

/* The page is made where calls are: it may wait for the store. */
static void make_home(ht_request *r)
{
    ht_server *s = r->server;
    ex_reply reply = {.status = MHD_HTTP_OK};
    ht_home home = {.executor = s->options.executor,
                    .caller = r->pass.caller,
                    .open = ht_tokens_open_to_all(s->tokens),
                    .public_manifest = !s->options.private_manifest,
                    .host = r->head.host,
                    .tls = s->options.tls_cert.len > 0,
                    .login = s->options.oidc &&
                             au_login_provider(s->options.oidc, MT_STR("")).ptr};
    ht_home_write(&reply.body, &home);
    done(r, &reply);
}

void ht_request_call(ht_request *r)
{
    if (r->match.route->page == HT_HOME) {
        make_home(r);
        return;
    }
    if (r->match.route->page == HT_MCP) {
        ht_mcp_hear(r, ht_request_done);
        return;
    }
    ex_executor_call(r->server->options.executor, &r->call, done, r);
}

/* The connection sleeps first, then the word is changed: whoever changes it second
 * finds a connection that can be woken. */
static void sleep_until_done(ht_request *r)
{
    int expected = HT_CALLING;
    MHD_suspend_connection(r->connection);
    if (!atomic_compare_exchange_strong(&r->stage, &expected, HT_SUSPENDED)) {
        MHD_resume_connection(r->connection);
    }
}

/* Suspended before it is given away: a worker may be done before this function returns,
 * and must find a connection it can resume. */
static enum MHD_Result give_to_worker(ht_request *r)
{
    MHD_suspend_connection(r->connection);
    atomic_store(&r->stage, HT_SUSPENDED);
    if (!ht_workers_give(r->server->workers, r)) {
        ex_reply busy = {
            .status = MHD_HTTP_SERVICE_UNAVAILABLE, .problem = true, .code = "busy"};
        ht_problem_write(&busy.body, busy.status, "busy",
                         MT_STR("too many calls are waiting"), r->id);
        done(r, &busy);
    }
    return MHD_YES;
}

/* `under_way` is raised before `stopping` is looked at, while the one who stops does it
 * the other way round: one of the two sees the other. */
static enum MHD_Result start_call(ht_request *r)
{
    make_call(r);
    atomic_fetch_add_explicit(&r->server->calls, 1, memory_order_relaxed);
    atomic_fetch_add(&r->server->under_way, 1);
    if (atomic_load(&r->server->stopping)) { /* the body came too late */
        atomic_fetch_sub(&r->server->under_way, 1);
        return ht_answer_problem(r, MHD_HTTP_SERVICE_UNAVAILABLE, "stopping",
                                 "the server is stopping");
    }
    if (r->peer) {
        ht_peers_now(r->server->peers, r->peer, HT_SERVED, ht_now_ms());
    }
    if (r->server->workers) {
        return give_to_worker(r);
    }
    atomic_store(&r->stage, HT_CALLING);
    ht_request_call(r);
    if (atomic_load(&r->stage) == HT_DONE) {
        return ht_answer_reply(r);
    }
    sleep_until_done(r);
    return MHD_YES;
}

static enum MHD_Result finish(ht_request *r)
{
    if (r->body_dropped) {
        return ht_answer_problem(r, MHD_HTTP_CONTENT_TOO_LARGE, "too_large",
                                 "the body is larger than the server takes");
    }
    ht_page page = r->match.route->page;
    bool call = page == HT_CALL || page == HT_HOME || page == HT_MCP;
    return call ? start_call(r) : ht_page_answer(r);
}

/* The library calls it for the head, for each piece of the body, at its end, and after
 * a resume. What it is about follows from the stage alone. */
enum MHD_Result ht_request_go_on(void *server, struct MHD_Connection *c,
                                 const char *url, const char *method,
                                 const char *version, const char *data, size_t *size,
                                 void **state)
{
    (void)server, (void)c, (void)url;
    ht_request *r = *state;
    if (r->status) {
        return MHD_NO; /* answered: a daemon that stops drops the answer and goes on */
    }
    switch (atomic_load(&r->stage)) {
    case HT_NEW:
        r->method = mt_str_dup(&r->arena, mt_str_z(method));
        r->began_ns = (int64_t)os_clock_ns(CLOCK_MONOTONIC);
        atomic_store_explicit(&r->stage, HT_TAKING, memory_order_relaxed);
        return take_head(r, method, version);
    case HT_TAKING: return *size ? take_body(r, data, size) : finish(r);
    case HT_ADMITTING:
        atomic_store_explicit(&r->stage, HT_TAKING, memory_order_relaxed);
        return take_in(r);
    case HT_DONE: return ht_answer_reply(r);
    default: return MHD_YES; /* woken for nothing */
    }
}

/* The query is left out, of a target that is refused as well: it may carry what a
 * caller did not mean to leave in a log. The token appears by its id, never by its
 * secret. */
static void log_access(const ht_request *r, int64_t ns)
{
    mt_buf fields = {0};
    mt_jw w = mt_jw_start(&fields, false);
    mt_jw_begin_unsorted(&w);
    mt_jw_key_str(&w, "request_id", mt_str_z(r->id));
    mt_jw_key_str(&w, "method", r->method);
    mt_jw_key_str(&w, "path", r->target.path);
    mt_jw_key_i64(&w, "status", r->status);
    mt_jw_key_str(&w, "token", r->pass.caller ? r->pass.caller->id : MT_STR(""));
    mt_jw_key_i64(&w, "micros", ns / 1000);
    if (r->trace.known) {
        char id[2 * TR_ID_BYTES];
        tr_trace_id(&r->trace, id);
        mt_jw_key_str(&w, "trace_id", mt_str_from(id, sizeof id));
    }
    mt_jw_end_object(&w);
    ht_log_write((void *)(uintptr_t)r->server->options.log, HT_INFO, MT_STR("request"),
                 mt_buf_str(&fields));
    mt_buf_free(&fields);
}

/* Its name lives as long as the executor, which may be closed once the server drains.
 */
static mt_str contract_of(const ht_request *r)
{
    return atomic_load(&r->server->draining) ? (mt_str){0} : r->reply.contract;
}

static void count_answer(ht_request *r, uint64_t ns)
{
    ht_server *s = r->server;
    atomic_fetch_add_explicit(&s->answered[r->status / 100], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->unauthorized, r->status == MHD_HTTP_UNAUTHORIZED,
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&s->malformed, r->status == MHD_HTTP_BAD_REQUEST,
                              memory_order_relaxed);
    if (r->match.route &&
        r->match.route->page != HT_EVENTS) { /* as long as one stays */
        ht_figures_request(s->figures, r->match.route, contract_of(r), r->status, ns);
    } else if (!r->match.route) {
        ht_figures_request(s->figures, NULL, (mt_str){0}, r->status, ns);
    }
    if (r->code) {
        ht_figures_refusal(s->figures, r->code);
    }
}

/* What a client sent (a path, a method nobody knows) is in no span. */
static void end_trace(ht_request *r)
{
    tr_trace *t = &r->trace;
    t->request.ended_ns = tr_now_ns();
    t->method = r->match.route ? r->match.route->method : "HTTP";
    t->path = r->match.route ? r->match.route->pattern : "";
    t->status = r->status;
    t->code = r->code;
    tr_name(t->contract, contract_of(r));
    (void)tr_exporter_give(r->server->exporter, t);
}

/* Also for requests that were never answered because the client went away. The buffers
 * go back to the pool, so nothing may point into the request from here on. */
void ht_request_end(void *server, struct MHD_Connection *c, void **state,
                    enum MHD_RequestTerminationCode code)
{
    (void)c, (void)code;
    ht_server *s = server;
    ht_request *r = *state;
    if (!r) {
        return;
    }
    if (r->status >= 100 && r->status < 600 && r->method.ptr) {
        int64_t ns = (int64_t)os_clock_ns(CLOCK_MONOTONIC) - r->began_ns;
        count_answer(r, ns > 0 ? (uint64_t)ns : 0);
        if (s->options.access_log) {
            log_access(r, ns);
        }
    }
    if (r->trace.sampled && s->exporter && r->status) {
        end_trace(r);
    }
    if (r->peer) {
        ht_peers_now(s->peers, r->peer, HT_WAITING, ht_now_ms());
    }
    mt_buf_free(&r->reply.body);
    r->reply.body = (mt_buf){0};
    r->method = (mt_str){0};
    ht_pass_end(&r->pass);
    *state = NULL;
    recycle(s, r);
}

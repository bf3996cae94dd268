/* http/answer.c - answers on their way out: status, header fields, problems.
 *
 * A problem (RFC 9457) says type, title, status, detail, code and the id of the
 * request; `code` is stable and is what programs look at. Every answer has the
 * request's id and what its status demands (WWW-Authenticate, Retry-After, Allow).
 * Entity tags make 304 of a GET that has the answer already; other answers are not to
 * be stored by anybody.
 *
 * The body's memory goes to libmicrohttpd, which frees it after the last byte. MHD_NO
 * means there was no memory for an answer, and the connection is closed. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json_write.h"
#include "http/home.h"
#include "http/server_state.h"

#define JSON_TYPE    "application/json"
#define PROBLEM_TYPE "application/problem+json"

static const char *status_text(int status)
{
    const char *text = MHD_get_reason_phrase_for((unsigned)status);
    return text ? text : "Error";
}

/* RFC 9457. Keys in order. The code goes into `type` without quoting: it is one of our
 * own words, never text of a caller. */
static void write_problem(mt_buf *out, int status, const char *code, mt_str detail,
                          const char *needs, const char *request_id, bool simulation)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "code", mt_str_z(code));
    if (detail.len) {
        mt_jw_key_str(&w, "detail", detail);
    }
    if (needs) {
        mt_jw_keyz(&w, "needs");
        mt_jw_begin_array(&w);
        mt_jw_str(&w, mt_str_z(needs));
        mt_jw_end_array(&w);
    }
    if (request_id) {
        mt_jw_key_str(&w, "request_id", mt_str_z(request_id));
    }
    if (simulation) {
        mt_jw_key_bool(&w, "simulation", true);
    }
    mt_jw_key_i64(&w, "status", status);
    mt_jw_key_str(&w, "title", mt_str_z(status_text(status)));
    mt_jw_keyz(&w, "type");
    mt_buf_addz(w.out, "\"urn:motet:problem:");
    mt_buf_addz(w.out, code);
    mt_buf_addc(w.out, '"');
    w.after_key = w.first = false;
    mt_jw_end_object(&w);
}

void ht_problem_write(mt_buf *out, int status, const char *code, mt_str detail,
                      const char *request_id)
{
    write_problem(out, status, code, detail, NULL, request_id, false);
}

static void add(struct MHD_Response *answer, const char *name, const char *value)
{
    MHD_add_response_header(answer, name, value);
}

static void add_str(ht_request *r, struct MHD_Response *answer, const char *name,
                    mt_str value, const char *quote)
{
    if (value.len) {
        add(answer, name,
            mt_strf(&r->arena, "%s%.*s%s", quote, MT_ARG(value), quote).ptr);
    }
}

static void add_retry(const ht_request *r, struct MHD_Response *answer)
{
    char seconds[16];
    snprintf(seconds, sizeof seconds, "%u",
             r->reply.retry_after ? r->reply.retry_after : 1);
    add(answer, "Retry-After", seconds);
}

/* What a status alone demands. */
static void add_for_status(ht_request *r, int status, struct MHD_Response *answer)
{
    switch (status) {
    case MHD_HTTP_UNAUTHORIZED:
        add(answer, "WWW-Authenticate",
            mt_strf(&r->arena, "Bearer realm=\"motet\"%s%.*s",
                    r->head.authorization.ptr ? ", error=\"invalid_token\"" : "",
                    MT_ARG(ht_mcp_challenge(r)))
                .ptr);
        break;
    case MHD_HTTP_TOO_MANY_REQUESTS:
    case MHD_HTTP_SERVICE_UNAVAILABLE: add_retry(r, answer); break;
    case MHD_HTTP_METHOD_NOT_ALLOWED: add(answer, "Allow", r->match.allow); break;
    default: break;
    }
    if (status == MHD_HTTP_BAD_REQUEST || status == MHD_HTTP_CONTENT_TOO_LARGE ||
        atomic_load_explicit(&r->server->stopping, memory_order_relaxed)) {
        add(answer, "Connection", "close");
    }
}

/* Where a browser goes next, and what it is to keep. */
static void add_login(const ht_request *r, struct MHD_Response *answer)
{
    if (r->redirect.len) {
        add(answer, "Location", r->redirect.ptr);
    }
    for (size_t i = 0; i < r->cookie_count; i++) {
        add(answer, "Set-Cookie", r->cookies[i].ptr);
    }
}

/* What the client calls its request. Of AuthZEN any text is (its section on request
 * identification); elsewhere it is one that is safe wherever it is copied to. */
static const char *told_id(ht_request *r)
{
    mt_str id = r->head.request_id;
    bool any = r->match.route && r->match.route->flags & HT_ACCESS && id.len &&
               id.len <= HT_KEY_BYTES;
    for (size_t i = 0; i < id.len && any; i++) {
        any = id.ptr[i] >= ' ' && id.ptr[i] <= '~';
    }
    return any ? mt_str_dup(&r->arena, id).ptr : r->id;
}

/* Every answer leaves through here, so each has its id and each connection is known to
 * be read from now on. Zero is never a status: r->status also tells that the request
 * was answered. */
enum MHD_Result ht_answer_queue(ht_request *r, int status, struct MHD_Response *answer)
{
    if (!answer) {
        return MHD_NO;
    }
    add(answer, "X-Request-Id", told_id(r));
    if (r->trace.known) {
        char parent[TR_HEADER_BYTES + 1];
        tr_trace_header(&r->trace, parent);
        add(answer, "traceparent", parent);
    }
    add_login(r, answer);
    add_for_status(r, status, answer);
    r->status = status;
    if (r->peer) {
        ht_peers_now(r->server->peers, r->peer, HT_READING, ht_now_ms());
    }
    enum MHD_Result result =
        MHD_queue_response(r->connection, (unsigned)status, answer);
    MHD_destroy_response(answer);
    return result;
}

/* Only what was got can be kept or shown: other answers go without these. */
static void add_cache(const ht_request *r, struct MHD_Response *answer, bool revalidate)
{
    if (mt_str_is(r->method, "GET") || mt_str_is(r->method, "HEAD")) {
        add(answer, "Cache-Control", revalidate ? "no-cache" : "no-store");
        add(answer, "X-Content-Type-Options", "nosniff");
    }
}

/* The bytes go with the answer; libmicrohttpd frees them. */
static struct MHD_Response *from_buf(mt_buf *body, const char *type)
{
    struct MHD_Response *answer = MHD_create_response_from_buffer(
        body->len, body->ptr,
        body->ptr ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
    if (answer) {
        *body = (mt_buf){0};
        add(answer, "Content-Type", type);
    }
    return answer;
}

enum MHD_Result ht_answer_text(ht_request *r, int status, const char *type,
                               mt_buf *body)
{
    struct MHD_Response *answer = from_buf(body, type);
    if (answer) {
        add_cache(r, answer, false);
    }
    return ht_answer_queue(r, status, answer);
}

/* As far as it was read; not more than holds nobody up. */
static bool asks_dry_run(const ht_request *r)
{
    enum { LOOK = 1 << 20 };
    mt_str body = mt_buf_str(&r->body);
    return body.len &&
           ex_asks_dry_run(mt_str_from(body.ptr, body.len < LOOK ? body.len : LOOK));
}

enum MHD_Result ht_answer_problem(ht_request *r, int status, const char *code,
                                  const char *detail)
{
    mt_buf body = {0};
    r->code = code;
    write_problem(&body, status, code, mt_str_z(detail), NULL, r->id, asks_dry_run(r));
    return ht_answer_text(r, status, PROBLEM_TYPE, &body);
}

enum MHD_Result ht_answer_without(ht_request *r, const char *right)
{
    mt_buf body = {0};
    mt_str detail = mt_strf(&r->arena, "the caller lacks the right '%s'", right);
    r->code = "forbidden";
    write_problem(&body, MHD_HTTP_FORBIDDEN, r->code, detail, right, r->id, false);
    return ht_answer_text(r, MHD_HTTP_FORBIDDEN, PROBLEM_TYPE, &body);
}

static bool may_be_unmodified(const ht_request *r, const ex_reply *reply)
{
    return reply->etag.len && reply->status == MHD_HTTP_OK &&
           r->head.if_none_match.ptr && strcmp(r->match.route->method, "GET") == 0 &&
           ht_head_has_etag(&r->head, reply->etag);
}

/* A page for people: nothing in it runs, nothing is loaded, nobody frames it. */
static enum MHD_Result answer_home(ht_request *r)
{
    struct MHD_Response *answer = from_buf(&r->reply.body, "text/html; charset=utf-8");
    if (answer) {
        add(answer, "Content-Security-Policy", ht_home_policy(&r->arena).ptr);
        add(answer, "Referrer-Policy", "no-referrer");
        add(answer, "X-Frame-Options", "DENY");
        add_cache(r, answer, false);
    }
    return ht_answer_queue(r, r->reply.status, answer);
}

/* A body that the client has already is dropped only now: the etag is known after the
 * call, not before. */
enum MHD_Result ht_answer_reply(ht_request *r)
{
    ex_reply *reply = &r->reply;
    int status = reply->status;
    r->code = reply->code;
    if (r->match.route->page == HT_HOME && !reply->problem) {
        return answer_home(r);
    }
    if (may_be_unmodified(r, reply)) {
        status = MHD_HTTP_NOT_MODIFIED;
        mt_buf_free(&reply->body);
        reply->body = (mt_buf){0};
    }
    struct MHD_Response *answer = from_buf(&reply->body, reply->problem ? PROBLEM_TYPE
                                                         : reply->type  ? reply->type
                                                                        : JSON_TYPE);
    if (answer) {
        add_str(r, answer, "ETag", reply->etag, "\"");
        add_str(r, answer, "Location", reply->location, "");
        add_cache(r, answer, reply->etag.len > 0);
        if (reply->replayed) {
            add(answer, "Idempotency-Replayed", "true");
        }
    }
    return ht_answer_queue(r, status, answer);
}

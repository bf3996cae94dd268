/* http/pages.c - what the front door answers by itself: health, figures, discovery.
 * Room: http. */
#include <stdlib.h>

#include "http/server_state.h"

static enum MHD_Result answer_word(ht_request *r, int status, const char *word,
                                   mt_str why)
{
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    if (why.len) {
        mt_jw_key_str(&w, "reason", why);
    }
    mt_jw_key_str(&w, "status", mt_str_z(word));
    mt_jw_end_object(&w);
    return ht_answer_text(r, status, "application/json", &body);
}

static enum MHD_Result answer_ready(ht_request *r)
{
    mt_buf why = {0};
    bool ready = ex_executor_ready(r->server->options.executor, &why);
    enum MHD_Result result =
        answer_word(r, ready ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE,
                    ready ? "ready" : "unavailable", mt_buf_str(&why));
    mt_buf_free(&why);
    return result;
}

static void add_figure(mt_buf *out, const char *name, const char *kind,
                       const char *help, uint64_t value)
{
    mt_buf_addf(out, "# HELP motet_http_%s %s\n# TYPE motet_http_%s %s\nmotet_http_%s ",
                name, help, name, kind, name);
    mt_buf_add_u64(out, value);
    mt_buf_addc(out, '\n');
}

static void add_answers(mt_buf *out, ht_server *s)
{
    mt_buf_addz(out, "# HELP motet_http_answers_total answers by class of status\n"
                     "# TYPE motet_http_answers_total counter\n");
    for (int class = 2; class < 6; class ++) {
        mt_buf_addf(out, "motet_http_answers_total{class=\"%dxx\"} ", class);
        mt_buf_add_u64(out, atomic_load(&s->answered[class]));
        mt_buf_addc(out, '\n');
    }
}

/* Counters are read one by one while the server goes on: they are each exact and
 * together approximate, which Prometheus expects. */
static enum MHD_Result answer_metrics(ht_request *r)
{
    ht_server *s = r->server;
    const ex_caller *who = r->pass.caller;
    if (!ex_caller_may(who, (mt_str){0}, MT_STR("metrics:read"))) {
        return ht_answer_problem(r, MHD_HTTP_FORBIDDEN, "forbidden",
                                 "the right metrics:read is needed");
    }
    mt_buf out = {0};
    ht_peer_counts c;
    ht_peers_count(s->peers, &c);
    add_figure(&out, "requests_total", "counter", "requests received",
               atomic_load(&s->requests));
    add_answers(&out, s);
    add_figure(&out, "calls_under_way", "gauge", "calls not answered yet",
               atomic_load(&s->under_way));
    add_figure(&out, "connections", "gauge", "open connections", c.open);
    add_figure(&out, "connections_total", "counter", "connections taken", c.accepted);
    add_figure(&out, "connections_refused_total", "counter",
               "connections refused because of a limit", c.refused);
    add_figure(&out, "connections_expired_total", "counter",
               "connections closed because they took too long", c.expired);
    add_figure(&out, "connections_evicted_total", "counter",
               "idle connections closed for newcomers", c.evicted);
    add_figure(&out, "requests_limited_total", "counter",
               "requests refused because of the rate", c.limited);
    add_figure(&out, "event_streams", "gauge", "open event streams",
               ht_streams_count(s->streams));
    add_figure(&out, "log_lines_dropped_total", "counter",
               "lines of the log that could not be written",
               ht_log_dropped(s->options.log));
    ex_executor_metrics(s->options.executor, &out);
    return ht_answer_text(r, MHD_HTTP_OK, "text/plain; version=0.0.4; charset=utf-8",
                          &out);
}

static enum MHD_Result answer_openapi(ht_request *r)
{
    mt_buf out = {0};
    ex_executor_openapi(r->server->options.executor, &out);
    return ht_answer_text(r, MHD_HTTP_OK, "application/json", &out);
}

/* §19.3. The manifest is borrowed from the executor between the call and its release,
 * so that a deployment meanwhile does not take it away. */
static enum MHD_Result answer_manifest(ht_request *r)
{
    ex_executor *x = r->server->options.executor;
    ex_manifest m;
    mt_err err = ex_executor_manifest(x, r->match.contract, &m);
    if (err) {
        return ht_answer_problem(r, MHD_HTTP_NOT_FOUND, "not_found",
                                 "no such contract is served");
    }
    r->reply = (ex_reply){.status = MHD_HTTP_OK};
    size_t len =
        m.etag.len < sizeof r->reply.etag_room ? m.etag.len : sizeof r->reply.etag_room;
    memcpy(r->reply.etag_room, m.etag.ptr, len);
    r->reply.etag = mt_str_from(r->reply.etag_room, len);
    if (!ht_head_has_etag(&r->head, r->reply.etag)) {
        mt_buf_adds(&r->reply.body, m.text);
    }
    ex_executor_release(x, &m);
    return ht_answer_reply(r);
}

/* Every page of the table has a case; a new one without is a warning of the
 * compiler. */
enum MHD_Result ht_page_answer(ht_request *r)
{
    switch (r->match.route->page) {
    case HT_HEALTH: return answer_word(r, MHD_HTTP_OK, "alive", MT_STR(""));
    case HT_READY: return answer_ready(r);
    case HT_METRICS: return answer_metrics(r);
    case HT_OPENAPI: return answer_openapi(r);
    case HT_MANIFEST: return answer_manifest(r);
    case HT_EVENTS: return ht_events_answer(r);
    case HT_LOGIN:
    case HT_CALLBACK:
    case HT_LOGOUT:
    case HT_SESSION: return ht_login_answer(r);
    case HT_CALL: break;
    }
    MT_BUG("a route without an answer");
}

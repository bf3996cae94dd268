/* http/pages.c - what the front door answers by itself: health, figures, discovery.
 * Room: http. */
#include <stdlib.h>

#include "http/openapi.h"
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

/* Counters are read one by one while the server goes on: they are each exact and
 * together approximate, which Prometheus expects. */
static enum MHD_Result answer_metrics(ht_request *r)
{
    const ex_caller *who = r->pass.caller;
    if (!ex_caller_may(who, (mt_str){0}, MT_STR("metrics:read"))) {
        return ht_answer_without(r, "metrics:read");
    }
    mt_buf out = {0};
    mt_figures_text text;
    ht_server_tell(r->server, mt_figures_text_start(&text, &out));
    return ht_answer_text(r, MHD_HTTP_OK, "text/plain; version=0.0.4; charset=utf-8",
                          &out);
}

static enum MHD_Result answer_openapi(ht_request *r)
{
    mt_buf out = {0};
    ht_openapi_write(&out, r->server->options.executor);
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
    case HT_MCP_METADATA: return ht_mcp_metadata(r);
    case HT_DECISION_POINT: return ht_answer_decision_point(r);
    case HT_CARD: return ht_answer_card(r);
    case HT_STUDIO: return ht_studio_answer(r);
    case HT_HOME: /* takes the way of a call, since it reads the store */
    case HT_MCP:  /* likewise */
    case HT_CALL: break;
    }
    MT_BUG("a route without an answer");
}

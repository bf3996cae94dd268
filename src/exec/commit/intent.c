/* exec/commit/intent.c - what an episode of a graph wants sent, after its commit.
 * Room: exec. */
#include "base/form.h"
#include "exec/commit/ledger.h"
#include "exec/commit/outbox.h"
#include "exec/machine.h"
#include "exec/voices.h"

/* Why it was given up stands in the row, for whoever looks at dead letters. */
static void keep_reason(ex_job *job, ex_delivery *d)
{
    mt_buf text = {0};
    mt_jw w = mt_jw_start(&text, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "capture", mt_text_at(d->body, "capture"));
    mt_jw_keyz(&w, "fields");
    mt_jw_json(&w, mt_json_at(d->body, "fields"));
    mt_jw_key_str(&w, "graph", mt_text_at(d->body, "graph"));
    mt_jw_key_str(&w, "intent_id", mt_text_at(d->body, "intent_id"));
    mt_jw_key_str(&w, "kind", mt_text_at(d->body, "kind"));
    mt_jw_key_str(&w, "reason", d->reason);
    mt_jw_key_str(&w, "type", MT_STR("intent"));
    mt_jw_end_object(&w);
    d->row.body = mt_str_dup(&job->arena, mt_buf_str(&text));
    mt_buf_free(&text);
}

/* A try that failed but is to be repeated leaves no record; an acknowledgement or the
 * end of all tries does. */
static mt_err intent_commit(ex_job *job, ex_group *g)
{
    ex_delivery *d = job->work;
    bool due, failed;
    mt_err err = ex_delivery_claim(job, g, &due);
    if (err || !due) {
        return err;
    }
    if (d->reason.len && mt_json_at(d->body, "fields")) {
        keep_reason(job, d);
    }
    err = ex_delivery_settle(job, g, &failed);
    if (!err && (failed || !d->reason.len)) {
        mt_jw w = ex_record_begin(g);
        if (!failed) {
            mt_jw_keyz(&w, "ack");
            mt_jw_raw(&w, job->origin);
        }
        mt_jw_key_str(&w, "capture", mt_text_at(d->body, "capture"));
        if (failed) {
            mt_jw_key_str(&w, "failure_reason", d->reason);
        }
        mt_jw_key_str(&w, "graph", mt_text_at(d->body, "graph"));
        mt_jw_key_str(&w, "intent_id", mt_text_at(d->body, "intent_id"));
        mt_jw_key_str(&w, "kind", MT_STR("intent"));
        mt_jw_key_str(&w, "status", failed ? MT_STR("failed") : MT_STR("accepted"));
        ex_record_time(&w, g);
        ex_record r = {.kind = "intent", .subject = mt_text_at(d->body, "graph")};
        int64_t ignored;
        err = ex_record_end(g, &w, &r, &ignored);
    }
    mt_jw w = ex_reply_with(job, 200);
    ex_reply_end(&w);
    return err;
}

static const ex_handler INTENT = {.commit = intent_commit};

/* The channel is another program: it is asked here, and only here, on the outbox's own
 * thread. It may hear of an intent twice when the process dies in between; the intent's
 * id tells. */
void ex_intent_send(ex_job *job)
{
    static const ex_caller NOBODY = {0};
    ex_delivery *d = job->work;
    ex_call *call = mt_new(&job->arena, ex_call);
    mt_buf ack = {0}, why = {0};
    *call = (ex_call){.action = EX_GRAPH_EVENT, .caller = &NOBODY};
    job->call = call;
    job->handler = &INTENT;
    ho_graph_service *g = ex_graph_named(job->x, mt_text_at(d->body, "graph"));
    mt_err err = g ? ho_graph_service_deliver(g, d->body, &ack, &why) : MT_E_REJECTED;
    if (err) {
        d->transient = err == MT_E_CLOSED || (!g && job->x->shared); /* by others */
        d->reason = why.len ? mt_str_dup(&job->arena, mt_buf_str(&why))
                            : MT_STR("the graph is not served");
    }
    ex_intent_sent(job->x, mt_text_at(d->body, "graph"), err ? d->reason : (mt_str){0});
    job->origin = mt_str_dup(&job->arena, mt_buf_str(&ack));
    mt_buf_free(&ack);
    mt_buf_free(&why);
    ex_enqueue(job);
}

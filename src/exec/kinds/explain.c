/* exec/kinds/explain.c - why a verdict, an operation or a flow is as it is.
 * Room: exec.
 * Only reads: facts are gathered and evaluated as for an operation, and the reason is
 * told down to the facts it rests on, as `motet explain` does, with every other reason
 * and what would have to change. That takes long, so it is left to a worker. The body
 * names one of `verdict`, `operation` and `flow`. Of an operation the states of bound
 * instances are asked about, of a flow those of all. A persona has to be held by the
 * caller: what somebody else could do is not told. May fail: as any request, the store.
 */
#include "exec/kinds/explain.h"

#include "analyze/explain/explain.h"
#include "exec/call/facts.h"
#include "exec/call/request.h"
#include "exec/call/rights.h"
#include "exec/call/states.h"

static uint32_t find(const ex_job *job, ct_kind kind, mt_str name)
{
    return ct_model_find(job->v->model, kind, name);
}

/* With unknown facts the answer is what the verdict depends on. */
static bool explain_verdict(ex_job *job)
{
    uint32_t rule = find(job, CT_KIND_VERDICT, job->request.verdict);
    if (rule == CT_NONE) {
        return ex_refuse(job, EX_NOT_FOUND, "no rule produces verdict '%.*s'",
                         MT_ARG(job->request.verdict));
    }
    (void)ex_reply_body(job, 200);
    if (job->unknown) {
        an_explain_verdict_partly_json(&job->reply.body, job->snap->partial, rule);
    } else {
        ct_frozen z = ex_frozen(job);
        an_explain_verdict_json(&job->reply.body, &z, rule, ex_partial_room(job));
    }
    return true;
}

/* Without bindings nothing is said about states. */
static bool explain_operation(ex_job *job)
{
    uint32_t op = find(job, CT_KIND_OPERATION, job->request.operation);
    if (op == CT_NONE) {
        return ex_refuse(job, EX_UNKNOWN_OPERATION, "no operation '%.*s'",
                         MT_ARG(job->request.operation));
    }
    if (job->unknown) {
        (void)ex_reply_body(job, 200);
        an_explain_operation_partly_json(&job->reply.body, job->snap->partial, op);
        return true;
    }
    bool bound = job->request.bindings && job->request.bindings->count;
    mt_err err = bound ? ex_states_read(job) : MT_OK;
    if (err) {
        return ex_refuse_store(job, err);
    }
    ct_frozen z = ex_frozen(job);
    an_try what = {.operation = op,
                   .persona = job->request.persona,
                   .states = bound ? job->snap->states : NULL,
                   .instances = bound ? job->snap->instances : NULL};
    (void)ex_reply_body(job, 200);
    an_explain_operation_json(&job->reply.body, &z, &what, ex_partial_room(job));
    return true;
}

/* States of all instances are read, since any of them may be what a flow could begin
 * with. */
static bool explain_flow(ex_job *job)
{
    bool open;
    ct_states states;
    uint32_t flow = find(job, CT_KIND_FLOW, job->request.flow);
    if (flow == CT_NONE) {
        return ex_refuse(job, EX_UNKNOWN_FLOW, "no flow '%.*s'",
                         MT_ARG(job->request.flow));
    }
    if (job->unknown) {
        return ex_refuse(job, EX_BAD_REQUEST,
                         "ask for actions where facts are unknown");
    }
    if (ex_refused_all_states(job, &states)) {
        return true;
    }
    ct_frozen z = ex_frozen(job);
    (void)ex_reply_body(job, 200);
    an_explain_flow_json(&job->reply.body, &z, &states, flow, job->request.persona,
                         ex_partial_room(job), &open);
    return true;
}

/* Facts that were unknown because the caller may not read them, as evaluate tells. */
static void add_hidden(ex_job *job)
{
    mt_json said;
    mt_buf *body = &job->reply.body, out = {0};
    if (!job->hidden || job->reply.problem ||
        mt_json_read(&job->arena, mt_str_dup(&job->arena, mt_buf_str(body)), NULL,
                     &said, NULL)) {
        return;
    }
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_unsorted(&w);
    bool told = false;
    for (uint32_t i = 0; i < said.count; i++) {
        if (!told && mt_str_cmp(said.as.members[i].key, MT_STR("hidden")) > 0) {
            ex_hidden_json(&w, job);
            told = true;
        }
        mt_jw_key(&w, said.as.members[i].key);
        mt_jw_json(&w, &said.as.members[i].value);
    }
    if (!told) {
        ex_hidden_json(&w, job);
    }
    mt_jw_end_object(&w);
    mt_buf_free(body);
    *body = out;
}

static bool explain(ex_job *job)
{
    const ex_request *r = &job->request;
    return r->verdict.len     ? explain_verdict(job)
           : r->operation.len ? explain_operation(job)
                              : explain_flow(job);
}

bool ex_explain(ex_job *job)
{
    if (ex_refused_contract(job) || ex_refused_request(job)) {
        return true;
    }
    const ex_request *r = &job->request;
    if (!!r->verdict.len + !!r->operation.len + !!r->flow.len != 1) {
        return ex_refuse(job, EX_BAD_REQUEST,
                         "name one of `verdict`, `operation` and `flow`");
    }
    bool acts = r->flow.len || (r->operation.len && r->persona.len);
    if (acts ? ex_refused_unless_held(job) || ex_refused_unless_seen(job)
             : ex_refused_without(job, job->v->contract, MT_STR("evaluate"))) {
        return true;
    }
    job->snap = ex_snap_take(job->v);
    if (ex_refused_bindings(job) || ex_refused_facts(job)) {
        return true;
    }
    bool done = explain(job);
    add_hidden(job);
    return done;
}

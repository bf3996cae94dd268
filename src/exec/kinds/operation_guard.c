/* exec/kinds/operation_guard.c - an operation whose effect a tool of another server
 * has: decided before the tool is called, done when it is known what became of it.
 * Room: exec. What is written: commit/tool_call.c; a flow: kinds/flow_guard.c.
 * With `commits_before` the operation is done with the permission, and the end only
 * says what became of the tool. A tool that no row of the map names has no meaning: it
 * is refused, or passes with its record.
 * May fail: the store. */
#include "exec/call/facts.h"
#include "exec/call/request.h"
#include "exec/commit/distinct.h"
#include "exec/commit/effects.h"
#include "exec/commit/tool_call.h"
#include "exec/evidence/guarded.h"
#include "exec/kinds/operation.h"
#include "exec/machine.h"

/* ---- Begin ---- */

static bool refuse_unmapped(ex_job *job)
{
    return ex_refuse(job, EX_UNKNOWN_OPERATION,
                     "the map says of no operation that the tool '%.*s' is it",
                     MT_ARG(job->call->guarded->tool));
}

/* Nothing is decided but that it has no row. */
static bool prepare_unmapped(ex_job *job)
{
    job->what = CT_NONE;
    return ex_refused_contract(job) || ex_refused_request(job) ||
           (!job->call->guarded->passes && refuse_unmapped(job));
}

/* `guard_json` is made first: a refusal has it in its record, too. The facts are kept
 * as text, for the end of the call, which may come much later. */
bool ex_guard_begin_prepare(ex_job *job)
{
    job->guard_json = ex_tool_json(job, (mt_str){0}, "refused", (mt_str){0});
    if (!job->call->name.len) {
        return prepare_unmapped(job);
    }
    if (ex_operation_prepare(job)) {
        return true;
    }
    mt_buf facts = {0};
    ex_facts_json(&facts, job->v, job->snap);
    job->facts_json = mt_str_dup(&job->arena, mt_buf_str(&facts));
    mt_buf_free(&facts);
    return false;
}

/* A tool without a meaning has no instances to claim. */
void ex_guard_claim(ex_job *job, ex_group *g)
{
    if (job->snap) {
        ex_claim_bound(job, g);
    }
}

/* Done already, and recorded as an operation is; the tool is called afterwards.
 * `closes`: nobody will come back to say how it ended, so no call is kept open. */
static mt_err commit_before(ex_job *job, ex_group *g, const ct_attempt *a, mt_str call)
{
    int64_t number;
    bool closes = job->call->guarded->closes;
    job->guard_json =
        ex_tool_json(job, closes ? (mt_str){0} : call, "allowed", (mt_str){0});
    mt_err err = ex_operation_do(job, g, a, &number);
    if (!err && !closes) {
        err = ex_tool_keep(job, g, call, EX_CALL_COMMITTED, number);
    }
    if (!err) {
        ex_tool_reply(job, call, EX_CALL_COMMITTED, number);
    }
    return err;
}

/* Several outcomes match, and the tool's result is to say which. */
static bool is_open(const ex_job *job, const ct_attempt *a)
{
    return a->error == CT_OP_AMBIGUOUS && job->call->guarded->outcome_later &&
           !job->call->guarded->commits_before;
}

/* The order of an operation that is done (kinds/operation.c), up to where that would
 * move the states: here they are only held until the tool has answered. */
mt_err ex_guard_begin_commit(ex_job *job, ex_group *g)
{
    mt_str call = ex_new_id(&job->arena, "g");
    if (job->what == CT_NONE) {
        return ex_tool_allow(job, g, call);
    }
    ex_group_states(job, g);
    ct_attempt a = ex_operation_try(job);
    if (ex_needs_no_state(&a)) {
        ex_refuse_attempt(job, &a);
        return MT_OK;
    }
    if (ex_refused_unless_current(job) || ex_refused_unless_versions(job)) {
        return MT_OK;
    }
    mt_err err = ex_held_refused(job, g, job->what);
    if (err || job->answered) {
        return err;
    }
    if (a.error && !is_open(job, &a)) {
        ex_refuse_attempt(job, &a);
        return MT_OK;
    }
    ex_act act = ex_operation_act(job);
    err = ex_distinct_refused(job, g->tx, &act, true);
    if (err || job->answered) {
        return err;
    }
    return job->call->guarded->commits_before ? commit_before(job, g, &a, call)
                                              : ex_tool_allow(job, g, call);
}

/* ---- End ---- */

/* A flow's end is its kind's. */
bool ex_guard_end_prepare(ex_job *job)
{
    if (ex_refused_tool_call(job)) {
        return true;
    }
    if (job->guards_flow) {
        job->handler = &EX_HANDLERS[EX_GUARD_FLOW_END];
        return job->handler->prepare(job);
    }
    return false;
}

/* Tried again on the states as they are now. If they do not allow it any more, what the
 * tool did cannot be recorded as done: the call is then one whose outcome is not known,
 * with the reason. */
static mt_err end_operation(ex_job *job, ex_group *g)
{
    int64_t number;
    ex_group_states(job, g);
    ct_attempt a = ex_operation_try(job);
    if (a.error) {
        mt_buf why = {0};
        ct_op_error_text(&why, job->v->plan, job->what, job->request.persona, &a,
                         a.entity == CT_NONE ? (mt_str){0}
                                             : job->snap->instances[a.entity]);
        mt_str text = mt_str_dup(&job->arena, mt_buf_str(&why));
        mt_buf_free(&why);
        return ex_tool_unknown(job, g, text);
    }
    mt_err err = ex_operation_do(job, g, &a, &number);
    err = err ? err : ex_tool_forget(job, g);
    if (!err) {
        ex_tool_reply(job, job->call->id, "done", number);
    }
    return err;
}

mt_err ex_guard_end_commit(ex_job *job, ex_group *g)
{
    return ex_tool_end(job, g, end_operation);
}

/* exec/kinds/flow_guard.c - a flow that a tool of another server stands for: decided
 * before the tool is called, begun when it is known that the tool did it.
 * Room: exec. What is written: commit/tool_call.c; an operation:
 * kinds/operation_guard.c.
 * It is decided by its beginning: who calls can do its first operation now, and the
 * flow does not fail as far as nobody else is needed. Every instance that it is bound
 * to is claimed until the end, so the end does what was seen: its first turn, with the
 * facts of then. From there on it is a flow like any other; it may wait for somebody
 * else, and holds nothing. With `commits_before` it begins with the permission.
 * INVARIANT: the call is over with the first turn, in one transaction; later turns are
 * the flow's alone. May fail: the store. */
#include "exec/call/states.h"
#include "exec/commit/effects.h"
#include "exec/commit/tool_call.h"
#include "exec/evidence/guarded.h"
#include "exec/kinds/flow.h"
#include "exec/machine.h"

/* ---- Begin ---- */

bool ex_guard_flow_prepare(ex_job *job)
{
    job->guards_flow = true;
    job->guard_json = ex_tool_json(job, (mt_str){0}, "refused", (mt_str){0});
    return ex_flow_start_prepare(job);
}

void ex_guard_flow_claim(ex_job *job, ex_group *g)
{
    if (job->snap) {
        ex_flow_start_claim(job, g);
    }
}

/* It gives its own reply, when it has come as far as it comes now. */
static mt_err commit_before(ex_job *job, ex_group *g, mt_str call)
{
    int64_t number;
    bool closes = job->call->guarded->closes;
    job->guard_json =
        ex_tool_json(job, closes ? (mt_str){0} : call, "allowed", (mt_str){0});
    job->guard_call = call;
    mt_err err = ex_flow_first_turn(job, g, &number);
    return err || closes ? err : ex_tool_keep(job, g, call, EX_CALL_COMMITTED, number);
}

/* Also later turns of a flow that was begun with the permission come here. */
mt_err ex_guard_flow_commit(ex_job *job, ex_group *g)
{
    mt_str call = ex_new_id(&job->arena, "g");
    const ex_guarded *c = job->call->guarded;
    if (!job->flow_is_new) {
        return ex_flow_continue(job, g);
    }
    ex_group_states(job, g);
    ex_states_assume(job); /* why else it is refused tells more than what is missing */
    if (ex_refused_unless_current(job) || ex_refused_start(job)) {
        return MT_OK;
    }
    mt_err err = ex_held_refused(job, g, CT_NONE);
    if (!err && !job->answered) {
        err = ex_flow_entry_refused(job, g, c->outcome_later && !c->commits_before);
    }
    ex_group_states(job, g);
    if (err || job->answered || ex_refused_start(job)) {
        return err;
    }
    return c->commits_before ? commit_before(job, g, call)
                             : ex_tool_allow(job, g, call);
}

/* ---- End ---- */

bool ex_guard_flow_end_prepare(ex_job *job)
{
    job->flow_id = ex_new_id(&job->arena, "f");
    job->flow_is_new = true;
    return false;
}

/* Why the job was just refused, which is not its answer. */
static mt_str take_refusal(ex_job *job)
{
    mt_json tree = {.type = MT_JSON_NULL};
    mt_str text = mt_str_dup(&job->arena, mt_buf_str(&job->reply.body));
    (void)mt_json_read(&job->arena, text, NULL, &tree, NULL);
    job->answered = job->reply.problem = false;
    return mt_text_at(&tree, "detail");
}

/* It gives its own reply, when it has come as far as it comes now. */
static mt_err end_flow(ex_job *job, ex_group *g)
{
    int64_t number;
    ex_group_states(job, g);
    if (ex_refused_outcome_names(
            job)) { /* the tool's words may be as long as it likes */
        (void)take_refusal(job);
        return ex_tool_unknown(job, g,
                               MT_STR("no step has the outcome that was named"));
    }
    mt_err err = ex_flow_entry_refused(job, g, false);
    if (!err && job->answered) {
        return ex_tool_unknown(job, g, take_refusal(job));
    }
    job->guard_call = job->call->id;
    err = err ? err : ex_flow_first_turn(job, g, &number);
    return err ? err : ex_tool_forget(job, g);
}

/* Also later turns of it come here. */
mt_err ex_guard_flow_end_commit(ex_job *job, ex_group *g)
{
    return job->resumed ? ex_flow_continue(job, g) : ex_tool_end(job, g, end_flow);
}

/* exec/kinds/flow_resume.c - flows that wait: taken up by who holds the persona, or
 * ended.
 * Room: exec. A flow that was running when a process died comes here too, without a
 * caller (commit/recover.c): it goes on with the authority its caller had.
 * INVARIANT: whoever is refused leaves the flow where it is. */
#include <stdlib.h>

#include "exec/call/request.h"
#include "exec/call/rights.h"
#include "exec/call/states.h"
#include "exec/commit/effects.h"
#include "exec/commit/tool_call.h"
#include "exec/kinds/flow.h"

/* ---- Preparing ---- */

static bool is_seen(const ex_job *job, const st_flow *row)
{
    return job->internal || mt_str_eq(job->call->caller->id, row->initiator) ||
           ex_may_see(job, row->contract);
}

/* Who holds no persona at all resumes nothing, and leaves nothing behind by trying. */
static bool refused_without_persona(ex_job *job)
{
    const ex_caller *who = job->call->caller;
    return !who->anyone && !who->persona_count &&
           ex_refuse(job, EX_FORBIDDEN,
                     "the caller holds no persona, so no flow waits "
                     "for it");
}

/* May the caller resume the flow? */
static bool refused_resume(ex_job *job, const st_flow *row)
{
    if (!mt_str_is(row->status, "waiting")) {
        return ex_refuse(job, EX_NOT_RESUMABLE,
                         "flow execution '%.*s' is %.*s, not waiting", MT_ARG(row->id),
                         MT_ARG(row->status));
    }
    if (ex_caller_holds(job->call->caller, row->contract, row->waiting_persona)) {
        return false;
    }
    mt_jw w =
        ex_problem_open(job, EX_PERSONA_NOT_HELD,
                        mt_strf(&job->arena, "the flow waits for the persona '%.*s'",
                                MT_ARG(row->waiting_persona)));
    mt_jw_key_str(&w, "persona", row->waiting_persona);
    mt_jw_key_str(&w, "step", row->waiting_step);
    return ex_problem_close(&w);
}

/* Reads the row and the states as they are, without a lock: the answer is true of that
 * moment. */
static bool dry_run(ex_job *job)
{
    st_flow row;
    mt_err err = ex_flow_read(job, job->flow_id, &row);
    if (err || !is_seen(job, &row)) {
        return !err || err == MT_E_NOTFOUND ? ex_refuse_execution(job, job->flow_id)
                                            : ex_refuse_store(job, err);
    }
    atomic_fetch_add_explicit(&job->x->metrics.dry_runs, 1, memory_order_relaxed);
    if (refused_resume(job, &row) || ex_refused_restore(job, &row)) {
        return true;
    }
    err = ex_states_read(job);
    return err ? ex_refuse_store(job, err) : ex_flow_resume_dry_run(job, &row);
}

/* Will the flow go on, so that its snapshot is needed? Nothing is evaluated for who
 * will be refused. */
static bool goes_on(const ex_job *job, const st_flow *row)
{
    return job->internal
               ? mt_str_is(row->status, "running")
               : job->resumed || (mt_str_is(row->status, "waiting") &&
                                  ex_caller_holds(job->call->caller, row->contract,
                                                  row->waiting_persona));
}

/* What takes long is done before the committer has the flow; whatever else there is to
 * say about it, the committer says. True: answered, or to be done elsewhere. */
static bool think_first(ex_job *job)
{
    st_flow row;
    if (ex_flow_read(job, job->flow_id, &row) || !goes_on(job, &row)) {
        return false;
    }
    job->thought = !ex_refused_restore(job, &row);
    return !job->thought;
}

/* Nothing is read here in the usual case: the committer reads the row under its lock.
 * Only where evaluations may take long a worker restores the snapshot first. */
bool ex_flow_resume_prepare(ex_job *job)
{
    job->flow_id = job->call->id;
    if (refused_without_persona(job) || ex_refused_request(job)) {
        return true;
    }
    return job->simulation ? dry_run(job)
                           : atomic_load(&job->x->may_be_long) && think_first(job);
}

/* On a worker, between two turns: the committer found that evaluating would take long
 * and does not do it itself. What is read here without a lock is looked at again in the
 * group. A flow that is gone is left to the group to refuse. */
void ex_flow_think(ex_job *job)
{
    st_flow row;
    job->unthought = job->in_group = false;
    job->on_worker = true;
    job->deadline = NULL;
    mt_err err = ex_flow_read(job, job->flow_id, &row);
    if (!err) {
        job->thought = !ex_refused_restore(job, &row);
    }
    if (err && err != MT_E_NOTFOUND) {
        ex_refuse_store(job, err);
    }
    (job->answered ? ex_answer : ex_enqueue)(job);
}

bool ex_flow_cancel_prepare(ex_job *job)
{
    job->flow_id = job->call->id;
    return ex_refused_request(job) ||
           (job->simulation &&
            ex_refuse(job, EX_BAD_REQUEST, "cancelling a flow has no dry run"));
}

/* The version it runs under, its snapshot and what it is bound to. */
void ex_flow_resume_claim(ex_job *job, ex_group *g)
{
    ex_flow_row *f = ex_flow_of(g, job->flow_id);
    if (f && f->found && goes_on(job, &f->row)) {
        ex_flow_claim(job, g, &f->row);
    }
}

/* ---- Resuming ---- */

/* The row as the group locked it; NULL: the job is answered. A flow that does not
 * concern the caller is not there for it. */
static ex_flow_row *find_row(ex_job *job, ex_group *g)
{
    ex_flow_row *f = ex_flow_of(g, job->flow_id);
    if (f && f->found && is_seen(job, &f->row)) {
        return f;
    }
    ex_refuse_execution(job, job->flow_id);
    return NULL;
}

/* Whose call it was when the flow began to run: written down with the position. */
static const ex_caller *acting(ex_job *job, const st_flow *row)
{
    mt_arena *a = &job->arena;
    mt_json *tree = mt_new(a, mt_json);
    if (mt_json_read(a, mt_str_dup(a, row->extra), NULL, tree, NULL)) {
        return mt_new(a, ex_caller);
    }
    return ex_acting_read(a, mt_json_at(tree, "acting"));
}

/* Only within this group has the flow come to where it goes on: the next one claims
 * what that takes. */
static bool is_too_soon(ex_job *job)
{
    job->put_off = !job->snap;
    return job->put_off;
}

/* After a crash, without a caller: the flow goes on with the authority recorded in its
 * row. One that is not running any more was taken up by somebody else, or ended, before
 * us. */
static mt_err recover(ex_job *job, ex_group *g, ex_flow_row *f)
{
    if (!mt_str_is(f->row.status, "running")) {
        ex_reply_flow(job, &f->row, EX_NO_RECORD);
        return MT_OK;
    }
    if (is_too_soon(job)) {
        return MT_OK;
    }
    ex_call *call = (ex_call *)job->work;
    call->caller = acting(job, &f->row);
    return ex_flow_turn(job, g, f, call->caller);
}

/* The same function for a first resume, for later turns of it, and for the recovery;
 * the flags of the job tell which. */
mt_err ex_flow_resume_commit(ex_job *job, ex_group *g)
{
    ex_flow_row *f = find_row(job, g);
    if (job->answered) {
        return MT_OK;
    }
    if (job->internal) {
        return recover(job, g, f);
    }
    if (job->resumed) {
        return ex_flow_continue(job, g);
    }
    if (refused_resume(job, &f->row) || is_too_soon(job)) {
        return MT_OK;
    }
    mt_err err = ex_held_refused(job, g, CT_NONE);
    return err || job->answered ? err : ex_flow_turn(job, g, f, job->call->caller);
}

/* ---- Cancelling ---- */

static bool may_cancel(const ex_job *job, const st_flow *row)
{
    const ex_caller *c = job->call->caller;
    return ex_caller_may(c, row->contract, MT_STR("admin")) ||
           (c->id.len && mt_str_eq(c->id, row->initiator));
}

/* A cancelled flow compensates nothing and its instances stay where they are; the
 * record says who ended it and why. The row is copied and only put back when everything
 * was written, so a later job of the group does not see what failed. */
mt_err ex_flow_cancel_commit(ex_job *job, ex_group *g)
{
    ex_flow_row *f = find_row(job, g);
    mt_err err;
    if (!f) {
        return MT_OK;
    }
    if (!may_cancel(job, &f->row)) {
        ex_refuse(job, EX_FORBIDDEN,
                  "only who began the flow, or an admin, cancels it");
        return MT_OK;
    }
    if (!mt_str_is(f->row.status, "waiting") && !mt_str_is(f->row.status, "running")) {
        ex_refuse(job, EX_NOT_RESUMABLE, "flow execution '%.*s' is %.*s already",
                  MT_ARG(f->row.id), MT_ARG(f->row.status));
        return MT_OK;
    }
    job->v = ex_version_with(job->x, f->row.contract, f->row.etag, &err);
    if (!job->v) {
        return err;
    }
    int64_t record;
    st_flow row = f->row;
    row.status = MT_STR("cancelled");
    row.waiting_step = row.waiting_persona = MT_STR("");
    row.updated_ms = g->now_ms;
    row.version++;
    err = st_flow_put(g->tx, &row);
    ex_flow_end end = {.row = &row, .v = job->v, .error = job->request.reason};
    err = err ? err : ex_flow_ended(job, g, &end, &record);
    if (!err) {
        f->row = row;
        ex_reply_flow(job, &f->row, record);
    }
    return err;
}

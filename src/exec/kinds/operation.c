/* exec/kinds/operation.c - one operation, alone: its whole way, in the order it goes.
 * Room: exec.
 *
 *     on the caller's thread (or a worker's)
 *       what is asked     contract, body, operation
 *       who asks          the persona is held, and allowed (step 1 of §9.3)
 *       on what           bindings; facts, gathered and evaluated once
 *       refused early     whatever needs no state; a dry run ends here
 *     in the group, with the committer
 *       claimed           every bound instance is locked
 *       tried             on the live states; expected versions, current contract
 *       done              instances move, the record is written, the reply is made
 *
 * The sequence of §9.3 is the engine's (ct_op_try): persona, precondition, outcome; it
 * is pure, so it is tried as often as need be. What is said of it: operation_words.c.
 * INVARIANT: a refusal and a dry run have written nothing. May fail: the store. */
#include "exec/kinds/operation.h"

#include "exec/call/facts.h"
#include "exec/call/request.h"
#include "exec/call/rights.h"
#include "exec/call/states.h"
#include "exec/commit/distinct.h"
#include "exec/commit/effects.h"
#include "exec/commit/shadow.h"
#include "exec/commit/tool_call.h"

/* ---- What is asked ---- */

static bool refused_operation(ex_job *job)
{
    job->what = ct_model_find(job->v->model, CT_KIND_OPERATION, job->call->name);
    return job->what == CT_NONE &&
           ex_refuse(job, EX_UNKNOWN_OPERATION, "the contract has no operation '%.*s'",
                     MT_ARG(job->call->name));
}

/* ---- Who asks ---- */

static ct_attempt attempt_with(ct_op_error error)
{
    return (ct_attempt){
        .error = error, .outcome = CT_NONE, .entity = CT_NONE, .state = CT_NONE};
}

/* Step (1) comes before anything the caller could learn from. */
static bool refused_unless_allowed(ex_job *job)
{
    const ct_plan_op *op = &job->v->plan->ops[job->what];
    ct_attempt a = attempt_with(CT_OP_PERSONA);
    bool allowed = job->persona != CT_NONE && ct_bit(op->allowed, job->persona);
    return !allowed && ex_refuse_attempt(job, &a);
}

/* ---- On what ---- */

/* Effects need instances; facts and verdicts do not. */
static bool refused_unless_bound(ex_job *job)
{
    const ct_model *m = job->v->model;
    const ct_operation *op = &m->operations[job->what];
    for (uint32_t i = 0; i < op->effect_count; i++) {
        uint32_t e = op->effects[i].entity;
        if (!job->snap->instances[e].ptr) {
            return ex_refuse(job, EX_MISSING_BINDING,
                             "operation '%.*s' changes entity '%.*s', which `bindings` "
                             "binds to no instance",
                             MT_ARG(op->id), MT_ARG(m->entities[e].id));
        }
    }
    return false;
}

/* ---- Tried ---- */

/* On the states that the snap has. An outcome that the operation does not have is told
 * only to who could have named one. */
ct_attempt ex_operation_try(ex_job *job)
{
    const mt_json *named = job->request.outcome;
    uint32_t outcome =
        named ? ct_plan_outcome_named(job->v->plan, job->what, mt_json_text(named))
              : CT_NONE;
    ct_attempt a;
    ct_frozen z = ex_frozen(job);
    ct_op_try(&z, job->what, job->persona, job->snap->states, outcome, &job->arena, &a,
              job->snap->changes);
    bool unknown = named && outcome == CT_NONE;
    return unknown && (!a.error || a.error > CT_OP_EVALUATION)
               ? attempt_with(CT_OP_OUTCOME)
               : a;
}

/* Persona and precondition need no state. */
bool ex_needs_no_state(const ct_attempt *a)
{
    return a->error == CT_OP_PERSONA || a->error == CT_OP_PRECONDITION ||
           a->error == CT_OP_EVALUATION || a->error == CT_OP_OUTCOME;
}

/* Such a refusal need not wait for the committer, unless a shadow is to see the same
 * states as this contract. */
static bool refused_early(ex_job *job)
{
    ct_attempt a = ex_operation_try(job);
    return ex_needs_no_state(&a) && !ex_shadows(job->x, job->v) &&
           ex_refuse_attempt(job, &a);
}

ex_act ex_operation_act(const ex_job *job)
{
    return (ex_act){
        .persona = job->request.persona, .who = ex_caller_id(job), .op = job->what};
}

/* States as the readers' cache or the store has them; nothing is locked, nothing is
 * written. */
static bool dry_run(ex_job *job)
{
    atomic_fetch_add_explicit(&job->x->metrics.dry_runs, 1, memory_order_relaxed);
    mt_err err = ex_states_read(job);
    if (err) {
        return ex_refuse_store(job, err);
    }
    if (ex_refused_unless_versions(job)) {
        return true;
    }
    ex_states_assume(job);
    ct_attempt a = ex_operation_try(job);
    if (a.error) {
        return ex_refuse_attempt(job, &a);
    }
    ex_act act = ex_operation_act(job);
    err = ex_distinct_refused(job, NULL, &act, false);
    if (err || job->answered) {
        return err ? ex_refuse_store(job, err) : true;
    }
    if (job->only_may) {
        (void)ex_reply_body(job, 200);
    } else {
        ex_reply_operation(job, &a, EX_NO_RECORD);
    }
    return true;
}

/* ORDER: what costs least first. The persona is checked before facts are fetched, so a
 * stranger does not make the server call others. */
bool ex_operation_prepare(ex_job *job)
{
    if (ex_refused_contract(job) || ex_refused_request(job) || refused_operation(job) ||
        ex_refused_unless_held(job)) {
        return true;
    }
    job->snap = ex_snap_take(job->v);
    if (refused_unless_allowed(job) || ex_refused_bindings(job) ||
        refused_unless_bound(job) || ex_refused_facts(job) || refused_early(job)) {
        return true;
    }
    return job->simulation && dry_run(job);
}

/* ---- In the group ---- */

void ex_operation_claim(ex_job *job, ex_group *g)
{
    ex_claim_bound(job, g);
}

static mt_err refuse(ex_job *job, ex_group *g, const ct_attempt *a)
{
    ex_refuse_attempt(job, a);
    return ex_shadows(job->x, job->v) ? ex_shadow_refusal(job, g, a) : MT_OK;
}

/* Effects first: the record says which versions they made. */
mt_err ex_operation_do(ex_job *job, ex_group *g, const ct_attempt *a, int64_t *record)
{
    ex_effects f = {.v = job->v,
                    .changes = job->snap->changes,
                    .count = a->change_count,
                    .instances = job->snap->instances,
                    .operation = ct_operation_id(job->v->plan, job->what)};
    mt_err err = ex_apply(g, &f);
    ex_act act = ex_operation_act(job);
    err = err ? err : ex_record_operation(job, g, a, &f, record);
    return err ? err : ex_distinct_note(job, g, &act, f.changes, f.count, *record);
}

static mt_err do_it(ex_job *job, ex_group *g, const ct_attempt *a)
{
    int64_t record = EX_NO_RECORD;
    mt_err err = ex_operation_do(job, g, a, &record);
    if (!err) {
        ex_group_states(job, g); /* versions as they are now */
        ex_reply_operation(job, a, record);
    }
    return err;
}

/* Tried on the locked states: what was found when preparing may have changed. A refusal
 * that needs no state comes before "the contract changed", so that the answer does not
 * depend on who was faster. */
mt_err ex_operation_commit(ex_job *job, ex_group *g)
{
    ex_group_states(job, g);
    ct_attempt a = ex_operation_try(job);
    if (ex_needs_no_state(&a)) { /* it waited for the shadow; the answer comes first */
        return refuse(job, g, &a);
    }
    if (ex_refused_unless_current(job) || ex_refused_unless_versions(job)) {
        return MT_OK;
    }
    mt_err err = ex_held_refused(job, g, job->what);
    if (err || job->answered) {
        return err;
    }
    if (a.error) {
        return refuse(job, g, &a);
    }
    ex_act act = ex_operation_act(job);
    err = ex_distinct_refused(job, g->tx, &act, true);
    return err || job->answered ? err : do_it(job, g, &a);
}

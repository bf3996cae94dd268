/* exec/kinds/flow_outcome.c - which outcome, where several match: named by the caller,
 * or the flow waits for it.
 * Room: exec.
 * A request names one outcome, or one for each step: {"step": "outcome"} (for a
 * compensation: {"operation": "outcome"}). Of a flow that begins, one name is for every
 * step; of a flow that is resumed, for the first operation it comes to, since nobody
 * has seen yet what the flow will ask after that.
 * INVARIANT: an outcome is chosen only if it was named and matches. Otherwise the flow
 * waits, or, when it is just being resumed, the call is refused with what could be
 * named, and the flow is left as it was. */
#include "exec/call/problem.h"
#include "exec/commit/effects.h"
#include "exec/kinds/flow.h"

static bool is_undoing(const ct_run *run)
{
    uint32_t undo;
    ct_run_next(run, &undo);
    return undo != CT_NONE;
}

/* Has an operation been tried since the flow was taken up? */
static bool has_operated(const ex_turn *t)
{
    for (size_t i = t->records_before; i < t->run->records.len; i++) {
        if (t->run->records.items[i].op != CT_NONE) {
            return true;
        }
    }
    return false;
}

/* What the caller named for this operation; NULL: nothing. */
static const mt_json *named(const ex_turn *t, uint32_t step, uint32_t op)
{
    const mt_json *outcome = t->job->request.outcome;
    const ct_plan *p = t->run->plan;
    if (mt_json_is(outcome, MT_JSON_OBJECT)) {
        return mt_json_get(outcome, is_undoing(t->run) ? ct_operation_id(p, op)
                                                       : p->steps[step].id);
    }
    bool spent = t->resuming && (t->job->resumed || has_operated(t));
    return spent ? NULL : outcome;
}

/* `matching` are the outcomes whose source states hold now. */
static bool among(uint32_t outcome, const uint32_t *matching, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (matching[i] == outcome) {
            return true;
        }
    }
    return false;
}

uint32_t ex_outcome_choose(void *context, const ct_run *run, uint32_t step, uint32_t op,
                           const uint32_t *matching, uint32_t count)
{
    const mt_json *outcome = named(context, step, op);
    uint32_t wanted =
        outcome ? ct_plan_outcome_named(run->plan, op, mt_json_text(outcome)) : CT_NONE;
    return among(wanted, matching, count) ? wanted : CT_UNDECIDED;
}

/* ---- What is refused ---- */

/* Any operation of the contract: which ones the flow will come to is not known yet. */
static bool any_has(const ct_plan *p, mt_str label)
{
    for (uint32_t op = 0; op < p->model->operation_count; op++) {
        if (ct_plan_outcome_named(p, op, label) != CT_NONE) {
            return true;
        }
    }
    return false;
}

/* Can {"name": "label"} ever be meant for a step, or a compensation? */
static bool pair_fits(const ct_plan *p, mt_str name, mt_str label)
{
    uint32_t op = ct_model_find(p->model, CT_KIND_OPERATION, name);
    bool fits = op != CT_NONE && ct_plan_outcome_named(p, op, label) != CT_NONE;
    for (uint32_t i = 0; i < p->step_count && !fits; i++) {
        const ct_plan_step *s = &p->steps[i];
        fits = s->does == LN_OPERATES && mt_str_eq(s->id, name) &&
               ct_plan_outcome_named(p, s->what, label) != CT_NONE;
    }
    return fits;
}

/* `op`: the operation the flow waits at, whose outcomes are listed; CT_NONE: none. */
static bool refuse_name(ex_job *job, uint32_t op, mt_str why)
{
    mt_jw w = ex_problem_open(job, EX_UNKNOWN_OUTCOME, why);
    if (op != CT_NONE) {
        mt_jw_key_str(&w, "operation", ct_operation_id(job->v->plan, op));
        ex_all_outcomes_json(&w, job->v->plan, op);
    }
    return ex_problem_close(&w);
}

/* A name that no operation has is a mistake now, even if the flow might never come to
 * it. */
static bool refused_names(ex_job *job, uint32_t op)
{
    const mt_json *outcome = job->request.outcome;
    const ct_plan *p = job->v->plan;
    if (!outcome) {
        return false;
    }
    if (mt_json_is(outcome, MT_JSON_STRING)) {
        return !any_has(p, mt_json_text(outcome)) &&
               refuse_name(job, op,
                           mt_strf(&job->arena, "no operation has the outcome '%.*s'",
                                   MT_ARG(mt_json_text(outcome))));
    }
    if (!mt_json_is(outcome, MT_JSON_OBJECT)) {
        return ex_refuse(job, EX_BAD_REQUEST,
                         "`outcome` is a name, or {\"step\": \"name\"}");
    }
    for (uint32_t i = 0; i < outcome->count; i++) {
        const mt_json_member *m = &outcome->as.members[i];
        if (!mt_json_is(&m->value, MT_JSON_STRING) ||
            !pair_fits(p, m->key, mt_json_text(&m->value))) {
            return refuse_name(
                job, op,
                mt_strf(&job->arena, "`outcome`: no step '%.*s' has the outcome '%.*s'",
                        MT_ARG(m->key), MT_ARG(mt_json_text(&m->value))));
        }
    }
    return false;
}

bool ex_refused_outcome_names(ex_job *job)
{
    return refused_names(job, CT_NONE);
}

/* `matching`: what can be named. */
static bool refuse_choice(const ex_turn *t, uint32_t op, ex_problem problem,
                          const char *what, uint32_t count)
{
    const ct_plan *p = t->run->plan;
    mt_jw w = ex_problem_open(t->job, problem,
                              mt_strf(&t->job->arena, "operation '%.*s': %s",
                                      MT_ARG(ct_operation_id(p, op)), what));
    mt_jw_key_str(&w, "operation", ct_operation_id(p, op));
    ex_outcomes_json(&w, p, t->run->matching, count);
    mt_jw_key_str(&w, "step", t->row.waiting_step);
    return ex_problem_close(&w);
}

uint32_t ex_outcome_named(const ex_turn *t, uint32_t op)
{
    uint32_t undo, step = ct_run_next(t->run, &undo);
    const mt_json *outcome = named(t, step, op);
    return outcome ? ct_plan_outcome_named(t->run->plan, op, mt_json_text(outcome))
                   : CT_NONE;
}

bool ex_refused_other_outcomes(ex_turn *t)
{
    const ct_run *run = t->run;
    const ct_plan *p = run->plan;
    const mt_json *given = t->job->request.outcome;
    for (size_t i = 0; mt_json_is(given, MT_JSON_OBJECT) && i < run->records.len; i++) {
        const ct_record *r = &run->records.items[i];
        bool undoes = r->kind == CT_RECORD_COMPENSATION;
        if (r->result == CT_NONE || !(undoes || r->kind == CT_RECORD_OPERATION)) {
            continue;
        }
        mt_str at = undoes ? ct_operation_id(p, r->op) : p->steps[r->step].id;
        const mt_json *name = mt_json_get(given, at);
        uint32_t named =
            name ? ct_plan_outcome_named(p, r->op, mt_json_text(name)) : CT_NONE;
        if (named != CT_NONE && named != r->result) {
            return ex_refuse(t->job, EX_INVALID_SOURCE_STATE,
                             "step '%.*s': the outcome named does not match the states",
                             MT_ARG(at));
        }
    }
    return false;
}

uint32_t ex_next_persona(const ct_run *run)
{
    uint32_t undo, step = ct_run_next(run, &undo);
    const ct_plan_step *s = &run->plan->steps[step];
    const ct_frame *f = &run->frames.items[run->frames.len - 1];
    return undo == CT_NONE ? s->persona
                           : run->plan->undos[s->handler.first_undo + f->index].persona;
}

/* Tries without a name first: only where the engine cannot choose by itself does a name
 * matter. An attempt that fails for another reason is left to the turn, which records
 * it as the flow's own way (§11.3). run->proposed is scratch here. */
bool ex_refused_outcome(ex_turn *t)
{
    ct_run *run = t->run;
    uint32_t undo, step = ct_run_next(run, &undo), op = ct_run_next_op(run);
    if (refused_names(t->job, op) || op == CT_NONE) {
        return t->job->answered;
    }
    const mt_json *given = named(t, step, op);
    mt_str label = mt_json_text(given);
    uint32_t wanted = given ? ct_plan_outcome_named(run->plan, op, label) : CT_NONE;
    if (given && wanted == CT_NONE) {
        return refuse_name(
            t->job, op,
            mt_strf(&t->job->arena, "operation '%.*s' has no outcome '%.*s'",
                    MT_ARG(ct_operation_id(run->plan, op)), MT_ARG(label)));
    }
    ct_attempt a;
    ct_op_try(&run->frozen, op, ex_next_persona(run), run->states, CT_NONE,
              &t->job->arena, &a, run->proposed);
    uint32_t count = ct_op_matching(run->plan, op, run->states, run->matching,
                                    run->plan->max_outcomes);
    bool fits = among(wanted, run->matching, count);
    if (a.error == CT_OP_AMBIGUOUS && !fits) {
        return refuse_choice(
            t, op, EX_AMBIGUOUS_OUTCOME,
            given ? "the outcome named does not match; name one that does"
                  : "several outcomes match; name one",
            count);
    }
    return !a.error && given && !fits &&
           refuse_choice(t, op, EX_INVALID_SOURCE_STATE,
                         "the outcome named does not match the states", count);
}

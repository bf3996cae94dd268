/* exec/commit/attempt.c - why an operation was refused.
 * Room: exec. Whether it was asked for alone, or is the first of a flow. A refusal
 * names what would have to be otherwise: every atom of a false precondition, the states
 * that were expected, the outcomes that could be named. Nothing here can fail. */
#include "contract/flow/text.h"
#include "contract/flow/why.h"
#include "exec/call/facts.h"
#include "exec/call/states.h"
#include "exec/commit/effects.h"

static const ex_problem PROBLEMS[] = {
    [CT_OP_NONE] = EX_PROBLEM_COUNT,
    [CT_OP_PERSONA] = EX_PERSONA_REJECTED,
    [CT_OP_PRECONDITION] = EX_PRECONDITION_FAILED,
    [CT_OP_EVALUATION] = EX_EVALUATION_ERROR,
    [CT_OP_INSTANCE] = EX_UNKNOWN_INSTANCE,
    [CT_OP_STATE] = EX_INVALID_SOURCE_STATE,
    [CT_OP_AMBIGUOUS] = EX_AMBIGUOUS_OUTCOME,
    [CT_OP_OUTCOME] = EX_UNKNOWN_OUTCOME,
};
_Static_assert(sizeof PROBLEMS / sizeof *PROBLEMS == CT_OP_ERROR_COUNT,
               "one problem per error");

/* Indexes are of facts or of rules, by `facts`; rules are shown by their verdict. */
static void names_json(mt_jw *w, const uint32_t *items, uint32_t count,
                       const ct_model *m, bool facts)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < count; i++) {
        mt_jw_str(w, facts ? m->facts[items[i]].id : m->rules[items[i]].verdict);
    }
    mt_jw_end_array(w);
}

/* What was false: every atom that has a part in it. */
static void reasons_json(mt_jw *w, ex_job *job)
{
    const ct_model *m = job->v->model;
    ct_frozen z = ex_frozen(job);
    ct_reasons reasons = {0};
    ct_fault fault;
    bool value;
    mt_buf text = {0};
    mt_jw_keyz(w, "reasons");
    mt_jw_begin_array(w);
    bool held = job->in_group && job->v->may_be_long; /* reasons may take long */
    if (held ||
        ct_why_all(&job->arena, &z.snapshot, m->operations[job->what].precondition,
                   &value, &reasons, &fault)) {
        reasons.len = 0;
    }
    for (size_t i = 0; i < reasons.len; i++) {
        const ct_reason *r = &reasons.items[i];
        mt_buf_clear(&text);
        ct_expr_text(&text, m, r->atom);
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "condition", mt_buf_str(&text));
        mt_jw_keyz(w, "facts");
        names_json(w, r->used.facts, r->used.fact_count, m, true);
        uint32_t count;
        const uint32_t *roots =
            ct_why_roots(&job->arena, &z.snapshot, &r->used, &count);
        mt_jw_keyz(w, "rests_on");
        names_json(w, roots, count, m, true);
        mt_jw_key_bool(w, "value", r->value);
        mt_jw_keyz(w, "verdicts");
        names_json(w, r->used.verdicts, r->used.verdict_count, m, false);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
    mt_buf_free(&text);
}

/* Each expected state once; effects of one entity may share their source. The
 * instance's own state is absent when it has none that this version knows. */
static void state_json(mt_jw *w, const ex_job *job, const ct_attempt *a)
{
    const ct_model *m = job->v->model;
    const ct_entity *e = &m->entities[a->entity];
    mt_jw_key_str(w, "entity", e->id);
    mt_jw_key_str(w, "instance", job->snap->instances[a->entity]);
    if (a->state != CT_NONE) {
        mt_jw_key_str(w, "state", e->states[a->state]);
    }
    const ct_operation *op = &m->operations[job->what];
    mt_jw_keyz(w, "expected");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < op->effect_count; i++) {
        bool other = op->effects[i].entity != a->entity;
        for (uint32_t k = 0; k < i && !other; k++) {
            other = op->effects[k].entity == a->entity &&
                    op->effects[k].from == op->effects[i].from;
        }
        if (!other) {
            mt_jw_str(w, e->states[op->effects[i].from]);
        }
    }
    mt_jw_end_array(w);
}

/* Those that match the states. */
static void matching_json(mt_jw *w, ex_job *job)
{
    const ct_plan *p = job->v->plan;
    uint32_t most = p->ops[job->what].outcome_count;
    uint32_t *list = mt_new_array(&job->arena, uint32_t, most);
    ex_outcomes_json(w, p, list,
                     ct_op_matching(p, job->what, job->snap->states, list, most));
}

/* A budget or deadline that was met is the server's limit and not the contract's
 * answer, so it has a problem of its own that is not kept for a repeated request.
 * `undeclared` tells that the contract's operation does not list this error. */
bool ex_refuse_attempt(ex_job *job, const ct_attempt *a)
{
    const ct_plan *p = job->v->plan;
    mt_buf text = {0};
    if (a->error == CT_OP_INSTANCE && ex_refused_removed(job, a->entity)) {
        return true;
    }
    ct_op_error_text(&text, p, job->what, job->request.persona, a,
                     a->entity == CT_NONE ? (mt_str){0}
                                          : job->snap->instances[a->entity]);
    ex_problem problem = a->kind == CT_FAULT_BUDGET     ? EX_EVALUATION_BUDGET
                         : a->kind == CT_FAULT_DEADLINE ? EX_EVALUATION_DEADLINE
                                                        : PROBLEMS[a->error];
    mt_jw w = ex_problem_open(job, problem, mt_buf_str(&text));
    mt_buf_free(&text);
    if (a->kind != CT_FAULT_NONE) {
        mt_jw_key_str(&w, "fault", mt_str_z(ct_fault_name(a->kind)));
    }
    mt_jw_key_str(&w, "operation", ct_operation_id(p, job->what));
    if (!ct_op_declares(&p->model->operations[job->what], a->error)) {
        mt_jw_key_bool(&w, "undeclared", true);
    }
    if (a->error == CT_OP_PRECONDITION) {
        reasons_json(&w, job);
    }
    if (a->error == CT_OP_AMBIGUOUS) {
        matching_json(&w, job);
    }
    if (a->error == CT_OP_OUTCOME) {
        ex_all_outcomes_json(&w, p, job->what);
    }
    if (a->entity != CT_NONE) {
        state_json(&w, job, a);
    }
    return ex_problem_close(&w);
}

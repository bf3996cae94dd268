/* exec/call/evaluate.c - how a call's facts are evaluated: at once, or by who has time.
 * Room: exec. How much work it can be is known before (ct_work_*); who may not linger
 * is told so (MT_E_BUSY) before anything was done. All evaluations of one call have one
 * deadline. */
#include "exec/call/facts.h"

/* A group commits for many callers, and a network thread serves many: neither may
 * wait for one evaluation. */
bool ex_may_linger(const ex_job *job)
{
    return !job->in_group &&
           (job->internal || job->on_worker || !job->call->must_not_linger);
}

/* The conditions that the call may ask for, as bits; NULL: none. */
static const uint64_t *conditions_of(ex_job *job, const ex_version *v)
{
    const ct_plan *p = v->plan;
    uint32_t count = p->model->condition_count;
    uint64_t *bits = mt_new_array(&job->arena, uint64_t, count / 64 + 1);
    switch (job->guards_flow ? EX_FLOW_START : (int)job->call->action) {
    case EX_OPERATION:
    case EX_GUARD_BEGIN:
    case EX_GUARD_END:
        if (p->ops[job->what].condition != CT_NONE) {
            ct_bit_set(bits, p->ops[job->what].condition);
        }
        break;
    case EX_EXPLAIN:
    case EX_ACTIONS: memset(bits, 0xff, (count / 64 + 1) * sizeof *bits); break;
    case EX_PARTIAL:
    case EX_EVALUATE: return NULL;
    default: /* a flow: begun by a caller or a trigger, or taken up again */
        if (job->what == CT_NONE) {
            return NULL;
        }
        ct_plan_conditions(&job->arena, p, job->what, bits);
    }
    return bits;
}

mt_err ex_evaluate_rules(ex_job *job, const ex_version *v, ex_snap *s, ct_fault *fault)
{
    /* By the types of the contract alone; most contracts never come here. */
    if (v->may_be_long) {
        bool lingers = ex_may_linger(job);
        if (!lingers && ct_work_rules(v->plan->program, s->facts) > EX_SHORT_STEPS) {
            return MT_E_BUSY;
        }
        ct_verdicts_limit(s->verdicts,
                          (ct_patience){.steps = job->x->limits.eval_steps,
                                        .late = lingers ? os_is_late : NULL,
                                        .state = lingers ? ex_deadline(job) : NULL});
    }
    return ct_evaluate(v->plan->program, s->facts, s->verdicts, &job->arena, fault);
}

static bool are_short(const ct_program *p, const ct_facts *facts, const uint64_t *bits,
                      uint32_t count)
{
    uint64_t left = EX_SHORT_STEPS;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t steps = ct_bit(bits, i) ? ct_work_condition(p, facts, i) : 0;
        if (steps > left) {
            return false;
        }
        left -= steps;
    }
    return true;
}

mt_err ex_evaluate_conditions(ex_job *job, const ex_version *v, ex_snap *s,
                              ct_fault *fault)
{
    const ct_program *p = v->plan->program;
    /* Long conditions are computed now, where there is time, and remembered with the
     * verdicts; a step inside the transaction then only looks them up. */
    const uint64_t *bits = v->may_be_long ? conditions_of(job, v) : NULL;
    uint32_t count = bits ? v->model->condition_count : 0;
    if (are_short(p, s->facts, bits, count)) {
        return MT_OK;
    }
    if (!ex_may_linger(job)) {
        return MT_E_BUSY;
    }
    ct_snapshot snapshot = {p, s->facts, s->verdicts};
    mt_err err = MT_OK;
    for (uint32_t i = 0; i < count && !err; i++) {
        if (ct_bit(bits, i)) {
            err =
                ct_remember(&snapshot, s->verdicts, i, s->scratch, &job->arena, fault);
        }
    }
    return err;
}

bool ex_refuse_evaluation(ex_job *job, const ct_fault *fault)
{
    ex_problem p = fault->kind == CT_FAULT_BUDGET     ? EX_EVALUATION_BUDGET
                   : fault->kind == CT_FAULT_DEADLINE ? EX_EVALUATION_DEADLINE
                                                      : EX_EVALUATION_ERROR;
    mt_jw w = ex_problem_open(job, p, fault->message);
    mt_jw_key_str(&w, "fault", mt_str_z(ct_fault_name(fault->kind)));
    if (fault->rule.len) {
        mt_jw_key_str(&w, "rule", fault->rule);
    }
    return ex_problem_close(&w);
}

os_deadline *ex_deadline(ex_job *job)
{
    if (!job->deadline) {
        job->own_deadline = (os_deadline){.ms = (int64_t)job->x->limits.eval_ms};
        job->deadline = &job->own_deadline;
    }
    return job->deadline;
}

/* The deadline belongs to the job; the snapshot may be used after it. */
void ex_stop_clock(ex_job *job)
{
    if (job->snap && job->v->may_be_long) {
        ct_verdicts_limit(job->snap->verdicts,
                          (ct_patience){.steps = job->x->limits.eval_steps});
    }
}

ct_frozen ex_frozen(const ex_job *job)
{
    const ex_snap *s = job->snap;
    return (ct_frozen){
        job->v->plan, {job->v->plan->program, s->facts, s->verdicts}, s->scratch};
}

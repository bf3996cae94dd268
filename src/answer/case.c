/* answer/case.c - facts, states and runs of one case.
 *
 * The order is open, facts, states, run; each step says its own fault and gives the
 * code, so a question is a chain of them. Limits of steps are the contract's; a limit
 * of time is set by who has a clock (ct_verdicts_limit()). */
#include "answer/case.h"

#include <stdlib.h>

#include "contract/eval/surplus.h"
#include "contract/flow/partly_actions.h"
#include "contract/reduce/holes.h"

int aw_case_open(aw_case *x, aw_contract *c, aw_reply *r)
{
    *x = (aw_case){.contract = c, .model = c->admitted.model};
    const ct_program *program = ct_compile(&c->arena, x->model);
    if (ct_plan_build(&c->arena, program, &c->ds, &x->plan)) {
        return aw_refused(r);
    }
    x->bench = ct_bench_new(x->plan, &c->limits);
    ct_patience patience = ct_verdicts_patience(x->bench.verdicts);
    patience.steps = c->limits.eval_steps;
    ct_verdicts_limit(x->bench.verdicts, patience);
    return AW_HOLDS;
}

/* Safe after a failed open: without a plan there is no bench. */
void aw_case_free(aw_case *x)
{
    if (x->bench.plan) {
        ct_bench_free(&x->bench);
    }
}

/* ---- Facts ---- */

int aw_fail_evaluation(aw_reply *r, const ct_fault *fault)
{
    mt_buf_clear(&r->fault);
    ct_fault_json(&r->fault, fault);
    for (const ct_fault *one = fault; one; one = one->next) {
        aw_fail(r, AW_FAILS, "evaluation error: %.*s", MT_ARG(one->message));
    }
    return AW_FAILS;
}

void aw_warn_surplus(aw_reply *r, const ct_facts *f, mt_str json,
                     const mt_limits *limits)
{
    ct_surplus s = {.arena = &r->arena};
    ct_surplus_add(&s, f, json, limits, MT_STR(""));
    for (size_t i = 0; i < s.len; i++) {
        aw_warn(r, s.told[i]);
    }
    if (ct_surplus_more(&s).len) {
        aw_warn(r, ct_surplus_more(&s));
    }
}

/* A misspelt name is often why another fact is missing, so it is told in either case.
 */
int aw_case_facts(aw_case *x, mt_str json, bool strict, aw_reply *r)
{
    ct_fault fault = {0};
    ct_bench *b = &x->bench;
    mt_err err = ct_facts_read(b->facts, json, b->limits, strict, &fault);
    if (!strict) {
        aw_warn_surplus(r, b->facts, json, b->limits);
    }
    if (err || ct_evaluate(x->plan->program, b->facts, b->verdicts, &x->contract->arena,
                           &fault)) {
        return aw_fail_evaluation(r, &fault);
    }
    x->frozen =
        (ct_frozen){x->plan, {x->plan->program, b->facts, b->verdicts}, b->scratch};
    return AW_HOLDS;
}

/* ---- States ---- */

void aw_case_states_begin(aw_case *x)
{
    x->states = ct_states_new(&x->contract->arena, x->model);
    x->binding = ct_binding_new(&x->contract->arena, x->model);
}

/* ORDER: initial states for what was not named, seal, then bindings; a binding looks
 * for its instance among the sealed states. */
void aw_case_states_end(aw_case *x)
{
    ct_states_add_initial(&x->contract->arena, &x->states);
    ct_states_seal(&x->states);
    ct_binding_resolve(&x->binding, &x->states, true);
}

int aw_case_states(aw_case *x, const mt_json *states, const mt_json *bind, aw_reply *r)
{
    mt_arena *a = &x->contract->arena;
    mt_str why = {0};
    aw_case_states_begin(x);
    if ((states && ct_states_read(a, &x->states, states, &why)) ||
        (bind && ct_binding_read(a, &x->binding, x->model, bind, &why))) {
        return aw_fail(r, AW_FAILS, "%.*s", MT_ARG(why));
    }
    aw_case_states_end(x);
    return AW_HOLDS;
}

/* ---- Holes ---- */

static bool *flags_for(const ct_model *m)
{
    bool *flags = mt_xmalloc(m->fact_count + 1);
    memset(flags, 0, m->fact_count + 1);
    return flags;
}

void aw_holes_open(aw_holes *h, const ct_program *p, ct_patience patience)
{
    const ct_model *m = ct_program_model(p);
    *h = (aw_holes){.facts = ct_facts_new(m),
                    .partial = ct_partial_new(p),
                    .named = flags_for(m),
                    .unknown = flags_for(m)};
    ct_partial_limit(h->partial, patience);
}

void aw_holes_free(aw_holes *h)
{
    ct_partial_free(h->partial);
    ct_facts_free(h->facts);
    free(h->named);
    free(h->unknown);
    mt_arena_free(&h->arena);
}

int aw_holes_name(aw_holes *h, mt_str names, aw_reply *r)
{
    const ct_model *m = ct_partial_model(h->partial);
    mt_str wrong = {0};
    return ct_holes_read(m, names, h->named, &wrong)
               ? AW_HOLDS
               : aw_fail(r, AW_USAGE, "the contract has no fact '%.*s'%s",
                         MT_ARG(wrong), aw_near(&r->arena, m, CT_KIND_FACT, wrong));
}

/* What one set leaves out is not unknown in the next. */
bool aw_holes_evaluate(aw_holes *h, mt_str text, const mt_limits *limits, bool missing,
                       bool strict, ct_fault *fault)
{
    const ct_model *m = ct_partial_model(h->partial);
    memcpy(h->unknown, h->named, m->fact_count);
    mt_arena_reset(&h->arena);
    mt_str whole = ct_holes_fill(&h->arena, m, text, limits, missing, h->unknown);
    return ct_facts_read(h->facts, whole, limits, strict, fault) == MT_OK &&
           ct_partial_evaluate(h->partial, h->facts, h->unknown, fault) == MT_OK;
}

/* ---- Acting ---- */

const char *aw_near(mt_arena *a, const ct_model *m, ct_kind kind, mt_str name)
{
    mt_str near = ct_model_nearest(m, kind, name);
    return near.len ? mt_strf(a, "; did you mean '%.*s'?", MT_ARG(near)).ptr : "";
}

static uint32_t pick_named(void *context, const ct_run *run, uint32_t step, uint32_t op,
                           const uint32_t *matching, uint32_t count)
{
    (void)step;
    (void)matching;
    (void)count;
    return ct_plan_outcome_named(run->plan, op, *(const mt_str *)context);
}

/* Evaluates nothing: facts and verdicts were frozen by aw_case_facts(). */
int aw_run_flow(aw_case *x, const aw_act *act, aw_reply *r)
{
    uint32_t index = ct_model_find(x->model, CT_KIND_FLOW, act->flow);
    mt_str named = act->outcome;
    if (index == CT_NONE) {
        return aw_fail(r, AW_FAILS, "flow '%.*s' not found in contract%s",
                       MT_ARG(act->flow),
                       aw_near(&r->arena, x->model, CT_KIND_FLOW, act->flow));
    }
    ct_run_input in = {.plan = x->plan,
                       .snapshot = x->frozen.snapshot,
                       .flow = index,
                       .persona = act->persona,
                       .instances = x->binding.instances,
                       .states = x->binding.states,
                       .simulation = act->simulation,
                       .max_steps = x->contract->limits.flow_steps};
    if (named.ptr) {
        in.host = (ct_host){.context = &named, .choose = pick_named};
    }
    ct_run_start(&x->bench.run, &in);
    ct_run_all(&x->bench.run);
    x->bench.run.host = (ct_host){0}; /* `named` ends here */
    return AW_HOLDS;
}

/* An outcome that the operation does not declare is refused before anything is
 * evaluated. */
int aw_try_operation(aw_case *x, const aw_act *act, ct_op_report *report, aw_reply *r)
{
    mt_arena *a = &x->contract->arena;
    uint32_t op = ct_model_find(x->model, CT_KIND_OPERATION, act->operation);
    if (op == CT_NONE) {
        return aw_fail(r, AW_FAILS, "operation '%.*s' not found in contract%s",
                       MT_ARG(act->operation),
                       aw_near(&r->arena, x->model, CT_KIND_OPERATION, act->operation));
    }
    uint32_t wanted =
        act->outcome.ptr ? ct_plan_outcome_named(x->plan, op, act->outcome) : CT_NONE;
    if (act->outcome.ptr && wanted == CT_NONE) {
        return aw_fail(r, AW_FAILS, "operation '%.*s' has no outcome '%.*s'",
                       MT_ARG(act->operation), MT_ARG(act->outcome));
    }
    ct_attempt *attempt = mt_new(a, ct_attempt);
    ct_change *changes = mt_new_array(a, ct_change, x->plan->max_changes);
    ct_op_try(&x->frozen, op, ct_model_find(x->model, CT_KIND_PERSONA, act->persona),
              x->binding.states, wanted, a, attempt, changes);
    *report = (ct_op_report){&x->frozen,     op,      act->persona,
                             attempt,        changes, x->binding.instances,
                             act->simulation};
    return AW_HOLDS;
}

int aw_act_json(aw_case *x, const aw_act *act, aw_reply *r)
{
    ct_op_report report;
    if (act->flow.ptr) {
        int code = aw_run_flow(x, act, r);
        if (code) {
            return code;
        }
        ct_run_json(&r->text, &x->bench.run);
        return x->bench.run.status == CT_RUN_DONE ? AW_HOLDS : AW_FAILS;
    }
    int code = aw_try_operation(x, act, &report, r);
    if (code) {
        return code;
    }
    ct_op_json(&r->text, &report);
    return report.attempt->error ? AW_FAILS : AW_HOLDS;
}

/* ---- Actions ---- */

/* A contract without declared personas takes any name; with them, those inside
 * operations but not declared have higher indexes and do not count. */
int aw_knows_persona(const aw_case *x, mt_str persona, aw_reply *r)
{
    if (!x->model->personas_declared ||
        ct_model_find(x->model, CT_KIND_PERSONA, persona) <
            x->model->personas_declared) {
        return AW_HOLDS;
    }
    return aw_fail(r, AW_FAILS, "persona '%.*s' not found in contract%s",
                   MT_ARG(persona),
                   aw_near(&r->arena, x->model, CT_KIND_PERSONA, persona));
}

int aw_actions_json(aw_case *x, mt_str persona, aw_holes *holes, aw_reply *r)
{
    mt_arena *a = &x->contract->arena;
    if (holes) {
        ct_partly_space space;
        ct_partly_actions(a, holes->partial, x->plan, &x->states, persona, &space);
        ct_partly_actions_json(&r->text, holes->partial, x->plan, &space);
    } else {
        ct_action_space space;
        ct_actions(a, &x->frozen, &x->states, persona, &space);
        ct_actions_json(&r->text, &x->frozen, &space);
    }
    return AW_HOLDS;
}

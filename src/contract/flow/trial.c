/* contract/flow/trial.c - one trial: facts, states, and what a persona does with them.
 *
 * The common core of `motet eval`, scenarios and the conformance suite: read states
 * and bindings, evaluate the facts, then run a flow or try an operation, and say what
 * came of it. In this order, since a fact that cannot be read must not hide a state
 * that does not exist.
 *
 * A bench keeps the memory of one contract (facts, verdicts, scratch, a run), so that
 * a thousand trials allocate once; a trial borrows its JSON and its result lives in
 * the caller's arena. `meanwhile` lets a test change states before a given step, as
 * another flow would.
 *
 * What may fail is part of the result: `kind` and message of the first thing that was
 * wrong. An operation that was refused or a flow that failed is a result like any
 * other. */
#include "contract/flow/report.h"
#include "contract/flow/scenario.h"

ct_bench ct_bench_new(const ct_plan *p, const mt_limits *limits)
{
    ct_bench b = {.plan = p,
                  .limits = limits,
                  .facts = ct_facts_new(p->model),
                  .verdicts = ct_verdicts_new(p->program),
                  .scratch = ct_verdicts_new(p->program)};
    if (limits) {
        ct_verdicts_limit(b.verdicts, (ct_patience){.steps = limits->eval_steps});
    }
    return b;
}

void ct_bench_free(ct_bench *b)
{
    ct_run_free(&b->run);
    ct_verdicts_free(b->scratch);
    ct_verdicts_free(b->verdicts);
    ct_facts_free(b->facts);
}

static void blame(ct_result *r, const char *kind, mt_str message)
{
    r->fault_kind = mt_str_z(kind);
    r->fault = message;
}

/* The kind of the fault is what a scenario expects by name. */
static bool evaluate(mt_arena *a, ct_bench *b, const ct_trial *t, ct_result *out)
{
    ct_fault fault = {0};
    mt_err err = ct_facts_read(b->facts, t->facts, b->limits, false, &fault);
    if (!err) {
        err = ct_evaluate(b->plan->program, b->facts, b->verdicts, a, &fault);
    }
    if (err) {
        blame(out, ct_fault_name(fault.kind), mt_str_dup(a, fault.message));
        return false;
    }
    out->evaluated = true;
    return true;
}

/* Entities nobody spoke of have their default instance in its initial state. */
static bool read_states(mt_arena *a, const ct_bench *b, const ct_trial *t,
                        ct_result *out)
{
    const ct_model *m = b->plan->model;
    mt_str why = {0};
    out->states = ct_states_new(a, m);
    out->binding = ct_binding_new(a, m);
    mt_err err = t->states ? ct_states_read(a, &out->states, t->states, &why) : MT_OK;
    if (!err && t->bindings) {
        err = ct_binding_read(a, &out->binding, m, t->bindings, &why);
    }
    if (err) {
        blame(out, mt_err_name(err), why);
        return false;
    }
    ct_states_add_initial(a, &out->states);
    ct_states_seal(&out->states);
    ct_binding_resolve(&out->binding, &out->states, true);
    return true;
}

/* Puts the states after the run back into the map. */
static void settle(ct_result *r, const uint32_t *states)
{
    for (uint32_t e = 0; e < r->states.model->entity_count; e++) {
        ct_instances *list = &r->states.entities[e];
        for (size_t i = 0; i < list->len && states[e] != CT_NONE; i++) {
            if (mt_str_eq(list->items[i].id, r->binding.instances[e])) {
                list->items[i].state = states[e];
            }
        }
    }
}

/* The label for a step: one for all, or one per step. */
static mt_str label_for(const ct_trial *t, mt_str step)
{
    return mt_json_text(mt_json_is(t->outcome, MT_JSON_OBJECT)
                            ? mt_json_get(t->outcome, step)
                            : t->outcome);
}

static uint32_t pick_named(void *context, const ct_run *run, uint32_t step, uint32_t op,
                           const uint32_t *matching, uint32_t count)
{
    (void)matching;
    (void)count;
    mt_str label = label_for(context, run->plan->steps[step].id);
    return label.len ? ct_plan_outcome_named(run->plan, op, label) : CT_NONE;
}

/* Others change states before the step that is due, as other flows would. */
static bool disturb(mt_arena *a, ct_run *run, const ct_trial *t, mt_str *why)
{
    uint32_t undo, step = ct_run_next(run, &undo);
    if (step == CT_NONE || !t->meanwhile) {
        return true;
    }
    mt_str name = undo == CT_NONE ? run->plan->steps[step].id
                                  : mt_strf(a, "comp:%.*s",
                                            MT_ARG(ct_operation_id(run->plan, undo)));
    const mt_json *changes = mt_json_get(t->meanwhile, name);
    for (uint32_t i = 0; mt_json_is(changes, MT_JSON_OBJECT) && i < changes->count;
         i++) {
        const mt_json_member *m = &changes->as.members[i];
        uint32_t e = ct_model_find(run->plan->model, CT_KIND_ENTITY, m->key);
        uint32_t s = e == CT_NONE ? CT_NONE
                                  : ct_state_find(&run->plan->model->entities[e],
                                                  mt_json_text(&m->value));
        if (s == CT_NONE) {
            *why =
                mt_strf(a, "meanwhile: no such entity or state: %.*s", MT_ARG(m->key));
            return false;
        }
        ct_run_set_state(run, e, s);
    }
    return true;
}

/* Step by step where somebody else interferes, in one go otherwise. */
static void walk(mt_arena *a, ct_bench *b, const ct_trial *t, ct_result *out)
{
    mt_str why = {0};
    do {
        if (!disturb(a, &b->run, t, &why)) {
            blame(out, "notfound", why);
            return;
        }
    } while (ct_run_step(&b->run) == CT_RUN_MORE);
    if (b->run.status == CT_RUN_DONE) {
        out->outcome = b->plan->terminals[b->run.outcome].name;
        return;
    }
    mt_buf text = {0};
    ct_run_fault_text(&text, &b->run);
    blame(out, "flow_error", mt_str_dup(a, mt_buf_str(&text)));
    mt_buf_free(&text);
}

/* States after the run go back into the map, also when it failed: what was done is
 * done. */
static void run_flow(mt_arena *a, ct_bench *b, ct_trial *t, ct_result *out)
{
    const ct_plan *p = b->plan;
    uint32_t flow = ct_model_find(p->model, CT_KIND_FLOW, t->flow);
    if (flow == CT_NONE) {
        blame(out, "notfound",
              mt_strf(a, "flow '%.*s' not found in contract", MT_ARG(t->flow)));
        return;
    }
    ct_run_input in = {.plan = p,
                       .snapshot = {p->program, b->facts, b->verdicts},
                       .flow = flow,
                       .persona = t->persona,
                       .instances = out->binding.instances,
                       .states = out->binding.states,
                       .max_steps = b->limits->flow_steps};
    if (t->outcome) {
        in.host = (ct_host){.context = t, .choose = pick_named};
    }
    ct_run_start(&b->run, &in);
    out->ran = true;
    walk(a, b, t, out);
    settle(out, b->run.states);
}

/* A label that is not one of its outcomes becomes an impossible number, so the engine
 * gives its own error. */
static void run_operation(mt_arena *a, ct_bench *b, const ct_trial *t, ct_result *out)
{
    const ct_plan *p = b->plan;
    uint32_t op = ct_model_find(p->model, CT_KIND_OPERATION, t->operation);
    uint32_t persona = ct_model_find(p->model, CT_KIND_PERSONA, t->persona);
    if (op == CT_NONE) {
        blame(
            out, "notfound",
            mt_strf(a, "operation '%.*s' not found in contract", MT_ARG(t->operation)));
        return;
    }
    uint32_t wanted = CT_NONE;
    if (t->outcome) {
        wanted = ct_plan_outcome_named(p, op, mt_json_text(t->outcome));
        wanted = wanted == CT_NONE ? p->outcome_count : wanted; /* names none */
    }
    ct_frozen z = {p, {p->program, b->facts, b->verdicts}, b->scratch};
    out->op = op;
    out->changes = mt_new_array(a, ct_change, p->max_changes);
    ct_op_try(&z, op, persona, out->binding.states, wanted, a, &out->attempt,
              out->changes);
    if (out->attempt.error) {
        mt_buf text = {0};
        uint32_t e = out->attempt.entity;
        ct_op_error_text(&text, p, op, t->persona, &out->attempt,
                         e == CT_NONE ? (mt_str){0} : out->binding.instances[e]);
        blame(out, ct_op_error_name(out->attempt.error).ptr,
              mt_str_dup(a, mt_buf_str(&text)));
        mt_buf_free(&text);
        return;
    }
    out->outcome = p->outcomes[out->attempt.outcome].label;
    for (uint32_t i = 0; i < out->attempt.change_count; i++) {
        out->binding.states[out->changes[i].entity] = out->changes[i].to;
    }
    settle(out, out->binding.states);
}

void ct_trial_run(mt_arena *a, ct_bench *b, const ct_trial *t, ct_result *out)
{
    *out = (ct_result){.op = CT_NONE};
    ct_trial copy = *t;
    if (!read_states(a, b, t, out) || !evaluate(a, b, t, out)) {
        return;
    }
    if (t->flow.len) {
        run_flow(a, b, &copy, out);
    } else if (t->operation.len) {
        run_operation(a, b, t, out);
    }
}

/* contract/flow/report.c - printing runs: the flat list of steps, the changes, the
 * provenance.
 *
 * Three views of the same records. The flat list shows what was done at the level of
 * the flow; records inside a sub-flow are left out, since the sub-flow's own line says
 * how it ended. The provenance is nested: a record has what happened inside it, every
 * operation has the facts and verdicts its precondition rests on, all the way down to
 * facts from outside (§9.5, §5.3).
 *
 * Provenance is made when it is printed, by asking the conditions again on the frozen
 * snapshot: the answer is the same, and runs that nobody asks about pay nothing. Sets
 * (changes, facts, verdicts) are printed sorted by name; records in the order they
 * happened.
 *
 * A simulation says so in every object that could be mistaken for something that was
 * done. Nothing fails: what was an error when it ran is printed as one. */
#include "contract/flow/report.h"

#include <stdlib.h>

#include "contract/eval/facts.h"
#include "contract/flow/text.h"

/* ---- the flat list ---- */

mt_str ct_record_kind_name(ct_record_kind kind)
{
    static const mt_str NAMES[] = {
        [CT_RECORD_OPERATION] = MT_STR_INIT("operation"),
        [CT_RECORD_BRANCH] = MT_STR_INIT("branch"),
        [CT_RECORD_HANDOFF] = MT_STR_INIT("handoff"),
        [CT_RECORD_SUBFLOW] = MT_STR_INIT("sub_flow"),
        [CT_RECORD_PARALLEL] = MT_STR_INIT("parallel"),
        [CT_RECORD_COMPENSATION] = MT_STR_INIT("compensation"),
        [CT_RECORD_ESCALATION] = MT_STR_INIT("escalation"),
    };
    MT_TABLE_COVERS(NAMES, CT_RECORD_ESCALATION + 1);
    return NAMES[kind];
}

void ct_record_step_text(mt_buf *out, const ct_run *run, const ct_record *r)
{
    if (r->kind == CT_RECORD_COMPENSATION) {
        mt_buf_addf(out, "comp:%.*s", MT_ARG(ct_operation_id(run->plan, r->op)));
    } else {
        mt_buf_adds(out, run->plan->steps[r->step].id);
    }
}

static mt_str message(const ct_run *run, uint32_t index)
{
    return index == CT_NONE ? (mt_str){0} : run->messages.items[index];
}

static void branches_text(mt_buf *out, const ct_run *run, const ct_record *r)
{
    for (uint32_t i = 0; i < r->branch_count; i++) {
        const ct_branch_end *b = &run->branches.items[r->first_branch + i];
        mt_str id = run->plan->graphs[b->graph].id;
        mt_buf_addf(out, "%s%.*s:", i ? ", " : "", MT_ARG(id));
        if (b->terminal != CT_NONE) {
            mt_buf_adds(out, run->plan->terminals[b->terminal].name);
        } else if (b->message != CT_NONE) {
            mt_buf_addf(out, "error:%.*s", MT_ARG(message(run, b->message)));
        } else {
            mt_buf_addz(out, "open");
        }
    }
}

void ct_record_result_text(mt_buf *out, const ct_run *run, const ct_record *r)
{
    const ct_plan *p = run->plan;
    if (r->error) {
        mt_buf_addf(out, "error: %.*s", MT_ARG(message(run, r->message)));
        return;
    }
    switch (r->kind) {
    case CT_RECORD_OPERATION:
    case CT_RECORD_COMPENSATION: mt_buf_adds(out, p->outcomes[r->result].label); break;
    case CT_RECORD_BRANCH: mt_buf_addz(out, r->result ? "true" : "false"); break;
    case CT_RECORD_HANDOFF: mt_buf_addz(out, "handoff"); break;
    case CT_RECORD_SUBFLOW:
        if (r->result != CT_NONE) {
            mt_buf_adds(out, p->terminals[r->result].name);
        } else {
            mt_buf_addz(out, r->message == CT_NONE ? "open" : "error");
        }
        break;
    case CT_RECORD_PARALLEL: branches_text(out, run, r); break;
    case CT_RECORD_ESCALATION:
        mt_buf_addf(out, "escalated to %.*s", MT_ARG(ct_persona_id(p, r->persona)));
        break;
    }
}

/* Branches of a parallel step are flat: they belong to the flow itself. */
bool ct_record_is_flat(const ct_run *run, const ct_record *r)
{
    for (uint32_t up = r->parent; up != CT_NONE; up = run->records.items[up].parent) {
        if (run->records.items[up].kind == CT_RECORD_SUBFLOW) {
            return false;
        }
    }
    return true;
}

void ct_run_steps_json(mt_jw *w, const ct_run *run)
{
    mt_buf text = {0};
    mt_jw_begin_array(w);
    for (size_t i = 0; i < run->records.len; i++) {
        const ct_record *r = &run->records.items[i];
        if (!ct_record_is_flat(run, r)) {
            continue;
        }
        mt_jw_begin_object(w);
        mt_buf_clear(&text);
        ct_record_result_text(&text, run, r);
        mt_jw_key_str(w, "result", mt_buf_str(&text));
        mt_buf_clear(&text);
        ct_record_step_text(&text, run, r);
        mt_jw_key_str(w, "step_id", mt_buf_str(&text));
        mt_jw_key_str(w, "step_type", ct_record_kind_name(r->kind));
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
    mt_buf_free(&text);
}

/* ---- changes and bindings ---- */

static void change_json(mt_jw *w, const ct_plan *p, const ct_change *c,
                        const mt_str *instances)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "entity_id", ct_entity_id(p, c->entity));
    mt_jw_key_str(w, "from", ct_plan_state_id(p, c->entity, c->from));
    mt_jw_key_str(w, "instance_id", instances[c->entity]);
    mt_jw_key_str(w, "to", ct_plan_state_id(p, c->entity, c->to));
    mt_jw_end_object(w);
}

static void changes_json(mt_jw *w, const ct_plan *p, const ct_change *c, size_t count,
                         const mt_str *instances)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        change_json(w, p, &c[i], instances);
    }
    mt_jw_end_array(w);
}

void ct_run_changes_json(mt_jw *w, const ct_run *run)
{
    changes_json(w, run->plan, run->changes.items, run->changes.len, run->instances);
}

/* {"E":"instance"} for what the flow can change. */
static void run_bindings_json(mt_jw *w, const ct_run *run)
{
    const ct_plan *p = run->plan;
    mt_jw_begin_unsorted(w);
    for (uint32_t e = 0; e < p->model->entity_count; e++) {
        if (ct_bit(p->graphs[run->flow].entities, e) && run->instances[e].ptr) {
            mt_jw_key(w, ct_entity_id(p, e));
            mt_jw_str(w, run->instances[e]);
        }
    }
    mt_jw_end_object(w);
}

/* ---- provenance ---- */

static void names_json(mt_jw *w, mt_str *names, uint32_t count)
{
    mt_str_sort(names, count);
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < count; i++) {
        mt_jw_str(w, names[i]);
    }
    mt_jw_end_array(w);
}

/* Facts behind a condition, its verdicts included, all the way down.
 * A condition that ended in an error has no complete set of reasons, and then none
 * is told. */
static ct_used condition_used(mt_arena *a, const ct_frozen *z, uint32_t condition)
{
    ct_used used = {0};
    bool holds;
    ct_fault fault;
    if (condition == CT_NONE ||
        ct_holds(&z->snapshot, condition, z->scratch, &holds, a, &used, &fault)) {
        return (ct_used){0};
    }
    return ct_used_closure(a, &z->snapshot, used);
}

static void facts_used_json(mt_jw *w, mt_arena *a, const ct_model *m, ct_used used)
{
    mt_str *names = mt_new_array(a, mt_str, used.fact_count);
    for (uint32_t i = 0; i < used.fact_count; i++) {
        names[i] = m->facts[used.facts[i]].id;
    }
    mt_jw_keyz(w, "facts_used");
    names_json(w, names, used.fact_count);
}

static void verdicts_used_json(mt_jw *w, mt_arena *a, const ct_model *m, ct_used used)
{
    mt_str *names = mt_new_array(a, mt_str, used.verdict_count);
    for (uint32_t i = 0; i < used.verdict_count; i++) {
        names[i] = m->rules[used.verdicts[i]].verdict;
    }
    mt_jw_keyz(w, "verdicts_used");
    names_json(w, names, used.verdict_count);
}

static void state_map_json(mt_jw *w, const ct_op_report *r, bool after)
{
    const ct_plan *p = r->frozen->plan;
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < r->attempt->change_count; i++) {
        const ct_change *c = &r->changes[i];
        mt_jw_key(w, ct_entity_id(p, c->entity));
        mt_jw_begin_object(w);
        mt_jw_key(w, r->instances[c->entity]);
        mt_jw_str(w, ct_plan_state_id(p, c->entity, after ? c->to : c->from));
        mt_jw_end_object(w);
    }
    mt_jw_end_object(w);
}

static void op_binding_json(mt_jw *w, const ct_op_report *r)
{
    const ct_plan *p = r->frozen->plan;
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < r->attempt->change_count; i++) {
        uint32_t e = r->changes[i].entity;
        mt_jw_key(w, ct_entity_id(p, e));
        mt_jw_str(w, r->instances[e]);
    }
    mt_jw_end_object(w);
}

static void op_error_json(mt_jw *w, const ct_op_report *r, mt_str text)
{
    const ct_operation *op = &r->frozen->plan->model->operations[r->op];
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "message", text);
    mt_jw_key_str(w, "type", ct_op_error_name(r->attempt->error));
    if (!ct_op_declares(op, r->attempt->error)) {
        mt_jw_key_bool(w, "undeclared", true);
    }
    mt_jw_end_object(w);
}

/* Changes are printed sorted by entity: an OperationProvenance has sets. */
static int by_entity(const void *a, const void *b)
{
    uint32_t x = ((const ct_change *)a)->entity, y = ((const ct_change *)b)->entity;
    return x < y ? -1 : x > y;
}

static ct_op_report sorted_by_entity(mt_arena *a, const ct_op_report *r)
{
    ct_op_report copy = *r;
    size_t bytes = mt_array_bytes(r->attempt->change_count, sizeof(ct_change));
    ct_change *changes = mt_alloc(a, bytes);
    if (bytes) {
        memcpy(changes, r->changes, bytes);
        qsort(changes, r->attempt->change_count, sizeof *changes, by_entity);
    }
    copy.changes = changes;
    return copy;
}

/* OperationProvenance (§9.5), with the kind and step of its place in a flow; of one
 * that stands alone with the facts it rests on, which a flow tells once for all. */
static void op_provenance_json(mt_jw *w, const ct_op_report *given, mt_str kind,
                               mt_str step, mt_str error, bool with_facts)
{
    mt_arena a = {0};
    ct_op_report r = sorted_by_entity(&a, given);
    const ct_plan *p = r.frozen->plan;
    /* §9.3: who is rejected has not had the precondition read. */
    bool unread = r.attempt->error == CT_OP_PERSONA;
    ct_used used =
        condition_used(&a, r.frozen, unread ? CT_NONE : p->ops[r.op].condition);
    mt_jw_begin_object(w);
    if (r.attempt->error) {
        mt_jw_keyz(w, "error");
        op_error_json(w, &r, error);
    }
    if (with_facts) {
        mt_jw_keyz(w, "facts");
        ct_facts_json(w, r.frozen->snapshot.facts);
    }
    facts_used_json(w, &a, p->model, used);
    mt_jw_keyz(w, "instance_binding");
    op_binding_json(w, &r);
    mt_jw_key_str(w, "kind", kind);
    mt_jw_key_str(w, "op", ct_operation_id(p, r.op));
    if (r.attempt->outcome != CT_NONE) {
        mt_jw_key_str(w, "outcome", p->outcomes[r.attempt->outcome].label);
    }
    mt_jw_key_str(w, "persona", r.persona);
    if (r.simulation) {
        mt_jw_key_bool(w, "simulation", true);
    }
    mt_jw_keyz(w, "state_after");
    state_map_json(w, &r, true);
    mt_jw_keyz(w, "state_before");
    state_map_json(w, &r, false);
    if (step.ptr) {
        mt_jw_key_str(w, "step", step);
    }
    verdicts_used_json(w, &a, p->model, used);
    mt_jw_end_object(w);
    mt_arena_free(&a);
}

static void operation_record(mt_jw *w, const ct_run *run, const ct_record *r)
{
    ct_attempt attempt = {.error = r->error,
                          .outcome = r->result,
                          .change_count = r->change_count,
                          .entity = r->entity,
                          .state = r->state};
    ct_op_report report = {.frozen = &run->frozen,
                           .op = r->op,
                           .persona = ct_persona_id(run->plan, r->persona),
                           .attempt = &attempt,
                           .changes = ct_record_changes(run, r),
                           .instances = run->instances,
                           .simulation = run->simulation};
    op_provenance_json(w, &report, ct_record_kind_name(r->kind),
                       run->plan->steps[r->step].id, message(run, r->message), false);
}

/* Absent when it was real. */
static void simulation_key(mt_jw *w, const ct_run *run)
{
    if (run->simulation) {
        mt_jw_key_bool(w, "simulation", true);
    }
}

static void branch_record(mt_jw *w, const ct_run *run, const ct_record *r)
{
    mt_arena a = {0};
    mt_buf text = {0};
    const ct_plan_step *step = &run->plan->steps[r->step];
    const ct_model *m = run->plan->model;
    ct_used used = condition_used(&a, &run->frozen, step->what);
    ct_expr_text(&text, m, m->conditions[step->what]);
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "condition", mt_buf_str(&text));
    if (r->error) {
        mt_jw_key_str(w, "error", message(run, r->message));
    }
    facts_used_json(w, &a, m, used);
    mt_jw_key_str(w, "kind", MT_STR("branch"));
    mt_jw_key_str(w, "persona", ct_persona_id(run->plan, r->persona));
    if (!r->error) {
        mt_jw_key_bool(w, "result", r->result != 0);
    }
    simulation_key(w, run);
    mt_jw_key_str(w, "step", step->id);
    verdicts_used_json(w, &a, m, used);
    mt_jw_end_object(w);
    mt_buf_free(&text);
    mt_arena_free(&a);
}

static void handoff_record(mt_jw *w, const ct_run *run, const ct_record *r)
{
    const ct_plan_step *step = &run->plan->steps[r->step];
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "from", ct_persona_id(run->plan, step->persona));
    mt_jw_key_str(w, "kind", MT_STR("handoff"));
    simulation_key(w, run);
    mt_jw_key_str(w, "step", step->id);
    mt_jw_key_str(w, "to", ct_persona_id(run->plan, step->to_persona));
    mt_jw_end_object(w);
}

static void escalation_record(mt_jw *w, const ct_run *run, const ct_record *r)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "kind", MT_STR("escalation"));
    simulation_key(w, run);
    mt_jw_key_str(w, "step", run->plan->steps[r->step].id);
    mt_jw_key_str(w, "to", ct_persona_id(run->plan, r->persona));
    mt_jw_end_object(w);
}

static void records_json(mt_jw *w, const ct_run *run, uint32_t parent, uint32_t graph);

/* How a graph ended: a terminal, or an error. */
static void end_json(mt_jw *w, const ct_run *run, uint32_t terminal, uint32_t error)
{
    if (terminal != CT_NONE) {
        mt_jw_key_str(w, "outcome", run->plan->terminals[terminal].name);
    } else if (error != CT_NONE) {
        mt_jw_key_str(w, "error", message(run, error));
    }
}

/* ORDER: keys ascend, so an error stands before "flow" and an outcome behind "kind". */
static void subflow_record(mt_jw *w, const ct_run *run, const ct_record *r)
{
    const ct_plan_step *step = &run->plan->steps[r->step];
    mt_jw_begin_object(w);
    if (r->result == CT_NONE) {
        end_json(w, run, CT_NONE, r->message);
    }
    mt_jw_key_str(w, "flow", run->plan->graphs[step->what].id);
    mt_jw_key_str(w, "kind", MT_STR("sub_flow"));
    end_json(w, run, r->result, CT_NONE);
    mt_jw_key_str(w, "persona", ct_persona_id(run->plan, r->persona));
    mt_jw_keyz(w, "provenance");
    records_json(w, run, (uint32_t)(r - run->records.items), step->what);
    simulation_key(w, run);
    mt_jw_key_str(w, "step", step->id);
    mt_jw_end_object(w);
}

static void parallel_record(mt_jw *w, const ct_run *run, const ct_record *r)
{
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "branches");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < r->branch_count; i++) {
        const ct_branch_end *b = &run->branches.items[r->first_branch + i];
        mt_jw_begin_object(w);
        if (b->terminal == CT_NONE) {
            end_json(w, run, CT_NONE, b->message);
        }
        mt_jw_key_str(w, "id", run->plan->graphs[b->graph].id);
        end_json(w, run, b->terminal, CT_NONE);
        mt_jw_keyz(w, "provenance");
        records_json(w, run, (uint32_t)(r - run->records.items), b->graph);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
    mt_jw_key_str(w, "kind", MT_STR("parallel"));
    simulation_key(w, run);
    mt_jw_key_str(w, "step", run->plan->steps[r->step].id);
    mt_jw_end_object(w);
}

/* The records of one graph. Nesting is bounded by the plan's depth. */
static void records_json(mt_jw *w, const ct_run *run, uint32_t parent, uint32_t graph)
{
    typedef void printer(mt_jw *, const ct_run *, const ct_record *);
    /* ORDER ct_record_kind. */
    static printer *const PRINT[] = {
        operation_record, branch_record,    handoff_record,   subflow_record,
        parallel_record,  operation_record, escalation_record};
    mt_jw_begin_array(w);
    /* What is inside a record stands behind it. The whole list is walked for each
     * graph that is open; lists are as long as flow_steps allows. */
    uint32_t first = parent == CT_NONE ? 0 : parent + 1;
    for (size_t i = first; i < run->records.len; i++) {
        const ct_record *r = &run->records.items[i];
        if (r->parent == parent && r->graph == graph) {
            PRINT[r->kind](w, run, r);
        }
    }
    mt_jw_end_array(w);
}

/* {"contract","facts":[…],"steps":[…]}. */
static void run_provenance_json(mt_jw *w, const ct_run *run)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "contract", run->plan->model->id);
    mt_jw_keyz(w, "facts");
    ct_facts_json(w, run->frozen.snapshot.facts);
    simulation_key(w, run);
    mt_jw_keyz(w, "steps");
    ct_run_records_json(w, run);
    mt_jw_end_object(w);
}

void ct_run_records_json(mt_jw *w, const ct_run *run)
{
    records_json(w, run, CT_NONE, run->flow);
}

void ct_run_fault_text(mt_buf *out, const ct_run *run)
{
    mt_buf_addf(out, "flow error in '%.*s': %.*s",
                MT_ARG(run->plan->graphs[run->flow].id), MT_ARG(run->fault));
}

static void verdicts_json(mt_jw *w, const ct_frozen *z)
{
    mt_buf text = {0};
    ct_verdicts_json_array(&text, z->snapshot.verdicts);
    mt_jw_keyz(w, "verdicts");
    mt_jw_raw(w, mt_buf_str(&text));
    mt_buf_free(&text);
}

static void error_key(mt_jw *w, const ct_run *run)
{
    mt_buf text = {0};
    ct_run_fault_text(&text, run);
    mt_jw_key_str(w, "error", mt_buf_str(&text));
    mt_buf_free(&text);
}

void ct_run_json(mt_buf *out, const ct_run *run)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "entity_state_changes");
    ct_run_changes_json(&w, run);
    if (run->status == CT_RUN_FAILED) {
        error_key(&w, run);
    }
    mt_jw_key_str(&w, "flow_id", run->plan->graphs[run->flow].id);
    if (run->status == CT_RUN_DONE) {
        mt_jw_key_str(&w, "flow_outcome", run->plan->terminals[run->outcome].name);
    }
    mt_jw_key_str(&w, "initiating_persona", run->persona);
    mt_jw_keyz(&w, "instance_bindings");
    run_bindings_json(&w, run);
    mt_jw_keyz(&w, "provenance");
    run_provenance_json(&w, run);
    simulation_key(&w, run);
    mt_jw_keyz(&w, "steps_executed");
    ct_run_steps_json(&w, run);
    verdicts_json(&w, &run->frozen);
    mt_jw_end_object(&w);
}

void ct_op_changes_json(mt_jw *w, const ct_op_report *r)
{
    changes_json(w, r->frozen->plan, r->changes, r->attempt->change_count,
                 r->instances);
}

static void own_error_text(mt_buf *out, const ct_op_report *r)
{
    uint32_t e = r->attempt->entity;
    ct_op_error_text(out, r->frozen->plan, r->op, r->persona, r->attempt,
                     e == CT_NONE ? (mt_str){0} : r->instances[e]);
}

void ct_op_provenance_json(mt_jw *w, const ct_op_report *r)
{
    mt_buf error = {0};
    own_error_text(&error, r);
    op_provenance_json(w, r, MT_STR("operation"), (mt_str){0}, mt_buf_str(&error),
                       false);
    mt_buf_free(&error);
}

void ct_record_provenance_json(mt_jw *w, const ct_run *run, const ct_record *r)
{
    operation_record(w, run, r);
}

void ct_op_json(mt_buf *out, const ct_op_report *r)
{
    mt_buf error = {0};
    const ct_plan *p = r->frozen->plan;
    own_error_text(&error, r);
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "entity_state_changes");
    ct_op_changes_json(&w, r);
    if (r->attempt->error) {
        mt_jw_keyz(&w, "error");
        op_error_json(&w, r, mt_buf_str(&error));
    }
    mt_jw_key_str(&w, "operation_id", ct_operation_id(p, r->op));
    if (r->attempt->outcome != CT_NONE) {
        mt_jw_key_str(&w, "outcome", p->outcomes[r->attempt->outcome].label);
    }
    mt_jw_key_str(&w, "persona", r->persona);
    mt_jw_keyz(&w, "provenance");
    op_provenance_json(&w, r, MT_STR("operation"), (mt_str){0}, mt_buf_str(&error),
                       true);
    if (r->simulation) {
        mt_jw_key_bool(&w, "simulation", true);
    }
    verdicts_json(&w, r->frozen);
    mt_jw_end_object(&w);
    mt_buf_free(&error);
}

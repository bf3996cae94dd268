/* exec/commit/flow_row.c - a flow's row: as JSON, its bindings, its end.
 * Room: exec.
 * Needed by flows, by deployments that end or move them, and by answers that are asked
 * for again. The end of a flow is a record and, in the same transaction, a promise for
 * each trigger that waits for it. May fail: a row that does not fit its contract is
 * refused; the store. */
#include "contract/flow/position.h"
#include "contract/flow/report.h"
#include "exec/call/problem.h"
#include "exec/commit/effects.h"
#include "exec/commit/outbox.h"

/* ---- As JSON ---- */

void ex_outcomes_json(mt_jw *w, const ct_plan *p, const uint32_t *outcomes,
                      uint32_t count)
{
    mt_jw_keyz(w, "outcomes");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < count; i++) {
        mt_jw_str(w, p->outcomes[outcomes[i]].label);
    }
    mt_jw_end_array(w);
}

/* Of an operation all that it declares; which of them match is decided when it is
 * tried. */
void ex_all_outcomes_json(mt_jw *w, const ct_plan *p, uint32_t op)
{
    mt_jw_keyz(w, "outcomes");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < p->ops[op].outcome_count; i++) {
        mt_jw_str(w, p->outcomes[p->ops[op].first_outcome + i].label);
    }
    mt_jw_end_array(w);
}

/* The operation at which a row that waits stands, or CT_NONE. */
static uint32_t waiting_operation(const ex_version *v, const st_flow *row)
{
    mt_arena a = {0};
    mt_json tree;
    uint32_t op = mt_json_read(&a, row->position, NULL, &tree, NULL)
                      ? CT_NONE
                      : ct_position_operation(v->plan, &tree);
    mt_arena_free(&a);
    return op;
}

void ex_waiting_json(mt_jw *w, const ex_version *v, uint32_t op, const st_flow *row)
{
    if (!row->waiting_step.len) {
        return;
    }
    mt_jw_keyz(w, "waiting");
    mt_jw_begin_object(w);
    if (v && op != CT_NONE) {
        mt_jw_key_str(w, "operation", ct_operation_id(v->plan, op));
        ex_all_outcomes_json(w, v->plan, op);
    }
    mt_jw_key_str(w, "persona", row->waiting_persona);
    mt_jw_key_str(w, "step", row->waiting_step);
    mt_jw_end_object(w);
}

/* Only what waits needs one: to name the operation and the outcomes a caller may
 * choose. */
const ex_version *ex_waiting_version(ex_executor *x, const st_flow *row)
{
    mt_err err;
    return row->waiting_step.len ? ex_version_with(x, row->contract, row->etag, &err)
                                 : NULL;
}

void ex_flow_members(mt_jw *w, const ex_version *v, const st_flow *row)
{
    mt_jw_keyz(w, "bindings");
    mt_jw_raw(w, row->bindings);
    mt_jw_key_str(w, "contract", row->contract);
    mt_jw_key_str(w, "etag", row->etag);
    mt_jw_key_str(w, "flow", row->flow);
    mt_jw_key_str(w, "id", row->id);
    mt_jw_key_str(w, "initiator", row->initiator);
    if (row->outcome.len) {
        mt_jw_key_str(w, "outcome", row->outcome);
    }
    mt_jw_key_str(w, "persona", row->persona);
    mt_jw_keyz(w, "started_at");
    ex_time_json(w, row->started_ms);
    mt_jw_key_str(w, "status", row->status);
    mt_jw_keyz(w, "updated_at");
    ex_time_json(w, row->updated_ms);
    ex_waiting_json(w, v, v ? waiting_operation(v, row) : CT_NONE, row);
}

/* With the place where the flow can be asked for again. */
void ex_reply_flow(ex_job *job, const st_flow *row, int64_t record)
{
    const ex_version *v = ex_waiting_version(job->x, row);
    mt_jw w = ex_reply_with(job, 200);
    /* "record" or "queued" comes behind "waiting". */
    mt_jw_unsorted(&w);
    if (job->guard_call.len) {
        mt_jw_key_str(&w, "call", job->guard_call);
    }
    ex_flow_members(&w, v, row);
    ex_reply_record(&w, job, record);
    ex_reply_end(&w);
    ex_locate_flow(job, row->id);
}

void ex_states_json(mt_jw *w, const ct_plan *p, const uint32_t *states)
{
    mt_jw_keyz(w, "states");
    mt_jw_begin_unsorted(w);
    for (uint32_t e = 0; e < p->model->entity_count; e++) {
        if (states[e] != CT_NONE) {
            mt_jw_key(w, ct_entity_id(p, e));
            mt_jw_str(w, ct_plan_state_id(p, e, states[e]));
        }
    }
    mt_jw_end_object(w);
}

/* ---- Taken up, ended ---- */

/* They were checked when it began; an entity that a later version lacks is left out. */
bool ex_refused_row_bindings(ex_job *job, const st_flow *row)
{
    mt_json *tree = mt_new(&job->arena, mt_json);
    mt_str text = mt_str_dup(&job->arena, row->bindings);
    if (mt_json_read(&job->arena, text, NULL, tree, NULL)) {
        return ex_refuse(job, EX_FLOW_FAILED, "the flow's bindings cannot be read");
    }
    for (uint32_t i = 0; mt_json_is(tree, MT_JSON_OBJECT) && i < tree->count; i++) {
        const mt_json_member *b = &tree->as.members[i];
        uint32_t entity = ct_model_find(job->v->model, CT_KIND_ENTITY, b->key);
        if (entity != CT_NONE) {
            job->snap->instances[entity] = mt_json_text(&b->value);
        }
    }
    return false;
}

/* Steps and states are those of the run that ended it; a flow that is ended from
 * outside, by a deployment or a cancellation, may have none. */
mt_err ex_flow_ended(ex_job *job, ex_group *g, const ex_flow_end *end, int64_t *id)
{
    const st_flow *row = end->row;
    mt_jw w = ex_record_begin(g);
    /* ORDER: keys ascend, because the bytes are chained as they are written here. */
    if (end->asked_as.len) {
        mt_jw_key_str(&w, "asked_as", end->asked_as);
    }
    mt_jw_keyz(&w, "bindings");
    mt_jw_raw(&w, row->bindings);
    ex_caller_json(&w, job);
    mt_jw_key_str(&w, "contract", end->v->contract);
    if (end->error.len) {
        mt_jw_key_str(&w, "error", end->error);
    }
    mt_jw_key_str(&w, "etag", row->etag);
    mt_jw_key_str(&w, "execution", row->id);
    mt_jw_key_str(&w, "flow", row->flow);
    mt_jw_key_str(&w, "kind", MT_STR("flow_ended"));
    if (row->outcome.len) {
        mt_jw_key_str(&w, "outcome", row->outcome);
    }
    if (end->run) {
        ex_states_json(&w, end->v->plan, end->run->states);
    }
    mt_jw_key_str(&w, "status", row->status);
    if (end->run) {
        mt_jw_keyz(&w, "steps");
        ct_run_records_json(&w, end->run);
    }
    ex_record_time(&w, g);
    ex_record r = {.kind = "flow_ended",
                   .contract = end->v->contract,
                   .flow = row->id,
                   .unsorted = !end->v->sorted};
    ex_bound_subjects(g, row->bindings, &r);
    mt_err err = ex_record_end(g, &w, &r, id);
    return err ? err : ex_trigger_promise(g, row);
}

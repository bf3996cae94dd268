/* contract/flow/position_write.c - a run's position as JSON.
 *
 * Everything that is needed to go on later, in another process or after a crash:
 * frames (where each open graph stands), records (what was done), states and bindings
 * at the moment, steps left. Facts and verdicts are not in it; they are the snapshot,
 * kept beside it. position_read.c is the other half, and what it refuses this file
 * must never write.
 *
 * Things are written by name, never by index: a position is read under a newer
 * contract as well, and whether the names still mean something is looked at there
 * (analyze/version).
 *
 * Keys are in byte order; what does not apply is left out. A stopped run is written as
 * running: nothing of the step that was stopped has happened. Nothing can fail. */
#include "contract/flow/position.h"
#include "contract/flow/position_names.h"
#include "contract/flow/report.h"

/* ORDER ct_run_status; STOPPED is written as running: nothing was done. */
const mt_str CT_STATUS_NAMES[] = {
    [CT_RUN_MORE] = MT_STR_INIT("running"),
    [CT_RUN_DONE] = MT_STR_INIT("done"),
    [CT_RUN_FAILED] = MT_STR_INIT("failed"),
    [CT_RUN_WAITING] = MT_STR_INIT("waiting"),
    [CT_RUN_STOPPED] = MT_STR_INIT("running"),
};
MT_TABLE_COVERS(CT_STATUS_NAMES, CT_RUN_STOPPED + 1);

const mt_str CT_PHASE_NAMES[] = {
    [CT_AT_STEP] = MT_STR_INIT("step"),
    [CT_COMPENSATING] = MT_STR_INIT("compensate"),
    [CT_INSIDE] = MT_STR_INIT("inside"),
};
MT_TABLE_COVERS(CT_PHASE_NAMES, CT_INSIDE + 1);

/* CT_NONE is left out. */
static void key_index(mt_jw *w, const char *key, uint32_t index)
{
    if (index != CT_NONE) {
        mt_jw_key(w, mt_str_z(key));
        mt_jw_i64(w, index);
    }
}

static mt_str text_of(const ct_run *run, uint32_t message)
{
    return run->messages.items[message];
}

static void frames_json(mt_jw *w, const ct_run *run)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < run->frames.len; i++) {
        const ct_frame *f = &run->frames.items[i];
        mt_jw_begin_object(w);
        if (f->phase != CT_AT_STEP) {
            mt_jw_key_i64(w, "index", f->index);
        }
        mt_jw_key_str(w, "phase", CT_PHASE_NAMES[f->phase]);
        key_index(w, "record", f->record);
        mt_jw_key_str(w, "step", run->plan->steps[f->step].id);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

static void branches_json(mt_jw *w, const ct_run *run, const ct_record *r)
{
    mt_jw_keyz(w, "branches");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < r->branch_count; i++) {
        const ct_branch_end *b = &run->branches.items[r->first_branch + i];
        mt_jw_begin_object(w);
        if (b->message != CT_NONE) {
            mt_jw_key_str(w, "message", text_of(run, b->message));
        }
        if (b->terminal != CT_NONE) {
            mt_jw_key_str(w, "outcome", run->plan->terminals[b->terminal].name);
        }
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

static void changes_json(mt_jw *w, const ct_run *run, const ct_record *r)
{
    const ct_plan *p = run->plan;
    mt_jw_keyz(w, "changes");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < r->change_count; i++) {
        const ct_change *c = &run->changes.items[r->first_change + i];
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "entity", ct_entity_id(p, c->entity));
        mt_jw_key_str(w, "from", ct_plan_state_id(p, c->entity, c->from));
        mt_jw_key_str(w, "to", ct_plan_state_id(p, c->entity, c->to));
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

/* Which way a record's result is written depends on its kind. */
static void result_json(mt_jw *w, const ct_run *run, const ct_record *r)
{
    if (r->result == CT_NONE) {
        return;
    }
    mt_str text = r->kind == CT_RECORD_BRANCH
                      ? (r->result ? MT_STR("true") : MT_STR("false"))
                  : r->kind == CT_RECORD_SUBFLOW ? run->plan->terminals[r->result].name
                                                 : run->plan->outcomes[r->result].label;
    mt_jw_key_str(w, "result", text);
}

static void record_json(mt_jw *w, const ct_run *run, const ct_record *r)
{
    const ct_plan *p = run->plan;
    mt_jw_begin_object(w);
    if (r->parent != CT_NONE &&
        run->records.items[r->parent].kind == CT_RECORD_PARALLEL) {
        mt_jw_key_str(w, "branch", p->graphs[r->graph].id);
    }
    if (r->kind == CT_RECORD_PARALLEL) {
        branches_json(w, run, r);
    }
    if (r->change_count) {
        changes_json(w, run, r);
    }
    if (r->entity != CT_NONE) {
        mt_jw_key_str(w, "entity", ct_entity_id(p, r->entity));
    }
    if (r->error) {
        mt_jw_key_str(w, "error", ct_op_error_name(r->error));
    }
    mt_jw_key_str(w, "kind", ct_record_kind_name(r->kind));
    if (r->message != CT_NONE) {
        mt_jw_key_str(w, "message", text_of(run, r->message));
    }
    if (r->op != CT_NONE) {
        mt_jw_key_str(w, "op", ct_operation_id(p, r->op));
    }
    key_index(w, "parent", r->parent);
    if (r->persona != CT_NONE) {
        mt_jw_key_str(w, "persona", ct_persona_id(p, r->persona));
    }
    result_json(w, run, r);
    if (r->state != CT_NONE) {
        mt_jw_key_str(w, "state", ct_plan_state_id(p, r->entity, r->state));
    }
    mt_jw_key_str(w, "step", p->steps[r->step].id);
    mt_jw_end_object(w);
}

static void records_json(mt_jw *w, const ct_run *run)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < run->records.len; i++) {
        record_json(w, run, &run->records.items[i]);
    }
    mt_jw_end_array(w);
}

static void states_json(mt_jw *w, const ct_run *run)
{
    const ct_model *m = run->plan->model;
    mt_jw_begin_unsorted(w);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        if (run->states[e] != CT_NONE) {
            mt_jw_key(w, m->entities[e].id);
            mt_jw_str(w, m->entities[e].states[run->states[e]]);
        }
    }
    mt_jw_end_object(w);
}

static void instances_json(mt_jw *w, const ct_run *run)
{
    const ct_model *m = run->plan->model;
    mt_jw_begin_unsorted(w);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        if (run->instances[e].ptr) {
            mt_jw_key(w, m->entities[e].id);
            mt_jw_str(w, run->instances[e]);
        }
    }
    mt_jw_end_object(w);
}

void ct_position_write(mt_buf *out, const ct_run *run)
{
    const ct_plan *p = run->plan;
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "bindings");
    instances_json(&w, run);
    mt_jw_key_str(&w, "contract", p->model->id);
    if (run->status == CT_RUN_FAILED) {
        mt_jw_key_str(&w, "fault", run->fault);
    }
    mt_jw_key_str(&w, "flow", p->graphs[run->flow].id);
    mt_jw_keyz(&w, "frames");
    frames_json(&w, run);
    if (run->outcome != CT_NONE) {
        mt_jw_key_str(&w, "outcome", p->terminals[run->outcome].name);
    }
    mt_jw_key_str(&w, "persona", run->persona);
    mt_jw_keyz(&w, "records");
    records_json(&w, run);
    mt_jw_keyz(&w, "states");
    states_json(&w, run);
    mt_jw_key_str(&w, "status", CT_STATUS_NAMES[run->status]);
    mt_jw_key_i64(&w, "steps_left", (int64_t)run->steps_left);
    mt_jw_key_i64(&w, "version", CT_POSITION_VERSION);
    if (run->status == CT_RUN_WAITING) {
        mt_jw_key_str(&w, "waiting_for", ct_persona_id(p, run->waiting_for));
    }
    mt_jw_end_object(&w);
}

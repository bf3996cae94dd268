/* analyze/version/compat_position.c - a position as the new contract reads it.
 *
 * Called after an_compat() has found the run compatible: every frame has its step in
 * the new plan. Keys are in byte order, names instead of numbers, since the two plans
 * number differently. Entities and states the new contract does not have are left
 * behind.
 *
 * Only open frames travel, each with the record that it needs; what was done before is
 * recorded under the version that did it. */
#include "analyze/version/compat.h"
#include "contract/flow/position_names.h"
#include "contract/flow/report.h"

typedef struct carrier {
    mt_jw w;
    const ct_run *run;
    const ct_plan *next;
} carrier;

static mt_str step_id(const carrier *c, const ct_frame *f)
{
    return c->run->plan->steps[f->step].id;
}

/* Records are numbered anew: only those of open frames are carried. */
static void frames_json(carrier *c)
{
    int64_t record = 0; /* of the carried ones: one per frame that has an inside */
    mt_jw_begin_array(&c->w);
    for (size_t i = 0; i < c->run->frames.len; i++) {
        const ct_frame *f = &c->run->frames.items[i];
        mt_jw_begin_object(&c->w);
        if (f->phase != CT_AT_STEP) {
            mt_jw_key_i64(&c->w, "index", f->index);
        }
        mt_jw_key_str(&c->w, "phase", CT_PHASE_NAMES[f->phase]);
        if (f->phase == CT_INSIDE) {
            mt_jw_key_i64(&c->w, "record", record++);
        }
        mt_jw_key_str(&c->w, "step", step_id(c, f));
        mt_jw_end_object(&c->w);
    }
    mt_jw_end_array(&c->w);
}

/* Branches that are still open have neither message nor outcome: an empty object. */
static void branches_json(carrier *c, const ct_record *r)
{
    const ct_run *run = c->run;
    mt_jw_keyz(&c->w, "branches");
    mt_jw_begin_array(&c->w);
    for (uint32_t i = 0; i < r->branch_count; i++) {
        const ct_branch_end *b = &run->branches.items[r->first_branch + i];
        mt_jw_begin_object(&c->w);
        if (b->message != CT_NONE) {
            mt_jw_key_str(&c->w, "message", run->messages.items[b->message]);
        }
        if (b->terminal != CT_NONE) {
            mt_jw_key_str(&c->w, "outcome", run->plan->terminals[b->terminal].name);
        }
        mt_jw_end_object(&c->w);
    }
    mt_jw_end_array(&c->w);
}

/* The record of a frame inside a step; `graph` is the step's in the new plan. */
static void record_json(carrier *c, const ct_frame *f, uint32_t graph, uint32_t step,
                        int64_t parent)
{
    const ct_plan_step *s = &c->next->steps[step];
    bool parallel = s->does == LN_FORKS;
    mt_jw_begin_object(&c->w);
    if (c->next->graphs[graph].owner != CT_NONE) {
        mt_jw_key_str(&c->w, "branch", c->next->graphs[graph].id);
    }
    if (parallel) {
        branches_json(c, &c->run->records.items[f->record]);
    }
    mt_jw_key_str(
        &c->w, "kind",
        ct_record_kind_name(parallel ? CT_RECORD_PARALLEL : CT_RECORD_SUBFLOW));
    if (parent >= 0) {
        mt_jw_key_i64(&c->w, "parent", parent);
    }
    if (!parallel) {
        mt_jw_key_str(&c->w, "persona", ct_persona_id(c->next, s->persona));
    }
    mt_jw_key_str(&c->w, "step", s->id);
    mt_jw_end_object(&c->w);
}

/* Relies on an_compat(): every frame has been found in the new plan, so the names
 * resolve. The parent of a record is the one written before it. */
static void records_json(carrier *c)
{
    uint32_t graph = ct_model_find(c->next->model, CT_KIND_FLOW,
                                   c->run->plan->graphs[c->run->flow].id);
    int64_t parent = -1;
    mt_jw_begin_array(&c->w);
    for (size_t i = 0; i < c->run->frames.len; i++) {
        const ct_frame *f = &c->run->frames.items[i];
        if (f->phase != CT_INSIDE) {
            continue;
        }
        uint32_t step = ct_plan_step_named(c->next, graph, step_id(c, f));
        const ct_plan_step *s = &c->next->steps[step];
        record_json(c, f, graph, step, parent++);
        graph = s->does == LN_FORKS ? s->first_branch + f->index : s->what;
    }
    mt_jw_end_array(&c->w);
}

/* Entities the new contract has, with the states it has. */
static void entities_json(carrier *c, bool states)
{
    const ct_model *old = c->run->plan->model;
    mt_jw_begin_unsorted(&c->w);
    for (uint32_t e = 0; e < old->entity_count; e++) {
        mt_str id = old->entities[e].id;
        uint32_t now = ct_model_find(c->next->model, CT_KIND_ENTITY, id);
        if (now == CT_NONE || !c->run->instances[e].ptr) {
            continue;
        }
        mt_str value = c->run->instances[e];
        if (states) {
            uint32_t state = c->run->states[e];
            value = state == CT_NONE ? (mt_str){0} : old->entities[e].states[state];
            if (!value.len ||
                ct_state_find(&c->next->model->entities[now], value) == CT_NONE) {
                continue;
            }
        }
        mt_jw_key(&c->w, id);
        mt_jw_str(&c->w, value);
    }
    mt_jw_end_object(&c->w);
}

/* Written in the form that ct_position_read() takes, which checks it again. The steps
 * that are left stay: migrating is not a way to get more of them. */
void an_position_carry(mt_buf *out, const ct_run *run, const ct_plan *next)
{
    carrier c = {mt_jw_start(out, false), run, next};
    mt_jw_begin_object(&c.w);
    mt_jw_keyz(&c.w, "bindings");
    entities_json(&c, false);
    mt_jw_key_str(&c.w, "contract", next->model->id);
    mt_jw_key_str(&c.w, "flow", run->plan->graphs[run->flow].id);
    mt_jw_keyz(&c.w, "frames");
    frames_json(&c);
    mt_jw_key_str(&c.w, "persona", run->persona);
    mt_jw_keyz(&c.w, "records");
    records_json(&c);
    mt_jw_keyz(&c.w, "states");
    entities_json(&c, true);
    mt_jw_key_str(&c.w, "status", CT_STATUS_NAMES[CT_RUN_MORE]);
    mt_jw_key_i64(&c.w, "steps_left", (int64_t)run->steps_left);
    mt_jw_key_i64(&c.w, "version", CT_POSITION_VERSION);
    mt_jw_end_object(&c.w);
}

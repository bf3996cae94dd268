/* contract/flow/position_read.c - a position from outside, checked and taken up.
 * Room: contract.
 * Hostile input: every name must be known, every index must point at something of the
 * right kind that comes before it, and the frames must be a stack the machine could
 * have built. After that the machine can run on without checking again. */
#include "contract/flow/position.h"
#include "contract/flow/position_names.h"
#include "contract/flow/report.h"

typedef struct reader {
    ct_run *run;
    const ct_plan *p;
    mt_str why;
} reader;

static mt_err refuse(reader *r, mt_err err, const char *what, mt_str name)
{
    if (!r->why.ptr) {
        r->why = name.ptr ? mt_strf(&r->run->texts, "position: %s '%.*s'", what,
                                    MT_ARG(name))
                          : mt_strf(&r->run->texts, "position: %s", what);
    }
    return err;
}

static mt_err misplaced(reader *r, const char *what)
{
    return refuse(r, MT_E_RANGE, what, (mt_str){0});
}

static mt_str keep(reader *r, mt_str s)
{
    return mt_str_dup(&r->run->texts, s);
}

/* The string under `key`; ptr NULL when it is missing. */
static mt_err optional(reader *r, const mt_json *object, const char *key, mt_str *out)
{
    const mt_json *node = mt_json_get(object, mt_str_z(key));
    *out = (mt_str){0};
    if (node && node->type != MT_JSON_STRING) {
        return refuse(r, MT_E_TYPE, "must be a string:", mt_str_z(key));
    }
    if (node) {
        *out = mt_json_text(node);
        out->ptr = out->ptr ? out->ptr : "";
    }
    return MT_OK;
}

static mt_err required(reader *r, const mt_json *object, const char *key, mt_str *out)
{
    mt_err err = optional(r, object, key, out);
    return err ? err : out->ptr ? MT_OK : refuse(r, MT_E_TYPE, "lacks", mt_str_z(key));
}

/* A whole number below `below`; CT_NONE when it is missing. */
static mt_err index_of(reader *r, const mt_json *object, const char *key, size_t below,
                       uint32_t *out)
{
    const mt_json *node = mt_json_get(object, mt_str_z(key));
    int64_t n;
    *out = CT_NONE;
    if (!node) {
        return MT_OK;
    }
    if (mt_json_i64(node, &n) || n < 0 || (uint64_t)n >= below) {
        return refuse(r, MT_E_RANGE, "out of range:", mt_str_z(key));
    }
    *out = (uint32_t)n;
    return MT_OK;
}

static mt_err named(reader *r, const mt_json *object, const char *key, ct_kind kind,
                    uint32_t *out)
{
    mt_str name;
    mt_err err = optional(r, object, key, &name);
    *out = CT_NONE;
    if (err || !name.ptr) {
        return err;
    }
    *out = ct_model_find(r->p->model, kind, name);
    return *out != CT_NONE ? MT_OK : refuse(r, MT_E_NOTFOUND, "unknown", name);
}

static mt_err terminal(reader *r, const mt_json *object, const char *key, uint32_t *out)
{
    mt_str name;
    mt_err err = optional(r, object, key, &name);
    *out = CT_NONE;
    if (err || !name.ptr) {
        return err;
    }
    *out = ct_plan_terminal_named(r->p, name);
    return *out != CT_NONE ? MT_OK : refuse(r, MT_E_NOTFOUND, "unknown outcome", name);
}

static mt_err message(reader *r, const mt_json *object, uint32_t *out)
{
    mt_str text;
    mt_err err = optional(r, object, "message", &text);
    *out = CT_NONE;
    if (!err && text.ptr) {
        mt_vec_push(&r->run->memory, &r->run->messages, keep(r, text));
        *out = (uint32_t)r->run->messages.len - 1;
    }
    return err;
}

static mt_err state(reader *r, uint32_t entity, mt_str name, uint32_t *out)
{
    *out = ct_state_find(&r->p->model->entities[entity], name);
    return *out != CT_NONE ? MT_OK : refuse(r, MT_E_NOTFOUND, "unknown state", name);
}

static mt_err array(reader *r, const mt_json *object, const char *key,
                    const mt_json **out)
{
    *out = mt_json_get(object, mt_str_z(key));
    return mt_json_is(*out, MT_JSON_ARRAY)
               ? MT_OK
               : refuse(r, MT_E_TYPE, "must be an array:", mt_str_z(key));
}

/* --- bindings and states --- */

typedef mt_err entity_setter(reader *r, uint32_t entity, mt_str text);

static mt_err set_instance(reader *r, uint32_t entity, mt_str text)
{
    r->run->instances[entity] = keep(r, text);
    return text.len ? MT_OK : misplaced(r, "an instance has an empty name");
}

static mt_err set_state(reader *r, uint32_t entity, mt_str text)
{
    return state(r, entity, text, &r->run->states[entity]);
}

static mt_err each_entity(reader *r, const mt_json *json, const char *key,
                          entity_setter *set)
{
    const mt_json *map = mt_json_get(json, mt_str_z(key));
    if (!mt_json_is(map, MT_JSON_OBJECT)) {
        return refuse(r, MT_E_TYPE, "must be an object:", mt_str_z(key));
    }
    for (uint32_t i = 0; i < map->count; i++) {
        const mt_json_member *m = &map->as.members[i];
        uint32_t e = ct_model_find(r->p->model, CT_KIND_ENTITY, m->key);
        if (e == CT_NONE) {
            return refuse(r, MT_E_NOTFOUND, "unknown entity", m->key);
        }
        if (m->value.type != MT_JSON_STRING) {
            return refuse(r, MT_E_TYPE, "must be a string:", m->key);
        }
        mt_err err = set(r, e, mt_json_text(&m->value));
        if (err) {
            return err;
        }
    }
    return MT_OK;
}

/* --- records --- */

/* The graph a record's step lies in follows from the record around it. */
static mt_err record_graph(reader *r, const mt_json *json, ct_record *out)
{
    out->graph = r->run->flow;
    if (out->parent == CT_NONE) {
        return MT_OK;
    }
    const ct_record *up = &r->run->records.items[out->parent];
    const ct_plan_step *step = &r->p->steps[up->step];
    if (up->kind == CT_RECORD_SUBFLOW) {
        out->graph = step->what;
        return MT_OK;
    }
    mt_str branch;
    mt_err err = required(r, json, "branch", &branch);
    for (uint32_t i = 0; !err && i < step->branch_count; i++) {
        if (mt_str_eq(r->p->graphs[step->first_branch + i].id, branch)) {
            out->graph = step->first_branch + i;
            return MT_OK;
        }
    }
    return err ? err : refuse(r, MT_E_NOTFOUND, "unknown branch", branch);
}

static mt_err record_kind(reader *r, const mt_json *json, ct_record *out)
{
    mt_str name;
    mt_err err = required(r, json, "kind", &name);
    if (err) {
        return err;
    }
    for (int k = CT_RECORD_OPERATION; k <= CT_RECORD_ESCALATION; k++) {
        if (mt_str_eq(ct_record_kind_name((ct_record_kind)k), name)) {
            out->kind = (ct_record_kind)k;
            return MT_OK;
        }
    }
    return refuse(r, MT_E_NOTFOUND, "unknown kind of record", name);
}

static mt_err record_place(reader *r, const mt_json *json, ct_record *out)
{
    mt_err err = index_of(r, json, "parent", r->run->records.len, &out->parent);
    if (!err && out->parent != CT_NONE) {
        ct_record_kind up = r->run->records.items[out->parent].kind;
        err = up == CT_RECORD_SUBFLOW || up == CT_RECORD_PARALLEL
                  ? MT_OK
                  : misplaced(r, "a record lies inside a step that has no inside");
    }
    err = err ? err : record_graph(r, json, out);
    mt_str step;
    err = err ? err : required(r, json, "step", &step);
    if (err) {
        return err;
    }
    out->step = ct_plan_step_named(r->p, out->graph, step);
    return out->step != CT_NONE ? MT_OK
                                : refuse(r, MT_E_NOTFOUND, "unknown step", step);
}

static bool undoes(const ct_plan *p, const ct_plan_handler *h, uint32_t op)
{
    for (uint32_t i = 0; i < h->undo_count; i++) {
        if (p->undos[h->first_undo + i].op == op) {
            return true;
        }
    }
    return false;
}

/* Does the step have such a record? */
static mt_err record_fits(reader *r, const ct_record *rec)
{
    const ct_plan_step *s = &r->p->steps[rec->step];
    bool fits = false;
    switch (rec->kind) {
    case CT_RECORD_OPERATION:
        fits = s->does == LN_OPERATES && rec->op == s->what;
        break;
    case CT_RECORD_BRANCH: fits = s->does == LN_DECIDES; break;
    case CT_RECORD_HANDOFF: fits = s->does == LN_GOES_ON; break;
    case CT_RECORD_SUBFLOW: fits = s->does == LN_CALLS; break;
    case CT_RECORD_PARALLEL: fits = s->does == LN_FORKS; break;
    case CT_RECORD_COMPENSATION:
        fits = rec->op != CT_NONE && undoes(r->p, &s->handler, rec->op);
        break;
    case CT_RECORD_ESCALATION: fits = s->handler.kind == CT_ESCALATE; break;
    }
    if (fits && rec->kind != CT_RECORD_PARALLEL) {
        fits = rec->persona != CT_NONE;
    }
    return fits ? MT_OK : misplaced(r, "a record does not fit its step");
}

static mt_err record_result(reader *r, const mt_json *json, ct_record *rec)
{
    mt_str text;
    mt_err err = optional(r, json, "result", &text);
    if (err || !text.ptr) {
        bool due = !rec->error && (rec->kind == CT_RECORD_OPERATION ||
                                   rec->kind == CT_RECORD_COMPENSATION ||
                                   rec->kind == CT_RECORD_BRANCH);
        return err ? err : due ? misplaced(r, "a record lacks its result") : MT_OK;
    }
    if (rec->kind == CT_RECORD_SUBFLOW) {
        return terminal(r, json, "result", &rec->result);
    }
    if (rec->kind == CT_RECORD_BRANCH) {
        rec->result = mt_str_is(text, "true");
        return rec->result || mt_str_is(text, "false")
                   ? MT_OK
                   : misplaced(r, "a branch is neither true nor false");
    }
    if (rec->op == CT_NONE) {
        return misplaced(r, "a record has a result it cannot have");
    }
    rec->result = ct_plan_outcome_named(r->p, rec->op, text);
    return rec->result != CT_NONE ? MT_OK
                                  : refuse(r, MT_E_NOTFOUND, "unknown outcome", text);
}

static mt_err record_error(reader *r, const mt_json *json, ct_record *rec)
{
    mt_str name, at;
    mt_err err = optional(r, json, "error", &name);
    err = err ? err : optional(r, json, "state", &at);
    err = err ? err : named(r, json, "entity", CT_KIND_ENTITY, &rec->entity);
    err = err ? err : message(r, json, &rec->message);
    if (err) {
        return err;
    }
    if (name.ptr) {
        rec->error = ct_op_error_named(name);
        if (rec->error == CT_OP_ERROR_COUNT || rec->error == CT_OP_NONE) {
            rec->error = CT_OP_NONE;
            return refuse(r, MT_E_NOTFOUND, "unknown error", name);
        }
        if (rec->message == CT_NONE) {
            return misplaced(r, "an error lacks its message");
        }
    }
    if (at.ptr && rec->entity == CT_NONE) {
        return misplaced(r, "a state without its entity");
    }
    return at.ptr ? state(r, rec->entity, at, &rec->state) : MT_OK;
}

static mt_err read_change(reader *r, const mt_json *json, ct_change *out)
{
    mt_str from, to;
    mt_err err = named(r, json, "entity", CT_KIND_ENTITY, &out->entity);
    err = err ? err : required(r, json, "from", &from);
    err = err ? err : required(r, json, "to", &to);
    if (err) {
        return err;
    }
    if (out->entity == CT_NONE || !r->run->instances[out->entity].ptr) {
        return misplaced(r, "a change of an entity that is not bound");
    }
    err = state(r, out->entity, from, &out->from);
    return err ? err : state(r, out->entity, to, &out->to);
}

static mt_err record_changes(reader *r, const mt_json *json, ct_record *rec)
{
    const mt_json *list = mt_json_at(json, "changes");
    rec->first_change = (uint32_t)r->run->changes.len;
    if (!list) {
        return MT_OK;
    }
    if (list->type != MT_JSON_ARRAY || rec->op == CT_NONE) {
        return misplaced(r, "changes that are none");
    }
    for (uint32_t i = 0; i < list->count; i++) {
        ct_change change;
        mt_err err = read_change(r, &list->as.items[i], &change);
        if (err) {
            return err;
        }
        mt_vec_push(&r->run->memory, &r->run->changes, change);
        rec->change_count++;
    }
    return MT_OK;
}

static mt_err record_branches(reader *r, const mt_json *json, ct_record *rec)
{
    if (rec->kind != CT_RECORD_PARALLEL) {
        return MT_OK;
    }
    const ct_plan_step *step = &r->p->steps[rec->step];
    const mt_json *list;
    mt_err err = array(r, json, "branches", &list);
    if (!err && list->count != step->branch_count) {
        err = misplaced(r, "a parallel record has another number of branches");
    }
    rec->first_branch = (uint32_t)r->run->branches.len;
    for (uint32_t i = 0; !err && i < step->branch_count; i++) {
        ct_branch_end end = {step->first_branch + i, CT_NONE, CT_NONE};
        err = terminal(r, &list->as.items[i], "outcome", &end.terminal);
        err = err ? err : message(r, &list->as.items[i], &end.message);
        mt_vec_push(&r->run->memory, &r->run->branches, end);
        rec->branch_count++;
    }
    return err;
}

static mt_err read_record(reader *r, const mt_json *json)
{
    ct_record rec = {.op = CT_NONE,
                     .persona = CT_NONE,
                     .result = CT_NONE,
                     .entity = CT_NONE,
                     .state = CT_NONE,
                     .message = CT_NONE};
    mt_err err = record_kind(r, json, &rec);
    err = err ? err : record_place(r, json, &rec);
    err = err ? err : named(r, json, "op", CT_KIND_OPERATION, &rec.op);
    err = err ? err : named(r, json, "persona", CT_KIND_PERSONA, &rec.persona);
    err = err ? err : record_fits(r, &rec);
    err = err ? err : record_error(r, json, &rec);
    err = err ? err : record_result(r, json, &rec);
    err = err ? err : record_changes(r, json, &rec);
    err = err ? err : record_branches(r, json, &rec);
    if (!err) {
        mt_vec_push(&r->run->memory, &r->run->records, rec);
    }
    return err;
}

static mt_err read_records(reader *r, const mt_json *json)
{
    const mt_json *list;
    mt_err err = array(r, json, "records", &list);
    for (uint32_t i = 0; !err && i < list->count; i++) {
        err = read_record(r, &list->as.items[i]);
    }
    return err;
}

/* --- frames --- */

static mt_err frame_phase(reader *r, const mt_json *json, ct_frame *f)
{
    mt_str name;
    mt_err err = required(r, json, "phase", &name);
    for (int i = CT_AT_STEP; !err && i <= CT_INSIDE; i++) {
        if (mt_str_eq(CT_PHASE_NAMES[i], name)) {
            f->phase = (ct_phase)i;
            return MT_OK;
        }
    }
    return err ? err : refuse(r, MT_E_NOTFOUND, "unknown phase", name);
}

/* `index` counts compensations or branches, `record` is the step's own. */
static mt_err frame_inside(reader *r, const mt_json *json, ct_frame *f, bool last)
{
    const ct_plan_step *s = &r->p->steps[f->step];
    bool inside = f->phase == CT_INSIDE;
    bool parallel = s->does == LN_FORKS;
    if (inside == last || (inside && !parallel && s->does != LN_CALLS)) {
        return misplaced(r, "frames are not nested as steps are");
    }
    if (f->phase == CT_AT_STEP) {
        return MT_OK;
    }
    uint32_t below = !inside ? s->handler.undo_count : parallel ? s->branch_count : 1;
    mt_err err = index_of(r, json, "index", below, &f->index);
    if (err || f->index == CT_NONE) {
        return err ? err : misplaced(r, "a frame lacks its index");
    }
    if (!inside) {
        return s->handler.kind == CT_COMPENSATE
                   ? MT_OK
                   : misplaced(r, "a step compensates that cannot");
    }
    err = index_of(r, json, "record", r->run->records.len, &f->record);
    if (err) {
        return err;
    }
    ct_record_kind kind = parallel ? CT_RECORD_PARALLEL : CT_RECORD_SUBFLOW;
    const ct_record *rec =
        f->record == CT_NONE ? NULL : &r->run->records.items[f->record];
    return rec && rec->step == f->step && rec->kind == kind && rec->parent == f->parent
               ? MT_OK
               : misplaced(r, "a frame does not have its own record");
}

static void child_of(const reader *r, const ct_frame *f, uint32_t *graph,
                     uint32_t *parent)
{
    const ct_plan_step *s = &r->p->steps[f->step];
    *graph = s->does == LN_FORKS ? s->first_branch + f->index : s->what;
    *parent = f->record;
}

static mt_err read_frames(reader *r, const mt_json *json)
{
    const mt_json *list;
    mt_err err = array(r, json, "frames", &list);
    uint32_t graph = r->run->flow, parent = CT_NONE;
    for (uint32_t i = 0; !err && i < list->count; i++) {
        const mt_json *item = &list->as.items[i];
        ct_frame f = {.graph = graph, .record = CT_NONE, .parent = parent};
        mt_str step;
        err = required(r, item, "step", &step);
        if (err) {
            break;
        }
        f.step = ct_plan_step_named(r->p, graph, step);
        if (f.step == CT_NONE) {
            return refuse(r, MT_E_NOTFOUND, "unknown step", step);
        }
        err = frame_phase(r, item, &f);
        err = err ? err : frame_inside(r, item, &f, i + 1 == list->count);
        if (!err) {
            mt_vec_push(&r->run->memory, &r->run->frames, f);
            if (f.phase == CT_INSIDE) {
                child_of(r, &f, &graph, &parent);
            }
        }
    }
    return err;
}

/* --- the whole --- */

static mt_err read_status(reader *r, const mt_json *json)
{
    ct_run *run = r->run;
    mt_str name, fault;
    mt_err err = required(r, json, "status", &name);
    err = err ? err : optional(r, json, "fault", &fault);
    err = err ? err : terminal(r, json, "outcome", &run->outcome);
    if (err) {
        return err;
    }
    bool open = mt_str_is(name, "running") || mt_str_is(name, "waiting");
    bool done = mt_str_is(name, "done"), failed = mt_str_is(name, "failed");
    if (!open && !done && !failed) {
        return refuse(r, MT_E_NOTFOUND, "unknown status", name);
    }
    if (open != (run->frames.len > 0) || done != (run->outcome != CT_NONE) ||
        failed != (fault.ptr != NULL)) {
        return misplaced(r, "status, frames and outcome disagree");
    }
    run->status = open ? CT_RUN_MORE : done ? CT_RUN_DONE : CT_RUN_FAILED;
    run->fault = failed ? keep(r, fault) : (mt_str){0};
    return MT_OK;
}

static mt_err read_head(reader *r, const mt_json *json)
{
    int64_t version, left;
    if (!mt_json_is(json, MT_JSON_OBJECT)) {
        return refuse(r, MT_E_TYPE, "is not an object", (mt_str){0});
    }
    if (mt_json_i64(mt_json_at(json, "version"), &version) ||
        version != CT_POSITION_VERSION) {
        return refuse(r, MT_E_VERSION, "has another version", (mt_str){0});
    }
    if (mt_json_i64(mt_json_at(json, "steps_left"), &left) || left < 0) {
        return refuse(r, MT_E_TYPE, "lacks", MT_STR("steps_left"));
    }
    if ((uint64_t)left < r->run->steps_left) {
        r->run->steps_left = (size_t)left;
    }
    mt_str contract, persona;
    mt_err err = required(r, json, "contract", &contract);
    err = err ? err : required(r, json, "persona", &persona);
    err = err ? err : named(r, json, "flow", CT_KIND_FLOW, &r->run->flow);
    if (err) {
        return err;
    }
    if (!mt_str_eq(contract, r->p->model->id)) {
        return refuse(r, MT_E_NOTFOUND, "belongs to contract", contract);
    }
    r->run->persona = keep(r, persona);
    return r->run->flow != CT_NONE ? MT_OK
                                   : refuse(r, MT_E_TYPE, "lacks", MT_STR("flow"));
}

/* What the flow can still change must be bound. */
static mt_err check_bound(reader *r)
{
    const uint64_t *entities = r->p->graphs[r->run->flow].entities;
    for (uint32_t e = 0; e < r->p->model->entity_count; e++) {
        if (ct_bit(entities, e) && !r->run->instances[e].ptr) {
            return refuse(r, MT_E_TYPE, "binds no instance to entity",
                          ct_entity_id(r->p, e));
        }
    }
    return MT_OK;
}

mt_err ct_position_read(ct_run *run, const ct_run_input *input, const mt_json *json,
                        mt_str *why)
{
    reader r = {.run = run, .p = input->plan};
    ct_run_input in = *input;
    in.flow = 0;
    in.instances = NULL;
    in.states = NULL;
    ct_run_prepare(run, &in);
    mt_err err = read_head(&r, json);
    err = err ? err : each_entity(&r, json, "bindings", set_instance);
    err = err ? err : each_entity(&r, json, "states", set_state);
    err = err ? err : check_bound(&r);
    err = err ? err : read_records(&r, json);
    err = err ? err : read_frames(&r, json);
    err = err ? err : read_status(&r, json);
    if (err) {
        run->status = CT_RUN_FAILED;
        run->fault = r.why;
        run->frames.len = 0;
        *why = r.why;
    }
    return err;
}

/* --- where it stands --- */

/* The graph inside of the frame's step. */
static uint32_t graph_inside(const ct_plan_step *s, int64_t index)
{
    bool parallel = s->does == LN_FORKS;
    if (parallel && (index < 0 || index >= s->branch_count)) {
        return CT_NONE;
    }
    return parallel              ? s->first_branch + (uint32_t)index
           : s->does == LN_CALLS ? s->what
                                 : CT_NONE;
}

static uint32_t undo_at(const ct_plan *p, const ct_plan_step *s, int64_t index)
{
    return index >= 0 && index < s->handler.undo_count
               ? p->undos[s->handler.first_undo + (uint32_t)index].op
               : CT_NONE;
}

uint32_t ct_position_operation(const ct_plan *p, const mt_json *json)
{
    const mt_json *frames = mt_json_at(json, "frames");
    uint32_t graph =
        ct_model_find(p->model, CT_KIND_FLOW, mt_json_text(mt_json_at(json, "flow")));
    for (uint32_t i = 0; mt_json_is(frames, MT_JSON_ARRAY) && i < frames->count; i++) {
        const mt_json *f = &frames->as.items[i];
        mt_str phase = mt_json_text(mt_json_at(f, "phase"));
        uint32_t step =
            graph == CT_NONE
                ? CT_NONE
                : ct_plan_step_named(p, graph, mt_json_text(mt_json_at(f, "step")));
        int64_t index = 0;
        if (step == CT_NONE ||
            (mt_json_at(f, "index") && mt_json_i64(mt_json_at(f, "index"), &index))) {
            return CT_NONE;
        }
        const ct_plan_step *s = &p->steps[step];
        if (mt_str_eq(phase, CT_PHASE_NAMES[CT_COMPENSATING])) {
            return undo_at(p, s, index);
        }
        if (!mt_str_eq(phase, CT_PHASE_NAMES[CT_INSIDE])) {
            return s->does == LN_OPERATES ? s->what : CT_NONE;
        }
        graph = graph_inside(s, index);
    }
    return CT_NONE;
}

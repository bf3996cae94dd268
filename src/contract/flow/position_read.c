/* contract/flow/position_read.c - a position from outside, checked and taken up.
 * Room: contract.
 *
 * The head first, by its table; then bindings and states, which records refer to; then
 * records, each of which may lie inside one before it; then frames; last the status,
 * which must agree with all of them.
 * INVARIANT: hostile input: every name must be known, every index must point at
 * something of the right kind that comes before it, and the frames must be a stack the
 * machine could have built. After that the machine can run on without checking again.
 * May fail: MT_E_TYPE (shape), MT_E_RANGE (does not fit together), MT_E_NOTFOUND (an
 * unknown name), MT_E_VERSION. The first fault is kept; the run is then a failed one.
 */
#include "contract/flow/position.h"

#include "base/form.h"
#include "contract/flow/position_names.h"
#include "contract/flow/report.h"

/* ---- the form ---- */

/* Text; absent is ptr NULL, so empty is not. */
static bool read_said(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    mt_str text;
    if (!mt_form_text(f, row, v, &text)) {
        return false;
    }
    *(mt_str *)to = text.ptr ? text : MT_STR("");
    return true;
}

#define SAID(type, field, key, flags) MT_FORM_OWN(type, field, key, read_said, flags)
#define INDEX(type, field, key)       MT_FORM_U32(type, field, key, 0, CT_NONE - 1, 0)
/* No bound of its own: the size of the text that a position is read from bounds it. */
enum { MOST_ENTRIES = 100000000 };

typedef struct draft_change {
    mt_str entity, from, to;
} draft_change;
static const mt_form_row CHANGE[] = {
    SAID(draft_change, entity, "entity", 0),
    SAID(draft_change, from, "from", MT_FORM_REQUIRED),
    SAID(draft_change, to, "to", MT_FORM_REQUIRED),
};

typedef struct draft_end {
    mt_str outcome, message;
} draft_end;
static const mt_form_row BRANCH_END[] = {
    SAID(draft_end, outcome, "outcome", 0),
    SAID(draft_end, message, "message", 0),
};

typedef struct draft_record {
    mt_str kind, step, branch, op, persona, result;
    mt_str error, entity, state, message;
    const mt_json *changes, *branches;
    uint32_t parent;
} draft_record;
static const mt_form_row RECORD[] = {
    SAID(draft_record, kind, "kind", MT_FORM_REQUIRED),
    SAID(draft_record, step, "step", MT_FORM_REQUIRED),
    INDEX(draft_record, parent, "parent"),
    SAID(draft_record, branch, "branch", 0),
    SAID(draft_record, op, "op", 0),
    SAID(draft_record, persona, "persona", 0),
    SAID(draft_record, result, "result", 0),
    SAID(draft_record, error, "error", 0),
    SAID(draft_record, entity, "entity", 0),
    SAID(draft_record, state, "state", 0),
    SAID(draft_record, message, "message", 0),
    MT_FORM_LIST(draft_record, changes, "changes", 0, MOST_ENTRIES, 0),
    MT_FORM_LIST(draft_record, branches, "branches", 0, MOST_ENTRIES, 0),
};

typedef struct draft_frame {
    mt_str step, phase;
    uint32_t index, record;
} draft_frame;
static const mt_form_row FRAME[] = {
    SAID(draft_frame, step, "step", MT_FORM_REQUIRED),
    SAID(draft_frame, phase, "phase", MT_FORM_REQUIRED),
    INDEX(draft_frame, index, "index"),
    INDEX(draft_frame, record, "record"),
};

typedef struct draft {
    mt_str contract, persona, flow, status, fault, outcome;
    uint64_t steps_left;
    const mt_json *bindings, *states, *records, *frames;
} draft;
static const mt_form_row POSITION[] = {
    MT_FORM_U64(draft, steps_left, "steps_left", 0, INT64_MAX, MT_FORM_REQUIRED),
    SAID(draft, contract, "contract", MT_FORM_REQUIRED),
    SAID(draft, persona, "persona", MT_FORM_REQUIRED),
    SAID(draft, flow, "flow", MT_FORM_REQUIRED),
    MT_FORM_OBJECT(draft, bindings, "bindings", MT_FORM_REQUIRED),
    MT_FORM_OBJECT(draft, states, "states", MT_FORM_REQUIRED),
    MT_FORM_LIST(draft, records, "records", 0, MOST_ENTRIES, MT_FORM_REQUIRED),
    MT_FORM_LIST(draft, frames, "frames", 0, MOST_ENTRIES, MT_FORM_REQUIRED),
    SAID(draft, status, "status", MT_FORM_REQUIRED),
    SAID(draft, fault, "fault", 0),
    SAID(draft, outcome, "outcome", 0),
};

/* ---- refusing, and names ---- */

typedef struct reader {
    ct_run *run;
    const ct_plan *p;
    mt_form form;
    mt_err err; /* the first, and why */
    mt_str why;
} reader;

static mt_err refuse(reader *r, mt_err err, const char *what, mt_str name)
{
    if (!r->why.ptr) {
        r->err = err;
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

static void hear(void *state, const mt_form_fault *fault)
{
    reader *r = state;
    /* A steps_left of another kind counts as missing: without it the run has no
     * bound. */
    if (fault->wrong == MT_FORM_MISSING || mt_str_is(fault->key, "steps_left")) {
        refuse(r, MT_E_TYPE, "lacks", fault->key);
    } else if (fault->wrong == MT_FORM_OUT_OF_RANGE) {
        refuse(r, MT_E_RANGE, "out of range:", fault->key);
    } else {
        refuse(r, MT_E_TYPE, mt_str_dup(&r->run->texts, fault->message).ptr,
               (mt_str){0});
    }
}

static mt_err read_rows(reader *r, mt_form *f, const mt_json *json,
                        const mt_form_row *rows, size_t count, void *out)
{
    return mt_form_read(f, json, rows, count, out) ? MT_OK : r->err;
}
#define READ(r, f, json, rows, out)                                                    \
    read_rows((r), (f), (json), (rows), mt_form_count(rows), (out))

static mt_str keep(reader *r, mt_str s)
{
    return mt_str_dup(&r->run->texts, s);
}

/* An index from outside, where there is one. */
static mt_err below(reader *r, uint32_t index, size_t end, const char *key)
{
    return index == CT_NONE || index < end
               ? MT_OK
               : refuse(r, MT_E_RANGE, "out of range:", mt_str_z(key));
}

static mt_err named(reader *r, mt_str name, ct_kind kind, uint32_t *out)
{
    *out = CT_NONE;
    if (!name.ptr) {
        return MT_OK;
    }
    *out = ct_model_find(r->p->model, kind, name);
    return *out != CT_NONE ? MT_OK : refuse(r, MT_E_NOTFOUND, "unknown", name);
}

static mt_err terminal(reader *r, mt_str name, uint32_t *out)
{
    *out = CT_NONE;
    if (!name.ptr) {
        return MT_OK;
    }
    *out = ct_plan_terminal_named(r->p, name);
    return *out != CT_NONE ? MT_OK : refuse(r, MT_E_NOTFOUND, "unknown outcome", name);
}

/* Its index among the run's messages, CT_NONE for none. */
static uint32_t message(reader *r, mt_str text)
{
    if (!text.ptr) {
        return CT_NONE;
    }
    mt_vec_push(&r->run->memory, &r->run->messages, keep(r, text));
    return (uint32_t)r->run->messages.len - 1;
}

static mt_err state(reader *r, uint32_t entity, mt_str name, uint32_t *out)
{
    *out = ct_state_find(&r->p->model->entities[entity], name);
    return *out != CT_NONE ? MT_OK : refuse(r, MT_E_NOTFOUND, "unknown state", name);
}

/* ---- bindings and states ---- */

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

static mt_err each_entity(reader *r, const mt_json *map, entity_setter *set)
{
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

/* ---- records ---- */

/* The graph a record's step lies in follows from the record around it.
 * So no position can put a step into a graph that its parent does not open. */
static mt_err record_graph(reader *r, mt_str branch, ct_record *out)
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
    if (!branch.ptr) {
        return refuse(r, MT_E_TYPE, "lacks", MT_STR("branch"));
    }
    for (uint32_t i = 0; i < step->branch_count; i++) {
        if (mt_str_eq(r->p->graphs[step->first_branch + i].id, branch)) {
            out->graph = step->first_branch + i;
            return MT_OK;
        }
    }
    return refuse(r, MT_E_NOTFOUND, "unknown branch", branch);
}

static mt_err record_kind(reader *r, mt_str name, ct_record *out)
{
    for (int k = CT_RECORD_OPERATION; k <= CT_RECORD_ESCALATION; k++) {
        if (mt_str_eq(ct_record_kind_name((ct_record_kind)k), name)) {
            out->kind = (ct_record_kind)k;
            return MT_OK;
        }
    }
    return refuse(r, MT_E_NOTFOUND, "unknown kind of record", name);
}

/* A record's parent stands before it, so one pass is enough. */
static mt_err record_place(reader *r, const draft_record *d, ct_record *out)
{
    out->parent = d->parent;
    mt_err err = below(r, d->parent, r->run->records.len, "parent");
    if (!err && out->parent != CT_NONE) {
        ct_record_kind up = r->run->records.items[out->parent].kind;
        err = up == CT_RECORD_SUBFLOW || up == CT_RECORD_PARALLEL
                  ? MT_OK
                  : misplaced(r, "a record lies inside a step that has no inside");
    }
    err = err ? err : record_graph(r, d->branch, out);
    if (err) {
        return err;
    }
    out->step = ct_plan_step_named(r->p, out->graph, d->step);
    return out->step != CT_NONE ? MT_OK
                                : refuse(r, MT_E_NOTFOUND, "unknown step", d->step);
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
    /* Somebody does every step but a join, which nobody does. */
    if (fits && rec->kind != CT_RECORD_PARALLEL) {
        fits = rec->persona != CT_NONE;
    }
    return fits ? MT_OK : misplaced(r, "a record does not fit its step");
}

/* Which result a record must have follows from its kind; one that lacks it was not
 * written by us. */
static mt_err record_result(reader *r, mt_str text, ct_record *rec)
{
    if (!text.ptr) {
        bool due = !rec->error && (rec->kind == CT_RECORD_OPERATION ||
                                   rec->kind == CT_RECORD_COMPENSATION ||
                                   rec->kind == CT_RECORD_BRANCH);
        return due ? misplaced(r, "a record lacks its result") : MT_OK;
    }
    if (rec->kind == CT_RECORD_SUBFLOW) {
        return terminal(r, text, &rec->result);
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

static mt_err record_error(reader *r, const draft_record *d, ct_record *rec)
{
    mt_err err = named(r, d->entity, CT_KIND_ENTITY, &rec->entity);
    rec->message = message(r, d->message);
    if (err) {
        return err;
    }
    if (d->error.ptr) {
        rec->error = ct_op_error_named(d->error);
        if (rec->error == CT_OP_ERROR_COUNT || rec->error == CT_OP_NONE) {
            /* The count is not a value of the enum; it must not stay in a record
             * that others print. */
            rec->error = CT_OP_NONE;
            return refuse(r, MT_E_NOTFOUND, "unknown error", d->error);
        }
        if (rec->message == CT_NONE) {
            return misplaced(r, "an error lacks its message");
        }
    }
    if (d->state.ptr && rec->entity == CT_NONE) {
        return misplaced(r, "a state without its entity");
    }
    return d->state.ptr ? state(r, rec->entity, d->state, &rec->state) : MT_OK;
}

static mt_err read_change(reader *r, mt_form *f, const mt_json *json, ct_change *out)
{
    draft_change d = {0};
    mt_err err = READ(r, f, json, CHANGE, &d);
    err = err ? err : named(r, d.entity, CT_KIND_ENTITY, &out->entity);
    if (err) {
        return err;
    }
    if (out->entity == CT_NONE || !r->run->instances[out->entity].ptr) {
        return misplaced(r, "a change of an entity that is not bound");
    }
    err = state(r, out->entity, d.from, &out->from);
    return err ? err : state(r, out->entity, d.to, &out->to);
}

static mt_err record_changes(reader *r, mt_form *f, const mt_json *list, ct_record *rec)
{
    rec->first_change = (uint32_t)r->run->changes.len;
    if (list && rec->op == CT_NONE) {
        return misplaced(r, "changes that are none");
    }
    for (uint32_t i = 0; list && i < list->count; i++) {
        ct_change change;
        mt_form in = mt_form_item(f, "changes", i, "a change");
        mt_err err = read_change(r, &in, &list->as.items[i], &change);
        if (err) {
            return err;
        }
        mt_vec_push(&r->run->memory, &r->run->changes, change);
        rec->change_count++;
    }
    return MT_OK;
}

static mt_err record_branches(reader *r, mt_form *f, const mt_json *list,
                              ct_record *rec)
{
    const ct_plan_step *step = &r->p->steps[rec->step];
    mt_err err = MT_OK;
    if (rec->kind != CT_RECORD_PARALLEL) {
        return MT_OK;
    }
    if (!list) {
        return refuse(r, MT_E_TYPE, "lacks", MT_STR("branches"));
    }
    if (list->count != step->branch_count) {
        return misplaced(r, "a parallel record has another number of branches");
    }
    rec->first_branch = (uint32_t)r->run->branches.len;
    for (uint32_t i = 0; !err && i < step->branch_count; i++) {
        ct_branch_end end = {step->first_branch + i, CT_NONE, CT_NONE};
        mt_form in = mt_form_item(f, "branches", i, "a branch");
        draft_end d = {0};
        err = READ(r, &in, &list->as.items[i], BRANCH_END, &d);
        err = err ? err : terminal(r, d.outcome, &end.terminal);
        end.message = message(r, d.message);
        mt_vec_push(&r->run->memory, &r->run->branches, end);
        rec->branch_count++;
    }
    return err;
}

static mt_err read_record(reader *r, mt_form *f, const mt_json *json)
{
    draft_record d = {.parent = CT_NONE};
    ct_record rec = {.op = CT_NONE,
                     .persona = CT_NONE,
                     .result = CT_NONE,
                     .entity = CT_NONE,
                     .state = CT_NONE,
                     .message = CT_NONE};
    mt_err err = READ(r, f, json, RECORD, &d);
    err = err ? err : record_kind(r, d.kind, &rec);
    err = err ? err : record_place(r, &d, &rec);
    err = err ? err : named(r, d.op, CT_KIND_OPERATION, &rec.op);
    err = err ? err : named(r, d.persona, CT_KIND_PERSONA, &rec.persona);
    err = err ? err : record_fits(r, &rec);
    err = err ? err : record_error(r, &d, &rec);
    err = err ? err : record_result(r, d.result, &rec);
    err = err ? err : record_changes(r, f, d.changes, &rec);
    err = err ? err : record_branches(r, f, d.branches, &rec);
    if (!err) {
        mt_vec_push(&r->run->memory, &r->run->records, rec);
    }
    return err;
}

static mt_err read_records(reader *r, const mt_json *list)
{
    mt_err err = MT_OK;
    for (uint32_t i = 0; !err && i < list->count; i++) {
        mt_form in = mt_form_item(&r->form, "records", i, "a record");
        err = read_record(r, &in, &list->as.items[i]);
    }
    return err;
}

/* ---- frames ---- */

static mt_err frame_phase(reader *r, mt_str name, ct_frame *f)
{
    for (int i = CT_AT_STEP; i <= CT_INSIDE; i++) {
        if (mt_str_eq(CT_PHASE_NAMES[i], name)) {
            f->phase = (ct_phase)i;
            return MT_OK;
        }
    }
    return refuse(r, MT_E_NOTFOUND, "unknown phase", name);
}

/* `record` is the step's own. */
static mt_err frame_record(reader *r, uint32_t record, ct_frame *f)
{
    bool parallel = r->p->steps[f->step].does == LN_FORKS;
    ct_record_kind kind = parallel ? CT_RECORD_PARALLEL : CT_RECORD_SUBFLOW;
    mt_err err = below(r, record, r->run->records.len, "record");
    if (err) {
        return err;
    }
    const ct_record *rec = record == CT_NONE ? NULL : &r->run->records.items[record];
    f->record = record;
    return rec && rec->step == f->step && rec->kind == kind && rec->parent == f->parent
               ? MT_OK
               : misplaced(r, "a frame does not have its own record");
}

/* `index` counts compensations or branches. */
static mt_err frame_inside(reader *r, const draft_frame *d, ct_frame *f, bool last)
{
    const ct_plan_step *s = &r->p->steps[f->step];
    bool inside = f->phase == CT_INSIDE;
    bool parallel = s->does == LN_FORKS;
    /* Every frame but the last is inside its step, the last one never is. */
    if (inside == last || (inside && !parallel && s->does != LN_CALLS)) {
        return misplaced(r, "frames are not nested as steps are");
    }
    if (f->phase == CT_AT_STEP) {
        return MT_OK;
    }
    uint32_t end = !inside ? s->handler.undo_count : parallel ? s->branch_count : 1;
    mt_err err = below(r, d->index, end, "index");
    if (err || d->index == CT_NONE) {
        return err ? err : misplaced(r, "a frame lacks its index");
    }
    f->index = d->index;
    if (inside) {
        return frame_record(r, d->record, f);
    }
    return s->handler.kind == CT_COMPENSATE
               ? MT_OK
               : misplaced(r, "a step compensates that cannot");
}

static void child_of(const reader *r, const ct_frame *f, uint32_t *graph,
                     uint32_t *parent)
{
    const ct_plan_step *s = &r->p->steps[f->step];
    *graph = s->does == LN_FORKS ? s->first_branch + f->index : s->what;
    *parent = f->record;
}

static mt_err read_frame(reader *r, mt_form *in, const mt_json *json, bool last,
                         ct_frame *f)
{
    draft_frame d = {.index = CT_NONE, .record = CT_NONE};
    mt_err err = READ(r, in, json, FRAME, &d);
    if (err) {
        return err;
    }
    f->step = ct_plan_step_named(r->p, f->graph, d.step);
    if (f->step == CT_NONE) {
        return refuse(r, MT_E_NOTFOUND, "unknown step", d.step);
    }
    err = frame_phase(r, d.phase, f);
    return err ? err : frame_inside(r, &d, f, last);
}

/* From the outside in: each frame says in which graph the next one stands. */
static mt_err read_frames(reader *r, const mt_json *list)
{
    uint32_t graph = r->run->flow, parent = CT_NONE;
    for (uint32_t i = 0; i < list->count; i++) {
        mt_form in = mt_form_item(&r->form, "frames", i, "a frame");
        ct_frame f = {.graph = graph, .record = CT_NONE, .parent = parent};
        mt_err err = read_frame(r, &in, &list->as.items[i], i + 1 == list->count, &f);
        if (err) {
            return err;
        }
        mt_vec_push(&r->run->memory, &r->run->frames, f);
        if (f.phase == CT_INSIDE) {
            child_of(r, &f, &graph, &parent);
        }
    }
    return MT_OK;
}

/* ---- the whole ---- */

static mt_err take_status(reader *r, const draft *d)
{
    ct_run *run = r->run;
    mt_str name = d->status;
    mt_err err = terminal(r, d->outcome, &run->outcome);
    if (err) {
        return err;
    }
    bool open = mt_str_is(name, "running") || mt_str_is(name, "waiting");
    bool done = mt_str_is(name, "done"), failed = mt_str_is(name, "failed");
    if (!open && !done && !failed) {
        return refuse(r, MT_E_NOTFOUND, "unknown status", name);
    }
    if (open != (run->frames.len > 0) || done != (run->outcome != CT_NONE) ||
        failed != (d->fault.ptr != NULL)) {
        return misplaced(r, "status, frames and outcome disagree");
    }
    run->status = open ? CT_RUN_MORE : done ? CT_RUN_DONE : CT_RUN_FAILED;
    run->fault = failed ? keep(r, d->fault) : (mt_str){0};
    return MT_OK;
}

/* The version before everything else: another version may mean other members. */
static mt_err read_head(reader *r, const mt_json *json, draft *d)
{
    int64_t version;
    if (!mt_json_is(json, MT_JSON_OBJECT)) {
        return refuse(r, MT_E_TYPE, "is not an object", (mt_str){0});
    }
    if (mt_json_i64(mt_json_at(json, "version"), &version) ||
        version != CT_POSITION_VERSION) {
        return refuse(r, MT_E_VERSION, "has another version", (mt_str){0});
    }
    mt_err err = READ(r, &r->form, json, POSITION, d);
    err = err ? err : named(r, d->flow, CT_KIND_FLOW, &r->run->flow);
    if (err) {
        return err;
    }
    if (!mt_str_eq(d->contract, r->p->model->id)) {
        return refuse(r, MT_E_NOTFOUND, "belongs to contract", d->contract);
    }
    /* Only ever fewer: a position cannot raise the limit of this run. */
    if (d->steps_left < r->run->steps_left) {
        r->run->steps_left = (size_t)d->steps_left;
    }
    r->run->persona = keep(r, d->persona);
    return MT_OK;
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
    draft d = {0};
    ct_run_input in = *input;
    /* Prepared as an empty run: flow, instances and states come from the position.
     * Memory is sized by the plan, so every index that was checked against it is
     * inside. */
    in.flow = 0;
    in.instances = NULL;
    in.states = NULL;
    ct_run_prepare(run, &in);
    r.form = (mt_form){.arena = &run->texts,
                       .what = "a position",
                       .report = hear,
                       .state = &r,
                       .unknown = MT_FORM_ALLOWED};
    mt_err err = read_head(&r, json, &d);
    err = err ? err : each_entity(&r, d.bindings, set_instance);
    err = err ? err : each_entity(&r, d.states, set_state);
    err = err ? err : check_bound(&r);
    err = err ? err : read_records(&r, d.records);
    err = err ? err : read_frames(&r, d.frames);
    err = err ? err : take_status(&r, &d);
    if (err) {
        run->status = CT_RUN_FAILED;
        run->fault = r.why;
        run->frames.len = 0;
        *why = r.why;
    }
    return err;
}

/* ---- where it stands ---- */

/* The graph inside the frame's step. */
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

/* Without taking the position up: nothing is checked but what is used, and whatever
 * does not lead to an operation is CT_NONE. */
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

/* exec/kinds/deploy_fates.c - what becomes of flows, instances and triggers under a new
 * version: decided here, written in deploy_apply.c.
 * Room: exec.
 * ORDER of locks: the contract (by the caller), flows by id, instances by key,
 * triggers; groups of other processes take theirs in the same order.
 * An instance in a removed state that a flow on an older version is bound to is not
 * moved: that version knows the old state only (M4 and blue-green would contradict each
 * other). It is left until the flow has ended. */
#include "exec/kinds/deploy.h"

#include "contract/flow/position.h"
#include "exec/call/facts.h"
#include "exec/commit/effects.h"

const mt_str EX_FATE_NAMES[EX_FATE_COUNT] = {
    [EX_KEPT] = MT_STR_INIT("kept"),
    [EX_MIGRATED] = MT_STR_INIT("migrated"),
    [EX_INCOMPATIBLE] = MT_STR_INIT("incompatible"),
    [EX_ABORTED] = MT_STR_INIT("aborted"),
    [EX_THERE] = MT_STR_INIT("current"),
};

/* ---- Versions ---- */

/* Bytes are not bounded again: they were when the version was made. One level more than
 * a bundle has, for the manifest around it. */
static const mt_json *tree_of(ex_migration *m, mt_str text)
{
    mt_json *tree = mt_new(m->a, mt_json);
    mt_json_limits limits = {0, m->job->x->limits.bundle_depth + 1};
    if (mt_json_read(m->a, text, &limits, tree, NULL)) {
        MT_BUG("a manifest that was written cannot be read");
    }
    return tree;
}

static an_diff_side side_of(ex_migration *m, const ex_version *v)
{
    const mt_json *manifest = tree_of(m, v->manifest);
    return (an_diff_side){mt_json_at(manifest, "bundle"), manifest};
}

/* Flows in flight are of few versions; each diff is computed once and searched for
 * linearly. */
const an_diff *ex_migration_diff(ex_migration *m, ex_version *old)
{
    for (size_t i = 0; i < m->rivals.len; i++) {
        if (m->rivals.items[i].v == old) {
            return m->rivals.items[i].diff;
        }
    }
    ex_rival r = {old, an_diff_bundles(m->a, side_of(m, old), side_of(m, m->next))};
    mt_vec_push(m->a, &m->rivals, r);
    return r.diff;
}

static bool has_state(const ct_model *m, mt_str entity, mt_str state, bool *known)
{
    uint32_t e = ct_model_find(m, CT_KIND_ENTITY, entity);
    *known = e != CT_NONE;
    return *known && ct_state_find(&m->entities[e], state) != CT_NONE;
}

/* Idempotent: a state is listed once, whichever of the older versions it comes from. */
void ex_migration_remove(ex_migration *m, mt_str entity, mt_str state)
{
    bool known, there = has_state(m->next->model, entity, state, &known);
    for (size_t i = 0; i < m->removed.len && !there; i++) {
        there = mt_str_eq(m->removed.items[i].entity, entity) &&
                mt_str_eq(m->removed.items[i].state, state);
    }
    /* Of an entity that is gone nothing can be moved: its instances are history. */
    if (known && !there) {
        ex_removed r = {mt_str_dup(m->a, entity), mt_str_dup(m->a, state)};
        mt_vec_push(m->a, &m->removed, r);
    }
}

/* Against the new version only: a state that an earlier deployment removed and this one
 * brings back is not removed. */
void ex_migration_removed(ex_migration *m, const ex_version *old)
{
    for (uint32_t e = 0; e < old->model->entity_count; e++) {
        const ct_entity *entity = &old->model->entities[e];
        for (uint32_t s = 0; s < entity->state_count; s++) {
            ex_migration_remove(m, entity->id, entity->states[s]);
        }
    }
}

/* ---- Flows in flight ---- */

typedef struct ids {
    mt_arena *a;
    mt_str *items;
    size_t len, cap;
} ids;

static mt_err take_id(void *state, const st_flow *row)
{
    ids *list = state;
    mt_vec_push(list->a, list, mt_str_dup(list->a, row->id));
    return MT_OK;
}

/* The row is read again under its lock: between the walk and now the flow may have
 * ended, been moved, or be gone. A version that cannot be loaded fails the deployment
 * rather than the flow. */
static mt_err add_flight(ex_migration *m, mt_str id)
{
    ex_flight f = {0};
    mt_err err = st_flow_lock(m->g->tx, m->a, id, &f.row);
    bool ended = !err && !mt_str_is(f.row.status, "running") &&
                 !mt_str_is(f.row.status, "waiting");
    if (err || ended) {
        return err == MT_E_NOTFOUND ? MT_OK : err;
    }
    f.v = ex_version_with(m->job->x, f.row.contract, f.row.etag, &err);
    mt_json *bindings = mt_new(m->a, mt_json);
    if (!err && mt_json_read(m->a, f.row.bindings, NULL, bindings, NULL)) {
        err = MT_E_CORRUPT;
    }
    if (err) {
        return err;
    }
    f.bindings = bindings;
    f.policy = ex_policy_for(m->policy, f.row.flow);
    if (mt_str_eq(f.v->etag, m->next->etag)) {
        f.fate = EX_THERE;
    } else {
        ex_migration_removed(m, f.v);
    }
    mt_vec_push(m->a, &m->flights, f);
    return MT_OK;
}

/* Ids first, locks afterwards and in the order of the walk (by id), which is the order
 * every group locks flows in. */
mt_err ex_migration_flights(ex_migration *m)
{
    ids list = {.a = m->a};
    st_flow_filter filter = {.contract = m->next->contract, .in_flight = true};
    mt_err err =
        st_flow_walk(m->g->tx, &filter, (st_page){.limit = UINT32_MAX}, take_id, &list);
    for (size_t i = 0; i < list.len && !err; i++) {
        err = add_flight(m, list.items[i]);
    }
    return err;
}

static bool asks(const ex_flight *f)
{
    return f->fate != EX_THERE &&
           (f->policy == AN_FORCE_MIGRATE || f->policy == AN_ABORT);
}

/* What it is bound to is looked at under a lock. */
static void claim_bound(ex_migration *m, const ex_flight *f)
{
    for (uint32_t i = 0; asks(f) && i < f->bindings->count; i++) {
        const mt_json_member *b = &f->bindings->as.members[i];
        uint32_t e = ct_model_find(f->v->model, CT_KIND_ENTITY, b->key);
        if (e != CT_NONE) {
            ex_claim(m->g, f->v->scopes[e], b->key, mt_json_text(&b->value));
        }
    }
}

/* ---- Instances ---- */

/* Rows of a walk are valid during the callback only, hence the copies. */
static mt_err take_orphan(void *state, const st_instance *row)
{
    ex_migration *m = state;
    const mt_json *map = mt_json_get(m->state_map, row->entity);
    ex_orphan o = {.row = {.scope = mt_str_dup(m->a, row->scope),
                           .entity = mt_str_dup(m->a, row->entity),
                           .id = mt_str_dup(m->a, row->id),
                           .state = mt_str_dup(m->a, row->state),
                           .version = row->version}};
    o.to = mt_json_text(mt_json_get(map, row->state));
    mt_vec_push(m->a, &m->orphans, o);
    return MT_OK;
}

/* Scopes are those of the new version: an entity that members of a System share has its
 * instances in one place. */
static mt_err find_orphans(ex_migration *m)
{
    mt_err err = MT_OK;
    for (size_t i = 0; i < m->removed.len && !err; i++) {
        const ex_removed *r = &m->removed.items[i];
        uint32_t e = ct_model_find(m->next->model, CT_KIND_ENTITY, r->entity);
        st_instance_filter f = {
            .scope = m->next->scopes[e], .entity = r->entity, .state = r->state};
        err = st_instance_walk(m->g->tx, &f, (st_page){.limit = UINT32_MAX},
                               take_orphan, m);
    }
    return err;
}

static bool refuse_map(ex_migration *m, mt_str entity, mt_str state, const char *why)
{
    return ex_refuse(m->job, EX_INVALID_STATE_MAP, "state_map: %.*s.%.*s: %s",
                     MT_ARG(entity), MT_ARG(state), why);
}

/* Both lists are short: states of one contract. */
static bool is_removed(const ex_migration *m, mt_str entity, mt_str state)
{
    for (size_t i = 0; i < m->removed.len; i++) {
        if (mt_str_eq(m->removed.items[i].entity, entity) &&
            mt_str_eq(m->removed.items[i].state, state)) {
            return true;
        }
    }
    return false;
}

/* A map may only speak about states that are removed (M4): moving instances out of a
 * state that stays would be an operation without rules. */
static bool refused_pair(ex_migration *m, mt_str entity, const mt_json_member *pair)
{
    bool known, there;
    mt_str to = mt_json_text(&pair->value);
    has_state(m->next->model, entity, pair->key, &known);
    if (!known) {
        return refuse_map(m, entity, pair->key, "the new version has no such entity");
    }
    if (!is_removed(m, entity, pair->key)) {
        return refuse_map(m, entity, pair->key, "the state is not one that is removed");
    }
    there = mt_json_is(&pair->value, MT_JSON_STRING) &&
            has_state(m->next->model, entity, to, &known);
    return !there &&
           refuse_map(m, entity, pair->key, "must map to a state of the new version");
}

/* After ex_migration_flights(), since which states are removed depends on the versions
 * still running. */
bool ex_refused_state_map(ex_migration *m)
{
    for (uint32_t i = 0; m->state_map && i < m->state_map->count; i++) {
        const mt_json_member *e = &m->state_map->as.members[i];
        if (!mt_json_is(&e->value, MT_JSON_OBJECT)) {
            return refuse_map(m, e->key, MT_STR("*"),
                              "expected {\"old state\": \"new state\"}");
        }
        for (uint32_t s = 0; s < e->value.count; s++) {
            if (refused_pair(m, e->key, &e->value.as.members[s])) {
                return true;
            }
        }
    }
    return false;
}

/* ---- Judging a flow ---- */

static bool nobody_acts(void *context, const ct_run *run, uint32_t persona)
{
    (void)context;
    (void)run;
    (void)persona;
    return false;
}

/* The state of what is bound, as it will be: moved, if the state map moves it. A state
 * that only the other version knows counts as none. */
static uint32_t state_of(const ex_migration *m, const ex_job *probe, uint32_t e)
{
    const ct_entity *entity = &probe->v->model->entities[e];
    mt_str id = probe->snap->instances[e];
    const ex_row *r =
        id.ptr ? ex_row_of(m->g, probe->v->scopes[e], entity->id, id) : NULL;
    if (!r || !r->found || r->row.deleted) {
        return CT_NONE;
    }
    const mt_json *map = mt_json_get(m->state_map, entity->id);
    mt_str to = mt_json_text(mt_json_get(map, r->row.state));
    uint32_t moved = to.len ? ct_state_find(entity, to) : CT_NONE;
    return moved != CT_NONE ? moved : ct_state_find(entity, r->row.state);
}

/* A position is only looked at: nobody acts, so reading it cannot execute a step.
 * States are those that the migration will leave (state_of). */
static mt_err read_position(ex_migration *m, ex_job *probe, mt_str position,
                            ct_run *run)
{
    mt_json *tree = mt_new(m->a, mt_json);
    mt_str why;
    ct_run_input in = {.plan = probe->v->plan, .snapshot = ex_frozen(probe).snapshot};
    in.host.may_act = nobody_acts;
    mt_err err = mt_json_read(m->a, position, NULL, tree, NULL);
    err = err ? err : ct_position_read(run, &in, tree, &why);
    if (!err) {
        for (uint32_t e = 0; e < probe->v->model->entity_count; e++) {
            ct_run_set_state(run, e, state_of(m, probe, e));
        }
    }
    return err;
}

/* A job that stands for the flow under a version: its snapshot, its bindings, its run.
 */
static mt_err take_up(ex_migration *m, const st_flow *row, ex_version *v, ex_job **out,
                      ct_run *run)
{
    ex_job *probe = ex_job_take(m->job->x);
    static const ex_caller NOBODY = {0};
    ex_call *call = mt_new(&probe->arena, ex_call);
    *call = (ex_call){.action = EX_FLOW_RESUME, .caller = &NOBODY};
    probe->call = call;
    probe->v = v;
    *out = probe;
    /* All flights together have the time that one call's evaluations have: whoever
     * cannot be judged within it stays where it is. */
    ct_fault fault;
    probe->on_worker = true;
    probe->deadline = ex_deadline(m->job);
    probe->what = ct_model_find(v->model, CT_KIND_FLOW, row->flow);
    mt_err err = ex_snapshot_restore(probe, row, &fault);
    if (!err && ex_refused_row_bindings(probe, row)) {
        err = MT_E_CORRUPT;
    }
    return err ? err : read_position(m, probe, row->position, run);
}

/* "began" and what `extra` has besides. */
static mt_str extra_of(ex_migration *m, const st_flow *row)
{
    mt_json tree;
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    bool good = !mt_json_read(m->a, row->extra, NULL, &tree, NULL);
    const mt_json *began = good ? mt_json_at(&tree, "began") : NULL;
    mt_jw_begin_unsorted(&w);
    mt_jw_key_str(&w, "began", began ? mt_json_text(began) : row->etag);
    for (uint32_t i = 0; good && i < tree.count; i++) {
        if (!mt_str_is(tree.as.members[i].key, "began")) {
            mt_jw_key(&w, tree.as.members[i].key);
            mt_jw_json(&w, &tree.as.members[i].value);
        }
    }
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(m->a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

static mt_err take_up_next(ex_migration *m, const ex_flight *f, ex_job **probe,
                           ct_run *run)
{
    st_flow row = f->row;
    row.position = f->position;
    row.extra = f->extra;
    return take_up(m, &row, m->next, probe, run);
}

/* Where it stands under the new version; a flow that waits must wait there, too. */
static bool settle_in(ex_migration *m, ex_flight *f, const ct_run *run)
{
    mt_buf position = {0};
    ex_job *probe;
    ct_run moved = {0};
    an_position_carry(&position, run, m->next->plan);
    f->position = mt_str_dup(m->a, mt_buf_str(&position));
    f->extra = extra_of(m, &f->row);
    f->step = f->persona = MT_STR("");
    mt_buf_free(&position);
    bool good = !take_up_next(m, f, &probe, &moved);
    if (good && mt_str_is(f->row.status, "waiting")) {
        uint32_t undo, step;
        good = ct_run_step(&moved) == CT_RUN_WAITING;
        if (good) {
            step = ct_run_next(&moved, &undo);
            f->step =
                mt_str_dup(m->a, undo != CT_NONE ? ct_operation_id(moved.plan, undo)
                                                 : moved.plan->steps[step].id);
            f->persona = mt_str_dup(m->a, ct_persona_id(moved.plan, moved.waiting_for));
        }
    }
    ct_run_free(&moved);
    ex_job_give(probe);
    return good;
}

/* §18.6: conditions FMC1 to FMC7 are an_compat()'s, in the one mode that the manifest
 * tells (§18.6.11, AL55). Under abort a flow that nothing
 * touches is judged for migration like the others. */
static void judge(ex_migration *m, ex_flight *f, const ct_run *run)
{
    const an_diff *diff = ex_migration_diff(m, f->v);
    if (f->policy == AN_ABORT) {
        an_flow_touches(m->a, diff, f->v->plan, run->flow, run, &f->touches);
    }
    if (f->touches.len) {
        f->fate = EX_ABORTED;
        return;
    }
    an_compat_options options = {m->g->x->aggressive};
    an_compat(m->a, run, m->next->plan, &options, &f->compat);
    f->judged = true;
    f->fate =
        f->compat.compatible && settle_in(m, f, run) ? EX_MIGRATED : EX_INCOMPATIBLE;
}

/* Only flows whose policy asks for it are taken up; the rest stay as they are without
 * being read. */
static void decide(ex_migration *m, ex_flight *f)
{
    ex_job *probe;
    ct_run run = {0};
    if (!asks(f)) {
        return;
    }
    /* One that cannot be read goes nowhere: it stays, and is reported. */
    f->fate = EX_INCOMPATIBLE;
    if (take_up(m, &f->row, f->v, &probe, &run) == MT_OK) {
        judge(m, f, &run);
    }
    ct_run_free(&run);
    ex_job_give(probe);
}

/* ---- The plan ---- */

static bool stays(const ex_flight *f)
{
    return f->fate == EX_KEPT || f->fate == EX_INCOMPATIBLE;
}

static bool binds(const ex_flight *f, const st_instance *row)
{
    return mt_str_eq(mt_json_text(mt_json_get(f->bindings, row->entity)), row->id);
}

/* Quadratic in flows and orphans, in the rare moment of a deployment. */
static mt_str holder_of(const ex_migration *m, const st_instance *row)
{
    for (size_t i = 0; i < m->flights.len; i++) {
        const ex_flight *f = &m->flights.items[i];
        if (stays(f) && binds(f, row)) {
            return f->row.id;
        }
    }
    return (mt_str){0};
}

/* Triggers that are not for this contract, or whose flow is still there, are none of
 * its business. */
static mt_err take_trigger(void *state, const st_trigger *row)
{
    ex_migration *m = state;
    mt_json body;
    if (mt_json_read(m->a, mt_str_dup(m->a, row->body), NULL, &body, NULL)) {
        return MT_OK; /* the outbox says so itself */
    }
    bool ours = mt_str_eq(mt_json_text(mt_json_at(&body, "target_contract")),
                          m->next->contract);
    mt_str flow = mt_json_text(mt_json_at(&body, "target_flow"));
    if (ours && ct_model_find(m->next->model, CT_KIND_FLOW, flow) == CT_NONE) {
        st_trigger t = {.id = mt_str_dup(m->a, row->id)};
        mt_vec_push(m->a, &m->triggers, t);
    }
    return MT_OK;
}

/* Locked, and looked at again: somebody may have been faster. */
static void plan_orphan(ex_migration *m, ex_orphan *o)
{
    const ex_row *r = ex_row_of(m->g, o->row.scope, o->row.entity, o->row.id);
    if (r && (!r->found || r->row.deleted || !mt_str_eq(r->row.state, o->row.state))) {
        o->to = (mt_str){0};
        return;
    }
    o->flow = holder_of(m, &o->row);
    m->moves += o->to.len && !o->flow.len;
}

/* A flow that was to migrate with its instance stays when another flow, which stays,
 * holds the instance back. That may hold back further ones. */
static void hold_back(ex_migration *m)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < m->orphans.len; i++) {
            mt_str holder = holder_of(m, &m->orphans.items[i].row);
            for (size_t k = 0; k < m->flights.len && holder.len; k++) {
                ex_flight *f = &m->flights.items[k];
                if (f->fate == EX_MIGRATED && binds(f, &m->orphans.items[i].row)) {
                    f->fate = EX_INCOMPATIBLE;
                    more = true;
                }
            }
        }
    }
}

/* ORDER: find, claim everything, lock in one go, and only then decide: decisions are
 * made on states nobody else can change. Triggers come last, after all locks, as the
 * order in the head says. */
mt_err ex_migration_plan(ex_migration *m)
{
    mt_err err = find_orphans(m);
    for (size_t i = 0; i < m->flights.len; i++) {
        claim_bound(m, &m->flights.items[i]);
    }
    for (size_t i = 0; i < m->orphans.len; i++) {
        const ex_orphan *o = &m->orphans.items[i];
        if (o->to.len) {
            ex_claim(m->g, o->row.scope, o->row.entity, o->row.id);
        }
    }
    err = err ? err : ex_lock_rows(m->g);
    for (size_t i = 0; i < m->flights.len && !err; i++) {
        decide(m, &m->flights.items[i]);
    }
    hold_back(m);
    for (size_t i = 0; i < m->flights.len; i++) {
        m->fates[m->flights.items[i].fate]++;
    }
    for (size_t i = 0; i < m->orphans.len && !err; i++) {
        plan_orphan(m, &m->orphans.items[i]);
    }
    return err ? err
               : st_trigger_walk(m->g->tx, MT_STR("pending"),
                                 (st_page){.limit = UINT32_MAX}, take_trigger, m);
}

size_t ex_migration_flows_left(const ex_migration *m)
{
    return m->fates[EX_KEPT] + m->fates[EX_INCOMPATIBLE];
}

size_t ex_migration_instances_left(const ex_migration *m)
{
    return m->orphans.len - m->moves;
}

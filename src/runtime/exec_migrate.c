/* runtime/exec_migrate.c - flows, instances and triggers under a new version.
 * Room: runtime.
 * ORDER of locks: the contract (by the caller), flows by id, instances by key,
 * triggers; groups of other processes take theirs in the same order.
 * An instance in a removed state that a flow on an older version is bound to is not
 * moved: that version knows the old state only (M4 and blue-green would contradict each
 * other). It is left until the flow has ended. */
#include "runtime/exec_migrate.h"

#include "contract/flow/position.h"
#include "runtime/exec_flow.h"

const mt_str RX_FATE_NAMES[RX_FATE_COUNT] = {
    MT_STR_INIT("kept"),    MT_STR_INIT("migrated"), MT_STR_INIT("incompatible"),
    MT_STR_INIT("aborted"), MT_STR_INIT("current"),
};

/* ---- Versions ---------------------------------------------------------------------
 */

static const mt_json *tree_of(rx_migration *m, mt_str text)
{
    mt_json *tree = mt_new(m->a, mt_json);
    mt_json_limits limits = {0, m->job->x->limits.bundle_depth + 1};
    if (mt_json_read(m->a, text, &limits, tree, NULL)) {
        MT_BUG("a manifest that was written cannot be read");
    }
    return tree;
}

static ct_diff_side side_of(rx_migration *m, const rx_version *v)
{
    const mt_json *manifest = tree_of(m, v->manifest);
    return (ct_diff_side){mt_json_at(manifest, "bundle"), manifest};
}

const ct_diff *rx_migration_diff(rx_migration *m, rx_version *old)
{
    for (size_t i = 0; i < m->rivals.len; i++) {
        if (m->rivals.items[i].v == old) {
            return m->rivals.items[i].diff;
        }
    }
    rx_rival r = {old, ct_diff_bundles(m->a, side_of(m, old), side_of(m, m->next))};
    mt_vec_push(m->a, &m->rivals, r);
    return r.diff;
}

static bool has_state(const ct_model *m, mt_str entity, mt_str state, bool *known)
{
    uint32_t e = ct_model_find(m, CT_KIND_ENTITY, entity);
    *known = e != CT_NONE;
    return *known && ct_state_find(&m->entities[e], state) != CT_NONE;
}

void rx_migration_remove(rx_migration *m, mt_str entity, mt_str state)
{
    bool known, there = has_state(m->next->model, entity, state, &known);
    for (size_t i = 0; i < m->removed.len && !there; i++) {
        there = mt_str_eq(m->removed.items[i].entity, entity) &&
                mt_str_eq(m->removed.items[i].state, state);
    }
    /* Of an entity that is gone nothing can be moved: its instances are history. */
    if (known && !there) {
        rx_removed r = {mt_str_dup(m->a, entity), mt_str_dup(m->a, state)};
        mt_vec_push(m->a, &m->removed, r);
    }
}

void rx_migration_removed(rx_migration *m, const rx_version *old)
{
    for (uint32_t e = 0; e < old->model->entity_count; e++) {
        const ct_entity *entity = &old->model->entities[e];
        for (uint32_t s = 0; s < entity->state_count; s++) {
            rx_migration_remove(m, entity->id, entity->states[s]);
        }
    }
}

ct_policy rx_policy_for(const mt_json *policy, mt_str flow)
{
    if (mt_json_is(policy, MT_JSON_OBJECT)) {
        const mt_json *own = mt_json_get(policy, flow);
        policy = own ? own : mt_json_at(policy, "*");
    }
    for (int p = CT_BLUE_GREEN; p <= CT_ABORT; p++) {
        if (mt_str_eq(CT_POLICY_NAMES[p], mt_json_text(policy))) {
            return (ct_policy)p;
        }
    }
    return CT_POLICY_NONE;
}

/* ---- Flows in flight --------------------------------------------------------------
 */

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

static mt_err add_flight(rx_migration *m, mt_str id)
{
    rx_flight f = {0};
    mt_err err = st_flow_lock(m->g->tx, m->a, id, &f.row);
    bool ended = !err && !mt_str_is(f.row.status, "running") &&
                 !mt_str_is(f.row.status, "waiting");
    if (err || ended) {
        return err == MT_E_NOTFOUND ? MT_OK : err;
    }
    f.v = rx_version_with(m->job->x, f.row.contract, f.row.etag, &err);
    mt_json *bindings = mt_new(m->a, mt_json);
    if (!err && mt_json_read(m->a, f.row.bindings, NULL, bindings, NULL)) {
        err = MT_E_CORRUPT;
    }
    if (err) {
        return err;
    }
    f.bindings = bindings;
    f.policy = rx_policy_for(m->policy, f.row.flow);
    if (mt_str_eq(f.v->etag, m->next->etag)) {
        f.fate = RX_THERE;
    } else {
        rx_migration_removed(m, f.v);
    }
    mt_vec_push(m->a, &m->flights, f);
    return MT_OK;
}

mt_err rx_migration_flights(rx_migration *m)
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

static bool asks(const rx_flight *f)
{
    return f->fate != RX_THERE &&
           (f->policy == CT_FORCE_MIGRATE || f->policy == CT_ABORT);
}

/* What it is bound to is looked at under a lock. */
static void claim_bound(rx_migration *m, const rx_flight *f)
{
    for (uint32_t i = 0; asks(f) && i < f->bindings->count; i++) {
        const mt_json_member *b = &f->bindings->as.members[i];
        uint32_t e = ct_model_find(f->v->model, CT_KIND_ENTITY, b->key);
        if (e != CT_NONE) {
            rx_claim(m->g, f->v->scopes[e], b->key, mt_json_text(&b->value));
        }
    }
}

/* ---- Instances --------------------------------------------------------------------
 */

static mt_err take_orphan(void *state, const st_instance *row)
{
    rx_migration *m = state;
    const mt_json *map = mt_json_get(m->state_map, row->entity);
    rx_orphan o = {.row = {.scope = mt_str_dup(m->a, row->scope),
                           .entity = mt_str_dup(m->a, row->entity),
                           .id = mt_str_dup(m->a, row->id),
                           .state = mt_str_dup(m->a, row->state),
                           .version = row->version}};
    o.to = mt_json_text(mt_json_get(map, row->state));
    mt_vec_push(m->a, &m->orphans, o);
    return MT_OK;
}

static mt_err find_orphans(rx_migration *m)
{
    mt_err err = MT_OK;
    for (size_t i = 0; i < m->removed.len && !err; i++) {
        const rx_removed *r = &m->removed.items[i];
        uint32_t e = ct_model_find(m->next->model, CT_KIND_ENTITY, r->entity);
        st_instance_filter f = {
            .scope = m->next->scopes[e], .entity = r->entity, .state = r->state};
        err = st_instance_walk(m->g->tx, &f, (st_page){.limit = UINT32_MAX},
                               take_orphan, m);
    }
    return err;
}

static bool refuse_map(rx_migration *m, mt_str entity, mt_str state, const char *why)
{
    return rx_refuse(m->job, RX_INVALID_STATE_MAP, "state_map: %.*s.%.*s: %s",
                     MT_ARG(entity), MT_ARG(state), why);
}

static bool is_removed(const rx_migration *m, mt_str entity, mt_str state)
{
    for (size_t i = 0; i < m->removed.len; i++) {
        if (mt_str_eq(m->removed.items[i].entity, entity) &&
            mt_str_eq(m->removed.items[i].state, state)) {
            return true;
        }
    }
    return false;
}

static bool check_pair(rx_migration *m, mt_str entity, const mt_json_member *pair)
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

bool rx_migration_check_map(rx_migration *m)
{
    for (uint32_t i = 0; m->state_map && i < m->state_map->count; i++) {
        const mt_json_member *e = &m->state_map->as.members[i];
        if (!mt_json_is(&e->value, MT_JSON_OBJECT)) {
            return refuse_map(m, e->key, MT_STR("*"),
                              "expected {\"old state\": \"new state\"}");
        }
        for (uint32_t s = 0; s < e->value.count; s++) {
            if (check_pair(m, e->key, &e->value.as.members[s])) {
                return true;
            }
        }
    }
    return false;
}

/* ---- Judging a flow ---------------------------------------------------------------
 */

static bool nobody_acts(void *context, const ct_run *run, uint32_t persona)
{
    (void)context;
    (void)run;
    (void)persona;
    return false;
}

/* The state of what is bound, as it will be: moved, if the state map moves it. A state
 * that only the other version knows counts as none. */
static uint32_t state_of(const rx_migration *m, const rx_job *probe, uint32_t e)
{
    const ct_entity *entity = &probe->v->model->entities[e];
    mt_str id = probe->snap->instances[e];
    const rx_row *r =
        id.ptr ? rx_row_of(m->g, probe->v->scopes[e], entity->id, id) : NULL;
    if (!r || !r->found || r->row.deleted) {
        return CT_NONE;
    }
    const mt_json *map = mt_json_get(m->state_map, entity->id);
    mt_str to = mt_json_text(mt_json_get(map, r->row.state));
    uint32_t moved = to.len ? ct_state_find(entity, to) : CT_NONE;
    return moved != CT_NONE ? moved : ct_state_find(entity, r->row.state);
}

static mt_err read_position(rx_migration *m, rx_job *probe, mt_str position,
                            ct_run *run)
{
    mt_json *tree = mt_new(m->a, mt_json);
    mt_str why;
    ct_run_input in = {.plan = probe->v->plan, .snapshot = rx_frozen(probe).snapshot};
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
static mt_err take_up(rx_migration *m, const st_flow *row, rx_version *v, rx_job **out,
                      ct_run *run)
{
    rx_job *probe = rx_job_take(m->job->x);
    static const rt_caller NOBODY = {0};
    rt_call *call = mt_new(&probe->arena, rt_call);
    *call = (rt_call){.action = RT_FLOW_RESUME, .caller = &NOBODY};
    probe->call = call;
    probe->v = v;
    *out = probe;
    /* All flights together have the time that one call's evaluations have: whoever
     * cannot be judged within it stays where it is. */
    ct_fault fault;
    probe->on_worker = true;
    probe->deadline = rx_deadline(m->job);
    probe->what = ct_model_find(v->model, CT_KIND_FLOW, row->flow);
    mt_err err = rx_snapshot_restore(probe, row, &fault);
    if (!err && rx_flow_bind(probe, row)) {
        err = MT_E_CORRUPT;
    }
    return err ? err : read_position(m, probe, row->position, run);
}

/* "began" and what `extra` has besides. */
static mt_str extra_of(rx_migration *m, const st_flow *row)
{
    mt_json tree;
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    bool good = !mt_json_read(m->a, row->extra, NULL, &tree, NULL);
    const mt_json *began = good ? mt_json_at(&tree, "began") : NULL;
    mt_jw_begin_object(&w);
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

static mt_err take_up_next(rx_migration *m, const rx_flight *f, rx_job **probe,
                           ct_run *run)
{
    st_flow row = f->row;
    row.position = f->position;
    row.extra = f->extra;
    return take_up(m, &row, m->next, probe, run);
}

/* Where it stands under the new version; a flow that waits must wait there, too. */
static bool settle_in(rx_migration *m, rx_flight *f, const ct_run *run)
{
    mt_buf position = {0};
    rx_job *probe;
    ct_run moved = {0};
    ct_position_carry(&position, run, m->next->plan);
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
    rx_job_give(probe);
    return good;
}

static void judge(rx_migration *m, rx_flight *f, const ct_run *run)
{
    const ct_diff *diff = rx_migration_diff(m, f->v);
    if (f->policy == CT_ABORT) {
        ct_flow_touches(m->a, diff, f->v->plan, run->flow, run, &f->touches);
    }
    if (f->touches.len) {
        f->fate = RX_ABORTED;
        return;
    }
    ct_compat(m->a, run, m->next->plan, NULL, &f->compat);
    f->judged = true;
    f->fate =
        f->compat.compatible && settle_in(m, f, run) ? RX_MIGRATED : RX_INCOMPATIBLE;
}

static void decide(rx_migration *m, rx_flight *f)
{
    rx_job *probe;
    ct_run run = {0};
    if (!asks(f)) {
        return;
    }
    /* One that cannot be read goes nowhere: it stays, and is reported. */
    f->fate = RX_INCOMPATIBLE;
    if (take_up(m, &f->row, f->v, &probe, &run) == MT_OK) {
        judge(m, f, &run);
    }
    ct_run_free(&run);
    rx_job_give(probe);
}

/* ---- The plan ---------------------------------------------------------------------
 */

static bool stays(const rx_flight *f)
{
    return f->fate == RX_KEPT || f->fate == RX_INCOMPATIBLE;
}

static bool binds(const rx_flight *f, const st_instance *row)
{
    return mt_str_eq(mt_json_text(mt_json_get(f->bindings, row->entity)), row->id);
}

static mt_str holder_of(const rx_migration *m, const st_instance *row)
{
    for (size_t i = 0; i < m->flights.len; i++) {
        const rx_flight *f = &m->flights.items[i];
        if (stays(f) && binds(f, row)) {
            return f->row.id;
        }
    }
    return (mt_str){0};
}

static mt_err take_trigger(void *state, const st_trigger *row)
{
    rx_migration *m = state;
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
static void plan_orphan(rx_migration *m, rx_orphan *o)
{
    const rx_row *r = rx_row_of(m->g, o->row.scope, o->row.entity, o->row.id);
    if (r && (!r->found || r->row.deleted || !mt_str_eq(r->row.state, o->row.state))) {
        o->to = (mt_str){0};
        return;
    }
    o->flow = holder_of(m, &o->row);
    m->moves += o->to.len && !o->flow.len;
}

/* A flow that was to migrate with its instance stays when another flow, which stays,
 * holds the instance back. That may hold back further ones. */
static void hold_back(rx_migration *m)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < m->orphans.len; i++) {
            mt_str holder = holder_of(m, &m->orphans.items[i].row);
            for (size_t k = 0; k < m->flights.len && holder.len; k++) {
                rx_flight *f = &m->flights.items[k];
                if (f->fate == RX_MIGRATED && binds(f, &m->orphans.items[i].row)) {
                    f->fate = RX_INCOMPATIBLE;
                    more = true;
                }
            }
        }
    }
}

mt_err rx_migration_plan(rx_migration *m)
{
    mt_err err = find_orphans(m);
    for (size_t i = 0; i < m->flights.len; i++) {
        claim_bound(m, &m->flights.items[i]);
    }
    for (size_t i = 0; i < m->orphans.len; i++) {
        const rx_orphan *o = &m->orphans.items[i];
        if (o->to.len) {
            rx_claim(m->g, o->row.scope, o->row.entity, o->row.id);
        }
    }
    err = err ? err : rx_lock_rows(m->g);
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

size_t rx_migration_flows_left(const rx_migration *m)
{
    return m->fates[RX_KEPT] + m->fates[RX_INCOMPATIBLE];
}

size_t rx_migration_instances_left(const rx_migration *m)
{
    return m->orphans.len - m->moves;
}

/* ---- Writing ----------------------------------------------------------------------
 */

static mt_err abort_flow(rx_migration *m, rx_flight *f)
{
    rx_turn t = {.job = m->job, .g = m->g, .who = m->job->call->caller, .row = f->row};
    const ct_touch *touch = &f->touches.items[0];
    rx_version *mine = m->job->v;
    m->job->v = f->v;
    t.row.status = MT_STR("aborted");
    t.row.outcome = MT_STR("migration_aborted");
    t.row.waiting_step = t.row.waiting_persona = MT_STR("");
    t.row.updated_ms = m->g->now_ms;
    t.row.version++;
    mt_err err = st_flow_put(m->g->tx, &t.row);
    err = err ? err
              : rx_record_flow_ended(
                    &t, mt_strf(m->a,
                                "a new version of the contract changes %.*s '%.*s', "
                                "which the flow would have reached",
                                MT_ARG(touch->entry->kind), MT_ARG(touch->entry->id)));
    m->job->v = mine;
    return err;
}

static mt_err migrate_flow(rx_migration *m, rx_flight *f)
{
    st_flow row = f->row;
    row.etag = m->next->etag;
    row.position = f->position;
    row.extra = f->extra;
    row.waiting_step = f->step;
    row.waiting_persona = f->persona;
    row.updated_ms = m->g->now_ms;
    row.version++;
    mt_err err = st_flow_put(m->g->tx, &row);
    mt_buf_clear(&m->g->body);
    mt_jw w = mt_jw_start(&m->g->body, false);
    mt_jw_begin_object(&w);
    rx_caller_json(&w, m->job);
    mt_jw_key_str(&w, "contract", m->next->contract);
    mt_jw_key_str(&w, "etag", m->next->etag);
    mt_jw_key_str(&w, "execution", row.id);
    mt_jw_key_str(&w, "flow", row.flow);
    mt_jw_key_str(&w, "from", f->row.etag);
    mt_jw_key_str(&w, "kind", MT_STR("flow_migrated"));
    rx_record_time(&w, m->g);
    mt_jw_end_object(&w);
    rx_record r = {
        .kind = "flow_migrated", .contract = m->next->contract, .flow = row.id};
    int64_t ignored;
    return err ? err : rx_record_add(m->g, &r, &ignored);
}

static mt_err move_orphan(rx_migration *m, const rx_orphan *o)
{
    rx_row *r = rx_row_of(m->g, o->row.scope, o->row.entity, o->row.id);
    rx_move(m->g, r, o->to, r->row.last_flow, r->row.last_operation);
    mt_buf_clear(&m->g->body);
    mt_jw w = mt_jw_start(&m->g->body, false);
    mt_jw_begin_object(&w);
    rx_caller_json(&w, m->job);
    mt_jw_key_str(&w, "contract", m->next->contract);
    mt_jw_key_str(&w, "entity", o->row.entity);
    mt_jw_key_str(&w, "etag", m->next->etag);
    mt_jw_key_str(&w, "instance", o->row.id);
    mt_jw_key_str(&w, "kind", MT_STR("instance_migrated"));
    mt_jw_key_str(&w, "state_after", o->to);
    mt_jw_key_str(&w, "state_before", o->row.state);
    rx_record_time(&w, m->g);
    mt_jw_end_object(&w);
    rx_record rec = {.kind = "instance_migrated",
                     .contract = m->next->contract,
                     .subject = rx_subject(m->a, o->row.entity, o->row.id)};
    int64_t ignored;
    return rx_record_add(m->g, &rec, &ignored);
}

static mt_err fail_trigger(rx_migration *m, mt_str id)
{
    st_trigger row;
    mt_json body;
    mt_err err = st_trigger_lock(m->g->tx, m->a, id, &row);
    if (err || !mt_str_is(row.status, "pending") ||
        mt_json_read(m->a, row.body, NULL, &body, NULL)) {
        return err;
    }
    return rx_trigger_fail(
        m->g, &row, &body,
        MT_STR("unknown_flow: the target contract's new version has no such flow"));
}

mt_err rx_migration_apply(rx_migration *m)
{
    mt_err err = MT_OK;
    for (size_t i = 0; i < m->flights.len && !err; i++) {
        rx_flight *f = &m->flights.items[i];
        err = f->fate == RX_ABORTED    ? abort_flow(m, f)
              : f->fate == RX_MIGRATED ? migrate_flow(m, f)
                                       : MT_OK;
    }
    for (size_t i = 0; i < m->orphans.len && !err; i++) {
        const rx_orphan *o = &m->orphans.items[i];
        err = o->to.len && !o->flow.len ? move_orphan(m, o) : MT_OK;
    }
    for (size_t i = 0; i < m->triggers.len && !err; i++) {
        err = fail_trigger(m, m->triggers.items[i].id);
    }
    return err;
}

/* ---- Words ------------------------------------------------------------------------
 */

static void touches_json(mt_jw *w, const ct_touches *touches)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < touches->len; i++) {
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "id", touches->items[i].entry->id);
        mt_jw_key_str(w, "kind", touches->items[i].entry->kind);
        mt_jw_key_str(w, "step", touches->items[i].step);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

void rx_flights_json(mt_jw *w, const rx_migration *m)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < m->flights.len; i++) {
        const rx_flight *f = &m->flights.items[i];
        mt_jw_begin_object(w);
        if (f->fate == RX_ABORTED) {
            mt_jw_keyz(w, "changes");
            touches_json(w, &f->touches);
        }
        if (f->judged) {
            mt_jw_keyz(w, "compatibility");
            ct_compatibility_json(w, &f->compat);
        }
        mt_jw_key_str(w, "etag", f->fate == RX_MIGRATED ? m->next->etag : f->row.etag);
        mt_jw_key_str(w, "fate", RX_FATE_NAMES[f->fate]);
        mt_jw_key_str(w, "flow", f->row.flow);
        mt_jw_key_str(w, "id", f->row.id);
        mt_jw_key_str(w, "policy",
                      CT_POLICY_NAMES[f->policy ? f->policy : CT_BLUE_GREEN]);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

void rx_orphans_json(mt_jw *w, const rx_migration *m)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < m->orphans.len; i++) {
        const rx_orphan *o = &m->orphans.items[i];
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "entity", o->row.entity);
        if (o->flow.len) {
            mt_jw_key_str(w, "flow", o->flow);
        }
        mt_jw_key_str(w, "id", o->row.id);
        mt_jw_key_bool(w, "moved", o->to.len && !o->flow.len);
        mt_jw_key_str(w, "state", o->row.state);
        if (o->to.len) {
            mt_jw_key_str(w, "to", o->to);
        }
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

/* exec/kinds/evaluate.c - verdicts, and what a persona can do now (§15.6).
 * Room: exec.
 * Both only read: facts are gathered and evaluated as for an operation. For actions the
 * EntityStateMap is complete (E17): every instance is read in one transaction.
 * `bindings` narrows an entity to one instance, `flows` the flows that are reported;
 * more instances than one answer holds are refused, never left out. May fail: as any
 * request, the store.
 */
#include "exec/kinds/evaluate.h"
#include "contract/flow/action_space.h"

/* Reads no instance: verdicts depend on facts alone (§7.4). Bindings matter only
 * because sources may ask for an instance by them. */
bool ex_evaluate(ex_job *job)
{
    if (ex_refused_contract(job) || ex_refused_request(job)) {
        return true;
    }
    job->snap = ex_snap_take(job->v);
    if (ex_refused_bindings(job) || ex_refused_facts(job)) {
        return true;
    }
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_key_str(&w, "contract", job->v->contract);
    mt_jw_key_str(&w, "etag", job->v->etag);
    mt_jw_keyz(&w, "verdicts");
    mt_jw_raw(&w, MT_STR(""));
    ct_verdicts_json_array(&job->reply.body, job->snap->verdicts);
    ex_reply_end(&w);
    return true;
}

/* ---- Actions ---- */

enum { INSTANCES_MOST = 100000 };

typedef struct collector {
    ex_job *job;
    ct_states *states;
    uint32_t entity;
    size_t count;
    bool full;
} collector;

/* A row in a state the current version does not have is passed over: it waits for a
 * migration, and no flow of this version can take it. The count goes one beyond the
 * limit, to know that there are more. */
static mt_err take_instance(void *state, const st_instance *row)
{
    collector *c = state;
    mt_arena *a = &c->job->arena;
    uint32_t s = ct_state_find(&c->job->v->model->entities[c->entity], row->state);
    if (++c->count > INSTANCES_MOST) {
        c->full = true;
        return MT_OK;
    }
    if (s != CT_NONE) {
        ct_states_put(a, c->states, c->entity, mt_str_dup(a, row->id), s);
    }
    return MT_OK;
}

/* A binding that names nothing is not a fault here: the space then has no instance of
 * that entity. */
static mt_err read_entity(collector *c, st_tx *tx)
{
    const ex_version *v = c->job->v;
    mt_str id = c->job->snap->instances[c->entity];
    mt_str entity = v->model->entities[c->entity].id;
    st_instance row;
    if (id.ptr) {
        mt_err err =
            st_instance_get(tx, &c->job->arena, v->scopes[c->entity], entity, id, &row);
        if (!err && !row.deleted) {
            take_instance(c, &row);
        }
        return err == MT_E_NOTFOUND ? MT_OK : err;
    }
    st_instance_filter f = {.scope = v->scopes[c->entity], .entity = entity};
    st_page page = {.limit = (uint32_t)(INSTANCES_MOST + 1 - c->count)};
    return st_instance_walk(tx, &f, page, take_instance, c);
}

/* One transaction, so the map is of one moment (E17). */
static mt_err read_all(collector *c)
{
    st_tx *tx;
    mt_err err = st_begin(c->job->x->store, ST_READ, &tx);
    if (err) {
        return err;
    }
    for (; c->entity < c->job->v->model->entity_count && !err && !c->full;
         c->entity++) {
        err = read_entity(c, tx);
    }
    st_rollback(tx);
    return err;
}

/* Without `flows` all are wanted; unknown names select nothing. */
static bool wanted(const ex_job *job, uint32_t flow)
{
    const mt_json *flows = job->request.flows;
    mt_str id = job->v->plan->graphs[flow].id;
    if (!mt_json_is(flows, MT_JSON_ARRAY)) {
        return true;
    }
    for (uint32_t i = 0; i < flows->count; i++) {
        if (mt_str_eq(mt_json_text(&flows->as.items[i]), id)) {
            return true;
        }
    }
    return false;
}

/* Filtered after the space was computed, since flows do not influence each other's
 * entry. */
static void narrow(const ex_job *job, ct_action_space *space)
{
    size_t kept = 0;
    for (size_t i = 0; i < space->actions.len; i++) {
        if (wanted(job, space->actions.items[i].flow)) {
            space->actions.items[kept++] = space->actions.items[i];
        }
    }
    space->actions.len = kept;
    kept = 0;
    for (size_t i = 0; i < space->blocked.len; i++) {
        if (wanted(job, space->blocked.items[i].flow)) {
            space->blocked.items[kept++] = space->blocked.items[i];
        }
    }
    space->blocked.len = kept;
}

/* The persona has to be held by the caller: what somebody else could do is not told.
 * Nothing is locked, so an action that is open here may be refused a moment later. */
bool ex_actions(ex_job *job)
{
    if (ex_refused_contract(job) || ex_refused_request(job) ||
        ex_refused_unless_held(job)) {
        return true;
    }
    job->snap = ex_snap_take(job->v);
    if (ex_refused_bindings(job) || ex_refused_facts(job)) {
        return true;
    }
    ct_states states = ct_states_new(&job->arena, job->v->model);
    collector c = {.job = job, .states = &states};
    mt_err err = read_all(&c);
    if (err) {
        return ex_refuse_store(job, err);
    }
    if (c.full) {
        return ex_refuse(job, EX_TOO_LARGE,
                         "there are more than %d instances; bind entities to ask about "
                         "some",
                         INSTANCES_MOST);
    }
    ct_states_seal(&states);
    ct_frozen z = ex_frozen(job);
    ct_action_space space = {0};
    ct_actions(&job->arena, &z, &states, job->request.persona, &space);
    narrow(job, &space);
    (void)ex_reply_body(job, 200);
    ct_actions_json(&job->reply.body, &z, &space);
    return true;
}

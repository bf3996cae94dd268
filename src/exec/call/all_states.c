/* exec/call/all_states.c - the states of all instances, for what asks about flows.
 * Room: exec.
 * Every instance is read in one transaction, so the map is of one moment (E17). More
 * than one answer holds are refused, never left out, and so is who binds an instance in
 * a state that was removed. May fail: the store. */
#include "contract/flow/states.h"
#include "exec/call/problem.h"
#include "exec/call/states.h"

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
            ex_state_known(c->job, c->entity, row.state);
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

bool ex_refused_all_states(ex_job *job, ct_states *out)
{
    *out = ct_states_new(&job->arena, job->v->model);
    collector c = {.job = job, .states = out};
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
    ct_states_seal(out);
    return ex_refused_removed(job, job->lost);
}

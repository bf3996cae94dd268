/* exec/commit/claims.c - instances that a call of a tool elsewhere holds.
 * Room: exec. From the moment a tool call was allowed until it is known what became of
 * it, nobody else moves what it will change (docs/adr/0032-guard.md). A claim is a
 * document, written and read while its instance is locked. Nobody looks for one until
 * this process knows that there are any. May fail: the store; MT_E_CONFLICT when two
 * processes hold the same instance at once, then it is tried again. */
#include "exec/call/problem.h"
#include "exec/commit/tool_call.h"
#include "exec/evidence/guarded.h"

static mt_err note_one(void *found, const st_doc *row)
{
    (void)row;
    *(bool *)found = true;
    return MT_OK;
}

/* One row is enough: only whether there are any is asked. */
mt_err ex_claims_open(ex_executor *x)
{
    st_tx *tx;
    bool found = false;
    mt_err err = st_begin(x->store, ST_READ, &tx);
    if (err) {
        return err;
    }
    err = st_doc_walk(tx, EX_CLAIM_KIND, MT_STR(""), (st_page){.limit = 1}, note_one,
                      &found);
    st_rollback(tx);
    atomic_store(&x->has_claims, found);
    return err;
}

bool ex_changes(const ex_version *v, uint32_t op, uint32_t entity)
{
    const ct_operation *o = op == CT_NONE ? NULL : &v->model->operations[op];
    bool does = !o;
    for (uint32_t i = 0; o && i < o->effect_count && !does; i++) {
        does = o->effects[i].entity == entity;
    }
    return does;
}

mt_err ex_row_held(ex_group *g, const st_instance *row, mt_str *call)
{
    st_doc claim;
    mt_str name = ex_claim_name(g->arena, row->scope, row->entity, row->id);
    mt_err err = st_doc_get(g->tx, g->arena, EX_CLAIM_KIND, name, &claim);
    *call = err ? (mt_str){0} : claim.tag;
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

/* The answer names entity, instance and call, so that an operator knows what to
 * resolve. */
static mt_err look(ex_job *job, ex_group *g, uint32_t e)
{
    const ex_version *v = job->v;
    mt_str id = job->snap->instances[e], call;
    st_instance row = {
        .scope = v->scopes[e], .entity = v->model->entities[e].id, .id = id};
    mt_err err = ex_row_held(g, &row, &call);
    if (!err && call.len) {
        mt_jw w = ex_problem_open(
            job, EX_INSTANCE_BUSY,
            mt_strf(&job->arena,
                    "entity '%.*s' instance '%.*s' is held by the guarded call "
                    "'%.*s', of which it is not known yet what became of it",
                    MT_ARG(v->model->entities[e].id), MT_ARG(id), MT_ARG(call)));
        mt_jw_key_str(&w, "entity", v->model->entities[e].id);
        mt_jw_key_str(&w, "instance", id);
        ex_problem_close(&w);
    }
    return err;
}

/* Most stores never see a guarded call, and then no document is read. */
mt_err ex_held_refused(ex_job *job, ex_group *g, uint32_t op)
{
    mt_err err = MT_OK;
    bool guards =
        job->call->action == EX_GUARD_BEGIN || job->call->action == EX_GUARD_FLOW;
    if (!guards && !atomic_load_explicit(&job->x->has_claims, memory_order_relaxed)) {
        return MT_OK;
    }
    for (uint32_t e = 0; e < job->v->model->entity_count && !err && !job->answered;
         e++) {
        if (job->snap->instances[e].ptr && ex_changes(job->v, op, e)) {
            err = look(job, g, e);
        }
    }
    return err;
}

/* The flag is set before anything is written, so no job of this process misses a
 * claim. */
mt_err ex_hold(ex_job *job, ex_group *g, uint32_t op, mt_str call)
{
    const ex_version *v = job->v;
    mt_err err = MT_OK;
    atomic_store(&job->x->has_claims, true);
    for (uint32_t e = 0; e < v->model->entity_count && !err; e++) {
        if (job->snap->instances[e].ptr && ex_changes(v, op, e)) {
            st_doc claim = {.kind = EX_CLAIM_KIND,
                            .id = ex_claim_name(g->arena, v->scopes[e],
                                                v->model->entities[e].id,
                                                job->snap->instances[e]),
                            .tag = call,
                            .body = MT_STR("{}"),
                            .updated_ms = g->now_ms};
            err = st_doc_put(g->tx, &claim);
        }
    }
    return err == MT_E_EXISTS ? MT_E_CONFLICT : err;
}

/* Those of one call; there are as many as an operation has effects at most. */
typedef struct held {
    mt_arena *a;
    MT_VEC(mt_str) names;
} held;

static mt_err note_name(void *state, const st_doc *row)
{
    held *h = state;
    mt_str name = mt_str_dup(h->a, row->id);
    mt_vec_push(h->a, &h->names, name);
    return MT_OK;
}

mt_err ex_let_go(ex_group *g, mt_str call)
{
    held h = {.a = g->arena};
    mt_err err = st_doc_walk(g->tx, EX_CLAIM_KIND, call, (st_page){0}, note_name, &h);
    for (size_t i = 0; i < h.names.len && !err; i++) {
        err = st_doc_delete(g->tx, EX_CLAIM_KIND, h.names.items[i]);
    }
    return err;
}

/* exec/kinds/instance.c - entity instances: made in their initial state, listed
 * whole, deleted without being forgotten.
 * Room: exec. E15: an instance begins in the
 * initial state and nowhere else. E16: the row of a deleted instance stays, so its id
 * is never used again. E17: lists have every instance; what does not fit a page is on
 * the next. May fail: the request, its rights, the store. */
#include <stdlib.h>

#include "base/utf8.h"
#include "exec/call/list.h"
#include "exec/call/request.h"
#include "exec/call/rights.h"
#include "exec/commit/effects.h"
#include "exec/commit/tool_call.h"
#include "exec/kinds/instance.h"

#include "exec/machine.h"

enum { ID_MOST = 256 };

/* ---- Names ---- */

/* By the current version: an entity that only an older one had cannot be addressed any
 * more, though its rows are kept. */
static bool refused_entity(ex_job *job)
{
    if (ex_refused_contract(job)) {
        return true;
    }
    job->what = ct_model_find(job->v->model, CT_KIND_ENTITY, job->call->name);
    return job->what == CT_NONE &&
           ex_refuse(job, EX_UNKNOWN_ENTITY, "the contract has no entity '%.*s'",
                     MT_ARG(job->call->name));
}

/* Only after refused_entity() has found it. */
static const ct_entity *entity_of(const ex_job *job)
{
    return &job->v->model->entities[job->what];
}

/* The contract's own, or that of a System whose members share the entity: there all of
 * them mean the same rows. */
static mt_str scope_of(const ex_job *job)
{
    return job->v->scopes[job->what];
}

/* Any UTF-8 without control characters: ids come from other systems. The length is
 * bounded, as an id is part of keys. */
static bool usable_id(mt_str id)
{
    for (size_t i = 0; i < id.len; i++) {
        if ((unsigned char)id.ptr[i] < ' ' || id.ptr[i] == 0x7f) {
            return false;
        }
    }
    return id.len && id.len <= ID_MOST && mt_utf8_check(id) == id.len;
}

/* The instance a job is about: named in the path, or in the body of a creation. */
static mt_str id_of(const ex_job *job)
{
    return job->call->id.len ? job->call->id : job->request.id;
}

void ex_instance_claim(ex_job *job, ex_group *g)
{
    ex_claim(g, scope_of(job), entity_of(job)->id, id_of(job));
}

/* The group's copy, which jobs before this one may have changed. */
static ex_row *row_of(ex_job *job, ex_group *g)
{
    return ex_row_of(g, scope_of(job), entity_of(job)->id, id_of(job));
}

static bool refuse_instance(ex_job *job)
{
    return ex_refuse(job, EX_UNKNOWN_INSTANCE, "entity '%.*s' has no instance '%.*s'",
                     MT_ARG(entity_of(job)->id), MT_ARG(id_of(job)));
}

static bool refused_dry_run(ex_job *job)
{
    return job->simulation &&
           ex_refuse(job, EX_BAD_REQUEST, "only operations and flows have a dry run");
}

/* ---- Words ---- */

/* The same members wherever an instance is shown. */
static void members_json(mt_jw *w, const st_instance *r)
{
    mt_jw_keyz(w, "created_at");
    ex_time_json(w, r->created_ms);
    if (r->deleted) {
        mt_jw_key_bool(w, "deleted", true);
    }
    mt_jw_key_str(w, "entity", r->entity);
    mt_jw_key_str(w, "id", r->id);
    if (r->last_flow.len) {
        mt_jw_key_str(w, "last_flow", r->last_flow);
    }
    if (r->last_operation.len) {
        mt_jw_key_str(w, "last_operation", r->last_operation);
    }
    mt_jw_key_str(w, "state", r->state);
    mt_jw_keyz(w, "updated_at");
    ex_time_json(w, r->updated_ms);
    mt_jw_key_i64(w, "version", r->version);
}

/* For instances made and deleted. */
static mt_err record_life(ex_job *job, ex_group *g, const char *kind,
                          const st_instance *row, int64_t *id)
{
    mt_jw w = ex_record_begin(g);
    ex_caller_json(&w, job);
    mt_jw_key_str(&w, "contract", job->v->contract);
    mt_jw_key_str(&w, "entity", row->entity);
    mt_jw_key_str(&w, "etag", job->v->etag);
    mt_jw_key_str(&w, "instance", row->id);
    mt_jw_key_str(&w, "kind", mt_str_z(kind));
    mt_jw_key_str(&w, "state", row->state);
    ex_record_time(&w, g);
    ex_record r = {.kind = kind,
                   .contract = job->v->contract,
                   .subject = ex_subject(g->arena, row->entity, row->id)};
    return ex_record_end(g, &w, &r, id);
}

/* EX_NO_RECORD: none was written, as when reading. */
static void reply_row(ex_job *job, int status, const st_instance *row, int64_t record)
{
    mt_jw w = ex_reply_with(job, status);
    mt_jw_unsorted(&w);
    mt_jw_key_str(&w, "contract", job->v->contract);
    members_json(&w, row);
    ex_reply_record(&w, job, record);
    ex_reply_end(&w);
}

/* ---- Creating ---- */

/* E15. A state may be given, for clients that send whole objects, but only the initial
 * one. Without an id one is made here, before the group, so that a repeated group uses
 * the same. */
bool ex_instance_create_prepare(ex_job *job)
{
    if (refused_entity(job) ||
        ex_refused_without(job, job->v->contract, MT_STR("instances:create")) ||
        ex_refused_request(job) || refused_dry_run(job)) {
        return true;
    }
    const ct_entity *e = entity_of(job);
    mt_str state = job->request.state;
    if (state.ptr && !mt_str_eq(state, e->states[e->initial])) {
        return ex_refuse(job, EX_INVALID_STATE,
                         "an instance of '%.*s' begins in state '%.*s', not '%.*s'",
                         MT_ARG(e->id), MT_ARG(e->states[e->initial]), MT_ARG(state));
    }
    if (!job->request.id.ptr && !job->call->id.len) {
        job->request.id = ex_new_id(&job->arena, "i");
    }
    return (!usable_id(id_of(job)) &&
            ex_refuse(job, EX_INVALID_ID,
                      "an id is 1 to %d bytes of text without control characters",
                      ID_MOST)) ||
           ex_refused_quota(job, EX_QUOTA_INSTANCES, "instances");
}

/* E16: a deleted instance still holds its id, and the message says which it is. The row
 * is marked changed, so later jobs of the group see it. */
mt_err ex_instance_create_commit(ex_job *job, ex_group *g)
{
    const ct_entity *e = entity_of(job);
    ex_row *r = row_of(job, g);
    int64_t record;
    if (ex_refused_unless_current(job)) {
        return MT_OK;
    }
    if (r->found) {
        ex_refuse(job, EX_INSTANCE_EXISTS, "the id '%.*s' %s in use for entity '%.*s'",
                  MT_ARG(id_of(job)), r->row.deleted ? "was" : "is", MT_ARG(e->id));
        return MT_OK;
    }
    r->row.state = e->states[e->initial];
    r->row.created_ms = r->row.updated_ms = g->now_ms;
    mt_err err = st_instance_add(g->tx, &r->row);
    err = err ? err : record_life(job, g, "instance_created", &r->row, &record);
    if (!err) {
        r->found = r->changed = true;
        reply_row(job, 201, &r->row, record);
        ex_locate_instance(job, job->v->contract, e->id, r->row.id);
    }
    return err;
}

/* ---- Deleting ---- */

bool ex_instance_delete_prepare(ex_job *job)
{
    return refused_entity(job) ||
           ex_refused_without(job, job->v->contract, MT_STR("instances:delete")) ||
           ex_refused_request(job) || refused_dry_run(job);
}

typedef struct holder {
    mt_arena *a;
    mt_str entity, id;
    mt_str flow; /* found: its id */
} holder;

/* True: members of a System share the entity, and with it the instance. */
static bool is_shared(const ex_job *job)
{
    return !mt_str_eq(scope_of(job), job->v->contract);
}

/* Walks on after it has found one, since a walk cannot be ended early without an error;
 * the rest costs a comparison. */
static mt_err look_at_flow(void *state, const st_flow *row)
{
    holder *h = state;
    mt_json tree;
    mt_str text = mt_str_dup(h->a, row->bindings);
    if (!h->flow.len && !mt_json_read(h->a, text, NULL, &tree, NULL) &&
        mt_str_eq(mt_json_text(mt_json_get(&tree, h->entity)), h->id)) {
        h->flow = mt_str_dup(h->a, row->id);
    }
    return MT_OK;
}

/* All flows in flight are looked at; of a shared entity those of all contracts, since
 * another member may be bound to the instance too. Deleting is rare, so there is no
 * index for it. The row stays, marked (E16). */
mt_err ex_instance_delete_commit(ex_job *job, ex_group *g)
{
    ex_row *r = row_of(job, g);
    int64_t record;
    if (!r->found || r->row.deleted) {
        refuse_instance(job);
        return MT_OK;
    }
    holder h = {.a = g->arena, .entity = r->row.entity, .id = r->row.id};
    st_flow_filter filter = {.in_flight = true};
    filter.contract = is_shared(job) ? (mt_str){0} : job->v->contract;
    mt_err err =
        st_flow_walk(g->tx, &filter, (st_page){.limit = UINT32_MAX}, look_at_flow, &h);
    if (!err && h.flow.len) {
        ex_refuse(job, EX_INSTANCE_BUSY, "flow execution '%.*s' is bound to it",
                  MT_ARG(h.flow));
        return MT_OK;
    }
    mt_str call = {0};
    err = err ? err : ex_row_held(g, &r->row, &call);
    if (!err && call.len) {
        ex_refuse(job, EX_INSTANCE_BUSY, "the guarded call '%.*s' holds it",
                  MT_ARG(call));
        return MT_OK;
    }
    if (!err) {
        r->row.deleted = true;
        ex_move(g, r, r->row.state, r->row.last_flow, r->row.last_operation);
    }
    err = err ? err : record_life(job, g, "instance_deleted", &r->row, &record);
    if (!err) {
        reply_row(job, 200, &r->row, record);
    }
    return err;
}

/* ---- Reading ---- */

/* A deleted instance is not found, as if it had never been; its history still is. */
bool ex_instance_get(ex_job *job)
{
    st_tx *tx;
    st_instance row;
    if (refused_entity(job) || ex_refused_unless_seen(job)) {
        return true;
    }
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (err) {
        return ex_refuse_store(job, err);
    }
    err = st_instance_get(tx, &job->arena, scope_of(job), entity_of(job)->id,
                          job->call->id, &row);
    st_rollback(tx);
    if (err == MT_E_NOTFOUND || (!err && row.deleted)) {
        return refuse_instance(job);
    }
    if (err) {
        return ex_refuse_store(job, err);
    }
    reply_row(job, 200, &row, EX_NO_RECORD);
    return true;
}

/* In a list over all entities the place to go on from names the entity, too. */
static mt_err list_one(void *state, const st_instance *row)
{
    ex_list *l = state;
    mt_arena *a = &l->job->arena;
    if (!ex_list_take(l)) {
        return MT_OK;
    }
    mt_jw_begin_object(&l->w);
    members_json(&l->w, row);
    mt_jw_end_object(&l->w);
    if (!l->left) {
        l->last = l->job->call->name.len ? mt_str_dup(a, row->id)
                                         : ex_subject(a, row->entity, row->id);
    }
    return MT_OK;
}

static int by_name(const void *a, const void *b, void *model)
{
    const ct_model *m = model;
    return mt_str_cmp(m->entities[*(const uint32_t *)a].id,
                      m->entities[*(const uint32_t *)b].id);
}

/* The contract's entities by name: some may live in the scope of a System. */
static mt_err list_all(ex_job *job, st_instance_filter *f, ex_list *l)
{
    const ct_model *m = job->v->model;
    uint32_t *order = mt_new_array(&job->arena, uint32_t, m->entity_count);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        order[e] = e;
    }
    ct_model *shared = (ct_model *)(uintptr_t)m;
    qsort_r(order, m->entity_count, sizeof *order, by_name, shared);
    mt_str after = l->page.after;
    size_t slash = mt_str_find(after, '/');
    mt_str from = mt_str_from(after.ptr, slash);
    mt_err err = MT_OK;
    for (uint32_t i = 0; i < m->entity_count && !err && !l->more; i++) {
        const ct_entity *e = &m->entities[order[i]];
        int place = after.len ? mt_str_cmp(e->id, from) : 1;
        if (place < 0) {
            continue;
        }
        f->scope = job->v->scopes[order[i]];
        f->entity = e->id;
        st_page part = {place ? MT_STR("") : mt_str_skip(after, slash + 1),
                        l->left + 1};
        err = st_instance_walk(l->tx, f, part, list_one, l);
    }
    return err;
}

/* Without an entity all entities of the contract are listed, page by page. */
bool ex_instance_list(ex_job *job)
{
    ex_list l;
    bool whole = !job->call->name.len;
    st_instance_filter f = {.state = ex_query(job, "state")};
    if ((whole ? ex_refused_contract(job) : refused_entity(job)) ||
        ex_refused_unless_seen(job) ||
        ex_refused_choice(job, "deleted", "false", "true", &f.deleted) ||
        ex_refused_list(&l, job)) {
        return true;
    }
    if (whole) {
        return ex_list_close(&l, list_all(job, &f, &l));
    }
    f.scope = scope_of(job);
    f.entity = entity_of(job)->id;
    return ex_list_close(&l, st_instance_walk(l.tx, &f, l.page, list_one, &l));
}

enum { COUNTED_MOST = 100000 }; /* instances: what a glance may cost */

typedef struct counts {
    mt_jw *w;
    mt_str entity;
    int64_t left;
} counts;

/* One state of one entity; called for each that has instances. */
static mt_err count_one(void *state, mt_str in, int64_t count)
{
    counts *c = state;
    mt_jw_begin_object(c->w);
    mt_jw_key_i64(c->w, "count", count);
    mt_jw_key_str(c->w, "entity", c->entity);
    mt_jw_key_str(c->w, "state", in);
    mt_jw_end_object(c->w);
    c->left -= count;
    return MT_OK;
}

/* In the order of the contract. Bounded: with more instances than that, `more` says
 * that not all were looked at. */
bool ex_instance_count(ex_job *job)
{
    st_tx *tx;
    if (ex_refused_contract(job) || ex_refused_unless_seen(job)) {
        return true;
    }
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (err) {
        return ex_refuse_store(job, err);
    }
    const ct_model *m = job->v->model;
    mt_jw w = ex_reply_with(job, 200);
    counts c = {.w = &w, .left = COUNTED_MOST};
    mt_jw_key_str(&w, "contract", job->v->contract);
    mt_jw_keyz(&w, "items");
    mt_jw_begin_array(&w);
    for (uint32_t e = 0; e < m->entity_count && !err && c.left > 0; e++) {
        c.entity = m->entities[e].id;
        err = st_instance_count(tx, job->v->scopes[e], c.entity, c.left, count_one, &c);
    }
    st_rollback(tx);
    mt_jw_end_array(&w);
    if (c.left <= 0) {
        mt_jw_key_bool(&w, "more", true);
    }
    ex_reply_end(&w);
    return err ? ex_refuse_store(job, err) : true;
}

/* Records that are not chained yet are shown too: they are durable, only their place in
 * the chain is open. */
bool ex_instance_history(ex_job *job)
{
    if (refused_entity(job) || ex_refused_unless_seen(job)) {
        return true;
    }
    st_record_filter f = {
        .subject = ex_subject(&job->arena, entity_of(job)->id, job->call->id),
        .pending = true};
    /* Members of a System that share the entity all write about it. */
    f.contract = is_shared(job) ? (mt_str){0} : job->v->contract;
    return ex_list_records(job, &f, is_shared(job) ? scope_of(job) : (mt_str){0});
}

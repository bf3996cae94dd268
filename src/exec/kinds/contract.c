/* exec/kinds/contract.c - contracts, read: what is served, manifests, versions.
 * Room: exec. */
#include "exec/kinds/contract.h"

#include "exec/call/list.h"
#include "exec/call/request.h"

/* Copied into the reply, since the version may be gone before the answer is written. An
 * etag that does not fit is left out; ours always do. */
static void set_etag(ex_job *job, mt_str etag)
{
    ex_reply *r = &job->reply;
    if (etag.len < sizeof r->etag_room) {
        memcpy(r->etag_room, etag.ptr, etag.len);
        r->etag = mt_str_from(r->etag_room, etag.len);
    }
}

/* In the order of the model, which is that of the bundle. */
static void names_json(mt_jw *w, const ct_model *m, ct_kind kind)
{
    const mt_map *names = &m->names[kind];
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < names->len; i++) {
        mt_jw_str(w, names->entries[i].key);
    }
    mt_jw_end_array(w);
}

/* Members in byte order, as everywhere in answers. */
static void contract_json(mt_jw *w, const ex_version *v, bool is_default)
{
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "default", is_default);
    mt_jw_keyz(w, "deployed_at");
    ex_time_json(w, v->deployed_ms);
    mt_jw_keyz(w, "entities");
    names_json(w, v->model, CT_KIND_ENTITY);
    mt_jw_key_str(w, "etag", v->etag);
    mt_jw_keyz(w, "facts");
    names_json(w, v->model, CT_KIND_FACT);
    mt_jw_keyz(w, "flows");
    names_json(w, v->model, CT_KIND_FLOW);
    mt_jw_key_str(w, "id", v->contract);
    mt_jw_keyz(w, "operations");
    names_json(w, v->model, CT_KIND_OPERATION);
    mt_jw_keyz(w, "personas");
    names_json(w, v->model, CT_KIND_PERSONA);
    mt_jw_key_i64(w, "version", v->number);
    mt_jw_end_object(w);
}

/* `current` may change at any moment (a deployment); each contract is shown as one
 * version, the list is not one moment. The lock keeps contracts from being added
 * meanwhile. */
bool ex_contract_list(ex_job *job)
{
    ex_executor *x = job->x;
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_keyz(&w, "items");
    mt_jw_begin_array(&w);
    pthread_rwlock_rdlock(&x->contracts_lock);
    for (uint32_t i = 0; i < x->contracts.len; i++) {
        ex_contract *c = (ex_contract *)x->contracts.entries[i].value;
        contract_json(&w, atomic_load(&c->current),
                      mt_str_eq(c->id, x->default_contract));
    }
    pthread_rwlock_unlock(&x->contracts_lock);
    mt_jw_end_array(&w);
    ex_reply_end(&w);
    return true;
}

/* The manifest (§19.1), of the current version or the one `etag` names. */
bool ex_contract_get(ex_job *job)
{
    mt_str etag = ex_query(job, "etag");
    mt_err err = MT_OK;
    if (ex_refused_contract(job)) {
        return true;
    }
    const ex_version *v =
        etag.len ? ex_version_with(job->x, job->v->contract, etag, &err) : job->v;
    if (!v) {
        return err == MT_E_NOTFOUND
                   ? ex_refuse(job, EX_NOT_FOUND, "the contract has no such version")
                   : ex_refuse_store(job, err);
    }
    (void)ex_reply_body(job, 200);
    mt_buf_adds(&job->reply.body, v->manifest);
    set_etag(job, v->etag);
    return true;
}

/* A bundle is read whole for two numbers; versions are few. */
static mt_err list_version(void *state, const st_doc *row)
{
    ex_list *l = state;
    mt_arena *a = &l->job->arena;
    mt_json tree;
    mt_json_limits limits = {0, MT_LIMITS_DEFAULT.bundle_depth};
    if (!ex_list_take(l)) {
        return MT_OK;
    }
    if (mt_json_read(a, mt_str_dup(a, row->body), &limits, &tree, NULL)) {
        return MT_E_CORRUPT;
    }
    int64_t number = 0, ms = 0;
    mt_json_i64(mt_json_at(&tree, "number"), &number);
    mt_json_i64(mt_json_at(&tree, "deployed_ms"), &ms);
    l->last = mt_str_dup(a, row->id);
    mt_str etag = mt_str_skip(l->last, row->tag.len + 1);
    mt_jw_begin_object(&l->w);
    mt_jw_key_bool(&l->w, "current", mt_str_eq(etag, l->job->v->etag));
    mt_jw_keyz(&l->w, "deployed_at");
    ex_time_json(&l->w, ms);
    mt_jw_key_str(&l->w, "etag", etag);
    mt_jw_key_i64(&l->w, "version", number);
    mt_jw_end_object(&l->w);
    return MT_OK;
}

/* Versions are documents tagged with their contract, so those of others are not
 * walked. */
bool ex_contract_versions(ex_job *job)
{
    ex_list l;
    if (ex_refused_contract(job) || ex_refused_list(&l, job)) {
        return true;
    }
    return ex_list_close(&l, st_doc_walk(l.tx, MT_STR("contract"), job->v->contract,
                                         l.page, list_version, &l));
}

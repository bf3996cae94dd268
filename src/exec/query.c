/* exec/query.c - what is only read: contracts, verdicts, flows, systems.
 * Room: exec. Every list has pages: `limit` and `after` in the query, `next` in the
 * answer while there is more. */
#include "contract/flow/report.h"
#include "exec/flow.h"

/* ---- Contracts --------------------------------------------------------------------
 */

static void set_etag(ex_job *job, mt_str etag)
{
    ex_reply *r = &job->reply;
    if (etag.len < sizeof r->etag_room) {
        memcpy(r->etag_room, etag.ptr, etag.len);
        r->etag = mt_str_from(r->etag_room, etag.len);
    }
}

static void names_json(mt_jw *w, const ct_model *m, ct_kind kind)
{
    const mt_map *names = &m->names[kind];
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < names->len; i++) {
        mt_jw_str(w, names->entries[i].key);
    }
    mt_jw_end_array(w);
}

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
    if (ex_find_contract(job)) {
        return true;
    }
    const ex_version *v =
        etag.len ? ex_version_with(job->x, job->v->contract, etag, &err) : job->v;
    if (!v) {
        return err == MT_E_NOTFOUND
                   ? ex_refuse(job, EX_NOT_FOUND, "the contract has no such version")
                   : ex_refuse_store(job, err);
    }
    ex_reply_with(job, 200);
    mt_buf_clear(&job->reply.body);
    mt_buf_adds(&job->reply.body, v->manifest);
    set_etag(job, v->etag);
    return true;
}

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

bool ex_contract_versions(ex_job *job)
{
    ex_list l;
    if (ex_find_contract(job) || ex_list_open(&l, job)) {
        return true;
    }
    return ex_list_close(&l, st_doc_walk(l.tx, MT_STR("contract"), job->v->contract,
                                         l.page, list_version, &l));
}

mt_err ex_executor_manifest(ex_executor *x, mt_str contract, ex_manifest *out)
{
    const ex_version *v = ex_current(x, contract);
    *out = (ex_manifest){0};
    if (!v) {
        return MT_E_NOTFOUND;
    }
    *out = (ex_manifest){v->manifest, v->etag, v};
    return MT_OK;
}

void ex_executor_release(ex_executor *x, ex_manifest *m)
{
    (void)x; /* versions live until the executor closes */
    *m = (ex_manifest){0};
}

/* ---- Verdicts ---------------------------------------------------------------------
 */

bool ex_evaluate(ex_job *job)
{
    if (ex_find_contract(job) || ex_request_read(job)) {
        return true;
    }
    job->snap = ex_snap_take(job->v);
    if (ex_bind(job) || ex_snapshot(job)) {
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

/* ---- Flows ------------------------------------------------------------------------
 */

static bool no_execution(ex_job *job)
{
    return ex_refuse(job, EX_UNKNOWN_EXECUTION, "no flow execution '%.*s'",
                     MT_ARG(job->call->id));
}

bool ex_flow_get(ex_job *job)
{
    st_tx *tx;
    st_flow row;
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (err) {
        return ex_refuse_store(job, err);
    }
    err = st_flow_get(tx, &job->arena, job->call->id, &row);
    st_rollback(tx);
    if (err) {
        return err == MT_E_NOTFOUND ? no_execution(job) : ex_refuse_store(job, err);
    }
    mt_str caller = job->call->caller->token;
    bool began = caller.len && mt_str_eq(caller, row.initiator);
    const ex_version *v = ex_waiting_version(job->x, &row);
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_unsorted(&w);
    ex_flow_members(&w, v, &row);
    if (began || ex_may_read_facts(job, row.contract)) {
        mt_jw_keyz(&w, "extra");
        mt_jw_raw(&w, row.extra.len ? row.extra : MT_STR("{}"));
        mt_jw_keyz(&w, "facts");
        mt_jw_raw(&w, row.facts);
    }
    mt_jw_keyz(&w, "position");
    mt_jw_raw(&w, row.position);
    ex_reply_end(&w);
    return true;
}

typedef struct flow_list {
    ex_list list;    /* first: what ex_list_take() and others are given */
    st_flow unknown; /* one whose version is to be loaded; id empty: none */
} flow_list;

static mt_err list_flow(void *state, const st_flow *row)
{
    flow_list *f = state;
    ex_list *l = &f->list;
    if (!ex_list_take(l)) {
        return MT_OK;
    }
    l->last = l->left ? l->last : mt_str_dup(&l->job->arena, row->id);
    const ex_version *v = ex_version_known(l->job->x, row->contract, row->etag);
    if (!v && row->waiting_step.len) {
        mt_arena *a = &l->job->arena;
        f->unknown = (st_flow){.waiting_step = MT_STR("?"),
                               .contract = mt_str_dup(a, row->contract),
                               .etag = mt_str_dup(a, row->etag)};
    }
    mt_jw_begin_object(&l->w);
    ex_flow_members(&l->w, v, row);
    mt_jw_end_object(&l->w);
    return MT_OK;
}

bool ex_flow_list(ex_job *job)
{
    flow_list l = {0};
    st_flow_filter f = {.contract = job->call->contract,
                        .etag = ex_query(job, "etag"),
                        .flow = ex_query(job, "flow"),
                        .status = ex_query(job, "status"),
                        .outcome = ex_query(job, "outcome"),
                        .persona = ex_query(job, "persona"),
                        .waiting_persona = ex_query(job, "waiting_persona"),
                        .in_flight = mt_str_is(ex_query(job, "in_flight"), "true")};
    if (!f.contract.len) {
        f.contract = ex_query(job, "contract");
    }
    do {
        l.unknown = (st_flow){0};
        if (ex_list_open(&l.list, job)) {
            return true;
        }
        ex_list_close(&l.list, st_flow_walk(l.list.tx, &f, l.list.page, list_flow, &l));
        /* A version nobody has used since the start: nothing can be loaded while a list
         * is read, so it is read again. */
    } while (ex_waiting_version(job->x, &l.unknown));
    return true;
}

/* ---- Systems ----------------------------------------------------------------------
 */

bool ex_system_list(ex_job *job)
{
    ex_executor *x = job->x;
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_keyz(&w, "items");
    mt_jw_begin_array(&w);
    pthread_rwlock_rdlock(&x->contracts_lock);
    for (size_t i = 0; i < x->systems.len; i++) {
        mt_jw_begin_object(&w);
        mt_jw_key_str(&w, "id", x->systems.items[i].id);
        mt_jw_keyz(&w, "members");
        mt_jw_json(&w, mt_json_at(x->systems.items[i].declaration, "members"));
        mt_jw_end_object(&w);
    }
    pthread_rwlock_unlock(&x->contracts_lock);
    mt_jw_end_array(&w);
    ex_reply_end(&w);
    return true;
}

bool ex_system_get(ex_job *job)
{
    ex_executor *x = job->x;
    bool found = false;
    pthread_rwlock_rdlock(&x->contracts_lock);
    for (size_t i = 0; i < x->systems.len && !found; i++) {
        if (mt_str_eq(x->systems.items[i].id, job->call->name)) {
            found = true;
            mt_jw w = ex_reply_with(job, 200);
            mt_jw_keyz(&w, "bundle");
            mt_jw_raw(&w, x->systems.items[i].bundle);
            mt_jw_key_str(&w, "id", x->systems.items[i].id);
            ex_reply_end(&w);
        }
    }
    pthread_rwlock_unlock(&x->contracts_lock);
    return found || ex_refuse(job, EX_NOT_FOUND, "no System '%.*s' is served",
                              MT_ARG(job->call->name));
}

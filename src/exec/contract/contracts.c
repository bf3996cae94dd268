/* exec/contract/contracts.c - which versions there are, and which of them are served.
 * Room: exec.
 * Documents: kind "contract", id "CONTRACT/ETAG", tag CONTRACT, body {"bundle",
 * "deployed_ms","number","trust"}: one version each, for ever, since flows are pinned
 * to them. Kind "contract.current", id CONTRACT, body {"etag"}: what is served. Kind
 * "system", id SYSTEM, body its bundle.
 * A version is loaded once and lives until the executor closes. INVARIANT: what is
 * served never goes back: a reader whose snapshot is older than what was taken up
 * changes nothing. May fail: the store; a version in it that is not what its etag says
 * (MT_E_CORRUPT). */
#include "exec/contract/kept_facts.h"
#include "exec/executor_internal.h"
#include "exec/machine.h"

#define KIND_VERSION MT_STR("contract")
#define KIND_CURRENT MT_STR("contract.current")

/* ---- The table ---- */

static ex_contract *find_contract(ex_executor *x, mt_str id)
{
    return (ex_contract *)mt_map_get(&x->contracts, id, 0);
}

/* The newest comes first; only versions that somebody asked for are loaded. */
static ex_version *find_version(ex_executor *x, mt_str contract, mt_str etag)
{
    ex_version *v = x->versions;
    while (v && !(mt_str_eq(v->etag, etag) && mt_str_eq(v->contract, contract))) {
        v = v->next;
    }
    return v;
}

ex_version *ex_version_known(ex_executor *x, mt_str contract, mt_str etag)
{
    pthread_rwlock_rdlock(&x->contracts_lock);
    ex_version *v = find_version(x, contract, etag);
    pthread_rwlock_unlock(&x->contracts_lock);
    return v;
}

ex_version *ex_current(ex_executor *x, mt_str contract)
{
    pthread_rwlock_rdlock(&x->contracts_lock);
    ex_contract *c = find_contract(x, contract.len ? contract : x->default_contract);
    ex_version *v = c ? atomic_load(&c->current) : NULL;
    pthread_rwlock_unlock(&x->contracts_lock);
    return v;
}

/* Another thread may have been faster. */
ex_version *ex_version_list(ex_executor *x, ex_version *v)
{
    pthread_rwlock_wrlock(&x->contracts_lock);
    ex_version *known = find_version(x, v->contract, v->etag);
    if (!known) {
        v->next = x->versions;
        x->versions = v;
        if (v->may_be_long) {
            atomic_store(&x->may_be_long, true);
        }
    }
    pthread_rwlock_unlock(&x->contracts_lock);
    return known ? known : v;
}

void ex_serve(ex_executor *x, ex_version *v)
{
    pthread_rwlock_wrlock(&x->contracts_lock);
    ex_contract *c = find_contract(x, v->contract);
    if (!c) {
        c = mt_new(&x->contracts_arena, ex_contract);
        c->id = mt_str_dup(&x->contracts_arena, v->contract);
        mt_map_put(&x->contracts_arena, &x->contracts, c->id, (uintptr_t)c);
    }
    atomic_store(&c->current, v);
    pthread_rwlock_unlock(&x->contracts_lock);
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

/* ---- The store ---- */

static mt_str version_id(mt_arena *a, mt_str contract, mt_str etag)
{
    return mt_strf(a, "%.*s/%.*s", MT_ARG(contract), MT_ARG(etag));
}

/* The bundle is written again from the tree: its bytes are canonical, so the etag must
 * come out as its id says. */
static mt_err load_version(ex_executor *x, st_tx *tx, mt_str contract, mt_str etag,
                           ex_version **out, mt_buf *why)
{
    mt_arena a = {0};
    st_doc doc;
    mt_json tree;
    mt_err err = st_doc_get(tx, &a, KIND_VERSION, version_id(&a, contract, etag), &doc);
    mt_json_limits limits = {x->limits.json_bytes, x->limits.bundle_depth};
    if (!err && mt_json_read(&a, doc.body, &limits, &tree, NULL)) {
        err = MT_E_CORRUPT;
    }
    if (!err) {
        int64_t number = 0, ms = 0;
        mt_buf bundle = {0}, trust = {0};
        mt_json_i64(mt_json_at(&tree, "number"), &number);
        mt_json_i64(mt_json_at(&tree, "deployed_ms"), &ms);
        mt_json_write(&bundle, mt_json_at(&tree, "bundle"), false);
        if (mt_json_at(&tree, "trust")) {
            mt_json_write(&trust, mt_json_at(&tree, "trust"), false);
        }
        ex_source source = {.id = contract,
                            .bundle = mt_buf_str(&bundle),
                            .trust = mt_buf_str(&trust),
                            .stored = true};
        err = ex_version_make(x, &source, number, ms, out, why);
        if (!err && !mt_str_eq((*out)->etag, etag)) {
            ex_version_free(*out);
            mt_buf_addf(why, "contract '%.*s' in the store is not what its etag says",
                        MT_ARG(contract));
            err = MT_E_CORRUPT;
        }
        mt_buf_free(&bundle);
        mt_buf_free(&trust);
    }
    mt_arena_free(&a);
    if (!err) {
        ex_version *mine = *out;
        *out = ex_version_list(x, mine);
        if (*out != mine) {
            ex_version_free(mine);
        }
    }
    return err;
}

ex_version *ex_version_with(ex_executor *x, mt_str contract, mt_str etag, mt_err *err)
{
    ex_version *v = ex_version_known(x, contract, etag);
    *err = MT_OK;
    if (v) {
        return v;
    }
    st_tx *tx;
    mt_buf why = {0};
    *err = st_begin(x->store, ST_READ, &tx);
    if (!*err) {
        *err = load_version(x, tx, contract, etag, &v, &why);
        st_rollback(tx);
    }
    if (*err) {
        ex_log(x, 3, "contract_unreadable", "%.*s", MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    return *err ? NULL : v;
}

static mt_str text_of_current(const st_doc *doc, mt_arena *a)
{
    mt_json tree;
    mt_str body = mt_str_dup(a, doc->body);
    return mt_json_read(a, body, NULL, &tree, NULL)
               ? (mt_str){0}
               : mt_json_text(mt_json_at(&tree, "etag"));
}

mt_err ex_version_current(st_tx *tx, mt_arena *a, mt_str contract, mt_str *etag)
{
    st_doc doc;
    mt_err err = st_doc_lock(tx, a, KIND_CURRENT, contract, &doc);
    *etag = err ? (mt_str){0} : text_of_current(&doc, a);
    return err;
}

static mt_err count_one(void *state, const st_doc *row)
{
    (void)row;
    ++*(int64_t *)state;
    return MT_OK;
}

/* Writes the version unless it is there already: what was deployed once keeps its
 * number when it comes back. */
static mt_err store_version(st_tx *tx, mt_arena *a, ex_version *v, mt_str trust,
                            int64_t now_ms)
{
    st_doc doc;
    int64_t count = 0;
    mt_str id = version_id(a, v->contract, v->etag);
    mt_err err = st_doc_get(tx, a, KIND_VERSION, id, &doc);
    if (err != MT_E_NOTFOUND) {
        return err;
    }
    err = st_doc_walk(tx, KIND_VERSION, v->contract, (st_page){.limit = UINT32_MAX},
                      count_one, &count);
    /* Versions are never deleted, so the count is the last number. */
    v->number = count + 1;
    v->deployed_ms = now_ms;
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "bundle");
    mt_jw_raw(&w, v->bundle);
    mt_jw_key_i64(&w, "deployed_ms", v->deployed_ms);
    mt_jw_key_i64(&w, "number", v->number);
    if (trust.len) {
        mt_jw_keyz(&w, "trust");
        mt_jw_raw(&w, trust);
    }
    mt_jw_end_object(&w);
    doc = (st_doc){.kind = KIND_VERSION,
                   .id = id,
                   .tag = v->contract,
                   .body = mt_buf_str(&b),
                   .updated_ms = now_ms};
    err = err ? err : st_doc_set(tx, &doc);
    mt_buf_free(&b);
    return err;
}

mt_err ex_version_was_stored(st_tx *tx, mt_arena *a, const ex_version *v, bool *was)
{
    st_doc doc;
    mt_err err =
        st_doc_get(tx, a, KIND_VERSION, version_id(a, v->contract, v->etag), &doc);
    *was = !err;
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

mt_err ex_version_store(st_tx *tx, ex_version *v, mt_str trust, bool first,
                        int64_t now_ms)
{
    mt_arena a = {0};
    mt_err err = store_version(tx, &a, v, trust, now_ms);
    st_doc doc = {.kind = KIND_CURRENT,
                  .id = v->contract,
                  .tag = v->contract,
                  .body = mt_strf(&a, "{\"etag\":\"%.*s\"}", MT_ARG(v->etag)),
                  .updated_ms = now_ms};
    /* The first deployment of a contract has no row to lock: of two at the same time
     * one is told MT_E_EXISTS. */
    err = err ? err : first ? st_doc_put(tx, &doc) : st_doc_set(tx, &doc);
    mt_arena_free(&a);
    return err;
}

/* ---- What others deployed ---- */

static mt_err take_system(void *state, const st_doc *row)
{
    return ex_system_add(state, row->body);
}

typedef struct pair {
    mt_str contract, etag;
} pair;
typedef struct pairs {
    mt_arena *a;
    pair *items;
    size_t len, cap;
} pairs;

static mt_err take_pair(void *state, const st_doc *row)
{
    pairs *p = state;
    pair one = {mt_str_dup(p->a, row->id), text_of_current(row, p->a)};
    mt_vec_push(p->a, p, one);
    return MT_OK;
}

mt_err ex_contracts_load(ex_executor *x, st_tx *tx, mt_buf *why)
{
    mt_arena a = {0};
    pairs p = {.a = &a};
    mt_err err = st_doc_walk(tx, EX_KIND_SYSTEM, MT_STR(""),
                             (st_page){.limit = UINT32_MAX}, take_system, x);
    err = err ? err
              : st_doc_walk(tx, KIND_CURRENT, MT_STR(""),
                            (st_page){.limit = UINT32_MAX}, take_pair, &p);
    for (size_t i = 0; !err && i < p.len; i++) {
        ex_version *v = ex_version_known(x, p.items[i].contract, p.items[i].etag);
        if (!v) {
            err = load_version(x, tx, p.items[i].contract, p.items[i].etag, &v, why);
        }
        if (!err && ex_current(x, p.items[i].contract) != v) {
            ex_serve(x, v);
        }
    }
    mt_arena_free(&a);
    return err;
}

mt_err ex_contracts_hold(st_tx *tx, bool deploy, int64_t stamps[EX_STAMPS])
{
    mt_err err = st_lock_soon(tx, "contracts", !deploy);
    return err ? err : st_doc_stamps_soon(tx, KIND_CURRENT, EX_KIND_FACT, stamps);
}

mt_err ex_contracts_share(st_tx *tx)
{
    return st_lock_soon(tx, "contracts", true);
}

/* The lock: whoever takes up a new version notes its stamp last. */
void ex_contracts_known(ex_executor *x, int64_t stamps[EX_STAMPS])
{
    pthread_mutex_lock(&x->refresh_lock);
    stamps[EX_STAMP_CONTRACTS] = x->contract_stamp;
    pthread_mutex_unlock(&x->refresh_lock);
    stamps[EX_STAMP_FACTS] = atomic_load(&x->facts_stamp);
}

mt_err ex_contracts_prove(st_tx *tx, const int64_t stamps[EX_STAMPS], int64_t last_id)
{
    return st_unchanged_soon(tx, &(st_unchanged){.kinds = {KIND_CURRENT, EX_KIND_FACT},
                                                 .stamps = {stamps[EX_STAMP_CONTRACTS],
                                                            stamps[EX_STAMP_FACTS]},
                                                 .last_id = last_id});
}

mt_err ex_contracts_stamp(st_tx *tx, int64_t *stamp)
{
    return st_doc_stamp(tx, KIND_CURRENT, stamp);
}

mt_err ex_contracts_refresh(ex_executor *x, st_tx *tx)
{
    int64_t stamp;
    mt_err err = ex_contracts_stamp(tx, &stamp);
    return err ? err : ex_contracts_take(x, tx, stamp);
}

mt_err ex_contracts_take(ex_executor *x, st_tx *tx, int64_t stamp)
{
    mt_buf why = {0};
    pthread_mutex_lock(&x->refresh_lock);
    if (stamp <= x->contract_stamp) { /* also a reader that looked before others did */
        pthread_mutex_unlock(&x->refresh_lock);
        return MT_OK;
    }
    mt_err err = ex_contracts_load(x, tx, &why);
    if (err) {
        ex_log(x, 3, "contract_unreadable", "%.*s", MT_ARG(mt_buf_str(&why)));
    } else {
        x->contract_stamp = stamp;
    }
    pthread_mutex_unlock(&x->refresh_lock);
    mt_buf_free(&why);
    return err;
}

void ex_contracts_deployed(ex_executor *x, ex_version *v, int64_t stamp)
{
    pthread_mutex_lock(&x->refresh_lock);
    /* In a shared store another node may have deployed after this commit and its
     * version been taken up already. */
    if (!x->shared || stamp > x->contract_stamp) {
        ex_serve(x, v);
        x->contract_stamp = stamp;
    }
    pthread_mutex_unlock(&x->refresh_lock);
}

void ex_contracts_close(ex_executor *x)
{
    while (x->versions) {
        ex_version *v = x->versions;
        x->versions = v->next;
        ex_version_free(v);
    }
    mt_arena_free(&x->contracts_arena);
}

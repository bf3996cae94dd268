/* exec/contract.c - contract versions: stored, compiled once, served.
 * Room: exec.
 * Documents: kind "contract", id "CONTRACT/ETAG", tag CONTRACT, body {"bundle",
 * "deployed_ms","number","trust"}: one version each, for ever, since flows are pinned
 * to them. Kind "contract.current", id CONTRACT, body {"etag"}: what is served. Kind
 * "system", id SYSTEM, body its bundle. */
#include <stdlib.h>

#include "contract/elaborate.h"
#include "exec/exec.h"
#include "exec/trust.h"

#define KIND_VERSION MT_STR("contract")
#define KIND_CURRENT MT_STR("contract.current")
#define KIND_SYSTEM  MT_STR("system")

/* ---- Compiling --------------------------------------------------------------------
 */

static mt_str trust_section(ex_executor *x, ex_version *v, mt_str given)
{
    mt_arena *a = &v->arena;
    if (given.len) {
        return given;
    }
    if (x->has_key) {
        ex_attestation t = ex_attest(a, v->bundle, &x->key, x->trust_domain);
        return ex_trust_section(a, &t);
    }
    if (!x->trust_domain.len) {
        return (mt_str){0};
    }
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "trust_domain", x->trust_domain);
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* E14: what is said here is what runs. */
static void make_manifest(ex_executor *x, ex_version *v, mt_str trust)
{
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "bundle");
    mt_jw_raw(&w, v->bundle);
    mt_jw_keyz(&w, "capabilities");
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "migration_analysis_mode", MT_STR("conservative"));
    mt_jw_key_bool(&w, "multi_instance_entities", true);
    mt_jw_key_bool(&w, "source_adapters", v->adapters != NULL);
    mt_jw_end_object(&w);
    mt_jw_key_str(&w, "etag", v->etag);
    mt_jw_key_str(&w, "tenor", MT_STR("1.0"));
    mt_str section = trust_section(x, v, trust);
    if (section.len) {
        mt_jw_keyz(&w, "trust");
        mt_jw_raw(&w, section);
    }
    mt_jw_end_object(&w);
    v->manifest = mt_str_dup(&v->arena, mt_buf_str(&b));
    mt_buf_free(&b);
}

/* What every FactProvenance of a fact has in common. */
static void make_heads(ex_version *v)
{
    const ct_model *m = v->model;
    mt_str *heads = mt_new_array(&v->arena, mt_str, m->fact_count);
    mt_buf b = {0};
    for (uint32_t i = 0; i < m->fact_count; i++) {
        mt_buf_clear(&b);
        mt_buf_addz(&b, "\"id\":");
        mt_json_quote(&b, m->facts[i].id);
        mt_buf_addz(&b, ",\"source\":");
        mt_buf_adds(&b, m->facts[i].source);
        heads[i] = mt_str_dup(&v->arena, mt_buf_str(&b));
    }
    mt_buf_free(&b);
    v->fact_heads = heads;
}

static void make_scopes(ex_executor *x, ex_version *v)
{
    const ct_model *m = v->model;
    mt_str *scopes = mt_new_array(&v->arena, mt_str, m->entity_count);
    v->sorted = true;
    for (uint32_t e = 0; e < m->entity_count; e++) {
        scopes[e] = ex_scope_of(x, &v->arena, v->contract, m->entities[e].id);
        v->sorted &= !e || mt_str_cmp(m->entities[e - 1].id, m->entities[e].id) < 0;
    }
    v->scopes = scopes;
}

void ex_version_free(ex_version *v)
{
    while (v->free) {
        ex_snap *s = v->free;
        v->free = s->next;
        ct_facts_free(s->facts);
        ct_verdicts_free(s->verdicts);
        ct_verdicts_free(s->scratch);
        free(s->room);
        free(s);
    }
    ad_adapters_free(v->adapters);
    pthread_mutex_destroy(&v->lock);
    mt_arena_free(&v->arena);
    free(v);
}

/* Protocols that need no program of the operator's. */
static bool is_built_in(mt_str protocol)
{
    static const char *const NAMES[] = {"http",   "graphql", "database",
                                        "static", "manual",  "x_motet.clock"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (mt_str_eq(protocol, mt_str_z(NAMES[i]))) {
            return true;
        }
    }
    return false;
}

/* Without any configuration facts are pushed by who has the right; but what only a
 * program of the operator's can ask must be named at the start, not at the first call.
 */
static mt_err check_protocols(const ct_model *m, mt_diags *ds)
{
    mt_err err = MT_OK;
    for (uint32_t i = 0; i < m->fact_count; i++) {
        uint32_t s = m->facts[i].source_id;
        if (s != CT_NONE && !is_built_in(m->sources[s].protocol)) {
            mt_diag_add(ds, &(mt_diag){.severity = MT_ERROR,
                                       .code = "F102",
                                       .pass = -1,
                                       .construct_kind = MT_STR("Source"),
                                       .construct_id = m->sources[s].id,
                                       .message = mt_strf(
                                           ds->arena,
                                           "source '%.*s' speaks '%.*s', for which "
                                           "`sources` configures no command",
                                           MT_ARG(m->sources[s].id),
                                           MT_ARG(m->sources[s].protocol))});
            err = MT_E_REJECTED;
        }
    }
    return err;
}

mt_err ex_outside_read(mt_arena *a, const ex_executor_options *o, ex_outside *out,
                       mt_buf *why)
{
    *out =
        (ex_outside){.sources = o->adapters, .directory = mt_str_dup(a, o->directory)};
    return ad_gate_read(a, mt_json_at(o->settings, "outgoing"), &out->gate, why);
}

mt_err ex_adapters_open(const ex_outside *outside, const ct_model *m, ex_version *v,
                        bool accepted, mt_diags *ds, ad_adapters **out)
{
    if (!outside->sources) {
        return check_protocols(m, ds);
    }
    ad_adapter_options o = {.model = m,
                            .sources = outside->sources,
                            .directory = outside->directory,
                            .gate = &outside->gate,
                            .accepted = accepted,
                            .shared = true,
                            .lookup_manual = v ? ex_manual_lookup : NULL,
                            .context = v};
    return ad_adapters_open(&o, ds, out);
}

/* What is served although something of it is no longer allowed. */
static void log_warnings(ex_executor *x, const ex_version *v, const mt_diags *ds)
{
    for (size_t i = 0; i < ds->len; i++) {
        if (ds->items[i].severity == MT_WARNING) {
            ex_log(x, 2, "source_not_allowed", "contract '%.*s': %.*s",
                   MT_ARG(v->contract), MT_ARG(ds->items[i].message));
        }
    }
}

static mt_err compile(ex_executor *x, ex_version *v, const ex_source *s, mt_buf *why)
{
    mt_diags ds = {.arena = &v->arena, .limit = x->limits.diagnostics};
    mt_err err = ct_load(&v->arena, v->bundle, v->contract, &x->limits, &ds, &v->model);
    if (!err) {
        const ct_program *program = ct_compile(&v->arena, v->model);
        err = ct_plan_build(&v->arena, program, &ds, &v->plan);
    }
    err =
        err ? err
            : ex_adapters_open(&x->outside, v->model, v, s->stored, &ds, &v->adapters);
    if (err) {
        const mt_diag *d = ct_first_error(&ds);
        mt_buf_addf(why, "contract '%.*s': %.*s", MT_ARG(v->contract),
                    d ? (int)d->message.len : 0, d ? d->message.ptr : "");
        return err;
    }
    if (s->stored) {
        log_warnings(x, v, &ds);
    }
    v->may_be_long = ct_work_most(v->plan->program) > EX_SHORT_STEPS;
    make_heads(v);
    make_scopes(x, v);
    make_manifest(x, v, mt_str_dup(&v->arena, s->trust));
    return MT_OK;
}

mt_err ex_version_make(ex_executor *x, const ex_source *s, int64_t number,
                       int64_t deployed_ms, ex_version **out, mt_buf *why)
{
    ex_version *v = mt_xmalloc(sizeof *v);
    *v = (ex_version){.x = x, .number = number, .deployed_ms = deployed_ms};
    pthread_mutex_init(&v->lock, NULL);
    v->contract = mt_str_dup(&v->arena, s->id);
    v->bundle = mt_str_dup(&v->arena, s->bundle);
    v->etag = ct_bundle_etag(&v->arena, v->bundle);
    mt_err err = compile(x, v, s, why);
    if (err) {
        ex_version_free(v);
        return err;
    }
    *out = v;
    return MT_OK;
}

/* ---- Working room -----------------------------------------------------------------
 */

static ex_snap *snap_new(const ex_version *v)
{
    const ct_model *m = v->model;
    ex_snap *s = mt_xmalloc(sizeof *s);
    size_t facts = m->fact_count, entities = m->entity_count;
    size_t changes = v->plan->max_changes + 1;
    size_t bytes = facts * sizeof(void *) + changes * sizeof(ct_change) + facts + 1 +
                   entities * (sizeof(mt_str) + sizeof(int64_t) + sizeof(uint32_t));
    char *room = mt_xmalloc(bytes);
    memset(room, 0, bytes);
    /* ORDER largest alignment first. */
    *s = (ex_snap){.facts = ct_facts_new(m),
                   .verdicts = ct_verdicts_new(v->plan->program),
                   .scratch = ct_verdicts_new(v->plan->program)};
    ct_verdicts_limit(s->verdicts, (ct_patience){.steps = v->x->limits.eval_steps});
    s->room = room;
    s->instances = (mt_str *)(void *)room;
    room += entities * sizeof(mt_str);
    s->answers = (const ad_fact_answer **)(void *)room;
    room += facts * sizeof(void *);
    s->versions = (int64_t *)(void *)room;
    room += entities * sizeof(int64_t);
    s->changes = (ct_change *)(void *)room;
    room += changes * sizeof(ct_change);
    s->states = (uint32_t *)(void *)room;
    room += entities * sizeof(uint32_t);
    s->from = (uint8_t *)room;
    return s;
}

ex_snap *ex_snap_take(ex_version *v)
{
    pthread_mutex_lock(&v->lock);
    ex_snap *s = v->free;
    if (s) {
        v->free = s->next;
    }
    pthread_mutex_unlock(&v->lock);
    if (!s) {
        s = snap_new(v);
    }
    for (uint32_t e = 0; e < v->model->entity_count; e++) {
        s->instances[e] = (mt_str){0};
        s->states[e] = CT_NONE;
    }
    for (uint32_t i = 0; i < v->model->fact_count; i++) {
        s->answers[i] = NULL;
    }
    return s;
}

void ex_snap_give(ex_version *v, ex_snap *s)
{
    pthread_mutex_lock(&v->lock);
    s->next = v->free;
    v->free = s;
    pthread_mutex_unlock(&v->lock);
}

/* ---- The table --------------------------------------------------------------------
 */

static ex_contract *find_contract(ex_executor *x, mt_str id)
{
    return (ex_contract *)mt_map_get(&x->contracts, id, 0);
}

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

/* Does the System say that these members share this entity? */
static bool shares(const ex_system *s, mt_str contract, mt_str entity)
{
    const mt_json *shared = mt_json_at(s->declaration, "shared_entities");
    for (uint32_t i = 0; shared && i < shared->count; i++) {
        const mt_json *row = &shared->as.items[i];
        const mt_json *members = mt_json_at(row, "contracts");
        bool same = mt_str_eq(mt_json_text(mt_json_at(row, "entity")), entity);
        for (uint32_t m = 0; same && members && m < members->count; m++) {
            if (mt_str_eq(mt_json_text(&members->as.items[m]), contract)) {
                return true;
            }
        }
    }
    return false;
}

mt_str ex_scope_of(ex_executor *x, mt_arena *a, mt_str contract, mt_str entity)
{
    mt_str scope = {0};
    pthread_rwlock_rdlock(&x->contracts_lock);
    for (size_t s = 0; s < x->systems.len && !scope.len; s++) {
        if (shares(&x->systems.items[s], contract, entity)) {
            scope = mt_strf(a, "system:%.*s", MT_ARG(x->systems.items[s].id));
        }
    }
    pthread_rwlock_unlock(&x->contracts_lock);
    return scope.len ? scope : mt_str_dup(a, contract);
}

/* ---- The store --------------------------------------------------------------------
 */

static mt_str version_id(mt_arena *a, mt_str contract, mt_str etag)
{
    return mt_strf(a, "%.*s/%.*s", MT_ARG(contract), MT_ARG(etag));
}

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

mt_err ex_version_current(ex_group *g, mt_str contract, mt_str *etag)
{
    st_doc doc;
    mt_err err = st_doc_lock(g->tx, g->arena, KIND_CURRENT, contract, &doc);
    *etag = err ? (mt_str){0} : text_of_current(&doc, g->arena);
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
static mt_err store_version(ex_group *g, ex_version *v, mt_str trust)
{
    st_doc doc;
    int64_t count = 0;
    mt_str id = version_id(g->arena, v->contract, v->etag);
    mt_err err = st_doc_get(g->tx, g->arena, KIND_VERSION, id, &doc);
    if (err != MT_E_NOTFOUND) {
        return err;
    }
    err = st_doc_walk(g->tx, KIND_VERSION, v->contract, (st_page){.limit = UINT32_MAX},
                      count_one, &count);
    v->number = count + 1;
    v->deployed_ms = g->now_ms;
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
                   .updated_ms = g->now_ms};
    err = err ? err : st_doc_set(g->tx, &doc);
    mt_buf_free(&b);
    return err;
}

mt_err ex_version_store(ex_group *g, ex_version *v, mt_str trust, bool first)
{
    mt_err err = store_version(g, v, trust);
    st_doc doc = {.kind = KIND_CURRENT,
                  .id = v->contract,
                  .tag = v->contract,
                  .body = mt_strf(g->arena, "{\"etag\":\"%.*s\"}", MT_ARG(v->etag)),
                  .updated_ms = g->now_ms};
    return err ? err : first ? st_doc_put(g->tx, &doc) : st_doc_set(g->tx, &doc);
}

/* ---- Opening ----------------------------------------------------------------------
 */

/* Adds the System, or replaces the one of its name. Under the lock. */
static void put_system(ex_executor *x, ex_system s)
{
    for (size_t k = 0; k < x->systems.len; k++) {
        if (mt_str_eq(x->systems.items[k].id, s.id)) {
            x->systems.items[k] = s;
            return;
        }
    }
    mt_vec_push(&x->contracts_arena, &x->systems, s);
}

static mt_err add_system(ex_executor *x, mt_str bundle)
{
    mt_arena *a = &x->contracts_arena;
    pthread_rwlock_wrlock(&x->contracts_lock);
    mt_json *tree = mt_new(a, mt_json);
    mt_str text = mt_str_dup(a, bundle);
    mt_err err = mt_json_read(a, text, NULL, tree, NULL) ? MT_E_CORRUPT : MT_OK;
    const mt_json *list = err ? NULL : mt_json_at(tree, "constructs");
    for (uint32_t i = 0; list && i < list->count; i++) {
        const mt_json *c = &list->as.items[i];
        if (mt_str_is(mt_json_text(mt_json_at(c, "kind")), "System")) {
            put_system(x, (ex_system){mt_json_text(mt_json_at(c, "id")), text, c});
        }
    }
    pthread_rwlock_unlock(&x->contracts_lock);
    ex_outbox_wake(x);
    return err;
}

static mt_err take_system(void *state, const st_doc *row)
{
    return add_system(state, row->body);
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

/* Serves what the store says is current. */
static mt_err load_current(ex_executor *x, st_tx *tx, mt_buf *why)
{
    mt_arena a = {0};
    pairs p = {.a = &a};
    mt_err err = st_doc_walk(tx, KIND_SYSTEM, MT_STR(""),
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

mt_err ex_contracts_refresh(ex_executor *x, st_tx *tx)
{
    int64_t stamp;
    mt_err err = st_doc_stamp(tx, KIND_CURRENT, &stamp);
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
    mt_err err = load_current(x, tx, &why);
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
    if (!x->shared || stamp > x->contract_stamp) {
        ex_serve(x, v);
        x->contract_stamp = stamp;
    }
    pthread_mutex_unlock(&x->refresh_lock);
}

/* One contract of a file: what the store has, or a deployment like any other. */
static mt_err open_source(ex_group *g, const ex_source *s, mt_buf *why)
{
    ex_version *v;
    mt_err err = ex_version_make(g->x, s, 1, g->now_ms, &v, why);
    return err ? err : ex_deploy_at_start(g, v, s->trust, why);
}

static mt_err open_file(ex_group *g, const char *path, mt_str *first, mt_buf *why)
{
    ex_executor *x = g->x;
    ex_sources found = {0};
    mt_err err = ex_source_read(g->arena, path, &x->limits, &found, why);
    if (!err && found.system.id.len) {
        st_doc doc = {.kind = KIND_SYSTEM,
                      .id = found.system.id,
                      .body = found.system.bundle,
                      .updated_ms = g->now_ms};
        err = ex_system_at_start(g, KIND_SYSTEM, &found.system, why);
        err = err ? err : add_system(x, found.system.bundle);
        err = err ? err : st_doc_set(g->tx, &doc);
    }
    for (size_t i = 0; !err && i < found.len; i++) {
        if (!first->len) {
            *first = mt_str_dup(&x->arena, found.items[i].id);
        }
        err = open_source(g, &found.items[i], why);
    }
    return err;
}

static mt_err choose_default(ex_executor *x, mt_str first, mt_buf *why)
{
    if (!x->default_contract.len) {
        x->default_contract = first.len          ? first
                              : x->contracts.len ? x->contracts.entries[0].key
                                                 : (mt_str){0};
    } else if (!find_contract(x, x->default_contract)) {
        mt_buf_addf(why, "the default contract '%.*s' is not served",
                    MT_ARG(x->default_contract));
        return MT_E_NOTFOUND;
    }
    return MT_OK;
}

mt_err ex_contracts_open(ex_executor *x, const char *const *files, mt_buf *why)
{
    mt_arena a = {0};
    ex_group g = {.x = x, .arena = &a, .now_ms = ex_now(x)};
    mt_str first = {0};
    int64_t stamps[EX_STAMPS];
    mt_err err = st_begin(x->store, ST_WRITE, &g.tx);
    if (err) {
        mt_buf_addf(why, "the store cannot be written: %s", mt_err_text(err));
        return err;
    }
    err = ex_chain_load(x, g.tx, &a);
    err = err ? err : ex_contracts_hold(g.tx, true, stamps);
    err = err ? err : load_current(x, g.tx, why);
    for (size_t i = 0; !err && files && files[i]; i++) {
        err = open_file(&g, files[i], &first, why);
    }
    err = err ? err : choose_default(x, first, why);
    err = err ? err : ex_write_group(&g);
    err = err ? err : ex_chain_save(x, g.tx, g.records);
    err = err ? err : st_doc_stamp(g.tx, KIND_CURRENT, &x->contract_stamp);
    if (err) {
        st_rollback(g.tx);
    } else {
        err = st_commit(g.tx);
    }
    if (err && !why->len) {
        mt_buf_addf(why, "the contracts cannot be stored: %s", mt_err_text(err));
    }
    mt_buf_free(&g.body);
    mt_arena_free(&a);
    return err;
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

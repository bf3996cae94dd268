/* exec/contract/version.c - one version of a contract, compiled, and room to work on
 * it. Room: exec. In this order: loaded and compiled, its adapters opened, what is
 * needed again and again made once (heads of provenance, scopes, the manifest). After
 * that it never changes, but for its pool of snaps. May fail: the bundle, its sources;
 * `why` says so in one sentence. */
#include <stdlib.h>

#include "contract/elaborate.h"
#include "exec/evidence/trust.h"
#include "exec/executor_internal.h"
#include "exec/machine.h"

/* ---- Compiling ---- */

/* As it came with the manifest; else by our own key; else only the domain; else none.
 */
static mt_str trust_section(ex_executor *x, ex_version *v, mt_str given)
{
    mt_arena *a = &v->arena;
    if (given.len) {
        return given;
    }
    if (x->has_key) {
        ex_attestation t = ex_attest(a, v->bundle, &x->key, x->trust_domain);
        if (!x->elsewhere || ex_attestation_holds(a, &t, v->bundle)) {
            return ex_trust_section(a, &t);
        }
        ex_log(x, 2, "not_attested",
               "contract '%.*s' is served without an attestation: the signer did not "
               "sign",
               MT_ARG(v->contract));
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

mt_str ex_analysis_name(const ex_executor *x)
{
    return x->aggressive ? MT_STR("aggressive") : MT_STR("conservative");
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
    mt_jw_key_str(&w, "migration_analysis_mode", ex_analysis_name(x));
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
        ct_partial_free(s->partial);
        free(s->room);
        free(s);
    }
    ad_adapters_free(v->adapters);
    pthread_mutex_destroy(&v->lock);
    mt_arena_free(&v->arena);
    free(v);
}

/* What is served although something of it is no longer allowed: what the adapters have
 * added to the list, from `from` on. */
static void log_warnings(ex_executor *x, const ex_version *v, const mt_diags *ds,
                         size_t from)
{
    for (size_t i = from; i < ds->len; i++) {
        if (ds->items[i].severity == MT_WARNING) {
            ex_log(x, 2, "source_not_allowed", "contract '%.*s': %.*s",
                   MT_ARG(v->contract), MT_ARG(ds->items[i].message));
        }
    }
}

/* The first error is told, as one sentence: who deploys sees all of them from
 * deploy_read.c, who starts a service from `motet check`. */
static mt_err compile(ex_executor *x, ex_version *v, const ex_source *s, mt_buf *why)
{
    mt_diags ds = {.arena = &v->arena, .limit = x->limits.diagnostics};
    mt_err err = ct_load(&v->arena, v->bundle, v->contract, &x->limits, &ds, &v->model);
    if (!err) {
        const ct_program *program = ct_compile(&v->arena, v->model);
        err = ct_plan_build(&v->arena, program, &ds, &v->plan);
    }
    size_t before = ds.len;
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
        log_warnings(x, v, &ds, before);
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

/* ---- Working room ---- */

/* One block for all arrays of the snap, so that a call allocates nothing once the pool
 * is warm. */
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

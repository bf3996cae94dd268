/* exec/kinds/fact.c - facts that people assert and that hold until they expire.
 * Room: exec. Only facts that no adapter fetches can be asserted so: those of a
 * manual source, and those whose source is free text. The value is checked against the
 * declared type before it is kept. Asserted and retracted facts are records; what holds
 * is a document (contract/kept_facts.c), which the next call sees once it is durable.
 */
#include "exec/kinds/fact.h"

#include "exec/call/facts.h"
#include "exec/call/request.h"
#include "exec/call/rights.h"
#include "exec/commit/ledger.h"
#include "exec/contract/kept_facts.h"
#include "exec/machine.h"

static mt_str fact_id(const ex_job *job)
{
    return job->v->model->facts[job->what].id;
}

/* By the contract's current version; job->what is the fact's index in its model. */
static bool refused_fact(ex_job *job)
{
    if (ex_refused_contract(job)) {
        return true;
    }
    job->what = ct_model_find(job->v->model, CT_KIND_FACT, job->call->name);
    return job->what == CT_NONE && ex_refuse_unknown_fact(job, job->call->name);
}

/* A fact that an adapter serves cannot be asserted, whoever asks: provenance would name
 * a source that was not asked (§5.3). */
static bool refused_unless_assertable(ex_job *job)
{
    if (ex_served(job->v, job->what)) {
        return ex_refuse(job, EX_NOT_ASSERTABLE,
                         "the fact '%.*s' is fetched from its source",
                         MT_ARG(fact_id(job)));
    }
    return !ex_may_assert(job->call->caller, job->v, job->what) &&
           ex_refuse_given(job, &job->what, 1);
}

/* Reads a fact set that has only this fact: any fault is about it. The value as the
 * contract writes it replaces what was given. */
static bool refused_value(ex_job *job)
{
    ct_fault fault = {0};
    mt_buf text = {0};
    ex_snap *s = job->snap = ex_snap_take(job->v);
    mt_buf_addc(&text, '{');
    mt_json_quote(&text, fact_id(job));
    mt_buf_addc(&text, ':');
    mt_buf_adds(&text, job->request.value);
    mt_buf_addc(&text, '}');
    mt_str json = mt_str_dup(&job->arena, mt_buf_str(&text));
    mt_err err = ct_facts_read(s->facts, json, &job->x->limits, true, &fault);
    mt_buf_clear(&text);
    /* Others are missing: that is not this fact's fault. */
    const ct_fault *own = err ? &fault : NULL;
    while (own && own->kind == CT_FAULT_MISSING_FACT) {
        own = own->next;
    }
    if (!own) {
        ct_value_plain(&text, job->v->model->facts[job->what].type,
                       ct_facts_value(s->facts, job->what));
        job->request.value = mt_str_dup(&job->arena, mt_buf_str(&text));
    }
    mt_buf_free(&text);
    return own && ex_refuse(job, EX_INVALID_FACT, "%.*s", MT_ARG(own->message));
}

/* The least and the most of `ttl_ms` stand in its row (call/request.c). */
static bool refused_expiry(ex_job *job)
{
    const ex_request *r = &job->request;
    if (r->ttl_ms && r->expires_ms) {
        return ex_refuse(job, EX_BAD_REQUEST, "say `ttl_ms` or `expires_at`, not both");
    }
    return r->expires_ms && r->expires_ms <= ex_now(job->x) &&
           ex_refuse(job, EX_BAD_REQUEST, "`expires_at` must lie in the future");
}

/* ORDER: does it exist, is the request well-formed, may it be asserted by this caller;
 * only then the value is looked at. */
bool ex_fact_assert_prepare(ex_job *job)
{
    if (refused_fact(job) || ex_refused_request(job) ||
        refused_unless_assertable(job)) {
        return true;
    }
    if (!job->request.value.len) {
        return ex_refuse(job, EX_BAD_REQUEST, "the body must have a `value`");
    }
    return refused_expiry(job) || refused_value(job);
}

/* For assertions and retractions; a retraction has no value. */
static mt_err record_fact(ex_job *job, ex_group *g, const char *kind,
                          int64_t expires_ms, int64_t *id)
{
    bool asserted = job->request.value.len > 0;
    mt_jw w = ex_record_begin(g);
    ex_caller_json(&w, job);
    mt_jw_key_str(&w, "contract", job->v->contract);
    mt_jw_key_str(&w, "etag", job->v->etag);
    if (expires_ms) {
        mt_jw_keyz(&w, "expires_at");
        ex_time_json(&w, expires_ms);
    }
    mt_jw_key_str(&w, "fact", fact_id(job));
    mt_jw_key_str(&w, "kind", mt_str_z(kind));
    mt_jw_keyz(&w, "source");
    mt_jw_raw(&w, job->v->model->facts[job->what].source);
    ex_record_time(&w, g);
    if (asserted) {
        mt_jw_keyz(&w, "value");
        mt_jw_raw(&w, job->request.value);
    }
    ex_record r = {.kind = kind,
                   .contract = job->v->contract,
                   .subject = ex_subject(g->arena, MT_STR("fact"), fact_id(job))};
    g->facts_changed = true;
    return ex_record_end(g, &w, &r, id);
}

/* `record` is the ledger's number for it, for who wants to prove it later. */
static void reply_fact(ex_job *job, int64_t expires_ms, int64_t record)
{
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_key_str(&w, "contract", job->v->contract);
    if (expires_ms) {
        mt_jw_keyz(&w, "expires_at");
        ex_time_json(&w, expires_ms);
    }
    mt_jw_key_str(&w, "fact", fact_id(job));
    ex_reply_record(&w, job, record);
    if (job->request.value.len) {
        mt_jw_keyz(&w, "value");
        mt_jw_raw(&w, job->request.value);
    }
    ex_reply_end(&w);
}

/* A ttl counts from the moment of the group, not from when the call was prepared. The
 * document replaces an earlier assertion; the ledger keeps both. */
mt_err ex_fact_assert_commit(ex_job *job, ex_group *g)
{
    int64_t record, expires = job->request.expires_ms;
    mt_buf b = {0};
    if (job->request.ttl_ms > 0) {
        expires = g->now_ms + job->request.ttl_ms;
    }
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "asserted_by", ex_caller_id(job));
    mt_jw_key_i64(&w, "asserted_ms", g->now_ms);
    mt_jw_key_i64(&w, "expires_ms", expires);
    mt_jw_keyz(&w, "value");
    mt_jw_raw(&w, job->request.value);
    mt_jw_end_object(&w);
    st_doc doc = {.kind = EX_KIND_FACT,
                  .id = ex_fact_key(g->arena, job->v->contract, fact_id(job)),
                  .tag = job->v->contract,
                  .body = mt_buf_str(&b),
                  .updated_ms = g->now_ms};
    mt_err err = st_doc_set(g->tx, &doc);
    err = err ? err : record_fact(job, g, "fact_asserted", expires, &record);
    mt_buf_free(&b);
    if (!err) {
        reply_fact(job, expires, record);
    }
    return err;
}

bool ex_fact_retract_prepare(ex_job *job)
{
    return refused_fact(job) || ex_refused_request(job) ||
           refused_unless_assertable(job);
}

/* Locked, so that of two retractions one is refused. The record has no value: what was
 * retracted is in the record of its assertion. */
mt_err ex_fact_retract_commit(ex_job *job, ex_group *g)
{
    mt_str id = ex_fact_key(g->arena, job->v->contract, fact_id(job));
    st_doc doc;
    int64_t record;
    mt_err err = st_doc_lock(g->tx, g->arena, EX_KIND_FACT, id, &doc);
    if (err == MT_E_NOTFOUND) {
        ex_refuse(job, EX_NOT_FOUND, "nobody asserted the fact '%.*s'",
                  MT_ARG(fact_id(job)));
        return MT_OK;
    }
    job->request.value = (mt_str){0};
    err = err ? err : st_doc_delete(g->tx, EX_KIND_FACT, id);
    err = err ? err : record_fact(job, g, "fact_retracted", 0, &record);
    if (!err) {
        reply_fact(job, 0, record);
    }
    return err;
}

/* ---- The list ---- */

/* Who may neither read nor assert a fact sees that it is asserted, not its value. */
static void asserted_json(mt_jw *w, ex_job *job, uint32_t fact)
{
    ex_executor *x = job->x;
    mt_str id =
        ex_fact_key(&job->arena, job->v->contract, job->v->model->facts[fact].id);
    bool seen = ex_may_read_facts(job, job->v->contract) ||
                ex_may_assert(job->call->caller, job->v, fact);
    pthread_mutex_lock(&x->facts_lock);
    const ad_manual *m = (const ad_manual *)mt_map_get(&x->facts, id, 0);
    if (m) {
        int64_t until = job->v->adapters
                            ? ad_adapters_manual_until(job->v->adapters, fact, m)
                            : m->expires_at;
        mt_jw_keyz(w, "asserted");
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "at");
        ex_time_json(w, m->asserted_at);
        if (seen) {
            mt_jw_key_str(w, "by", m->asserted_by);
        }
        mt_jw_key_bool(w, "expired", until && until <= ex_now(x));
        if (until) {
            mt_jw_keyz(w, "expires_at");
            ex_time_json(w, until);
        }
        if (seen) {
            mt_jw_keyz(w, "value");
            mt_jw_raw(w, m->value);
        }
        mt_jw_end_object(w);
    }
    pthread_mutex_unlock(&x->facts_lock);
}

/* What is declared, what holds now, and where it would come from. */
static void fact_json(mt_jw *w, ex_job *job, uint32_t i)
{
    const ct_fact *f = &job->v->model->facts[i];
    mt_jw_begin_object(w);
    asserted_json(w, job, i);
    if (f->otherwise) {
        mt_jw_keyz(w, "default");
        mt_jw_raw(w, MT_STR(""));
        ct_value_plain(w->out, f->type, f->otherwise);
    }
    mt_jw_key_bool(w, "fetched", ex_served(job->v, i));
    mt_jw_key_str(w, "id", f->id);
    mt_jw_keyz(w, "source");
    mt_jw_raw(w, f->source);
    mt_jw_key_str(w, "type", ct_type_spell(&job->arena, f->type));
    mt_jw_end_object(w);
}

/* With several nodes the kept facts in memory may be old; they are reloaded first. If
 * that fails, what is known is shown. */
bool ex_fact_list(ex_job *job)
{
    st_tx *tx;
    if (ex_refused_contract(job) || ex_refused_unless_seen(job)) {
        return true;
    }
    if (job->x->shared && !st_begin(job->x->store, ST_READ, &tx)) {
        ex_facts_reload(job->x, tx);
        st_rollback(tx);
    }
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_keyz(&w, "items");
    mt_jw_begin_array(&w);
    for (uint32_t i = 0; i < job->v->model->fact_count; i++) {
        fact_json(&w, job, i);
    }
    mt_jw_end_array(&w);
    ex_reply_end(&w);
    return true;
}

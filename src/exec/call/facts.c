/* exec/call/facts.c - the facts of one call: gathered, checked, evaluated once.
 * Room: exec.
 * In this order: asserted with the request (by a caller that has the right), asserted
 * earlier and kept (manual), fetched by an adapter, the contract's default. A fact that
 * an adapter serves may be asserted only with the right facts:override, and the ledger
 * says so. Every value is checked against its declared type; DateTimes become UTC.
 * May fail: what the caller gave, a source, the store; each is a refusal. */
#include "exec/call/facts.h"

#include "contract/eval/carry.h"
#include "contract/reduce/holes.h"
#include "exec/call/rights.h"
#include "exec/contract/kept_facts.h"
#include "exec/machine.h"
#include "os/clock.h"

/* All sources of one call together: they are asked side by side. */
enum { FETCH_MS = 5000 };

/* ---- Rights ---- */

bool ex_served(const ex_version *v, uint32_t fact)
{
    return v->adapters && ad_adapters_serves(v->adapters, fact) &&
           !ad_adapters_is_manual(v->adapters, fact);
}

bool ex_may_give(const ex_caller *who, const ex_version *v, uint32_t fact)
{
    return ex_may_assert(who, v, fact) &&
           (!ex_served(v, fact) ||
            ex_caller_may(who, v->contract, MT_STR("facts:override")));
}

/* May the caller assert this fact with its request? Notes where it came from. */
static bool may_give(ex_job *job, uint32_t fact)
{
    bool served = ex_served(job->v, fact);
    job->snap->from[fact] = served ? EX_FROM_OVERRIDE : EX_FROM_CALLER;
    return ex_may_give(job->call->caller, job->v, fact);
}

/* All of them at once, each with what would have been enough. */
bool ex_refuse_given(ex_job *job, const uint32_t *facts, size_t count)
{
    const ct_model *m = job->v->model;
    const ex_caller *who = job->call->caller;
    mt_str contract = job->v->contract;
    mt_buf text = {0}, needs = {0};
    mt_jw list = mt_jw_start(&needs, false);
    bool override = false;
    mt_jw_begin_array(&list);
    for (size_t i = 0; i < count; i++) {
        mt_str id = m->facts[facts[i]].id;
        mt_buf_addf(&text, "%s'%.*s'", i ? ", " : "", MT_ARG(id));
        if (!ex_may_assert(who, job->v, facts[i])) {
            mt_str right = ex_fact_right(&job->arena, id);
            mt_jw_str(&list, mt_strf(&job->arena, "%.*s/%.*s", MT_ARG(contract),
                                     MT_ARG(right)));
        }
        override |= ex_served(job->v, facts[i]);
    }
    if (override && !ex_caller_may(who, contract, MT_STR("facts:override"))) {
        mt_jw_str(&list, mt_strf(&job->arena, "%.*s/facts:override", MT_ARG(contract)));
    }
    mt_jw_end_array(&list);
    mt_jw w = ex_problem_open(
        job, EX_FACT_FORBIDDEN,
        mt_strf(&job->arena, "the caller has no right to assert %s %.*s: needs %.*s",
                count > 1 ? "the facts" : "the fact", MT_ARG(mt_buf_str(&text)),
                MT_ARG(mt_buf_str(&needs))));
    mt_jw_keyz(&w, "needs");
    mt_jw_raw(&w, mt_buf_str(&needs));
    mt_buf_free(&text);
    mt_buf_free(&needs);
    return ex_problem_close(&w);
}

/* Which of the facts that were given the caller may not give. */
typedef struct forbidden {
    uint32_t *facts;
    size_t count;
} forbidden;

static void note_given(ex_job *job, forbidden *f, uint32_t fact)
{
    if (may_give(job, fact)) {
        return;
    }
    if (!f->facts) {
        f->facts = mt_new_array(&job->arena, uint32_t, job->v->model->fact_count);
    }
    f->facts[f->count++] = fact;
}

static bool refused_forbidden(ex_job *job, const forbidden *f)
{
    return f->count && ex_refuse_given(job, f->facts, f->count);
}

/* ---- Manual facts ---- */

/* Another process may have asserted something: costs a round trip. */
static mt_err see_others(ex_executor *x)
{
    st_tx *tx;
    mt_err err = st_begin(x->store, ST_READ, &tx);
    if (!err) {
        err = ex_facts_reload(x, tx);
        st_rollback(tx);
    }
    if (!err) {
        ex_store_read(x, MT_OK, (mt_str){0});
    }
    return err;
}

void ex_facts_mark(ex_job *job, int64_t stamp)
{
    job->stale = job->took_facts && !job->saw_facts && job->facts_stamp != stamp;
}

mt_err ex_facts_check(ex_job *job)
{
    ex_executor *x = job->x;
    if (!x->shared || !job->took_facts || job->saw_facts) {
        return MT_OK;
    }
    mt_err err = see_others(x);
    if (!err) {
        ex_facts_mark(job, atomic_load(&x->facts_stamp));
    }
    return err;
}

static bool find_manual(ex_job *job, uint32_t fact, ad_fact_answer *out)
{
    ad_manual m;
    if (ex_manual_lookup(job->v, &job->arena, fact, &m) ||
        (m.expires_at && m.expires_at <= ex_now(job->x))) {
        return false;
    }
    *out = (ad_fact_answer){.fact = fact,
                            .value = m.value,
                            .adapter_id = MT_STR("motet.manual"),
                            .asserted_by = m.asserted_by,
                            .fetched_at = m.asserted_at,
                            .expires_at = m.expires_at};
    return true;
}

/* ---- Adapters ---- */

static size_t params_of(ex_job *job, ad_param **out)
{
    const mt_json *given = job->request.params;
    size_t count = given ? given->count : 0;
    ad_param *list = mt_new_array(&job->arena, ad_param, count);
    for (size_t i = 0; i < count; i++) {
        const mt_json_member *p = &given->as.members[i];
        list[i].name = p->key;
        list[i].value = mt_json_is(&p->value, MT_JSON_BOOL)
                            ? (p->value.boolean ? MT_STR("true") : MT_STR("false"))
                            : mt_json_text(&p->value);
    }
    *out = list;
    return count;
}

static bool is_absent(const ad_fact_answer *a)
{
    return a->error == AD_FACT_NOT_ASSERTED || a->error == AD_FACT_EXPIRED;
}

static ex_problem fetch_problem(const ad_fact_answer *a)
{
    /* The caller's fault, not the source's: a parameter came with the request. */
    bool ours = a->error == AD_FACT_PARAM_MISSING || a->error == AD_FACT_PARAM_REFUSED;
    return ours ? EX_INVALID_FACT : is_absent(a) ? EX_MISSING_FACT : EX_SOURCE_FAILED;
}

static void fault_json(mt_jw *w, ex_job *job, const ad_fact_answer *a)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "detail", a->message);
    mt_jw_key_str(w, "fact", job->v->model->facts[a->fact].id);
    mt_jw_key_str(w, "fault", mt_str_z(ad_fact_error_name(a->error)));
    mt_jw_end_object(w);
}

/* The first that failed is the problem, the others are told beside it, so that a caller
 * mends them all at once. */
static bool refuse_fetch(ex_job *job, const ad_fact_answer *first,
                         const ad_fact_answer *end)
{
    mt_str fact = job->v->model->facts[first->fact].id;
    mt_jw w = ex_problem_open(job, fetch_problem(first),
                              mt_strf(&job->arena, "fact '%.*s': %.*s", MT_ARG(fact),
                                      MT_ARG(first->message)));
    mt_jw_key_str(&w, "fact", fact);
    mt_jw_key_str(&w, "fault", mt_str_z(ad_fact_error_name(first->error)));
    mt_jw_keyz(&w, "further");
    mt_jw_begin_array(&w);
    for (const ad_fact_answer *a = first + 1; a < end; a++) {
        if (ad_fact_failed(a) && !(is_absent(a) && job->request.partial)) {
            fault_json(&w, job, a);
        }
    }
    mt_jw_end_array(&w);
    return ex_problem_close(&w);
}

/* One source was asked: counted, and part of the trace. */
static void note_asked(void *state, const ad_asked *what)
{
    ex_job *job = state;
    int64_t ns = what->ended_ns - what->began_ns;
    bool failed = what->failed != AD_FACT_OK;
    ex_source_asked(job->x, what->source, ns > 0 ? (uint64_t)ns : 0,
                    failed ? ad_fact_error_name(what->failed) : NULL);
    tr_trace_source(job->call->trace, what->source,
                    (tr_stage){what->began_ns, what->ended_ns}, failed);
}

/* Fetches what adapters serve. `answers` gets what they say. */
static bool refused_fetch(ex_job *job, const uint32_t *facts, size_t count,
                          ad_fact_answer *answers)
{
    ad_param *params;
    ad_fetch f = {.facts = facts,
                  .fact_count = count,
                  .param_count = params_of(job, &params),
                  .instances = job->snap->instances,
                  .deadline = os_now_ms() + FETCH_MS,
                  .asked = note_asked,
                  .asked_state = job};
    char header[TR_HEADER_BYTES + 1];
    f.params = params;
    if (job->call->trace && job->call->trace->known) {
        tr_trace_header(job->call->trace, header);
        f.traceparent = mt_str_from(header, TR_HEADER_BYTES);
    }
    ad_adapters_fetch(job->v->adapters, &f, &job->arena, answers);
    for (size_t i = 0; i < count; i++) {
        const ad_fact_answer *a = &answers[i];
        if (is_absent(a) && job->request.partial) {
            job->unknown[a->fact] = true;
            continue;
        }
        if (ad_fact_failed(a)) {
            return refuse_fetch(job, a, answers + count);
        }
        if (!a->use_default) {
            bool manual = ad_adapters_is_manual(job->v->adapters, a->fact);
            job->snap->from[a->fact] = manual ? EX_FROM_MANUAL : EX_FROM_ADAPTER;
            job->snap->answers[a->fact] = a;
        }
    }
    return false;
}

/* Facts that were not given: fetched ones (of manual sources too: their policy is the
 * source's), or kept ones. */
static bool refused_gathering(ex_job *job, const mt_json *given, ad_fact_answer **out,
                              size_t *len)
{
    const ct_model *m = job->v->model;
    ad_fact_answer *answers = mt_new_array(&job->arena, ad_fact_answer, m->fact_count);
    uint32_t *wanted = mt_new_array(&job->arena, uint32_t, m->fact_count);
    size_t n = 0, wanted_count = 0;
    forbidden not_allowed = {0};
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (job->unknown && job->unknown[i]) {
            continue;
        }
        if (mt_json_get(given, m->facts[i].id)) {
            note_given(job, &not_allowed, i);
        } else if (job->v->adapters && ad_adapters_serves(job->v->adapters, i)) {
            wanted[wanted_count++] = i;
        } else if (find_manual(job, i, &answers[n])) {
            job->snap->from[i] = EX_FROM_MANUAL;
            job->snap->answers[i] = &answers[n++];
        }
    }
    *out = answers;
    *len = n + wanted_count;
    return refused_forbidden(job, &not_allowed) ||
           (wanted_count && refused_fetch(job, wanted, wanted_count, answers + n));
}

/* ---- The snapshot ---- */

/* Of the fact that a fault is in: "order.lines[2].amount" is in "order". */
static uint32_t fact_at(const ct_model *m, mt_str path)
{
    size_t dot = mt_str_find(path, '.'), bracket = mt_str_find(path, '[');
    return ct_model_find(m, CT_KIND_FACT,
                         mt_str_from(path.ptr, dot < bracket ? dot : bracket));
}

/* Was it fetched? */
static bool is_of_source(const ex_job *job, const ct_fault *fault)
{
    uint32_t fact = fact_at(job->v->model, fault->path);
    return fact != CT_NONE && job->snap->from[fact] == EX_FROM_ADAPTER;
}

/* Nobody but the sources is to blame, and nothing was decided about the caller. */
static bool is_of_sources(const ex_job *job, const ct_fault *fault)
{
    bool is = true;
    for (; fault && is; fault = fault->next) {
        is = is_of_source(job, fault);
    }
    return is;
}

/* The fault's own words quote the value. Who gave it knows it; what a source gave is
 * not for everybody who asks (who may `decide` reads no facts). */
static mt_str words_of(ex_job *job, const ct_fault *fault)
{
    return is_of_source(job, fault)
               ? mt_strf(&job->arena,
                         "what its source gives for fact '%.*s' is not of the declared "
                         "type",
                         MT_ARG(fault->path))
               : fault->message;
}

/* The other facts at fault, so that a caller mends them all at once. */
static void further_faults(mt_jw *w, ex_job *job, const ct_fault *fault)
{
    if (!fault) {
        return;
    }
    mt_jw_keyz(w, "further");
    mt_jw_begin_array(w);
    for (; fault; fault = fault->next) {
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "detail", words_of(job, fault));
        mt_jw_key_str(w, "fact", fault->path);
        mt_jw_key_str(w, "fault", mt_str_z(ct_fault_name(fault->kind)));
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

static bool refuse_facts(ex_job *job, const ct_fault *fault)
{
    ex_problem p = fault->kind == CT_FAULT_MISSING_FACT ? EX_MISSING_FACT
                   : fault->kind == CT_FAULT_SYNTAX     ? EX_BAD_REQUEST
                   : is_of_sources(job, fault)          ? EX_SOURCE_FAILED
                   : fault->kind == CT_FAULT_LIMIT      ? EX_TOO_LARGE
                                                        : EX_INVALID_FACT;
    mt_jw w = ex_problem_open(job, p, words_of(job, fault));
    if (fault->path.len) {
        mt_jw_key_str(&w, "fact", fault->path);
    }
    mt_jw_key_str(&w, "fault", mt_str_z(ct_fault_name(fault->kind)));
    further_faults(&w, job, fault->next);
    return ex_problem_close(&w);
}

/* Some value stands where a fact is unknown; nobody looks at it. */
static mt_str without_holes(ex_job *job, mt_str text)
{
    return job->unknown
               ? ct_holes_fill(&job->arena, job->v->model, text, &job->x->limits,
                               job->request.partial, job->unknown)
               : text;
}

/* Nothing but the request supplies facts here. */
static bool refused_request_facts(ex_job *job, mt_str text)
{
    const ct_model *m = job->v->model;
    ct_fault fault = {0};
    text = without_holes(job, text);
    if (ct_facts_read(job->snap->facts, text, &job->x->limits, true, &fault)) {
        return refuse_facts(job, &fault);
    }
    forbidden not_allowed = {0};
    for (uint32_t i = 0; i < m->fact_count; i++) {
        bool known = !job->unknown || !job->unknown[i];
        if (known && ct_facts_external(job->snap->facts, i)) {
            note_given(job, &not_allowed, i);
        }
    }
    return refused_forbidden(job, &not_allowed);
}

/* Who only asks, and may not read the contract's facts, is answered without those that
 * are kept or fetched: for it they are unknown. Not even whether a verdict holds that
 * depends on one is told, since a value could be found by asking often. Nothing is
 * fetched for it either. */
static bool is_hidden(ex_job *job, const mt_json *given, uint32_t fact)
{
    ad_fact_answer kept;
    return !mt_json_get(given, job->v->model->facts[fact].id) &&
           ((job->v->adapters && ad_adapters_serves(job->v->adapters, fact)) ||
            find_manual(job, fact, &kept)) &&
           !ex_may_assert(job->call->caller, job->v, fact);
}

static bool put_off_hidden(ex_job *job, const mt_json *given)
{
    uint32_t count = job->v->model->fact_count;
    bool *unknown = job->unknown;
    if (job->internal || !ex_only_asks(job) ||
        ex_may_read_facts(job, job->v->contract)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if ((!unknown || !unknown[i]) && is_hidden(job, given, i)) {
            if (!ex_may_linger(job)) {
                job->elsewhere = true; /* what is partly known takes long */
                return true;
            }
            unknown = unknown ? unknown : mt_new_array(&job->arena, bool, count + 1);
            job->hidden =
                job->hidden ? job->hidden : mt_new_array(&job->arena, bool, count + 1);
            unknown[i] = job->hidden[i] = true;
        }
    }
    job->unknown = unknown;
    return false;
}

static bool refused_gathered_facts(ex_job *job, mt_str text)
{
    mt_json given;
    mt_json_error error = {0};
    ad_fact_answer *answers;
    size_t count;
    ct_fault fault = {0};
    mt_json_limits limits = {job->x->limits.json_bytes, job->x->limits.json_depth};
    if (mt_json_read(&job->arena, text, &limits, &given, &error)) {
        return ex_refuse(job, EX_BAD_REQUEST, "facts: %s", error.message);
    }
    if (!mt_json_is(&given, MT_JSON_OBJECT)) {
        return ex_refuse(job, EX_BAD_REQUEST, "`facts` must be an object");
    }
    if (put_off_hidden(job, &given) ||
        refused_gathering(job, &given, &answers, &count)) {
        return true;
    }
    mt_buf joined = {0};
    ad_facts_join(&joined, job->v->model, &given, answers, count);
    mt_str all = mt_str_dup(&job->arena, mt_buf_str(&joined));
    mt_buf_free(&joined);
    all = without_holes(job, all);
    return ct_facts_read(job->snap->facts, all, &job->x->limits, true, &fault)
               ? refuse_facts(job, &fault)
               : false;
}

/* Rules, then what conditions the call may ask for. */
static mt_err evaluate(ex_job *job, const ex_version *v, ex_snap *s, ct_fault *fault)
{
    tr_trace *t = job->call->trace;
    bool traced = t && t->sampled;
    int64_t began = traced ? tr_now_ns() : 0;
    mt_err err = ex_evaluate_rules(job, v, s, fault);
    err = err ? err : ex_evaluate_conditions(job, v, s, fault);
    if (traced) {
        t->evaluation = (tr_stage){began, tr_now_ns()};
    }
    return err;
}

bool ex_refused_facts(ex_job *job)
{
    ex_version *v = job->v;
    ex_snap *s = job->snap;
    ct_fault fault = {0};
    mt_str text = job->request.facts.len ? job->request.facts : MT_STR("{}");
    /* What the server does by itself has no caller who could try again, so it looks
     * first. */
    mt_err err = job->internal && job->x->shared ? see_others(job->x) : MT_OK;
    if (err) {
        return ex_refuse_store(job, err);
    }
    if (ex_refused_unknown(job)) {
        return true;
    }
    job->took_facts = !job->internal;
    job->facts_stamp = atomic_load(&job->x->facts_stamp);
    memset(s->from, EX_FROM_CONTRACT, v->model->fact_count);
    bool others = v->adapters || atomic_load(&job->x->has_facts);
    if (others ? refused_gathered_facts(job, text) : refused_request_facts(job, text)) {
        return true;
    }
    job->has_facts = true;
    if (job->unknown) {
        return ex_refused_partly(job);
    }
    err = evaluate(job, v, s, &fault);
    job->elsewhere = err == MT_E_BUSY;
    return err && (job->elsewhere || ex_refuse_evaluation(job, &fault));
}

/* What is the host's is told apart from a row that does not fit. */
static mt_err row_fault(mt_err err)
{
    bool host = err == MT_E_BUSY || err == MT_E_LIMIT || err == MT_E_TIMEOUT;
    return !err || host ? err : MT_E_CORRUPT;
}

static mt_err evaluate_row(ex_job *job, const st_flow *row, const ex_version *v,
                           ex_snap *s, ct_fault *fault)
{
    mt_str facts = mt_str_dup(&job->arena, row->facts);
    return ct_facts_read(s->facts, facts, &job->x->limits, true, fault)
               ? MT_E_CORRUPT
               : row_fault(ex_evaluate_rules(job, v, s, fault));
}

/* The version whose rules the snapshot was frozen by, when a migration has moved the
 * flow since; empty: its own. */
static mt_str began_with(ex_job *job, const st_flow *row)
{
    mt_json tree;
    mt_str extra = mt_str_dup(&job->arena, row->extra);
    return extra.len && !mt_json_read(&job->arena, extra, NULL, &tree, NULL)
               ? mt_json_text(mt_json_at(&tree, "began"))
               : (mt_str){0};
}

/* A migration has moved it: what its own version's rules said is carried over. */
static mt_err restore_carried(ex_job *job, const st_flow *row, mt_str began,
                              ct_fault *fault)
{
    mt_err err;
    if (!job->frozen_snap) {
        job->frozen_v = ex_version_with(job->x, row->contract, began, &err);
        if (!job->frozen_v) {
            return MT_E_CORRUPT;
        }
        job->frozen_snap = ex_snap_take(job->frozen_v);
    }
    const ex_snap *frozen = job->frozen_snap;
    err = evaluate_row(job, row, job->frozen_v, job->frozen_snap, fault);
    if (!err) {
        ct_snapshot from = {job->frozen_v->plan->program, frozen->facts,
                            frozen->verdicts};
        ct_snapshot_carry(&job->arena, &from, job->v->plan->program, job->snap->facts,
                          job->snap->verdicts);
        ct_verdicts_limit(job->snap->verdicts, ct_verdicts_patience(frozen->verdicts));
    }
    return err;
}

mt_err ex_snapshot_restore(ex_job *job, const st_flow *row, ct_fault *fault)
{
    mt_str began = began_with(job, row);
    if (!job->snap) {
        job->snap = ex_snap_take(job->v);
    }
    mt_err err = !began.len || mt_str_eq(began, job->v->etag)
                     ? evaluate_row(job, row, job->v, job->snap, fault)
                     : restore_carried(job, row, began, fault);
    return err ? err : row_fault(ex_evaluate_conditions(job, job->v, job->snap, fault));
}

/* ---- Words ---- */

void ex_facts_json(mt_buf *out, const ex_version *v, const ex_snap *s)
{
    const ct_model *m = v->model;
    mt_buf_addc(out, '{');
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (i) {
            mt_buf_addc(out, ',');
        }
        mt_json_quote(out, m->facts[i].id);
        mt_buf_addc(out, ':');
        ct_value_plain(out, m->facts[i].type, ct_facts_value(s->facts, i));
    }
    mt_buf_addc(out, '}');
}

static void fetched_json(mt_buf *out, const ad_fact_answer *a)
{
    char text[CT_TIME_TEXT];
    ct_time t = {a->fetched_at / 1000, (uint32_t)(a->fetched_at % 1000) * 1000000u};
    mt_buf_addz(out, "\"fetch_timestamp\":\"");
    mt_buf_add(out, text, ct_time_print(t, text));
    mt_buf_addz(out, "\",");
}

static void one_provenance(mt_buf *out, const ex_version *v, const ex_snap *s,
                           uint32_t i)
{
    const ad_fact_answer *a = s->answers[i];
    mt_buf_addc(out, '{');
    if (a) {
        mt_buf_addz(out, "\"adapter_id\":");
        mt_json_quote(out, a->adapter_id);
        mt_buf_addc(out, ',');
    }
    if (a && a->asserted_by.len) {
        mt_buf_addz(out, "\"asserted_by\":");
        mt_json_quote(out, a->asserted_by);
        mt_buf_addc(out, ',');
    }
    mt_buf_adds(out, s->from[i] == EX_FROM_CONTRACT
                         ? MT_STR("\"assertion_source\":\"contract\",")
                         : MT_STR("\"assertion_source\":\"external\","));
    if (a) {
        fetched_json(out, a);
    }
    mt_buf_adds(out, v->fact_heads[i]);
    if (s->from[i] == EX_FROM_OVERRIDE) {
        mt_buf_addz(out, ",\"source_override\":true");
    }
    mt_str response = !a ? (mt_str){0} : a->response.len ? a->response : a->digest;
    if (response.len) {
        mt_buf_addz(out, ",\"source_response\":");
        mt_json_quote(out, response);
    }
    mt_buf_addz(out, ",\"value\":");
    ct_value_plain(out, v->model->facts[i].type, ct_facts_value(s->facts, i));
    mt_buf_addc(out, '}');
}

void ex_fact_provenance(mt_jw *w, const ex_version *v, const ex_snap *s)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < v->model->fact_count; i++) {
        mt_jw_raw(w, MT_STR("")); /* the comma, where one is due */
        one_provenance(w->out, v, s, i);
    }
    mt_jw_end_array(w);
}

void ex_verdict_names(mt_jw *w, const ex_version *v, const ct_verdicts *verdicts)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < v->model->rule_count; i++) {
        if (ct_verdict_present(verdicts, i)) {
            mt_jw_str(w, v->model->rules[i].verdict);
        }
    }
    mt_jw_end_array(w);
}

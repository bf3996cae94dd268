/* runtime/exec_facts.c - the facts of one call: gathered, checked, evaluated once.
 * Room: runtime.
 * In this order: asserted with the request (by a caller that has the right), asserted
 * earlier and kept (manual), fetched by an adapter, the contract's default. A fact that
 * an adapter serves may be asserted only with the right facts:override, and the ledger
 * says so. Every value is checked against its declared type; DateTimes become UTC. */
#include "contract/eval/carry.h"
#include "runtime/exec.h"

#include "runtime/clock.h"

enum { FETCH_MS = 5000 };

/* ---- Rights -----------------------------------------------------------------------
 */

/* The system a fact comes from: its source, or what precedes the dot of a free text. */
static mt_str system_of(const ct_model *m, const ct_fact *f)
{
    if (f->source_id != CT_NONE) {
        return m->sources[f->source_id].id;
    }
    mt_str text = mt_str_trim(f->source, MT_STR("\""));
    return mt_str_from(text.ptr, mt_str_find(text, '.'));
}

static bool right_is(mt_str right, mt_str prefix, mt_str name)
{
    return right.len == prefix.len + name.len && mt_str_starts(right, prefix) &&
           mt_str_eq(mt_str_skip(right, prefix.len), name);
}

bool rx_may_assert(const rt_caller *who, const ct_model *m, uint32_t fact)
{
    const ct_fact *f = &m->facts[fact];
    for (size_t i = 0; !who->anyone && i < who->right_count; i++) {
        mt_str r = who->rights[i];
        if (mt_str_is(r, "facts:*") || right_is(r, MT_STR("facts:"), f->id) ||
            right_is(r, MT_STR("source:"), system_of(m, f))) {
            return true;
        }
    }
    return who->anyone;
}

bool rx_served(const rx_version *v, uint32_t fact)
{
    return v->adapters && rt_adapters_serves(v->adapters, fact) &&
           !rt_adapters_is_manual(v->adapters, fact);
}

/* May the caller assert this fact with its request? Notes where it came from. */
static bool check_given(rx_job *job, uint32_t fact)
{
    const rt_caller *who = job->call->caller;
    const ct_model *m = job->v->model;
    job->snap->from[fact] = RX_FROM_CALLER;
    if (!rx_may_assert(who, m, fact)) {
        return rx_refuse(job, RX_FACT_FORBIDDEN,
                         "the caller has no right to assert the fact '%.*s'",
                         MT_ARG(m->facts[fact].id));
    }
    if (rx_served(job->v, fact)) {
        job->snap->from[fact] = RX_FROM_OVERRIDE;
        return !rt_caller_may(who, MT_STR("facts:override")) &&
               rx_refuse(
                   job, RX_FACT_FORBIDDEN,
                   "the fact '%.*s' comes from its source; asserting it needs the "
                   "right facts:override",
                   MT_ARG(m->facts[fact].id));
    }
    return false;
}

/* ---- Manual facts -----------------------------------------------------------------
 */

static mt_err take_manual(void *state, const st_doc *row)
{
    rt_executor *x = state;
    mt_arena *a = &x->facts_arena;
    mt_json tree;
    mt_str body = mt_str_dup(a, row->body);
    if (mt_json_read(a, body, NULL, &tree, NULL)) {
        return MT_E_CORRUPT;
    }
    rt_manual *m = mt_new(a, rt_manual);
    mt_buf value = {0};
    mt_json_write(&value, mt_json_at(&tree, "value"), false);
    m->value = mt_str_dup(a, mt_buf_str(&value));
    mt_buf_free(&value);
    m->asserted_by = mt_json_text(mt_json_at(&tree, "asserted_by"));
    mt_json_i64(mt_json_at(&tree, "asserted_ms"), &m->asserted_at);
    mt_json_i64(mt_json_at(&tree, "expires_ms"), &m->expires_at);
    mt_map_put(a, &x->facts, mt_str_dup(a, row->id), (uintptr_t)m);
    return MT_OK;
}

mt_err rx_facts_reload(rt_executor *x, st_tx *tx)
{
    int64_t stamp;
    mt_err err = st_doc_stamp(tx, RX_KIND_FACT, &stamp);
    if (err) {
        return err;
    }
    pthread_mutex_lock(&x->facts_lock);
    /* Never back to what an older look saw. */
    if (stamp > atomic_load(&x->facts_stamp)) {
        mt_arena_reset(&x->facts_arena);
        x->facts = (mt_map){0};
        err = st_doc_walk(tx, RX_KIND_FACT, MT_STR(""), (st_page){.limit = UINT32_MAX},
                          take_manual, x);
        atomic_store(&x->has_facts, x->facts.len > 0);
        atomic_store(&x->facts_stamp, err ? -1 : stamp);
    }
    pthread_mutex_unlock(&x->facts_lock);
    return err;
}

/* Another process may have asserted something: costs a round trip. */
static mt_err see_others(rt_executor *x)
{
    st_tx *tx;
    mt_err err = st_begin(x->store, ST_READ, &tx);
    if (!err) {
        err = rx_facts_reload(x, tx);
        st_rollback(tx);
    }
    return err;
}

void rx_facts_mark(rx_job *job, int64_t stamp)
{
    job->stale = job->took_facts && !job->saw_facts && job->facts_stamp != stamp;
}

mt_err rx_facts_check(rx_job *job)
{
    rt_executor *x = job->x;
    if (!x->shared || !job->took_facts || job->saw_facts) {
        return MT_OK;
    }
    mt_err err = see_others(x);
    if (!err) {
        rx_facts_mark(job, atomic_load(&x->facts_stamp));
    }
    return err;
}

mt_err rx_manual_lookup(void *version, mt_arena *a, uint32_t fact, rt_manual *out)
{
    const rx_version *v = version;
    rt_executor *x = v->x;
    mt_str id = rx_fact_key(a, v->contract, v->model->facts[fact].id);
    pthread_mutex_lock(&x->facts_lock);
    const rt_manual *m = (const rt_manual *)mt_map_get(&x->facts, id, 0);
    if (m) {
        *out = (rt_manual){mt_str_dup(a, m->value), mt_str_dup(a, m->asserted_by),
                           m->asserted_at, m->expires_at};
    }
    pthread_mutex_unlock(&x->facts_lock);
    return m ? MT_OK : MT_E_NOTFOUND;
}

static bool find_manual(rx_job *job, uint32_t fact, rt_fact_answer *out)
{
    rt_manual m;
    if (rx_manual_lookup(job->v, &job->arena, fact, &m) ||
        (m.expires_at && m.expires_at <= rx_now(job->x))) {
        return false;
    }
    *out = (rt_fact_answer){.fact = fact,
                            .value = m.value,
                            .adapter_id = MT_STR("motet.manual"),
                            .asserted_by = m.asserted_by,
                            .fetched_at = m.asserted_at,
                            .expires_at = m.expires_at};
    return true;
}

mt_str rx_fact_key(mt_arena *a, mt_str contract, mt_str fact)
{
    return mt_strf(a, "%.*s/%.*s", MT_ARG(contract), MT_ARG(fact));
}

/* ---- Adapters ---------------------------------------------------------------------
 */

static size_t params_of(rx_job *job, rt_param **out)
{
    const mt_json *given = job->request.params;
    size_t count = given ? given->count : 0;
    rt_param *list = mt_new_array(&job->arena, rt_param, count);
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

static bool refuse_fetch(rx_job *job, const rt_fact_answer *a)
{
    mt_str fact = job->v->model->facts[a->fact].id;
    bool ours = a->error == RT_FACT_PARAM_MISSING || a->error == RT_FACT_PARAM_REFUSED;
    bool absent = a->error == RT_FACT_NOT_ASSERTED || a->error == RT_FACT_EXPIRED;
    mt_jw w = rx_problem_open(
        job,
        ours     ? RX_INVALID_FACT
        : absent ? RX_MISSING_FACT
                 : RX_SOURCE_FAILED,
        mt_strf(&job->arena, "fact '%.*s': %.*s", MT_ARG(fact), MT_ARG(a->message)));
    mt_jw_key_str(&w, "fact", fact);
    mt_jw_key_str(&w, "fault", mt_str_z(rt_fact_error_name(a->error)));
    return rx_problem_close(&w);
}

/* Fetches what adapters serve. `answers` gets what they say. True: refused. */
static bool fetch(rx_job *job, const uint32_t *facts, size_t count,
                  rt_fact_answer *answers)
{
    rt_param *params;
    rt_fetch f = {.facts = facts,
                  .fact_count = count,
                  .param_count = params_of(job, &params),
                  .instances = job->snap->instances,
                  .deadline = rt_now_ms() + FETCH_MS};
    f.params = params;
    rt_adapters_fetch(job->v->adapters, &f, &job->arena, answers);
    for (size_t i = 0; i < count; i++) {
        const rt_fact_answer *a = &answers[i];
        if (rt_fact_failed(a)) {
            return refuse_fetch(job, a);
        }
        if (!a->use_default) {
            bool manual = rt_adapters_is_manual(job->v->adapters, a->fact);
            job->snap->from[a->fact] = manual ? RX_FROM_MANUAL : RX_FROM_ADAPTER;
            job->snap->answers[a->fact] = a;
        }
    }
    return false;
}

/* Facts that were not given: fetched ones (of manual sources too: their policy is the
 * source's), or kept ones. True: refused. */
static bool gather(rx_job *job, const mt_json *given, rt_fact_answer **out, size_t *len)
{
    const ct_model *m = job->v->model;
    rt_fact_answer *answers = mt_new_array(&job->arena, rt_fact_answer, m->fact_count);
    uint32_t *wanted = mt_new_array(&job->arena, uint32_t, m->fact_count);
    size_t n = 0, wanted_count = 0;
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (mt_json_get(given, m->facts[i].id)) {
            if (check_given(job, i)) {
                return true;
            }
        } else if (job->v->adapters && rt_adapters_serves(job->v->adapters, i)) {
            wanted[wanted_count++] = i;
        } else if (find_manual(job, i, &answers[n])) {
            job->snap->from[i] = RX_FROM_MANUAL;
            job->snap->answers[i] = &answers[n++];
        }
    }
    *out = answers;
    *len = n + wanted_count;
    return wanted_count && fetch(job, wanted, wanted_count, answers + n);
}

/* ---- The snapshot -----------------------------------------------------------------
 */

static bool refuse_facts(rx_job *job, const ct_fault *fault)
{
    rx_problem p = fault->kind == CT_FAULT_MISSING_FACT ? RX_MISSING_FACT
                   : fault->kind == CT_FAULT_SYNTAX     ? RX_BAD_REQUEST
                   : fault->kind == CT_FAULT_LIMIT      ? RX_TOO_LARGE
                                                        : RX_INVALID_FACT;
    mt_jw w = rx_problem_open(job, p, fault->message);
    if (fault->path.len) {
        mt_jw_key_str(&w, "fact", fault->path);
    }
    mt_jw_key_str(&w, "fault", mt_str_z(ct_fault_name(fault->kind)));
    return rx_problem_close(&w);
}

bool rx_refuse_evaluation(rx_job *job, const ct_fault *fault)
{
    rx_problem p = fault->kind == CT_FAULT_BUDGET     ? RX_EVALUATION_BUDGET
                   : fault->kind == CT_FAULT_DEADLINE ? RX_EVALUATION_DEADLINE
                                                      : RX_EVALUATION_ERROR;
    mt_jw w = rx_problem_open(job, p, fault->message);
    mt_jw_key_str(&w, "fault", mt_str_z(ct_fault_name(fault->kind)));
    if (fault->rule.len) {
        mt_jw_key_str(&w, "rule", fault->rule);
    }
    return rx_problem_close(&w);
}

/* Nothing but the request supplies facts here. */
static bool read_given(rx_job *job, mt_str text)
{
    const ct_model *m = job->v->model;
    ct_fault fault = {0};
    if (ct_facts_read(job->snap->facts, text, &job->x->limits, true, &fault)) {
        return refuse_facts(job, &fault);
    }
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (ct_facts_external(job->snap->facts, i) && check_given(job, i)) {
            return true;
        }
    }
    return false;
}

static bool read_gathered(rx_job *job, mt_str text)
{
    mt_json given;
    mt_json_error error = {0};
    rt_fact_answer *answers;
    size_t count;
    ct_fault fault = {0};
    mt_json_limits limits = {job->x->limits.json_bytes, job->x->limits.json_depth};
    if (mt_json_read(&job->arena, text, &limits, &given, &error)) {
        return rx_refuse(job, RX_BAD_REQUEST, "facts: %s", error.message);
    }
    if (!mt_json_is(&given, MT_JSON_OBJECT)) {
        return rx_refuse(job, RX_BAD_REQUEST, "`facts` must be an object");
    }
    if (gather(job, &given, &answers, &count)) {
        return true;
    }
    mt_buf joined = {0};
    rt_facts_join(&joined, job->v->model, &given, answers, count);
    mt_str all = mt_str_dup(&job->arena, mt_buf_str(&joined));
    mt_buf_free(&joined);
    return ct_facts_read(job->snap->facts, all, &job->x->limits, true, &fault)
               ? refuse_facts(job, &fault)
               : false;
}

bool rx_snapshot(rx_job *job)
{
    rx_version *v = job->v;
    rx_snap *s = job->snap;
    ct_fault fault = {0};
    mt_str text = job->request.facts.len ? job->request.facts : MT_STR("{}");
    mt_err err = job->internal && job->x->shared ? see_others(job->x) : MT_OK;
    if (err) {
        return rx_refuse_store(job, err);
    }
    job->took_facts = !job->internal;
    job->facts_stamp = atomic_load(&job->x->facts_stamp);
    memset(s->from, RX_FROM_CONTRACT, v->model->fact_count);
    bool others = v->adapters || atomic_load(&job->x->has_facts);
    if (others ? read_gathered(job, text) : read_given(job, text)) {
        return true;
    }
    err = rx_evaluate_rules(job, v, s, &fault);
    err = err ? err : rx_evaluate_conditions(job, v, s, &fault);
    job->elsewhere = err == MT_E_BUSY;
    return err && (job->elsewhere || rx_refuse_evaluation(job, &fault));
}

/* What is the host's is told apart from a row that does not fit. */
static mt_err row_fault(mt_err err)
{
    bool host = err == MT_E_BUSY || err == MT_E_LIMIT || err == MT_E_TIMEOUT;
    return !err || host ? err : MT_E_CORRUPT;
}

static mt_err evaluate_row(rx_job *job, const st_flow *row, const rx_version *v,
                           rx_snap *s, ct_fault *fault)
{
    mt_str facts = mt_str_dup(&job->arena, row->facts);
    return ct_facts_read(s->facts, facts, &job->x->limits, true, fault)
               ? MT_E_CORRUPT
               : row_fault(rx_evaluate_rules(job, v, s, fault));
}

/* The version whose rules the snapshot was frozen by, when a migration has moved the
 * flow since; empty: its own. */
static mt_str began_with(rx_job *job, const st_flow *row)
{
    mt_json tree;
    mt_str extra = mt_str_dup(&job->arena, row->extra);
    return extra.len && !mt_json_read(&job->arena, extra, NULL, &tree, NULL)
               ? mt_json_text(mt_json_at(&tree, "began"))
               : (mt_str){0};
}

/* A migration has moved it: what its own version's rules said is carried over. */
static mt_err restore_carried(rx_job *job, const st_flow *row, mt_str began,
                              ct_fault *fault)
{
    mt_err err;
    if (!job->frozen_snap) {
        job->frozen_v = rx_version_with(job->x, row->contract, began, &err);
        if (!job->frozen_v) {
            return MT_E_CORRUPT;
        }
        job->frozen_snap = rx_snap_take(job->frozen_v);
    }
    const rx_snap *frozen = job->frozen_snap;
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

mt_err rx_snapshot_restore(rx_job *job, const st_flow *row, ct_fault *fault)
{
    mt_str began = began_with(job, row);
    if (!job->snap) {
        job->snap = rx_snap_take(job->v);
    }
    mt_err err = !began.len || mt_str_eq(began, job->v->etag)
                     ? evaluate_row(job, row, job->v, job->snap, fault)
                     : restore_carried(job, row, began, fault);
    return err ? err : row_fault(rx_evaluate_conditions(job, job->v, job->snap, fault));
}

/* ---- Words ------------------------------------------------------------------------
 */

void rx_facts_json(mt_buf *out, const rx_version *v, const rx_snap *s)
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

static void fetched_json(mt_buf *out, const rt_fact_answer *a)
{
    char text[CT_TIME_TEXT];
    ct_time t = {a->fetched_at / 1000, (uint32_t)(a->fetched_at % 1000) * 1000000u};
    mt_buf_addz(out, "\"fetch_timestamp\":\"");
    mt_buf_add(out, text, ct_time_print(t, text));
    mt_buf_addz(out, "\",");
}

static void one_provenance(mt_buf *out, const rx_version *v, const rx_snap *s,
                           uint32_t i)
{
    const rt_fact_answer *a = s->answers[i];
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
    mt_buf_adds(out, s->from[i] == RX_FROM_CONTRACT
                         ? MT_STR("\"assertion_source\":\"contract\",")
                         : MT_STR("\"assertion_source\":\"external\","));
    if (a) {
        fetched_json(out, a);
    }
    mt_buf_adds(out, v->fact_heads[i]);
    if (s->from[i] == RX_FROM_OVERRIDE) {
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

void rx_fact_provenance(mt_jw *w, const rx_version *v, const rx_snap *s)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < v->model->fact_count; i++) {
        mt_jw_raw(w, MT_STR("")); /* the comma, where one is due */
        one_provenance(w->out, v, s, i);
    }
    mt_jw_end_array(w);
}

void rx_verdict_names(mt_jw *w, const rx_version *v, const ct_verdicts *verdicts)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < v->model->rule_count; i++) {
        if (ct_verdict_present(verdicts, i)) {
            mt_jw_str(w, v->model->rules[i].verdict);
        }
    }
    mt_jw_end_array(w);
}

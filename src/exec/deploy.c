/* exec/deploy.c - new versions of contracts (spec §18.3, M1 to M8).
 * Room: exec.
 * A deployment compares, asks for a policy if the change may break what runs, decides
 * on every flow in flight and every instance (exec_migrate.c), and writes all of it
 * with the version in one transaction. The new version serves what begins from then on;
 * what stays behind is the migration under way (exec_migration.c). */
#include "analyze/version/diff_report.h"
#include "exec/migrate.h"

/* ---- What must be declared (M2, M3) -----------------------------------------------
 */

typedef struct names {
    mt_str *items;
    size_t len, cap;
} names;

static void add_name(mt_arena *a, names *list, mt_str name)
{
    for (size_t i = 0; i < list->len; i++) {
        if (mt_str_eq(list->items[i], name)) {
            return;
        }
    }
    mt_vec_push(a, list, name);
}

static bool lacks_policy(ex_migration *m, const an_diff *diff)
{
    names uncovered = {0};
    if (!diff->policy_required) {
        return false;
    }
    for (size_t i = 0; i < m->flights.len; i++) {
        const ex_flight *f = &m->flights.items[i];
        if (f->policy == AN_POLICY_NONE && f->fate != EX_THERE) {
            add_name(m->a, &uncovered, f->row.flow);
        }
    }
    if (m->policy && !uncovered.len) {
        return false;
    }
    mt_buf text = {0};
    an_diff_summary_text(&text, diff);
    mt_str summary = mt_str_trim(mt_buf_str(&text), MT_STR("\n"));
    mt_jw w = ex_problem_open(
        m->job, EX_POLICY_REQUIRED,
        m->policy ? mt_strf(m->a,
                            "%.*s; the policy says nothing about flow '%.*s', "
                            "which is in flight",
                            MT_ARG(summary), MT_ARG(uncovered.items[0]))
                  : mt_strf(m->a,
                            "%.*s; declare a `policy` for flows in flight: "
                            "blue_green, force_migrate or abort",
                            MT_ARG(summary)));
    mt_jw_keyz(&w, "diff");
    an_diff_json(&w, diff);
    mt_jw_keyz(&w, "flows");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < uncovered.len; i++) {
        mt_jw_str(&w, uncovered.items[i]);
    }
    mt_jw_end_array(&w);
    mt_buf_free(&text);
    return ex_problem_close(&w);
}

/* ---- Words and records ------------------------------------------------------------
 */

static void infrastructure_json(mt_jw *w, const an_diff *diff)
{
    mt_jw_begin_array(w);
    for (uint32_t e = 0; e < diff->entry_count; e++) {
        const an_diff_entry *entry = &diff->entries[e];
        for (uint32_t f = 0; f < entry->field_count; f++) {
            for (uint32_t p = 0; p < entry->fields[f].part_count; p++) {
                const an_taxon *t = entry->fields[f].parts[p].taxon;
                if (t->class == AN_INFRASTRUCTURE) {
                    mt_jw_begin_object(w);
                    mt_jw_key_str(w, "change", mt_str_z(t->change));
                    mt_jw_key_str(w, "field", entry->fields[f].field);
                    mt_jw_key_str(w, "id", entry->id);
                    mt_jw_key_str(w, "kind", entry->kind);
                    mt_jw_key_str(w, "reason", mt_str_z(t->reason));
                    mt_jw_end_object(w);
                }
            }
        }
    }
    mt_jw_end_array(w);
}

/* What a deployment was, for its record. */
typedef struct summary {
    const ex_migration *m;
    const ex_version *old; /* NULL: the first version */
    const an_diff *diff;   /* likewise */
    mt_str status;
    int64_t record;
} summary;

static mt_err record_deployed(ex_group *g, summary *s)
{
    const ex_version *v = s->m->next;
    mt_buf_clear(&g->body);
    mt_jw w = mt_jw_start(&g->body, false);
    mt_jw_begin_unsorted(&w); /* the record is sorted as a whole, below */
    ex_caller_json(&w, s->m->job);
    if (s->diff) {
        mt_jw_key_str(&w, "class", AN_CLASS_NAMES[s->diff->class]);
    }
    mt_jw_key_str(&w, "contract", v->contract);
    mt_jw_key_str(&w, "etag", v->etag);
    if (s->old) {
        mt_jw_keyz(&w, "flows");
        ex_fates_json(&w, s->m);
        mt_jw_key_str(&w, "from", s->old->etag);
        mt_jw_key_i64(&w, "instances_left", (int64_t)ex_migration_instances_left(s->m));
        mt_jw_key_i64(&w, "instances_moved", (int64_t)s->m->moves);
    }
    mt_jw_key_str(&w, "kind", MT_STR("contract_deployed"));
    mt_jw_key_i64(&w, "number", v->number);
    ex_policy_members(&w, s->m->policy);
    mt_jw_key_str(&w, "status", s->status);
    ex_record_time(&w, g);
    if (s->old) {
        mt_jw_key_i64(&w, "triggers_failed", (int64_t)s->m->triggers.len);
    }
    mt_jw_end_object(&w);
    /* The policy is as it was given. */
    ex_record r = {
        .kind = "contract_deployed", .contract = v->contract, .unsorted = true};
    return ex_record_add(g, &r, &s->record);
}

static mt_err tell_operator(ex_group *g, const summary *s)
{
    const ex_version *v = s->m->next;
    if (!s->diff || !s->diff->infrastructure) {
        return MT_OK;
    }
    mt_buf_clear(&g->body);
    mt_jw w = mt_jw_start(&g->body, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "changes");
    infrastructure_json(&w, s->diff);
    mt_jw_key_str(&w, "contract", v->contract);
    mt_jw_key_str(&w, "etag", v->etag);
    mt_jw_key_str(&w, "kind", MT_STR("infrastructure_changed"));
    ex_record_time(&w, g);
    mt_jw_end_object(&w);
    ex_record r = {.kind = "infrastructure_changed", .contract = v->contract};
    int64_t ignored;
    ex_log(g->x, 2, "infrastructure_changed",
           "contract '%.*s' got a version with other sources or trust: %.*s",
           MT_ARG(v->contract), MT_ARG(mt_buf_str(&g->body)));
    return ex_record_add(g, &r, &ignored);
}

static void reply_deployed(ex_job *job, const summary *s)
{
    const ex_migration *m = s->m;
    mt_jw w = ex_reply_with(job, s->old ? 200 : 201);
    if (s->diff) {
        mt_jw_key_str(&w, "class", AN_CLASS_NAMES[s->diff->class]);
    }
    mt_jw_key_str(&w, "contract", m->next->contract);
    if (s->diff) {
        mt_jw_keyz(&w, "diff");
        an_diff_json(&w, s->diff);
    }
    mt_jw_key_str(&w, "etag", m->next->etag);
    if (s->old) {
        mt_jw_keyz(&w, "fates");
        ex_fates_json(&w, m);
        mt_jw_keyz(&w, "flows");
        ex_flights_json(&w, m);
        mt_jw_key_str(&w, "from", s->old->etag);
    }
    if (s->diff && s->diff->infrastructure) {
        mt_jw_keyz(&w, "infrastructure");
        infrastructure_json(&w, s->diff);
    }
    if (s->old) {
        mt_jw_keyz(&w, "instances");
        ex_moves_json(&w, m);
    }
    if (job->simulation) {
        mt_jw_key_bool(&w, "simulation", true);
    } else {
        mt_jw_key_i64(&w, "number", m->next->number);
        mt_jw_key_i64(&w, "record", s->record);
    }
    mt_jw_key_str(&w, "status", s->status);
    mt_jw_key_i64(&w, "triggers_failed", (int64_t)m->triggers.len);
    ex_reply_end(&w);
}

/* ---- Deploying --------------------------------------------------------------------
 */

static ex_version *list_next(ex_job *job)
{
    ex_deployment *d = job->work;
    if (job->fresh) {
        /* If it was known, the fresh one is freed with the job: the plan and the answer
         * borrow from it. */
        d->next = ex_version_list(job->x, job->fresh);
        job->fresh = d->next == job->fresh ? NULL : job->fresh;
    }
    return d->next;
}

static mt_err write_deployment(ex_migration *m, summary *s)
{
    ex_job *job = m->job;
    ex_deployment *d = job->work;
    if (job->simulation) {
        return MT_OK;
    }
    m->next = list_next(job);
    mt_err err = s->old ? ex_migration_apply(m) : MT_OK;
    err = err ? err : ex_version_store(m->g, m->next, d->trust, !s->old);
    if (!err && s->old) {
        err = ex_migration_store(m, s->old->etag, s->status);
    }
    err = err ? err : record_deployed(m->g, s);
    err = err ? err : tell_operator(m->g, s);
    m->g->deployed = err ? NULL : m->next;
    return err;
}

static void reply_unchanged(ex_job *job, const ex_version *v)
{
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_key_str(&w, "contract", v->contract);
    mt_jw_key_str(&w, "etag", v->etag);
    mt_jw_key_i64(&w, "number", v->number);
    if (job->simulation) {
        mt_jw_key_bool(&w, "simulation", true);
    }
    mt_jw_key_str(&w, "status", MT_STR("unchanged"));
    ex_reply_end(&w);
}

static mt_err deploy_over(ex_migration *m, ex_version *old)
{
    const mt_json *before;
    const an_diff *diff = ex_migration_diff(m, old);
    mt_err err = ex_migration_load(m->g->tx, m->a, m->next->contract, true, &before);
    ex_migration_removed(m, old);
    if (!err && ex_migration_under_way(before)) {
        ex_migration_take_removed(m, before);
    }
    err = err ? err : ex_migration_flights(m);
    if (err || ex_migration_unknown_flow(m, old) || ex_migration_check_map(m) ||
        lacks_policy(m, diff)) {
        return err;
    }
    err = ex_migration_plan(m);
    summary s = {.m = m,
                 .old = old,
                 .diff = diff,
                 .status = ex_migration_status(m, diff->policy_required ||
                                                      ex_migration_under_way(before))};
    err = err ? err : write_deployment(m, &s);
    if (!err) {
        reply_deployed(m->job, &s);
    }
    return err;
}

mt_err ex_deploy_commit(ex_job *job, ex_group *g)
{
    const ex_deployment *d = job->work;
    ex_version *old;
    ex_migration m = ex_migration_begin(job, g, d->next);
    mt_err err = ex_migration_lock(g, d->next->contract, &old);
    if (err) {
        return err;
    }
    if (old && mt_str_eq(old->etag, d->next->etag)) {
        reply_unchanged(job, old);
        return MT_OK;
    }
    if (old) {
        return deploy_over(&m, old);
    }
    summary s = {.m = &m, .status = MT_STR("complete")};
    err = write_deployment(&m, &s);
    if (!err) {
        reply_deployed(job, &s);
    }
    return err;
}

/* ---- Files at the start -----------------------------------------------------------
 */

/* The problem's words become the sentence the program ends with. */
static mt_err say_refusal(ex_job *job, const ex_version *v, mt_buf *why)
{
    mt_json problem;
    mt_str detail = {0};
    if (!mt_json_read(&job->arena, mt_buf_str(&job->reply.body), NULL, &problem,
                      NULL)) {
        detail = mt_json_text(mt_json_at(&problem, "detail"));
    }
    mt_buf_addf(why,
                "the store has another version of contract '%.*s' than the file: %.*s",
                MT_ARG(v->contract), MT_ARG(detail));
    return MT_E_REJECTED;
}

mt_err ex_deploy_at_start(ex_group *g, ex_version *v, mt_str trust, mt_buf *why)
{
    static const ex_caller START = {.token = MT_STR_INIT("start"),
                                    .name = MT_STR_INIT("start")};
    ex_call call = {.action = EX_CONTRACT_DEPLOY, .caller = &START};
    ex_job *job = ex_job_take(g->x);
    ex_deployment *d = mt_new(&job->arena, ex_deployment);
    *d = (ex_deployment){v, trust};
    job->call = &call;
    job->fresh = v;
    job->work = d;
    job->request.policy = g->x->policy;
    mt_err err = ex_deploy_commit(job, g);
    if (!err && job->reply.status >= 400) {
        err = say_refusal(job, v, why);
    } else if (!err && g->deployed) {
        ex_serve(g->x, g->deployed);
    }
    g->deployed = NULL;
    ex_job_give(job);
    return err;
}

static mt_err record_system(ex_group *g, mt_str id, const an_diff *diff)
{
    mt_buf_clear(&g->body);
    mt_jw w = mt_jw_start(&g->body, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "class", AN_CLASS_NAMES[diff->class]);
    mt_jw_key_str(&w, "kind", MT_STR("system_deployed"));
    ex_policy_members(&w, g->x->policy);
    mt_jw_key_str(&w, "system", id);
    ex_record_time(&w, g);
    mt_jw_end_object(&w);
    ex_record r = {.kind = "system_deployed", .subject = id, .unsorted = true};
    int64_t ignored;
    return ex_record_add(g, &r, &ignored);
}

mt_err ex_system_at_start(ex_group *g, mt_str kind, const ex_source *s, mt_buf *why)
{
    st_doc doc;
    mt_json before, after;
    mt_err err = st_doc_get(g->tx, g->arena, kind, s->id, &doc);
    if (err || mt_str_eq(doc.body, s->bundle)) {
        return err == MT_E_NOTFOUND ? MT_OK : err;
    }
    mt_json_limits limits = {0, g->x->limits.bundle_depth};
    if (mt_json_read(g->arena, doc.body, &limits, &before, NULL) ||
        mt_json_read(g->arena, s->bundle, &limits, &after, NULL)) {
        return MT_E_CORRUPT;
    }
    const an_diff *diff = an_diff_bundles(g->arena, (an_diff_side){&before, NULL},
                                          (an_diff_side){&after, NULL});
    if (!diff->policy_required || g->x->policy) {
        return record_system(g, s->id, diff);
    }
    mt_buf_addf(why, "the store has another version of System '%.*s' than the file: ",
                MT_ARG(s->id));
    mt_buf text = {0};
    an_diff_summary_text(&text, diff);
    mt_buf_adds(why, mt_str_trim(mt_buf_str(&text), MT_STR("\n")));
    mt_buf_free(&text);
    mt_buf_addz(why,
                "; declare a policy for flows in flight: blue_green, force_migrate "
                "or abort");
    return MT_E_REJECTED;
}

mt_err ex_policy_json(mt_buf *out, const mt_str *policies, size_t count, mt_str *bad)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_unsorted(&w);
    for (size_t i = 0; i < count; i++) {
        size_t equals = mt_str_find(policies[i], '=');
        bool own = equals < policies[i].len;
        mt_str word = own ? mt_str_skip(policies[i], equals + 1) : policies[i];
        mt_json tree = {
            .type = MT_JSON_STRING, .count = (uint32_t)word.len, .as.text = word.ptr};
        *bad = policies[i];
        if (ex_policy_for(&tree, (mt_str){0}) == AN_POLICY_NONE || (own && !equals)) {
            return MT_E_SYNTAX;
        }
        mt_jw_key(&w, own ? mt_str_from(policies[i].ptr, equals) : MT_STR("*"));
        mt_jw_str(&w, word);
    }
    mt_jw_end_object(&w);
    return MT_OK;
}

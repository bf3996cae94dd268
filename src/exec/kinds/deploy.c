/* exec/kinds/deploy.c - new versions of contracts (spec §18.3, M1 to M8).
 * Room: exec.
 * A deployment compares, asks for a policy if the change may break what runs, decides
 * on every flow in flight and every instance (deploy_fates.c), and writes all of it
 * with the version in one transaction. The new version serves what begins from then on;
 * what stays behind is the migration under way (deploy_under_way.c). INVARIANT: a
 * refusal and a dry run have written nothing. */
#include "exec/kinds/deploy.h"

#include "analyze/version/diff_report.h"
#include "exec/call/problem.h"
#include "exec/commit/ledger.h"
#include "exec/machine.h"

/* ---- What must be declared (M2, M3) ---- */

typedef struct names {
    mt_str *items;
    size_t len, cap;
} names;

/* Each name once. Linear, since flow types are few. */
static void add_name(mt_arena *a, names *list, mt_str name)
{
    for (size_t i = 0; i < list->len; i++) {
        if (mt_str_eq(list->items[i], name)) {
            return;
        }
    }
    mt_vec_push(a, list, name);
}

/* Names the flows in flight that no policy covers: what was forgotten, not what was
 * given. */
static bool refused_without_policy(ex_migration *m, const an_diff *diff)
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

/* ---- Words and records ---- */

/* What does not touch meaning, but where facts come from. */
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

/* One record has class, fates and status: the ledger tells what a deployment did
 * without the versions at hand. */
static mt_err record_deployed(ex_group *g, summary *s)
{
    const ex_version *v = s->m->next;
    mt_jw w = ex_record_begin(g);
    mt_jw_unsorted(&w); /* the record is sorted as a whole, below */
    ex_caller_json(&w, s->m->job);
    if (s->old && g->x->aggressive) {
        mt_jw_key_str(&w, "analysis", ex_analysis_name(g->x));
    }
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
    if (s->old) {
        ex_migration_members(&w, s->m);
    } else {
        ex_policy_members(&w, s->m->policy);
    }
    mt_jw_key_str(&w, "status", s->status);
    ex_record_time(&w, g);
    if (s->old) {
        mt_jw_key_i64(&w, "triggers_failed", (int64_t)s->m->triggers.len);
    }
    /* The policy is as it was given. */
    ex_record r = {
        .kind = "contract_deployed", .contract = v->contract, .unsorted = true};
    return ex_record_end(g, &w, &r, &s->record);
}

/* A record of its own, for who runs the sources; only when they changed. */
static mt_err tell_operator(ex_group *g, const summary *s)
{
    const ex_version *v = s->m->next;
    if (!s->diff || !s->diff->infrastructure) {
        return MT_OK;
    }
    mt_jw w = ex_record_begin(g);
    mt_jw_keyz(&w, "changes");
    infrastructure_json(&w, s->diff);
    mt_jw_key_str(&w, "contract", v->contract);
    mt_jw_key_str(&w, "etag", v->etag);
    mt_jw_key_str(&w, "kind", MT_STR("infrastructure_changed"));
    ex_record_time(&w, g);
    ex_record r = {.kind = "infrastructure_changed", .contract = v->contract};
    int64_t ignored;
    mt_err err = ex_record_end(g, &w, &r, &ignored);
    ex_log(g->x, 2, "infrastructure_changed",
           "contract '%.*s' got a version with other sources or trust: %.*s",
           MT_ARG(v->contract), MT_ARG(mt_buf_str(&g->body)));
    return err;
}

/* 201 for the first version, 200 for one over another and for what is only tried. */
static void reply_deployed(ex_job *job, const summary *s)
{
    const ex_migration *m = s->m;
    mt_jw w = ex_reply_with(job, s->old || job->simulation ? 200 : 201);
    if (s->old && job->x->aggressive) {
        mt_jw_key_str(&w, "analysis", ex_analysis_name(job->x));
    }
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
        ex_reply_record(&w, job, s->record);
    }
    mt_jw_key_str(&w, "status", s->status);
    mt_jw_key_i64(&w, "triggers_failed", (int64_t)m->triggers.len);
    ex_reply_end(&w);
}

/* ---- Deploying ---- */

/* Two processes, or two calls, may compile the same bundle. The list has one version
 * per etag; whoever comes second uses the one that is there. */
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

/* ORDER: flows and instances move first, by the fates that were decided; then the
 * version becomes current; then it is recorded. A dry run stops before. */
static mt_err write_deployment(ex_migration *m, summary *s)
{
    ex_job *job = m->job;
    ex_deployment *d = job->work;
    if (job->simulation) {
        return MT_OK;
    }
    m->next = list_next(job);
    mt_err err = s->old ? ex_migration_apply(m) : MT_OK;
    err = err ? err
              : ex_version_store(m->g->tx, m->next, d->trust, !s->old, m->g->now_ms);
    if (!err && s->old) {
        err = ex_migration_store(m, s->old->etag, s->status);
    }
    err = err ? err : record_deployed(m->g, s);
    err = err ? err : tell_operator(m->g, s);
    m->g->deployed = err ? NULL : m->next;
    return err;
}

/* Deploying what is served already is a success that writes nothing, so a deployment
 * may be repeated after an answer was lost. */
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

/* States that an earlier migration left removed stay removed: they are taken over from
 * its document. */
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
    if (err || ex_refused_policy_flows(m, old) || ex_refused_state_map(m) ||
        refused_without_policy(m, diff)) {
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

/* ORDER: lock the contract, compare with what is served now (not with what was served
 * when the call was prepared), then decide. A first version has nothing to migrate. */
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

/* exec/start.c - files at the start: what they hold is deployed like anything else.
 * Room: exec.
 * One transaction: what the store has is served, then each file's System and contracts
 * are deployed over it, then the default is chosen. A change that would break what runs
 * needs a policy, as in a request; without one nothing is written and `why` says what
 * to declare. A file that another version was deployed over since is left alone. */
#include "analyze/version/diff_report.h"
#include "exec/commit/ledger.h"
#include "exec/contract/invariants.h"
#include "exec/contract/policy.h"
#include "exec/machine.h"

/* ---- A contract ---- */

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

/* A deployment like any other, with the configuration's policy and "start" as its
 * caller in the record. */
static mt_err deploy_version(ex_group *g, ex_version *v, mt_str trust, mt_buf *why)
{
    static const ex_caller START = {.id = MT_STR_INIT("start"),
                                    .name = MT_STR_INIT("start"),
                                    .by = EX_BY_SYSTEM,
                                    .actor = EX_ACTOR_MACHINE};
    ex_call call = {.action = EX_CONTRACT_DEPLOY, .caller = &START};
    ex_job *job = ex_job_take(g->x);
    ex_deployment *d = mt_new(&job->arena, ex_deployment);
    *d = (ex_deployment){v, trust};
    job->call = &call;
    job->fresh = v;
    job->work = d;
    job->request.policy = g->x->policy;
    mt_err err = ex_handler_of(job)->commit(job, g);
    if (!err && job->reply.status >= 400) {
        err = say_refusal(job, v, why);
    } else if (!err && g->deployed) {
        ex_serve(g->x, g->deployed);
    }
    g->deployed = NULL;
    ex_job_give(job);
    return err;
}

/* ---- A System ---- */

/* Only a System that changed has a record. */
static mt_err record_system(ex_group *g, mt_str id, const an_diff *diff)
{
    mt_jw w = ex_record_begin(g);
    mt_jw_key_str(&w, "class", AN_CLASS_NAMES[diff->class]);
    mt_jw_key_str(&w, "kind", MT_STR("system_deployed"));
    ex_policy_members(&w, g->x->policy);
    mt_jw_key_str(&w, "system", id);
    ex_record_time(&w, g);
    ex_record r = {.kind = "system_deployed", .subject = id, .unsorted = true};
    int64_t ignored;
    return ex_record_end(g, &w, &r, &ignored);
}

/* May it replace the one in the store? */
static mt_err deploy_system(ex_group *g, const ex_source *s, mt_buf *why)
{
    st_doc doc;
    mt_json before, after;
    mt_err err = st_doc_get(g->tx, g->arena, EX_KIND_SYSTEM, s->id, &doc);
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

/* ---- All of them ---- */

/* What the configuration promises about it. */
static mt_err keep_promises(ex_group *g, const ex_version *v, mt_buf *why)
{
    ex_promises p = {0};
    mt_err err = ex_promises_of(g->arena, g->x->settings, v->contract, &p, why);
    if (!err && ex_promises_judge(g->arena, v->plan->program, &g->x->limits, &p)) {
        mt_buf_addf(why, "contract '%.*s': ", MT_ARG(v->contract));
        ex_promises_text(why, &p);
        err = MT_E_REJECTED;
    }
    return err;
}

/* Is the file's a version that another was deployed over? Then it says nothing new:
 * whoever deployed the other meant it, and a restart is not a deployment. */
static mt_err is_overtaken(ex_group *g, const ex_version *v, bool *out)
{
    const ex_version *now = ex_current(g->x, v->contract);
    *out = false;
    if (!now || mt_str_eq(now->etag, v->etag)) {
        return MT_OK;
    }
    mt_err err = ex_version_was_stored(g->tx, g->arena, v, out);
    if (!err && *out) {
        ex_log(g->x, 2, "file_is_older",
               "contract '%.*s': the file is a version that was served before version "
               "%lld was deployed over it; version %lld stays (to go back, deploy the "
               "file: motet deploy)",
               MT_ARG(v->contract), (long long)now->number, (long long)now->number);
    }
    return err;
}

/* One contract of a file: what the store has, or a deployment like any other. */
static mt_err open_source(ex_group *g, const ex_source *s, mt_buf *why)
{
    ex_version *v;
    bool overtaken = false;
    mt_err err = ex_version_make(g->x, s, 1, g->now_ms, &v, why);
    mt_err looked = err ? MT_OK : is_overtaken(g, v, &overtaken);
    if (looked || overtaken) {
        ex_version_free(v);
        return looked;
    }
    if (!err && keep_promises(g, v, why)) {
        ex_version_free(v);
        return MT_E_REJECTED;
    }
    return err ? err : deploy_version(g, v, s->trust, why);
}

/* The System before its members, so that scopes of shared entities are known when
 * members are made. */
static mt_err open_file(ex_group *g, const char *path, mt_str *first, mt_buf *why)
{
    ex_executor *x = g->x;
    ex_sources found = {0};
    mt_err err = ex_source_read(g->arena, path, &x->limits, &found, why);
    if (!err && found.system.id.len) {
        st_doc doc = {.kind = EX_KIND_SYSTEM,
                      .id = found.system.id,
                      .body = found.system.bundle,
                      .updated_ms = g->now_ms};
        err = deploy_system(g, &found.system, why);
        err = err ? err : ex_system_add(x, found.system.bundle);
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

/* Configured, else the first contract of the first file, else the store's first. */
static mt_err choose_default(ex_executor *x, mt_str first, mt_buf *why)
{
    if (!x->default_contract.len) {
        x->default_contract = first.len          ? first
                              : x->contracts.len ? x->contracts.entries[0].key
                                                 : (mt_str){0};
    } else if (!ex_current(x, x->default_contract)) {
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
    err = err ? err : ex_contracts_load(x, g.tx, why);
    for (size_t i = 0; !err && files && files[i]; i++) {
        err = open_file(&g, files[i], &first, why);
    }
    err = err ? err : choose_default(x, first, why);
    err = err ? err : ex_write_group(&g);
    err = err ? err : ex_chain_save(x, g.tx, g.records);
    err = err ? err : ex_contracts_stamp(g.tx, &x->contract_stamp);
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

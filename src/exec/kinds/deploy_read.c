/* exec/kinds/deploy_read.c - what a deployment is asked to deploy.
 * Room: exec.
 * Runs on a worker: elaborated or validated, its attestation verified, compiled;
 * nothing is served yet. INVARIANT: a contract is never named by guessing, since a
 * guess would replace one that is served. May fail: the request, the contract (all its
 * diagnostics are in the answer), its signature. */
#include "contract/elaborate.h"
#include "contract/wire/validate.h"
#include "exec/call/request.h"
#include "exec/call/rights.h"
#include "exec/contract/invariants.h"
#include "exec/kinds/deploy.h"

/* ---- What is asked for ---- */

/* Place and code of each fault, as `motet check` shows them. */
static void diagnostics_json(mt_jw *w, const mt_diags *ds)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < ds->len; i++) {
        const mt_diag *d = &ds->items[i];
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "code", mt_str_z(d->code));
        mt_jw_key_i64(w, "column", d->column);
        if (d->hint.len) {
            mt_jw_key_str(w, "hint", d->hint);
        }
        mt_jw_key_i64(w, "line", d->line);
        mt_jw_key_str(w, "message", d->message);
        mt_jw_key_str(w, "severity", mt_str_z(mt_severity_name(d->severity)));
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

/* The first error is the sentence, all of them are members. */
static bool refuse_contract(ex_job *job, const mt_diags *ds)
{
    const mt_diag *first = ct_first_error(ds);
    mt_jw w = ex_problem_open(job, EX_INVALID_CONTRACT,
                              first ? first->message : MT_STR("it cannot be read"));
    mt_jw_keyz(&w, "diagnostics");
    diagnostics_json(&w, ds);
    return ex_problem_close(&w);
}

/* The name becomes part of paths, keys and scopes; hence the narrow alphabet and a
 * length. */
static bool usable_name(mt_str id)
{
    for (size_t i = 0; i < id.len; i++) {
        char c = id.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!plain) {
            return false;
        }
    }
    return id.len && id.len <= 128;
}

static mt_str served_name(const ex_job *job)
{
    return job->request.contract.len ? job->request.contract : job->call->contract;
}

static bool refuse_system(ex_job *job)
{
    return ex_refuse(job, EX_INVALID_CONTRACT,
                     "a System is deployed by starting with its file; its members can "
                     "be deployed one by one");
}

/* A source does not say what it is called, and no name is taken for granted: a guess
 * would replace a contract that is served. */
static bool refused_source(ex_job *job, ex_source *out)
{
    mt_str name = served_name(job);
    if (!usable_name(name)) {
        return ex_refuse(
            job, EX_BAD_REQUEST,
            "`contract` must name the contract (letters, digits, _ and -)");
    }
    mt_diags ds = {.arena = &job->arena};
    mt_str path = mt_strf(&job->arena, "%.*s.tenor", MT_ARG(name));
    mt_memory_file file = {path, job->request.source};
    mt_memory files = {&file, 1};
    mt_provider provider = mt_memory_provider(&files);
    ct_options options = {.no_warnings = true, .limits = &job->x->limits};
    const ct_elaboration *e;
    if (ct_elaborate(&job->arena, path, &provider, &options, &ds, &e)) {
        return refuse_contract(job, &ds);
    }
    *out = (ex_source){.id = name, .bundle = e->bundle};
    return e->is_system && refuse_system(job);
}

/* A manifest's attestation must hold; its trust section is served with the bundle. */
static bool refused_trust(ex_job *job, mt_str *trust)
{
    mt_buf why = {0};
    bool refused =
        ex_manifest_trust(&job->arena, job->request.bundle, &job->x->limits, trust,
                          &why) &&
        ex_refuse(job, EX_INVALID_CONTRACT, "%.*s", MT_ARG(mt_buf_str(&why)));
    mt_buf_free(&why);
    return refused;
}

/* §15.1: interchange of any elaborator is validated before it is looked at. The name of
 * the call wins over the bundle's own id; an attestation is verified only where a
 * manifest carries one. */
static bool refused_bundle(ex_job *job, ex_source *out)
{
    mt_diags ds = {.arena = &job->arena, .limit = job->x->limits.diagnostics};
    ct_document d;
    if (ct_validate(&job->arena, MT_STR("bundle"), job->request.bundle, &job->x->limits,
                    &ds, &d)) {
        return refuse_contract(job, &ds);
    }
    if (ct_is_system(d.tree)) {
        return refuse_system(job);
    }
    mt_str name = served_name(job);
    *out = (ex_source){.id = name.len ? name : mt_json_text(mt_json_at(d.tree, "id")),
                       .bundle = d.bundle};
    if (!usable_name(out->id)) {
        return ex_refuse(job, EX_BAD_REQUEST,
                         "a contract is named by letters, digits, _ and -");
    }
    return d.is_manifest && refused_trust(job, &out->trust);
}

/* A word for all flows and a word for one are checked alike. */
static bool refused_policy_word(ex_job *job, const mt_json *word)
{
    mt_json one = word ? *word : (mt_json){0};
    return (!mt_json_is(word, MT_JSON_STRING) ||
            ex_policy_for(&one, (mt_str){0}) == AN_POLICY_NONE) &&
           ex_refuse(job, EX_BAD_REQUEST,
                     "a policy is \"blue_green\", \"force_migrate\" or \"abort\"");
}

/* The shape only; whether the flows that are named exist is known in the group
 * (ex_refused_policy_flows). An empty object is as good as none. */
bool ex_refused_policy(ex_job *job)
{
    const mt_json *policy = job->request.policy;
    if (!policy || mt_json_is(policy, MT_JSON_STRING)) {
        return policy && refused_policy_word(job, policy);
    }
    if (!mt_json_is(policy, MT_JSON_OBJECT)) {
        return refused_policy_word(job, policy);
    }
    for (uint32_t i = 0; i < policy->count; i++) {
        if (refused_policy_word(job, &policy->as.members[i].value)) {
            return true;
        }
    }
    if (!policy->count) {
        job->request.policy = NULL;
    }
    return false;
}

/* The shape only, of a first version, too; whether states fit is known in the group
 * (ex_refused_state_map). */
static bool refused_map_shape(ex_job *job)
{
    const mt_json *map = job->request.state_map;
    for (uint32_t i = 0; map && i < map->count; i++) {
        const mt_json *states = &map->as.members[i].value;
        bool fits = mt_json_is(states, MT_JSON_OBJECT);
        for (uint32_t k = 0; fits && k < states->count; k++) {
            fits = mt_json_is(&states->as.members[k].value, MT_JSON_STRING);
        }
        if (!fits) {
            return ex_refuse(job, EX_INVALID_STATE_MAP,
                             "entity '%.*s': expected {\"old state\": \"new state\"}",
                             MT_ARG(map->as.members[i].key));
        }
    }
    return false;
}

/* The promises of the request and those of the configuration; what is not decided
 * within the limits is not kept. The trace of the first is the sentence, all are
 * members. */
static bool refused_promises(ex_job *job, const ex_version *v)
{
    ex_promises p = {0};
    mt_buf why = {0};
    mt_arena *a = &job->arena;
    bool refused = false;
    if (ex_promises_add(a, job->request.invariants, &p, &why) ||
        ex_promises_of(a, job->x->settings, v->contract, &p, &why)) {
        refused = ex_refuse(job, EX_BAD_REQUEST, "%.*s", MT_ARG(mt_buf_str(&why)));
    } else if (ex_promises_judge(a, v->plan->program, &job->x->limits, &p)) {
        ex_promises_text(&why, &p);
        mt_str first = mt_str_trim(mt_buf_str(&why), MT_STR("\n"));
        mt_jw w = ex_problem_open(job, EX_INVARIANT_BROKEN, mt_str_dup(a, first));
        mt_jw_keyz(&w, "invariants");
        ex_promises_json(&w, &p);
        refused = ex_problem_close(&w);
    }
    mt_buf_free(&why);
    return refused;
}

/* ORDER: the right first, before anything of the body is parsed. Compiling takes long
 * and happens here, on a worker; whatever the group does with it afterwards is short.
 * The fresh version belongs to the job until it is listed. */
bool ex_deploy_prepare(ex_job *job)
{
    ex_source source = {0};
    mt_buf why = {0};
    if (ex_refused_without_anywhere(job, MT_STR("deploy")) || ex_refused_request(job) ||
        ex_refused_policy(job) || refused_map_shape(job)) {
        return true;
    }
    if (!job->request.bundle.len == !job->request.source.len) {
        return ex_refuse(job, EX_BAD_REQUEST,
                         "the body must have a `bundle` or a `source`, not both");
    }
    if (job->request.bundle.len ? refused_bundle(job, &source)
                                : refused_source(job, &source)) {
        return true;
    }
    if (ex_refused_without(job, source.id, MT_STR("deploy"))) {
        return true;
    }
    mt_err err = ex_version_make(job->x, &source, 0, 0, &job->fresh, &why);
    if (err) {
        ex_refuse(job, EX_INVALID_CONTRACT, "%.*s", MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    ex_deployment *d = mt_new(&job->arena, ex_deployment);
    *d = (ex_deployment){job->fresh, source.trust};
    job->work = d;
    return err != MT_OK || refused_promises(job, job->fresh);
}

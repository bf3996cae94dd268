/* runtime/exec_deploy.c - new versions of contracts (spec §18.3, M1 to M8).
 * Room: runtime.
 * A deployment compares, asks for a policy if the change may break what runs, decides
 * on every flow in flight and every instance (exec_migrate.c), and writes all of it
 * with the version in one transaction. The new version serves what begins from then on.
 * What stays behind is the migration under way: document of kind "migration", id
 * CONTRACT, body {"from","policy","removed":{Entity:[state]},"started_ms","state_map",
 * "status","to"}; status "migrating" until it is completed, then "complete". */
#include "contract/analyze/diff_report.h"
#include "contract/elaborate.h"
#include "contract/wire/validate.h"
#include "runtime/exec_migrate.h"
#include "runtime/trust.h"

#define KIND_MIGRATION MT_STR("migration")

/* A deployment on its way: job->work. */
typedef struct deployment {
    rx_version *next; /* job->fresh until it is listed */
    mt_str trust;
} deployment;

/* ---- What is asked for ------------------------------------------------------------
 */

static bool lacks_right(rx_job *job)
{
    return !rt_caller_may(job->call->caller, MT_STR("deploy")) &&
           rx_refuse(job, RX_FORBIDDEN, "the caller lacks the right 'deploy'");
}

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

static bool refuse_contract(rx_job *job, const mt_diags *ds)
{
    const mt_diag *first = ct_first_error(ds);
    mt_jw w = rx_problem_open(job, RX_INVALID_CONTRACT,
                              first ? first->message : MT_STR("it cannot be read"));
    mt_jw_keyz(&w, "diagnostics");
    diagnostics_json(&w, ds);
    return rx_problem_close(&w);
}

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

static mt_str served_name(const rx_job *job)
{
    return job->request.contract.len ? job->request.contract
           : job->call->contract.len ? job->call->contract
                                     : (mt_str){0};
}

static bool refuse_system(rx_job *job)
{
    return rx_refuse(job, RX_INVALID_CONTRACT,
                     "a System is deployed by starting with its file; its members can "
                     "be deployed one by one");
}

static bool read_source(rx_job *job, rx_source *out)
{
    mt_str name = served_name(job);
    name = name.len ? name : job->x->default_contract;
    if (!usable_name(name)) {
        return rx_refuse(
            job, RX_BAD_REQUEST,
            "`contract` must name the contract (letters, digits, _ and -)");
    }
    mt_diags ds = {.arena = &job->arena};
    mt_str path = mt_strf(&job->arena, "%.*s.tenor", MT_ARG(name));
    ct_memory_file file = {path, job->request.source};
    ct_memory files = {&file, 1};
    ct_provider provider = ct_memory_provider(&files);
    ct_options options = {.no_warnings = true, .limits = &job->x->limits};
    const ct_elaboration *e;
    if (ct_elaborate(&job->arena, path, &provider, &options, &ds, &e)) {
        return refuse_contract(job, &ds);
    }
    *out = (rx_source){.id = name, .bundle = e->bundle};
    return e->is_system && refuse_system(job);
}

static bool is_system(const mt_json *bundle)
{
    const mt_json *list = mt_json_at(bundle, "constructs");
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (mt_str_is(mt_json_text(mt_json_at(&list->as.items[i], "kind")), "System")) {
            return true;
        }
    }
    return false;
}

/* A manifest's attestation must hold; its trust section is served with the bundle. */
static bool read_trust(rx_job *job, mt_str *trust)
{
    mt_json tree;
    rt_trust_finding found;
    mt_json_limits most = {job->x->limits.json_bytes, job->x->limits.bundle_depth};
    if (mt_json_read(&job->arena, job->request.bundle, &most, &tree, NULL)) {
        return false; /* it was read before */
    }
    const mt_json *section = mt_json_at(&tree, "trust");
    if (mt_json_at(section, "bundle_attestation") &&
        rt_trust_verify(&job->arena, job->request.bundle, NULL, &job->x->limits,
                        &found)) {
        return rx_refuse(job, RX_INVALID_CONTRACT, "the manifest does not verify: %.*s",
                         MT_ARG(found.problem));
    }
    if (section) {
        mt_buf text = {0};
        mt_json_write(&text, section, false);
        *trust = mt_str_dup(&job->arena, mt_buf_str(&text));
        mt_buf_free(&text);
    }
    return false;
}

static bool read_bundle(rx_job *job, rx_source *out)
{
    mt_diags ds = {.arena = &job->arena, .limit = job->x->limits.diagnostics};
    ct_document d;
    if (ct_validate(&job->arena, MT_STR("bundle"), job->request.bundle, &job->x->limits,
                    &ds, &d)) {
        return refuse_contract(job, &ds);
    }
    if (is_system(d.tree)) {
        return refuse_system(job);
    }
    mt_str name = served_name(job);
    *out = (rx_source){.id = name.len ? name : mt_json_text(mt_json_at(d.tree, "id")),
                       .bundle = d.bundle};
    if (!usable_name(out->id)) {
        return rx_refuse(job, RX_BAD_REQUEST,
                         "a contract is named by letters, digits, _ and -");
    }
    return d.is_manifest && read_trust(job, &out->trust);
}

static bool check_policy_word(rx_job *job, const mt_json *word)
{
    mt_json one = word ? *word : (mt_json){0};
    return (!mt_json_is(word, MT_JSON_STRING) ||
            rx_policy_for(&one, (mt_str){0}) == CT_POLICY_NONE) &&
           rx_refuse(job, RX_BAD_REQUEST,
                     "a policy is \"blue_green\", \"force_migrate\" or \"abort\"");
}

static bool check_policy(rx_job *job)
{
    const mt_json *policy = job->request.policy;
    if (!policy || mt_json_is(policy, MT_JSON_STRING)) {
        return policy && check_policy_word(job, policy);
    }
    if (!mt_json_is(policy, MT_JSON_OBJECT)) {
        return check_policy_word(job, policy);
    }
    for (uint32_t i = 0; i < policy->count; i++) {
        if (check_policy_word(job, &policy->as.members[i].value)) {
            return true;
        }
    }
    if (!policy->count) {
        job->request.policy = NULL;
    }
    return false;
}

bool rx_deploy(rx_job *job)
{
    rx_source source = {0};
    mt_buf why = {0};
    if (lacks_right(job) || rx_request_read(job) || check_policy(job)) {
        return true;
    }
    if (!job->request.bundle.len == !job->request.source.len) {
        return rx_refuse(job, RX_BAD_REQUEST,
                         "the body must have a `bundle` or a `source`, not both");
    }
    if (job->request.bundle.len ? read_bundle(job, &source)
                                : read_source(job, &source)) {
        return true;
    }
    mt_err err = rx_version_make(job->x, source.id, source.bundle, source.trust, 0, 0,
                                 &job->fresh, &why);
    if (err) {
        rx_refuse(job, RX_INVALID_CONTRACT, "%.*s", MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    deployment *d = mt_new(&job->arena, deployment);
    *d = (deployment){job->fresh, source.trust};
    job->work = d;
    return err != MT_OK;
}

/* ---- The migration's document -----------------------------------------------------
 */

static mt_err load_migration(st_tx *tx, mt_arena *a, mt_str contract, bool lock,
                             const mt_json **out)
{
    st_doc doc;
    mt_json *tree = mt_new(a, mt_json);
    mt_err err = lock ? st_doc_lock(tx, a, KIND_MIGRATION, contract, &doc)
                      : st_doc_get(tx, a, KIND_MIGRATION, contract, &doc);
    *out = NULL;
    if (err) {
        return err == MT_E_NOTFOUND ? MT_OK : err;
    }
    if (mt_json_read(a, doc.body, NULL, tree, NULL)) {
        return MT_E_CORRUPT;
    }
    *out = tree;
    return MT_OK;
}

static bool under_way(const mt_json *migration)
{
    return mt_str_is(mt_json_text(mt_json_at(migration, "status")), "migrating");
}

/* States that an earlier migration, still under way, found removed. */
static void take_removed(rx_migration *m, const mt_json *migration)
{
    const mt_json *removed = mt_json_at(migration, "removed");
    for (uint32_t e = 0; removed && e < removed->count; e++) {
        const mt_json_member *entity = &removed->as.members[e];
        for (uint32_t s = 0; s < entity->value.count; s++) {
            rx_migration_remove(m, entity->key,
                                mt_json_text(&entity->value.as.items[s]));
        }
    }
}

static void removed_json(mt_jw *w, const rx_migration *m)
{
    const ct_model *model = m->next->model;
    mt_jw_begin_object(w);
    for (uint32_t e = 0; e < model->entity_count; e++) {
        bool open = false;
        for (size_t i = 0; i < m->removed.len; i++) {
            if (mt_str_eq(m->removed.items[i].entity, model->entities[e].id)) {
                if (!open) {
                    mt_jw_key(w, model->entities[e].id);
                    mt_jw_begin_array(w);
                    open = true;
                }
                mt_jw_str(w, m->removed.items[i].state);
            }
        }
        if (open) {
            mt_jw_end_array(w);
        }
    }
    mt_jw_end_object(w);
}

static void policy_json(mt_jw *w, const mt_json *policy)
{
    if (policy) {
        mt_jw_keyz(w, "policy");
        mt_jw_json(w, policy);
    }
}

static mt_err store_migration(const rx_migration *m, mt_str from, mt_str status)
{
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "from", from);
    policy_json(&w, m->policy);
    mt_jw_keyz(&w, "removed");
    removed_json(&w, m);
    mt_jw_key_i64(&w, "started_ms", m->g->now_ms);
    if (m->state_map) {
        mt_jw_keyz(&w, "state_map");
        mt_jw_json(&w, m->state_map);
    }
    mt_jw_key_str(&w, "status", status);
    mt_jw_key_str(&w, "to", m->next->etag);
    mt_jw_end_object(&w);
    st_doc doc = {.kind = KIND_MIGRATION,
                  .id = m->next->contract,
                  .body = mt_buf_str(&b),
                  .updated_ms = m->g->now_ms};
    mt_err err = st_doc_set(m->g->tx, &doc);
    mt_buf_free(&b);
    return err;
}

/* ---- What must be declared (M2, M3) -----------------------------------------------
 */

static bool has_flow(const rx_version *v, mt_str flow)
{
    return v && ct_model_find(v->model, CT_KIND_FLOW, flow) != CT_NONE;
}

static bool flow_in_flight(const rx_migration *m, mt_str flow)
{
    for (size_t i = 0; i < m->flights.len; i++) {
        if (mt_str_eq(m->flights.items[i].row.flow, flow)) {
            return true;
        }
    }
    return false;
}

/* A misspelt flow would leave the real one without its policy. */
static bool names_unknown_flow(rx_migration *m, const rx_version *old)
{
    const mt_json *policy = m->policy;
    for (uint32_t i = 0; mt_json_is(policy, MT_JSON_OBJECT) && i < policy->count; i++) {
        mt_str flow = policy->as.members[i].key;
        if (!mt_str_is(flow, "*") && !has_flow(old, flow) && !has_flow(m->next, flow) &&
            !flow_in_flight(m, flow)) {
            return rx_refuse(m->job, RX_INVALID_POLICY,
                             "neither version has a flow '%.*s'", MT_ARG(flow));
        }
    }
    return false;
}

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

static bool lacks_policy(rx_migration *m, const ct_diff *diff)
{
    names uncovered = {0};
    if (!diff->policy_required) {
        return false;
    }
    for (size_t i = 0; i < m->flights.len; i++) {
        const rx_flight *f = &m->flights.items[i];
        if (f->policy == CT_POLICY_NONE && f->fate != RX_THERE) {
            add_name(m->a, &uncovered, f->row.flow);
        }
    }
    if (m->policy && !uncovered.len) {
        return false;
    }
    mt_buf text = {0};
    ct_diff_summary_text(&text, diff);
    mt_str summary = mt_str_trim(mt_buf_str(&text), MT_STR("\n"));
    mt_jw w = rx_problem_open(
        m->job, RX_POLICY_REQUIRED,
        m->policy ? mt_strf(m->a,
                            "%.*s; the policy says nothing about flow '%.*s', "
                            "which is in flight",
                            MT_ARG(summary), MT_ARG(uncovered.items[0]))
                  : mt_strf(m->a,
                            "%.*s; declare a `policy` for flows in flight: "
                            "blue_green, force_migrate or abort",
                            MT_ARG(summary)));
    mt_jw_keyz(&w, "diff");
    ct_diff_json(&w, diff);
    mt_jw_keyz(&w, "flows");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < uncovered.len; i++) {
        mt_jw_str(&w, uncovered.items[i]);
    }
    mt_jw_end_array(&w);
    mt_buf_free(&text);
    return rx_problem_close(&w);
}

/* ---- Words and records ------------------------------------------------------------
 */

static void fates_json(mt_jw *w, const rx_migration *m)
{
    /* ORDER of names */
    static const rx_fate ORDER[] = {RX_ABORTED, RX_THERE, RX_INCOMPATIBLE, RX_KEPT,
                                    RX_MIGRATED};
    mt_jw_begin_object(w);
    for (size_t i = 0; i < RX_FATE_COUNT; i++) {
        mt_jw_key(w, RX_FATE_NAMES[ORDER[i]]);
        mt_jw_i64(w, (int64_t)m->fates[ORDER[i]]);
    }
    mt_jw_end_object(w);
}

static void infrastructure_json(mt_jw *w, const ct_diff *diff)
{
    mt_jw_begin_array(w);
    for (uint32_t e = 0; e < diff->entry_count; e++) {
        const ct_diff_entry *entry = &diff->entries[e];
        for (uint32_t f = 0; f < entry->field_count; f++) {
            for (uint32_t p = 0; p < entry->fields[f].part_count; p++) {
                const ct_taxon *t = entry->fields[f].parts[p].taxon;
                if (t->class == CT_INFRASTRUCTURE) {
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
    const rx_migration *m;
    const rx_version *old; /* NULL: the first version */
    const ct_diff *diff;   /* likewise */
    mt_str status;
    int64_t record;
} summary;

static mt_err record_deployed(rx_group *g, summary *s)
{
    const rx_version *v = s->m->next;
    mt_buf_clear(&g->body);
    mt_jw w = mt_jw_start(&g->body, false);
    mt_jw_begin_object(&w);
    rx_caller_json(&w, s->m->job);
    if (s->diff) {
        mt_jw_key_str(&w, "class", CT_CLASS_NAMES[s->diff->class]);
    }
    mt_jw_key_str(&w, "contract", v->contract);
    mt_jw_key_str(&w, "etag", v->etag);
    if (s->old) {
        mt_jw_keyz(&w, "flows");
        fates_json(&w, s->m);
        mt_jw_key_str(&w, "from", s->old->etag);
        mt_jw_key_i64(&w, "instances_left", (int64_t)rx_migration_instances_left(s->m));
        mt_jw_key_i64(&w, "instances_moved", (int64_t)s->m->moves);
    }
    mt_jw_key_str(&w, "kind", MT_STR("contract_deployed"));
    mt_jw_key_i64(&w, "number", v->number);
    policy_json(&w, s->m->policy);
    mt_jw_key_str(&w, "status", s->status);
    rx_record_time(&w, g);
    if (s->old) {
        mt_jw_key_i64(&w, "triggers_failed", (int64_t)s->m->triggers.len);
    }
    mt_jw_end_object(&w);
    /* The policy is as it was given. */
    rx_record r = {
        .kind = "contract_deployed", .contract = v->contract, .unsorted = true};
    return rx_record_add(g, &r, &s->record);
}

static mt_err tell_operator(rx_group *g, const summary *s)
{
    const rx_version *v = s->m->next;
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
    rx_record_time(&w, g);
    mt_jw_end_object(&w);
    rx_record r = {.kind = "infrastructure_changed", .contract = v->contract};
    int64_t ignored;
    rx_log(g->x, 2, "infrastructure_changed",
           "contract '%.*s' got a version with other sources or trust: %.*s",
           MT_ARG(v->contract), MT_ARG(mt_buf_str(&g->body)));
    return rx_record_add(g, &r, &ignored);
}

static void instances_json(mt_jw *w, const rx_migration *m)
{
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "items");
    rx_orphans_json(w, m);
    mt_jw_key_i64(w, "left", (int64_t)rx_migration_instances_left(m));
    mt_jw_key_i64(w, "moved", (int64_t)m->moves);
    mt_jw_end_object(w);
}

static void reply_deployed(rx_job *job, const summary *s)
{
    const rx_migration *m = s->m;
    mt_jw w = rx_reply(job, s->old ? 200 : 201);
    if (s->diff) {
        mt_jw_key_str(&w, "class", CT_CLASS_NAMES[s->diff->class]);
    }
    mt_jw_key_str(&w, "contract", m->next->contract);
    if (s->diff) {
        mt_jw_keyz(&w, "diff");
        ct_diff_json(&w, s->diff);
    }
    mt_jw_key_str(&w, "etag", m->next->etag);
    if (s->old) {
        mt_jw_keyz(&w, "fates");
        fates_json(&w, m);
        mt_jw_keyz(&w, "flows");
        rx_flights_json(&w, m);
        mt_jw_key_str(&w, "from", s->old->etag);
    }
    if (s->diff && s->diff->infrastructure) {
        mt_jw_keyz(&w, "infrastructure");
        infrastructure_json(&w, s->diff);
    }
    if (s->old) {
        mt_jw_keyz(&w, "instances");
        instances_json(&w, m);
    }
    if (job->simulation) {
        mt_jw_key_bool(&w, "simulation", true);
    } else {
        mt_jw_key_i64(&w, "number", m->next->number);
        mt_jw_key_i64(&w, "record", s->record);
    }
    mt_jw_key_str(&w, "status", s->status);
    mt_jw_key_i64(&w, "triggers_failed", (int64_t)m->triggers.len);
    rx_reply_end(&w);
}

/* ---- Deploying --------------------------------------------------------------------
 */

/* M4, M5: it is over when nothing is left; flows on an older version count only if the
 * change asked for a policy. */
static mt_str status_of(const rx_migration *m, bool breaking)
{
    return rx_migration_instances_left(m) || (breaking && rx_migration_flows_left(m))
               ? MT_STR("migrating")
               : MT_STR("complete");
}

static rx_version *list_next(rx_job *job)
{
    deployment *d = job->work;
    if (job->fresh) {
        d->next = rx_version_list(job->x, job->fresh);
        job->fresh = NULL;
    }
    return d->next;
}

static mt_err write_deployment(rx_migration *m, summary *s)
{
    rx_job *job = m->job;
    deployment *d = job->work;
    if (job->simulation) {
        return MT_OK;
    }
    m->next = list_next(job);
    mt_err err = s->old ? rx_migration_apply(m) : MT_OK;
    err = err ? err : rx_version_store(m->g, m->next, d->trust, !s->old);
    if (!err && s->old) {
        err = store_migration(m, s->old->etag, s->status);
    }
    err = err ? err : record_deployed(m->g, s);
    err = err ? err : tell_operator(m->g, s);
    m->g->deployed = err ? NULL : m->next;
    return err;
}

static void reply_unchanged(rx_job *job, const rx_version *v)
{
    mt_jw w = rx_reply(job, 200);
    mt_jw_key_str(&w, "contract", v->contract);
    mt_jw_key_str(&w, "etag", v->etag);
    mt_jw_key_i64(&w, "number", v->number);
    if (job->simulation) {
        mt_jw_key_bool(&w, "simulation", true);
    }
    mt_jw_key_str(&w, "status", MT_STR("unchanged"));
    rx_reply_end(&w);
}

/* The version that is served, under a lock. MT_E_CONFLICT: another process has deployed
 * one that this one has not taken up yet; the group is tried again. */
static mt_err lock_current(rx_group *g, mt_str contract, rx_version **out)
{
    mt_str etag;
    mt_err err = rx_version_current(g, contract, &etag);
    *out = rx_current(g->x, contract);
    if (err == MT_E_NOTFOUND) {
        return MT_OK;
    }
    return err || !*out || !mt_str_eq((*out)->etag, etag) ? (err ? err : MT_E_CONFLICT)
                                                          : MT_OK;
}

static mt_err deploy_over(rx_migration *m, rx_version *old)
{
    const mt_json *before;
    const ct_diff *diff = rx_migration_diff(m, old);
    mt_err err = load_migration(m->g->tx, m->a, m->next->contract, true, &before);
    rx_migration_removed(m, old);
    if (!err && under_way(before)) {
        take_removed(m, before);
    }
    err = err ? err : rx_migration_flights(m);
    if (err || names_unknown_flow(m, old) || rx_migration_check_map(m) ||
        lacks_policy(m, diff)) {
        return err;
    }
    err = rx_migration_plan(m);
    summary s = {.m = m,
                 .old = old,
                 .diff = diff,
                 .status = status_of(m, diff->policy_required || under_way(before))};
    err = err ? err : write_deployment(m, &s);
    if (!err) {
        reply_deployed(m->job, &s);
    }
    return err;
}

static rx_migration begin(rx_job *job, rx_group *g, rx_version *next)
{
    return (rx_migration){.job = job,
                          .g = g,
                          .a = g->arena,
                          .next = next,
                          .policy = job->request.policy,
                          .state_map = job->request.state_map};
}

mt_err rx_deploy_commit(rx_job *job, rx_group *g)
{
    const deployment *d = job->work;
    rx_version *old;
    rx_migration m = begin(job, g, d->next);
    mt_err err = lock_current(g, d->next->contract, &old);
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
static mt_err say_refusal(rx_job *job, const rx_version *v, mt_buf *why)
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

mt_err rx_deploy_at_start(rx_group *g, rx_version *v, mt_str trust, mt_buf *why)
{
    static const rt_caller START = {.token = MT_STR_INIT("start"),
                                    .name = MT_STR_INIT("start")};
    rt_call call = {.action = RT_CONTRACT_DEPLOY, .caller = &START};
    rx_job *job = rx_job_take(g->x);
    deployment *d = mt_new(&job->arena, deployment);
    *d = (deployment){v, trust};
    job->call = &call;
    job->fresh = v;
    job->work = d;
    job->request.policy = g->x->policy;
    mt_err err = rx_deploy_commit(job, g);
    if (!err && job->reply.status >= 400) {
        err = say_refusal(job, v, why);
    } else if (!err && g->deployed) {
        rx_serve(g->x, g->deployed);
    }
    g->deployed = NULL;
    rx_job_give(job);
    return err;
}

mt_err rt_policy_json(mt_buf *out, const mt_str *policies, size_t count, mt_str *bad)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    for (size_t i = 0; i < count; i++) {
        size_t equals = mt_str_find(policies[i], '=');
        bool own = equals < policies[i].len;
        mt_str word = own ? mt_str_skip(policies[i], equals + 1) : policies[i];
        mt_json tree = {
            .type = MT_JSON_STRING, .count = (uint32_t)word.len, .as.text = word.ptr};
        *bad = policies[i];
        if (rx_policy_for(&tree, (mt_str){0}) == CT_POLICY_NONE || (own && !equals)) {
            return MT_E_SYNTAX;
        }
        mt_jw_key(&w, own ? mt_str_from(policies[i].ptr, equals) : MT_STR("*"));
        mt_jw_str(&w, word);
    }
    mt_jw_end_object(&w);
    return MT_OK;
}

/* ---- The migration under way ------------------------------------------------------
 */

typedef struct left {
    mt_jw *w;
    const rx_version *v;
    uint32_t most;
    int64_t count;
} left;

static mt_err show_flow(void *state, const st_flow *row)
{
    left *l = state;
    if (mt_str_eq(row->etag, l->v->etag)) {
        return MT_OK;
    }
    if (l->count++ < l->most) {
        mt_jw_begin_object(l->w);
        mt_jw_key_str(l->w, "etag", row->etag);
        mt_jw_key_str(l->w, "flow", row->flow);
        mt_jw_key_str(l->w, "id", row->id);
        mt_jw_key_str(l->w, "status", row->status);
        mt_jw_end_object(l->w);
    }
    return MT_OK;
}

static mt_err show_instance(void *state, const st_instance *row)
{
    left *l = state;
    if (l->count++ < l->most) {
        mt_jw_begin_object(l->w);
        mt_jw_key_str(l->w, "entity", row->entity);
        mt_jw_key_str(l->w, "id", row->id);
        mt_jw_key_str(l->w, "state", row->state);
        mt_jw_end_object(l->w);
    }
    return MT_OK;
}

static mt_err show_flows(rx_job *job, st_tx *tx, mt_jw *w, uint32_t most)
{
    left l = {w, job->v, most, 0};
    st_flow_filter filter = {.contract = job->v->contract, .in_flight = true};
    mt_jw_keyz(w, "flows");
    mt_jw_begin_array(w);
    mt_err err =
        st_flow_walk(tx, &filter, (st_page){.limit = UINT32_MAX}, show_flow, &l);
    mt_jw_end_array(w);
    mt_jw_key_i64(w, "flows_left", l.count);
    return err;
}

static mt_err show_instances(rx_job *job, st_tx *tx, mt_jw *w, uint32_t most,
                             const mt_json *removed)
{
    left l = {w, job->v, most, 0};
    mt_err err = MT_OK;
    mt_jw_keyz(w, "instances");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; removed && i < removed->count; i++) {
        const mt_json_member *entity = &removed->as.members[i];
        uint32_t e = ct_model_find(job->v->model, CT_KIND_ENTITY, entity->key);
        for (uint32_t s = 0; e != CT_NONE && !err && s < entity->value.count; s++) {
            st_instance_filter f = {.scope = job->v->scopes[e],
                                    .entity = entity->key,
                                    .state = mt_json_text(&entity->value.as.items[s])};
            err = st_instance_walk(tx, &f, (st_page){.limit = UINT32_MAX},
                                   show_instance, &l);
        }
    }
    mt_jw_end_array(w);
    mt_jw_key_i64(w, "instances_left", l.count);
    return err;
}

static mt_err show_migration(rx_job *job, st_tx *tx, uint32_t most)
{
    const mt_json *doc;
    mt_err err = load_migration(tx, &job->arena, job->v->contract, false, &doc);
    if (err) {
        return err;
    }
    mt_jw w = rx_reply(job, 200);
    mt_jw_key_str(&w, "contract", job->v->contract);
    mt_jw_key_str(&w, "etag", job->v->etag);
    err = show_flows(job, tx, &w, most);
    if (doc) {
        mt_jw_key_str(&w, "from", mt_json_text(mt_json_at(doc, "from")));
    }
    err = err ? err : show_instances(job, tx, &w, most, mt_json_at(doc, "removed"));
    policy_json(&w, mt_json_at(doc, "policy"));
    if (mt_json_at(doc, "state_map")) {
        mt_jw_keyz(&w, "state_map");
        mt_jw_json(&w, mt_json_at(doc, "state_map"));
    }
    mt_jw_key_str(&w, "status",
                  doc ? mt_json_text(mt_json_at(doc, "status")) : MT_STR("none"));
    rx_reply_end(&w);
    return err;
}

bool rx_migration_get(rx_job *job)
{
    st_tx *tx;
    int64_t most;
    if (rx_find_contract(job) ||
        rx_query_i64(job, "limit", 1, RX_PAGE_MOST, RX_PAGE_USUAL, &most)) {
        return true;
    }
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (!err) {
        err = show_migration(job, tx, (uint32_t)most);
        st_rollback(tx);
    }
    return err ? rx_refuse_store(job, err) : true;
}

/* ---- Completing -------------------------------------------------------------------
 */

bool rx_migration_complete(rx_job *job)
{
    return lacks_right(job) || rx_find_contract(job) || rx_request_read(job) ||
           check_policy(job);
}

static void complete_members(mt_jw *w, const rx_migration *m)
{
    mt_jw_keyz(w, "fates");
    fates_json(w, m);
    mt_jw_keyz(w, "flows");
    rx_flights_json(w, m);
    mt_jw_keyz(w, "instances");
    instances_json(w, m);
}

static mt_err record_progress(rx_migration *m, mt_str status)
{
    mt_buf_clear(&m->g->body);
    mt_jw w = mt_jw_start(&m->g->body, false);
    mt_jw_begin_object(&w);
    rx_caller_json(&w, m->job);
    mt_jw_key_str(&w, "contract", m->next->contract);
    mt_jw_key_str(&w, "etag", m->next->etag);
    mt_jw_keyz(&w, "flows");
    fates_json(&w, m);
    mt_jw_key_i64(&w, "instances_left", (int64_t)rx_migration_instances_left(m));
    mt_jw_key_i64(&w, "instances_moved", (int64_t)m->moves);
    mt_jw_key_str(&w, "kind", MT_STR("migration"));
    policy_json(&w, m->policy);
    mt_jw_key_str(&w, "status", status);
    rx_record_time(&w, m->g);
    mt_jw_end_object(&w);
    rx_record r = {
        .kind = "migration", .contract = m->next->contract, .unsorted = true};
    int64_t ignored;
    return rx_record_add(m->g, &r, &ignored);
}

/* Does all it can. What it could not do remains under way (202), or, if it could do
 * nothing at all, is refused. */
static mt_err complete(rx_migration *m, const mt_json *doc)
{
    mt_str status = status_of(m, true);
    bool done = mt_str_is(status, "complete");
    bool useful = done || m->moves || m->fates[RX_MIGRATED] || m->fates[RX_ABORTED];
    mt_jw w;
    if (!useful) {
        w = rx_problem_open(m->job, RX_MIGRATION_INCOMPLETE,
                            mt_strf(m->a,
                                    "%zu flows run on older versions, %zu instances "
                                    "are in removed states",
                                    rx_migration_flows_left(m),
                                    rx_migration_instances_left(m)));
        complete_members(&w, m);
        rx_problem_close(&w);
        return MT_OK;
    }
    mt_err err = MT_OK;
    if (!m->job->simulation) {
        err = rx_migration_apply(m);
        err = err ? err
                  : store_migration(m, mt_json_text(mt_json_at(doc, "from")), status);
        err = err ? err : record_progress(m, status);
    }
    if (!err) {
        w = rx_reply(m->job, done ? 200 : 202);
        mt_jw_key_str(&w, "contract", m->next->contract);
        mt_jw_key_str(&w, "etag", m->next->etag);
        complete_members(&w, m);
        if (m->job->simulation) {
            mt_jw_key_bool(&w, "simulation", true);
        }
        mt_jw_key_str(&w, "status", status);
        rx_reply_end(&w);
    }
    return err;
}

mt_err rx_migration_complete_commit(rx_job *job, rx_group *g)
{
    const mt_json *doc = NULL;
    rx_version *now;
    mt_err err = lock_current(g, job->v->contract, &now);
    if (!err && rx_check_current(job)) {
        return MT_OK;
    }
    err = err ? err : load_migration(g->tx, g->arena, job->v->contract, true, &doc);
    if (!err && !under_way(doc)) {
        mt_jw w = rx_reply(job, 200);
        mt_jw_key_str(&w, "contract", job->v->contract);
        mt_jw_key_str(&w, "etag", job->v->etag);
        mt_jw_key_str(&w, "status", doc ? MT_STR("complete") : MT_STR("none"));
        rx_reply_end(&w);
        return MT_OK;
    }
    rx_migration m = begin(job, g, job->v);
    m.state_map = m.state_map ? m.state_map : mt_json_at(doc, "state_map");
    if (!err) {
        take_removed(&m, doc);
        err = rx_migration_flights(&m);
    }
    if (err || names_unknown_flow(&m, NULL) || rx_migration_check_map(&m)) {
        return err;
    }
    err = rx_migration_plan(&m);
    return err ? err : complete(&m, doc);
}

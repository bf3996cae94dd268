/* exec/kinds/deploy_under_way.c - the migration under way: what is left, and its end.
 * Room: exec.
 * Document of kind "migration", id CONTRACT, body {"from","policy","removed":{Entity:
 * [state]},"started_ms","state_map","status","to"}; status "migrating" until nothing is
 * left and it was completed, then "complete". */
#include "exec/call/request.h"
#include "exec/call/rights.h"
#include "exec/commit/effects.h"
#include "exec/kinds/deploy.h"

#define KIND_MIGRATION MT_STR("migration")

/* ---- The migration's document ---- */

/* No document is not an error: most contracts have never been migrated. With `lock` two
 * completions cannot meet. */
mt_err ex_migration_load(st_tx *tx, mt_arena *a, mt_str contract, bool lock,
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

bool ex_migration_under_way(const mt_json *migration)
{
    return mt_str_is(mt_json_text(mt_json_at(migration, "status")), "migrating");
}

/* States removed by a deployment before the last stay removed as long as its migration
 * is under way: instances may still be in them. */
void ex_migration_take_removed(ex_migration *m, const mt_json *migration)
{
    const mt_json *removed = mt_json_at(migration, "removed");
    for (uint32_t e = 0; removed && e < removed->count; e++) {
        const mt_json_member *entity = &removed->as.members[e];
        for (uint32_t s = 0; s < entity->value.count; s++) {
            ex_migration_remove(m, entity->key,
                                mt_json_text(&entity->value.as.items[s]));
        }
    }
}

/* Grouped by entity, in the model's order. */
static void removed_json(mt_jw *w, const ex_migration *m)
{
    const ct_model *model = m->next->model;
    mt_jw_keyz(w, "removed");
    mt_jw_begin_unsorted(w);
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

/* What the document has of it, the records of it have too: so that nobody can change
 * the one without the other being there (motet store check). */
void ex_migration_members(mt_jw *w, const ex_migration *m)
{
    ex_policy_members(w, m->policy);
    removed_json(w, m);
    if (m->state_map) {
        mt_jw_keyz(w, "state_map");
        mt_jw_json(w, m->state_map);
    }
}

/* One document per contract, replaced by each deployment; what an earlier one left to
 * do is taken over in `removed`. */
mt_err ex_migration_store(const ex_migration *m, mt_str from, mt_str status)
{
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_unsorted(&w);
    mt_jw_key_str(&w, "from", from);
    ex_migration_members(&w, m);
    mt_jw_key_i64(&w, "started_ms", m->g->now_ms);
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

static bool has_flow(const ex_version *v, mt_str flow)
{
    return v && ct_model_find(v->model, CT_KIND_FLOW, flow) != CT_NONE;
}

/* For policies: a name may be of a flow that only an older version has, as long as one
 * of it runs. */
static bool flow_in_flight(const ex_migration *m, mt_str flow)
{
    for (size_t i = 0; i < m->flights.len; i++) {
        if (mt_str_eq(m->flights.items[i].row.flow, flow)) {
            return true;
        }
    }
    return false;
}

/* A misspelt flow would leave the real one without its policy. */
bool ex_refused_policy_flows(ex_migration *m, const ex_version *old)
{
    const mt_json *policy = m->policy;
    for (uint32_t i = 0; mt_json_is(policy, MT_JSON_OBJECT) && i < policy->count; i++) {
        mt_str flow = policy->as.members[i].key;
        if (!mt_str_is(flow, "*") && !has_flow(old, flow) && !has_flow(m->next, flow) &&
            !flow_in_flight(m, flow)) {
            return ex_refuse(m->job, EX_INVALID_POLICY,
                             "neither version has a flow '%.*s'", MT_ARG(flow));
        }
    }
    return false;
}

/* Keys ascend, so the order is not that of the enum. */
void ex_fates_json(mt_jw *w, const ex_migration *m)
{
    /* ORDER of names */
    static const ex_fate ORDER[] = {EX_ABORTED, EX_THERE, EX_INCOMPATIBLE, EX_KEPT,
                                    EX_MIGRATED};
    mt_jw_begin_object(w);
    for (size_t i = 0; i < EX_FATE_COUNT; i++) {
        mt_jw_key(w, EX_FATE_NAMES[ORDER[i]]);
        mt_jw_i64(w, (int64_t)m->fates[ORDER[i]]);
    }
    mt_jw_end_object(w);
}

void ex_moves_json(mt_jw *w, const ex_migration *m)
{
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "items");
    ex_orphans_json(w, m);
    mt_jw_key_i64(w, "left", (int64_t)ex_migration_instances_left(m));
    mt_jw_key_i64(w, "moved", (int64_t)m->moves);
    mt_jw_end_object(w);
}

mt_str ex_migration_status(const ex_migration *m, bool breaking)
{
    return ex_migration_instances_left(m) || (breaking && ex_migration_flows_left(m))
               ? MT_STR("migrating")
               : MT_STR("complete");
}

/* A contract that the store does not know yet is being deployed for the first time.
 * MT_E_CONFLICT makes the committer try the group again, after the newer version was
 * taken up. */
mt_err ex_migration_lock(ex_group *g, mt_str contract, ex_version **out)
{
    mt_str etag;
    mt_err err = ex_version_current(g->tx, g->arena, contract, &etag);
    *out = ex_current(g->x, contract);
    if (err == MT_E_NOTFOUND) {
        return MT_OK;
    }
    return err || !*out || !mt_str_eq((*out)->etag, etag) ? (err ? err : MT_E_CONFLICT)
                                                          : MT_OK;
}

/* Everything a migration gathers lives in the group's arena and is gone with the
 * group. */
ex_migration ex_migration_begin(ex_job *job, ex_group *g, ex_version *next)
{
    return (ex_migration){.job = job,
                          .g = g,
                          .a = g->arena,
                          .next = next,
                          .policy = job->request.policy,
                          .state_map = job->request.state_map};
}

/* ---- The migration under way ---- */

typedef struct left {
    mt_jw *w;
    const ex_version *v;
    uint32_t most;
    int64_t count;
} left;

/* Counts all, shows `most`. */
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

/* All are counted, `most` are shown. */
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

/* Flows of older versions that are still under way. */
static mt_err show_flows(ex_job *job, st_tx *tx, mt_jw *w, uint32_t most)
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

/* Instances in states that the version no longer has; entities that it no longer has
 * are not asked about. */
static mt_err show_instances(ex_job *job, st_tx *tx, mt_jw *w, uint32_t most,
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

/* Also without a document: then nothing was ever migrated, and the status is "none". */
static mt_err show_migration(ex_job *job, st_tx *tx, uint32_t most)
{
    const mt_json *doc;
    mt_err err = ex_migration_load(tx, &job->arena, job->v->contract, false, &doc);
    if (err) {
        return err;
    }
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_key_str(&w, "contract", job->v->contract);
    mt_jw_key_str(&w, "etag", job->v->etag);
    err = show_flows(job, tx, &w, most);
    if (doc) {
        mt_jw_key_str(&w, "from", mt_json_text(mt_json_at(doc, "from")));
    }
    err = err ? err : show_instances(job, tx, &w, most, mt_json_at(doc, "removed"));
    ex_policy_members(&w, mt_json_at(doc, "policy"));
    if (mt_json_at(doc, "state_map")) {
        mt_jw_keyz(&w, "state_map");
        mt_jw_json(&w, mt_json_at(doc, "state_map"));
    }
    mt_jw_key_str(&w, "status",
                  doc ? mt_json_text(mt_json_at(doc, "status")) : MT_STR("none"));
    ex_reply_end(&w);
    return err;
}

/* A view of one moment; nothing is locked, so the numbers may be out of date when they
 * are read. */
bool ex_migration_get(ex_job *job)
{
    st_tx *tx;
    int64_t most;
    if (ex_refused_contract(job) || ex_refused_unless_seen(job) ||
        ex_refused_number(job, "limit", 1, EX_PAGE_MOST, EX_PAGE_USUAL, &most)) {
        return true;
    }
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (!err) {
        err = show_migration(job, tx, (uint32_t)most);
        st_rollback(tx);
    }
    return err ? ex_refuse_store(job, err) : true;
}

/* ---- Completing ---- */

bool ex_migration_complete_prepare(ex_job *job)
{
    return ex_refused_without_anywhere(job, MT_STR("deploy")) ||
           ex_refused_contract(job) ||
           ex_refused_without(job, job->v->contract, MT_STR("deploy")) ||
           ex_refused_request(job) || ex_refused_policy(job);
}

static void complete_members(mt_jw *w, const ex_migration *m)
{
    mt_jw_keyz(w, "fates");
    ex_fates_json(w, m);
    mt_jw_keyz(w, "flows");
    ex_flights_json(w, m);
    mt_jw_keyz(w, "instances");
    ex_moves_json(w, m);
}

/* Every call that moved something is a record, not only the last. */
static mt_err record_progress(ex_migration *m, mt_str status)
{
    mt_jw w = ex_record_begin(m->g);
    mt_jw_unsorted(&w); /* the record is sorted as a whole */
    ex_caller_json(&w, m->job);
    mt_jw_key_str(&w, "contract", m->next->contract);
    mt_jw_key_str(&w, "etag", m->next->etag);
    mt_jw_keyz(&w, "flows");
    ex_fates_json(&w, m);
    mt_jw_key_i64(&w, "instances_left", (int64_t)ex_migration_instances_left(m));
    mt_jw_key_i64(&w, "instances_moved", (int64_t)m->moves);
    mt_jw_key_str(&w, "kind", MT_STR("migration"));
    ex_migration_members(&w, m);
    mt_jw_key_str(&w, "status", status);
    ex_record_time(&w, m->g);
    ex_record r = {
        .kind = "migration", .contract = m->next->contract, .unsorted = true};
    int64_t ignored;
    return ex_record_end(m->g, &w, &r, &ignored);
}

/* Does all it can. What it could not do remains under way (202), or, if it could do
 * nothing at all, is refused. */
static mt_err complete(ex_migration *m, const mt_json *doc)
{
    mt_str status = ex_migration_status(m, true);
    bool done = mt_str_is(status, "complete");
    bool useful = done || m->moves || m->fates[EX_MIGRATED] || m->fates[EX_ABORTED];
    mt_jw w;
    if (!useful) {
        w = ex_problem_open(m->job, EX_MIGRATION_INCOMPLETE,
                            mt_strf(m->a,
                                    "%zu flows run on older versions, %zu instances "
                                    "are in removed states",
                                    ex_migration_flows_left(m),
                                    ex_migration_instances_left(m)));
        complete_members(&w, m);
        ex_problem_close(&w);
        return MT_OK;
    }
    mt_err err = MT_OK;
    if (!m->job->simulation) {
        err = ex_migration_apply(m);
        err =
            err ? err
                : ex_migration_store(m, mt_json_text(mt_json_at(doc, "from")), status);
        err = err ? err : record_progress(m, status);
    }
    if (!err) {
        w = ex_reply_with(m->job, done ? 200 : 202);
        mt_jw_key_str(&w, "contract", m->next->contract);
        mt_jw_key_str(&w, "etag", m->next->etag);
        complete_members(&w, m);
        if (m->job->simulation) {
            mt_jw_key_bool(&w, "simulation", true);
        }
        mt_jw_key_str(&w, "status", status);
        ex_reply_end(&w);
    }
    return err;
}

/* Nothing under way is a success: completing twice changes nothing. The state map of
 * the request wins over the one the deployment gave, since it may name what was left
 * out then. What is still bound stays, and the answer lists it. */
mt_err ex_migration_complete_commit(ex_job *job, ex_group *g)
{
    const mt_json *doc = NULL;
    ex_version *now;
    mt_err err = ex_migration_lock(g, job->v->contract, &now);
    if (!err && ex_refused_unless_current(job)) {
        return MT_OK;
    }
    err = err ? err : ex_migration_load(g->tx, g->arena, job->v->contract, true, &doc);
    if (!err && !ex_migration_under_way(doc)) {
        mt_jw w = ex_reply_with(job, 200);
        mt_jw_key_str(&w, "contract", job->v->contract);
        mt_jw_key_str(&w, "etag", job->v->etag);
        mt_jw_key_str(&w, "status", doc ? MT_STR("complete") : MT_STR("none"));
        ex_reply_end(&w);
        return MT_OK;
    }
    ex_migration m = ex_migration_begin(job, g, job->v);
    m.state_map = m.state_map ? m.state_map : mt_json_at(doc, "state_map");
    if (!err) {
        ex_migration_take_removed(&m, doc);
        err = ex_migration_flights(&m);
    }
    if (err || ex_refused_policy_flows(&m, NULL) || ex_refused_state_map(&m)) {
        return err;
    }
    err = ex_migration_plan(&m);
    return err ? err : complete(&m, doc);
}

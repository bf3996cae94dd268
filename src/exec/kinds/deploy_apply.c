/* exec/kinds/deploy_apply.c - what was decided on flows, instances and triggers,
 * written and told. Room: exec. In this order: flows end or go on under the new
 * version, instances move to the states they were given, triggers whose flow is gone
 * fail; each with its record. INVARIANT: everything was locked and decided before
 * (deploy_fates.c), so nothing here is refused. May fail: the store. */
#include "exec/commit/effects.h"
#include "exec/commit/outbox.h"
#include "exec/kinds/deploy.h"

/* ---- Writing ---- */

/* §18.4, policy abort. What the flow had done stays done: an abort compensates nothing.
 * The first construct that it would have reached is named as the reason. */
static mt_err abort_flow(ex_migration *m, ex_flight *f)
{
    const an_touch *touch = &f->touches.items[0];
    int64_t record;
    st_flow row = f->row;
    row.status = MT_STR("aborted");
    row.outcome = MT_STR("migration_aborted");
    row.waiting_step = row.waiting_persona = MT_STR("");
    row.updated_ms = m->g->now_ms;
    row.version++;
    mt_err err = st_flow_put(m->g->tx, &row);
    ex_flow_end end = {
        .row = &row,
        .v = f->v,
        .error = mt_strf(m->a,
                         "a new version of the contract changes %.*s '%.*s', "
                         "which the flow would have reached",
                         MT_ARG(touch->entry->kind), MT_ARG(touch->entry->id))};
    return err ? err : ex_flow_ended(m->job, m->g, &end, &record);
}

/* §18.4, policy force-migrate. Position, step and persona were translated when the fate
 * was decided; facts and verdicts stay those it was frozen with (§18.6.5). The record
 * names the version before, so an auditor sees where the rules changed, and what the
 * flow waits for now. */
static mt_err migrate_flow(ex_migration *m, ex_flight *f)
{
    st_flow row = f->row;
    row.etag = m->next->etag;
    row.position = f->position;
    row.extra = f->extra;
    row.waiting_step = f->step;
    row.waiting_persona = f->persona;
    row.updated_ms = m->g->now_ms;
    row.version++;
    mt_err err = st_flow_put(m->g->tx, &row);
    mt_jw w = ex_record_begin(m->g);
    mt_jw_keyz(&w, "bindings");
    mt_jw_raw(&w, row.bindings);
    ex_caller_json(&w, m->job);
    mt_jw_key_str(&w, "contract", m->next->contract);
    mt_jw_key_str(&w, "etag", m->next->etag);
    mt_jw_key_str(&w, "execution", row.id);
    mt_jw_key_str(&w, "flow", row.flow);
    mt_jw_key_str(&w, "from", f->row.etag);
    mt_jw_key_str(&w, "kind", MT_STR("flow_migrated"));
    if (row.waiting_step.len) {
        mt_jw_key_str(&w, "persona", row.waiting_persona);
        mt_jw_key_str(&w, "step", row.waiting_step);
    }
    ex_record_time(&w, m->g);
    ex_record r = {.kind = "flow_migrated",
                   .contract = m->next->contract,
                   .flow = row.id,
                   .unsorted = true};
    ex_bound_subjects(m->g, row.bindings, &r);
    int64_t ignored;
    return err ? err : ex_record_end(m->g, &w, &r, &ignored);
}

/* The row was claimed and locked by ex_migration_plan(). Flow and operation that last
 * moved it stay as they were: a migration is neither. */
static mt_err move_orphan(ex_migration *m, const ex_orphan *o)
{
    ex_row *r = ex_row_of(m->g, o->row.scope, o->row.entity, o->row.id);
    ex_move(m->g, r, o->to, r->row.last_flow, r->row.last_operation);
    mt_jw w = ex_record_begin(m->g);
    ex_caller_json(&w, m->job);
    mt_jw_key_str(&w, "contract", m->next->contract);
    mt_jw_key_str(&w, "entity", o->row.entity);
    mt_jw_key_str(&w, "etag", m->next->etag);
    mt_jw_key_str(&w, "instance", o->row.id);
    mt_jw_key_str(&w, "kind", MT_STR("instance_migrated"));
    mt_jw_key_str(&w, "state_after", o->to);
    mt_jw_key_str(&w, "state_before", o->row.state);
    ex_record_time(&w, m->g);
    ex_record rec = {.kind = "instance_migrated",
                     .contract = m->next->contract,
                     .subject = ex_subject(m->a, o->row.entity, o->row.id)};
    int64_t ignored;
    return ex_record_end(m->g, &w, &rec, &ignored);
}

/* Locked again, since the outbox may have started it since it was listed; one that is
 * not pending any more is left alone. A body that cannot be read is the outbox's to
 * report. */
static mt_err fail_trigger(ex_migration *m, mt_str id)
{
    st_trigger row;
    mt_json body;
    mt_err err = st_trigger_lock(m->g->tx, m->a, id, &row);
    if (err || !mt_str_is(row.status, "pending") ||
        mt_json_read(m->a, row.body, NULL, &body, NULL)) {
        return err;
    }
    return ex_trigger_fail(
        m->g, &row, &body,
        MT_STR("unknown_flow: the target contract's new version has no such flow"));
}

/* Kept and incompatible flows are not written at all. Orphans that a flow holds are
 * left for the end of that flow. */
mt_err ex_migration_apply(ex_migration *m)
{
    mt_err err = MT_OK;
    for (size_t i = 0; i < m->flights.len && !err; i++) {
        ex_flight *f = &m->flights.items[i];
        err = f->fate == EX_ABORTED    ? abort_flow(m, f)
              : f->fate == EX_MIGRATED ? migrate_flow(m, f)
                                       : MT_OK;
    }
    for (size_t i = 0; i < m->orphans.len && !err; i++) {
        const ex_orphan *o = &m->orphans.items[i];
        err = o->to.len && !o->flow.len ? move_orphan(m, o) : MT_OK;
    }
    for (size_t i = 0; i < m->triggers.len && !err; i++) {
        err = fail_trigger(m, m->triggers.items[i].id);
    }
    return err;
}

/* ---- Words ---- */

static void touches_json(mt_jw *w, const an_touches *touches)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < touches->len; i++) {
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "id", touches->items[i].entry->id);
        mt_jw_key_str(w, "kind", touches->items[i].entry->kind);
        mt_jw_key_str(w, "step", touches->items[i].step);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

/* EX_FATE_NAMES and the policies are words of the API. Without a policy a flow stays as
 * under blue-green, and that is what is said. */
void ex_flights_json(mt_jw *w, const ex_migration *m)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < m->flights.len; i++) {
        const ex_flight *f = &m->flights.items[i];
        mt_jw_begin_object(w);
        if (f->fate == EX_ABORTED) {
            mt_jw_keyz(w, "changes");
            touches_json(w, &f->touches);
        }
        if (f->judged) {
            mt_jw_keyz(w, "compatibility");
            an_compatibility_json(w, &f->compat);
        }
        mt_jw_key_str(w, "etag", f->fate == EX_MIGRATED ? m->next->etag : f->row.etag);
        mt_jw_key_str(w, "fate", EX_FATE_NAMES[f->fate]);
        mt_jw_key_str(w, "flow", f->row.flow);
        mt_jw_key_str(w, "id", f->row.id);
        mt_jw_key_str(w, "policy",
                      AN_POLICY_NAMES[f->policy ? f->policy : AN_BLUE_GREEN]);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

/* `moved` says what was done, `to` what was asked for; they differ where a flow holds
 * the instance. */
void ex_orphans_json(mt_jw *w, const ex_migration *m)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < m->orphans.len; i++) {
        const ex_orphan *o = &m->orphans.items[i];
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "entity", o->row.entity);
        if (o->flow.len) {
            mt_jw_key_str(w, "flow", o->flow);
        }
        mt_jw_key_str(w, "id", o->row.id);
        mt_jw_key_bool(w, "moved", o->to.len && !o->flow.len);
        mt_jw_key_str(w, "state", o->row.state);
        if (o->to.len) {
            mt_jw_key_str(w, "to", o->to);
        }
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

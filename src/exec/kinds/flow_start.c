/* exec/kinds/flow_start.c - a flow begins.
 * Room: exec. Prepared like an operation: rights, facts, one evaluation, which is then
 * frozen in the flow's row. The committer takes its first turn, and further ones in
 * later groups (flow_turn.c). */
#include "exec/call/facts.h"
#include "exec/call/request.h"
#include "exec/call/rights.h"
#include "exec/call/states.h"
#include "exec/commit/effects.h"
#include "exec/commit/tool_call.h"
#include "exec/kinds/flow.h"
#include "exec/machine.h"

static bool refused_flow(ex_job *job)
{
    job->what = ct_model_find(job->v->model, CT_KIND_FLOW, job->call->name);
    return job->what == CT_NONE &&
           ex_refuse(job, EX_UNKNOWN_FLOW, "the contract has no flow '%.*s'",
                     MT_ARG(job->call->name));
}

/* Every entity that any way through the flow may change, before the first step: later
 * would be half a flow. */
static bool refused_unless_bound(ex_job *job)
{
    const ct_plan *p = job->v->plan;
    for (uint32_t e = 0; e < p->model->entity_count; e++) {
        if (ct_bit(p->graphs[job->what].entities, e) && !job->snap->instances[e].ptr) {
            return ex_refuse(job, EX_MISSING_BINDING,
                             "flow '%.*s' can change entity '%.*s', which `bindings` "
                             "binds to no instance",
                             MT_ARG(p->graphs[job->what].id),
                             MT_ARG(ct_entity_id(p, e)));
        }
    }
    return false;
}

/* Bound instances must exist when the flow begins. */
static bool refused_unless_exist(ex_job *job)
{
    const ct_model *m = job->v->model;
    for (uint32_t e = 0; e < m->entity_count; e++) {
        if (job->snap->instances[e].ptr && job->snap->states[e] == CT_NONE) {
            if (ex_refused_removed(job, e)) {
                return true;
            }
            mt_jw w = ex_problem_open(
                job, EX_UNKNOWN_INSTANCE,
                mt_strf(&job->arena, "entity '%.*s' has no instance '%.*s'",
                        MT_ARG(m->entities[e].id), MT_ARG(job->snap->instances[e])));
            mt_jw_key_str(&w, "entity", m->entities[e].id);
            mt_jw_key_str(&w, "instance", job->snap->instances[e]);
            return ex_problem_close(&w);
        }
    }
    return false;
}

bool ex_refused_start(ex_job *job)
{
    return refused_unless_exist(job) || ex_refused_unless_versions(job) ||
           ex_refused_outcome_names(job);
}

/* Before a guarded call: others than who asks do not act then. */
static bool refused_guarded(ex_job *job)
{
    const ex_guarded *c = job->call->guarded;
    mt_err err = c ? ex_flow_entry_refused(job, NULL, c->outcome_later) : MT_OK;
    return err ? ex_refuse_store(job, err) : job->answered;
}

/* States are read without locks: what a dry run says holds for the moment it was asked
 * (§19.6). */
static bool dry_run(ex_job *job)
{
    mt_err err = ex_states_read(job);
    atomic_fetch_add_explicit(&job->x->metrics.dry_runs, 1, memory_order_relaxed);
    if (err) {
        return ex_refuse_store(job, err);
    }
    ex_states_assume(job);
    return ex_refused_start(job) || refused_guarded(job) || ex_flow_start_dry_run(job);
}

/* §15.2. Everything that can be refused without a state is refused here, on the
 * caller's thread. The snapshot becomes text for the row now, so the committer only
 * writes bytes. The id is made here, once, so a repeated group gives the same one. */
bool ex_flow_start_prepare(ex_job *job)
{
    if (ex_refused_contract(job) || ex_refused_request(job) || refused_flow(job) ||
        ex_refused_unless_held(job)) {
        return true;
    }
    if (job->persona == CT_NONE) {
        return ex_refuse(job, EX_UNKNOWN_PERSONA, "the contract has no persona '%.*s'",
                         MT_ARG(job->request.persona));
    }
    job->snap = ex_snap_take(job->v);
    if (ex_refused_bindings(job) || refused_unless_bound(job) ||
        ex_refused_facts(job)) {
        return true;
    }
    if (job->simulation) {
        return dry_run(job);
    }
    mt_buf facts = {0};
    ex_facts_json(&facts, job->v, job->snap);
    job->facts_json = mt_str_dup(&job->arena, mt_buf_str(&facts));
    mt_buf_free(&facts);
    job->flow_id = ex_new_id(&job->arena, "f");
    job->flow_is_new = true;
    return false;
}

/* Instances are locked by what the flow is bound to; for a flow under way the row may
 * have been migrated to a version that binds others. */
void ex_flow_start_claim(ex_job *job, ex_group *g)
{
    const ex_flow_row *f = job->flow_is_new ? NULL : ex_flow_of(g, job->flow_id);
    if (f && f->found && !mt_str_eq(f->row.etag, job->v->etag)) {
        ex_flow_claim(job, g, &f->row); /* a migration moved it between two turns */
    } else {
        ex_claim_bound(job, g);
    }
}

/* Also later turns come here: flow_is_new says which. That the version is still current
 * is asked only for the first: a flow under way stays on its own (§18.4). */
mt_err ex_flow_start_commit(ex_job *job, ex_group *g)
{
    if (!job->flow_is_new) {
        return ex_flow_continue(job, g);
    }
    ex_group_states(job, g);
    if (ex_refused_unless_current(job) || ex_refused_start(job)) {
        return MT_OK;
    }
    int64_t started;
    mt_err err = ex_held_refused(job, g, CT_NONE);
    return err || job->answered ? err : ex_flow_first_turn(job, g, &started);
}

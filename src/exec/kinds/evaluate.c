/* exec/kinds/evaluate.c - verdicts, and what a persona can do now (§15.6).
 * Room: exec.
 * Both only read: facts are gathered and evaluated as for an operation; where some are
 * unknown the answer says what is left to decide. For actions the EntityStateMap is
 * complete (E17); `flows` narrows the flows that are reported. May fail: as any
 * request, the store.
 */
#include "exec/kinds/evaluate.h"

#include "contract/flow/action_space.h"
#include "contract/flow/partly_actions.h"
#include "exec/call/facts.h"
#include "exec/call/request.h"
#include "exec/call/rights.h"
#include "exec/call/states.h"

/* Reads no instance: verdicts depend on facts alone (§7.4). Bindings matter only
 * because sources may ask for an instance by them. */
static bool evaluate(ex_job *job, bool partial)
{
    if (ex_refused_contract(job) ||
        ex_refused_without(job, job->v->contract, MT_STR("evaluate")) ||
        ex_refused_request(job)) {
        return true;
    }
    job->request.partial |= partial;
    job->snap = ex_snap_take(job->v);
    if (ex_refused_bindings(job) || ex_refused_facts(job)) {
        return true;
    }
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_key_str(&w, "contract", job->v->contract);
    mt_jw_key_str(&w, "etag", job->v->etag);
    ex_hidden_json(&w, job);
    if (job->unknown) {
        ct_partly_members(&w, job->snap->partial);
    } else {
        mt_jw_keyz(&w, "verdicts");
        mt_jw_raw(&w, MT_STR(""));
        ct_verdicts_json_array(&job->reply.body, job->snap->verdicts);
    }
    ex_reply_end(&w);
    return true;
}

bool ex_evaluate(ex_job *job)
{
    return evaluate(job, false);
}

bool ex_partial(ex_job *job)
{
    return evaluate(job, true);
}

/* ---- Actions ---- */

/* Without `flows` all are wanted; unknown names select nothing. */
static bool wanted(const ex_job *job, uint32_t flow)
{
    const mt_json *flows = job->request.flows;
    mt_str id = job->v->plan->graphs[flow].id;
    if (!mt_json_is(flows, MT_JSON_ARRAY)) {
        return true;
    }
    for (uint32_t i = 0; i < flows->count; i++) {
        if (mt_str_eq(mt_json_text(&flows->as.items[i]), id)) {
            return true;
        }
    }
    return false;
}

/* Filtered after the space was computed, since flows do not influence each other's
 * entry. */
static void narrow(const ex_job *job, ct_action_space *space)
{
    size_t kept = 0;
    for (size_t i = 0; i < space->actions.len; i++) {
        if (wanted(job, space->actions.items[i].flow)) {
            space->actions.items[kept++] = space->actions.items[i];
        }
    }
    space->actions.len = kept;
    kept = 0;
    for (size_t i = 0; i < space->blocked.len; i++) {
        if (wanted(job, space->blocked.items[i].flow)) {
            space->blocked.items[kept++] = space->blocked.items[i];
        }
    }
    space->blocked.len = kept;
}

/* Flows that are open, blocked, or open on a condition. */
static bool reply_partly(ex_job *job, const ct_states *states)
{
    ct_partly_space space;
    uint32_t kept = 0;
    ct_partial *x = job->snap->partial;
    ct_partly_actions(&job->arena, x, job->v->plan, states, job->request.persona,
                      &space);
    for (uint32_t i = 0; i < space.count; i++) {
        if (wanted(job, space.flows[i].flow)) {
            space.flows[kept++] = space.flows[i];
        }
    }
    space.count = kept;
    (void)ex_reply_body(job, 200);
    ct_partly_actions_json(&job->reply.body, x, job->v->plan, &space);
    return true;
}

/* The persona has to be held by the caller: what somebody else could do is not told.
 * Nothing is locked, so an action that is open here may be refused a moment later. */
bool ex_actions(ex_job *job)
{
    if (ex_refused_contract(job) || ex_refused_request(job) ||
        ex_refused_unless_held(job) || ex_refused_unless_seen(job)) {
        return true;
    }
    job->snap = ex_snap_take(job->v);
    if (ex_refused_bindings(job) || ex_refused_facts(job)) {
        return true;
    }
    ct_states states;
    if (ex_refused_all_states(job, &states)) {
        return true;
    }
    if (job->unknown) {
        return reply_partly(job, &states);
    }
    ct_frozen z = ex_frozen(job);
    ct_action_space space = {0};
    ct_actions(&job->arena, &z, &states, job->request.persona, &space);
    narrow(job, &space);
    (void)ex_reply_body(job, 200);
    ct_actions_json(&job->reply.body, &z, &space);
    return true;
}

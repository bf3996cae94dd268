/* exec/kinds/agent.c - a message for an agent that is served.
 * Room: exec.
 * Prepared like any call (the agent, the right to speak to it), it then waits for the
 * agent's own thread, which runs the cycle (agents.c). Here what came of it is
 * committed: state, messages and record together. Another node may have been faster:
 * then the cycle runs again, on the newer state. May fail: the store. */
#include "exec/kinds/agent.h"

#include "exec/call/list.h"
#include "exec/call/rights.h"
#include "exec/commit/ledger.h"
#include "exec/voices.h"

/* ---- Calls ---- */

/* Agents are few and named when the server starts; the list never changes while it
 * runs, so it is read without a lock. */
static bool refused_agent(ex_job *job, ex_agent **out)
{
    for (size_t i = 0; i < job->x->agents.len; i++) {
        *out = job->x->agents.items[i];
        if (mt_str_eq(ho_agent_service_name((*out)->service), job->call->name)) {
            return false;
        }
    }
    return ex_refuse(job, EX_NOT_FOUND, "no agent '%.*s' is served",
                     MT_ARG(job->call->name));
}

static bool refused_without_right(ex_job *job)
{
    return ex_refused_without(
        job, (mt_str){0}, mt_strf(&job->arena, "agents:%.*s", MT_ARG(job->call->name)));
}

/* A line is what travels to the agent, so a line end inside would be two messages.
 * Whether it is JSON at all is for the cycle to find, as with lines of a relay. */
bool ex_agent_message_prepare(ex_job *job)
{
    ex_agent *a = NULL;
    if (refused_agent(job, &a) || refused_without_right(job)) {
        return true;
    }
    for (size_t i = 0; i < job->call->body.len; i++) {
        if (job->call->body.ptr[i] == '\n') {
            return ex_refuse(job, EX_BAD_REQUEST, "a message is one line of JSON");
        }
    }
    job->work = a;
    return false;
}

void ex_agent_message_queue(ex_job *job)
{
    ex_agent_enqueue(job->work, job);
}

static void cycle_json(mt_jw *w, const ex_agent *a)
{
    mt_jw_key_str(w, "agent", ho_agent_service_name(a->service));
}

/* The record has the whole trace of the cycle, so an auditor sees what was decided and
 * from which tape. Keys of the trace are the agent room's and not sorted here. */
static mt_err record_cycle(ex_job *job, ex_group *g, const ex_agent *a, int64_t *id)
{
    mt_jw w = ex_record_begin(g);
    cycle_json(&w, a);
    ex_caller_json(&w, job);
    mt_jw_keyz(&w, "cycle");
    mt_jw_raw(&w, a->done.trace);
    mt_jw_key_str(&w, "kind", MT_STR("agent_cycle"));
    mt_jw_key_i64(&w, "message", a->done.number);
    ex_record_time(&w, g);
    ex_record r = {.kind = "agent_cycle",
                   .subject = ho_agent_service_name(a->service),
                   .unsorted = true};
    return ex_record_end(g, &w, &r, id);
}

/* Each line is JSON already, written by the cycle; they are shown, not sent: sending
 * follows the commit. */
static void sent_json(mt_jw *w, mt_str lines)
{
    mt_jw_keyz(w, "sent");
    mt_jw_begin_array(w);
    while (lines.len) {
        mt_str line = mt_str_from(lines.ptr, mt_str_find(lines, '\n'));
        mt_jw_raw(w, line);
        lines = mt_str_skip(lines, line.len + 1);
    }
    mt_jw_end_array(w);
}

/* The cycle has run on the agent's own thread, on a state that another node may have
 * replaced since. The conflict is not an error of the group: only this job is refused,
 * and the thread runs the cycle anew. */
mt_err ex_agent_message_commit(ex_job *job, ex_group *g)
{
    ex_agent *a = job->work;
    int64_t record;
    mt_err err = ho_agent_service_keep(a->service, g->tx, g->now_ms, &a->done);
    if (err == MT_E_CONFLICT) {
        a->overtaken = true;
        ex_refuse(job, EX_CONFLICT, "another node was faster");
        return MT_OK;
    }
    err = err ? err : record_cycle(job, g, a, &record);
    if (err) {
        return err;
    }
    mt_jw w = ex_reply_with(job, 200);
    cycle_json(&w, a);
    mt_jw_keyz(&w, "cycle");
    mt_jw_raw(&w, a->done.trace);
    mt_jw_key_i64(&w, "message", a->done.number);
    ex_reply_record(&w, job, record);
    sent_json(&w, a->done.sent);
    ex_reply_end(&w);
    return MT_OK;
}

/* Who may use an agent sees it. */
bool ex_agent_list(ex_job *job)
{
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_keyz(&w, "items");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < job->x->agents.len; i++) {
        mt_str name = ho_agent_service_name(job->x->agents.items[i]->service);
        if (ex_may_use(job, "agents:", name)) {
            mt_jw_begin_object(&w);
            mt_jw_key_str(&w, "id", name);
            mt_jw_end_object(&w);
        }
    }
    mt_jw_end_array(&w);
    ex_reply_end(&w);
    return true;
}

/* Read from the store and not from the running agent, so that only what is durable
 * is shown. A reply that is half written when the store fails is replaced by the
 * refusal. */
bool ex_agent_tape(ex_job *job)
{
    ex_agent *a = NULL;
    st_tx *tx;
    if (refused_agent(job, &a) || refused_without_right(job)) {
        return true;
    }
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (!err) {
        mt_jw w = ex_reply_with(job, 200);
        cycle_json(&w, a);
        mt_jw_keyz(&w, "state");
        err = ho_agent_service_tape(a->service, tx, &w);
        ex_reply_end(&w);
        st_rollback(tx);
    }
    return err ? ex_refuse_store(job, err) : true;
}

/* The row's id is the key of the next page. */
static mt_err list_message(void *state, const st_doc *row)
{
    ex_list *l = state;
    if (!ex_list_take(l)) {
        return MT_OK;
    }
    l->last = mt_str_dup(&l->job->arena, row->id);
    mt_jw_raw(&l->w, row->body);
    return MT_OK;
}

/* Messages in the order in which they were taken. */
bool ex_agent_log(ex_job *job)
{
    ex_agent *a = NULL;
    ex_list l;
    if (refused_agent(job, &a) || refused_without_right(job) ||
        ex_refused_list(&l, job)) {
        return true;
    }
    return ex_list_close(
        &l, ho_agent_service_log(a->service, l.tx, l.page, list_message, &l));
}

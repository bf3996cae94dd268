/* runtime/exec_call.c - from a call to its answer.
 * Room: runtime. To serve another action, fill in its row. */
#include <stdlib.h>

#include "runtime/exec.h"

/* ORDER rt_action; a row without prepare() is not served. */
/* clang-format off */
const rx_handler RX_HANDLERS[RT_ACTION_COUNT] = {
    [RT_CONTRACT_LIST]     = {.prepare = rx_contract_list},
    [RT_CONTRACT_GET]      = {.prepare = rx_contract_get},
    [RT_CONTRACT_VERSIONS] = {.prepare = rx_contract_versions},
    [RT_CONTRACT_DEPLOY]   = {.prepare = rx_deploy, .commit = rx_deploy_commit, .alone = true, .slow = true},
    [RT_MIGRATION_GET]     = {.prepare = rx_migration_get},
    [RT_MIGRATION_COMPLETE] = {.prepare = rx_migration_complete,
                              .commit = rx_migration_complete_commit, .alone = true},
    [RT_EVALUATE]          = {.prepare = rx_evaluate},
    [RT_ACTIONS]           = {.prepare = rx_actions},
    [RT_FACT_LIST]         = {.prepare = rx_fact_list},
    [RT_FACT_ASSERT]       = {.prepare = rx_fact_assert, .commit = rx_fact_assert_commit},
    [RT_FACT_RETRACT]      = {.prepare = rx_fact_retract, .commit = rx_fact_retract_commit},
    [RT_OPERATION]         = {.prepare = rx_operation, .claim = rx_claim_bound, .commit = rx_operation_commit, .overlaps = true},
    [RT_FLOW_START]        = {.prepare = rx_flow_start, .claim = rx_flow_start_claim, .commit = rx_flow_start_commit, .overlaps = true},
    [RT_FLOW_LIST]         = {.prepare = rx_flow_list},
    [RT_FLOW_GET]          = {.prepare = rx_flow_get},
    [RT_FLOW_RESUME]       = {.prepare = rx_flow_resume, .claim = rx_flow_resume_claim, .commit = rx_flow_resume_commit, .overlaps = true},
    [RT_FLOW_CANCEL]       = {.prepare = rx_flow_cancel, .commit = rx_flow_cancel_commit, .overlaps = true},
    [RT_INSTANCE_CREATE]   = {.prepare = rx_instance_create, .claim = rx_instance_claim, .commit = rx_instance_create_commit, .overlaps = true},
    [RT_INSTANCE_LIST]     = {.prepare = rx_instance_list},
    [RT_INSTANCE_GET]      = {.prepare = rx_instance_get},
    [RT_INSTANCE_HISTORY]  = {.prepare = rx_instance_history},
    [RT_INSTANCE_DELETE]   = {.prepare = rx_instance_delete, .claim = rx_instance_claim, .commit = rx_instance_delete_commit, .overlaps = true},
    [RT_LEDGER_LIST]       = {.prepare = rx_ledger_list},
    [RT_LEDGER_GET]        = {.prepare = rx_ledger_get},
    [RT_LEDGER_PROOF]      = {.prepare = rx_ledger_proof},
    [RT_LEDGER_CHECKPOINT] = {.prepare = rx_ledger_checkpoint},
    [RT_LEDGER_CONSISTENCY] = {.prepare = rx_ledger_consistency},
    [RT_SYSTEM_LIST]       = {.prepare = rx_system_list},
    [RT_SYSTEM_GET]        = {.prepare = rx_system_get},
    [RT_TRIGGER_LIST]      = {.prepare = rx_trigger_list},
    [RT_GRAPH_LIST]        = {.prepare = rx_graph_list},
    [RT_GRAPH_EVENT]       = {.prepare = rx_graph_event, .commit = rx_graph_event_commit},
    [RT_GRAPH_CONTEXT]     = {.prepare = rx_graph_context},
    [RT_CAPTURE_LIST]      = {.prepare = rx_capture_list},
    [RT_CAPTURE_GET]       = {.prepare = rx_capture_get},
    [RT_AGENT_LIST]        = {.prepare = rx_agent_list},
    [RT_AGENT_MESSAGE]     = {.prepare = rx_agent_message, .commit = rx_agent_message_commit,
                              .queue = rx_agent_message_queue},
    [RT_AGENT_TAPE]        = {.prepare = rx_agent_tape},
    [RT_AGENT_LOG]         = {.prepare = rx_agent_log},
};
/* clang-format on */

/* ---- Jobs -------------------------------------------------------------------------
 */

enum { FREE_JOBS_MOST = 512, JOB_KEEP_MOST = 1 << 20 };

rx_job *rx_job_take(rt_executor *x)
{
    pthread_mutex_lock(&x->jobs_lock);
    rx_job *job = x->free_jobs;
    if (job) {
        x->free_jobs = job->next;
        x->free_count--;
    }
    pthread_mutex_unlock(&x->jobs_lock);
    if (!job) {
        job = mt_xmalloc(sizeof *job);
        *job = (rx_job){.x = x};
    }
    return job;
}

static void job_free(rx_job *job)
{
    mt_arena_free(&job->arena);
    mt_buf_free(&job->reply.body);
    free(job);
}

void rx_job_drop_snap(rx_job *job)
{
    if (job->snap) {
        rx_snap_give(job->v, job->snap);
    }
    if (job->frozen_snap) {
        rx_snap_give(job->frozen_v, job->frozen_snap);
    }
    job->snap = job->frozen_snap = NULL;
    job->frozen_v = NULL;
}

/* Nothing but the memory it has. */
static void job_clear(rx_job *job)
{
    rx_job_drop_snap(job);
    if (job->fresh) {
        rx_version_free(job->fresh);
    }
    mt_arena arena = job->arena;
    mt_buf body = job->reply.body;
    mt_arena_reset(&arena);
    mt_buf_clear(&body);
    *job = (rx_job){.x = job->x, .arena = arena, .reply.body = body};
}

void rx_job_give(rx_job *job)
{
    rt_executor *x = job->x;
    job_clear(job);
    pthread_mutex_lock(&x->jobs_lock);
    bool keep = x->free_count < FREE_JOBS_MOST &&
                job->arena.reserved <= JOB_KEEP_MOST &&
                job->reply.body.cap <= JOB_KEEP_MOST;
    if (keep) {
        job->next = x->free_jobs;
        x->free_jobs = job;
        x->free_count++;
    }
    pthread_mutex_unlock(&x->jobs_lock);
    if (!keep) {
        job_free(job);
    }
}

void rx_jobs_free(rt_executor *x)
{
    while (x->free_jobs) {
        rx_job *job = x->free_jobs;
        x->free_jobs = job->next;
        job_free(job);
    }
}

mt_jw rx_reply(rx_job *job, int status)
{
    mt_buf_clear(&job->reply.body);
    job->reply.status = status;
    job->reply.problem = false;
    job->answered = job->kept = true;
    mt_jw w = mt_jw_start(&job->reply.body, false);
    mt_jw_begin_object(&w);
    return w;
}

void rx_reply_end(mt_jw *w)
{
    mt_jw_end_object(w);
}

static void locate(rx_job *job, mt_str path)
{
    rt_reply *r = &job->reply;
    if (path.len < sizeof r->location_room) {
        memcpy(r->location_room, path.ptr, path.len + 1);
        r->location = mt_str_from(r->location_room, path.len);
    }
}

void rx_locate_flow(rx_job *job, mt_str id)
{
    if (job->call->action == RT_FLOW_START) {
        locate(job, mt_strf(&job->arena, "/v1/flows/%.*s", MT_ARG(id)));
    }
}

void rx_locate_instance(rx_job *job, mt_str contract, mt_str entity, mt_str id)
{
    for (size_t i = 0; i < id.len; i++) {
        char c = id.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
        if (!plain) {
            return;
        }
    }
    locate(job, mt_strf(&job->arena, "/v1/contracts/%.*s/instances/%.*s/%.*s",
                        MT_ARG(contract), MT_ARG(entity), MT_ARG(id)));
}

void rx_answer(rx_job *job)
{
    rx_metrics *m = &job->x->metrics;
    unsigned class = (unsigned)job->reply.status / 100;
    atomic_fetch_add_explicit(&m->answers[class < 6 ? class : 0], 1,
                              memory_order_relaxed);
    if (job->reply.replayed) {
        atomic_fetch_add_explicit(&m->replayed, 1, memory_order_relaxed);
    }
    job->done(job->state, &job->reply);
    rx_job_give(job);
}

/* ---- Calls ------------------------------------------------------------------------
 */

/* ORDER rt_action. */
static const bool WRITES[] = {
#define RX_WRITES(name, writes) writes,
    RT_ACTION_MAP(RX_WRITES)
#undef RX_WRITES
};

static bool prepare(rx_job *job, const rx_handler *h)
{
    if (!h->prepare) {
        return rx_refuse(job, RX_NOT_IMPLEMENTED, "this action is not served here");
    }
    if (!job->call->idempotency_key.len || !WRITES[job->call->action]) {
        return h->prepare(job);
    }
    if (rx_answer_key(job)) {
        return true;
    }
    return h->prepare(job) &&
           (job->elsewhere || (!rx_answer_defer(job) && rx_answer_again(job)));
}

/* Known before anything is read. */
static bool is_slow(const rx_job *job, const rx_handler *h)
{
    return (h->slow || job->call->body.len > RX_SHORT_BYTES) && !rx_may_linger(job);
}

/* Answered at once, or left to those who write. */
static void begin(rx_job *job)
{
    const rx_handler *h = &RX_HANDLERS[job->call->action];
    if (is_slow(job, h)) {
        rx_think(job);
        return;
    }
    bool answered = prepare(job, h);
    if (job->elsewhere) {
        rx_think(job);
        return;
    }
    mt_err err = answered ? rx_facts_check(job) : MT_OK;
    if (err) {
        rx_refuse_store(job, err);
    } else if (job->stale) {
        rx_job_begin_again(job);
        return;
    }
    if (answered) {
        rx_answer(job);
    } else {
        (h->queue && !job->handler ? h->queue : rx_enqueue)(job);
    }
}

static void begin_afresh(rx_job *job, bool saw_facts, bool on_worker)
{
    const rt_call *call = job->call;
    rt_done *done = job->done;
    void *state = job->state;
    job_clear(job);
    job->call = call;
    job->done = done;
    job->state = state;
    job->saw_facts = saw_facts;
    job->on_worker = on_worker;
    begin(job);
}

void rx_job_begin_again(rx_job *job)
{
    begin_afresh(job, true, job->on_worker && !job->in_group);
}

void rx_job_prepare_here(rx_job *job)
{
    begin_afresh(job, job->saw_facts, true);
}

void rt_executor_call(rt_executor *x, const rt_call *call, rt_done *done, void *state)
{
    rx_job *job = rx_job_take(x);
    job->call = call;
    job->done = done;
    job->state = state;
    atomic_fetch_add_explicit(&x->metrics.calls[call->action], 1, memory_order_relaxed);
    begin(job);
}

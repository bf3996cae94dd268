/* exec/call.c - from a call to its answer.
 * Room: exec. To serve another action, fill in its row. */
#include <stdlib.h>

#include "exec/exec.h"

/* ORDER ex_action; a row without prepare() is not served. */
/* clang-format off */
const ex_handler EX_HANDLERS[EX_ACTION_COUNT] = {
    [EX_CONTRACT_LIST]     = {.prepare = ex_contract_list},
    [EX_CONTRACT_GET]      = {.prepare = ex_contract_get},
    [EX_CONTRACT_VERSIONS] = {.prepare = ex_contract_versions},
    [EX_CONTRACT_DEPLOY]   = {.prepare = ex_deploy, .commit = ex_deploy_commit, .alone = true, .slow = true},
    [EX_MIGRATION_GET]     = {.prepare = ex_migration_get},
    [EX_MIGRATION_COMPLETE] = {.prepare = ex_migration_complete,
                              .commit = ex_migration_complete_commit, .alone = true},
    [EX_EVALUATE]          = {.prepare = ex_evaluate},
    [EX_ACTIONS]           = {.prepare = ex_actions},
    [EX_FACT_LIST]         = {.prepare = ex_fact_list},
    [EX_FACT_ASSERT]       = {.prepare = ex_fact_assert, .commit = ex_fact_assert_commit},
    [EX_FACT_RETRACT]      = {.prepare = ex_fact_retract, .commit = ex_fact_retract_commit},
    [EX_OPERATION]         = {.prepare = ex_operation, .claim = ex_claim_bound, .commit = ex_operation_commit, .overlaps = true},
    [EX_FLOW_START]        = {.prepare = ex_flow_start, .claim = ex_flow_start_claim, .commit = ex_flow_start_commit, .overlaps = true},
    [EX_FLOW_LIST]         = {.prepare = ex_flow_list},
    [EX_FLOW_GET]          = {.prepare = ex_flow_get},
    [EX_FLOW_RESUME]       = {.prepare = ex_flow_resume, .claim = ex_flow_resume_claim, .commit = ex_flow_resume_commit, .overlaps = true},
    [EX_FLOW_CANCEL]       = {.prepare = ex_flow_cancel, .commit = ex_flow_cancel_commit, .overlaps = true},
    [EX_INSTANCE_CREATE]   = {.prepare = ex_instance_create, .claim = ex_instance_claim, .commit = ex_instance_create_commit, .overlaps = true},
    [EX_INSTANCE_LIST]     = {.prepare = ex_instance_list},
    [EX_INSTANCE_GET]      = {.prepare = ex_instance_get},
    [EX_INSTANCE_HISTORY]  = {.prepare = ex_instance_history},
    [EX_INSTANCE_DELETE]   = {.prepare = ex_instance_delete, .claim = ex_instance_claim, .commit = ex_instance_delete_commit, .overlaps = true},
    [EX_LEDGER_LIST]       = {.prepare = ex_ledger_list},
    [EX_LEDGER_GET]        = {.prepare = ex_ledger_get},
    [EX_LEDGER_PROOF]      = {.prepare = ex_ledger_proof},
    [EX_LEDGER_CHECKPOINT] = {.prepare = ex_ledger_checkpoint},
    [EX_LEDGER_CONSISTENCY] = {.prepare = ex_ledger_consistency},
    [EX_SYSTEM_LIST]       = {.prepare = ex_system_list},
    [EX_SYSTEM_GET]        = {.prepare = ex_system_get},
    [EX_TRIGGER_LIST]      = {.prepare = ex_trigger_list},
    [EX_GRAPH_LIST]        = {.prepare = ex_graph_list},
    [EX_GRAPH_EVENT]       = {.prepare = ex_graph_event, .commit = ex_graph_event_commit},
    [EX_GRAPH_CONTEXT]     = {.prepare = ex_graph_context},
    [EX_CAPTURE_LIST]      = {.prepare = ex_capture_list},
    [EX_CAPTURE_GET]       = {.prepare = ex_capture_get},
    [EX_AGENT_LIST]        = {.prepare = ex_agent_list},
    [EX_AGENT_MESSAGE]     = {.prepare = ex_agent_message, .commit = ex_agent_message_commit,
                              .queue = ex_agent_message_queue},
    [EX_AGENT_TAPE]        = {.prepare = ex_agent_tape},
    [EX_AGENT_LOG]         = {.prepare = ex_agent_log},
};
/* clang-format on */

/* ---- Jobs -------------------------------------------------------------------------
 */

enum { FREE_JOBS_MOST = 512, JOB_KEEP_MOST = 1 << 20 };

ex_job *ex_job_take(ex_executor *x)
{
    pthread_mutex_lock(&x->jobs_lock);
    ex_job *job = x->free_jobs;
    if (job) {
        x->free_jobs = job->next;
        x->free_count--;
    }
    pthread_mutex_unlock(&x->jobs_lock);
    if (!job) {
        job = mt_xmalloc(sizeof *job);
        *job = (ex_job){.x = x};
    }
    return job;
}

static void job_free(ex_job *job)
{
    mt_arena_free(&job->arena);
    mt_buf_free(&job->reply.body);
    free(job);
}

void ex_job_drop_snap(ex_job *job)
{
    if (job->snap) {
        ex_snap_give(job->v, job->snap);
    }
    if (job->frozen_snap) {
        ex_snap_give(job->frozen_v, job->frozen_snap);
    }
    job->snap = job->frozen_snap = NULL;
    job->frozen_v = NULL;
}

/* Nothing but the memory it has. */
static void job_clear(ex_job *job)
{
    ex_job_drop_snap(job);
    if (job->fresh) {
        ex_version_free(job->fresh);
    }
    mt_arena arena = job->arena;
    mt_buf body = job->reply.body;
    mt_arena_reset(&arena);
    mt_buf_clear(&body);
    *job = (ex_job){.x = job->x, .arena = arena, .reply.body = body};
}

void ex_job_give(ex_job *job)
{
    ex_executor *x = job->x;
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

void ex_jobs_free(ex_executor *x)
{
    while (x->free_jobs) {
        ex_job *job = x->free_jobs;
        x->free_jobs = job->next;
        job_free(job);
    }
}

mt_jw ex_reply_with(ex_job *job, int status)
{
    mt_buf_clear(&job->reply.body);
    job->reply.status = status;
    job->reply.problem = false;
    job->answered = job->kept = true;
    mt_jw w = mt_jw_start(&job->reply.body, false);
    mt_jw_begin_object(&w);
    return w;
}

void ex_reply_end(mt_jw *w)
{
    mt_jw_end_object(w);
}

static void locate(ex_job *job, mt_str path)
{
    ex_reply *r = &job->reply;
    if (path.len < sizeof r->location_room) {
        memcpy(r->location_room, path.ptr, path.len + 1);
        r->location = mt_str_from(r->location_room, path.len);
    }
}

void ex_locate_flow(ex_job *job, mt_str id)
{
    if (job->call->action == EX_FLOW_START) {
        locate(job, mt_strf(&job->arena, "/v1/flows/%.*s", MT_ARG(id)));
    }
}

void ex_locate_instance(ex_job *job, mt_str contract, mt_str entity, mt_str id)
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

void ex_answer(ex_job *job)
{
    ex_metrics *m = &job->x->metrics;
    unsigned class = (unsigned)job->reply.status / 100;
    atomic_fetch_add_explicit(&m->answers[class < 6 ? class : 0], 1,
                              memory_order_relaxed);
    if (job->reply.replayed) {
        atomic_fetch_add_explicit(&m->replayed, 1, memory_order_relaxed);
    }
    job->done(job->state, &job->reply);
    ex_job_give(job);
}

/* ---- Calls ------------------------------------------------------------------------
 */

/* ORDER ex_action. */
static const bool WRITES[] = {
#define EX_WRITES(name, writes) writes,
    EX_ACTION_MAP(EX_WRITES)
#undef EX_WRITES
};

static bool prepare(ex_job *job, const ex_handler *h)
{
    if (!h->prepare) {
        return ex_refuse(job, EX_NOT_IMPLEMENTED, "this action is not served here");
    }
    if (!job->call->idempotency_key.len || !WRITES[job->call->action]) {
        return h->prepare(job);
    }
    if (ex_answer_key(job)) {
        return true;
    }
    return h->prepare(job) &&
           (job->elsewhere || (!ex_answer_defer(job) && ex_answer_again(job)));
}

/* Known before anything is read. */
static bool is_slow(const ex_job *job, const ex_handler *h)
{
    return (h->slow || job->call->body.len > EX_SHORT_BYTES) && !ex_may_linger(job);
}

/* Answered at once, or left to those who write. */
static void begin(ex_job *job)
{
    const ex_handler *h = &EX_HANDLERS[job->call->action];
    if (is_slow(job, h)) {
        ex_think(job);
        return;
    }
    bool answered = prepare(job, h);
    if (job->elsewhere) {
        ex_think(job);
        return;
    }
    mt_err err = answered ? ex_facts_check(job) : MT_OK;
    if (err) {
        ex_refuse_store(job, err);
    } else if (job->stale) {
        ex_job_begin_again(job);
        return;
    }
    if (answered) {
        ex_answer(job);
    } else {
        (h->queue && !job->handler ? h->queue : ex_enqueue)(job);
    }
}

static void begin_afresh(ex_job *job, bool saw_facts, bool on_worker)
{
    const ex_call *call = job->call;
    ex_done *done = job->done;
    void *state = job->state;
    job_clear(job);
    job->call = call;
    job->done = done;
    job->state = state;
    job->saw_facts = saw_facts;
    job->on_worker = on_worker;
    begin(job);
}

void ex_job_begin_again(ex_job *job)
{
    begin_afresh(job, true, job->on_worker && !job->in_group);
}

void ex_job_prepare_here(ex_job *job)
{
    begin_afresh(job, job->saw_facts, true);
}

void ex_executor_call(ex_executor *x, const ex_call *call, ex_done *done, void *state)
{
    ex_job *job = ex_job_take(x);
    job->call = call;
    job->done = done;
    job->state = state;
    atomic_fetch_add_explicit(&x->metrics.calls[call->action], 1, memory_order_relaxed);
    begin(job);
}

/* exec/call/job.c - one call on its way: taken from a pool, filled, answered.
 * Room: exec.
 * A job is cleared before it goes back to the pool, but for the memory it has; one that
 * grew too large is freed. The reply is written into the job and given away once, by
 * ex_answer(), which ends the job. INVARIANT: a job in the pool holds no snapshot and
 * no version. Nothing here can fail. */
#include <stdlib.h>

#include "base/percent.h"
#include "exec/call/call.h"

/* ---- The pool ---- */

/* So many wait for the next calls; what is more at once is made and freed. A job
 * that had a large body would keep its memory for small ones, hence the second. */
enum { FREE_JOBS_MOST = 512, JOB_KEEP_MOST = 1 << 20 };

const ex_handler *ex_handler_of(const ex_job *job)
{
    return job->handler ? job->handler : &EX_HANDLERS[job->call->action];
}

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

/* Everything but memory and the executor begins at zero: a field that is added to
 * ex_job is cleared without anybody remembering it. */
void ex_job_clear(ex_job *job)
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
    ex_job_clear(job);
    pthread_mutex_lock(&x->jobs_lock);
    bool fits = x->free_count < FREE_JOBS_MOST &&
                job->arena.reserved <= JOB_KEEP_MOST &&
                job->reply.body.cap <= JOB_KEEP_MOST;
    if (fits) {
        job->next = x->free_jobs;
        x->free_jobs = job;
        x->free_count++;
    }
    pthread_mutex_unlock(&x->jobs_lock);
    if (!fits) {
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

/* ---- Answers ---- */

mt_jw ex_reply_with(ex_job *job, int status)
{
    mt_buf_clear(&job->reply.body);
    job->reply.status = status;
    job->reply.problem = false;
    job->reply.code = NULL;
    /* A later answer replaces this one whole, status and body together. */
    job->answered = job->kept = true;
    mt_jw w = mt_jw_start(&job->reply.body, false);
    mt_jw_begin_object(&w);
    return w;
}

void ex_reply_end(mt_jw *w)
{
    mt_jw_end_object(w);
}

void ex_reply_record(mt_jw *w, const ex_job *job, int64_t number)
{
    if (number != EX_NO_RECORD) {
        /* In a store that several nodes share the place in the chain is decided
         * later, so the number is another one and has another name. */
        mt_jw_key(w, job->x->shared ? MT_STR("queued") : MT_STR("record"));
        mt_jw_i64(w, number);
    }
}

mt_buf *ex_reply_body(ex_job *job, int status)
{
    (void)ex_reply_with(job, status);
    mt_buf_clear(&job->reply.body);
    return &job->reply.body;
}

static void locate(ex_job *job, mt_str path)
{
    job->reply.location = path;
}

void ex_locate_flow(ex_job *job, mt_str id)
{
    if (job->call->action == EX_FLOW_START) {
        locate(job, mt_strf(&job->arena, "/v1/flows/%.*s", MT_ARG(id)));
    }
}

void ex_locate_instance(ex_job *job, mt_str contract, mt_str entity, mt_str id)
{
    mt_buf path = {0};
    mt_buf_addf(&path, "/v1/contracts/%.*s/instances/", MT_ARG(contract));
    mt_percent_segment(&path, entity);
    mt_buf_addc(&path, '/');
    mt_percent_segment(&path, id);
    locate(job, mt_str_dup(&job->arena, mt_buf_str(&path)));
    mt_buf_free(&path);
}

void ex_answer(ex_job *job)
{
    ex_metrics *m = &job->x->metrics;
    /* Class 0 collects what has no status of HTTP. */
    unsigned class = (unsigned)job->reply.status / 100;
    atomic_fetch_add_explicit(&m->answers[class < 6 ? class : 0], 1,
                              memory_order_relaxed);
    job->reply.contract = job->v ? job->v->contract : (mt_str){0};
    if (job->reply.replayed) {
        job->reply.code = NULL;
        atomic_fetch_add_explicit(&m->replayed, 1, memory_order_relaxed);
    }
    /* The callback may take the body and leave an empty one; afterwards nothing of
     * the job may be used. */
    job->done(job->state, &job->reply);
    ex_job_give(job);
}

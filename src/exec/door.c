/* exec/door.c - from a call to its answer, or to those who write; and the workers.
 * Room: exec.
 * A call is prepared on the thread that brings it, which is often the one that answers
 * everybody on the network. Answered there, it is over; else it waits for the committer
 * (or in the queue of its kind). How much work its evaluation can be is known before it
 * is done (contract/eval/program.h, ct_work_*): what does not fit EX_SHORT_STEPS, and
 * what is long for other reasons (a large body, a deployment), goes to a worker and is
 * prepared there from the beginning. The committer never evaluates what is long: it
 * finds conditions that were evaluated here (ct_remember), or sends the flow here
 * first. Order: a job belongs to whoever has it out of the queue. INVARIANT: `thinking`
 * counts jobs that workers have or that wait for them, so that closing waits for them.
 * What may fail: a thread cannot be started, or too many wait; then the call is refused
 * as `busy`, and nothing was done. */
#include <unistd.h>

#include "exec/call/facts.h"
#include "exec/call/rights.h"
#include "exec/commit/answers.h"

/* ---- Calls ---- */

/* ORDER ex_action. */
static const bool WRITES[] = {
#define EX_WRITES(name, writes) writes,
    EX_ACTION_MAP(EX_WRITES)
#undef EX_WRITES
};

/* However often a call is prepared, here or on a worker, its key counts once. */
static bool refused_answer(ex_job *job)
{
    job->key_counted =
        job->key_counted || !ex_refused_quota(job, EX_QUOTA_ANSWERS, "kept answers");
    return !job->key_counted;
}

static bool prepare(ex_job *job, const ex_handler *h)
{
    if (!h->prepare) {
        return ex_refuse(job, EX_NOT_IMPLEMENTED, "this action is not served here");
    }
    if (!WRITES[job->call->action]) {
        return h->prepare(job);
    }
    if (!job->call->idempotency_key.len) {
        return h->prepare(job) && (job->elsewhere || !ex_answer_defer(job));
    }
    if (ex_refused_key(job)) {
        return true;
    }
    if (refused_answer(job)) {
        return ex_answer_again(job); /* what was kept is told all the same */
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
        ex_give(job);
    } else {
        (h->queue && !job->handler ? h->queue : ex_enqueue)(job);
    }
}

/* Everything that was found out is dropped: facts may have changed, and half an old
 * look with half a new one would be neither. */
static void begin_afresh(ex_job *job, bool saw_facts, bool on_worker)
{
    const ex_call *call = job->call;
    ex_done *done = job->done;
    void *state = job->state;
    bool key_counted = job->key_counted;
    ex_job_clear(job);
    job->key_counted = key_counted;
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

/* On a worker: from the beginning, and here. */
static void prepare_here(ex_job *job)
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

/* ---- Workers ---- */

enum { WAITING_MOST = 4096 };

/* `refused`: the executor closes, and would not let the call write what is found. */
static ex_job *take_long(ex_executor *x, bool *refused)
{
    pthread_mutex_lock(&x->queue_lock);
    while (!x->think_first && !x->think_stop) {
        pthread_cond_wait(&x->think_more, &x->queue_lock);
    }
    ex_job *job = x->think_first;
    if (job) {
        x->think_first = job->next;
        x->think_last = x->think_first ? x->think_last : NULL;
    }
    *refused = job && x->closing && !job->internal;
    pthread_mutex_unlock(&x->queue_lock);
    return job;
}

static void one_less(ex_executor *x)
{
    pthread_mutex_lock(&x->queue_lock);
    x->thinking--;
    if (!x->first && !x->running && !x->thinking) {
        pthread_cond_broadcast(&x->queue_done);
    }
    pthread_mutex_unlock(&x->queue_lock);
}

/* A worker's life. Closing refuses what still waits, but finishes what was taken. */
static void *work(void *executor)
{
    ex_executor *x = executor;
    bool refused;
    for (ex_job *job; (job = take_long(x, &refused));) {
        if (refused) {
            ex_refuse(job, EX_CLOSING, "the executor takes no more calls");
            ex_answer(job);
        } else if (job->unthought) {
            ex_handler_of(job)->think(job);
        } else {
            prepare_here(job);
        }
        one_less(x);
    }
    return NULL;
}

static unsigned wanted_count(const ex_executor *x)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned usual = cores < 2                  ? 2
                     : cores > EX_THINKERS_MOST ? EX_THINKERS_MOST
                                                : (unsigned)cores;
    unsigned asked = x->workers < EX_THINKERS_MOST ? x->workers : EX_THINKERS_MOST;
    return asked ? asked : usual;
}

/* They are started when there is something for them to do. Under the lock. */
static bool start_workers(ex_executor *x)
{
    unsigned count = wanted_count(x);
    while (x->thinker_count < count && x->thinker_count <= x->thinking &&
           !pthread_create(&x->thinkers[x->thinker_count], NULL, work, x)) {
        x->thinker_count++;
    }
    return x->thinker_count > 0;
}

void ex_think(ex_job *job)
{
    ex_executor *x = job->x;
    job->next = NULL;
    pthread_mutex_lock(&x->queue_lock);
    /* An answer given while the executor closes may lead to another call: there is
     * nobody left to do it. */
    bool fits = !x->stopped && x->thinking < WAITING_MOST && start_workers(x);
    if (fits) {
        if (x->think_last) {
            x->think_last->next = job;
        } else {
            x->think_first = job;
        }
        x->think_last = job;
        x->thinking++;
        pthread_cond_signal(&x->think_more);
    }
    pthread_mutex_unlock(&x->queue_lock);
    atomic_fetch_add_explicit(&x->metrics.thought, fits, memory_order_relaxed);
    if (!fits) {
        ex_refuse(job, EX_BUSY, "too many calls that take long are waiting");
        ex_answer(job);
    }
}

void ex_thinkers_stop(ex_executor *x)
{
    pthread_mutex_lock(&x->queue_lock);
    x->think_stop = true;
    pthread_cond_broadcast(&x->think_more);
    pthread_mutex_unlock(&x->queue_lock);
    for (unsigned i = 0; i < x->thinker_count; i++) {
        pthread_join(x->thinkers[i], NULL);
    }
}

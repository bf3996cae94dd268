/* exec/commit/queue.c - the queue in front of the committer.
 * Room: exec. Under queue_lock. Who closes waits until nothing waits and nothing runs.
 * Jobs leave in the order they came; one that must be alone ends a group before it and
 * is a group of its own. `running` counts those that were taken and are not settled. */
#include "exec/call/facts.h"
#include "exec/commit/commit.h"

/* Under queue_lock. */
static void push(ex_executor *x, ex_job *job)
{
    job->next = NULL;
    if (x->last) {
        x->last->next = job;
    } else {
        x->first = job;
    }
    x->last = job;
    atomic_fetch_add_explicit(&x->metrics.waiting, 1, memory_order_relaxed);
}

/* A job of our own (`internal`) is still taken while the executor closes: closing waits
 * for what was begun, and that may need further steps. After the stop nobody is. */
void ex_enqueue(ex_job *job)
{
    ex_executor *x = job->x;
    tr_trace *t = job->call->trace;
    job->in_group = true;
    if (t && t->sampled) {
        t->queued_ns = tr_now_ns();
    }
    ex_stop_clock(job);
    pthread_mutex_lock(&x->queue_lock);
    bool closing = x->stopped || (x->closing && !job->internal);
    if (!closing) {
        push(x, job);
        pthread_cond_signal(&x->queue_more);
    }
    pthread_mutex_unlock(&x->queue_lock);
    if (closing) {
        ex_refuse(job, EX_CLOSING, "the executor takes no more calls");
        ex_answer(job);
    }
}

/* Without a signal: it is the committer that puts it back, and it looks by itself. */
void ex_enqueue_again(ex_job *job)
{
    pthread_mutex_lock(&job->x->queue_lock);
    push(job->x, job);
    pthread_mutex_unlock(&job->x->queue_lock);
}

/* With `wait` it sleeps until there is a job or the stop comes. */
size_t ex_queue_take(ex_executor *x, ex_job **jobs, size_t most, bool wait)
{
    size_t n = 0;
    pthread_mutex_lock(&x->queue_lock);
    while (wait && !x->first && !x->stopped) {
        pthread_cond_wait(&x->queue_more, &x->queue_lock);
    }
    for (bool alone = false; x->first && n < most && !alone;) {
        ex_job *job = x->first;
        alone = ex_handler_of(job)->alone;
        if (alone && n) {
            break;
        }
        x->first = job->next;
        jobs[n++] = job;
    }
    x->last = x->first ? x->last : NULL;
    x->running += n;
    pthread_mutex_unlock(&x->queue_lock);
    atomic_fetch_sub_explicit(&x->metrics.waiting, (long long)n, memory_order_relaxed);
    return n;
}

/* Who closes is woken only when nothing waits, nothing runs and no flow thinks on a
 * worker. */
void ex_queue_settled(ex_executor *x, size_t n)
{
    pthread_mutex_lock(&x->queue_lock);
    x->running -= n;
    if (!x->first && !x->running && !x->thinking) {
        pthread_cond_broadcast(&x->queue_done);
    }
    pthread_mutex_unlock(&x->queue_lock);
}

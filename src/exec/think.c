/* exec/think.c - workers for what takes long.
 * Room: exec.
 * A call is prepared on the thread that brings it, which is often the one that answers
 * everybody on the network. How much work its evaluation can be is known before it is
 * done (contract/eval/program.h, ct_work_*): what does not fit EX_SHORT_STEPS, and what
 * is long for other reasons (a large body, a deployment), comes here and is prepared
 * from the beginning. The committer never evaluates what is long: it finds conditions
 * that were evaluated here (ct_remember), or sends the flow here first.
 * Order: think_lock is queue_lock; a job belongs to whoever has it out of the queue.
 * INVARIANT: `thinking` counts jobs that are here, so that closing waits for them.
 * What may fail: a thread cannot be started, or too many wait; then the call is refused
 * as `busy`, and nothing was done. */
#include <unistd.h>

#include "exec/flow.h"

enum { WAITING_MOST = 4096 };

/* ---- The queue --------------------------------------------------------------------
 */

/* `refused`: the executor closes, and would not let the call write what is found. */
static ex_job *take(ex_executor *x, bool *refused)
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

static void done(ex_executor *x)
{
    pthread_mutex_lock(&x->queue_lock);
    x->thinking--;
    if (!x->first && !x->running && !x->thinking) {
        pthread_cond_broadcast(&x->queue_done);
    }
    pthread_mutex_unlock(&x->queue_lock);
}

static void *work(void *executor)
{
    ex_executor *x = executor;
    bool refused;
    for (ex_job *job; (job = take(x, &refused));) {
        if (refused) {
            ex_refuse(job, EX_CLOSING, "the executor takes no more calls");
            ex_answer(job);
        } else if (job->unthought) {
            ex_flow_think(job);
        } else {
            ex_job_prepare_here(job);
        }
        done(x);
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
static bool start(ex_executor *x)
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
    bool fits = x->thinking < WAITING_MOST && start(x);
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

/* ---- How long it takes ------------------------------------------------------------
 */

bool ex_may_linger(const ex_job *job)
{
    return !job->in_group &&
           (job->internal || job->on_worker || !job->call->must_not_linger);
}

/* The conditions that the call may ask for, as bits; NULL: none. */
static const uint64_t *conditions_of(ex_job *job, const ex_version *v)
{
    const ct_plan *p = v->plan;
    uint32_t count = p->model->condition_count;
    uint64_t *bits = mt_new_array(&job->arena, uint64_t, count / 64 + 1);
    switch ((int)job->call->action) {
    case EX_OPERATION:
        if (p->ops[job->what].condition != CT_NONE) {
            ct_bit_set(bits, p->ops[job->what].condition);
        }
        break;
    case EX_ACTIONS: memset(bits, 0xff, (count / 64 + 1) * sizeof *bits); break;
    case EX_EVALUATE: return NULL;
    default: /* a flow: begun by a caller or a trigger, or taken up again */
        if (job->what == CT_NONE) {
            return NULL;
        }
        ct_plan_conditions(&job->arena, p, job->what, bits);
    }
    return bits;
}

mt_err ex_evaluate_rules(ex_job *job, const ex_version *v, ex_snap *s, ct_fault *fault)
{
    if (v->may_be_long) {
        bool lingers = ex_may_linger(job);
        if (!lingers && ct_work_rules(v->plan->program, s->facts) > EX_SHORT_STEPS) {
            return MT_E_BUSY;
        }
        ct_verdicts_limit(s->verdicts,
                          (ct_patience){.steps = job->x->limits.eval_steps,
                                        .late = lingers ? os_is_late : NULL,
                                        .state = lingers ? ex_deadline(job) : NULL});
    }
    return ct_evaluate(v->plan->program, s->facts, s->verdicts, &job->arena, fault);
}

static bool are_short(const ct_program *p, const ct_facts *facts, const uint64_t *bits,
                      uint32_t count)
{
    uint64_t left = EX_SHORT_STEPS;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t steps = ct_bit(bits, i) ? ct_work_condition(p, facts, i) : 0;
        if (steps > left) {
            return false;
        }
        left -= steps;
    }
    return true;
}

mt_err ex_evaluate_conditions(ex_job *job, const ex_version *v, ex_snap *s,
                              ct_fault *fault)
{
    const ct_program *p = v->plan->program;
    const uint64_t *bits = v->may_be_long ? conditions_of(job, v) : NULL;
    uint32_t count = bits ? v->model->condition_count : 0;
    if (are_short(p, s->facts, bits, count)) {
        return MT_OK;
    }
    if (!ex_may_linger(job)) {
        return MT_E_BUSY;
    }
    ct_snapshot snapshot = {p, s->facts, s->verdicts};
    mt_err err = MT_OK;
    for (uint32_t i = 0; i < count && !err; i++) {
        if (ct_bit(bits, i)) {
            err =
                ct_remember(&snapshot, s->verdicts, i, s->scratch, &job->arena, fault);
        }
    }
    return err;
}

os_deadline *ex_deadline(ex_job *job)
{
    if (!job->deadline) {
        job->own_deadline = (os_deadline){.ms = (int64_t)job->x->limits.eval_ms};
        job->deadline = &job->own_deadline;
    }
    return job->deadline;
}

void ex_stop_clock(ex_job *job)
{
    if (job->snap && job->v->may_be_long) {
        ct_verdicts_limit(job->snap->verdicts,
                          (ct_patience){.steps = job->x->limits.eval_steps});
    }
}

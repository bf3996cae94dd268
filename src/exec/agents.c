/* exec/agents.c - agents that are served: each has a thread that runs its cycles.
 * Room: exec. A handler may be a program that takes its time, so each agent has a
 * thread that runs cycles, one after the other; what a cycle did is then an ordinary
 * job of the committer: state, messages and ledger record commit together. The thread
 * goes on when that is answered.
 * Order of closing: before the committer stops, so that what waits is still answered.
 */
#include <stdlib.h>

#include "exec/call/problem.h"
#include "exec/commit/answers.h"
#include "exec/machine.h"
#include "exec/voices.h"

enum { TRIES = 8 };

/* ---- The job in hand ---- */

/* Called instead of the caller's own, when the committer has answered. An answer that
 * was kept is another cycle's: this one was not written. */
static void settle(void *state, ex_reply *reply)
{
    ex_agent *a = state;
    bool committed = reply->status < 400 && !reply->replayed;
    if (!a->overtaken) {
        a->reply_to(a->reply_state, reply);
    }
    pthread_mutex_lock(&a->lock);
    a->committed = committed;
    a->settled = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

/* Gives the job to the committer and waits. */
static void commit_cycle(ex_agent *a, ex_job *job)
{
    a->settled = a->overtaken = false;
    job->done = settle;
    job->state = a;
    ex_enqueue(job);
    pthread_mutex_lock(&a->lock);
    while (!a->settled) {
        pthread_cond_wait(&a->changed, &a->lock);
    }
    pthread_mutex_unlock(&a->lock);
    if (!a->committed) {
        ho_agent_service_forget(a->service);
    }
}

static ex_job *job_again(ex_agent *a, const ex_call *call)
{
    ex_job *job = ex_job_take(a->x);
    job->call = call;
    job->work = a;
    return job;
}

/* Handlers act outside, so a request that was answered before runs no cycle. One that
 * another node answers meanwhile is found by the committer, see settle(). */
static bool is_answered(ex_job *job)
{
    return job->call->idempotency_key.len && ex_answer_again(job) && job->answered;
}

/* A cycle on a state that another node has replaced meanwhile is thrown away and run
 * again on the newer one; after TRIES the caller gets the conflict. The answer comes
 * from commit_cycle(). */
static void run_cycle(ex_agent *a, ex_job *job)
{
    const ex_call *call = job->call;
    a->reply_to = job->done;
    a->reply_state = job->state;
    if (is_answered(job)) {
        ex_answer(job);
        return;
    }
    for (int tries = 0; tries < TRIES; tries++) {
        mt_err err =
            ho_agent_service_receive(a->service, a->x->store, call->body, &a->done);
        if (err) {
            if (err == MT_E_SYNTAX) {
                ex_refuse(job, EX_BAD_REQUEST, "the body is not a message");
            } else if (err == MT_E_DENIED) {
                ex_refuse(job, EX_FORBIDDEN,
                          "the agent's `identity` does not take this message");
            } else {
                ex_refuse_store(job, err);
            }
            ex_answer(job);
            return;
        }
        commit_cycle(a, job);
        if (!a->overtaken) {
            return;
        }
        job = job_again(a, call);
    }
    job->done = a->reply_to;
    job->state = a->reply_state;
    ex_refuse(job, EX_CONFLICT, "other nodes kept being faster");
    ex_answer(job);
}

/* NULL only when the agent stops and nothing waits: what was accepted is still done. */
static ex_job *next_job(ex_agent *a)
{
    pthread_mutex_lock(&a->lock);
    while (!a->first && !a->stop) {
        pthread_cond_wait(&a->changed, &a->lock);
    }
    ex_job *job = a->first;
    if (job) {
        a->first = job->next;
        a->last = a->first ? a->last : NULL;
    }
    pthread_mutex_unlock(&a->lock);
    return job;
}

static void *run_agent(void *state)
{
    ex_agent *a = state;
    ex_job *job;
    while ((job = next_job(a))) {
        run_cycle(a, job);
    }
    return NULL;
}

/* ---- Life ---- */

static void report(void *state, const char *text)
{
    ex_agent *a = state;
    ex_log(a->x, 2, "agent", "%s", text);
}

/* The agent is in the list before it is opened, so that closing finds it however far
 * it came; `running` says whether there is a thread to join. */
static mt_err open_agent(ex_executor *x, const mt_json_member *m, mt_buf *why)
{
    ex_agent *a = mt_xmalloc(sizeof *a);
    *a = (ex_agent){.x = x};
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    mt_vec_push(&x->arena, &x->agents, a);
    mt_err err = ho_agent_service_open(m->key, &m->value, &x->limits, report, a,
                                       &a->service, why);
    if (!err && pthread_create(&a->thread, NULL, run_agent, a)) {
        mt_buf_addz(why, "cannot start a thread");
        err = MT_E_IO;
    }
    a->running = !err;
    return err;
}

mt_err ex_agents_open(ex_executor *x, mt_buf *why)
{
    const mt_json *all = mt_json_at(x->settings, "agents");
    for (uint32_t i = 0; mt_json_is(all, MT_JSON_OBJECT) && i < all->count; i++) {
        const mt_json_member *m = &all->as.members[i];
        mt_buf reason = {0};
        mt_err err = open_agent(x, m, &reason);
        if (err) {
            mt_buf_addf(why, "agent '%.*s': %.*s", MT_ARG(m->key), MT_ARG(reason));
        }
        mt_buf_free(&reason);
        if (err) {
            return err;
        }
    }
    return MT_OK;
}

/* Before the committer stops: what waits is still answered. */
void ex_agents_close(ex_executor *x)
{
    for (size_t i = 0; i < x->agents.len; i++) {
        ex_agent *a = x->agents.items[i];
        pthread_mutex_lock(&a->lock);
        a->stop = true;
        pthread_cond_broadcast(&a->changed);
        pthread_mutex_unlock(&a->lock);
        if (a->running) {
            pthread_join(a->thread, NULL);
        }
        ho_agent_service_close(a->service);
        pthread_mutex_destroy(&a->lock);
        pthread_cond_destroy(&a->changed);
        free(a);
    }
    x->agents.len = 0;
}

void ex_agent_enqueue(ex_agent *a, ex_job *job)
{
    pthread_mutex_lock(&a->lock);
    bool stop = a->stop;
    if (!stop) {
        job->next = NULL;
        if (a->last) {
            a->last->next = job;
        } else {
            a->first = job;
        }
        a->last = job;
        pthread_cond_broadcast(&a->changed);
    }
    pthread_mutex_unlock(&a->lock);
    if (stop) {
        ex_refuse(job, EX_CLOSING, "the executor takes no more calls");
        ex_answer(job);
    }
}

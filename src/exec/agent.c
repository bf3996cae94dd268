/* exec/agent.c - agents that are served: messages come in, cycles are kept.
 * Room: exec. A handler may be a program that takes its time, so each agent has a
 * thread that runs cycles, one after the other; what a cycle did is then an ordinary
 * job of the committer: state, messages and ledger record commit together. The thread
 * goes on when that is answered. */
#include <stdlib.h>

#include "exec/exec.h"
#include "host/agent_service.h"

enum { TRIES = 8 };

struct ex_agent {
    ex_executor *x;
    ho_agent_service *service;
    pthread_t thread;
    bool running, stop;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    ex_job *first, *last; /* waiting for the thread */
    /* The job in hand, once it is with the committer. */
    ho_agent_done done;
    ex_done *reply_to;
    void *reply_state;
    bool settled, kept, overtaken;
};

/* ---- The job in hand ---------------------------------------------------------------
 */

/* Called instead of the caller's own, when the committer has answered. */
static void settle(void *state, ex_reply *reply)
{
    ex_agent *a = state;
    bool kept = reply->status < 400;
    if (!a->overtaken) {
        a->reply_to(a->reply_state, reply);
    }
    pthread_mutex_lock(&a->lock);
    a->kept = kept;
    a->settled = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

/* Gives the job to the committer and waits. */
static void keep(ex_agent *a, ex_job *job)
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
    if (!a->kept) {
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

static void run_cycle(ex_agent *a, ex_job *job)
{
    const ex_call *call = job->call;
    a->reply_to = job->done;
    a->reply_state = job->state;
    for (int tries = 0; tries < TRIES; tries++) {
        mt_err err =
            ho_agent_service_receive(a->service, a->x->store, call->body, &a->done);
        if (err) {
            if (err == MT_E_SYNTAX) {
                ex_refuse(job, EX_BAD_REQUEST, "the body is no message");
            } else {
                ex_refuse_store(job, err);
            }
            ex_answer(job);
            return;
        }
        keep(a, job);
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

/* ---- Life --------------------------------------------------------------------------
 */

static void report(void *state, const char *text)
{
    ex_agent *a = state;
    ex_log(a->x, 2, "agent", "%s", text);
}

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

/* ---- Calls --------------------------------------------------------------------------
 */

static bool find_agent(ex_job *job, ex_agent **out)
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

static bool lacks_right(ex_job *job)
{
    mt_str right = mt_strf(&job->arena, "agents:%.*s", MT_ARG(job->call->name));
    return !ex_caller_may(job->call->caller, right) &&
           ex_refuse(job, EX_FORBIDDEN, "the caller lacks the right '%.*s'",
                     MT_ARG(right));
}

bool ex_agent_message(ex_job *job)
{
    ex_agent *a = NULL;
    if (find_agent(job, &a) || lacks_right(job)) {
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

/* Instead of the committer's queue. */
void ex_agent_message_queue(ex_job *job)
{
    ex_agent *a = job->work;
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

static void cycle_json(mt_jw *w, const ex_agent *a)
{
    mt_jw_key_str(w, "agent", ho_agent_service_name(a->service));
}

static mt_err record_cycle(ex_job *job, ex_group *g, const ex_agent *a, int64_t *id)
{
    mt_buf_clear(&g->body);
    mt_jw w = mt_jw_start(&g->body, false);
    mt_jw_begin_object(&w);
    cycle_json(&w, a);
    ex_caller_json(&w, job);
    mt_jw_keyz(&w, "cycle");
    mt_jw_raw(&w, a->done.trace);
    mt_jw_key_str(&w, "kind", MT_STR("agent_cycle"));
    mt_jw_key_i64(&w, "message", a->done.number);
    ex_record_time(&w, g);
    mt_jw_end_object(&w);
    ex_record r = {.kind = "agent_cycle",
                   .subject = ho_agent_service_name(a->service),
                   .unsorted = true};
    return ex_record_add(g, &r, id);
}

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
    mt_jw_key_i64(&w, "record", record);
    sent_json(&w, a->done.sent);
    ex_reply_end(&w);
    return MT_OK;
}

bool ex_agent_list(ex_job *job)
{
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_keyz(&w, "items");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < job->x->agents.len; i++) {
        mt_jw_begin_object(&w);
        mt_jw_key_str(&w, "id",
                      ho_agent_service_name(job->x->agents.items[i]->service));
        mt_jw_end_object(&w);
    }
    mt_jw_end_array(&w);
    ex_reply_end(&w);
    return true;
}

bool ex_agent_tape(ex_job *job)
{
    ex_agent *a = NULL;
    st_tx *tx;
    if (find_agent(job, &a) || lacks_right(job)) {
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

bool ex_agent_log(ex_job *job)
{
    ex_agent *a = NULL;
    ex_list l;
    if (find_agent(job, &a) || lacks_right(job) || ex_list_open(&l, job)) {
        return true;
    }
    return ex_list_close(
        &l, ho_agent_service_log(a->service, l.tx, l.page, list_message, &l));
}

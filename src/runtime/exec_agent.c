/* runtime/exec_agent.c - agents that are served: messages come in, cycles are kept.
 * Room: runtime. A handler may be a program that takes its time, so each agent has a
 * thread that runs cycles, one after the other; what a cycle did is then an ordinary
 * job of the committer: state, messages and ledger record commit together. The thread
 * goes on when that is answered. */
#include <stdlib.h>

#include "runtime/agent_service.h"
#include "runtime/exec.h"

enum { TRIES = 8 };

struct rx_agent {
    rt_executor *x;
    rt_agent_service *service;
    pthread_t thread;
    bool running, stop;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    rx_job *first, *last; /* waiting for the thread */
    /* The job in hand, once it is with the committer. */
    rt_agent_done done;
    rt_done *reply_to;
    void *reply_state;
    bool settled, kept, overtaken;
};

/* ---- The job in hand ---------------------------------------------------------------
 */

/* Called instead of the caller's own, when the committer has answered. */
static void settle(void *state, rt_reply *reply)
{
    rx_agent *a = state;
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
static void keep(rx_agent *a, rx_job *job)
{
    a->settled = a->overtaken = false;
    job->done = settle;
    job->state = a;
    rx_enqueue(job);
    pthread_mutex_lock(&a->lock);
    while (!a->settled) {
        pthread_cond_wait(&a->changed, &a->lock);
    }
    pthread_mutex_unlock(&a->lock);
    if (!a->kept) {
        rt_agent_service_forget(a->service);
    }
}

static rx_job *job_again(rx_agent *a, const rt_call *call)
{
    rx_job *job = rx_job_take(a->x);
    job->call = call;
    job->work = a;
    return job;
}

static void run_cycle(rx_agent *a, rx_job *job)
{
    const rt_call *call = job->call;
    a->reply_to = job->done;
    a->reply_state = job->state;
    for (int tries = 0; tries < TRIES; tries++) {
        mt_err err =
            rt_agent_service_receive(a->service, a->x->store, call->body, &a->done);
        if (err) {
            if (err == MT_E_SYNTAX) {
                rx_refuse(job, RX_BAD_REQUEST, "the body is no message");
            } else {
                rx_refuse_store(job, err);
            }
            rx_answer(job);
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
    rx_refuse(job, RX_CONFLICT, "other nodes kept being faster");
    rx_answer(job);
}

static rx_job *next_job(rx_agent *a)
{
    pthread_mutex_lock(&a->lock);
    while (!a->first && !a->stop) {
        pthread_cond_wait(&a->changed, &a->lock);
    }
    rx_job *job = a->first;
    if (job) {
        a->first = job->next;
        a->last = a->first ? a->last : NULL;
    }
    pthread_mutex_unlock(&a->lock);
    return job;
}

static void *run_agent(void *state)
{
    rx_agent *a = state;
    rx_job *job;
    while ((job = next_job(a))) {
        run_cycle(a, job);
    }
    return NULL;
}

/* ---- Life --------------------------------------------------------------------------
 */

static void report(void *state, const char *text)
{
    rx_agent *a = state;
    rx_log(a->x, 2, "agent", "%s", text);
}

static mt_err open_agent(rt_executor *x, const mt_json_member *m, mt_buf *why)
{
    rx_agent *a = mt_xmalloc(sizeof *a);
    *a = (rx_agent){.x = x};
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    mt_vec_push(&x->arena, &x->agents, a);
    mt_err err = rt_agent_service_open(m->key, &m->value, &x->limits, report, a,
                                       &a->service, why);
    if (!err && pthread_create(&a->thread, NULL, run_agent, a)) {
        mt_buf_addz(why, "cannot start a thread");
        err = MT_E_IO;
    }
    a->running = !err;
    return err;
}

mt_err rx_agents_open(rt_executor *x, mt_buf *why)
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
void rx_agents_close(rt_executor *x)
{
    for (size_t i = 0; i < x->agents.len; i++) {
        rx_agent *a = x->agents.items[i];
        pthread_mutex_lock(&a->lock);
        a->stop = true;
        pthread_cond_broadcast(&a->changed);
        pthread_mutex_unlock(&a->lock);
        if (a->running) {
            pthread_join(a->thread, NULL);
        }
        rt_agent_service_close(a->service);
        pthread_mutex_destroy(&a->lock);
        pthread_cond_destroy(&a->changed);
        free(a);
    }
    x->agents.len = 0;
}

/* ---- Calls --------------------------------------------------------------------------
 */

static bool find_agent(rx_job *job, rx_agent **out)
{
    for (size_t i = 0; i < job->x->agents.len; i++) {
        *out = job->x->agents.items[i];
        if (mt_str_eq(rt_agent_service_name((*out)->service), job->call->name)) {
            return false;
        }
    }
    return rx_refuse(job, RX_NOT_FOUND, "no agent '%.*s' is served",
                     MT_ARG(job->call->name));
}

static bool lacks_right(rx_job *job)
{
    mt_str right = mt_strf(&job->arena, "agents:%.*s", MT_ARG(job->call->name));
    return !rt_caller_may(job->call->caller, right) &&
           rx_refuse(job, RX_FORBIDDEN, "the caller lacks the right '%.*s'",
                     MT_ARG(right));
}

bool rx_agent_message(rx_job *job)
{
    rx_agent *a = NULL;
    if (find_agent(job, &a) || lacks_right(job)) {
        return true;
    }
    for (size_t i = 0; i < job->call->body.len; i++) {
        if (job->call->body.ptr[i] == '\n') {
            return rx_refuse(job, RX_BAD_REQUEST, "a message is one line of JSON");
        }
    }
    job->work = a;
    return false;
}

/* Instead of the committer's queue. */
void rx_agent_message_queue(rx_job *job)
{
    rx_agent *a = job->work;
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
        rx_refuse(job, RX_CLOSING, "the executor takes no more calls");
        rx_answer(job);
    }
}

static void cycle_json(mt_jw *w, const rx_agent *a)
{
    mt_jw_key_str(w, "agent", rt_agent_service_name(a->service));
}

static mt_err record_cycle(rx_job *job, rx_group *g, const rx_agent *a, int64_t *id)
{
    mt_buf_clear(&g->body);
    mt_jw w = mt_jw_start(&g->body, false);
    mt_jw_begin_object(&w);
    cycle_json(&w, a);
    rx_caller_json(&w, job);
    mt_jw_keyz(&w, "cycle");
    mt_jw_raw(&w, a->done.trace);
    mt_jw_key_str(&w, "kind", MT_STR("agent_cycle"));
    mt_jw_key_i64(&w, "message", a->done.number);
    rx_record_time(&w, g);
    mt_jw_end_object(&w);
    rx_record r = {.kind = "agent_cycle",
                   .subject = rt_agent_service_name(a->service),
                   .unsorted = true};
    return rx_record_add(g, &r, id);
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

mt_err rx_agent_message_commit(rx_job *job, rx_group *g)
{
    rx_agent *a = job->work;
    int64_t record;
    mt_err err = rt_agent_service_keep(a->service, g->tx, g->now_ms, &a->done);
    if (err == MT_E_CONFLICT) {
        a->overtaken = true;
        rx_refuse(job, RX_CONFLICT, "another node was faster");
        return MT_OK;
    }
    err = err ? err : record_cycle(job, g, a, &record);
    if (err) {
        return err;
    }
    mt_jw w = rx_reply(job, 200);
    cycle_json(&w, a);
    mt_jw_keyz(&w, "cycle");
    mt_jw_raw(&w, a->done.trace);
    mt_jw_key_i64(&w, "message", a->done.number);
    mt_jw_key_i64(&w, "record", record);
    sent_json(&w, a->done.sent);
    rx_reply_end(&w);
    return MT_OK;
}

bool rx_agent_list(rx_job *job)
{
    mt_jw w = rx_reply(job, 200);
    mt_jw_keyz(&w, "items");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < job->x->agents.len; i++) {
        mt_jw_begin_object(&w);
        mt_jw_key_str(&w, "id",
                      rt_agent_service_name(job->x->agents.items[i]->service));
        mt_jw_end_object(&w);
    }
    mt_jw_end_array(&w);
    rx_reply_end(&w);
    return true;
}

bool rx_agent_tape(rx_job *job)
{
    rx_agent *a = NULL;
    st_tx *tx;
    if (find_agent(job, &a) || lacks_right(job)) {
        return true;
    }
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (!err) {
        mt_jw w = rx_reply(job, 200);
        cycle_json(&w, a);
        mt_jw_keyz(&w, "state");
        err = rt_agent_service_tape(a->service, tx, &w);
        rx_reply_end(&w);
        st_rollback(tx);
    }
    return err ? rx_refuse_store(job, err) : true;
}

static mt_err list_message(void *state, const st_doc *row)
{
    rx_list *l = state;
    if (!rx_list_take(l)) {
        return MT_OK;
    }
    l->last = mt_str_dup(&l->job->arena, row->id);
    mt_jw_raw(&l->w, row->body);
    return MT_OK;
}

bool rx_agent_log(rx_job *job)
{
    rx_agent *a = NULL;
    rx_list l;
    if (find_agent(job, &a) || lacks_right(job) || rx_list_open(&l, job)) {
        return true;
    }
    return rx_list_close(
        &l, rt_agent_service_log(a->service, l.tx, l.page, list_message, &l));
}

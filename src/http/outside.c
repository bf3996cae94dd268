/* http/outside.c - the thread that asks identity providers.
 * Room: http. Network threads never wait: a request whose token has an unknown key, and
 * logins, sleep while this thread asks. Every minute it also looks whether keys are
 * old. A queue with a ceiling; what does not fit is refused. */
#include <stdlib.h>

#include "base/wait.h"
#include "http/server_state.h"

enum { MAX_WAITING = 256, TEND_MS = 60000 };

struct ht_outside {
    ht_server *server;
    pthread_mutex_t lock;
    pthread_cond_t some;
    ht_request *first, **end; /* a queue; `end` is where the next is put */
    size_t waiting;
    bool stop;
    pthread_t thread;
};

static void tend(ht_outside *o)
{
    mt_buf why = {0};
    au_oidc_tend(o->server->options.oidc, &why);
    ht_believed_forget(o->server->believed); /* a key may have been taken back */
    if (why.len) {
        ht_log_text(o->server->options.log, HT_WARN, "provider_failed", "reason",
                    mt_buf_str(&why));
    }
    mt_buf_free(&why);
}

/* The next request; NULL: none for a while, or it is time to stop. */
static ht_request *take(ht_outside *o, bool *stop)
{
    int64_t end = mt_wait_end(TEND_MS);
    pthread_mutex_lock(&o->lock);
    while (!o->first && !o->stop && mt_cond_wait(&o->some, &o->lock, end)) {
    }
    ht_request *r = o->first;
    if (r) {
        o->first = r->next;
        o->end = o->first ? o->end : &o->first;
        o->waiting--;
    }
    *stop = o->stop && !r;
    pthread_mutex_unlock(&o->lock);
    return r;
}

static void *work(void *state)
{
    ht_outside *o = state;
    bool stop = false;
    tend(o);
    while (!stop) {
        ht_request *r = take(o, &stop);
        if (r) {
            r->errand(r);
        } else if (!stop) {
            tend(o);
        }
    }
    return NULL;
}

ht_outside *ht_outside_start(ht_server *s)
{
    ht_outside *o = mt_xmalloc(sizeof *o);
    *o = (ht_outside){.server = s};
    o->end = &o->first;
    pthread_mutex_init(&o->lock, NULL);
    mt_cond_init(&o->some);
    if (pthread_create(&o->thread, NULL, work, o) != 0) {
        pthread_mutex_destroy(&o->lock);
        pthread_cond_destroy(&o->some);
        free(o);
        return NULL;
    }
    return o;
}

static bool give(ht_outside *o, ht_request *r, void (*errand)(ht_request *r))
{
    if (!o) {
        return false;
    }
    pthread_mutex_lock(&o->lock);
    bool fits = o->waiting < MAX_WAITING && !o->stop;
    if (fits) {
        r->errand = errand;
        r->next = NULL;
        *o->end = r;
        o->end = &r->next;
        o->waiting++;
        pthread_cond_signal(&o->some);
    }
    pthread_mutex_unlock(&o->lock);
    return fits;
}

/* The connection is asleep before it is given away: the errand may be over before this
 * function returns. */
bool ht_request_sleep(ht_request *r, void (*errand)(ht_request *r))
{
    atomic_fetch_add(&r->server->under_way, 1);
    MHD_suspend_connection(r->connection);
    int before = atomic_exchange(&r->stage, HT_SUSPENDED);
    r->asked = true;
    if (give(r->server->outside, r, errand)) {
        return true;
    }
    atomic_store(&r->stage, before);
    atomic_fetch_sub(&r->server->under_way, 1);
    MHD_resume_connection(r->connection);
    return false;
}

void ht_request_go_on_later(ht_request *r, int stage)
{
    atomic_fetch_sub(&r->server->under_way, 1);
    atomic_store(&r->stage, stage);
    MHD_resume_connection(r->connection);
}

void ht_outside_stop(ht_outside *o)
{
    if (!o) {
        return;
    }
    pthread_mutex_lock(&o->lock);
    o->stop = true;
    pthread_cond_signal(&o->some);
    pthread_mutex_unlock(&o->lock);
    pthread_join(o->thread, NULL);
    pthread_mutex_destroy(&o->lock);
    pthread_cond_destroy(&o->some);
    free(o);
}

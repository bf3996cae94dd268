/* http/outside.c - the thread that asks identity providers.
 * Room: http. Network threads never wait: a request whose token has an unknown key, and
 * logins, sleep while this thread asks. Every minute it also looks whether keys are
 * old, however much there is to do. A queue with a ceiling; what does not fit is
 * refused, and so is what still waits when the server ends: a provider that hangs would
 * hold it up by one time-out for each. */
#include <stdlib.h>

#include "base/wait.h"
#include "http/server_state.h"

enum { MAX_WAITING = 256, TEND_MS = 60000 };

struct ht_outside {
    ht_server *server;
    void (*turn_away)(ht_request *r);
    pthread_mutex_t lock;
    pthread_cond_t some;
    ht_request *first, **end; /* a queue; `end` is where the next is put */
    size_t waiting;
    bool stop;
    int64_t tend_ms; /* when keys are to be looked at next; the thread's */
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
    o->tend_ms = mt_wait_end(TEND_MS);
}

/* The next request; NULL: none until keys are to be looked at, or it is time to stop.
 */
static ht_request *take(ht_outside *o, bool *stop)
{
    pthread_mutex_lock(&o->lock);
    while (!o->first && !o->stop && mt_cond_wait(&o->some, &o->lock, o->tend_ms)) {
    }
    ht_request *r = o->first;
    if (r) {
        o->first = r->next;
        o->end = o->first ? o->end : &o->first;
        o->waiting--;
    }
    *stop = o->stop;
    pthread_mutex_unlock(&o->lock);
    return r;
}

static void *work(void *state)
{
    ht_outside *o = state;
    bool stop = false;
    ht_request *r = NULL;
    tend(o);
    while (r || !stop) {
        r = take(o, &stop);
        if (r) {
            (stop ? o->turn_away : r->errand)(r);
        }
        if (!stop && mt_wait_end(0) >= o->tend_ms) {
            tend(o);
        }
    }
    return NULL;
}

ht_outside *ht_outside_start(ht_server *s, void (*turn_away)(ht_request *r))
{
    ht_outside *o = mt_xmalloc(sizeof *o);
    *o = (ht_outside){.server = s, .turn_away = turn_away};
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
    au_oidc_hang_up(o->server->options.oidc);
    pthread_mutex_lock(&o->lock);
    o->stop = true;
    pthread_cond_signal(&o->some);
    pthread_mutex_unlock(&o->lock);
    pthread_join(o->thread, NULL);
    pthread_mutex_destroy(&o->lock);
    pthread_cond_destroy(&o->some);
    free(o);
}

/* adapter/pool.c - a bounded number of connections, lent to one fetch each.
 * Room: adapter.
 * A fetch takes from the pools in one order (ORDER ad_adapter_kind, then the contract's
 * sources), so two of them never wait for each other in a circle. */

#include "adapter/impl.h"
#include "base/wait.h"

void ad_pool_init(ad_pool *p, mt_arena *a, size_t most)
{
    pthread_mutex_init(&p->lock, NULL);
    mt_cond_init(&p->given);
    p->most = most;
    p->idle = mt_new_array(a, void *, most);
    p->idle_count = p->out = 0;
}

/* MT_OK without an object (*out NULL) is the right to make one. It has to be given back
 * either way, or the place is lost. */
mt_err ad_pool_take(ad_pool *p, int64_t deadline, void **out)
{
    *out = NULL;
    pthread_mutex_lock(&p->lock);
    while (p->out == p->most && mt_cond_wait(&p->given, &p->lock, deadline)) {
    }
    bool ok = p->out < p->most;
    if (ok) {
        p->out++;
        *out = p->idle_count ? p->idle[--p->idle_count] : NULL;
    }
    pthread_mutex_unlock(&p->lock);
    return ok ? MT_OK : MT_E_TIMEOUT;
}

void ad_pool_give(ad_pool *p, void *thing)
{
    pthread_mutex_lock(&p->lock);
    p->out--;
    if (thing) {
        p->idle[p->idle_count++] = thing;
    }
    pthread_cond_signal(&p->given);
    pthread_mutex_unlock(&p->lock);
}

void ad_pool_free(ad_pool *p, void (*close)(void *thing))
{
    MT_ASSERT(p->out == 0);
    while (p->idle_count) {
        close(p->idle[--p->idle_count]);
    }
    pthread_cond_destroy(&p->given);
    pthread_mutex_destroy(&p->lock);
}

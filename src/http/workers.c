/* http/workers.c - threads for calls that may wait for somebody else: a database on the
 * network, a source of facts.
 * Room: http. A queue with a ceiling; what does not fit is refused, not kept waiting.
 */
#include <stdlib.h>

#include "http/server_state.h"

enum { MAX_WAITING = 16384 };

struct ht_workers {
    pthread_mutex_t lock;
    pthread_cond_t some;
    ht_request *first, **end; /* a queue; `end` is where the next is put */
    size_t waiting;
    bool stop;
    unsigned count;
    pthread_t threads[];
};

/* NULL: stopping, and the queue is empty; what waits is still done after `stop`. */
static ht_request *take(ht_workers *w)
{
    pthread_mutex_lock(&w->lock);
    while (!w->first && !w->stop) {
        pthread_cond_wait(&w->some, &w->lock);
    }
    ht_request *r = w->first;
    if (r) {
        w->first = r->next;
        w->end = w->first ? w->end : &w->first;
        w->waiting--;
    }
    pthread_mutex_unlock(&w->lock);
    return r;
}

static void *work(void *state)
{
    for (ht_request *r; (r = take(state));) {
        ht_request_call(r);
    }
    return NULL;
}

/* Fewer threads than asked for are accepted; with none, ht_workers_give() refuses. */
ht_workers *ht_workers_start(ht_server *s, unsigned count)
{
    (void)s;
    ht_workers *w = mt_xmalloc(sizeof *w + count * sizeof *w->threads);
    *w = (ht_workers){0};
    w->end = &w->first;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->some, NULL);
    while (w->count < count &&
           pthread_create(&w->threads[w->count], NULL, work, w) == 0) {
        w->count++;
    }
    return w;
}

/* A bounded queue: beyond MAX_WAITING the caller answers 503 at once, instead of
 * late. */
bool ht_workers_give(ht_workers *w, ht_request *r)
{
    pthread_mutex_lock(&w->lock);
    bool fits = w->waiting < MAX_WAITING && w->count && !w->stop;
    if (fits) {
        r->next = NULL;
        *w->end = r;
        w->end = &r->next;
        w->waiting++;
        pthread_cond_signal(&w->some);
    }
    pthread_mutex_unlock(&w->lock);
    return fits;
}

size_t ht_workers_waiting(ht_workers *w)
{
    if (!w) {
        return 0;
    }
    pthread_mutex_lock(&w->lock);
    size_t waiting = w->waiting;
    pthread_mutex_unlock(&w->lock);
    return waiting;
}

/* Its figures can be asked for until it is freed. */
void ht_workers_stop(ht_workers *w)
{
    if (!w) {
        return;
    }
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_broadcast(&w->some);
    pthread_mutex_unlock(&w->lock);
    for (unsigned i = 0; i < w->count; i++) {
        pthread_join(w->threads[i], NULL);
    }
}

void ht_workers_free(ht_workers *w)
{
    if (w) {
        pthread_mutex_destroy(&w->lock);
        pthread_cond_destroy(&w->some);
        free(w);
    }
}

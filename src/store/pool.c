/* store/pool.c - connections that threads take turns with. */
#include "store/pool.h"

#include "base/wait.h"
#include "store/driver.h"

void st_pool_start(st_pool *p, unsigned max)
{
    mt_cond_init(&p->freed);
    pthread_mutex_init(&p->mutex, NULL);
    p->idle = NULL;
    p->open = 0;
    p->max = max;
}

void st_pool_free(st_pool *p)
{
    pthread_cond_destroy(&p->freed);
    pthread_mutex_destroy(&p->mutex);
}

static bool wait_for_room(st_pool *p, unsigned wait_ms)
{
    if (p->idle || p->open < p->max) {
        return true;
    }
    int64_t end = mt_wait_end(wait_ms);
    while (!p->idle && p->open >= p->max && mt_cond_wait(&p->freed, &p->mutex, end)) {
    }
    return p->idle || p->open < p->max;
}

mt_err st_pool_take(st_pool *p, unsigned wait_ms, st_conn **out)
{
    mt_err err = MT_OK;
    pthread_mutex_lock(&p->mutex);
    *out = NULL;
    if (!wait_for_room(p, wait_ms)) {
        err = MT_E_BUSY;
    } else if (p->idle) {
        *out = p->idle;
        p->idle = (*out)->next;
    } else {
        p->open++;
    }
    pthread_mutex_unlock(&p->mutex);
    return err;
}

void st_pool_give(st_pool *p, st_conn *conn)
{
    pthread_mutex_lock(&p->mutex);
    conn->next = p->idle;
    p->idle = conn;
    pthread_cond_signal(&p->freed);
    pthread_mutex_unlock(&p->mutex);
}

void st_pool_drop(st_pool *p)
{
    pthread_mutex_lock(&p->mutex);
    p->open--;
    pthread_cond_signal(&p->freed);
    pthread_mutex_unlock(&p->mutex);
}

st_conn *st_pool_drain(st_pool *p)
{
    pthread_mutex_lock(&p->mutex);
    st_conn *conn = p->idle;
    if (conn) {
        p->idle = conn->next;
        p->open--;
    }
    pthread_mutex_unlock(&p->mutex);
    return conn;
}

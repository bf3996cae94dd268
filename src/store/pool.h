/* store/pool.h - connections that threads take turns with.
 * Room: store, private. Knows how many there may be, not what they are. */
#ifndef ST_POOL_H
#define ST_POOL_H

#include <pthread.h>

#include "base/err.h"

typedef struct st_conn st_conn;

typedef struct st_pool {
    pthread_mutex_t mutex;
    pthread_cond_t freed;
    st_conn *idle;      /* the one used last is taken first: its caches are warm */
    unsigned open, max; /* taken ones included */
} st_pool;

void st_pool_start(st_pool *p, unsigned max);
void st_pool_free(st_pool *p);
/* *out is an idle connection, or NULL: the caller may open one more and must give back
 * either it or, when that fails, its place with st_pool_drop(). MT_E_BUSY after
 * `wait_ms`. */
mt_err st_pool_take(st_pool *p, unsigned wait_ms, st_conn **out);
/* Wakes whoever waits for one. */
void st_pool_give(st_pool *p, st_conn *conn);
/* The connection is gone; its place is free. */
void st_pool_drop(st_pool *p);
/* Takes an idle one without waiting; NULL when there is none. For closing. */
st_conn *st_pool_drain(st_pool *p);

#endif

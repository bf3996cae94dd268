/* base/wait.h - waiting for another thread, with an end.
 * Room: base. May include base/ only; the pure rooms may not include it (tools/layers).
 * Every timed wait of the house goes by the monotonic clock: an operator, or NTP, that
 * sets the wall clock back must not make anybody wait for that long. A condition
 * variable that is waited on with an end is made by mt_cond_init(). */
#ifndef MT_BASE_WAIT_H
#define MT_BASE_WAIT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define MT_WAIT_FOREVER INT64_MAX

static inline void mt_cond_init(pthread_cond_t *c)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(c, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

/* When `wait_ms` from now will be over, in ms of the monotonic clock. */
static inline int64_t mt_wait_end(int64_t wait_ms)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    return wait_ms < MT_WAIT_FOREVER - ms ? ms + wait_ms : MT_WAIT_FOREVER;
}

/* Waits for a signal, the mutex being locked. False: `end_ms` has come. */
static inline bool mt_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, int64_t end_ms)
{
    if (end_ms == MT_WAIT_FOREVER) {
        return pthread_cond_wait(c, m) == 0;
    }
    struct timespec end = {.tv_sec = (time_t)(end_ms / 1000),
                           .tv_nsec = (long)(end_ms % 1000) * 1000000L};
    return pthread_cond_timedwait(c, m, &end) == 0;
}

#endif

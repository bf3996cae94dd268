/* runtime/clock.h - the monotonic clock of the hosts.
 * Room: runtime. For limits and pauses only: no reading of it reaches an engine. */
#ifndef RT_CLOCK_H
#define RT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* `clock`: CLOCK_MONOTONIC, or CLOCK_MONOTONIC_COARSE where ticks are fine enough. */
static inline uint64_t rt_clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline int64_t rt_now_ms(void)
{
    return (int64_t)(rt_clock_ns(CLOCK_MONOTONIC) / 1000000u);
}

/* When something is to end that may not even ask for the time. */
typedef struct rt_deadline {
    int64_t ms;     /* how long it may take */
    int64_t end_ms; /* 0: it has not been asked yet */
} rt_deadline;

/* Is it over? The first to ask starts it. For ct_patience.late. */
static inline bool rt_is_late(void *deadline)
{
    rt_deadline *d = deadline;
    int64_t now = rt_now_ms();
    d->end_ms = d->end_ms ? d->end_ms : now + d->ms;
    return now >= d->end_ms;
}

#endif

/* os/clock.h - the monotonic clock of the hosts.
 * Room: os. For limits and pauses only: no reading of it reaches an engine. */
#ifndef OS_CLOCK_H
#define OS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* `clock`: CLOCK_MONOTONIC, or CLOCK_MONOTONIC_COARSE where ticks are fine enough. */
static inline uint64_t os_clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline int64_t os_now_ms(void)
{
    return (int64_t)(os_clock_ns(CLOCK_MONOTONIC) / 1000000u);
}

/* When something is to end that may not even ask for the time. */
typedef struct os_deadline {
    int64_t ms;     /* how long it may take */
    int64_t end_ms; /* 0: it has not been asked yet */
} os_deadline;

/* Is it over? The first to ask starts it. For ct_patience.late. */
static inline bool os_is_late(void *deadline)
{
    os_deadline *d = deadline;
    int64_t now = os_now_ms();
    d->end_ms = d->end_ms ? d->end_ms : now + d->ms;
    return now >= d->end_ms;
}

#endif

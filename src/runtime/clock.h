/* runtime/clock.h - the monotonic clock of the hosts.
 * Room: runtime. For limits and pauses only: no reading of it reaches an engine. */
#ifndef RT_CLOCK_H
#define RT_CLOCK_H

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

#endif

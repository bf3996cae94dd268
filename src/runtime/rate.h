/* runtime/rate.h - how often somebody may do something.
 * Room: runtime. Pure bookkeeping: the caller supplies the time. */
#ifndef RT_RATE_H
#define RT_RATE_H

#include <stdbool.h>
#include <stdint.h>

/* A bucket of permissions: `per_minute` at most at once, refilled evenly. */
typedef struct rt_rate {
    int64_t tokens_milli; /* thousandths of one permission */
    int64_t at_ms;
} rt_rate;

void rt_rate_start(rt_rate *r, unsigned per_minute, int64_t now_ms);
/* Takes one permission; false when there is none. per_minute 0: always true. */
bool rt_rate_take(rt_rate *r, unsigned per_minute, int64_t now_ms);

#endif

/* os/rate.h - how often somebody may do something.
 * Room: os. Pure bookkeeping: the caller supplies the time. */
#ifndef OS_RATE_H
#define OS_RATE_H

#include <stdbool.h>
#include <stdint.h>

/* A bucket of permissions: `per_minute` at most at once, refilled evenly. */
typedef struct os_rate {
    int64_t tokens_milli; /* thousandths of one permission */
    int64_t at_ms;
} os_rate;

void os_rate_start(os_rate *r, unsigned per_minute, int64_t now_ms);
/* Takes one permission; false when there is none. per_minute 0: always true. */
bool os_rate_take(os_rate *r, unsigned per_minute, int64_t now_ms);

#endif

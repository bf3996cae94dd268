#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 40, ROUND_NS = 5 * 1000 * 1000 };

static uint64_t read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t bench_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

static double once(void (*work)(void *, uint64_t), void *state, uint64_t n)
{
    /* The time of this thread: on a busy machine others take their share of the clock.
     */
    uint64_t start = read_clock(CLOCK_THREAD_CPUTIME_ID);
    work(state, n);
    return (double)(read_clock(CLOCK_THREAD_CPUTIME_ID) - start);
}

double bench_ns(void (*work)(void *, uint64_t), void *state)
{
    uint64_t n = 1;
    while (once(work, state, n) < ROUND_NS && n < (uint64_t)1 << 40) {
        n *= 2;
    }
    double best = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        double ns = once(work, state, n) / (double)n;
        best = ns < best ? ns : best;
    }
    return best;
}

static void number_or_null(const char *key, double value)
{
    if (isnan(value)) {
        printf(", \"%s\": null", key);
    } else {
        printf(", \"%s\": %.6g", key, value);
    }
}

void bench_report(const char *name, double value, const char *unit,
                  const char *baseline_name, double baseline, double target,
                  bench_better better)
{
    printf("{\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"", name, value, unit);
    if (baseline_name) {
        printf(", \"baseline_name\": \"%s\"", baseline_name);
    }
    number_or_null("baseline", baseline_name ? baseline : NAN);
    number_or_null("ratio", baseline_name ? value / baseline : NAN);
    number_or_null("target", target);
    printf(", \"better\": \"%s\"", better == BENCH_LOWER ? "lower" : "higher");
    if (isnan(target)) {
        printf(", \"met\": null}\n");
    } else {
        bool met = better == BENCH_LOWER ? value <= target : value >= target;
        printf(", \"met\": %s}\n", met ? "true" : "false");
    }
    fflush(stdout);
}

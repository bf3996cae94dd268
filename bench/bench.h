/* bench/bench.h - measuring and reporting one figure.
 * Each figure becomes one line {name, value, unit, baseline, ratio, target, better,
 * met} on stdout; tools/bench.py gathers the lines of all programs into
 * build/bench.json, tools/bench-compare runs two builds in turn. */
#ifndef MT_BENCH_H
#define MT_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Monotonic nanoseconds. */
uint64_t bench_now(void);

/* Calls work(state, n) with growing n until one call takes long enough, repeats that
 * and returns the least nanoseconds of processor time per unit of n seen. The work must
 * happen on the calling thread and must not wait. */
double bench_ns(void (*work)(void *state, uint64_t n), void *state);

typedef enum bench_better { BENCH_LOWER, BENCH_HIGHER } bench_better;

/* `baseline_name` may be NULL; then baseline and ratio are null. `target` NAN: no
 * target of its own. ratio = value / baseline. */
void bench_report(const char *name, double value, const char *unit,
                  const char *baseline_name, double baseline, double target,
                  bench_better better);

/* Stops the optimiser from removing work whose result is not used. */
static inline void bench_keep(const void *p)
{
    __asm__ volatile("" : : "g"(p) : "memory");
}

#endif

/* Seeded random numbers for tests: MOTET_SEED, printed by every test that uses it. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t random_state;

static inline void random_start(void)
{
    const char *seed = getenv("MOTET_SEED");
    random_state = seed ? strtoull(seed, NULL, 10) : 20260101;
    printf("seed %llu\n", (unsigned long long)random_state);
}

/* splitmix64 */
static inline uint32_t random_below(uint32_t limit)
{
    uint64_t z = (random_state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ (z >> 31)) % limit);
}

#endif

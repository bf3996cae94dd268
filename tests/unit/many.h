/* tests/unit/many.h - how many random cases a test tries, and from which seed.
 * `make test` sets MOTET_SEED, too: a seed chooses other cases, never fewer. */
#ifndef MT_TEST_MANY_H
#define MT_TEST_MANY_H

#include <stdint.h>
#include <stdlib.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

/* Whether every access to memory is watched, which takes long. */
#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer) ||                \
    __has_feature(thread_sanitizer)
enum { MANY_WATCHED = 1 };
#else
enum { MANY_WATCHED = 0 };
#endif

/* All with MOTET_SOAK=1, else as many as usual; a quarter where they are watched. */
static inline uint64_t many_or(uint64_t all, uint64_t usual)
{
    return getenv("MOTET_SOAK") ? all : MANY_WATCHED ? usual / 4 : usual;
}

/* A tenth of all is usual; few where they are watched. */
static inline uint64_t many_of(uint64_t all)
{
    return many_or(all, MANY_WATCHED ? all / 50 : all / 10);
}

/* The case to begin with: MOTET_SEED, or this one. */
static inline uint64_t many_from(uint64_t usual)
{
    const char *given = getenv("MOTET_SEED");
    return given ? strtoull(given, NULL, 10) : usual;
}

#endif

/* tests/unit/many.h - how many random cases a test tries, and from which seed.
 * `make test` sets MOTET_SEED, too: a seed chooses other cases, never fewer. */
#ifndef MT_TEST_MANY_H
#define MT_TEST_MANY_H

#include <stdint.h>
#include <stdlib.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

/* All with MOTET_SOAK=1, a tenth without; a hundredth where every access to memory is
 * watched. */
static inline uint64_t many_of(uint64_t all)
{
#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer) ||                \
    __has_feature(thread_sanitizer)
    enum { PART = 100 };
#else
    enum { PART = 10 };
#endif
    return getenv("MOTET_SOAK") ? all : all / PART;
}

/* The case to begin with: MOTET_SEED, or this one. */
static inline uint64_t many_from(uint64_t usual)
{
    const char *given = getenv("MOTET_SEED");
    return given ? strtoull(given, NULL, 10) : usual;
}

#endif

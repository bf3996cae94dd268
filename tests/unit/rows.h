/* tests/unit/rows.h - table-driven cmocka tests.
 * Each row has a `name` that reads as a sentence and becomes a test of its own:
 *     rows_add(&list, ROWS, refuses);
 *     rows_test(&list, a_bomb_is_refused);
 *     return rows_run(&list, "base/yaml_read"); */
#ifndef MT_TEST_ROWS_H
#define MT_TEST_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/str.h"

enum { ROWS_MAX = 512 };

typedef struct rows_list {
    struct CMUnitTest tests[ROWS_MAX];
    size_t count;
} rows_list;

static inline void rows_add_one(rows_list *l, const char *name, CMUnitTestFunction run,
                                const void *row)
{
    MT_ASSERT(l->count < ROWS_MAX);
    l->tests[l->count++] =
        (struct CMUnitTest){name, run, NULL, NULL, (void *)(uintptr_t)row};
}

#define rows_count(rows)  (sizeof(rows) / sizeof *(rows))
#define rows_test(l, run) rows_add_one((l), #run, run, NULL)
#define rows_add(l, rows, run)                                                         \
    do {                                                                               \
        for (size_t row_ = 0; row_ < rows_count(rows); row_++) {                       \
            rows_add_one((l), (rows)[row_].name, run, &(rows)[row_]);                  \
        }                                                                              \
    } while (0)

static inline int rows_run(rows_list *l, const char *group)
{
    return _cmocka_run_group_tests(group, l->tests, l->count, NULL, NULL);
}

/* Byte-wise comparison that shows both texts. */
static inline void assert_text(mt_str got, mt_str want)
{
    if (!mt_str_eq(got, want)) {
        fail_msg("got  %.*s\nwant %.*s", MT_ARG(got), MT_ARG(want));
    }
}

/* A copy without a byte to spare, so that a sanitizer sees any read past its end. */
static inline mt_str fenced(mt_str s)
{
    char *copy = mt_xmalloc(s.len);
    if (s.len) {
        memcpy(copy, s.ptr, s.len);
    }
    return mt_str_from(copy, s.len);
}

static inline void fenced_free(mt_str s)
{
    free((void *)(uintptr_t)s.ptr);
}

/* xorshift; seeded from MOTET_SEED so that a failure can be repeated. */
typedef struct dice {
    uint64_t state;
} dice;

static inline dice dice_from_environment(void)
{
    const char *seed = getenv("MOTET_SEED");
    uint64_t value = seed ? strtoull(seed, NULL, 10) : 1;
    print_message("seed %llu\n", (unsigned long long)value);
    return (dice){value * 0x9E3779B97F4A7C15u + 0x632BE59BD9B4E019u};
}

static inline uint64_t dice_next(dice *d)
{
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return d->state * 0x2545F4914F6CDD1Du;
}

static inline size_t dice_below(dice *d, size_t end)
{
    return (size_t)((dice_next(d) >> 16) % end);
}

static inline size_t soak_or(size_t soak, size_t usual)
{
    return getenv("MOTET_SOAK") ? soak : usual;
}

#endif

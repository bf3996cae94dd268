/* bench/bench_decimal.c - decimals and doubles, nanoseconds per operation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/number.h"
#include "bench.h"

enum { COUNT = 1024 };

static mt_decimal same[COUNT];  /* amounts with two fraction digits */
static mt_decimal mixed[COUNT]; /* any scale and size */
static double doubles[COUNT];
static char texts[COUNT][MT_NUMBER_TEXT];
static mt_str amounts[COUNT], numbers[COUNT];

static uint64_t next(void)
{
    static uint64_t x = 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
}

static void prepare(mt_arena *a)
{
    for (int i = 0; i < COUNT; i++) {
        same[i] = (mt_decimal){.lo = next() >> 30, .scale = 2, .negative = next() & 1};
        mixed[i] = (mt_decimal){
            .lo = next(), .hi = (uint32_t)next(), .scale = (uint8_t)(next() % 29)};
        char text[MT_DECIMAL_TEXT];
        amounts[i] = mt_str_dup(a, mt_str_from(text, mt_decimal_print(same[i], text)));
        uint64_t bits = next() & ~((uint64_t)1 << 62);
        memcpy(&doubles[i], &bits, sizeof bits);
        numbers[i] = mt_str_from(texts[i], mt_number_print(doubles[i], texts[i]));
    }
}

#define LOOP(name, work)                                                               \
    static void name(void *state, uint64_t n)                                          \
    {                                                                                  \
        (void)state;                                                                   \
        for (uint64_t i = 0; i < n; i++) {                                             \
            unsigned at = i % COUNT, other = (at * 7 + 13) % COUNT;                    \
            (void)other;                                                               \
            work;                                                                      \
        }                                                                              \
    }

static mt_decimal result;
static double number;
static int order;
static char text_out[MT_DECIMAL_TEXT + MT_NUMBER_TEXT];

/* clang-format off */
LOOP(cmp_same, order += mt_decimal_cmp(same[at], same[other]))
LOOP(cmp_mixed, order += mt_decimal_cmp(mixed[at], mixed[other]))
LOOP(add_same, order += (int)mt_decimal_add(same[at], same[other], &result))
LOOP(add_mixed, order += (int)mt_decimal_add(mixed[at], mixed[other], &result))
LOOP(mul_same, order += (int)mt_decimal_mul(same[at], same[other], &result))
LOOP(mul_mixed, order += (int)mt_decimal_mul(mixed[at], mixed[other], &result))
LOOP(parse, order += (int)mt_decimal_parse(amounts[at], &result))
LOOP(print, order += (int)mt_decimal_print(same[at], text_out))
LOOP(number_parse, order += (int)mt_number_parse(numbers[at], &number))
LOOP(number_print, order += (int)mt_number_print(doubles[at], text_out))
LOOP(strtod_parse, number += strtod(numbers[at].ptr, NULL))
/* clang-format on */

static const struct row {
    const char *name;
    void (*work)(void *, uint64_t);
    double target;
} ROWS[] = {
    {"decimal.cmp", cmp_same, 10},      {"decimal.cmp.mixed", cmp_mixed, NAN},
    {"decimal.add", add_same, 10},      {"decimal.add.mixed", add_mixed, NAN},
    {"decimal.mul", mul_same, 10},      {"decimal.mul.mixed", mul_mixed, NAN},
    {"decimal.parse", parse, NAN},      {"decimal.print", print, NAN},
    {"number.print", number_print, 60},
};

int main(void)
{
    mt_arena a = {0};
    prepare(&a);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        bench_report(ROWS[i].name, bench_ns(ROWS[i].work, NULL), "ns", NULL, NAN,
                     ROWS[i].target, BENCH_LOWER);
    }
    double baseline = bench_ns(strtod_parse, NULL);
    bench_report("number.parse", bench_ns(number_parse, NULL), "ns", "strtod", baseline,
                 60, BENCH_LOWER);
    bench_keep(&order);
    bench_keep(&number);
    mt_arena_free(&a);
    return 0;
}

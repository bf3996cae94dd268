/* graph/exact.h - sums of doubles without rounding.
 * Room: graph. May include base/ only.
 * A sum is a fixed-point number that holds every double and every square of one, so
 * what was added can be taken away again, and neither order nor history shows. Only
 * reading rounds, once, to the nearest double, ties to even.
 * Cost: adding touches a few words; reading works on the words that are not zero. */
#ifndef GR_EXACT_H
#define GR_EXACT_H

#include <stdbool.h>
#include <stdint.h>

/* 2^-1074 to 2^1024 and the carries of 2^40 additions; squares twice as wide. */
enum { GR_SUM_WORDS = 34, GR_SQUARES_WORDS = 67 };

/* Two's complement, least significant word first; the last bit stands for 2^-1074. */
typedef struct gr_sum {
    uint64_t words[GR_SUM_WORDS];
} gr_sum;

/* Of squares; the last bit stands for 2^-2148. */
typedef struct gr_squares {
    uint64_t words[GR_SQUARES_WORDS];
} gr_squares;

/* x must be finite. */
void gr_sum_add(gr_sum *s, double x);
void gr_sum_take(gr_sum *s, double x);
void gr_squares_add(gr_squares *s, double x);
void gr_squares_take(gr_squares *s, double x);

/* The double nearest to the sum divided by `by` (1 .. 2^62); infinite when none is. An
 * exact zero is +0.0. */
double gr_sum_over(const gr_sum *s, uint64_t by);
/* The double nearest to (count * squares - sum * sum) / by: with by = n (n - 1) the
 * sample variance of n numbers. */
double gr_spread_over(const gr_squares *squares, const gr_sum *sum, uint32_t count,
                      uint64_t by);

#endif

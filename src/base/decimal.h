/* base/decimal.h - exact decimals: 96-bit coefficient, scale 0..28, a sign.
 * Room: base. May include base/ only.
 * The contract NumericModel: every rounding is half to even, a result that does not
 * fit is MT_E_OVERFLOW, zero has no sign. Intermediates are 256 bits wide, so one
 * operation rounds once. Plain values: copy freely, share between threads. */
#ifndef MT_BASE_DECIMAL_H
#define MT_BASE_DECIMAL_H

#include "base/str.h"

__extension__ typedef unsigned __int128 mt_u128;

typedef struct mt_decimal {
    uint64_t lo; /* coefficient bits 0..63 */
    uint32_t hi; /* coefficient bits 64..95 */
    uint8_t scale;
    bool negative;
} mt_decimal;

enum { MT_DECIMAL_MAX_SCALE = 28, MT_DECIMAL_DIGITS = 28, MT_DECIMAL_TEXT = 34 };

/* Reads `-`? digits [`.` digits] with at least one digit; fraction digits that do not
 * fit are rounded. MT_E_SYNTAX or MT_E_OVERFLOW otherwise. */
mt_err mt_decimal_parse(mt_str text, mt_decimal *out);
/* Writes the text with its scale kept ("1.50"), no NUL; returns the length. */
size_t mt_decimal_print(mt_decimal d, char out[MT_DECIMAL_TEXT]);

mt_decimal mt_decimal_from_i64(int64_t value);
/* MT_E_RANGE when d is not a whole number or does not fit. */
mt_err mt_decimal_to_i64(mt_decimal d, int64_t *out);

/* The general forms of the inline functions below. */
int mt_decimal_cmp_slow(mt_decimal a, mt_decimal b);
mt_err mt_decimal_add_slow(mt_decimal a, mt_decimal b, mt_decimal *out);

/* Do both have one scale and coefficients below 2^62? Then signed words can do it. */
static inline bool mt_decimal_simple(mt_decimal a, mt_decimal b)
{
    return a.scale == b.scale && !(a.hi | b.hi | (a.lo | b.lo) >> 62);
}

static inline int64_t mt_decimal_word(mt_decimal d)
{
    return d.negative ? -(int64_t)d.lo : (int64_t)d.lo;
}

/* By value: 1.5 equals 1.50. Never rounds. */
static inline int mt_decimal_cmp(mt_decimal a, mt_decimal b)
{
    if (MT_LIKELY(mt_decimal_simple(a, b))) {
        int64_t x = mt_decimal_word(a), y = mt_decimal_word(b);
        return (x > y) - (x < y);
    }
    return mt_decimal_cmp_slow(a, b);
}

static inline mt_err mt_decimal_add(mt_decimal a, mt_decimal b, mt_decimal *out)
{
    if (MT_LIKELY(mt_decimal_simple(a, b))) {
        int64_t sum = mt_decimal_word(a) + mt_decimal_word(b);
        *out = (mt_decimal){.lo = (uint64_t)(sum < 0 ? -sum : sum),
                            .scale = a.scale,
                            .negative = sum < 0};
        return MT_OK;
    }
    return mt_decimal_add_slow(a, b, out);
}

static inline mt_err mt_decimal_sub(mt_decimal a, mt_decimal b, mt_decimal *out)
{
    b.negative = !b.negative;
    return mt_decimal_add(a, b, out);
}

/* Rounded once, half to even, if the exact product does not fit. */
mt_err mt_decimal_mul(mt_decimal a, mt_decimal b, mt_decimal *out);
/* §13.6 bounds what is computed with: 28 significant digits, of which zeros at the end
 * of the fraction are none. Is the value within it? */
bool mt_decimal_bounded(mt_decimal d);
/* The exact sum, the exact product, rounded once, half to even, to at most `scale`
 * fraction digits. MT_E_OVERFLOW when it is not bounded then. */
mt_err mt_decimal_add_to(mt_decimal a, mt_decimal b, unsigned scale, mt_decimal *out);
mt_err mt_decimal_mul_to(mt_decimal a, mt_decimal b, unsigned scale, mt_decimal *out);
/* The same product, with fewer fraction digits where 28 digits do not hold them all. */
mt_err mt_decimal_mul_within(mt_decimal a, mt_decimal b, unsigned scale,
                             mt_decimal *out);
/* Exactly `scale` fraction digits, rounding or padding. */
mt_err mt_decimal_rescale(mt_decimal d, unsigned scale, mt_decimal *out);

/* Does the value, exactly, fit Decimal(precision, scale)? */
bool mt_decimal_fits(mt_decimal d, unsigned precision, unsigned scale);
/* Smallest scale that keeps the value: 1.500 has 1. */
unsigned mt_decimal_min_scale(mt_decimal d);

#endif

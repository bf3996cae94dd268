/* graph/steps.h - what single steps compute, shared by the two ways to run them.
 * Room: graph. Internal to it. Inputs are finite: every value was checked when it was
 * made.
 * The two ways must agree to the last bit: captures are compared by bytes. So there
 * is one spelling of each computation, and the compiler may not contract it
 * (-ffp-contract=off). */
#ifndef GR_STEPS_H
#define GR_STEPS_H

#include "graph/value.h"

static inline uint64_t gr_bits(double n)
{
    uint64_t bits;
    memcpy(&bits, &n, sizeof bits);
    return bits;
}

static inline double gr_from_bits(uint64_t bits)
{
    double n;
    memcpy(&n, &bits, sizeof n);
    return n;
}

/* All bits of the exponent: of a double only infinities and NaN have them. */
#define GR_EXPONENT 0x7ff0000000000000u

static inline bool gr_finite(double n)
{
    return (gr_bits(n) & GR_EXPONENT) != GR_EXPONENT;
}

/* Equal finite numbers differ at most in the sign of zero: or and and choose it. */
static inline double gr_lesser(double a, double b)
{
    double equal = gr_from_bits(gr_bits(a) | gr_bits(b));
    return a < b ? a : b < a ? b : equal;
}

static inline double gr_greater(double a, double b)
{
    double equal = gr_from_bits(gr_bits(a) & gr_bits(b));
    return a > b ? a : b > a ? b : equal;
}

/* Two finite numbers may have a quotient that is not: 1e308 / 1e-308. */
static inline double gr_safe_divide(double a, double b, double fallback)
{
    double q = a / b;
    return b == 0 || !gr_finite(q) ? fallback : q;
}

/* Strictly from left to right; 0.0 for an empty series. */
static inline double gr_series_sum(const gr_value *series)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < series->len; i++) {
        sum += series->as.series[i];
    }
    return sum;
}

/* 0.0 for an empty series. */
static inline double gr_mean(const gr_value *series)
{
    double sum = gr_series_sum(series);
    return series->len ? sum / series->len : sum;
}

/* A copy: the series may be the context's, and a pass must not change what it was
 * given. */
static inline void gr_append(mt_arena *scratch, const gr_value *series, double value,
                             gr_value *out)
{
    double *copy = mt_alloc(scratch, mt_array_bytes(series->len + (size_t)1, 8));
    if (series->len) {
        memcpy(copy, series->as.series, series->len * sizeof *copy);
    }
    copy[series->len] = value;
    *out = gr_series(copy, series->len + (size_t)1);
}

/* The last `size` elements, borrowed. */
static inline void gr_window(const gr_value *series, uint32_t size, gr_value *out)
{
    uint32_t skip = series->len > size ? series->len - size : 0;
    out->as.series = series->len ? series->as.series + skip : NULL;
    out->len = series->len - skip;
}

/* A context value of the wanted type, or the type's zero. False: not finite. */
static inline bool gr_from_context(const gr_value *v, uint32_t type, gr_value *out)
{
    if (MT_LIKELY(v->type == type)) {
        *out = *v;
        return type == GR_NUMBER ? gr_finite(v->as.number)
                                 : type != GR_SERIES || gr_value_finite(v);
    }
    *out = gr_type_zero((gr_type)type);
    return true;
}

#endif

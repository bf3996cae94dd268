/* contract/wire/promote.c - the types of sums and products (spec §4.2, §13.2).
 *
 * Whole numbers only: the digits of a bound are counted, no logarithm is taken. Int
 * with Int stays Int with the range that follows, clamped to 64 bits; beside a Decimal
 * it becomes the Decimal that holds all its values; durations meet in the smaller
 * unit; a DateTime moves by a duration and two differ by one.
 *
 * NULL means the operands have no sum or product. The elaborator has the same rules on
 * its own types (front/pass4_terms.c). */
#include "contract/wire/load_internal.h"

__extension__ typedef __int128 wide;

/* A bound that 64 bits cannot hold is the largest they hold: no value beyond it can be
 * computed anyway, the evaluator aborts first (§13.3). */
static int64_t clamp(wide value)
{
    return value < INT64_MIN   ? INT64_MIN
           : value > INT64_MAX ? INT64_MAX
                               : (int64_t)value;
}

static const ct_type *int_type(mt_arena *a, wide min, wide max)
{
    ct_type *t = mt_new(a, ct_type);
    *t = ct_int_type(clamp(min), clamp(max));
    return t;
}

static const ct_type *duration_type(mt_arena *a, unsigned unit, wide min, wide max)
{
    ct_type *t = mt_new(a, ct_type);
    *t = ct_duration_type((ct_duration_unit)unit, clamp(min), clamp(max));
    return t;
}

/* A scale beyond 28 is not representable (§13.6): what is left out of it goes from the
 * precision too, so that the digits before the point stay. */
static const ct_type *decimal_type(mt_arena *a, uint64_t precision, uint64_t scale)
{
    ct_type *t = mt_new(a, ct_type);
    if (scale > MT_DECIMAL_MAX_SCALE) {
        precision -= scale - MT_DECIMAL_MAX_SCALE;
        scale = MT_DECIMAL_MAX_SCALE;
    }
    *t = ct_decimal_type(precision > UINT32_MAX ? UINT32_MAX : (uint32_t)precision,
                         (uint32_t)scale);
    return t;
}

/* In unsigned arithmetic, because -INT64_MIN does not exist. */
static uint64_t magnitude(int64_t v)
{
    return v < 0 ? (uint64_t)0 - (uint64_t)v : (uint64_t)v;
}

/* ceil(log10(max(|min|,|max|))) + 1; ceil(log10(m)) is the number of digits of m-1. */
static uint32_t int_precision(const ct_type *t)
{
    uint64_t lo = magnitude(t->as.range.min), hi = magnitude(t->as.range.max);
    uint64_t m = lo > hi ? lo : hi;
    uint32_t digits = 1;
    for (uint64_t rest = m ? m - 1 : 0; rest; rest /= 10) {
        digits++;
    }
    return digits;
}

/* §13.2: an Int beside a Decimal is the Decimal of scale 0 that holds its range. */
static void as_decimal(const ct_type *t, uint64_t *precision, uint64_t *scale)
{
    *precision = ct_is_int(t) ? int_precision(t) : t->as.decimal.precision;
    *scale = ct_is_int(t) ? 0 : t->as.decimal.scale;
}

static const ct_type *decimal_sum(mt_arena *a, const ct_type *x, const ct_type *y)
{
    uint64_t p1, s1, p2, s2;
    as_decimal(x, &p1, &s1);
    as_decimal(y, &p2, &s2);
    return decimal_type(a, (p1 > p2 ? p1 : p2) + 1, s1 > s2 ? s1 : s2);
}

/* A difference is least with the greatest subtrahend, so its bounds are crossed. */
static const ct_type *int_sum(mt_arena *a, const ct_type *x, const ct_type *y,
                              bool minus)
{
    wide min = (wide)x->as.range.min +
               (minus ? -(wide)y->as.range.max : (wide)y->as.range.min);
    wide max = (wide)x->as.range.max +
               (minus ? -(wide)y->as.range.min : (wide)y->as.range.max);
    return int_type(a, min, max);
}

/* §4.2: the smaller unit, in which both are whole numbers. Units are ordered from small
 * to large, each a multiple of those below it. */
static const ct_type *duration_sum(mt_arena *a, const ct_type *x, const ct_type *y,
                                   bool minus)
{
    unsigned unit = x->unit < y->unit ? x->unit : y->unit;
    wide fx = CT_UNIT_SECONDS[x->unit] / CT_UNIT_SECONDS[unit];
    wide fy = CT_UNIT_SECONDS[y->unit] / CT_UNIT_SECONDS[unit];
    wide y_min = fy * y->as.range.min, y_max = fy * y->as.range.max;
    return duration_type(a, unit, fx * x->as.range.min + (minus ? -y_max : y_min),
                         fx * x->as.range.max + (minus ? -y_min : y_max));
}

/* Seconds from 0001-01-01 to the end of 9999-12-31 bound every difference. */
static const ct_type *time_difference(mt_arena *a)
{
    const wide span = (wide)3652059 * 86400;
    return duration_type(a, CT_SECONDS, -span, span);
}

/* The table of §4.2, one line per pair. What it does not list has no sum: two DateTimes
 * cannot be added, a Date moves by nothing, and Money needs one currency. */
const ct_type *ct_type_of_sum(mt_arena *a, const ct_type *left, const ct_type *right,
                              bool minus)
{
    if (ct_is_int(left) && ct_is_int(right)) {
        return int_sum(a, left, right, minus);
    }
    if (ct_has(left, LN_NUMBER) && ct_has(right, LN_NUMBER)) {
        return decimal_sum(a, left, right);
    }
    if (ct_has(left, LN_CURRENCY) && ct_type_comparable(left, right)) {
        return left;
    }
    if (ct_has(left, LN_UNIT) && ct_has(right, LN_UNIT)) {
        return duration_sum(a, left, right, minus);
    }
    if (ct_held(left) == LN_TIME && ct_has(right, LN_UNIT) && !minus) {
        return left;
    }
    if (ct_has(left, LN_UNIT) && ct_held(right) == LN_TIME && !minus) {
        return right;
    }
    if (ct_held(left) == LN_TIME && ct_held(right) == LN_TIME && minus) {
        return time_difference(a);
    }
    return NULL;
}

/* With negative bounds any of the four corners may be the least or the greatest. */
static const ct_type *int_product(mt_arena *a, const ct_type *x, const ct_type *y)
{
    wide corner[4] = {(wide)x->as.range.min * y->as.range.min,
                      (wide)x->as.range.min * y->as.range.max,
                      (wide)x->as.range.max * y->as.range.min,
                      (wide)x->as.range.max * y->as.range.max};
    wide min = corner[0], max = corner[0];
    for (int i = 1; i < 4; i++) {
        min = corner[i] < min ? corner[i] : min;
        max = corner[i] > max ? corner[i] : max;
    }
    return int_type(a, min, max);
}

/* Digits of a whole number as written. */
static uint64_t digits_of(int64_t value)
{
    uint64_t digits = 1;
    for (uint64_t rest = magnitude(value) / 10; rest; rest /= 10) {
        digits++;
    }
    return digits;
}

/* §13.2: a factor times a literal. A Decimal keeps its scale, an Int takes the
 * literal's. */
static const ct_type *scaled(mt_arena *a, const ct_type *factor, const ct_type *literal)
{
    uint64_t precision, scale;
    as_decimal(factor, &precision, &scale);
    if (ct_is_int(literal)) {
        return decimal_type(a, precision + digits_of(literal->as.range.min), scale);
    }
    return decimal_type(a, precision + literal->as.decimal.precision,
                        ct_is_int(factor) ? literal->as.decimal.scale : scale);
}

/* Of two variables, in payloads: digits and scales add up, so that the product stays
 * exact as long as 28 digits hold it. Of two literals the right one is the factor. */
const ct_type *ct_type_of_product(mt_arena *a, const ct_expr *left,
                                  const ct_expr *right)
{
    const ct_type *x = left->type, *y = right->type;
    if (!ct_has(x, LN_NUMBER) || !ct_has(y, LN_NUMBER)) {
        return NULL;
    }
    if (ct_is_int(x) && ct_is_int(y)) {
        return int_product(a, x, y);
    }
    if (right->op == CT_LITERAL) {
        return scaled(a, x, y);
    }
    if (left->op == CT_LITERAL) {
        return scaled(a, y, x);
    }
    uint64_t p1, s1, p2, s2;
    as_decimal(x, &p1, &s1);
    as_decimal(y, &p2, &s2);
    return decimal_type(a, p1 + p2, s1 + s2);
}

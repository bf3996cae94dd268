/* contract/eval/arith.c - what an instruction computes: exact sums, and orders for
 * comparisons.
 *
 * Whole numbers are added in 128 bits, so nothing wraps before the range of the type
 * is looked at; decimals by base/decimal; times by seconds and milliseconds apart. A
 * result is rounded to the scale of its type first (half to even) and must then fit
 * its range: the order of these two is the specification's (NumericModel).
 *
 * Durations of different units are brought to seconds by the two factors in the
 * instruction's `wide`, which the compiler put there; comparing them cannot overflow,
 * adding them may.
 *
 * ct_arith() gives a value or MT_E_OVERFLOW and no text; ct_arith_text() makes the
 * text of a fault afterwards, from the same operands, so a correct evaluation never
 * prints. ct_order() cannot fail; -1, 0, 1, or 0 and 1 where a type has no order. */
#include "contract/eval/arith.h"

#include "base/utf8.h"

__extension__ typedef __int128 wide;

static int64_t factor_a(const ct_insn *in)
{
    return (int64_t)(in->wide & UINT32_MAX);
}

static int64_t factor_b(const ct_insn *in)
{
    return (int64_t)(in->wide >> 32);
}

/* The bounds of Int and Duration types are part of the type. */
static mt_err in_range(const ct_type *t, wide value, ct_value *out)
{
    if (value < t->as.range.min || value > t->as.range.max) {
        return MT_E_OVERFLOW;
    }
    out->integer = (int64_t)value;
    return MT_OK;
}

/* Rounds to the type's scale, then the digits before the point must fit too. */
static mt_err in_decimal(const ct_type *t, mt_decimal d, ct_value *out)
{
    unsigned scale = t->as.decimal.scale;
    if (d.scale > scale && mt_decimal_rescale(d, scale, &d) != MT_OK) {
        return MT_E_OVERFLOW;
    }
    out->decimal = d;
    return mt_decimal_fits(d, t->as.decimal.precision, scale) ? MT_OK : MT_E_OVERFLOW;
}

static mt_err decimal_result(const ct_type *t, mt_err err, mt_decimal d, ct_value *out)
{
    return err == MT_OK ? in_decimal(t, d, out) : err;
}

/* Sums, differences and products, rounded once to the scale of their type (§13.4) and
 * bounded by 28 digits (§13.6). A product of two variables gives up fraction digits
 * before that; Money has no scale of its own. */
static mt_err on_decimals(const ct_type *t, uint8_t op, mt_decimal a, mt_decimal b,
                          mt_decimal *out)
{
    unsigned scale =
        ct_has(t, LN_CURRENCY) ? MT_DECIMAL_MAX_SCALE : t->as.decimal.scale;
    switch (op) {
    case CT_CODE_MUL_DECIMAL: return mt_decimal_mul_to(a, b, scale, out);
    case CT_CODE_MUL_DECIMALS: return mt_decimal_mul_within(a, b, scale, out);
    case CT_CODE_SUB_DECIMAL:
    case CT_CODE_SUB_MONEY: b.negative = !b.negative; break;
    default: break;
    }
    return mt_decimal_add_to(a, b, scale, out);
}

/* A DateTime and a duration: milliseconds stay as they are. */
static mt_err moved(ct_time t, wide seconds, ct_value *out)
{
    wide at = t.seconds + seconds;
    if (at < INT64_MIN / 2 || at > INT64_MAX / 2) {
        return MT_E_OVERFLOW;
    }
    out->time = (ct_time){(int64_t)at, t.nanos};
    return ct_time_valid(out->time) ? MT_OK : MT_E_OVERFLOW;
}

/* Half to even on the second. */
static int64_t seconds_between(ct_time a, ct_time b)
{
    int64_t seconds = a.seconds - b.seconds;
    int64_t nanos = (int64_t)a.nanos - (int64_t)b.nanos;
    if (nanos < 0) {
        nanos += 1000000000;
        seconds--;
    }
    bool up = nanos > 500000000 || (nanos == 500000000 && (seconds & 1));
    return seconds + up;
}

static mt_err fit_text(const ct_type *t, const ct_value *a, ct_value *out)
{
    *out = *a;
    return mt_utf8_count(a->text) <= t->as.max_length ? MT_OK : MT_E_OVERFLOW;
}

/* 128 bits hold every sum and product of two 64-bit numbers, also scaled to seconds. */
static mt_err arith_whole(const ct_type *t, const ct_insn *in, const ct_value *a,
                          const ct_value *b, ct_value *out)
{
    wide x = a->integer, y = b ? b->integer : 0;
    switch (in->op) {
    case CT_CODE_ADD_INT: return in_range(t, x + y, out);
    case CT_CODE_SUB_INT: return in_range(t, x - y, out);
    case CT_CODE_MUL_INT: return in_range(t, x * y, out);
    case CT_CODE_FIT_INT: return in_range(t, x, out);
    case CT_CODE_ADD_DURATION:
        return in_range(t, x * factor_a(in) + y * factor_b(in), out);
    case CT_CODE_SUB_DURATION:
        return in_range(t, x * factor_a(in) - y * factor_b(in), out);
    case CT_CODE_ADD_TIME: return moved(a->time, y * (int64_t)in->wide, out);
    case CT_CODE_TIME_DIFFERENCE:
        return in_range(t, seconds_between(a->time, b->time), out);
    default: MT_BUG("not an operation on whole numbers");
    }
}

mt_err ct_arith(const ct_type *type, const ct_insn *in, const ct_value *a,
                const ct_value *b, ct_value *out)
{
    mt_decimal d = {0};
    switch (in->op) {
    case CT_CODE_ADD_DECIMAL:
    case CT_CODE_SUB_DECIMAL:
    case CT_CODE_MUL_DECIMAL:
    case CT_CODE_MUL_DECIMALS:
        return decimal_result(
            type, on_decimals(type, in->op, a->decimal, b->decimal, &d), d, out);
    case CT_CODE_FIT_DECIMAL: return in_decimal(type, a->decimal, out);
    case CT_CODE_ADD_MONEY:
    case CT_CODE_SUB_MONEY:
        return on_decimals(type, in->op, a->decimal, b->decimal, &out->decimal);
    case CT_CODE_FIT_TEXT: return fit_text(type, a, out);
    case CT_CODE_TO_DECIMAL:
        out->decimal = mt_decimal_from_i64(a->integer);
        return MT_OK;
    default: return arith_whole(type, in, a, b, out);
    }
}

static int order_of(wide x, wide y)
{
    return (x > y) - (x < y);
}

static int time_order(ct_time a, ct_time b)
{
    return a.seconds != b.seconds ? order_of(a.seconds, b.seconds)
                                  : order_of(a.nanos, b.nanos);
}

int ct_order(const ct_insn *in, const ct_type *at, const ct_type *bt, const ct_value *a,
             const ct_value *b)
{
    switch (in->op) {
    case CT_CODE_INT: return order_of(a->integer, b->integer);
    case CT_CODE_DECIMAL: return mt_decimal_cmp(a->decimal, b->decimal);
    case CT_CODE_TEXT: return !mt_str_eq(a->text, b->text);
    case CT_CODE_CHOICE: return a->choice != b->choice;
    case CT_CODE_TIME: return time_order(a->time, b->time);
    case CT_CODE_SECONDS:
        return order_of((wide)a->integer * factor_a(in),
                        (wide)b->integer * factor_b(in));
    case CT_CODE_DEEP: return !ct_value_equal(at, a, bt, b);
    default: MT_BUG("not a comparison");
    }
}

/* A whole number of up to 128 bits. */
static mt_str wide_text(mt_arena *arena, wide value)
{
    char digits[48], *end = digits + sizeof digits, *at = end;
    mt_u128 size = value < 0 ? (mt_u128)0 - (mt_u128)value : (mt_u128)value;
    do {
        *--at = (char)('0' + (int)(size % 10));
        size /= 10;
    } while (size);
    if (value < 0) {
        *--at = '-';
    }
    return mt_str_dup(arena, mt_str_from(at, (size_t)(end - at)));
}

static mt_str range_text(mt_arena *arena, const ct_type *t, wide value)
{
    return mt_strf(arena, "result %.*s outside declared range [%lld, %lld]",
                   MT_ARG(wide_text(arena, value)), (long long)t->as.range.min,
                   (long long)t->as.range.max);
}

static mt_str decimal_text(mt_arena *arena, const ct_type *t, mt_err err, mt_decimal d,
                           const char *what)
{
    char text[MT_DECIMAL_TEXT];
    if (err != MT_OK) {
        return mt_strf(arena, "%s overflow", what);
    }
    size_t len = mt_decimal_print(d, text);
    return mt_strf(arena, "result %.*s exceeds declared precision(%u, %u)", (int)len,
                   text, t->as.decimal.precision, t->as.decimal.scale);
}

mt_str ct_arith_text(mt_arena *arena, const ct_type *type, const ct_insn *in,
                     const ct_value *a, const ct_value *b)
{
    mt_decimal d = {0};
    mt_err err;
    wide x = a->integer, y = b ? b->integer : 0;
    switch (in->op) {
    case CT_CODE_ADD_INT: return range_text(arena, type, x + y);
    case CT_CODE_SUB_INT: return range_text(arena, type, x - y);
    case CT_CODE_MUL_INT: return range_text(arena, type, x * y);
    case CT_CODE_FIT_INT: return range_text(arena, type, x);
    case CT_CODE_ADD_DURATION:
        return range_text(arena, type, x * factor_a(in) + y * factor_b(in));
    case CT_CODE_SUB_DURATION:
        return range_text(arena, type, x * factor_a(in) - y * factor_b(in));
    case CT_CODE_TIME_DIFFERENCE:
        return range_text(arena, type, seconds_between(a->time, b->time));
    case CT_CODE_ADD_DECIMAL:
    case CT_CODE_SUB_DECIMAL:
    case CT_CODE_MUL_DECIMAL:
    case CT_CODE_MUL_DECIMALS:
        err = on_decimals(type, in->op, a->decimal, b->decimal, &d);
        return decimal_text(arena, type, err, d,
                            in->op == CT_CODE_ADD_DECIMAL   ? "addition"
                            : in->op == CT_CODE_SUB_DECIMAL ? "subtraction"
                                                            : "multiplication");
    case CT_CODE_FIT_DECIMAL:
        return decimal_text(arena, type, MT_OK, a->decimal, "payload");
    case CT_CODE_FIT_TEXT:
        return mt_strf(arena, "text of length %zu exceeds Text(max_length=%zu)",
                       mt_utf8_count(a->text), type->as.max_length);
    case CT_CODE_ADD_MONEY: return MT_STR("addition overflow");
    case CT_CODE_SUB_MONEY: return MT_STR("subtraction overflow");
    default: return MT_STR("DateTime outside the years 0001 to 9999");
    }
}

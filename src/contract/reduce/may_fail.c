/* contract/reduce/may_fail.c - what the types of operands say about overflow.
 *
 * Ranges of whole numbers are computed in 128 bits, digits of decimals are counted: a
 * result that fits its type for all operands never fails. Money and moments have no
 * bounds to count with and are taken to fail. What is inside a quantifier counts as if
 * its list were not empty. */
#include "contract/reduce/may_fail.h"

__extension__ typedef __int128 wide;

/* ---- Ranges of whole numbers ---- */

typedef struct span {
    wide least, most;
} span;

/* In 128 bits: 64-bit bounds times a unit, and products of two, have room. */
static span span_of(const ct_type *t, wide factor)
{
    return (span){t->as.range.min * factor, t->as.range.max * factor};
}

static span span_product(span a, span b)
{
    wide corner[4] = {a.least * b.least, a.least * b.most, a.most * b.least,
                      a.most * b.most};
    span s = {corner[0], corner[0]};
    for (int i = 1; i < 4; i++) {
        s.least = corner[i] < s.least ? corner[i] : s.least;
        s.most = corner[i] > s.most ? corner[i] : s.most;
    }
    return s;
}

static span span_sum(span a, span b, bool minus)
{
    return minus ? (span){a.least - b.most, a.most - b.least}
                 : (span){a.least + b.least, a.most + b.most};
}

/* Whole, since results are in the smaller unit (§4.2). */
static wide unit_factor(const ct_type *of, const ct_type *in)
{
    return CT_UNIT_SECONDS[of->unit] / CT_UNIT_SECONDS[in->unit];
}

/* What the operation can give, from the types of its operands alone. Of times: the
 * difference of any two moments of the calendar. */
static span whole_span(const ct_expr *e)
{
    const ct_type *x = e->left->type, *y = e->right->type, *t = e->type;
    bool lasting = ct_has(t, LN_UNIT);
    if (ct_held(x) == LN_TIME) {
        const wide all = (wide)3652059 * 86400;
        return (span){-all, all};
    }
    span a = span_of(x, lasting ? unit_factor(x, t) : 1);
    span b = span_of(y, lasting ? unit_factor(y, t) : 1);
    return e->op == CT_MUL ? span_product(a, b) : span_sum(a, b, e->op == CT_SUB);
}

static bool span_fits(span s, const ct_type *t)
{
    return s.least >= t->as.range.min && s.most <= t->as.range.max;
}

static int64_t digits_of(int64_t bound)
{
    int64_t digits = 0;
    for (; bound; bound /= 10) {
        digits++;
    }
    return digits;
}

/* Digits before and after the point; false when the type does not bound them. */
static bool decimal_digits(const ct_type *t, int64_t *before, int64_t *after_point)
{
    if (ct_is_int(t)) {
        int64_t low = digits_of(t->as.range.min), high = digits_of(t->as.range.max);
        *before = low > high ? low : high;
        *after_point = 0;
        return true;
    }
    *before = (int64_t)t->as.decimal.precision - t->as.decimal.scale;
    *after_point = t->as.decimal.scale;
    return t != &CT_TYPE_ANY_DECIMAL;
}

/* No overflow and no rounding, from digits alone: a product adds them, a sum may carry
 * one. */
static bool decimal_safe(const ct_expr *e)
{
    int64_t b1, a1, b2, a2;
    const ct_type *t = e->type;
    if (!decimal_digits(e->left->type, &b1, &a1) ||
        !decimal_digits(e->right->type, &b2, &a2)) {
        return false;
    }
    bool product = e->op == CT_MUL;
    int64_t before = product ? b1 + b2 : (b1 > b2 ? b1 : b2) + 1;
    int64_t behind = product ? a1 + a2 : (a1 > a2 ? a1 : a2);
    int64_t room = (int64_t)t->as.decimal.precision - t->as.decimal.scale;
    return before + behind <= MT_DECIMAL_MAX_SCALE && behind <= t->as.decimal.scale &&
           before <= room;
}

/* Money is never safe: its type bounds nothing. */
bool ct_arith_safe(const ct_expr *e)
{
    return ct_has(e->type, LN_RANGED) ? span_fits(whole_span(e), e->type)
                                      : ct_is_decimal(e->type) && decimal_safe(e);
}

/* ---- Conditions and payloads ---- */

bool ct_may_fail(const ct_expr *e)
{
    if (!e) {
        return false;
    }
    if (e->op == CT_INDEX || e->op == CT_VARIANT) {
        return true;
    }
    bool is_arith = e->op == CT_ADD || e->op == CT_SUB || e->op == CT_MUL;
    bool misfits = e->op == CT_FIT && !ct_fit_safe(e->type, e->left->type);
    return (is_arith && !ct_arith_safe(e)) || misfits || ct_may_fail(e->left) ||
           ct_may_fail(e->right);
}

bool ct_reads_payload(const ct_expr *e)
{
    return e && (e->op == CT_PAYLOAD || ct_reads_payload(e->left) ||
                 ct_reads_payload(e->right));
}

/* Rounding may carry into a digit more before the point, hence the one that is
 * added. */
bool ct_fit_safe(const ct_type *to, const ct_type *from)
{
    int64_t before, behind;
    if (ct_has(to, LN_RANGED)) {
        return span_fits(span_of(from, 1), to);
    }
    if (ct_is_decimal(to)) {
        return decimal_digits(from, &before, &behind) &&
               before + (behind > to->as.decimal.scale) <=
                   (int64_t)to->as.decimal.precision - to->as.decimal.scale;
    }
    return ct_held(to) != LN_TEXT || !to->as.max_length ||
           from->as.max_length <= to->as.max_length;
}

bool ct_payload_may_fail(const ct_rule *r)
{
    return ct_may_fail(r->payload) || ct_reads_payload(r->payload) ||
           !ct_fit_safe(r->payload_type, r->payload->type);
}

/* contract/reduce/values.c - sets of values as cuts on a line.
 *
 * A value of a type with steps is the whole number of its steps, so that `x < 3` and
 * `x <= 2` are one set of an Int; a constant between two steps is where its cut would
 * be. Enum values and Bools are numbered, too, but have no order: a condition on them
 * is written with = and != only.
 *
 * Writing a set: as its intervals joined by `or`, or as its gaps forbidden one by one
 * and joined by `and`, whichever has fewer comparisons. A constant that somebody wrote
 * is written again as it was.
 *
 * Invariants: cuts ascend, none twice; a set is within ct_values_all(). Nothing fails:
 * what cannot be placed (an amount beyond 28 digits in steps) is refused by
 * ct_values_where(), and the comparison then stays as it is. */
#include "contract/reduce/values.h"

#include "base/vec.h"
#include "contract/reduce/expr.h"

enum { NANO_DIGITS = 9 };
/* The first day of year 1 and the last of year 9999, from 1970. */
static const int64_t FIRST_DAY = -719162, LAST_DAY = 2932896;

/* ---- Places ---- */

/* Digits behind the point that a step has; -1: no steps. */
static int step_digits(const ct_type *t)
{
    bool counted = ct_is_decimal(t) && t->as.decimal.precision <= MT_DECIMAL_MAX_SCALE;
    return ct_held(t) == LN_TIME ? NANO_DIGITS
           : counted             ? (int)t->as.decimal.scale
           : ct_held(t) == LN_DECIMAL || ct_held(t) == LN_TEXT ? -1
                                                               : 0;
}

static bool is_ordered(const ct_type *t)
{
    return ct_has(t, LN_ORDERED);
}

bool ct_values_of(const ct_type *type)
{
    ln_held held = ct_held(type);
    return held != LN_RECORD && held != LN_VARIANT && held != LN_LIST;
}

/* The literal as a number of the term's unit and kind; false: it has none. */
static bool number_of(const ct_type *t, const ct_expr *literal, mt_decimal *out)
{
    const ct_value *v = literal->value;
    switch (ct_held(literal->type)) {
    case LN_BOOLEAN: *out = mt_decimal_from_i64(v->boolean); return true;
    case LN_INTEGER:
        *out = mt_decimal_from_i64(v->integer);
        return !ct_has(t, LN_UNIT) ||
               mt_decimal_mul(*out,
                              mt_decimal_from_i64(CT_UNIT_SECONDS[literal->type->unit]),
                              out) == MT_OK;
    case LN_DECIMAL: *out = v->decimal; return true;
    case LN_TIME: {
        mt_decimal nanos = mt_decimal_from_i64(v->time.nanos);
        nanos.scale = NANO_DIGITS;
        return mt_decimal_add(mt_decimal_from_i64(v->time.seconds), nanos, out) ==
               MT_OK;
    }
    case LN_CHOICE: {
        uint32_t at = ct_choice_find(t, literal->type->as.values[v->choice]);
        *out = mt_decimal_from_i64(at == CT_NONE ? -1 : (int64_t)at);
        return true;
    }
    case LN_TEXT:
    case LN_RECORD:
    case LN_VARIANT:
    case LN_LIST: break;
    }
    return false;
}

/* The greatest whole number not above d; *exact: it is d. */
static bool whole_below(mt_decimal d, mt_decimal *out, bool *exact)
{
    if (mt_decimal_rescale(d, 0, out) != MT_OK) {
        return false;
    }
    int order = mt_decimal_cmp(*out, d);
    *exact = order == 0;
    return order <= 0 || mt_decimal_sub(*out, mt_decimal_from_i64(1), out) == MT_OK;
}

/* d as a number of steps, rounded down. Seconds are counted in the type's unit. */
static bool in_steps(const ct_type *t, mt_decimal d, mt_decimal *out, bool *exact)
{
    __extension__ typedef __int128 wide;
    if (ct_has(t, LN_UNIT)) {
        int64_t unit = CT_UNIT_SECONDS[t->unit];
        wide seconds = (wide)((mt_u128)d.hi << 64 | d.lo);
        seconds = d.negative ? -seconds : seconds;
        wide steps = seconds / unit - (seconds % unit < 0);
        *exact = seconds % unit == 0;
        *out = mt_decimal_from_i64((int64_t)steps);
        return steps >= INT64_MIN && steps <= INT64_MAX;
    }
    /* 10^digits times d: the point is moved, or zeros are put behind. */
    unsigned digits = (unsigned)step_digits(t);
    if (d.scale < digits &&
        (mt_decimal_rescale(d, digits, &d) != MT_OK || d.scale != digits)) {
        return false;
    }
    d.scale = (uint8_t)(d.scale - digits);
    return whole_below(d, out, exact);
}

/* Where values up to the literal end (after) or those below it (before). */
static bool cut_at(const ct_type *t, const ct_expr *literal, bool after, ct_cut *out)
{
    mt_decimal n;
    bool exact = true;
    *out = (ct_cut){.after = after, .literal = literal, .literal_after = after};
    if (ct_held(t) == LN_TEXT) {
        out->text = literal->value->text;
        return ct_held(literal->type) == LN_TEXT;
    }
    if (!number_of(t, literal, &n)) {
        return false;
    }
    out->at = n;
    if (step_digits(t) < 0) {
        return true;
    }
    if (!in_steps(t, n, &out->at, &exact)) {
        return false;
    }
    /* A step later is the same place, and so are both sides of what lies between two
     * steps. */
    out->after = false;
    out->between = !exact;
    return !(after || !exact) ||
           mt_decimal_add(out->at, mt_decimal_from_i64(1), &out->at) == MT_OK;
}

static int order_of(const ct_cut *x, const ct_cut *y)
{
    int order =
        x->text.ptr ? mt_str_cmp(x->text, y->text) : mt_decimal_cmp(x->at, y->at);
    return order ? order : (int)x->after - (int)y->after;
}

/* ---- Sets ---- */

static ct_values made(mt_arena *a, bool below, const ct_cut *first,
                      const ct_cut *second)
{
    ct_cut *cuts = mt_alloc(a, 2 * sizeof *cuts);
    cuts[0] = *first;
    if (!second) {
        return (ct_values){cuts, 1, below};
    }
    cuts[1] = *second;
    return (ct_values){cuts, order_of(first, second) < 0 ? 2 : 0, below};
}

/* One walk over the cuts of both; what is in the result follows from what is in each.
 */
static ct_values combined(mt_arena *a, ct_values x, ct_values y, bool both)
{
    ct_cut *cuts = mt_alloc(a, (x.count + y.count + 1) * sizeof *cuts);
    bool in_x = x.below, in_y = y.below, now = both ? in_x && in_y : in_x || in_y;
    ct_values out = {cuts, 0, now};
    for (uint32_t i = 0, k = 0; i < x.count || k < y.count;) {
        int order = i == x.count   ? 1
                    : k == y.count ? -1
                                   : order_of(&x.cuts[i], &y.cuts[k]);
        const ct_cut *cut = order <= 0 ? &x.cuts[i] : &y.cuts[k];
        in_x ^= order <= 0;
        in_y ^= order >= 0;
        i += order <= 0;
        k += order >= 0;
        bool next = both ? in_x && in_y : in_x || in_y;
        if (next != now) {
            cuts[out.count++] = *cut;
            now = next;
        }
    }
    return out;
}

ct_values ct_values_meet(mt_arena *a, ct_values x, ct_values y)
{
    return combined(a, x, y, true);
}

ct_values ct_values_join(mt_arena *a, ct_values x, ct_values y)
{
    return combined(a, x, y, false);
}

ct_values ct_values_but(mt_arena *a, const ct_type *type, ct_values x)
{
    x.below = !x.below;
    return combined(a, x, ct_values_all(a, type), true);
}

bool ct_values_same(ct_values x, ct_values y)
{
    if (x.count != y.count || x.below != y.below) {
        return false;
    }
    for (uint32_t i = 0; i < x.count; i++) {
        if (order_of(&x.cuts[i], &y.cuts[i])) {
            return false;
        }
    }
    return true;
}

/* From the first to the last, both in steps. */
static ct_values between(mt_arena *a, mt_decimal least, mt_decimal most)
{
    ct_cut from = {.at = least}, to = {.at = most};
    if (mt_decimal_add(most, mt_decimal_from_i64(1), &to.at) != MT_OK) {
        return made(a, false, &from, NULL);
    }
    return made(a, false, &from, &to);
}

/* A Decimal of p digits is less than 10^p steps. */
static ct_values all_decimals(mt_arena *a, const ct_type *t)
{
    mt_decimal most = mt_decimal_from_i64(1), ten = mt_decimal_from_i64(10);
    for (unsigned i = 0; i < t->as.decimal.precision; i++) {
        if (mt_decimal_mul(most, ten, &most) != MT_OK) {
            return (ct_values){.below = true};
        }
    }
    if (mt_decimal_sub(most, mt_decimal_from_i64(1), &most) != MT_OK) {
        return (ct_values){.below = true};
    }
    mt_decimal least = most;
    least.negative = true;
    return between(a, least, most);
}

ct_values ct_values_all(mt_arena *a, const ct_type *type)
{
    switch (ct_held(type)) {
    case LN_BOOLEAN: return between(a, mt_decimal_from_i64(0), mt_decimal_from_i64(1));
    case LN_CHOICE:
        return between(a, mt_decimal_from_i64(0), mt_decimal_from_i64(type->count - 1));
    case LN_INTEGER: {
        bool day = ct_is_day(type);
        return between(a, mt_decimal_from_i64(day ? FIRST_DAY : type->as.range.min),
                       mt_decimal_from_i64(day ? LAST_DAY : type->as.range.max));
    }
    case LN_DECIMAL:
        if (step_digits(type) >= 0) {
            return all_decimals(a, type);
        }
        break;
    case LN_TEXT:
    case LN_TIME:
    case LN_RECORD:
    case LN_VARIANT:
    case LN_LIST: break;
    }
    return (ct_values){.below = true};
}

bool ct_values_where(mt_arena *a, const ct_type *type, ct_compare compare,
                     const ct_expr *literal, ct_values *out)
{
    ct_cut before, after;
    if (!cut_at(type, literal, false, &before) ||
        !cut_at(type, literal, true, &after)) {
        return false;
    }
    switch (compare) {
    case CT_EQ: *out = made(a, false, &before, &after); break;
    case CT_NE: *out = made(a, true, &before, &after); break;
    case CT_LT: *out = made(a, true, &before, NULL); break;
    case CT_LE: *out = made(a, true, &after, NULL); break;
    case CT_GT: *out = made(a, false, &after, NULL); break;
    case CT_GE: *out = made(a, false, &before, NULL); break;
    }
    *out = combined(a, *out, ct_values_all(a, type), true);
    return true;
}

ct_values ct_values_bool(mt_arena *a, bool value)
{
    mt_decimal n = mt_decimal_from_i64(value);
    return between(a, n, n);
}

/* ---- Writing ---- */

typedef struct pen {
    mt_arena *a;
    const ct_expr *term;
    uint32_t comparisons;
    const ct_expr *e; /* what was written so far */
} pen;

/* A number of steps as a literal of the term's type. */
static const ct_expr *literal_of(pen *p, mt_decimal steps)
{
    const ct_type *t = p->term->type;
    ct_value v = {0};
    int64_t n = 0;
    (void)mt_decimal_to_i64(steps, &n);
    switch (ct_held(t)) {
    case LN_BOOLEAN: v.boolean = n != 0; break;
    case LN_CHOICE: v.choice = (uint32_t)n; break;
    case LN_INTEGER: v.integer = n; break;
    case LN_DECIMAL:
        v.decimal = steps;
        v.decimal.scale = (uint8_t)step_digits(t);
        break;
    case LN_TIME: {
        __extension__ typedef __int128 wide;
        wide unit = 1000000000, all = (wide)((mt_u128)steps.hi << 64 | steps.lo);
        all = steps.negative ? -all : all;
        wide seconds = all / unit - (all % unit < 0);
        v.time = (ct_time){(int64_t)seconds, (uint32_t)(all - seconds * unit)};
        break;
    }
    case LN_TEXT:
    case LN_RECORD:
    case LN_VARIANT:
    case LN_LIST: MT_BUG("a type without steps");
    }
    return ct_expr_literal(p->a, t, v);
}

static void add(pen *p, ct_op op, const ct_expr *e)
{
    p->e = p->e ? ct_expr_new(p->a, op, p->e, e) : e;
}

static const ct_expr *compared(pen *p, ct_compare compare, const ct_expr *literal)
{
    p->comparisons++;
    return ct_expr_compare(p->a, p->term, compare, literal);
}

/* Values from the cut on, or up to it. */
static const ct_expr *bound(pen *p, const ct_cut *cut, bool lower)
{
    if (cut->literal) {
        bool after = cut->literal_after;
        ct_compare compare = lower ? (after ? CT_GT : CT_GE) : (after ? CT_LE : CT_LT);
        return compared(p, compare, cut->literal);
    }
    return compared(p, lower ? CT_GE : CT_LT, literal_of(p, cut->at));
}

/* Is there just one value from one cut to the other? */
static bool is_point(const ct_cut *from, const ct_cut *to, bool steps)
{
    mt_decimal next;
    if (steps) {
        return mt_decimal_add(from->at, mt_decimal_from_i64(1), &next) == MT_OK &&
               mt_decimal_cmp(next, to->at) == 0;
    }
    return !from->after && to->after &&
           (from->text.ptr ? mt_str_eq(from->text, to->text)
                           : mt_decimal_cmp(from->at, to->at) == 0);
}

/* Of a type without order every value is written by itself. */
static void add_choices(pen *p, const ct_cut *from, const ct_cut *to, bool in)
{
    mt_decimal one = mt_decimal_from_i64(1);
    for (mt_decimal n = from->at; mt_decimal_cmp(n, to->at) < 0;) {
        add(p, in ? CT_OR : CT_AND, compared(p, in ? CT_EQ : CT_NE, literal_of(p, n)));
        if (mt_decimal_add(n, one, &n) != MT_OK) {
            return;
        }
    }
}

/* A point as it was written, if it was. */
static const ct_expr *point_literal(pen *p, const ct_cut *from, bool steps)
{
    bool written = from->literal && !from->literal_after && !from->between;
    return written || !steps ? from->literal : literal_of(p, from->at);
}

/* One interval; in: its values are the condition's, else just the others. NULL: it is
 * open on that side. */
static void add_interval(pen *p, const ct_cut *from, const ct_cut *to, bool in)
{
    const ct_type *t = p->term->type;
    ct_op op = in ? CT_OR : CT_AND;
    bool steps = step_digits(t) >= 0;
    if (from && to && is_point(from, to, steps)) {
        const ct_expr *literal = point_literal(p, from, steps);
        add(p, op, compared(p, in ? CT_EQ : CT_NE, literal));
    } else if (!is_ordered(t)) {
        add_choices(p, from, to, in);
    } else if (!from || !to) {
        add(p, op, bound(p, from ? from : to, (from != NULL) == in));
    } else {
        const ct_expr *x = bound(p, from, in), *y = bound(p, to, !in);
        add(p, op, ct_expr_new(p->a, in ? CT_AND : CT_OR, x, y));
    }
}

/* The intervals of `x`; where one begins or ends with the type itself, that bound need
 * not be written, unless values are listed one by one. */
static void add_intervals(pen *p, ct_values x, ct_values all, bool in)
{
    const ct_type *t = p->term->type;
    const ct_cut *first = all.count ? &all.cuts[0] : NULL;
    const ct_cut *last = all.count ? &all.cuts[all.count - 1] : NULL;
    const ct_cut *from = NULL;
    bool inside = x.below;
    for (uint32_t i = 0; i <= x.count; i++) {
        const ct_cut *cut = i < x.count ? &x.cuts[i] : NULL;
        if (inside) {
            bool listed = !is_ordered(t);
            bool at_first = !listed && from && first && !order_of(from, first);
            bool at_last = !listed && cut && last && !order_of(cut, last);
            bool point = from && cut && is_point(from, cut, step_digits(t) >= 0);
            add_interval(p, at_first && !point ? NULL : from,
                         at_last && !point ? NULL : cut, in);
        }
        from = cut;
        inside = !inside;
    }
}

const ct_expr *ct_values_condition(mt_arena *a, const ct_expr *term, ct_values x,
                                   ct_op op, uint32_t *comparisons)
{
    ct_values all = ct_values_all(a, term->type);
    ct_values rest = ct_values_but(a, term->type, x);
    pen in = {.a = a, .term = term}, out = {.a = a, .term = term};
    bool endless = !is_ordered(term->type) && !all.count; /* texts */
    if (!endless || !x.below) {
        add_intervals(&in, x, all, true);
    }
    if (!endless || x.below) {
        add_intervals(&out, rest, all, false);
    }
    bool shorter = out.comparisons < in.comparisons ||
                   (out.comparisons == in.comparisons && op == CT_AND);
    bool by_rest = endless ? x.below : shorter;
    *comparisons = by_rest ? out.comparisons : in.comparisons;
    return by_rest ? out.e : in.e;
}

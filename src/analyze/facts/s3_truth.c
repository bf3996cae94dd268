/* analyze/facts/s3_truth.c - S3a: which truth values a condition can have.
 *
 * One pass over the expression, by declared types alone: a term has a domain (numbers
 * between two bounds, names of a set, texts up to a length), a comparison of two
 * domains can hold, fail or both, and `and`, `or`, `not` and quantifiers combine what
 * their parts can do. A list may be empty: `forall` can always hold, `exists` can
 * always fail. What is impossible here is impossible; the converse needs a proof.
 *
 * Rules are taken in the order of evaluation, so the truth of a verdict is known
 * before it is read; a payload that is a literal is looked through. One thing more is
 * seen: the same question asked twice (`a and not a`), by contract/flow/possible.h.
 *
 * Ranges are decimals, compared exactly. Where a range cannot be represented nothing
 * is known, which means both. Nothing can fail. */
#include "analyze/facts/analyzer.h"
#include "base/utf8.h"
#include "contract/flow/possible.h"
#include "contract/reduce/expr.h"

typedef struct truths {
    const ct_model *m;
    const uint8_t *rules; /* an_truth of every rule before this one */
} truths;

static an_truth truth(const truths *t, const ct_expr *e);

static an_truth turned(an_truth t)
{
    return (an_truth)((t >> 1) | ((t & 1) << 1));
}

static an_truth when(bool can_hold, bool can_fail)
{
    return (an_truth)((can_hold ? AN_CAN_HOLD : 0) | (can_fail ? AN_CAN_FAIL : 0));
}

static an_truth both(an_truth l, an_truth r)
{
    return when(l & r & AN_CAN_HOLD, (l | r) & AN_CAN_FAIL);
}

/* ---- numbers ---- */

typedef struct range {
    mt_decimal low, high;
    bool known; /* otherwise it may be anything */
} range;

static range number_between(mt_decimal low, mt_decimal high)
{
    return (range){low, high, true};
}

static range int_range(const ct_type *type)
{
    return number_between(mt_decimal_from_i64(type->as.range.min),
                          mt_decimal_from_i64(type->as.range.max));
}

/* In seconds, whatever the unit. */
static range duration_range(const ct_type *type, int64_t min, int64_t max)
{
    mt_decimal unit = mt_decimal_from_i64(CT_UNIT_SECONDS[type->unit]);
    range r = {.known = true};
    r.known = !mt_decimal_mul(mt_decimal_from_i64(min), unit, &r.low) &&
              !mt_decimal_mul(mt_decimal_from_i64(max), unit, &r.high);
    return r;
}

/* Nines to the precision, at the scale. The widest Decimal holds more than that. */
static range decimal_range(const ct_type *type)
{
    mt_u128 nines = 1;
    if (type->as.decimal.precision >= MT_DECIMAL_MAX_SCALE ||
        type->as.decimal.scale > MT_DECIMAL_MAX_SCALE) {
        return (range){0};
    }
    for (uint32_t i = 0; i < type->as.decimal.precision; i++) {
        nines *= 10;
    }
    nines--;
    mt_decimal high = {.lo = (uint64_t)nines,
                       .hi = (uint32_t)(nines >> 64),
                       .scale = (uint8_t)type->as.decimal.scale};
    mt_decimal low = high;
    low.negative = nines != 0;
    return number_between(low, high);
}

static range literal_range(const ct_expr *e)
{
    if (ct_has(e->type, LN_UNIT)) {
        return duration_range(e->type, e->value->integer, e->value->integer);
    }
    if (ct_held(e->type) == LN_INTEGER) { /* days compare like numbers */
        return number_between(mt_decimal_from_i64(e->value->integer),
                              mt_decimal_from_i64(e->value->integer));
    }
    return ct_held(e->type) == LN_DECIMAL
               ? number_between(e->value->decimal, e->value->decimal)
               : (range){0};
}

static range range_of(const ct_expr *e)
{
    if (e->op == CT_LITERAL) {
        return literal_range(e);
    }
    if (e->op == CT_AMOUNT) {
        return (range){0};
    }
    if (ct_has(e->type, LN_UNIT)) {
        return duration_range(e->type, e->type->as.range.min, e->type->as.range.max);
    }
    return ct_has(e->type, LN_RANGED) ? int_range(e->type)
           : ct_is_decimal(e->type)   ? decimal_range(e->type)
                                      : (range){0};
}

/* Of two ranges: can it hold, can it fail? Both may be true at once. */
static an_truth compare_numbers(ct_compare op, range x, range y)
{
    /* Can x be below, and at or below, y; and y below x? */
    bool below = mt_decimal_cmp(x.low, y.high) < 0;
    bool at_most = mt_decimal_cmp(x.low, y.high) <= 0;
    bool above = mt_decimal_cmp(x.high, y.low) > 0;
    bool at_least = mt_decimal_cmp(x.high, y.low) >= 0;
    bool one_value = !mt_decimal_cmp(x.low, x.high) && !mt_decimal_cmp(y.low, y.high) &&
                     !mt_decimal_cmp(x.low, y.low);
    switch (op) {
    case CT_EQ: return when(at_most && at_least, !one_value);
    case CT_NE: return when(!one_value, at_most && at_least);
    case CT_LT: return when(below, at_least);
    case CT_LE: return when(at_most, above);
    case CT_GT: return when(above, at_most);
    case CT_GE: return when(at_least, below);
    }
    return AN_EITHER;
}

/* ---- names and texts ---- */

static mt_str choice_at(const ct_expr *e, uint32_t i)
{
    return e->type->as.values[e->op == CT_LITERAL ? e->value->choice : i];
}

static an_truth equal_choices(const ct_expr *x, const ct_expr *y)
{
    uint32_t xn = x->op == CT_LITERAL ? 1 : x->type->count;
    uint32_t yn = y->op == CT_LITERAL ? 1 : y->type->count;
    bool shared = x->type == y->type && xn > 1 && yn > 1;
    for (uint32_t i = 0; i < xn && !shared; i++) {
        for (uint32_t k = 0; k < yn && !shared; k++) {
            shared = mt_str_eq(choice_at(x, i), choice_at(y, k));
        }
    }
    return when(shared, !(shared && xn == 1 && yn == 1));
}

static bool too_long(const ct_expr *literal, const ct_expr *other)
{
    return literal->op == CT_LITERAL && other->op != CT_LITERAL &&
           mt_utf8_count(literal->value->text) > other->type->as.max_length;
}

static an_truth equal_values(const ct_expr *x, const ct_expr *y)
{
    if (x->op == CT_LITERAL && y->op == CT_LITERAL) {
        bool same = ct_value_equal(x->type, x->value, y->type, y->value);
        return when(same, !same);
    }
    if (ct_held(x->type) == LN_TEXT && (too_long(x, y) || too_long(y, x))) {
        return AN_CAN_FAIL;
    }
    return AN_EITHER;
}

/* ---- comparisons ---- */

/* A payload is compared only if its verdict is there; without it the comparison is
 * false. The truth values of "all of them are there". */
static an_truth payloads_there(const truths *t, const ct_expr *e)
{
    an_truth there = AN_CAN_HOLD;
    for (; e && e->op != CT_LITERAL && e->op != CT_FACT; e = e->left) {
        if (e->op == CT_PAYLOAD) {
            return both(there, (an_truth)t->rules[e->index]);
        }
        if (e->right) {
            there = both(there, payloads_there(t, e->right));
        }
    }
    return there;
}

/* A payload that is a literal is that value, once it is there. */
static const ct_expr *seen_through(const truths *t, const ct_expr *e)
{
    const ct_expr *payload = e->op == CT_PAYLOAD ? t->m->rules[e->index].payload : NULL;
    return payload && payload->op == CT_LITERAL && payload->type->base == e->type->base
               ? payload
               : e;
}

/* A value compared with itself is decided without its range. */
static an_truth compare_values(const truths *t, const ct_expr *e)
{
    const ct_expr *x = seen_through(t, e->left), *y = seen_through(t, e->right);
    range xs = range_of(x), ys = range_of(y);
    an_truth equal;
    if (x->op != CT_LITERAL && ct_expr_same(x, y)) {
        bool holds = e->compare == CT_EQ || e->compare == CT_LE || e->compare == CT_GE;
        return when(holds, !holds);
    }
    if (xs.known && ys.known) {
        return compare_numbers((ct_compare)e->compare, xs, ys);
    }
    if (e->compare > CT_NE) {
        return AN_EITHER;
    }
    if (ct_held(x->type) == LN_BOOLEAN && ct_held(y->type) == LN_BOOLEAN) {
        an_truth l = truth(t, x), r = truth(t, y);
        equal = when((l & r) != 0, (l & turned(r)) != 0);
    } else if (ct_held(x->type) == LN_CHOICE && ct_held(y->type) == LN_CHOICE) {
        equal = equal_choices(x, y);
    } else {
        equal = equal_values(x, y);
    }
    return e->compare == CT_EQ ? equal : turned(equal);
}

static an_truth comparison(const truths *t, const ct_expr *e)
{
    an_truth there = both(payloads_there(t, e->left), payloads_there(t, e->right));
    return both(there, compare_values(t, e));
}

/* ---- predicates ---- */

/* Three answers: holds, does not, either. Never wrong, but "either" may be less than
 * could be known. */
static an_truth truth(const truths *t, const ct_expr *e)
{
    switch ((ct_op)e->op) {
    case CT_LITERAL: return when(e->value->boolean, !e->value->boolean);
    case CT_COMPARE: return comparison(t, e);
    case CT_PRESENT: return (an_truth)t->rules[e->index];
    case CT_AND: return both(truth(t, e->left), truth(t, e->right));
    case CT_OR:
        return turned(both(turned(truth(t, e->left)), turned(truth(t, e->right))));
    case CT_NOT: return turned(truth(t, e->left));
    case CT_FORALL:
        return when(true, (truth(t, e->right) & AN_CAN_FAIL) &&
                              e->left->type->as.list.max > 0);
    case CT_EXISTS:
        return when(
            (truth(t, e->right) & AN_CAN_HOLD) && e->left->type->as.list.max > 0, true);
    case CT_PAYLOAD: {
        const ct_expr *payload = seen_through(t, e);
        an_truth value = payload == e ? AN_EITHER : truth(t, payload);
        return both((an_truth)t->rules[e->index], value);
    }
    case CT_FACT:
    case CT_VARIABLE:
    case CT_FIELD:
    case CT_VARIANT:
    case CT_TAG:
    case CT_AMOUNT:
    case CT_LEN:
    case CT_INDEX:
    case CT_ADD:
    case CT_SUB:
    case CT_MUL:
    case CT_MAKE:
    case CT_PARTS:
    case CT_FIT: break;
    }
    return AN_EITHER;
}

/* What one pass cannot see: the same question asked twice (`a and not a`). */
static an_truth without_contradictions(const ct_expr *e, an_truth t)
{
    if (t == AN_EITHER && (e->op == CT_AND || e->op == CT_OR)) {
        t = when(ct_possible(&(ct_demand){e, true}, 1),
                 ct_possible(&(ct_demand){e, false}, 1));
    }
    return t;
}

/* The truth values of a predicate, given those of the rules before it. */
static an_truth truth_of_predicate(const ct_model *m, const uint8_t *rule_truth,
                                   const ct_expr *e)
{
    truths t = {m, rule_truth};
    return e ? without_contradictions(e, truth(&t, e)) : AN_CAN_HOLD;
}

void an_s3_truths(an_analyzer *z)
{
    const ct_model *m = z->an->model;
    uint8_t *rules = mt_new_array(z->keep, uint8_t, m->rule_count);
    uint8_t *conditions = mt_new_array(z->keep, uint8_t, m->condition_count);
    z->an->rule_truth = rules;
    z->an->condition_truth = conditions;
    for (uint32_t i = 0; i < m->rule_count; i++) { /* in order of evaluation */
        rules[i] = (uint8_t)truth_of_predicate(m, rules, m->rules[i].when);
    }
    for (uint32_t i = 0; i < m->condition_count; i++) {
        conditions[i] = (uint8_t)truth_of_predicate(m, rules, m->conditions[i]);
    }
}

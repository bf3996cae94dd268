/* contract/eval/term.c - which instruction a node is, and the node on values.
 *
 * The compiler asks here which instruction computes a sum or decides a comparison, by
 * the types of the operands; the functions of term.h ask the same and run it at once.
 * So a value that is folded is the value that would be computed.
 *
 * What may fail: MT_E_OVERFLOW, as in ct_arith(). Nothing allocates. */
#include "contract/eval/term.h"

#include "contract/eval/arith.h"

const uint8_t CT_COMPARE_HOLDS[6] = {
    [CT_EQ] = 2, [CT_NE] = 5, [CT_LT] = 1, [CT_LE] = 3, [CT_GT] = 4, [CT_GE] = 6,
};
MT_TABLE_COVERS(CT_COMPARE_HOLDS, CT_COMPARES);

uint64_t ct_factors(const ct_type *a, const ct_type *b, int64_t unit)
{
    return (uint64_t)(CT_UNIT_SECONDS[a->unit] / unit) |
           (uint64_t)(CT_UNIT_SECONDS[b->unit] / unit) << 32;
}

/* ORDER CT_ADD, CT_SUB, CT_MUL. */
static ct_code pick(uint8_t op, ct_code add, ct_code sub, ct_code mul)
{
    return op == CT_ADD ? add : op == CT_SUB ? sub : mul;
}

static ct_arith_plan plan_of_times(const ct_expr *e)
{
    const ct_type *at = e->left->type, *bt = e->right->type;
    if (ct_held(at) == LN_TIME && ct_held(bt) == LN_TIME) {
        return (ct_arith_plan){.op = CT_CODE_TIME_DIFFERENCE};
    }
    if (ct_has(at, LN_UNIT)) { /* Duration + DateTime */
        return (ct_arith_plan){.op = CT_CODE_ADD_TIME,
                               .wide = (uint64_t)CT_UNIT_SECONDS[at->unit],
                               .swap = true};
    }
    return (ct_arith_plan){.op = CT_CODE_ADD_TIME,
                           .wide = (uint64_t)CT_UNIT_SECONDS[bt->unit]};
}

/* By what the operands are, not by the operator: sums of times and of numbers are
 * different instructions. */
ct_arith_plan ct_arith_plan_of(const ct_expr *e)
{
    const ct_type *at = e->left->type, *bt = e->right->type;
    if (ct_held(at) == LN_TIME || ct_held(bt) == LN_TIME) {
        return plan_of_times(e);
    }
    if (ct_is_int(e->type)) {
        return (ct_arith_plan){
            .op = pick(e->op, CT_CODE_ADD_INT, CT_CODE_SUB_INT, CT_CODE_MUL_INT)};
    }
    if (ct_is_decimal(e->type)) {
        bool scaled = e->left->op == CT_LITERAL || e->right->op == CT_LITERAL;
        return (ct_arith_plan){
            .op = pick(e->op, CT_CODE_ADD_DECIMAL, CT_CODE_SUB_DECIMAL,
                       scaled ? CT_CODE_MUL_DECIMAL : CT_CODE_MUL_DECIMALS),
            .decimal = true};
    }
    if (ct_has(e->type, LN_CURRENCY)) {
        return (ct_arith_plan){.op = e->op == CT_ADD ? CT_CODE_ADD_MONEY
                                                     : CT_CODE_SUB_MONEY};
    }
    MT_ASSERT(ct_has(e->type, LN_UNIT));
    return (ct_arith_plan){.op = e->op == CT_ADD ? CT_CODE_ADD_DURATION
                                                 : CT_CODE_SUB_DURATION,
                           .wide = ct_factors(at, bt, CT_UNIT_SECONDS[e->type->unit])};
}

ct_code ct_test_of(const ct_type *a, const ct_type *b)
{
    switch (ct_held(a)) {
    case LN_INTEGER:
        return ct_has(a, LN_UNIT)              ? CT_CODE_SECONDS
               : ct_is_int(a) && !ct_is_int(b) ? CT_CODE_DECIMAL
                                               : CT_CODE_INT;
    case LN_DECIMAL: return CT_CODE_DECIMAL;
    case LN_TEXT: return CT_CODE_TEXT;
    case LN_CHOICE:
        return a == b || (a->count == b->count && a->as.values == b->as.values)
                   ? CT_CODE_CHOICE
                   : CT_CODE_DEEP;
    case LN_TIME: return CT_CODE_TIME;
    case LN_BOOLEAN:
    case LN_RECORD:
    case LN_VARIANT:
    case LN_LIST: break;
    }
    return CT_CODE_DEEP;
}

/* A Decimal is always brought to its scale. */
bool ct_fit_of(const ct_type *to, const ct_type *from, ct_code *op)
{
    if (ct_is_decimal(to)) {
        *op = CT_CODE_FIT_DECIMAL;
        return true;
    }
    *op = ct_held(to) == LN_TEXT ? CT_CODE_FIT_TEXT : CT_CODE_FIT_INT;
    if (ct_has(to, LN_RANGED)) {
        return from->as.range.min < to->as.range.min ||
               from->as.range.max > to->as.range.max;
    }
    return ct_held(to) == LN_TEXT && to->as.max_length &&
           from->as.max_length > to->as.max_length;
}

/* ---- On values ---- */

static ct_value as_decimal(const ct_type *from, const ct_value *v)
{
    ct_value out = *v;
    if (ct_is_int(from)) {
        out.decimal = mt_decimal_from_i64(v->integer);
    }
    return out;
}

mt_err ct_term_arith(const ct_expr *e, const ct_value *a, const ct_value *b,
                     ct_value *out)
{
    ct_arith_plan plan = ct_arith_plan_of(e);
    ct_insn in = {.op = (uint8_t)plan.op, .wide = plan.wide};
    if (plan.decimal) {
        ct_value x = as_decimal(e->left->type, a), y = as_decimal(e->right->type, b);
        return ct_arith(e->type, &in, &x, &y, out);
    }
    return plan.swap ? ct_arith(e->type, &in, b, a, out)
                     : ct_arith(e->type, &in, a, b, out);
}

bool ct_term_compare(const ct_expr *e, const ct_value *a, const ct_value *b)
{
    const ct_type *at = e->left->type, *bt = e->right->type;
    ct_code op = ct_test_of(at, bt);
    ct_insn in = {.op = (uint8_t)op};
    ct_value x = *a, y = *b;
    if (op == CT_CODE_DECIMAL) {
        x = as_decimal(at, a);
        y = as_decimal(bt, b);
    } else if (op == CT_CODE_SECONDS) {
        in.wide = ct_factors(at, bt, 1);
    } else if (op == CT_CODE_DEEP) { /* records take several slots */
        return ct_value_equal(at, a, bt, b) == (e->compare == CT_EQ);
    }
    return (CT_COMPARE_HOLDS[e->compare] >> (ct_order(&in, at, bt, &x, &y) + 1)) & 1;
}

mt_err ct_term_fit(const ct_type *to, const ct_type *from, const ct_value *value,
                   ct_value *out, const ct_value **kept)
{
    ct_code op;
    *kept = value;
    if (!ct_fit_of(to, from, &op)) {
        return MT_OK;
    }
    ct_value v = op == CT_CODE_FIT_DECIMAL ? as_decimal(from, value) : *value;
    ct_insn in = {.op = (uint8_t)op};
    *kept = out;
    return ct_arith(to, &in, &v, &v, out);
}

mt_str ct_term_fit_text(mt_arena *a, const ct_rule *r, const ct_value *value)
{
    const ct_type *to = r->payload_type, *from = r->payload->type;
    ct_code op;
    (void)ct_fit_of(to, from, &op);
    ct_value v = op == CT_CODE_FIT_DECIMAL ? as_decimal(from, value) : *value;
    ct_insn in = {.op = (uint8_t)op};
    return mt_strf(a, "numeric overflow: %.*s",
                   MT_ARG(ct_arith_text(a, to, &in, &v, &v)));
}

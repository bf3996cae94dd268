/* analyze/prove/prove_smt.c - formulas of the solver, with easy ones folded.
 *
 * All formulas are made here, so that there is one place for two things. Folding:
 * constants, equal operands, `and` with true; formulas stay small, and what is decided
 * without the solver is decided. Memory: when Z3 cannot make a formula the prover is
 * marked `broken`, any formula is returned in its place, and nothing more is asked
 * for; the question ends at its next look at the mark.
 *
 * Decimals are integers of scaled digits; pv_round() is half to even, as the evaluator
 * rounds. Z3 is loaded on first use; without it `missing` says what to install.
 * Formulas live as long as the context. */
#include "analyze/prove/prove_internal.h"

/* What the solver could not make for want of memory: the question ends, and until then
 * any formula will do. */
static Z3_ast made(an_prover *p, Z3_ast f, Z3_ast otherwise)
{
    p->broken |= !f;
    return f ? f : otherwise;
}

/* Not even asked for any more: every refusal is a costly exception inside. */
#define MADE(p, f, otherwise) made((p), (p)->broken ? NULL : (f), (otherwise))

Z3_ast pv_and(an_prover *p, Z3_ast a, Z3_ast b)
{
    if (a == p->no || b == p->no) {
        return p->no;
    }
    if (a == p->yes || a == b) {
        return b;
    }
    return b == p->yes ? a : MADE(p, Z3_mk_and(p->z, 2, (Z3_ast[]){a, b}), a);
}

Z3_ast pv_or(an_prover *p, Z3_ast a, Z3_ast b)
{
    if (a == p->yes || b == p->yes) {
        return p->yes;
    }
    if (a == p->no || a == b) {
        return b;
    }
    return b == p->no ? a : MADE(p, Z3_mk_or(p->z, 2, (Z3_ast[]){a, b}), a);
}

Z3_ast pv_not(an_prover *p, Z3_ast a)
{
    return a == p->yes ? p->no : a == p->no ? p->yes : MADE(p, Z3_mk_not(p->z, a), a);
}

/* Of Booleans it folds into `or` and `and`, which the solver handles better. */
Z3_ast pv_if(an_prover *p, Z3_ast c, Z3_ast a, Z3_ast b)
{
    if (c == p->yes || a == b) {
        return a;
    }
    if (c == p->no) {
        return b;
    }
    if (a == p->yes) {
        return pv_or(p, c, b);
    }
    if (b == p->no) {
        return pv_and(p, c, a);
    }
    return MADE(p, Z3_mk_ite(p->z, c, a, b), a);
}

/* Numerals of more than 64 bits are left to the solver. */
static bool both_small(an_prover *p, Z3_ast a, Z3_ast b, int64_t *x, int64_t *y)
{
    return Z3_get_ast_kind(p->z, a) == Z3_NUMERAL_AST &&
           Z3_get_ast_kind(p->z, b) == Z3_NUMERAL_AST &&
           Z3_get_numeral_int64(p->z, a, x) && Z3_get_numeral_int64(p->z, b, y);
}

static Z3_ast constant_bool(const an_prover *p, bool b)
{
    return b ? p->yes : p->no;
}

Z3_ast pv_eq(an_prover *p, Z3_ast a, Z3_ast b)
{
    int64_t x, y;
    if (a == b) {
        return p->yes;
    }
    if (a == p->yes || b == p->yes) {
        return a == p->yes ? b : a;
    }
    if (a == p->no || b == p->no) {
        return pv_not(p, a == p->no ? b : a);
    }
    return both_small(p, a, b, &x, &y) ? constant_bool(p, x == y)
                                       : MADE(p, Z3_mk_eq(p->z, a, b), p->no);
}

Z3_ast pv_le(an_prover *p, Z3_ast a, Z3_ast b)
{
    int64_t x, y;
    return both_small(p, a, b, &x, &y) ? constant_bool(p, x <= y)
                                       : MADE(p, Z3_mk_le(p->z, a, b), p->no);
}

Z3_ast pv_lt(an_prover *p, Z3_ast a, Z3_ast b)
{
    int64_t x, y;
    return both_small(p, a, b, &x, &y) ? constant_bool(p, x < y)
                                       : MADE(p, Z3_mk_lt(p->z, a, b), p->no);
}

/* Operands in one order, so that a + b and b + a are one formula. */
static void in_order(an_prover *p, Z3_ast pair[2])
{
    if (Z3_get_ast_id(p->z, pair[0]) > Z3_get_ast_id(p->z, pair[1])) {
        Z3_ast first = pair[0];
        pair[0] = pair[1];
        pair[1] = first;
    }
}

Z3_ast pv_add(an_prover *p, Z3_ast a, Z3_ast b)
{
    Z3_ast pair[2] = {a, b};
    in_order(p, pair);
    return MADE(p, Z3_mk_add(p->z, 2, pair), a);
}

Z3_ast pv_sub(an_prover *p, Z3_ast a, Z3_ast b)
{
    return MADE(p, Z3_mk_sub(p->z, 2, (Z3_ast[]){a, b}), a);
}

Z3_ast pv_mul(an_prover *p, Z3_ast a, Z3_ast b)
{
    Z3_ast pair[2] = {a, b};
    p->nonlinear |= !p->broken && Z3_get_ast_kind(p->z, a) != Z3_NUMERAL_AST &&
                    Z3_get_ast_kind(p->z, b) != Z3_NUMERAL_AST;
    in_order(p, pair);
    return MADE(p, Z3_mk_mul(p->z, 2, pair), a);
}

Z3_ast pv_minus(an_prover *p, Z3_ast a)
{
    return MADE(p, Z3_mk_unary_minus(p->z, a), a);
}

Z3_ast pv_int(an_prover *p, int64_t value)
{
    return MADE(p, Z3_mk_int64(p->z, value, p->int_sort), p->zero);
}

Z3_ast pv_digits(an_prover *p, mt_str digits)
{
    const char *text = mt_str_dup(&p->tmp, digits).ptr;
    return MADE(p, Z3_mk_numeral(p->z, text, p->int_sort), p->zero);
}

static Z3_ast with_zeros(an_prover *p, mt_str digits, unsigned zeros)
{
    char *text = mt_alloc(&p->tmp, digits.len + zeros + 1);
    memcpy(text, digits.ptr, digits.len);
    memset(text + digits.len, '0', zeros);
    text[digits.len + zeros] = 0;
    return MADE(p, Z3_mk_numeral(p->z, text, p->int_sort), p->zero);
}

Z3_ast pv_power(an_prover *p, unsigned n)
{
    return with_zeros(p, MT_STR("1"), n);
}

/* Ten to the 28 + n: what no coefficient of a decimal reaches (§13.6). */
Z3_ast pv_word(an_prover *p, unsigned n)
{
    return pv_power(p, MT_DECIMAL_DIGITS + n);
}

Z3_ast pv_constant(an_prover *p, mt_str name, Z3_sort sort)
{
    const char *text = mt_str_dup(&p->tmp, name).ptr;
    Z3_symbol symbol = Z3_mk_string_symbol(p->z, text);
    Z3_ast otherwise = sort == p->bool_sort ? p->no : p->zero;
    return MADE(p, symbol ? Z3_mk_const(p->z, symbol, sort) : NULL, otherwise);
}

Z3_ast pv_divisible(an_prover *p, Z3_ast v, unsigned digits)
{
    Z3_ast rest = MADE(p, Z3_mk_mod(p->z, v, pv_power(p, digits)), p->zero);
    return pv_eq(p, rest, p->zero);
}

/* Division of the solver rounds down for a positive divisor, so the remainder is never
 * negative and one rule serves both signs. */
Z3_ast pv_round(an_prover *p, Z3_ast v, unsigned digits)
{
    if (!digits) {
        return v;
    }
    Z3_ast unit = pv_power(p, digits);
    Z3_ast down = MADE(p, Z3_mk_div(p->z, v, unit), v);
    Z3_ast rest = MADE(p, Z3_mk_mod(p->z, v, unit), v);
    Z3_ast twice = pv_mul(p, pv_int(p, 2), rest);
    Z3_ast odd =
        pv_eq(p, MADE(p, Z3_mk_mod(p->z, down, pv_int(p, 2)), v), pv_int(p, 1));
    Z3_ast up = pv_or(p, pv_lt(p, unit, twice), pv_and(p, pv_eq(p, unit, twice), odd));
    return pv_if(p, up, pv_add(p, down, pv_int(p, 1)), down);
}

Z3_ast pv_between(an_prover *p, Z3_ast v, Z3_ast a, Z3_ast b)
{
    return pv_and(p, pv_le(p, a, v), pv_le(p, v, b));
}

Z3_ast pv_within(an_prover *p, Z3_ast v, Z3_ast most)
{
    Z3_ast least = pv_minus(p, most);
    return pv_and(p, pv_lt(p, least, v), pv_lt(p, v, most));
}

/* ---- The context ---- */

/* Z3's own handler would end the process. */
static void note_error(Z3_context z, Z3_error_code code)
{
    (void)z;
    (void)code; /* Z3_get_error_code() tells it where it is looked for */
}

/* The memory limit is one of the whole process in Z3, so it is set again for each
 * prover. */
bool pv_open(an_prover *p)
{
    p->missing = mt_late_load(&mt_late_z3);
    if (p->missing) {
        return false;
    }
    mt_str megabytes = mt_strf(&p->keep, "%zu", p->limits.prove_megabytes);
    Z3_global_param_set("memory_max_size", megabytes.ptr);
    Z3_config config = Z3_mk_config();
    p->z = config ? Z3_mk_context(config) : NULL;
    if (config) {
        Z3_del_config(config);
    }
    if (!p->z) {
        return false;
    }
    Z3_set_error_handler(p->z, note_error);
    p->int_sort = Z3_mk_int_sort(p->z);
    p->bool_sort = Z3_mk_bool_sort(p->z);
    p->yes = Z3_mk_true(p->z);
    p->no = Z3_mk_false(p->z);
    p->zero = p->int_sort ? Z3_mk_int64(p->z, 0, p->int_sort) : NULL;
    return p->bool_sort && p->yes && p->no && p->zero;
}

void pv_close(an_prover *p)
{
    if (p->z) {
        /* Closing takes memory too: the limit must not meet it. */
        Z3_global_param_set("memory_max_size", "0");
        Z3_del_context(p->z);
    }
    p->z = NULL;
}

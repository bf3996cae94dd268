/* contract/reduce/expand.c - rules written out where their verdicts are read.
 *
 * A rule reads verdicts of lower strata only, so this ends; how long the result may
 * become is bounded, since a verdict that is read twice is written twice. Conditions of
 * rules begin with quantifiers of depth 0: inside a quantifier they are moved as deep
 * as they stand.
 *
 * Nothing fails. Recursion follows expressions and strata, both bounded by the loader.
 */
#include "contract/reduce/expand.h"

#include "contract/reduce/expr.h"
#include "contract/reduce/may_fail.h"

typedef struct expander {
    mt_arena *a;
    const ct_expansion *x;
    size_t left;    /* nodes */
    uint32_t depth; /* quantifiers around */
} expander;

static const ct_expr *expanded(expander *k, const ct_expr *e);

/* How a payload is read, which decides what may stand in its place. */
typedef enum place { ALONE, IN_PART, IN_SUM } place;

/* A condition multiplies by a literal only. */
static bool is_linear(const ct_expr *e)
{
    bool product =
        e && e->op == CT_MUL && e->left->op != CT_LITERAL && e->right->op != CT_LITERAL;
    return !e || (!product && is_linear(e->left) && is_linear(e->right));
}

/* The digits of a product follow from those of its factors. */
static bool same_digits(const ct_type *to, const ct_type *from)
{
    return !ct_is_decimal(to) ||
           (ct_is_decimal(from) && from->as.decimal.scale == to->as.decimal.scale &&
            from->as.decimal.precision == to->as.decimal.precision);
}

/* Rounding to the payload's scale would make it another number. */
static bool is_rounded(const ct_type *to, const ct_expr *term)
{
    if (!ct_is_decimal(to)) {
        return false;
    }
    return term->op == CT_LITERAL
               ? term->value->decimal.scale > to->as.decimal.scale
               : !ct_is_decimal(term->type) ||
                     term->type->as.decimal.scale > to->as.decimal.scale;
}

/* A payload is the term its rule writes if producing it changes nothing, and if the
 * language can write the term where the payload is read. */
static bool is_written(const ct_rule *r, place at)
{
    const ct_expr *term = r->payload;
    bool plain = ct_held(term->type) != LN_RECORD && ct_held(term->type) != LN_LIST &&
                 ct_held(term->type) != LN_VARIANT;
    if (is_rounded(r->payload_type, term) || ct_payload_may_fail(r) ||
        !is_linear(term) || term->op == CT_MAKE || (term->op == CT_LITERAL && !plain)) {
        return false;
    }
    return at == ALONE     ? true
           : at == IN_PART ? term->op == CT_FACT || term->op == CT_FIELD
                           : same_digits(r->payload_type, term->type);
}

/* A part of a record that a rule writes out. */
static bool part_written(expander *k, const ct_expr *e, const ct_expr *part, place at)
{
    const ct_rule *r = &k->x->model->rules[e->left->index];
    if (ct_payload_may_fail(r) || !is_linear(part)) {
        return false;
    }
    return at == ALONE     ? true
           : at == IN_PART ? part->op == CT_FACT || part->op == CT_FIELD
                           : same_digits(e->type, part->type);
}

static bool all_written(expander *k, const ct_expr *e, place at)
{
    const ct_expr *part = e ? ct_expr_part_read(k->a, k->x->model, e) : NULL;
    if (!e || part) {
        return !e || part_written(k, e, part, at);
    }
    switch ((ct_op)e->op) {
    case CT_PAYLOAD: return is_written(&k->x->model->rules[e->index], at);
    case CT_FIELD:
    case CT_VARIANT:
    case CT_TAG:
    case CT_AMOUNT:
    case CT_INDEX:
        return all_written(k, e->left, IN_PART) && all_written(k, e->right, ALONE);
    case CT_ADD:
    case CT_SUB:
    case CT_MUL:
        return all_written(k, e->left, IN_SUM) && all_written(k, e->right, IN_SUM);
    case CT_LEN:
    case CT_MAKE:
    case CT_PARTS:
    case CT_FIT:
    case CT_COMPARE:
    case CT_LITERAL:
    case CT_FACT:
    case CT_VARIABLE:
    case CT_PRESENT:
    case CT_AND:
    case CT_OR:
    case CT_NOT:
    case CT_FORALL:
    case CT_EXISTS: break;
    }
    return all_written(k, e->left, ALONE) && all_written(k, e->right, ALONE);
}

/* Quantifiers of the expression and their variables, `by` deeper. */
static const ct_expr *deeper(expander *k, const ct_expr *e, uint32_t by)
{
    if (!e || !by || (!e->left && e->op != CT_VARIABLE)) {
        return e;
    }
    const ct_expr *left = deeper(k, e->left, by), *right = deeper(k, e->right, by);
    if (e->op == CT_VARIABLE || ct_is_quantifier(e)) {
        ct_expr *moved = mt_alloc(k->a, sizeof *moved);
        *moved = *e;
        moved->index += by;
        moved->left = left;
        moved->right = right;
        return moved;
    }
    return ct_expr_with(k->a, e, left, right);
}

static const ct_expr *condition_of(expander *k, uint32_t rule)
{
    const ct_expr *when = k->x->whens ? k->x->whens[rule] : NULL;
    when = when ? when : k->x->model->rules[rule].when;
    size_t size = ct_expr_size(when, k->left + 1);
    if (size > k->left) {
        return NULL;
    }
    k->left -= size;
    uint32_t depth = k->depth;
    k->depth = 0;
    const ct_expr *e = expanded(k, when);
    k->depth = depth;
    return deeper(k, e, depth);
}

/* Terms of rules read no payload and have no quantifier. */
static const ct_expr *with_terms(expander *k, const ct_expr *e)
{
    if (!e || !ct_reads_payload(e)) {
        return e;
    }
    const ct_expr *part = ct_expr_part_read(k->a, k->x->model, e);
    if (part) {
        return part;
    }
    return e->op == CT_PAYLOAD
               ? k->x->model->rules[e->index].payload
               : ct_expr_with(k->a, e, with_terms(k, e->left), with_terms(k, e->right));
}

/* The conditions under which the payloads in `e` are there, before `e` itself. */
static const ct_expr *presence(expander *k, const ct_expr *e, const ct_expr *before)
{
    if (!e || !before) {
        return before;
    }
    if (e->op == CT_PAYLOAD) {
        const ct_expr *when = condition_of(k, e->index);
        return when ? ct_expr_new(k->a, CT_AND, before, when) : NULL;
    }
    return presence(k, e->right, presence(k, e->left, before));
}

/* Where something in it may fail, the order in which payloads turn out to be absent
 * matters: it stays. */
static const ct_expr *with_payloads(expander *k, const ct_expr *e)
{
    if (ct_may_fail(e) || !all_written(k, e, ALONE)) {
        return e;
    }
    const ct_expr *there = presence(k, e, &CT_EXPR_TRUE);
    return there ? ct_expr_new(k->a, CT_AND, there, with_terms(k, e)) : e;
}

static const ct_expr *expanded(expander *k, const ct_expr *e)
{
    const ct_expr *x, *y;
    if (e->op == CT_PRESENT) {
        x = condition_of(k, e->index);
        return x ? x : e;
    }
    if (e->op == CT_AND || e->op == CT_OR) {
        x = expanded(k, e->left);
        return ct_expr_with(k->a, e, x, expanded(k, e->right));
    }
    if (e->op == CT_NOT) {
        return ct_expr_with(k->a, e, expanded(k, e->left), NULL);
    }
    if (ct_is_quantifier(e)) {
        k->depth++;
        y = expanded(k, e->right);
        k->depth--;
        return ct_expr_with(k->a, e, e->left, y);
    }
    return ct_reads_payload(e) ? with_payloads(k, e) : e;
}

const ct_expr *ct_expand(mt_arena *a, const ct_expansion *x, const ct_expr *e)
{
    expander k = {.a = a, .x = x, .left = x->most};
    return expanded(&k, e);
}

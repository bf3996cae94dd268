/* contract/reduce/expr.h - expressions that are made, and when two are the same.
 * Room: contract. May include base/ and contract/.
 * Ownership: what is made lives in the arena given and shares what it is made of. */
#ifndef CT_REDUCE_EXPR_H
#define CT_REDUCE_EXPR_H

#include "contract/wire/model.h"

extern const ct_expr CT_EXPR_TRUE, CT_EXPR_FALSE;

static inline const ct_expr *ct_expr_bool(bool value)
{
    return value ? &CT_EXPR_TRUE : &CT_EXPR_FALSE;
}

/* Is it the literal true, or false? */
static inline bool ct_expr_is(const ct_expr *e, bool value)
{
    return e->op == CT_LITERAL && ct_held(e->type) == LN_BOOLEAN &&
           e->value->boolean == value;
}

static inline bool ct_is_quantifier(const ct_expr *e)
{
    return e->op == CT_FORALL || e->op == CT_EXISTS;
}

/* A predicate of one or two parts. */
ct_expr *ct_expr_new(mt_arena *a, ct_op op, const ct_expr *left, const ct_expr *right);
/* The same node with other operands; the node itself where they are its own. */
const ct_expr *ct_expr_with(mt_arena *a, const ct_expr *e, const ct_expr *left,
                            const ct_expr *right);
const ct_expr *ct_expr_literal(mt_arena *a, const ct_type *type, ct_value value);
const ct_expr *ct_expr_compare(mt_arena *a, const ct_expr *left, ct_compare compare,
                               const ct_expr *right);
/* `list[i]`, which the evaluator reads like one that was written. */
const ct_expr *ct_expr_element(mt_arena *a, const ct_expr *list, uint32_t i);
/* `len(list) compare n` */
const ct_expr *ct_expr_length(mt_arena *a, const ct_expr *list, ct_compare compare,
                              int64_t n);

/* The term that `verdict.field` reads, where the verdict's rule writes its record out
 * and the part is not converted; NULL otherwise. */
const ct_expr *ct_expr_part_read(mt_arena *a, const ct_model *m, const ct_expr *e);

/* not (x < y) is x >= y; x < y is y > x. ORDER ct_compare. */
extern const uint8_t CT_COMPARE_NOT[6], CT_COMPARE_TURNED[6];

/* Same nodes all the way down, literals of the same value; equal ones have one hash. */
bool ct_expr_same(const ct_expr *x, const ct_expr *y);
uint64_t ct_expr_hash(const ct_expr *e);
/* Nodes, each counted as often as it stands there; at most `most`. */
size_t ct_expr_size(const ct_expr *e, size_t most);

#endif

/* contract/reduce/values.h - the values of one term that a condition allows.
 * Room: contract, private to reduce/.
 * A set is a row of cuts on a line: left of the first cut its values are in or out, and
 * at each cut that turns round. So complement, meet and join are one walk each. Types
 * with steps (Int, Decimal, Duration, Date, DateTime, Bool, Enum) are counted in whole
 * steps; Money has none between two amounts, and Text is ordered by its bytes.
 * Ownership: cuts live in the arena given. */
#ifndef CT_REDUCE_VALUES_H
#define CT_REDUCE_VALUES_H

#include "contract/wire/model.h"

/* A place on the line: just before the value, or just after it. */
typedef struct ct_cut {
    mt_decimal at; /* in steps, or the amount */
    mt_str text;   /* of a Text, instead */
    bool after;
    const ct_expr *literal; /* as it was written; NULL: by nobody */
    bool literal_after;     /* of the literal: steps move the cut itself */
    bool between;           /* the literal lies between two steps */
} ct_cut;

typedef struct ct_values {
    const ct_cut *cuts;
    uint32_t count;
    bool below; /* are values left of the first cut in it? */
} ct_values;

/* Is a set of values kept for terms of this type? */
bool ct_values_of(const ct_type *type);
/* All values of the type, as far as it is bounded. */
ct_values ct_values_all(mt_arena *a, const ct_type *type);
/* Those for which the comparison with the literal holds. False: the literal cannot be
 * placed among them. */
bool ct_values_where(mt_arena *a, const ct_type *type, ct_compare compare,
                     const ct_expr *literal, ct_values *out);
/* Those of a Bool: just this one. */
ct_values ct_values_bool(mt_arena *a, bool value);

ct_values ct_values_meet(mt_arena *a, ct_values x, ct_values y);
ct_values ct_values_join(mt_arena *a, ct_values x, ct_values y);
/* All of the type but these. */
ct_values ct_values_but(mt_arena *a, const ct_type *type, ct_values x);
bool ct_values_same(ct_values x, ct_values y);
static inline bool ct_values_none(ct_values x)
{
    return !x.count && !x.below;
}

/* The shortest condition on the term for the set, which is neither empty nor all; how
 * many comparisons it has. `op` is CT_AND or CT_OR: which of two equally short ones. */
const ct_expr *ct_values_condition(mt_arena *a, const ct_expr *term, ct_values x,
                                   ct_op op, uint32_t *comparisons);

#endif

/* contract/reduce/expand.h - verdicts in a condition replaced by what decides them.
 * Room: contract. May include base/ and contract/.
 * Ownership: what is new lives in the arena, and shares what it is made of. */
#ifndef CT_REDUCE_EXPAND_H
#define CT_REDUCE_EXPAND_H

#include "contract/wire/model.h"

typedef struct ct_expansion {
    const ct_model *model;
    /* By rule: the condition that stands for its verdict; NULL: the rule's own. */
    const ct_expr *const *whens;
    size_t most; /* nodes of the result; a verdict that does not fit stays */
} ct_expansion;

/* verdict_present(v) is the condition of v's rule; a comparison that reads v's payload
 * is that condition and the comparison with the rule's term, where the term is the
 * payload (nothing is rounded, nothing can fail). The result comes to the same where no
 * rule ends in an error. */
const ct_expr *ct_expand(mt_arena *a, const ct_expansion *x, const ct_expr *e);

#endif

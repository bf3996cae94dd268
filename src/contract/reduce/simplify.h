/* contract/reduce/simplify.h - a condition made shorter that comes to the same.
 * Room: contract. May include base/ and contract/.
 * The same: for every fact set, true, false or a typed error exactly as before, and of
 * two errors the one that comes first. So parts keep their order wherever one of them
 * may fail, since those before it decide whether it is come to.
 * What is done: constants are folded; negations go to the leaves; a part that the parts
 * before it decide is left out (duplicates, absorption); comparisons of one term with
 * constants are merged, contradictions found; a quantifier whose body is decided
 * becomes a question about the length of its list. Ownership: what is new lives in the
 * arena, and shares what it is made of. */
#ifndef CT_REDUCE_SIMPLIFY_H
#define CT_REDUCE_SIMPLIFY_H

#include "contract/wire/model.h"

/* Literal true or false where nothing is left. The same bytes for the same condition;
 * effort is bounded, and a condition that takes more is less short. */
const ct_expr *ct_simplify(mt_arena *a, const ct_expr *e);

#endif

/* contract/eval/term.h - one node of an expression, computed on values.
 * Room: contract. May include base/ and contract/.
 * For whoever walks expressions instead of running code: sums, comparisons and payloads
 * come out as the evaluator has them, since both choose their instruction here. */
#ifndef CT_EVAL_TERM_H
#define CT_EVAL_TERM_H

#include "contract/wire/model.h"

/* CT_ADD, CT_SUB or CT_MUL of two values. MT_OK or MT_E_OVERFLOW. */
mt_err ct_term_arith(const ct_expr *e, const ct_value *a, const ct_value *b,
                     ct_value *out);
/* CT_COMPARE of two values. */
bool ct_term_compare(const ct_expr *e, const ct_value *a, const ct_value *b);
/* A payload, or a part of one, in its declared type; *out is used when it has to become
 * another value. MT_OK: *kept is the payload; MT_E_OVERFLOW. */
mt_err ct_term_fit(const ct_type *to, const ct_type *from, const ct_value *value,
                   ct_value *out, const ct_value **kept);
/* The sentence for a payload and the second. */
mt_str ct_term_fit_text(mt_arena *a, const ct_rule *r, const ct_value *value);

#endif

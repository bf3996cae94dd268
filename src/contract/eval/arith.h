/* contract/eval/arith.h - sums, differences and products by the NumericModel (§13).
 * Room: contract/eval, private to it; used by the compiler to fold constants and by the
 * evaluator. Each returns MT_OK or MT_E_OVERFLOW. */
#ifndef CT_EVAL_ARITH_H
#define CT_EVAL_ARITH_H

#include "contract/eval/program_internal.h"

/* The operation of a term instruction on two values; `in` gives type and factors. */
mt_err ct_arith(const ct_type *type, const ct_insn *in, const ct_value *a,
                const ct_value *b, ct_value *out);
/* -1, 0 or 1, as the test instruction wants it; types are needed for CT_CODE_DEEP. */
int ct_order(const ct_insn *in, const ct_type *at, const ct_type *bt, const ct_value *a,
             const ct_value *b);
/* Why it failed, for the fault. */
mt_str ct_arith_text(mt_arena *arena, const ct_type *type, const ct_insn *in,
                     const ct_value *a, const ct_value *b);

#endif

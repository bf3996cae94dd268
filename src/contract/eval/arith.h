/* contract/eval/arith.h - sums, differences and products by the NumericModel (§13).
 * Room: contract/eval, private to it; used by the compiler to fold constants and by the
 * evaluator. Each returns MT_OK or MT_E_OVERFLOW. */
#ifndef CT_EVAL_ARITH_H
#define CT_EVAL_ARITH_H

#include "contract/eval/program_internal.h"

/* Which instruction a sum, difference or product is, by the types of its operands. */
typedef struct ct_arith_plan {
    ct_code op;
    uint64_t wide; /* of the instruction */
    bool decimal;  /* both operands become Decimals first */
    bool swap;     /* the right operand is the instruction's first */
} ct_arith_plan;
ct_arith_plan ct_arith_plan_of(const ct_expr *e);
/* The instruction that compares two values; Int with Decimal is compared as Decimal. */
ct_code ct_test_of(const ct_type *a, const ct_type *b);
/* What brings a payload of type `from` to its declared type; false: nothing has to. */
bool ct_fit_of(const ct_type *to, const ct_type *from, ct_code *op);
/* Units of a and b in `unit` seconds, as CT_CODE_SECONDS has them. */
uint64_t ct_factors(const ct_type *a, const ct_type *b, int64_t unit);
/* Bits of (order + 1) for which a comparison holds; ORDER ct_compare. */
extern const uint8_t CT_COMPARE_HOLDS[6];

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

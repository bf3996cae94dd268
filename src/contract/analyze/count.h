/* contract/analyze/count.h - natural numbers of any size up to a stated one.
 * Room: contract. May include base/ and contract/ only.
 * Paths are counted, not listed, so a count may have hundreds of digits. It is exact up
 * to CT_COUNT_BITS bits; beyond that it only says so ("more than 10^616").
 * Ownership: limbs live in the arena of the call that made them; counts are values. */
#ifndef CT_ANALYZE_COUNT_H
#define CT_ANALYZE_COUNT_H

#include "base/str.h"

enum { CT_COUNT_LIMBS = 32, CT_COUNT_BITS = 64 * CT_COUNT_LIMBS };

/* All-zero is zero. */
typedef struct ct_count {
    uint64_t low;          /* the number while it has one limb */
    const uint64_t *limbs; /* otherwise: least significant first, the last not zero */
    uint32_t len;          /* of limbs; 0: `low` */
    bool more;             /* too large to be known */
} ct_count;

static inline ct_count ct_count_of(uint64_t n)
{
    return (ct_count){.low = n};
}

static inline bool ct_count_zero(ct_count n)
{
    return !n.len && !n.low && !n.more;
}

ct_count ct_count_add(mt_arena *a, ct_count x, ct_count y);
ct_count ct_count_mul(mt_arena *a, ct_count x, ct_count y);
/* x - y, where y <= x. What is too large to be known stays so. */
ct_count ct_count_sub(mt_arena *a, ct_count x, ct_count y);
/* <0, 0, >0; numbers too large to be known are equal and above all others. */
int ct_count_cmp(ct_count x, ct_count y);

/* Decimal digits; "more than 10^616" when it is too large to be known. */
void ct_count_text(mt_buf *out, ct_count n);
mt_str ct_count_str(mt_arena *a, ct_count n);

#endif

/* analyze/facts/count.h - natural numbers of any size up to a stated one.
 * Room: analyze. May include base/ and contract/ only.
 * Paths are counted, not listed, so a count may have hundreds of digits. It is exact up
 * to AN_COUNT_BITS bits; beyond that it only says so ("more than 10^616").
 * Ownership: limbs live in the arena of the call that made them; counts are values. */
#ifndef AN_ANALYZE_COUNT_H
#define AN_ANALYZE_COUNT_H

#include "base/str.h"

enum { AN_COUNT_LIMBS = 32, AN_COUNT_BITS = 64 * AN_COUNT_LIMBS };

/* All-zero is zero. */
typedef struct an_count {
    uint64_t low;          /* the number while it has one limb */
    const uint64_t *limbs; /* otherwise: least significant first, the last not zero */
    uint32_t len;          /* of limbs; 0: `low` */
    bool more;             /* too large to be known */
} an_count;

static inline an_count an_count_of(uint64_t n)
{
    return (an_count){.low = n};
}

static inline bool an_count_zero(an_count n)
{
    return !n.len && !n.low && !n.more;
}

/* Beyond AN_COUNT_LIMBS the sum is "more", and stays so. */
an_count an_count_add(mt_arena *a, an_count x, an_count y);
/* Zero times anything is zero, also times "more". */
an_count an_count_mul(mt_arena *a, an_count x, an_count y);
/* x - y, where y <= x. What is too large to be known stays so. */
an_count an_count_sub(mt_arena *a, an_count x, an_count y);
/* <0, 0, >0; numbers too large to be known are equal and above all others. */
int an_count_cmp(an_count x, an_count y);

/* Decimal digits; "more than 10^616" when it is too large to be known. */
void an_count_text(mt_buf *out, an_count n);
mt_str an_count_str(mt_arena *a, an_count n);

#endif

/* analyze/facts/count.c - schoolbook arithmetic on a few limbs.
 *
 * The number of paths of a flow may have hundreds of digits. A count is one word while
 * it fits (`low`, no limbs) and otherwise an array of 64-bit limbs in an arena, least
 * first. Beyond AN_COUNT_LIMBS it is no longer known: `more`, which every sum and
 * product passes on, and which prints as "more than 10^616".
 *
 * Zero times "more" is zero: there are no paths. Subtraction is asked only where the
 * result is not negative (MT_ASSERT). Nothing can fail, and the order of operations
 * does not matter to the result, which is why counts are never doubles. */
#include "analyze/facts/count.h"

static const an_count MORE = {.more = true};

__extension__ typedef unsigned __int128 wide;

/* Zero has no limbs. */
static const uint64_t *limbs_of(const an_count *n, uint32_t *len)
{
    *len = n->len ? n->len : n->low != 0;
    return n->len ? n->limbs : &n->low;
}

/* From digits of room; too many limbs: it is no longer known. */
static an_count make(mt_arena *a, const uint64_t *limbs, uint32_t len)
{
    while (len && !limbs[len - 1]) {
        len--;
    }
    if (len <= 1) {
        return an_count_of(len ? limbs[0] : 0);
    }
    if (len > AN_COUNT_LIMBS) {
        return MORE;
    }
    uint64_t *kept = mt_alloc(a, len * sizeof *kept);
    memcpy(kept, limbs, len * sizeof *kept);
    return (an_count){.limbs = kept, .len = len};
}

an_count an_count_add(mt_arena *a, an_count x, an_count y)
{
    uint64_t sum;
    if (x.more || y.more) {
        return MORE;
    }
    if (!x.len && !y.len && !__builtin_add_overflow(x.low, y.low, &sum)) {
        return an_count_of(sum);
    }
    uint32_t xn, yn;
    const uint64_t *xs = limbs_of(&x, &xn), *ys = limbs_of(&y, &yn);
    uint64_t out[AN_COUNT_LIMBS + 1];
    uint32_t n = xn > yn ? xn : yn;
    wide carry = 0;
    for (uint32_t i = 0; i < n; i++) {
        carry += (wide)(i < xn ? xs[i] : 0) + (i < yn ? ys[i] : 0);
        out[i] = (uint64_t)carry;
        carry >>= 64;
    }
    out[n] = (uint64_t)carry;
    return make(a, out, n + 1);
}

/* Zero is asked before `more`, see the head. `out` has room for every product of two
 * counts. */
an_count an_count_mul(mt_arena *a, an_count x, an_count y)
{
    uint64_t product;
    if (an_count_zero(x) || an_count_zero(y)) {
        return an_count_of(0);
    }
    if (x.more || y.more) {
        return MORE;
    }
    if (!x.len && !y.len && !__builtin_mul_overflow(x.low, y.low, &product)) {
        return an_count_of(product);
    }
    uint32_t xn, yn;
    const uint64_t *xs = limbs_of(&x, &xn), *ys = limbs_of(&y, &yn);
    uint64_t out[2 * AN_COUNT_LIMBS] = {0};
    for (uint32_t i = 0; i < xn; i++) {
        wide carry = 0;
        for (uint32_t k = 0; k < yn; k++) {
            carry += (wide)xs[i] * ys[k] + out[i + k];
            out[i + k] = (uint64_t)carry;
            carry >>= 64;
        }
        out[i + yn] = (uint64_t)carry;
    }
    return make(a, out, xn + yn);
}

an_count an_count_sub(mt_arena *a, an_count x, an_count y)
{
    if (x.more) {
        return MORE;
    }
    MT_ASSERT(an_count_cmp(x, y) >= 0);
    uint32_t xn, yn;
    const uint64_t *xs = limbs_of(&x, &xn), *ys = limbs_of(&y, &yn);
    uint64_t out[AN_COUNT_LIMBS];
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < xn; i++) {
        uint64_t less = i < yn ? ys[i] : 0;
        uint64_t once = xs[i] - less;
        out[i] = once - borrow;
        borrow = (xs[i] < less) | (once < borrow);
    }
    return make(a, out, xn);
}

/* Two that are "more" count as equal, which is all that can be said. */
int an_count_cmp(an_count x, an_count y)
{
    if (x.more || y.more) {
        return x.more - y.more;
    }
    uint32_t xn, yn;
    const uint64_t *xs = limbs_of(&x, &xn), *ys = limbs_of(&y, &yn);
    if (xn != yn) {
        return xn < yn ? -1 : 1;
    }
    for (uint32_t i = xn; i-- > 0;) {
        if (xs[i] != ys[i]) {
            return xs[i] < ys[i] ? -1 : 1;
        }
    }
    return 0;
}

/* Divides in place by ten to the nineteenth; returns the remainder. */
static uint64_t divide(uint64_t *limbs, uint32_t len, uint64_t by)
{
    wide rest = 0;
    for (uint32_t i = len; i-- > 0;) {
        rest = (rest << 64) | limbs[i];
        limbs[i] = (uint64_t)(rest / by);
        rest %= by;
    }
    return (uint64_t)rest;
}

/* In groups of 19 digits, the most that fit a word; all but the first are padded. */
void an_count_text(mt_buf *out, an_count n)
{
    enum { GROUP = 19, GROUPS = AN_COUNT_BITS / 63 + 1 };
    if (n.more) {
        mt_buf_addz(out, "more than 10^616");
        return;
    }
    if (!n.len) {
        mt_buf_add_u64(out, n.low);
        return;
    }
    uint64_t limbs[AN_COUNT_LIMBS], groups[GROUPS];
    uint32_t len = n.len, count = 0;
    memcpy(limbs, n.limbs, len * sizeof *limbs);
    while (len) {
        groups[count++] = divide(limbs, len, 10000000000000000000u);
        while (len && !limbs[len - 1]) {
            len--;
        }
    }
    mt_buf_add_u64(out, groups[--count]);
    while (count--) {
        char digits[GROUP + 1];
        char *start = mt_put_digits(groups[count], digits + sizeof digits);
        size_t have = (size_t)(digits + sizeof digits - start);
        mt_buf_add(out, "0000000000000000000", GROUP - have);
        mt_buf_add(out, start, have);
    }
}

mt_str an_count_str(mt_arena *a, an_count n)
{
    mt_buf text = {0};
    an_count_text(&text, n);
    mt_str kept = mt_str_dup(a, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

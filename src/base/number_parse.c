/* base/number_parse.c - decimal text to the nearest double.
 *
 * Three ways, each used when the one before cannot be sure:
 * - doubles that are exact anyway: few digits, and a power of ten that is a double;
 * - a lower and an upper bound from a 128-bit power of ten, which nearly always round
 *   to the same double;
 * - comparison with the midpoint of two doubles in big integers.
 *
 * The first 19 digits are kept in a word; whether anything but zeros was cut decides
 * if the bounds must be one unit apart. Big integers hold 800 digits, since no
 * midpoint has more; what is beyond counts as one sticky digit.
 *
 * Nothing is rounded twice, and the answer does not depend on locale, rounding mode or
 * libc. MT_E_SYNTAX for text that is not a JSON number, MT_E_RANGE for what is beyond
 * the largest double (*out is then infinite). What is too small becomes a zero with
 * its sign. */
#include <float.h>

#include "base/json_scan.h"
#include "base/number.h"
#include "base/number_powers.h"

__extension__ typedef unsigned __int128 u128;

enum {
    WORD_DIGITS = 19, /* digits that surely fit 64 bits */
    BIG_DIGITS = 800, /* no midpoint of two doubles has more */
    BIG_WORDS = 96,   /* enough for BIG_DIGITS digits times 2^1100 */
    FRACTION_BITS = 52,
    BIAS = 1023,
    EXACT_POWER = 22, /* 10^22 is the largest power of ten that is a double */
};

#define INFINITE ((uint64_t)0x7FF << FRACTION_BITS)

/* value = word * 10^exponent, and up to one unit of word more if digits were cut. */
typedef struct parsed {
    uint64_t word;
    int64_t exponent;
    int64_t written; /* what follows `e` */
    bool negative, cut;
    mt_str mantissa; /* digits and point */
} parsed;

/* Reads `e` and what follows; NULL if malformed. */
static const char *parse_exponent(const char *p, const char *end, int64_t *exponent)
{
    p++;
    bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    const char *stop = mt_scan_digits(p, end);
    if (stop == p) {
        return NULL;
    }
    int64_t value = 0;
    for (; p < stop; p++) {
        if (value < (int64_t)1 << 40) { /* beyond it, only the size matters */
            value = value * 10 + (*p - '0');
        }
    }
    *exponent = negative ? -value : value;
    return stop;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* The value of eight digits: pairs, then fours, then all, in one word. */
static uint64_t eight_digits(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    v = (v & 0x0F0F0F0F0F0F0F0Fu) * 2561 >> 8;
    v = (v & 0x00FF00FF00FF00FFu) * 6553601 >> 16;
    return (v & 0x0000FFFF0000FFFFu) * 42949672960001u >> 32;
}
#else
static uint64_t eight_digits(const char *p)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++) {
        v = v * 10 + (uint64_t)(p[i] - '0');
    }
    return v;
}
#endif

/* Adds the digits of p..end to the word; `step` is what each costs in exponent. */
static void take_digits(parsed *n, int *count, const char *p, const char *end, int step)
{
    /* Eight at a time, unless leading zeros would count as digits. */
    while (end - p >= 8 && *count + 8 <= WORD_DIGITS && (*count || *p != '0')) {
        n->word = n->word * 100000000 + eight_digits(p);
        *count += 8;
        n->exponent -= 8 * step;
        p += 8;
    }
    for (; p < end; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (*count < WORD_DIGITS) {
            n->word = n->word * 10 + digit;
            *count += n->word != 0;
            n->exponent -= step;
        } else {
            n->cut |= digit != 0;
            n->exponent += 1 - step;
        }
    }
}

/* The grammar of JSON numbers; the first digits go to the word, the whole mantissa is
 * kept for the exact way. */
static bool split(mt_str text, parsed *n)
{
    const char *p = text.ptr, *end = p + text.len;
    n->negative = p < end && *p == '-';
    p += n->negative;
    const char *start = p;
    int count = 0;
    p = mt_scan_digits(p, end);
    if (p == start || (*start == '0' && p - start > 1)) {
        return false;
    }
    take_digits(n, &count, start, p, 0);
    if (p < end && *p == '.') {
        const char *fraction = p + 1;
        p = mt_scan_digits(fraction, end);
        if (p == fraction) {
            return false;
        }
        take_digits(n, &count, fraction, p, 1);
    }
    n->mantissa = mt_str_from(start, (size_t)(p - start));
    if (p < end && (*p | 0x20) == 'e') {
        p = parse_exponent(p, end, &n->written);
        n->exponent += n->written;
    }
    return p == end;
}

/* Bits of the double nearest to v * 2^e, v with its top bit set; `more` says that the
 * true value is a little larger. Ties to even. */
static uint64_t round_bits(u128 v, int e, bool more)
{
    int top = e + 127;
    if (top > BIAS) {
        return INFINITE;
    }
    int keep = top >= 1 - BIAS ? FRACTION_BITS + 1 : FRACTION_BITS + BIAS + top;
    if (keep < 0) {
        return 0;
    }
    uint64_t m = keep ? (uint64_t)(v >> (128 - keep)) : 0;
    u128 rest = v << keep, half = (u128)1 << 127;
    m += rest > half || (rest == half && (more || (m & 1)));
    /* The leading bit of m, and a carry out of it, count up the exponent. */
    uint64_t base = top >= 1 - BIAS ? (uint64_t)(top + BIAS - 1) : 0;
    uint64_t bits = (base << FRACTION_BITS) + m;
    return bits < INFINITE ? bits : INFINITE;
}

typedef struct bounds {
    uint64_t low, high; /* bits of the doubles that the bounds round to */
} bounds;

/* The doubles nearest to the bounds of word * 10^k. */
static bounds bound(uint64_t word, int k)
{
    int zeros = __builtin_clzll(word);
    word <<= zeros;
    mt_power p = mt_power_of(k);
    u128 low = (u128)p.lo * word;
    u128 v = (u128)p.hi * word + (uint64_t)(low >> 64);
    uint64_t cut = (uint64_t)low;
    int e = mt_power_log2(k) - 127 - zeros + 64;
    if (!(v >> 127)) {
        v = v << 1 | cut >> 63;
        cut <<= 1;
        e--;
    }
    bounds b = {.low = round_bits(v, e, cut != 0)};
    b.high = b.low;
    if (!mt_power_is_exact(k)) {
        /* The power is less than one unit larger, the product less than two. */
        u128 above = v + 2;
        b.high = above < v ? round_bits((u128)1 << 127, e + 1, true)
                           : round_bits(above, e, true);
    }
    return b;
}

/* Unsigned integer, little-endian words. */
typedef struct big {
    uint64_t w[BIG_WORDS];
    int len;
} big;

static void big_push(big *b, uint64_t word)
{
    MT_ASSERT(b->len < BIG_WORDS);
    b->w[b->len++] = word;
}

/* One word longer at most; BIG_WORDS holds every number that is ever made. */
static void big_mul_add(big *b, uint64_t factor, uint64_t add)
{
    uint64_t carry = add;
    for (int i = 0; i < b->len; i++) {
        u128 t = (u128)b->w[i] * factor + carry;
        b->w[i] = (uint64_t)t;
        carry = (uint64_t)(t >> 64);
    }
    if (carry) {
        big_push(b, carry);
    }
}

static void big_mul_pow5(big *b, int64_t n)
{
    const uint64_t FIVE_27 = 7450580596923828125u;
    for (; n >= 27; n -= 27) {
        big_mul_add(b, FIVE_27, 0);
    }
    for (; n > 0; n--) {
        big_mul_add(b, 5, 0);
    }
}

static void big_shift(big *b, int64_t bits)
{
    int words = (int)(bits / 64), rest = (int)(bits % 64);
    big_mul_add(b, (uint64_t)1 << rest, 0);
    MT_ASSERT(b->len + words <= BIG_WORDS);
    memmove(b->w + words, b->w, (size_t)b->len * sizeof *b->w);
    memset(b->w, 0, (size_t)words * sizeof *b->w);
    b->len += words;
}

static int big_cmp(const big *a, const big *b)
{
    if (a->len != b->len) {
        return a->len < b->len ? -1 : 1;
    }
    for (int i = a->len - 1; i >= 0; i--) {
        if (a->w[i] != b->w[i]) {
            return a->w[i] < b->w[i] ? -1 : 1;
        }
    }
    return 0;
}

/* All digits of the mantissa; those beyond BIG_DIGITS only as one more, sticky. */
static void big_digits(big *b, mt_str mantissa, int64_t *exponent)
{
    int count = 0;
    bool fraction = false, more = false;
    for (size_t i = 0; i < mantissa.len; i++) {
        unsigned digit = (unsigned)(mantissa.ptr[i] - '0');
        if (digit > 9) {
            fraction = true;
        } else if (count < BIG_DIGITS) {
            big_mul_add(b, 10, digit);
            count += b->len != 0;
            *exponent -= fraction;
        } else {
            more |= digit != 0;
            *exponent += !fraction;
        }
    }
    big_mul_add(b, 10, more);
    --*exponent;
}

/* Is the number below (-1), at (0) or above (1) the midpoint of the double with these
 * bits and the next? `exponent` is the one written after `e`. */
static int against_midpoint(mt_str mantissa, int64_t exponent, uint64_t bits)
{
    uint64_t biased = bits >> FRACTION_BITS;
    uint64_t m = bits & (((uint64_t)1 << FRACTION_BITS) - 1);
    m |= biased ? (uint64_t)1 << FRACTION_BITS : 0;
    int64_t two = (int64_t)(biased ? biased : 1) - BIAS - FRACTION_BITS - 1;
    big number = {.len = 0}, middle = {.len = 0};
    big_digits(&number, mantissa, &exponent);
    big_push(&middle, 2 * m + 1);
    /* number * 10^exponent against middle * 2^two, fractions cleared */
    if (exponent >= 0) {
        big_mul_pow5(&number, exponent);
    } else {
        big_mul_pow5(&middle, -exponent);
    }
    if (exponent >= two) {
        big_shift(&number, exponent - two);
    } else {
        big_shift(&middle, two - exponent);
    }
    return big_cmp(&number, &middle);
}

/* Lower and upper bound agree, or the midpoint above the lower one decides. */
static uint64_t nearest(const parsed *n)
{
    int k = (int)n->exponent;
    bounds b = bound(n->word, k);
    if (n->cut) {
        b.high = bound(n->word + 1, k).high;
    }
    if (MT_LIKELY(b.low == b.high)) {
        return b.low;
    }
    int side = against_midpoint(n->mantissa, n->written, b.low);
    bool up = side > 0 || (side == 0 && (b.low & 1));
    return up ? b.high : b.low;
}

/* Clinger's case: both factors are doubles, so one operation rounds once. */
static bool exact(const parsed *n, double *out)
{
    static const double TENS[EXACT_POWER + 1] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    bool small = n->word >> (FRACTION_BITS + 1) == 0 && !n->cut;
    if (FLT_EVAL_METHOD != 0 || !small || n->exponent < -EXACT_POWER ||
        n->exponent > EXACT_POWER) {
        return false;
    }
    double word = (double)n->word;
    *out = n->exponent < 0 ? word / TENS[-n->exponent] : word * TENS[n->exponent];
    return true;
}

/* Bits of the absolute value, by the first of the ways that is sure. */
static uint64_t magnitude(const parsed *n)
{
    double easy;
    if (exact(n, &easy)) {
        uint64_t bits;
        memcpy(&bits, &easy, sizeof bits);
        return bits;
    }
    if (!n->word || n->exponent < MT_POWER_FIRST) {
        return 0;
    }
    return n->exponent > DBL_MAX_10_EXP ? INFINITE : nearest(n);
}

mt_err mt_number_parse(mt_str text, double *out)
{
    parsed n = {0};
    if (!split(text, &n)) {
        return MT_E_SYNTAX;
    }
    uint64_t bits = magnitude(&n);
    mt_err err = bits == INFINITE ? MT_E_RANGE : MT_OK;
    bits |= (uint64_t)n.negative << 63;
    memcpy(out, &bits, sizeof bits);
    return err;
}

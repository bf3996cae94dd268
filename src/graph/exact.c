/* graph/exact.c - sums of doubles without rounding.
 *
 * A double is m * 2^e with whole m < 2^53 and e >= -1074; it is added as m shifted to
 * its place in a long two's complement number, and taken away as its negation. Reading
 * takes the magnitude, appends two zero words, so that a division by less than 2^63
 * leaves more than 64 bits, divides word by word from the top, and rounds once: the
 * bits below the last that a double has here, and a remainder, decide.
 *
 * INVARIANT: the words of a sum are a function of what is in it, whatever was added and
 * taken in between. Nothing can fail; a result beyond the doubles is infinite. */
#include "graph/exact.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum {
    LEAST = 1074,                         /* the last bit of a double is 2^-LEAST */
    MOST_WORDS = 2 * GR_SQUARES_WORDS + 2 /* of anything that is read */
};

/* ---- Adding ---- */

/* The parts of |x|: m * 2^(place - LEAST). */
static uint64_t parts(double x, unsigned *place)
{
    uint64_t bits, hidden = (uint64_t)1 << 52;
    memcpy(&bits, &x, sizeof bits);
    unsigned exponent = bits >> 52 & 0x7ff;
    *place = exponent ? exponent - 1 : 0;
    return (bits & (hidden - 1)) | (exponent ? hidden : 0);
}

static void add_at(uint64_t *words, unsigned count, unsigned i, uint64_t carry)
{
    for (; carry && i < count; i++) {
        words[i] += carry;
        carry = words[i] < carry;
    }
}

static void take_at(uint64_t *words, unsigned count, unsigned i, uint64_t borrow)
{
    for (; borrow && i < count; i++) {
        uint64_t before = words[i];
        words[i] -= borrow;
        borrow = words[i] > before;
    }
}

/* `value` shifted left by `place` bits, added or taken away. */
static void put(uint64_t *words, unsigned count, wide value, unsigned place, bool take)
{
    unsigned i = place / 64, shift = place % 64;
    uint64_t low = (uint64_t)value, high = (uint64_t)(value >> 64);
    uint64_t part[3] = {low << shift, high << shift, 0};
    if (shift) {
        part[1] |= low >> (64 - shift);
        part[2] = high >> (64 - shift);
    }
    for (unsigned k = 0; k < 3; k++) {
        if (part[k]) {
            (take ? take_at : add_at)(words, count, i + k, part[k]);
        }
    }
}

static void put_number(gr_sum *s, double x, bool take)
{
    unsigned place;
    uint64_t m = parts(x, &place);
    put(s->words, GR_SUM_WORDS, m, place, take != (x < 0));
}

static void put_square(gr_squares *s, double x, bool take)
{
    unsigned place;
    uint64_t m = parts(x, &place);
    put(s->words, GR_SQUARES_WORDS, (wide)m * m, 2 * place, take);
}

void gr_sum_add(gr_sum *s, double x)
{
    put_number(s, x, false);
}

void gr_sum_take(gr_sum *s, double x)
{
    put_number(s, x, true);
}

void gr_squares_add(gr_squares *s, double x)
{
    put_square(s, x, false);
}

void gr_squares_take(gr_squares *s, double x)
{
    put_square(s, x, true);
}

/* ---- Reading ---- */

/* A whole number without sign: the words from `low` up to `high`, the rest is zero. */
typedef struct number {
    uint64_t words[MOST_WORDS];
    unsigned low, high; /* high 0: zero */
} number;

static void trim(number *n)
{
    while (n->high > n->low && !n->words[n->high - 1]) {
        n->high--;
    }
    while (n->low < n->high && !n->words[n->low]) {
        n->low++;
    }
    if (n->low == n->high) {
        n->low = n->high = 0;
    }
}

/* The magnitude of a two's complement number; true: it is negative. */
static bool magnitude(const uint64_t *words, unsigned count, number *out)
{
    bool negative = words[count - 1] >> 63;
    uint64_t carry = negative;
    for (unsigned i = 0; i < count; i++) {
        out->words[i] = (negative ? ~words[i] : words[i]) + carry;
        carry = carry && !out->words[i];
    }
    out->low = 0;
    out->high = count;
    trim(out);
    return negative;
}

/* By a number below 2^64; the sum of a window has room for it. */
static void times(number *n, uint64_t by, unsigned room)
{
    uint64_t carry = 0;
    for (unsigned i = n->low; i < n->high; i++) {
        wide w = (wide)n->words[i] * by + carry;
        n->words[i] = (uint64_t)w;
        carry = (uint64_t)(w >> 64);
    }
    if (carry && n->high < room) {
        n->words[n->high++] = carry;
    }
}

/* a * a, word by word; only words that are not zero cost anything. */
static void square(const number *a, number *out)
{
    memset(out->words, 0, sizeof out->words);
    for (unsigned i = a->low; i < a->high; i++) {
        uint64_t carry = 0;
        for (unsigned k = a->low; k < a->high; k++) {
            wide w = (wide)a->words[i] * a->words[k] + out->words[i + k] + carry;
            out->words[i + k] = (uint64_t)w;
            carry = (uint64_t)(w >> 64);
        }
        out->words[i + a->high] = carry;
    }
    out->low = 0;
    out->high = 2 * a->high;
    trim(out);
}

/* a - b, which is not negative. */
static void minus(number *a, const number *b)
{
    uint64_t borrow = 0;
    unsigned high = a->high > b->high ? a->high : b->high;
    for (unsigned i = a->high; i < high; i++) {
        a->words[i] = 0;
    }
    for (unsigned i = 0; i < a->low; i++) {
        a->words[i] = 0;
    }
    for (unsigned i = 0; i < high; i++) {
        uint64_t other = i >= b->low && i < b->high ? b->words[i] : 0;
        wide w = (wide)a->words[i] - other - borrow;
        a->words[i] = (uint64_t)w;
        borrow = (w >> 64) != 0;
    }
    a->low = 0;
    a->high = high;
    trim(a);
}

/* Two zero words below, then divided; true: something is left over. */
static bool divide(const number *n, uint64_t by, number *out)
{
    uint64_t left = 0;
    unsigned count = n->high - n->low + 2;
    out->low = 0;
    out->high = count;
    for (unsigned i = count; i-- > 0;) {
        uint64_t word = i >= 2 ? n->words[n->low + i - 2] : 0;
        wide w = (wide)left << 64 | word;
        out->words[i] = (uint64_t)(w / by);
        left = (uint64_t)(w % by);
    }
    while (!out->words[out->high - 1]) {
        out->high--;
    }
    return left != 0;
}

static uint64_t bits_from(const number *n, unsigned first)
{
    unsigned i = first / 64, shift = first % 64;
    uint64_t low = i < n->high ? n->words[i] : 0;
    uint64_t high = i + 1 < n->high ? n->words[i + 1] : 0;
    return shift ? low >> shift | high << (64 - shift) : low;
}

static bool any_below(const number *n, unsigned end)
{
    for (unsigned i = 0; i < n->high && i < end / 64; i++) {
        if (n->words[i]) {
            return true;
        }
    }
    return end % 64 && end / 64 < n->high && n->words[end / 64] << (64 - end % 64);
}

/* The double nearest to q * 2^scale and, if `more`, a little. */
static double nearest(const number *q, bool more, int scale)
{
    int top = (int)q->high * 64 - 1 - __builtin_clzll(q->words[q->high - 1]);
    int lowest = top - 52; /* the last bit a double has here */
    if (lowest + scale < -LEAST) {
        lowest = -LEAST - scale;
    }
    uint64_t m = bits_from(q, (unsigned)lowest);
    bool half = bits_from(q, (unsigned)lowest - 1) & 1;
    bool rest = more || any_below(q, (unsigned)lowest - 1);
    m += half && (rest || (m & 1));
    return ldexp((double)m, lowest + scale);
}

/* n * 2^-least / by */
static double quotient(const number *n, uint64_t by, int least)
{
    number q;
    if (!n->high) {
        return 0;
    }
    bool more = divide(n, by, &q);
    return nearest(&q, more, (int)n->low * 64 - 128 - least);
}

double gr_sum_over(const gr_sum *s, uint64_t by)
{
    number n;
    bool negative = magnitude(s->words, GR_SUM_WORDS, &n);
    double d = quotient(&n, by, LEAST);
    return negative ? -d : d;
}

double gr_spread_over(const gr_squares *squares, const gr_sum *sum, uint32_t count,
                      uint64_t by)
{
    number spread, total, squared;
    magnitude(squares->words, GR_SQUARES_WORDS, &spread);
    magnitude(sum->words, GR_SUM_WORDS, &total);
    times(&spread, count, MOST_WORDS);
    square(&total, &squared);
    minus(&spread, &squared);
    return quotient(&spread, by, 2 * LEAST);
}

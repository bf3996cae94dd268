/* base/number_print.c - shortest text of a double.
 *
 * Finds, in units of a power of ten, the decimals around the value and around the two
 * ends of the interval that rounds to it, as integers with a sticky last bit (scaled
 * by four); then the shortest that lies inside wins, the nearest of two. One table
 * lookup and three multiplications of 64 by 128 bits replace all big-number work
 * (Giulietti's Schubfach).
 *
 * The layout is that of the graph model's canonical JSON: fixed notation for exponents
 * from -5 to 15, always with a point, otherwise one digit before the point and `e`.
 * Infinity and NaN have no JSON form and become `null`.
 *
 * Invariant: reading the text with number_parse.c gives the same bits back. Nothing can
 * fail; MT_NUMBER_TEXT bytes are always enough.
 */
#include "base/number.h"
#include "base/number_powers.h"

__extension__ typedef unsigned __int128 u128;

enum { FRACTION_BITS = 52, EXPONENT_MASK = 0x7FF, BIAS = 1075 };

/* digits * 10^exponent */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

/* Upper bound of 10^k as a table entry. */
static mt_power power_above(int k)
{
    mt_power p = mt_power_of(k);
    if (!mt_power_is_exact(k)) {
        p.lo++;
        p.hi += p.lo == 0;
    }
    return p;
}

/* The high 64 bits of p * c; the lowest is set when anything was cut off. */
static uint64_t times_sticky(mt_power p, uint64_t c)
{
    u128 low = (u128)p.lo * c, high = (u128)p.hi * c + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* floor(log10(2^q)), or of 3/4 of it when the lower neighbour is closer. */
static int floor_log10(int q, bool closer)
{
    return (q * 1262611 - (closer ? 524031 : 0)) >> 22;
}

/* Schubfach: one digit fewer if exactly one such decimal lies in the interval, else
 * the nearer of the two around the value. */
static decimal shortest(uint64_t c, int q, bool closer)
{
    bool odd = c & 1;
    int k = floor_log10(q, closer);
    int shift = q + mt_power_log2(-k) + 1;
    mt_power p = power_above(-k);
    /* The ends of the interval belong to it when c is even. */
    uint64_t lower = times_sticky(p, (4 * c - 2 + closer) << shift) + odd;
    uint64_t value = times_sticky(p, (4 * c) << shift);
    uint64_t upper = times_sticky(p, (4 * c + 2) << shift) - odd;
    uint64_t s = value / 4;
    if (s >= 10) {
        uint64_t tens = s / 10;
        bool down = lower <= 40 * tens, up = 40 * tens + 40 <= upper;
        if (down != up) {
            return (decimal){tens + up, k + 1};
        }
    }
    bool down = lower <= 4 * s, up = 4 * s + 4 <= upper;
    if (down == up) {
        uint64_t middle = 4 * s + 2;
        up = value > middle || (value == middle && (s & 1));
    }
    return (decimal){s + up, k};
}

/* Subnormals have no hidden bit; a power of two has its lower neighbour closer. */
static decimal to_decimal(uint64_t fraction, int biased)
{
    if (!biased) {
        return shortest(fraction, 1 - BIAS, false);
    }
    uint64_t c = (uint64_t)1 << FRACTION_BITS | fraction;
    int q = biased - BIAS;
    if (q <= 0 && -q <= FRACTION_BITS && !(c & (((uint64_t)1 << -q) - 1))) {
        return (decimal){c >> -q, 0}; /* a whole number below 2^53 */
    }
    return shortest(c, q, !fraction && biased > 1);
}

/* A whole power of ten keeps one digit; two zeros at a time, since most have many or
 * none. */
static decimal without_zeros(decimal d)
{
    while (d.digits % 100 == 0) {
        d.digits /= 100;
        d.exponent += 2;
    }
    if (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

/* One digit before the point, and no point when there is only one digit. */
static char *put_scientific(char *p, const char *digits, int count, int exponent)
{
    *p++ = digits[0];
    if (count > 1) {
        *p++ = '.';
        memcpy(p, digits + 1, (size_t)(count - 1));
        p += count - 1;
    }
    *p++ = 'e';
    if (exponent < 0) {
        *p++ = '-';
    }
    char text[20], *end = text + sizeof text;
    char *start = mt_put_digits((uint64_t)(exponent < 0 ? -exponent : exponent), end);
    memcpy(p, start, (size_t)(end - start));
    return p + (end - start);
}

/* 0.DIGITS x 10^point with -5 < point <= 16. */
static char *put_fixed(char *p, const char *digits, int count, int point)
{
    if (point <= 0) {
        memcpy(p, "0.00000", 7);
        memcpy(p + 2 - point, digits, (size_t)count);
        return p + 2 - point + count;
    }
    if (point >= count) {
        memset(p, '0', (size_t)point + 2);
        memcpy(p, digits, (size_t)count);
        p[point] = '.';
        return p + point + 2;
    }
    memcpy(p, digits, (size_t)point);
    p[point] = '.';
    memcpy(p + point + 1, digits + point, (size_t)(count - point));
    return p + count + 1;
}

size_t mt_number_print(double value, char out[MT_NUMBER_TEXT])
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & (((uint64_t)1 << FRACTION_BITS) - 1);
    int biased = (int)(bits >> FRACTION_BITS) & EXPONENT_MASK;
    if (biased == EXPONENT_MASK) {
        memcpy(out, "null", 4);
        return 4;
    }
    char *p = out;
    if (bits >> 63) {
        *p++ = '-';
    }
    if (!biased && !fraction) {
        memcpy(p, "0.0", 3);
        return (size_t)(p + 3 - out);
    }
    decimal d = without_zeros(to_decimal(fraction, biased));
    char text[20], *end = text + sizeof text;
    const char *digits = mt_put_digits(d.digits, end);
    int count = (int)(end - digits);
    int point = count + d.exponent;
    p = -5 < point && point <= 16 ? put_fixed(p, digits, count, point)
                                  : put_scientific(p, digits, count, point - 1);
    return (size_t)(p - out);
}

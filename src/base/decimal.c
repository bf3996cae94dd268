/* base/decimal.c - arithmetic of the contract NumericModel.
 *
 * A decimal is a coefficient below 2^96 and a scale of at most 28. Every operation has
 * two ways. The fast one works in 128 bits and is taken when it is plain that nothing
 * can be lost. The other makes the exact result in 256 bits (u256), and fit() then
 * drops as many fraction digits as must go, half to even. So one operation rounds
 * once, whatever way it took, and both ways give the same bits.
 *
 * Invariants: zero has no sign (make() sees to it); a result never has a scale above
 * MT_DECIMAL_MAX_SCALE; an intermediate never needs more than 96 + 128 bits.
 *
 * What may fail: MT_E_SYNTAX for text that is not a number, MT_E_OVERFLOW when the
 * whole part does not fit 96 bits, MT_E_RANGE when a caller wants an int64 and the
 * value is not one. *out is written only on MT_OK. Nothing allocates. */
#include "base/decimal.h"

/* 10^0 .. 10^19 fit 64 bits, 10^38 fits 128. */
enum { POW64_MAX = 19, POW128_MAX = 38, BITS = 96 };

#define COEFFICIENT_END ((mt_u128)1 << BITS)

/* clang-format off */
static const uint64_t POW64[POW64_MAX + 1] = {
    1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u,
    1000000000u, 10000000000u, 100000000000u, 1000000000000u, 10000000000000u,
    100000000000000u, 1000000000000000u, 10000000000000000u, 100000000000000000u,
    1000000000000000000u, 10000000000000000000u,
};
/* clang-format on */

static mt_u128 pow10_u128(unsigned n)
{
    return n <= POW64_MAX ? POW64[n] : (mt_u128)POW64[POW64_MAX] * POW64[n - POW64_MAX];
}

static inline mt_u128 coefficient(mt_decimal d)
{
    return (mt_u128)d.hi << 64 | d.lo;
}

/* The only way a decimal is made: a zero loses its sign here. */
static inline mt_decimal make(mt_u128 c, unsigned scale, bool negative)
{
    return (mt_decimal){.lo = (uint64_t)c,
                        .hi = (uint32_t)(c >> 64),
                        .scale = (uint8_t)scale,
                        .negative = negative && c};
}

/* 256-bit intermediates: little-endian words. */
typedef struct u256 {
    uint64_t w[4]; /* the lowest first */
} u256;

/* a < 2^96, b < 2^128. */
static u256 wide_mul(mt_u128 a, mt_u128 b)
{
    u256 product = {{0}};
    uint64_t x[2] = {(uint64_t)a, (uint64_t)(a >> 64)};
    uint64_t y[2] = {(uint64_t)b, (uint64_t)(b >> 64)};
    for (int i = 0; i < 2; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < 2; j++) {
            mt_u128 t = (mt_u128)x[i] * y[j] + product.w[i + j] + carry;
            product.w[i + j] = (uint64_t)t;
            carry = (uint64_t)(t >> 64);
        }
        product.w[i + 2] = carry;
    }
    return product;
}

static u256 wide_add(u256 a, u256 b)
{
    mt_u128 carry = 0;
    for (int i = 0; i < 4; i++) {
        carry += (mt_u128)a.w[i] + b.w[i];
        a.w[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return a;
}

/* a - b for a >= b. */
static u256 wide_sub(u256 a, u256 b)
{
    bool borrow = false;
    for (int i = 0; i < 4; i++) {
        uint64_t word;
        bool low = __builtin_sub_overflow(a.w[i], b.w[i], &word);
        bool under = __builtin_sub_overflow(word, (uint64_t)borrow, &a.w[i]);
        borrow = low || under;
    }
    return a;
}

static int wide_cmp(u256 a, u256 b)
{
    for (int i = 3; i >= 0; i--) {
        if (a.w[i] != b.w[i]) {
            return a.w[i] < b.w[i] ? -1 : 1;
        }
    }
    return 0;
}

/* high:low / divisor for high < divisor, so that the quotient is one word. */
static inline uint64_t div_word(uint64_t high, uint64_t low, uint64_t divisor,
                                uint64_t *rest)
{
#if defined(__x86_64__)
    /* The compiler calls a library function for it; the machine has an instruction. */
    uint64_t quotient;
    __asm__("divq %4"
            : "=a"(quotient), "=d"(*rest)
            : "0"(low), "1"(high), "r"(divisor));
    return quotient;
#else
    mt_u128 part = (mt_u128)high << 64 | low;
    *rest = (uint64_t)(part % divisor);
    return (uint64_t)(part / divisor);
#endif
}

/* Divides in place, returns the remainder. */
static uint64_t wide_div(u256 *a, uint64_t divisor)
{
    uint64_t rest = 0;
    for (int i = 3; i >= 0; i--) {
        if (rest | a->w[i]) {
            a->w[i] = div_word(rest, a->w[i], divisor, &rest);
        }
    }
    return rest;
}

/* How many bits the value needs; 0 for zero. */
static unsigned wide_bits(u256 a)
{
    for (unsigned i = 4; i-- > 0;) {
        if (a.w[i]) {
            return i * 64 + 64 - (unsigned)__builtin_clzll(a.w[i]);
        }
    }
    return 0;
}

/* a / 10^drop rounded half to even. */
static u256 wide_drop(u256 a, unsigned drop)
{
    if (!drop) {
        return a;
    }
    bool sticky = false; /* is there anything after the first dropped digit? */
    for (unsigned left = drop - 1; left;) {
        unsigned step = left < POW64_MAX ? left : POW64_MAX;
        sticky |= wide_div(&a, POW64[step]) != 0;
        left -= step;
    }
    uint64_t digit = wide_div(&a, 10);
    if (digit > 5 || (digit == 5 && (sticky || (a.w[0] & 1)))) {
        a = wide_add(a, (u256){{1}});
    }
    return a;
}

/* The decimal nearest to a / 10^scale with as many fraction digits as fit. */
static mt_err fit(u256 a, unsigned scale, bool negative, mt_decimal *out)
{
    unsigned drop = scale > MT_DECIMAL_MAX_SCALE ? scale - MT_DECIMAL_MAX_SCALE : 0;
    unsigned bits = wide_bits(a);
    /* 10^n has more than 3n bits: dropping fewer digits than this cannot be enough. */
    unsigned least = bits > BITS + 1 ? (bits - BITS - 1) * 3 / 10 : 0;
    for (drop = least > drop ? least : drop; drop <= scale; drop++) {
        u256 rounded = wide_drop(a, drop);
        if (wide_bits(rounded) <= BITS) {
            mt_u128 c = (mt_u128)rounded.w[1] << 64 | rounded.w[0];
            *out = make(c, scale - drop, negative);
            return MT_OK;
        }
    }
    return MT_E_OVERFLOW;
}

/* Fraction digits that did not fit, as rounding needs them. */
typedef struct tail {
    unsigned first; /* dropped digit */
    bool any, more; /* anything dropped; anything but zeros after the first */
} tail;

static void drop_digit(tail *t, unsigned digit)
{
    if (t->any) {
        t->more |= digit != 0;
    } else {
        *t = (tail){.first = digit, .any = true};
    }
}

/* Half to even. Rounding up may carry out of 96 bits; then one fraction digit more has
 * to go, and where there is none it is an overflow. */
static mt_err round_tail(mt_u128 c, unsigned scale, bool negative, tail t,
                         mt_decimal *out)
{
    if (t.first > 5 || (t.first == 5 && (t.more || (c & 1)))) {
        c++;
    }
    if (c == COEFFICIENT_END) {
        /* One digit fewer. The last digit, 5 with more after it, rounds up again. */
        if (!scale) {
            return MT_E_OVERFLOW;
        }
        c = c / 10 + 1;
        scale--;
    }
    *out = make(c, scale, negative);
    return MT_OK;
}

/* The general case: more digits than 64 bits surely hold. */
static mt_err parse_long(mt_str digits, size_t point, bool negative, mt_decimal *out)
{
    mt_u128 c = 0;
    unsigned scale = 0;
    tail t = {0};
    for (size_t i = 0; i < digits.len; i++) {
        if (i == point) {
            continue;
        }
        unsigned digit = (unsigned)(digits.ptr[i] - '0');
        mt_u128 next = c * 10 + digit;
        bool fits = next < COEFFICIENT_END && !t.any;
        if (i < point && !fits) {
            return MT_E_OVERFLOW;
        }
        if (i > point && (!fits || scale == MT_DECIMAL_MAX_SCALE)) {
            drop_digit(&t, digit);
            continue;
        }
        c = next;
        scale += i > point;
    }
    return round_tail(c, scale, negative, t, out);
}

mt_err mt_decimal_parse(mt_str text, mt_decimal *out)
{
    bool negative = text.len && text.ptr[0] == '-';
    mt_str digits = mt_str_skip(text, negative);
    size_t point = digits.len;
    uint64_t c = 0;
    for (size_t i = 0; i < digits.len; i++) {
        unsigned digit = (unsigned)(digits.ptr[i] - '0');
        if (digit < 10) {
            c = c * 10 + digit; /* meaningless beyond 19 digits, and unused then */
        } else if (digits.ptr[i] == '.' && point == digits.len && i > 0) {
            point = i;
        } else {
            return MT_E_SYNTAX;
        }
    }
    if (!digits.len || point + 1 == digits.len) {
        return MT_E_SYNTAX;
    }
    if (digits.len > POW64_MAX) {
        return parse_long(digits, point, negative, out);
    }
    size_t scale = point == digits.len ? 0 : digits.len - point - 1;
    *out = make(c, (unsigned)scale, negative);
    return MT_OK;
}

size_t mt_decimal_print(mt_decimal d, char out[MT_DECIMAL_TEXT])
{
    char digits[48];
    char *end = digits + sizeof digits, *start = end;
    mt_u128 c = coefficient(d);
    if (c >> 64) {
        start = mt_put_digits((uint64_t)(c % POW64[POW64_MAX]), end);
        while (end - start < POW64_MAX) {
            *--start = '0';
        }
        c /= POW64[POW64_MAX];
    }
    start = mt_put_digits((uint64_t)c, start);
    while (end - start <= d.scale) {
        *--start = '0';
    }
    size_t len = 0, whole = (size_t)(end - start) - d.scale;
    if (d.negative) {
        out[len++] = '-';
    }
    memcpy(out + len, start, whole);
    len += whole;
    if (d.scale) {
        out[len++] = '.';
        memcpy(out + len, start + whole, d.scale);
        len += d.scale;
    }
    return len;
}

mt_decimal mt_decimal_from_i64(int64_t value)
{
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    return make(size, 0, value < 0);
}

mt_err mt_decimal_to_i64(mt_decimal d, int64_t *out)
{
    mt_u128 unit = pow10_u128(d.scale), c = coefficient(d);
    mt_u128 whole = c / unit;
    if (whole * unit != c || whole > (mt_u128)INT64_MAX + d.negative) {
        return MT_E_RANGE;
    }
    uint64_t size = (uint64_t)whole;
    *out = (int64_t)(d.negative ? 0 - size : size);
    return MT_OK;
}

/* The coefficient d would have with `scale` >= d.scale fraction digits. */
static u256 widened(mt_decimal d, unsigned scale)
{
    return wide_mul(coefficient(d), pow10_u128(scale - d.scale));
}

/* Coefficients at one scale. */
typedef struct aligned {
    mt_u128 a, b;
    unsigned scale;
} aligned;

/* True when both are small enough to be aligned in 128 bits; one of them is below 2^64,
 * so that their sum fits as well. */
static inline bool align(mt_decimal a, mt_decimal b, aligned *out)
{
    unsigned scale = a.scale > b.scale ? a.scale : b.scale;
    unsigned up_a = scale - a.scale, up_b = scale - b.scale;
    if ((a.hi | b.hi) || (up_a | up_b) > POW64_MAX) {
        return false;
    }
    *out = (aligned){(mt_u128)a.lo * POW64[up_a], (mt_u128)b.lo * POW64[up_b], scale};
    return true;
}

/* Without signs. Both are brought to the larger scale, so nothing is rounded. */
static int cmp_size(mt_decimal a, mt_decimal b)
{
    aligned x;
    if (align(a, b, &x)) {
        return (x.a > x.b) - (x.a < x.b);
    }
    unsigned scale = a.scale > b.scale ? a.scale : b.scale;
    return wide_cmp(widened(a, scale), widened(b, scale));
}

int mt_decimal_cmp_slow(mt_decimal a, mt_decimal b)
{
    if (a.negative != b.negative) {
        return a.negative ? -1 : 1;
    }
    int order;
    if (MT_LIKELY(a.scale == b.scale)) {
        mt_u128 x = coefficient(a), y = coefficient(b);
        order = (x > y) - (x < y);
    } else {
        order = cmp_size(a, b);
    }
    return a.negative ? -order : order;
}

/* The exact sum of aligned coefficients and its sign. */
static u256 wide_sum(mt_decimal a, mt_decimal b, unsigned scale, bool *negative)
{
    u256 x = widened(a, scale), y = widened(b, scale);
    *negative = a.negative;
    if (a.negative == b.negative) {
        return wide_add(x, y);
    }
    if (wide_cmp(x, y) >= 0) {
        return wide_sub(x, y);
    }
    *negative = b.negative;
    return wide_sub(y, x);
}

/* For operands that 128 bits cannot align, or whose sum leaves 96 bits. */
static mt_err add_wide(mt_decimal a, mt_decimal b, mt_decimal *out)
{
    unsigned scale = a.scale > b.scale ? a.scale : b.scale;
    bool negative;
    u256 sum = wide_sum(a, b, scale, &negative);
    return fit(sum, scale, negative, out);
}

mt_err mt_decimal_add_slow(mt_decimal a, mt_decimal b, mt_decimal *out)
{
    aligned x = {coefficient(a), coefficient(b), a.scale};
    if (a.scale != b.scale && !align(a, b, &x)) {
        return add_wide(a, b, out);
    }
    bool same = a.negative == b.negative;
    mt_u128 sum = same ? x.a + x.b : x.a >= x.b ? x.a - x.b : x.b - x.a;
    if (MT_UNLIKELY(sum >> BITS)) {
        return add_wide(a, b, out);
    }
    *out = make(sum, x.scale, same || x.a >= x.b ? a.negative : b.negative);
    return MT_OK;
}

mt_err mt_decimal_mul(mt_decimal a, mt_decimal b, mt_decimal *out)
{
    unsigned scale = (unsigned)a.scale + b.scale;
    bool negative = a.negative != b.negative;
    if (MT_LIKELY(!(a.hi | b.hi) && scale <= MT_DECIMAL_MAX_SCALE)) {
        mt_u128 product = (mt_u128)a.lo * b.lo;
        if (MT_LIKELY(!(product >> BITS))) {
            *out = make(product, scale, negative);
            return MT_OK;
        }
    }
    return fit(wide_mul(coefficient(a), coefficient(b)), scale, negative, out);
}

/* ---- Within 28 digits ---- */

static mt_u128 low_half(u256 a)
{
    return (mt_u128)a.w[1] << 64 | a.w[0];
}

static bool has_28_digits(u256 a)
{
    return !(a.w[2] | a.w[3]) && low_half(a) < pow10_u128(MT_DECIMAL_DIGITS);
}

/* a / 10^scale with at most `most` fraction digits; then only zeros may go. */
static mt_err bounded(u256 a, unsigned scale, unsigned most, bool negative,
                      mt_decimal *out)
{
    if (scale > most) {
        a = wide_drop(a, scale - most);
        scale = most;
    }
    for (; !has_28_digits(a); scale--) {
        if (!scale || wide_div(&a, 10)) {
            return MT_E_OVERFLOW;
        }
    }
    *out = make(low_half(a), scale, negative);
    return MT_OK;
}

mt_err mt_decimal_add_to(mt_decimal a, mt_decimal b, unsigned scale, mt_decimal *out)
{
    if (MT_LIKELY(mt_decimal_simple(a, b) && a.scale <= scale)) {
        return mt_decimal_add(a, b, out); /* below 2^63, which has 19 digits */
    }
    unsigned own = a.scale > b.scale ? a.scale : b.scale;
    unsigned most = scale < MT_DECIMAL_MAX_SCALE ? scale : MT_DECIMAL_MAX_SCALE;
    bool negative;
    u256 sum = wide_sum(a, b, own, &negative);
    return bounded(sum, own, most, negative, out);
}

mt_err mt_decimal_mul_to(mt_decimal a, mt_decimal b, unsigned scale, mt_decimal *out)
{
    unsigned own = (unsigned)a.scale + b.scale;
    unsigned most = scale < MT_DECIMAL_MAX_SCALE ? scale : MT_DECIMAL_MAX_SCALE;
    bool negative = a.negative != b.negative;
    if (MT_LIKELY(!(a.hi | b.hi) && own <= most)) {
        mt_u128 product = (mt_u128)a.lo * b.lo;
        if (MT_LIKELY(product < pow10_u128(MT_DECIMAL_DIGITS))) {
            *out = make(product, own, negative);
            return MT_OK;
        }
    }
    return bounded(wide_mul(coefficient(a), coefficient(b)), own, most, negative, out);
}

mt_err mt_decimal_mul_within(mt_decimal a, mt_decimal b, unsigned scale,
                             mt_decimal *out)
{
    unsigned own = (unsigned)a.scale + b.scale;
    unsigned most = scale < MT_DECIMAL_MAX_SCALE ? scale : MT_DECIMAL_MAX_SCALE;
    u256 product = wide_mul(coefficient(a), coefficient(b));
    for (unsigned drop = own > most ? own - most : 0; drop <= own; drop++) {
        u256 rounded = wide_drop(product, drop);
        if (has_28_digits(rounded)) {
            *out = make(low_half(rounded), own - drop, a.negative != b.negative);
            return MT_OK;
        }
    }
    return MT_E_OVERFLOW;
}

bool mt_decimal_bounded(mt_decimal d)
{
    mt_decimal same;
    return !d.hi || bounded(wide_mul(coefficient(d), 1), d.scale, MT_DECIMAL_MAX_SCALE,
                            d.negative, &same) == MT_OK;
}

mt_err mt_decimal_rescale(mt_decimal d, unsigned scale, mt_decimal *out)
{
    if (scale > MT_DECIMAL_MAX_SCALE) {
        return MT_E_OVERFLOW;
    }
    u256 a = scale >= d.scale ? widened(d, scale)
                              : wide_drop(wide_mul(coefficient(d), 1), d.scale - scale);
    if (wide_bits(a) > BITS) {
        return MT_E_OVERFLOW;
    }
    *out = make((mt_u128)a.w[1] << 64 | a.w[0], scale, d.negative);
    return MT_OK;
}

bool mt_decimal_fits(mt_decimal d, unsigned precision, unsigned scale)
{
    mt_u128 c = coefficient(d);
    if (!c) {
        return true;
    }
    if (d.scale > scale && mt_decimal_min_scale(d) > scale) {
        return false;
    }
    /* |d| < 10^(precision - scale), in units of d's own last digit. */
    int64_t digits = (int64_t)precision - (int64_t)scale + d.scale;
    return digits > POW128_MAX || (digits > 0 && c < pow10_u128((unsigned)digits));
}

unsigned mt_decimal_min_scale(mt_decimal d)
{
    mt_u128 c = coefficient(d);
    unsigned scale = c ? d.scale : 0;
    while (scale && c % 10 == 0) {
        c /= 10;
        scale--;
    }
    return scale;
}

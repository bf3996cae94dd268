/* agent/escape.c - escaping at the speed of the wire.
 * Every byte of every relayed message passes here, and in JSON every fifth is a quote.
 * So nothing branches on quotes: where the machine can shuffle bytes, four at a time
 * are spread out with backslashes put in between; elsewhere byte by byte. */
#include "agent/escape.h"

#include <stdint.h>
#include <string.h>

#include "base/err.h"

#if defined(__x86_64__)
#include <tmmintrin.h>
#endif

/* The short escape if JSON has one. */
static char *put_control(char *to, unsigned char c)
{
    static const char HEX[] = "0123456789abcdef";
    static const char SHORT[0x20] = {
        ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    *to++ = '\\';
    if (SHORT[c]) {
        *to++ = SHORT[c];
        return to;
    }
    memcpy(to, "u00", 3);
    to[3] = HEX[c >> 4];
    to[4] = HEX[c & 15];
    return to + 5;
}

/* The careful way, for the few texts that need it. */
static char *by_byte(char *to, const char *from, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)from[i];
        if (MT_UNLIKELY(c < 0x20)) {
            to = put_control(to, c);
            continue;
        }
        *to = '\\';
        to += (c == '"') | (c == '\\');
        *to++ = (char)c;
    }
    return to;
}

#if defined(__x86_64__)

/* Row m spreads the four bytes of a half: bit i of m puts byte 8, a backslash, before
 * byte i. 128 gives zero. */
/* clang-format off */
static const uint8_t LOW_HALF[16][8] = {
    {0, 1, 2, 3, 128, 128, 128, 128},
    {8, 0, 1, 2, 3, 128, 128, 128},
    {0, 8, 1, 2, 3, 128, 128, 128},
    {8, 0, 8, 1, 2, 3, 128, 128},
    {0, 1, 8, 2, 3, 128, 128, 128},
    {8, 0, 1, 8, 2, 3, 128, 128},
    {0, 8, 1, 8, 2, 3, 128, 128},
    {8, 0, 8, 1, 8, 2, 3, 128},
    {0, 1, 2, 8, 3, 128, 128, 128},
    {8, 0, 1, 2, 8, 3, 128, 128},
    {0, 8, 1, 2, 8, 3, 128, 128},
    {8, 0, 8, 1, 2, 8, 3, 128},
    {0, 1, 8, 2, 8, 3, 128, 128},
    {8, 0, 1, 8, 2, 8, 3, 128},
    {0, 8, 1, 8, 2, 8, 3, 128},
    {8, 0, 8, 1, 8, 2, 8, 3},
};
static const uint8_t HIGH_HALF[16][8] = {
    {4, 5, 6, 7, 128, 128, 128, 128},
    {8, 4, 5, 6, 7, 128, 128, 128},
    {4, 8, 5, 6, 7, 128, 128, 128},
    {8, 4, 8, 5, 6, 7, 128, 128},
    {4, 5, 8, 6, 7, 128, 128, 128},
    {8, 4, 5, 8, 6, 7, 128, 128},
    {4, 8, 5, 8, 6, 7, 128, 128},
    {8, 4, 8, 5, 8, 6, 7, 128},
    {4, 5, 6, 8, 7, 128, 128, 128},
    {8, 4, 5, 6, 8, 7, 128, 128},
    {4, 8, 5, 6, 8, 7, 128, 128},
    {8, 4, 8, 5, 6, 8, 7, 128},
    {4, 5, 8, 6, 8, 7, 128, 128},
    {8, 4, 5, 8, 6, 8, 7, 128},
    {4, 8, 5, 8, 6, 8, 7, 128},
    {8, 4, 8, 5, 8, 6, 8, 7},
};
static const uint8_t HALF_LENGTH[16] = {4, 5, 5, 6, 5, 6, 6, 7, 5, 6, 6, 7, 6, 7, 7, 8};
/* clang-format on */

__attribute__((target("ssse3"))) static inline char *
put_half(char *to, __m128i bytes, const uint8_t row[8], unsigned mask)
{
    __m128i order = _mm_loadl_epi64((const __m128i *)(const void *)row);
    _mm_storel_epi64((__m128i *)(void *)to, _mm_shuffle_epi8(bytes, order));
    return to + HALF_LENGTH[mask];
}

/* Stores eight bytes at a time, also where fewer of them count, so `to` needs that much
 * room beyond what is used. A control character is rare and sends its eight bytes down
 * the slow way. */
__attribute__((target("ssse3"))) static char *by_eight(char *to, const char *from,
                                                       size_t len)
{
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\'),
                  control = _mm_set1_epi8(0x1f);
    for (; len >= 8; from += 8, len -= 8) {
        __m128i x = _mm_loadl_epi64((const __m128i *)(const void *)from);
        __m128i hits = _mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, slash));
        __m128i low = _mm_cmpeq_epi8(_mm_max_epu8(x, control), control);
        if (MT_UNLIKELY(_mm_movemask_epi8(low) & 0xff)) {
            to = by_byte(to, from, 8);
            continue;
        }
        unsigned mask = (unsigned)_mm_movemask_epi8(hits) & 0xff;
        __m128i bytes = _mm_unpacklo_epi64(x, slash);
        to = put_half(to, bytes, LOW_HALF[mask & 15], mask & 15);
        to = put_half(to, bytes, HIGH_HALF[mask >> 4], mask >> 4);
    }
    return by_byte(to, from, len);
}

#endif

char *ag_escape(char *to, const char *from, size_t len)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("ssse3")) {
        return by_eight(to, from, len);
    }
#endif
    return by_byte(to, from, len);
}

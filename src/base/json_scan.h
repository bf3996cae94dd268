/* base/json_scan.h - the lexical level of JSON, shared by json_read and json_pull.
 * Room: base, and meant for base/json_*.c and .h only.
 * Every function takes the next unread byte and the end of the input and returns the
 * byte after what it read, NULL on a fault. Nothing is read at or past the end. */
#ifndef MT_BASE_JSON_SCAN_H
#define MT_BASE_JSON_SCAN_H

#include "base/str.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef struct mt_scan_fault {
    const char *at;
    const char *message; /* static text */
} mt_scan_fault;

static inline const char *mt_scan_fail(mt_scan_fault *f, const char *at,
                                       const char *why)
{
    *f = (mt_scan_fault){at, why};
    return NULL;
}

/* Out of line: runs of white space, the tail of the input, strings that are longer than
 * a block, escaped or not ASCII. */
const char *mt_scan_space_slow(const char *p, const char *end);
const char *mt_scan_string_slow(const char *p, const char *end, bool *escaped,
                                mt_scan_fault *fault);
/* `p` is at `-` or a digit. */
const char *mt_scan_number(const char *p, const char *end, mt_scan_fault *fault);
/* `true`, `false` or `null`. */
const char *mt_scan_word(const char *p, const char *end, mt_str word,
                         mt_scan_fault *fault);
/* Decodes the escapes of a string body that mt_scan_string() accepted. `out` needs
 * raw.len bytes; returns the decoded length. */
size_t mt_scan_unescape(mt_str raw, char *out);

static inline const char *mt_scan_space(const char *p, const char *end)
{
    if (MT_LIKELY(p < end && (unsigned char)*p > ' ')) {
        return p;
    }
    return mt_scan_space_slow(p, end);
}

#if defined(__SSE2__)
enum { MT_SCAN_BLOCK = 16 };
/* Bit i is set when p[i] is a quote, a backslash, a control character or not ASCII
 * (the signed comparison catches the last two at once). */
static inline unsigned mt_scan_special(const char *p)
{
    __m128i block = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i quote = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
    __m128i slash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
    __m128i other = _mm_cmplt_epi8(block, _mm_set1_epi8(0x20));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), other));
}
#else
enum { MT_SCAN_BLOCK = 8 };
static inline unsigned mt_scan_special(const char *p)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < MT_SCAN_BLOCK; i++) {
        unsigned char c = (unsigned char)p[i];
        mask |= (unsigned)(c == '"' || c == '\\' || c < 0x20 || c >= 0x80) << i;
    }
    return mask;
}
#endif

/* `p` is after the opening quote; returns the closing quote. *escaped is set when the
 * body has escapes, and is left alone otherwise. */
static inline const char *mt_scan_string(const char *p, const char *end, bool *escaped,
                                         mt_scan_fault *fault)
{
    if (MT_LIKELY(end - p >= MT_SCAN_BLOCK)) {
        unsigned special = mt_scan_special(p);
        if (MT_LIKELY(special)) {
            const char *hit = p + __builtin_ctz(special);
            if (MT_LIKELY(*hit == '"')) {
                return hit;
            }
        }
    }
    return mt_scan_string_slow(p, end, escaped, fault);
}

#endif

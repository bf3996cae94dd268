/* base/json_scan.h - the lexical level of JSON, shared by json_read and json_pull.
 * Room: base, and meant for base/json_*.c and .h only.
 * Every function takes the next unread byte and the end of the input and returns the
 * byte after what it read, NULL on a fault. Nothing is read at or past the end. */
#ifndef MT_BASE_JSON_SCAN_H
#define MT_BASE_JSON_SCAN_H

#include "base/json_read.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* What both readers say about the same fault. */
#define MT_SCAN_END       "unexpected end of the text"
#define MT_SCAN_TRAILING  "text after the value"
#define MT_SCAN_VALUE     "not a JSON value"
#define MT_SCAN_KEY       "expected a key in quotes"
#define MT_SCAN_COLON     "expected ':' after a key"
#define MT_SCAN_COMMA     "expected ',' or the end of the container"
#define MT_SCAN_DEPTH     "nesting is deeper than the limit"
#define MT_SCAN_DUPLICATE "duplicate key"

/* The limits with defaults and ceilings applied. */
mt_json_limits mt_json_limits_of(const mt_json_limits *limits);
/* What is wrong with the text as a whole, NULL if nothing; *err is the code then. */
const char *mt_json_check_start(mt_str text, size_t max_bytes, mt_err *err);
/* Reads the value at *at into a tree and moves *at behind it. */
mt_err mt_json_read_part(mt_arena *a, mt_str text, size_t *at, size_t max_depth,
                         mt_json *out, mt_json_error *error);

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
const char *mt_scan_number_slow(const char *p, const char *end, mt_scan_fault *fault);
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

/* Bit i is set when p[i] is no digit; p[0..16) must be readable. */
static inline unsigned mt_scan_nondigit(const char *p)
{
    __m128i block = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i digit = _mm_sub_epi8(block, _mm_set1_epi8('0'));
    __m128i is = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
    return (unsigned)_mm_movemask_epi8(is) ^ 0xFFFFu;
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

static inline unsigned mt_scan_nondigit(const char *p)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < MT_SCAN_BLOCK; i++) {
        mask |= (unsigned)((unsigned)(p[i] - '0') > 9) << i;
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

/* `p` is at `-` or a digit. Short numbers without exponent need one block: the mask
 * says where the whole part ends and, after a point, where the fraction ends. */
static inline const char *mt_scan_number(const char *p, const char *end,
                                         mt_scan_fault *fault)
{
    const char *digits = p + (*p == '-');
    if (MT_LIKELY(end - digits >= MT_SCAN_BLOCK)) {
        unsigned mask = mt_scan_nondigit(digits);
        unsigned whole = mask ? (unsigned)__builtin_ctz(mask) : 0;
        bool plain = whole == 1 || (whole > 1 && *digits != '0');
        unsigned last = whole;
        if (plain && digits[whole] == '.') {
            mask &= mask - 1;
            last = mask ? (unsigned)__builtin_ctz(mask) : 0;
            plain = last > whole + 1;
        }
        if (MT_LIKELY(plain && (digits[last] | 0x20) != 'e')) {
            return digits + last;
        }
    }
    return mt_scan_number_slow(p, end, fault);
}

#endif

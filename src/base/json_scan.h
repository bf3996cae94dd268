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

/* Runs of white space. */
const char *mt_scan_space_slow(const char *p, const char *end);
/* `p` is after the opening quote; returns the closing quote. *escaped is set when the
 * body has escapes, and left alone otherwise. */
const char *mt_scan_string(const char *p, const char *end, bool *escaped,
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

/* Bit i is set when p[i] is not a digit; p[0..16) must be readable. */
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

/* The first byte from p on that is not a digit. */
static inline const char *mt_scan_digits(const char *p, const char *end)
{
    while (end - p >= MT_SCAN_BLOCK) {
        unsigned mask = mt_scan_nondigit(p);
        if (mask) {
            return p + __builtin_ctz(mask);
        }
        p += MT_SCAN_BLOCK;
    }
    while (p < end && (unsigned)(*p - '0') < 10) {
        p++;
    }
    return p;
}

/* The closing quote, if the string is plain ASCII without escapes and ends within two
 * blocks; NULL otherwise. `p` is after the opening quote, two blocks are readable. */
static inline const char *mt_scan_near_quote(const char *p)
{
    unsigned special = mt_scan_special(p);
    if (MT_UNLIKELY(!special)) {
        p += MT_SCAN_BLOCK;
        special = mt_scan_special(p);
        if (!special) {
            return NULL;
        }
    }
    const char *hit = p + __builtin_ctz(special);
    return MT_LIKELY(*hit == '"') ? hit : NULL;
}

/* What ends a number that stands at p, if it is short and plain: within one block and
 * without exponent; NULL otherwise. The mask says where the whole part ends and, after
 * a point, where the fraction ends. A block and a byte are readable. */
static inline const char *mt_scan_near_digits(const char *p)
{
    unsigned mask = mt_scan_nondigit(p);
    unsigned whole = mask ? (unsigned)__builtin_ctz(mask) : 0;
    bool plain = whole == 1 || (whole > 1 && *p != '0');
    unsigned last = whole;
    if (plain && p[whole] == '.') {
        mask &= mask - 1;
        last = mask ? (unsigned)__builtin_ctz(mask) : 0;
        plain = last > whole + 1;
    }
    return MT_LIKELY(plain && (p[last] | 0x20) != 'e') ? p + last : NULL;
}

static inline const char *mt_scan_near_number(const char *p)
{
    /* A branch can be predicted; adding the comparison to p would have to be awaited.
     */
    if (*p == '-') {
        return mt_scan_near_digits(p + 1);
    }
    return mt_scan_near_digits(p);
}

/* More than the functions above read, with something before and after. */
enum { MT_SCAN_NEAR = 2 * MT_SCAN_BLOCK + 4 };

#endif

/* base/json_scan.c - the letters of JSON: space, strings, numbers, words.
 *
 * Everything that reads JSON (json_read.c, json_pull.c, json_canonical.c) scans with
 * these functions, so all of them accept the same texts. json_scan.h has the short
 * cases inline.
 *
 * Strings are looked at sixteen bytes at a time while they are plain ASCII; a byte
 * that is not stops the block, and what it starts (an escape, a character of several
 * bytes, a control character) is checked on its own. Surrogates must come in pairs,
 * UTF-8 must be valid, control characters must be escaped.
 *
 * Invariants: nothing is read at or behind `end`; mt_scan_unescape() may only be given
 * what mt_scan_string() has accepted, and never writes more bytes than it reads. A
 * function answers NULL for a fault and fills mt_scan_fault with its place and a
 * static message. */
#include "base/json_scan.h"

#include "base/utf8.h"

const char *mt_scan_space_slow(const char *p, const char *end)
{
#if defined(__SSE2__)
    /* Indentation: blocks of nothing but spaces. */
    while (end - p >= MT_SCAN_BLOCK) {
        if (*p == '\n' || *p == '\r' || *p == '\t') {
            p++;
            continue;
        }
        __m128i block = _mm_loadu_si128((const __m128i *)(const void *)p);
        unsigned same =
            (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8(' ')));
        if (same != 0xFFFF) {
            p += __builtin_ctz(~same);
            if ((unsigned char)*p > ' ') {
                return p;
            }
            break;
        }
        p += MT_SCAN_BLOCK;
    }
#endif
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) {
        p++;
    }
    return p;
}

/* The value of four hexadecimal digits, -1 if they are none. */
static int32_t hex4(const char *p, const char *end)
{
    if (end - p < 4) {
        return -1;
    }
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)p[i];
        unsigned char lower = c | 0x20;
        int digit;
        if (c >= '0' && c <= '9') {
            digit = c - '0';
        } else if (lower >= 'a' && lower <= 'f') {
            digit = lower - 'a' + 10;
        } else {
            return -1;
        }
        value = value << 4 | digit;
    }
    return value;
}

/* `p` is at the backslash of `\u`; returns what follows the character. */
static const char *scan_unicode_escape(const char *p, const char *end,
                                       mt_scan_fault *fault)
{
    int32_t high = hex4(p + 2, end);
    if (high < 0) {
        return mt_scan_fail(fault, p, "\\u needs four hexadecimal digits");
    }
    if (high < 0xD800 || high > 0xDFFF) {
        return p + 6;
    }
    bool pair = high < 0xDC00 && end - p >= 12 && p[6] == '\\' && p[7] == 'u';
    int32_t low = pair ? hex4(p + 8, end) : -1;
    if (low < 0xDC00 || low > 0xDFFF) {
        return mt_scan_fail(fault, p, "lone surrogate in a string");
    }
    return p + 12;
}

/* p is at the backslash; returns what follows the escape. */
static const char *scan_escape(const char *p, const char *end, mt_scan_fault *fault)
{
    if (end - p < 2) {
        return mt_scan_fail(fault, end, "string has no end");
    }
    switch (p[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't': return p + 2;
    case 'u': return scan_unicode_escape(p, end, fault);
    default: return mt_scan_fail(fault, p, "unknown escape in a string");
    }
}

/* The run of characters beyond ASCII that starts at p. */
static const char *scan_wide(const char *p, const char *end, mt_scan_fault *fault)
{
    while (p < end && (unsigned char)*p >= 0x80) {
        size_t len = mt_utf8_sequence(p, (size_t)(end - p));
        if (!len) {
            return mt_scan_fail(fault, p, "invalid UTF-8 in a string");
        }
        p += len;
    }
    return p;
}

/* The first byte from p on that is not plain ASCII text. */
static const char *skip_plain(const char *p, const char *end)
{
    while (end - p >= MT_SCAN_BLOCK) {
        unsigned special = mt_scan_special(p);
        if (special) {
            return p + __builtin_ctz(special);
        }
        p += MT_SCAN_BLOCK;
    }
    while (p < end && *p != '"' && *p != '\\' && (signed char)*p >= 0x20) {
        p++;
    }
    return p;
}

const char *mt_scan_string(const char *p, const char *end, bool *escaped,
                           mt_scan_fault *fault)
{
    while (p) {
        p = skip_plain(p, end);
        if (p == end) {
            return mt_scan_fail(fault, end, "string has no end");
        }
        if (*p == '"') {
            return p;
        }
        if (*p == '\\') {
            *escaped = true;
            p = scan_escape(p, end, fault);
        } else if ((unsigned char)*p < 0x20) {
            return mt_scan_fail(fault, p, "control character in a string");
        } else {
            p = scan_wide(p, end, fault);
        }
    }
    return NULL;
}

const char *mt_scan_number(const char *p, const char *end, mt_scan_fault *fault)
{
    p += *p == '-';
    const char *digits = p;
    p = mt_scan_digits(p, end);
    if (p == digits) {
        return mt_scan_fail(fault, p, "number has no digits");
    }
    if (*digits == '0' && p - digits > 1) {
        return mt_scan_fail(fault, digits, "number starts with a superfluous zero");
    }
    if (p < end && *p == '.') {
        const char *fraction = p + 1;
        p = mt_scan_digits(fraction, end);
        if (p == fraction) {
            return mt_scan_fail(fault, p, "number has no digits after the point");
        }
    }
    if (p < end && (*p | 0x20) == 'e') {
        const char *exponent = p + 1;
        exponent += exponent < end && (*exponent == '+' || *exponent == '-');
        p = mt_scan_digits(exponent, end);
        if (p == exponent) {
            return mt_scan_fail(fault, p, "number has no digits in the exponent");
        }
    }
    return p;
}

const char *mt_scan_word(const char *p, const char *end, mt_str word,
                         mt_scan_fault *fault)
{
    if ((size_t)(end - p) < word.len || memcmp(p, word.ptr, word.len) != 0) {
        return mt_scan_fail(fault, p, MT_SCAN_VALUE);
    }
    return p + word.len;
}

static uint32_t checked_hex4(const char *p)
{
    return (uint32_t)hex4(p, p + 4);
}

/* Decodes the escape at p into out; returns the bytes read, adds those written. */
static size_t unescape_one(const char *p, char *out, size_t *written)
{
    static const char PLAIN[128] = {
        ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
        ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};
    if (p[1] != 'u') {
        out[(*written)++] = PLAIN[(unsigned char)p[1] & 127];
        return 2;
    }
    uint32_t c = checked_hex4(p + 2);
    bool pair = c >= 0xD800 && c <= 0xDFFF;
    if (pair) {
        c = 0x10000 + ((c - 0xD800) << 10) + (checked_hex4(p + 8) - 0xDC00);
    }
    *written += mt_utf8_encode(c, out + *written);
    return pair ? 12 : 6;
}

size_t mt_scan_unescape(mt_str raw, char *out)
{
    size_t written = 0;
    for (size_t at = 0; at < raw.len;) {
        mt_str rest = mt_str_skip(raw, at);
        size_t plain = mt_str_find(rest, '\\');
        memcpy(out + written, rest.ptr, plain);
        written += plain;
        at += plain;
        if (at < raw.len) {
            at += unescape_one(raw.ptr + at, out, &written);
        }
    }
    return written;
}

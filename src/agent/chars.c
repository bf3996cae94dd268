/* agent/chars.c - which characters names and white space are made of.
 * Room: agent. Two worlds: the profile has ASCII identifiers, by the table; compat
 * has what the existing SDK takes, that is Python's: str.strip() and \w of Unicode.
 * Texts were checked to be UTF-8 before they come here, so decoding needs no checks. */
#include "agent/chars.h"

#include "base/unicode.h"
#include "base/utf8.h"

#define W (AG_C_WORD)
#define S (AG_C_WORD | AG_C_START)
/* clang-format off */
const uint8_t AG_CHAR[256] = {
    [' '] = AG_C_SPACE, ['\t'] = AG_C_SPACE, ['\n'] = AG_C_SPACE,
    ['\v'] = AG_C_SPACE, ['\f'] = AG_C_SPACE, ['\r'] = AG_C_SPACE,
    ['0'] = W, ['1'] = W, ['2'] = W, ['3'] = W, ['4'] = W,
    ['5'] = W, ['6'] = W, ['7'] = W, ['8'] = W, ['9'] = W, ['_'] = S,
    ['a'] = S, ['b'] = S, ['c'] = S, ['d'] = S, ['e'] = S, ['f'] = S, ['g'] = S,
    ['h'] = S, ['i'] = S, ['j'] = S, ['k'] = S, ['l'] = S, ['m'] = S, ['n'] = S,
    ['o'] = S, ['p'] = S, ['q'] = S, ['r'] = S, ['s'] = S, ['t'] = S, ['u'] = S,
    ['v'] = S, ['w'] = S, ['x'] = S, ['y'] = S, ['z'] = S,
    ['A'] = S, ['B'] = S, ['C'] = S, ['D'] = S, ['E'] = S, ['F'] = S, ['G'] = S,
    ['H'] = S, ['I'] = S, ['J'] = S, ['K'] = S, ['L'] = S, ['M'] = S, ['N'] = S,
    ['O'] = S, ['P'] = S, ['Q'] = S, ['R'] = S, ['S'] = S, ['T'] = S, ['U'] = S,
    ['V'] = S, ['W'] = S, ['X'] = S, ['Y'] = S, ['Z'] = S,
};
/* clang-format on */
#undef W
#undef S

bool ag_is_identifier(mt_str s)
{
    if (!s.len || !ag_is_start(s.ptr[0])) {
        return false;
    }
    for (size_t i = 1; i < s.len; i++) {
        if (!ag_is_word(s.ptr[i])) {
            return false;
        }
    }
    return true;
}

static bool unicode_space(uint32_t c)
{
    /* str.isspace() of Python: White_Space of Unicode and the four separators 28 to
     * 31. */
    return (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 || c == 0xA0 ||
           c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

static bool unicode_word(uint32_t c)
{
    if (c < 128) {
        return ag_is_word((char)c);
    }
    return mt_unicode_is(c, MT_UNICODE_LETTER | MT_UNICODE_NUMBER);
}

/* Start of the character that ends before `at`. */
static size_t before(mt_str s, size_t at)
{
    do {
        at--;
    } while (at > 0 && mt_utf8_goes_on(s.ptr[at]));
    return at;
}

/* Unicode white space, as the SDK's strip() has it. `s` has to be valid UTF-8. */
mt_str ag_strip(mt_str s)
{
    size_t start = 0, end = s.len, len;
    if (!s.len) {
        return s;
    }
    while (start < end && unicode_space(mt_utf8_decode(s.ptr + start, &len))) {
        start += len;
    }
    while (end > start) {
        size_t last = before(s, end);
        if (!unicode_space(mt_utf8_decode(s.ptr + last, &len))) {
            break;
        }
        end = last;
    }
    return mt_str_skip(mt_str_from(s.ptr, end), start);
}

/* Length in bytes of the longest identifier at the start; 0: none. It begins with ASCII
 * and may go on in Unicode, as the SDK allows. */
size_t ag_unicode_identifier(mt_str s)
{
    if (!s.len || !ag_is_start(s.ptr[0])) {
        return 0;
    }
    size_t at = 1, len;
    while (at < s.len && unicode_word(mt_utf8_decode(s.ptr + at, &len))) {
        at += len;
    }
    return at;
}

/* All white space is removed, inside as well; the result is never longer than `s`. */
mt_str ag_squeeze(mt_arena *a, mt_str s)
{
    char *out = mt_alloc(a, s.len + 1);
    size_t kept = 0, len;
    for (size_t i = 0; i < s.len; i += len) {
        if (!unicode_space(mt_utf8_decode(s.ptr + i, &len))) {
            memcpy(out + kept, s.ptr + i, len);
            kept += len;
        }
    }
    out[kept] = 0;
    return mt_str_from(out, kept);
}

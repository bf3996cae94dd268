/* base/utf8.c - UTF-8: checked once where text enters, decoded without checks
 * behind.
 * Room: base. mt_utf8_check() and mt_utf8_sequence() take any bytes; all others
 * expect text that passed. Overlong forms, surrogates and what lies beyond U+10FFFF
 * are refused: two spellings of one name would be two names. Nothing can fail but
 * the check, which gives the place of the first byte that is wrong. */
#include "base/utf8.h"

/* The ranges are those of Unicode table 3-7. */
size_t mt_utf8_sequence(const char *text, size_t left)
{
    const unsigned char *p = (const unsigned char *)text;
    unsigned char lead = p[0];
    if (lead < 0x80) {
        return 1;
    }
    if (lead < 0xC2 || lead > 0xF4) {
        return 0;
    }
    size_t len = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (left < len) {
        return 0;
    }
    /* The second byte alone rules out overlong forms (E0, F0), surrogates (ED) and
     * what is too large (F4). */
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < low || p[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < len; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return len;
}

/* Many words at once: most text is ASCII, and this is all that is done with it. */
enum { AT_ONCE = 64 };

static bool all_ascii(const char *p)
{
    uint64_t words[AT_ONCE / 8], any = 0;
    memcpy(words, p, sizeof words);
    for (size_t i = 0; i < AT_ONCE / 8; i++) {
        any |= words[i];
    }
    return (any & 0x8080808080808080u) == 0;
}

static bool eight_ascii(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return (word & 0x8080808080808080u) == 0;
}

/* How many bytes of ASCII the text begins with. */
static size_t ascii_run(const char *p, size_t left)
{
    size_t run = 0;
    while (left - run >= AT_ONCE && all_ascii(p + run)) {
        run += AT_ONCE;
    }
    while (left - run >= 8 && eight_ascii(p + run)) {
        run += 8;
    }
    while (run < left && (unsigned char)p[run] < 0x80) {
        run++;
    }
    return run;
}

size_t mt_utf8_check(mt_str s)
{
    size_t at = 0;
    while (at < s.len) {
        at += ascii_run(s.ptr + at, s.len - at);
        if (at == s.len) {
            break;
        }
        size_t len = mt_utf8_sequence(s.ptr + at, s.len - at);
        if (!len) {
            return at;
        }
        at += len;
    }
    return s.len;
}

uint32_t mt_utf8_decode(const char *p, size_t *len)
{
    const unsigned char *u = (const unsigned char *)p;
    if (u[0] < 0x80) {
        *len = 1;
        return u[0];
    }
    if (u[0] < 0xE0) {
        *len = 2;
        return (u[0] & 0x1Fu) << 6 | (u[1] & 0x3Fu);
    }
    if (u[0] < 0xF0) {
        *len = 3;
        return (u[0] & 0x0Fu) << 12 | (u[1] & 0x3Fu) << 6 | (u[2] & 0x3Fu);
    }
    *len = 4;
    return (u[0] & 0x07u) << 18 | (u[1] & 0x3Fu) << 12 | (u[2] & 0x3Fu) << 6 |
           (u[3] & 0x3Fu);
}

size_t mt_utf8_encode(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

size_t mt_utf8_count(mt_str s)
{
    size_t count = 0;
    for (size_t i = 0; i < s.len; i++) {
        count += !mt_utf8_goes_on(s.ptr[i]);
    }
    return count;
}

mt_str mt_utf8_cut(mt_str s, size_t most)
{
    if (s.len <= most) {
        return s;
    }
    while (most && mt_utf8_goes_on(s.ptr[most])) {
        most--;
    }
    return mt_str_from(s.ptr, most);
}

bool mt_utf8_is_unseen(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) /* controls */
           || (c >= 0x2028 && c <= 0x202e)     /* separators, direction */
           || (c >= 0x2066 && c <= 0x2069)     /* direction */
           || c == 0x200b || c == 0xad         /* no width, a hyphen that may come */
           || (c >= 0x2060 && c <= 0x2064)     /* joiners that no script needs */
           || (c >= 0xe0000 && c <= 0xe007f)   /* tags */
           || c == 0x200e || c == 0x200f || c == 0x61c || c == 0xfeff ||
           (c & 0xfffe) == 0xfffe; /* byte order, no characters */
}

size_t mt_utf8_show(mt_buf *out, mt_str text)
{
    size_t len = mt_utf8_sequence(text.ptr, text.len);
    uint32_t c = len ? mt_utf8_decode(text.ptr, &len) : 0xfffd;
    if (!len || mt_utf8_is_unseen(c)) {
        mt_buf_addf(out, "\\u%04x", c);
    } else {
        mt_buf_add(out, text.ptr, len);
    }
    return len ? len : 1;
}

void mt_utf8_show_name(mt_buf *out, mt_str name)
{
    for (size_t shown = 0; name.len && shown < MT_UTF8_NAME; shown++) {
        name = mt_str_skip(name, mt_utf8_show(out, name));
    }
    mt_buf_addz(out, name.len ? "\xe2\x80\xa6" : ""); /* an ellipsis */
}

/* base/utf8.h - checking, reading and writing UTF-8.
 * Room: base. May include base/ only.
 * Strict: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef MT_BASE_UTF8_H
#define MT_BASE_UTF8_H

#include "base/str.h"

/* Offset of the first byte that is not valid UTF-8, s.len if all is well. */
size_t mt_utf8_check(mt_str s);
/* Length of the character that starts at p, 0 if it is malformed. `left` > 0. */
size_t mt_utf8_sequence(const char *p, size_t left);
/* Decodes one character of text that was checked. *len is its length in bytes. */
uint32_t mt_utf8_decode(const char *p, size_t *len);
/* Writes one character to `out` (4 bytes are enough) and returns its length. */
size_t mt_utf8_encode(uint32_t character, char *out);
/* Number of characters in text that was checked. */
size_t mt_utf8_count(mt_str s);
/* Is it one of a character's bytes, and not the first? */
static inline bool mt_utf8_goes_on(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}
/* What `most` bytes hold of text that was checked, without half a character. */
mt_str mt_utf8_cut(mt_str s, size_t most);
/* Would a terminal obey it, a reader not see it, or XML refuse it? */
bool mt_utf8_is_unseen(uint32_t character);
/* Appends the first character of the text; as \uXXXX if it is unseen, or malformed
 * (U+FFFD). Returns how many bytes of the text that was. */
size_t mt_utf8_show(mt_buf *out, mt_str text);
/* Appends a name that came from outside that way, for people: of one of more than
 * MT_UTF8_NAME characters the beginning and an ellipsis. */
enum { MT_UTF8_NAME = 60 };
void mt_utf8_show_name(mt_buf *out, mt_str name);

#endif

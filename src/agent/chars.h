/* agent/chars.h - character classes of tokens.
 * Room: agent. May include base/ only.
 * Profile tokens are ASCII; compat tokens follow Python: Unicode white space is
 * trimmed, identifiers continue with Unicode letters and numbers. */
#ifndef AG_CHARS_H
#define AG_CHARS_H

#include "base/str.h"

enum { AG_C_START = 1, AG_C_WORD = 2, AG_C_SPACE = 4 };
extern const uint8_t AG_CHAR[256];

static inline bool ag_is_word(char c)
{
    return AG_CHAR[(unsigned char)c] & AG_C_WORD;
}
static inline bool ag_is_start(char c)
{
    return AG_CHAR[(unsigned char)c] & AG_C_START;
}
static inline bool ag_is_space(char c)
{
    return AG_CHAR[(unsigned char)c] & AG_C_SPACE;
}

/* [A-Za-z_][A-Za-z0-9_]* */
bool ag_is_identifier(mt_str s);
/* Python's str.strip(), str.isspace() and \w, on text that is valid UTF-8. */
mt_str ag_strip(mt_str s);
/* Length of the ASCII letter or _ followed by Unicode word characters; 0: none. */
size_t ag_unicode_identifier(mt_str s);
/* The text without any white space. */
mt_str ag_squeeze(mt_arena *a, mt_str s);

#endif

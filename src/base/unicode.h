/* base/unicode.h - what Unicode 14.0 says of a character.
 * Room: base. May include base/ only.
 * The table is ours (made by tools/unicode), so that a program, a library and a page
 * accept the same names. */
#ifndef MT_BASE_UNICODE_H
#define MT_BASE_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

/* ORDER: the bits of tools/unicode. */
enum {
    MT_UNICODE_ALPHABETIC = 1, /* the property: letters, letter-like numbers, marks */
    MT_UNICODE_LETTER = 2,     /* category L */
    MT_UNICODE_NUMBER = 4,     /* category N */
    MT_UNICODE_HIDDEN = 8,  /* categories C and Z: controls, separators, unassigned */
    MT_UNICODE_EXTEND = 16, /* Grapheme_Extend: joins the character before it */
};

/* Is one of `bits` true of the character? */
bool mt_unicode_is(uint32_t character, uint32_t bits);

/* Private to unicode.c: first code point << 8 | bits, ascending. */
extern const uint32_t mt_unicode_runs[];
extern const uint32_t mt_unicode_run_count;

#endif

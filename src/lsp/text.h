/* lsp/text.h - text and its lines; places as editors count them.
 * Room: lsp.
 * Inside, a place is an offset in bytes. Editors count lines, which end with \n, \r\n
 * or \r, and units within a line, which are bytes, UTF-16 units or characters as was
 * agreed. Diagnostics count lines that end with \n, and characters. */
#ifndef LS_TEXT_H
#define LS_TEXT_H

#include "base/str.h"

typedef enum ls_units { LS_UTF8, LS_UTF16, LS_UTF32 } ls_units;

typedef struct ls_position {
    uint32_t line, unit; /* from 0 */
} ls_position;

/* A part of text; `to` is exclusive. */
typedef struct ls_range {
    size_t from, to;
} ls_range;

/* A place that was asked for. */
typedef struct ls_place {
    size_t offset;
    ls_position at;
    ls_units units;
} ls_place;

/* Offsets of the beginnings of lines. */
typedef struct ls_text {
    mt_str text; /* valid UTF-8 */
    /* The last, from which the next is counted: a line may be as long as the text. */
    ls_place *last;
    uint32_t *lines;
    uint32_t count; /* at least 1 */
} ls_text;

/* Borrows the text; the table lives in the arena. */
ls_text ls_text_of(mt_arena *a, mt_str text);
/* A place behind the end of its line is the end of the line; behind the last line it is
 * the end of the text. One inside a character is its beginning. */
size_t ls_offset(const ls_text *t, ls_position at, ls_units units);
ls_position ls_position_of(const ls_text *t, size_t offset, ls_units units);
/* The place of a diagnostic: line and column from 1, in characters; line 0: the whole
 * text begins here. */
size_t ls_place_offset(mt_str text, uint32_t line, uint32_t column);

#endif

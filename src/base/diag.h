/* base/diag.h - the author's faults: many per run, each with its place.
 * Room: base. May include base/ only.
 * Ownership: a list and all its texts live in the arena it was made with. Texts given
 * to mt_diag_add() are borrowed and must live as long. */
#ifndef MT_BASE_DIAG_H
#define MT_BASE_DIAG_H

#include "base/str.h"

typedef enum mt_severity { MT_ERROR, MT_WARNING, MT_NOTE } mt_severity;

typedef struct mt_diag {
    mt_severity severity;
    const char *code; /* stable, explained by `motet help CODE`; static text */
    int pass;         /* elaboration pass, -1 where there are none */
    mt_str file;
    uint32_t line;   /* 1-based, 0: the whole file */
    uint32_t column; /* 1-based in characters, 0: unknown */
    uint32_t length; /* characters to underline, 0: unknown */
    mt_str construct_kind, construct_id, field; /* ptr NULL: none */
    mt_str message;
    mt_str hint; /* what to do about it; empty: nothing to add */
} mt_diag;

typedef struct mt_diags {
    mt_arena *arena;
    mt_diag *items;
    size_t len, cap;
    size_t errors, warnings;
    size_t limit; /* 0: none; what comes after is counted, not kept */
} mt_diags;

/* Adds a copy of *d. */
void mt_diag_add(mt_diags *ds, const mt_diag *d);
const char *mt_severity_name(mt_severity s);
/* By file (in first-seen order), then line, column; stable. */
void mt_diags_sort(mt_diags *ds);

#endif

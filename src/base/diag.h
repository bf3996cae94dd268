/* base/diag.h - the author's faults: many per run, each with its place.
 * Room: base. May include base/ only.
 * Ownership: a list and all its texts live in the arena it was made with. Texts given
 * to mt_diag_add() are borrowed and must live as long. */
#ifndef MT_BASE_DIAG_H
#define MT_BASE_DIAG_H

#include "base/str.h"

typedef enum mt_severity { MT_ERROR, MT_WARNING, MT_NOTE } mt_severity;

/* One replacement. The place is in characters and again in bytes. */
typedef struct mt_edit {
    mt_str file;                                 /* as diagnostics call it */
    uint32_t line, column, end_line, end_column; /* 1-based; the end is exclusive */
    size_t offset, length;
    mt_str text; /* what stands there afterwards */
} mt_edit;

/* What would mend a fault. */
typedef struct mt_fix {
    bool sure; /* nothing else can have been meant: it may be applied unasked */
    mt_edit edit;
} mt_fix;

typedef struct mt_diag mt_diag;
struct mt_diag {
    mt_severity severity;
    const char *code; /* stable, explained by `motet help CODE`; static text */
    int pass;         /* elaboration pass, -1 where there are none */
    mt_str file;
    uint32_t line;   /* 1-based, 0: the whole file */
    uint32_t column; /* 1-based in characters, 0: unknown */
    uint32_t length; /* characters to underline in that line, 0: unknown */
    uint32_t end_line, end_column; /* behind the last character; 0: unknown */
    mt_str construct_kind, construct_id, field; /* ptr NULL: none */
    mt_str message;
    mt_str hint;       /* what to do about it; empty: nothing to add */
    const mt_fix *fix; /* NULL: none is known */
    /* The same fault as the conformance suite has it, where its place or its words say
     * less to an author; NULL: they are these. */
    const mt_diag *suite;
};

typedef struct mt_diags {
    mt_arena *arena;
    mt_diag *items;
    size_t len, cap;
    size_t errors, warnings;
    size_t limit; /* 0: none; what comes after is counted, not kept */
} mt_diags;

/* Is what comes only counted? Then nobody needs its place, which is searched for from
 * the beginning of the text, and thousands of faults would search thousands of times.
 */
static inline bool mt_diags_full(const mt_diags *ds)
{
    return ds->limit && ds->len >= ds->limit;
}

/* Adds a copy of *d. */
void mt_diag_add(mt_diags *ds, const mt_diag *d);
/* Adds all of another list; what that one only counted is counted here. */
void mt_diags_append(mt_diags *to, const mt_diags *from);
const char *mt_severity_name(mt_severity s);
/* By file (in first-seen order), then line, column; stable. */
void mt_diags_sort(mt_diags *ds);

#endif

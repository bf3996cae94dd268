/* lang/lang.h - the nodes of nodes.def as numbers, with what is known of each.
 * Room: lang. May include base/ only.
 * Whoever works on types or steps asks these facts instead of naming kinds, so that a
 * new kind of a known class is understood by everybody who knows the class. */
#ifndef LN_LANG_H
#define LN_LANG_H

#include "base/str.h"

/* ---- Base types ---- */

/* How a value is held in memory. */
typedef enum ln_held {
    LN_BOOLEAN,
    LN_INTEGER, /* Int; Duration in its unit; Date in days since 1970 */
    LN_DECIMAL, /* Decimal, Money */
    LN_TEXT,
    LN_CHOICE, /* which of the type's values */
    LN_TIME,
    LN_RECORD, /* its fields, one after the other */
    LN_VARIANT,
    LN_LIST
} ln_held;
enum { LN_HELDS = LN_LIST + 1 };

enum {
    LN_NUMBER = 1 << 0,  /* may be mixed with other numbers */
    LN_ORDERED = 1 << 1, /* < and its like are defined */
    LN_RANGED = 1 << 2,  /* the type has a least and a largest integer */
    LN_WRITTEN = 1 << 3, /* a literal is quoted text */
    LN_PARTED = 1 << 4,  /* the type has named parts with types of their own */
    LN_UNIT = 1 << 5,    /* counts in a unit of time */
    LN_CURRENCY = 1 << 6 /* every type has one currency */
};

/* Numbered in the order of nodes.def; nothing stored depends on the numbers, names are
 * what is written. */
typedef enum ln_base {
#define X_BASE(ID, text, HELD, TRAITS, result) LN_BASE_##ID,
#include "lang/nodes.def"
    LN_BASE_COUNT
} ln_base;

/* What is known of a base type without a value or its parameters (§4.1). */
typedef struct ln_base_facts {
    const char *name;
    ln_held held;
    unsigned traits; /* of the enum above */
} ln_base_facts;

extern const ln_base_facts LN_BASES[LN_BASE_COUNT];

/* ---- Steps ---- */

/* What a step does to a run. */
typedef enum ln_doing {
    LN_OPERATES, /* performs an operation; one target per outcome, failure handler */
    LN_DECIDES,  /* asks a condition; two targets: true, false */
    LN_GOES_ON,  /* one target, whatever the facts; may name another persona */
    LN_CALLS,    /* runs a flow; one target for success, failure handler */
    LN_FORKS,    /* runs branches; two targets: all succeed, all complete; handler */
    LN_ENDS      /* ends the flow or branch; one target, which is a terminal */
} ln_doing;
enum { LN_DOINGS = LN_ENDS + 1 };

/* §11.2. A Terminal is mostly a target; as a step it has a name. */
typedef enum ln_step {
#define X_STEP(ID, text, DOES, word, phrase) LN_STEP_##ID,
#include "lang/nodes.def"
    LN_STEP_COUNT
} ln_step;

typedef struct ln_step_facts {
    const char *name;
    ln_doing does;
    const char *word, *phrase; /* in reports, in prose */
} ln_step_facts;

extern const ln_step_facts LN_STEPS[LN_STEP_COUNT];

/* ---- Constructs ---- */

/* The kinds of top-level documents. VerdictType is missing because a rule declares its
 * verdict itself, TypeDecl because it ends with elaboration (§4.5). */
typedef enum ln_construct {
#define X_CONSTRUCT(ID, text, word, many) LN_CONSTRUCT_##ID,
#include "lang/nodes.def"
    LN_CONSTRUCT_COUNT
} ln_construct;

typedef struct ln_construct_facts {
    const char *name;        /* in interchange */
    const char *word, *many; /* in source and in prose: "entity", "entities" */
} ln_construct_facts;

extern const ln_construct_facts LN_CONSTRUCTS[LN_CONSTRUCT_COUNT];

/* The kind that interchange names so; the count if there is none. */
ln_construct ln_construct_named(mt_str name);

#endif

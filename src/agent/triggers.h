/* agent/triggers.h - the tree of an agent's triggers.
 * Room: agent. May include base/ only.
 * A TRIGGERS file names one trigger per line, children indented below their parent; a
 * JSON tree {"ok": {"fine": null}, "error": null} says the same. A trigger is its path
 * of child indexes; a name used twice stands for its last path.
 * Ownership: everything lives in the arena. */
#ifndef AG_TRIGGERS_H
#define AG_TRIGGERS_H

#include "base/json_read.h"

typedef struct ag_trigger {
    mt_str name;
    uint32_t *path;  /* indices from the root */
    uint32_t depth;  /* length of the path */
    uint32_t parent; /* index of the parent, UINT32_MAX for a root */
    uint32_t children;
} ag_trigger;

typedef struct ag_triggers {
    ag_trigger *items; /* in file order */
    size_t len, cap;
} ag_triggers;

/* MT_E_SYNTAX with *why (in `a`) and *line. */
mt_err ag_triggers_read(mt_arena *a, mt_str text, ag_triggers *out, mt_str *why);
mt_err ag_triggers_from_tree(mt_arena *a, const mt_json *tree, ag_triggers *out,
                             mt_str *why);
/* The last one of that name; NULL: none. */
const ag_trigger *ag_trigger_find(const ag_triggers *t, mt_str name);
/* Is `a` an ancestor of `b`, or the same? */
bool ag_trigger_covers(const ag_trigger *a, const ag_trigger *b);

#endif

/* analyze/version/diff.h - what changed between two versions of a contract.
 * Room: analyze. May include base/ and contract/ only.
 * Compares two bundles construct by construct, keyed by (kind, id), and field by field
 * (spec §18.3 M1); `provenance` and `line` are not compared (M7), what is a set is
 * compared as one (M8). Every change is classified by analyze/classify.h.
 * Works on the JSON trees, so it needs no model and finds Systems too; the trees may be
 * hostile: what has not the shape of a bundle counts as missing.
 * Ownership: a diff lives in the arena given and borrows from both trees. */
#ifndef AN_ANALYZE_DIFF_H
#define AN_ANALYZE_DIFF_H

#include "analyze/version/classify.h"
#include "base/json_write.h"

/* What static analysis found out about one change (spec §18.3 M6). */
typedef enum an_resolution {
    AN_UNRESOLVED,
    AN_PROVEN_SAFE,
    AN_PROVEN_BREAKING
} an_resolution;

/* One change of one field. */
typedef struct an_diff_part {
    const an_taxon *taxon;
    const mt_str *names; /* what was added, removed or changed: states, steps, … */
    uint32_t name_count;
    /* A prover may set these two where the class is REQUIRES_ANALYSIS, and then calls
     * an_diff_decide(); the class itself never changes. */
    an_resolution resolution;
    mt_str proof; /* one sentence, or empty; unresolved: why it could not be proven */
} an_diff_part;

typedef struct an_diff_field {
    mt_str field;                  /* "type", "body.when"; "id": the construct itself */
    const mt_json *before, *after; /* NULL: missing on that side */
    an_class class;                /* greatest of its parts' */
    an_diff_part *parts;           /* at least one */
    uint32_t part_count;
} an_diff_field;

typedef enum an_diff_change { AN_ADDED, AN_CHANGED, AN_REMOVED } an_diff_change;

typedef struct an_diff_entry {
    mt_str kind, id;
    an_diff_change change;
    an_class class; /* raw supremum over the fields */
    /* By name. Of an added or removed construct there is one, "id", whose before or
     * after is the whole construct. */
    an_diff_field *fields;
    uint32_t field_count;
} an_diff_entry;

typedef struct an_diff {
    mt_str old_id, new_id;  /* of the bundles */
    an_diff_entry *entries; /* by kind, then id, in byte order */
    uint32_t entry_count;
    uint32_t common;                 /* constructs that both bundles have */
    uint32_t counts[AN_CLASS_COUNT]; /* parts by class */
    an_class class;                  /* greatest; NON_BREAKING when nothing changed */
    /* M2, M6: something is BREAKING, or REQUIRES_ANALYSIS and not proven safe. */
    bool policy_required;
    bool infrastructure; /* the operator is to be told */
} an_diff;

/* One side. `manifest` is the document around the bundle, or NULL when there is none;
 * only its `trust` section is compared. */
typedef struct an_diff_side {
    const mt_json *bundle, *manifest;
} an_diff_side;

/* Both must be valid interchange. Never fails; borrows from both trees. */
an_diff *an_diff_bundles(mt_arena *a, an_diff_side before, an_diff_side after);

/* Computes policy_required anew, after a prover has set resolutions. */
void an_diff_decide(an_diff *d);
/* Does this part alone ask for a policy? */
bool an_diff_part_breaks(const an_diff_part *p);
/* Is some part of it breaking, or not proven safe? */
bool an_diff_entry_breaks(const an_diff_entry *e);
/* The entry of a construct, NULL when it did not change. */
const an_diff_entry *an_diff_find(const an_diff *d, mt_str kind, mt_str id);
/* Are these two versions of one contract? They have the same id, or some construct in
 * common. */
bool an_diff_related(const an_diff *d);

#endif

/* contract/analyze/diff_internal.h - what the files of the diff share.
 * Room: contract. Private to analyze/diff*.c. */
#ifndef CT_ANALYZE_DIFF_INTERNAL_H
#define CT_ANALYZE_DIFF_INTERNAL_H

#include "base/map.h"
#include "base/vec.h"
#include "contract/analyze/diff.h"

typedef struct ct_diff_names {
    mt_str *items;
    size_t len, cap;
} ct_diff_names;

/* Two versions of one construct being compared. */
typedef struct ct_cmp {
    mt_arena *a;
    mt_str kind, field;                     /* of the construct; being compared */
    const mt_json *before, *after;          /* the constructs */
    const mt_json *old_bundle, *new_bundle; /* around them */
    MT_VEC(ct_diff_part) parts;             /* of the field */
    MT_VEC(ct_diff_field) fields;           /* of the construct */
} ct_cmp;

/* Adds a change of the current field; `names` may be NULL. */
void ct_cmp_part(ct_cmp *c, const char *change, const ct_diff_names *names);
/* Compares every field of the construct; c->fields holds what changed, unsorted. */
void ct_cmp_fields(ct_cmp *c);
/* Ends the current field: if parts were added, it has changed. */
void ct_cmp_end_field(ct_cmp *c, const mt_json *before, const mt_json *after);

/* Elements of two arrays matched by key. */
typedef struct ct_set_change {
    ct_diff_names added, removed, changed;
} ct_set_change;
typedef mt_str ct_key_of(mt_arena *a, const mt_json *element);
typedef bool ct_same_as(const mt_json *a, const mt_json *b);
/* `same` NULL: the key says everything. What is no array is an empty one. */
ct_set_change ct_set_compare(mt_arena *a, const mt_json *before, const mt_json *after,
                             ct_key_of *key, ct_same_as *same);
mt_str ct_key_text(mt_arena *a, const mt_json *element);
mt_str ct_key_id(mt_arena *a, const mt_json *element);

/* Members of two objects side by side, by byte order of the keys. What is no object
 * has none. Sorting keeps objects with very many members affordable. */
typedef struct ct_member_pair {
    mt_str key;
    const mt_json *before, *after; /* NULL: missing on that side */
} ct_member_pair;
ct_member_pair *ct_member_pairs(mt_arena *a, const mt_json *before,
                                const mt_json *after, uint32_t *count);

/* How a type changed: a set of bits, 0 for two spellings of the same type. */
enum { CT_TYPE_WIDENED = 1, CT_TYPE_NARROWED = 2, CT_TYPE_REBASED = 4 };
unsigned ct_type_compare(mt_arena *a, const mt_json *before, const mt_json *after);

/* The same JSON; NULL is only itself. */
static inline bool ct_same_json(const mt_json *a, const mt_json *b)
{
    return a == b || (a && b && mt_json_equal(a, b));
}

/* Same value: decimals by value, not by digits. */
bool ct_same_value(const mt_json *a, const mt_json *b);
/* Same expression: annotations that the elaborator derives from declarations
 * (comparison_type, result_type, variable_type, parameters of a literal's type) are
 * not compared. */
bool ct_same_expr(const mt_json *a, const mt_json *b);
/* Same step: nested steps by id, in any order. */
bool ct_same_step(const mt_json *a, const mt_json *b);

/* Adds one entry for the trust section of the manifests. */
void ct_cmp_trust(ct_cmp *c, const mt_json *before, const mt_json *after);

#endif

/* analyze/version/diff_internal.h - what the files of the diff share.
 * Room: analyze. Private to analyze/diff*.c. */
#ifndef AN_ANALYZE_DIFF_INTERNAL_H
#define AN_ANALYZE_DIFF_INTERNAL_H

#include "analyze/version/diff.h"
#include "base/map.h"
#include "base/vec.h"

typedef struct an_diff_names {
    mt_str *items;
    size_t len, cap;
} an_diff_names;

/* Two versions of one construct being compared. */
typedef struct an_cmp {
    mt_arena *a;
    mt_str kind, field;                     /* of the construct; being compared */
    const mt_json *before, *after;          /* the constructs */
    const mt_json *old_bundle, *new_bundle; /* around them */
    MT_VEC(an_diff_part) parts;             /* of the field */
    MT_VEC(an_diff_field) fields;           /* of the construct */
} an_cmp;

/* Adds a change of the current field; `names` may be NULL. */
void an_cmp_part(an_cmp *c, const char *change, const an_diff_names *names);
/* Compares every field of the construct; c->fields holds what changed, unsorted. */
void an_cmp_fields(an_cmp *c);
/* Ends the current field: if parts were added, it has changed. */
void an_cmp_end_field(an_cmp *c, const mt_json *before, const mt_json *after);

/* Elements of two arrays matched by key. */
typedef struct an_set_change {
    an_diff_names added, removed, changed;
} an_set_change;
typedef mt_str an_key_of(mt_arena *a, const mt_json *element);
typedef bool an_same_as(const mt_json *a, const mt_json *b);
/* `same` NULL: the key says everything. What is not an array is an empty one. */
an_set_change an_set_compare(mt_arena *a, const mt_json *before, const mt_json *after,
                             an_key_of *key, an_same_as *same);
mt_str an_key_text(mt_arena *a, const mt_json *element);
mt_str an_key_id(mt_arena *a, const mt_json *element);

/* Members of two objects side by side, by byte order of the keys. What is not an object
 * has none. Sorting keeps objects with very many members affordable. */
typedef struct an_member_pair {
    mt_str key;
    const mt_json *before, *after; /* NULL: missing on that side */
} an_member_pair;
an_member_pair *an_member_pairs(mt_arena *a, const mt_json *before,
                                const mt_json *after, uint32_t *count);

/* How a type changed: a set of bits, 0 for two spellings of the same type. */
enum { AN_TYPE_WIDENED = 1, AN_TYPE_NARROWED = 2, AN_TYPE_REBASED = 4 };
unsigned an_type_compare(mt_arena *a, const mt_json *before, const mt_json *after);

/* The same JSON; NULL is only itself. */
static inline bool an_same_json(const mt_json *a, const mt_json *b)
{
    return a == b || (a && b && mt_json_equal(a, b));
}

/* Same value: decimals by value, not by digits. */
bool an_same_value(const mt_json *a, const mt_json *b);
/* Same expression: annotations that the elaborator derives from declarations
 * (comparison_type, result_type, variable_type, parameters of a literal's type) are
 * not compared. */
bool an_same_expr(const mt_json *a, const mt_json *b);
/* Same step: nested steps by id, in any order. */
bool an_same_step(const mt_json *a, const mt_json *b);

/* Adds one entry for the trust section of the manifests. */
void an_cmp_trust(an_cmp *c, const mt_json *before, const mt_json *after);

#endif

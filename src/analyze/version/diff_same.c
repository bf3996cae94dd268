/* analyze/version/diff_same.c - do two pieces of interchange mean the same?
 *
 * Values: decimals by number, whatever zeros they are written with. Expressions:
 * without the types the elaborator derives. Steps: without places. Sets: by a key for
 * each element. Everything else is JSON and compared as that; objects have no order.
 *
 * "Different" may be said of what a proof would find to be the same, never the other
 * way round. Recursion follows the JSON trees, whose depth the reader bounds. */
#include <stdlib.h>

#include "analyze/version/diff_internal.h"

static bool is_one_of(mt_str key, const mt_str *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (mt_str_eq(key, words[i])) {
            return true;
        }
    }
    return false;
}

/* The digits that decide: no zeros at either end, no empty fraction, no -0. On text, so
 * that numbers of any length compare without being computed with. */
static mt_str plain_digits(mt_str s, bool *negative)
{
    *negative = s.len && s.ptr[0] == '-';
    s = mt_str_skip(s, *negative);
    while (s.len > 1 && s.ptr[0] == '0' && s.ptr[1] != '.') {
        s = mt_str_skip(s, 1);
    }
    if (mt_str_find(s, '.') < s.len) {
        while (s.len && s.ptr[s.len - 1] == '0') {
            s.len--;
        }
        s.len -= s.len && s.ptr[s.len - 1] == '.';
    }
    if (!s.len || mt_str_is(s, "0")) {
        *negative = false;
        return MT_STR("0");
    }
    return s;
}

static bool same_decimal(mt_str a, mt_str b)
{
    bool a_negative, b_negative;
    mt_str x = plain_digits(a, &a_negative), y = plain_digits(b, &b_negative);
    return a_negative == b_negative && mt_str_eq(x, y);
}

static bool is_decimal_value(const mt_json *j)
{
    return mt_str_is(mt_json_text(mt_json_at(j, "kind")), "decimal_value");
}

typedef struct ignore {
    const mt_str *words;
    size_t count;
} ignore;

static const mt_json_member **sorted(mt_arena *a, const mt_json *object)
{
    const mt_json_member **order = mt_alloc(a, object->count * sizeof *order);
    mt_json_sort(object, order);
    return order;
}

/* A merge of both sorted lists: linear after sorting. What is not an object has no
 * members. */
an_member_pair *an_member_pairs(mt_arena *a, const mt_json *before,
                                const mt_json *after, uint32_t *count)
{
    static const mt_json NONE = {.type = MT_JSON_OBJECT};
    const mt_json *x = mt_json_is(before, MT_JSON_OBJECT) ? before : &NONE;
    const mt_json *y = mt_json_is(after, MT_JSON_OBJECT) ? after : &NONE;
    const mt_json_member **old = sorted(a, x), **now = sorted(a, y);
    an_member_pair *pairs =
        mt_new_array(a, an_member_pair, (size_t)x->count + y->count);
    uint32_t i = 0, k = 0, n = 0;
    while (i < x->count || k < y->count) {
        int order = i == x->count   ? 1
                    : k == y->count ? -1
                                    : mt_str_cmp(old[i]->key, now[k]->key);
        an_member_pair *p = &pairs[n++];
        p->key = order <= 0 ? old[i]->key : now[k]->key;
        p->before = order <= 0 ? &old[i++]->value : NULL;
        p->after = order >= 0 ? &now[k++]->value : NULL;
    }
    *count = n;
    return pairs;
}

/* Members of two objects, those with an ignored key aside. A key that one side lacks
 * makes them differ, unless it is ignored. */
static bool same_members(const mt_json *a, const mt_json *b, ignore skip,
                         bool (*same)(mt_str key, const mt_json *x, const mt_json *y))
{
    mt_arena scratch = {0};
    uint32_t count;
    bool equal = true;
    const an_member_pair *pairs = an_member_pairs(&scratch, a, b, &count);
    for (uint32_t i = 0; equal && i < count; i++) {
        const an_member_pair *p = &pairs[i];
        equal = is_one_of(p->key, skip.words, skip.count) ||
                (p->before && p->after && same(p->key, p->before, p->after));
    }
    mt_arena_free(&scratch);
    return equal;
}

/* In order: lists of interchange keep the order of declaration. */
static bool same_items(const mt_json *a, const mt_json *b, an_same_as *same)
{
    if (a->count != b->count) {
        return false;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        if (!same(&a->as.items[i], &b->as.items[i])) {
            return false;
        }
    }
    return true;
}

static bool same_value_member(mt_str key, const mt_json *x, const mt_json *y)
{
    (void)key;
    return an_same_value(x, y);
}

/* Precision and scale of a decimal_value follow from its type and are not compared
 * here; the type is. */
bool an_same_value(const mt_json *a, const mt_json *b)
{
    if (!a || !b || a->type != b->type) {
        return a == b;
    }
    if (a->type == MT_JSON_ARRAY) {
        return same_items(a, b, an_same_value);
    }
    if (a->type != MT_JSON_OBJECT) {
        return an_same_json(a, b);
    }
    if (is_decimal_value(a) && is_decimal_value(b)) {
        return same_decimal(mt_json_text(mt_json_at(a, "value")),
                            mt_json_text(mt_json_at(b, "value")));
    }
    return same_members(a, b, (ignore){NULL, 0}, same_value_member);
}

/* What the elaborator derives from declarations; some stand here more than once. */
static const mt_str DERIVED[] = {
#define X_DERIVED(key, SHAPE) MT_STR_INIT(key),
#include "lang/nodes.def"
};

/* Keys are names of fields here, whatever they would say of a node. */
static bool same_field(mt_str key, const mt_json *x, const mt_json *y)
{
    (void)key;
    return an_same_expr(x, y);
}

/* The type of a literal derives from its spelling, so only the base counts: 1.0 and
 * 1.00 mean the same beside a Decimal. */
static bool same_expr_member(mt_str key, const mt_json *x, const mt_json *y)
{
    if (mt_str_is(key, "record") && mt_json_is(x, MT_JSON_OBJECT) &&
        mt_json_is(y, MT_JSON_OBJECT)) {
        return same_members(x, y, (ignore){NULL, 0}, same_field);
    }
    if (mt_str_is(key, "type")) { /* of a literal */
        return mt_str_eq(mt_json_text(mt_json_at(x, "base")),
                         mt_json_text(mt_json_at(y, "base")));
    }
    return mt_str_is(key, "literal") ? an_same_value(x, y) : an_same_expr(x, y);
}

/* By structure: `a and b` and `b and a` differ here, and the prover is asked whether
 * that matters (prove_diff.c). */
bool an_same_expr(const mt_json *a, const mt_json *b)
{
    if (!a || !b || a->type != b->type) {
        return a == b;
    }
    if (a->type == MT_JSON_ARRAY) {
        return same_items(a, b, an_same_expr);
    }
    if (a->type != MT_JSON_OBJECT || is_decimal_value(a)) {
        return an_same_value(a, b);
    }
    return same_members(a, b, (ignore){DERIVED, sizeof DERIVED / sizeof *DERIVED},
                        same_expr_member);
}

/* Steps as a set by id: their order in the bundle is derived. */
static bool same_branch(const mt_json *a, const mt_json *b)
{
    mt_arena scratch = {0};
    an_set_change steps =
        an_set_compare(&scratch, mt_json_at(a, "steps"), mt_json_at(b, "steps"),
                       an_key_id, an_same_step);
    bool same = !(steps.added.len | steps.removed.len | steps.changed.len) &&
                an_same_json(mt_json_at(a, "id"), mt_json_at(b, "id")) &&
                an_same_json(mt_json_at(a, "entry"), mt_json_at(b, "entry"));
    mt_arena_free(&scratch);
    return same;
}

static bool same_step_member(mt_str key, const mt_json *x, const mt_json *y)
{
    if (mt_str_is(key, "condition")) {
        return an_same_expr(x, y);
    }
    if (mt_str_is(key, "branches") && x->type == MT_JSON_ARRAY &&
        y->type == MT_JSON_ARRAY) {
        return same_items(x, y, same_branch);
    }
    return an_same_json(x, y);
}

static const mt_str NOISE[] = {MT_STR_INIT("provenance"), MT_STR_INIT("line")};

bool an_same_step(const mt_json *a, const mt_json *b)
{
    if (a->type != MT_JSON_OBJECT || b->type != MT_JSON_OBJECT) {
        return an_same_json(a, b);
    }
    return same_members(a, b, (ignore){NOISE, 2}, same_step_member);
}

/* ---- Sets ---- */

mt_str an_key_text(mt_arena *a, const mt_json *element)
{
    (void)a;
    return mt_json_text(element);
}

mt_str an_key_id(mt_arena *a, const mt_json *element)
{
    (void)a;
    return mt_json_text(mt_json_at(element, "id"));
}

static uint32_t length(const mt_json *array)
{
    return mt_json_is(array, MT_JSON_ARRAY) ? array->count : 0;
}

/* Linear by maps. An element that stands twice counts once; without `same` nothing can
 * have changed. Names are sorted, so reports do not depend on the bundle's order. */
an_set_change an_set_compare(mt_arena *a, const mt_json *before, const mt_json *after,
                             an_key_of *key, an_same_as *same)
{
    an_set_change out = {0};
    mt_map old = {0}, met = {0};
    for (uint32_t i = 0; i < length(before); i++) {
        mt_map_put(a, &old, key(a, &before->as.items[i]),
                   (uintptr_t)&before->as.items[i]);
    }
    for (uint32_t i = 0; i < length(after); i++) {
        const mt_json *now = &after->as.items[i];
        mt_str name = key(a, now);
        const mt_map_entry *was = mt_map_find(&old, name);
        bool fresh;
        mt_map_add(a, &met, name, &fresh);
        if (!fresh) {
            continue;
        }
        if (!was) {
            mt_vec_push(a, &out.added, name);
        } else if (same && !same((const mt_json *)was->value, now)) {
            mt_vec_push(a, &out.changed, name);
        }
    }
    for (uint32_t i = 0; i < old.len; i++) {
        if (!mt_map_find(&met, old.entries[i].key)) {
            mt_vec_push(a, &out.removed, old.entries[i].key);
        }
    }
    mt_str_sort(out.added.items, out.added.len);
    mt_str_sort(out.removed.items, out.removed.len);
    mt_str_sort(out.changed.items, out.changed.len);
    return out;
}

/* analyze/version/diff_type.c - is a type wider, narrower or another one?
 * Room: analyze.
 * Wider: every value of the old type is one of the new. Recursion follows the JSON
 * trees, whose depth the reader bounds. */
#include "analyze/version/diff_internal.h"

static int64_t number(const mt_json *type, mt_str key)
{
    int64_t n;
    return mt_json_i64(mt_json_get(type, key), &n) ? 0 : n;
}

/* More is wider. */
static unsigned grows(int64_t before, int64_t after)
{
    return after > before ? AN_TYPE_WIDENED : after < before ? AN_TYPE_NARROWED : 0;
}

static unsigned compare_range(const mt_json *b, const mt_json *a)
{
    return grows(number(b, MT_STR("max")), number(a, MT_STR("max"))) |
           grows(number(a, MT_STR("min")), number(b, MT_STR("min")));
}

/* Digits before the point and digits after it. */
static unsigned compare_decimal(const mt_json *b, const mt_json *a)
{
    int64_t old_scale = number(b, MT_STR("scale"));
    int64_t new_scale = number(a, MT_STR("scale"));
    int64_t old_precision = number(b, MT_STR("precision"));
    int64_t new_precision = number(a, MT_STR("precision"));
    int64_t old_whole, new_whole;
    if (__builtin_sub_overflow(old_precision, old_scale, &old_whole) ||
        __builtin_sub_overflow(new_precision, new_scale, &new_whole)) {
        return AN_TYPE_NARROWED;
    }
    return grows(old_scale, new_scale) | grows(old_whole, new_whole);
}

static bool same_text(const mt_json *b, const mt_json *a, mt_str key)
{
    return mt_str_eq(mt_json_text(mt_json_get(b, key)),
                     mt_json_text(mt_json_get(a, key)));
}

static unsigned compare_values(mt_arena *arena, const mt_json *b, const mt_json *a)
{
    an_set_change s = an_set_compare(arena, mt_json_at(b, "values"),
                                     mt_json_at(a, "values"), an_key_text, NULL);
    return (s.added.len ? AN_TYPE_WIDENED : 0u) |
           (s.removed.len ? AN_TYPE_NARROWED : 0u);
}

/* Named parts: fields of a Record, variants of a TaggedUnion. `added` and `removed` are
 * what one more and one fewer means. */
static unsigned compare_named(mt_arena *arena, const mt_json *b, const mt_json *a,
                              unsigned added, unsigned removed)
{
    unsigned how = 0;
    if (!mt_json_is(b, MT_JSON_OBJECT) || !mt_json_is(a, MT_JSON_OBJECT)) {
        return AN_TYPE_REBASED;
    }
    uint32_t count;
    const an_member_pair *pairs = an_member_pairs(arena, b, a, &count);
    for (uint32_t i = 0; i < count; i++) {
        const mt_json *old = pairs[i].before, *now = pairs[i].after;
        how |= !old ? added : !now ? removed : an_type_compare(arena, old, now);
    }
    return how;
}

static unsigned compare_same_base(mt_arena *arena, mt_str base, const mt_json *b,
                                  const mt_json *a)
{
    if (mt_str_is(base, "Int")) {
        return compare_range(b, a);
    }
    if (mt_str_is(base, "Duration")) {
        return same_text(b, a, MT_STR("unit")) ? compare_range(b, a) : AN_TYPE_REBASED;
    }
    if (mt_str_is(base, "Decimal")) {
        return compare_decimal(b, a);
    }
    if (mt_str_is(base, "Text")) {
        return grows(number(b, MT_STR("max_length")), number(a, MT_STR("max_length")));
    }
    if (mt_str_is(base, "Money")) {
        return same_text(b, a, MT_STR("currency")) ? 0 : AN_TYPE_REBASED;
    }
    if (mt_str_is(base, "Enum")) {
        return compare_values(arena, b, a);
    }
    if (mt_str_is(base, "List")) {
        return grows(number(b, MT_STR("max")), number(a, MT_STR("max"))) |
               an_type_compare(arena, mt_json_at(b, "element_type"),
                               mt_json_at(a, "element_type"));
    }
    if (mt_str_is(base, "Record")) {
        return compare_named(arena, mt_json_at(b, "fields"), mt_json_at(a, "fields"),
                             AN_TYPE_REBASED, AN_TYPE_REBASED);
    }
    if (mt_str_is(base, "TaggedUnion")) {
        return compare_named(arena, mt_json_at(b, "variants"),
                             mt_json_at(a, "variants"), AN_TYPE_WIDENED,
                             AN_TYPE_NARROWED);
    }
    return mt_json_equal(b, a) ? 0 : AN_TYPE_REBASED;
}

unsigned an_type_compare(mt_arena *arena, const mt_json *before, const mt_json *after)
{
    mt_str old_base = mt_json_text(mt_json_at(before, "base"));
    mt_str new_base = mt_json_text(mt_json_at(after, "base"));
    if (!old_base.len || !mt_str_eq(old_base, new_base)) {
        return AN_TYPE_REBASED;
    }
    return compare_same_base(arena, old_base, before, after);
}

/* analyze/version/diff_type.c - is a type wider, narrower or another one?
 * Room: analyze.
 * Wider: every value of the old type is one of the new. A type is its base and the
 * parameters nodes.def gives it, so two types of one base differ by their parameters:
 * PARAMETERS says what a change of each means. Recursion follows the JSON trees, whose
 * depth the reader bounds. */
#include "analyze/version/diff_internal.h"

/* Two types of one base, and the parameter that differs. */
typedef struct change {
    mt_arena *a;
    const mt_json *before, *after;
    mt_str key;
} change;

static int64_t number(const mt_json *type, mt_str key)
{
    int64_t n;
    return mt_json_i64(mt_json_get(type, key), &n) ? 0 : n;
}

static unsigned by_size(int64_t before, int64_t after)
{
    return after > before ? AN_TYPE_WIDENED : after < before ? AN_TYPE_NARROWED : 0;
}

/* More is wider. */
static unsigned compare_most(change c)
{
    return by_size(number(c.before, c.key), number(c.after, c.key));
}

static unsigned compare_least(change c)
{
    return by_size(number(c.after, c.key), number(c.before, c.key));
}

/* Digits before the point: what the scale leaves of the precision. */
static bool whole_digits(const mt_json *type, int64_t *out)
{
    return !__builtin_sub_overflow(number(type, MT_STR("precision")),
                                   number(type, MT_STR("scale")), out);
}

static unsigned compare_precision(change c)
{
    int64_t before, after;
    return whole_digits(c.before, &before) && whole_digits(c.after, &after)
               ? by_size(before, after)
               : AN_TYPE_NARROWED;
}

/* One more digit behind the point may be one fewer before it. */
static unsigned compare_scale(change c)
{
    return compare_most(c) | compare_precision(c);
}

/* Values in another unit or currency are other values. */
static unsigned compare_name(change c)
{
    bool same = mt_str_eq(mt_json_text(mt_json_get(c.before, c.key)),
                          mt_json_text(mt_json_get(c.after, c.key)));
    return same ? 0 : AN_TYPE_REBASED;
}

static unsigned compare_values(change c)
{
    an_set_change s = an_set_compare(c.a, mt_json_get(c.before, c.key),
                                     mt_json_get(c.after, c.key), an_key_text, NULL);
    return (s.added.len ? AN_TYPE_WIDENED : 0u) |
           (s.removed.len ? AN_TYPE_NARROWED : 0u);
}

static unsigned compare_element(change c)
{
    return an_type_compare(c.a, mt_json_get(c.before, c.key),
                           mt_json_get(c.after, c.key));
}

/* Named parts. `added` and `removed` are what one more and one fewer means. */
static unsigned compare_named(change c, unsigned added, unsigned removed)
{
    const mt_json *b = mt_json_get(c.before, c.key), *a = mt_json_get(c.after, c.key);
    unsigned how = 0;
    if (!mt_json_is(b, MT_JSON_OBJECT) || !mt_json_is(a, MT_JSON_OBJECT)) {
        return AN_TYPE_REBASED;
    }
    uint32_t count;
    const an_member_pair *pairs = an_member_pairs(c.a, b, a, &count);
    for (uint32_t i = 0; i < count; i++) {
        const mt_json *old = pairs[i].before, *now = pairs[i].after;
        how |= !old ? added : !now ? removed : an_type_compare(c.a, old, now);
    }
    return how;
}

static unsigned compare_fields(change c)
{
    return compare_named(c, AN_TYPE_REBASED, AN_TYPE_REBASED);
}

static unsigned compare_variants(change c)
{
    return compare_named(c, AN_TYPE_WIDENED, AN_TYPE_NARROWED);
}

static const struct {
    const char *key;
    unsigned (*compare)(change c);
} PARAMETERS[] = {
    {"currency", compare_name},       {"element_type", compare_element},
    {"fields", compare_fields},       {"max", compare_most},
    {"max_length", compare_most},     {"min", compare_least},
    {"precision", compare_precision}, {"scale", compare_scale},
    {"unit", compare_name},           {"values", compare_values},
    {"variants", compare_variants},
};

/* A parameter that is not known may mean anything, so a type in which it differs is
 * another one. */
static unsigned compare_parameter(change c)
{
    for (size_t i = 0; i < sizeof PARAMETERS / sizeof *PARAMETERS; i++) {
        if (mt_str_eq(c.key, mt_str_z(PARAMETERS[i].key))) {
            return PARAMETERS[i].compare(c);
        }
    }
    return AN_TYPE_REBASED;
}

unsigned an_type_compare(mt_arena *arena, const mt_json *before, const mt_json *after)
{
    mt_str old_base = mt_json_text(mt_json_at(before, "base"));
    mt_str new_base = mt_json_text(mt_json_at(after, "base"));
    if (!old_base.len || !mt_str_eq(old_base, new_base)) {
        return AN_TYPE_REBASED;
    }
    uint32_t count;
    unsigned how = 0;
    const an_member_pair *pairs = an_member_pairs(arena, before, after, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (!an_same_json(pairs[i].before, pairs[i].after)) {
            how |= compare_parameter((change){arena, before, after, pairs[i].key});
        }
    }
    return how;
}

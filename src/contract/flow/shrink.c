/* contract/flow/shrink.c - a value made simpler as long as it will do.
 *
 * Every function changes *value in place, asks, and puts back what will not do. The
 * order is from the boldest change to the most timid one: all at once, then halves,
 * then the next smaller. What it stops at is a value none of whose neighbours will do;
 * of a threshold that is the threshold itself.
 *
 * INVARIANT: *value is a value of its type that will do, whenever a function returns.
 * Recursion follows the types. Nothing can fail. */
#include "base/utf8.h"
#include "contract/flow/generate.h"

static bool try_it(const ct_shrinker *s, ct_value *value, ct_value candidate)
{
    ct_value before = *value;
    *value = candidate;
    if (!*s->enough && s->still(s->state)) {
        return true;
    }
    *value = before;
    return false;
}

/* ---- Numbers: towards a target, by steps that halve ---- */

typedef ct_value from_number(const ct_value *like, int64_t n);

/* A step that will do is made again; one that will not is halved. No step goes beyond
 * the target. */
static bool towards(const ct_shrinker *s, ct_value *value, int64_t now, int64_t target,
                    from_number *from)
{
    bool changed = false;
    int64_t step = now - target;
    while (step && !*s->enough) {
        int64_t left = now - target;
        bool beyond = step > 0 ? step > left : step < left;
        if (!beyond && try_it(s, value, from(value, now - step))) {
            now -= step;
            changed = true;
        } else {
            step /= 2;
        }
    }
    return changed;
}

static ct_value from_integer(const ct_value *like, int64_t n)
{
    (void)like;
    return (ct_value){.integer = n};
}

static ct_value from_seconds(const ct_value *like, int64_t n)
{
    (void)like;
    return (ct_value){.time = {.seconds = n}};
}

static ct_value from_coefficient(const ct_value *like, int64_t n)
{
    mt_decimal d = like->decimal;
    d.hi = 0;
    d.negative = n < 0;
    d.lo = (uint64_t)(n < 0 ? -n : n);
    return (ct_value){.decimal = d};
}

enum { DAY_2000 = 10957 };

/* The target lies in the range, so the way there fits a word. */
static bool whole(const ct_shrinker *s, const ct_type *t, ct_value *value)
{
    int64_t target = DAY_2000;
    if (!ct_is_day(t)) {
        int64_t least = t->as.range.min, most = t->as.range.max;
        target = least > 0 ? least : most < 0 ? most : 0;
    }
    return towards(s, value, value->integer, target, from_integer);
}

/* Zero, then without its last digits, then smaller. */
static bool decimal(const ct_shrinker *s, ct_value *value)
{
    bool changed = false;
    mt_decimal d = value->decimal;
    if (!d.lo && !d.hi) {
        return false;
    }
    if (try_it(s, value, (ct_value){.decimal = {.scale = d.scale}})) {
        return true;
    }
    for (unsigned keep = 0; keep < d.scale; keep++) {
        mt_decimal rounded, padded;
        if (!mt_decimal_rescale(d, keep, &rounded) &&
            !mt_decimal_rescale(rounded, d.scale, &padded) &&
            mt_decimal_cmp(padded, d) != 0 &&
            try_it(s, value, (ct_value){.decimal = padded})) {
            changed = true;
            break;
        }
    }
    d = value->decimal;
    bool small = !d.hi && d.lo < (uint64_t)1 << 62;
    return (small && towards(s, value, mt_decimal_word(d), 0, from_coefficient)) |
           changed;
}

/* ---- Texts and choices ---- */

/* The empty text, halves, then one character less at a time. */
static bool text(const ct_shrinker *s, ct_value *value)
{
    bool changed = false;
    for (size_t step = value->text.len; step && !*s->enough; step /= 2) {
        while (value->text.len >= step) {
            mt_str shorter = {value->text.ptr, value->text.len - step};
            while (shorter.len && mt_utf8_goes_on(shorter.ptr[shorter.len])) {
                shorter.len--;
            }
            if (!try_it(s, value, (ct_value){.text = shorter})) {
                break;
            }
            changed = true;
            if (!shorter.len) {
                return true;
            }
        }
    }
    return changed;
}

static bool choice(const ct_shrinker *s, ct_value *value)
{
    for (uint32_t i = 0; i < value->choice; i++) {
        if (try_it(s, value, (ct_value){.choice = i})) {
            return true;
        }
    }
    return false;
}

/* ---- What has parts ---- */

/* A copy whose elements may be changed, without element `left_out`. */
static ct_value list_without(mt_arena *a, const ct_type *element, const ct_value *list,
                             uint32_t left_out)
{
    uint32_t slots = element->slots, count = 0;
    ct_value *items = mt_new_array(a, ct_value, (size_t)list->list.count * slots + 1);
    for (uint32_t i = 0; i < list->list.count; i++) {
        if (i != left_out) {
            memcpy(items + (size_t)count++ * slots,
                   list->list.items + (size_t)i * slots, slots * sizeof *items);
        }
    }
    return (ct_value){.list = {items, count}};
}

static bool list(const ct_shrinker *s, const ct_type *t, ct_value *value)
{
    const ct_type *element = t->as.list.element;
    bool changed = value->list.count && try_it(s, value, (ct_value){.list = {0}});
    for (uint32_t i = value->list.count; i--;) {
        changed |= try_it(s, value, list_without(s->a, element, value, i));
    }
    ct_value own = list_without(s->a, element, value, CT_NONE);
    union {
        const ct_value *read;
        ct_value *write;
    } items = {.read = own.list.items};
    *value = own;
    for (uint32_t i = 0; i < own.list.count; i++) {
        changed |= ct_shrink(s, element, items.write + (size_t)i * element->slots);
    }
    return changed;
}

static bool record(const ct_shrinker *s, const ct_type *t, ct_value *value)
{
    bool changed = false;
    for (uint32_t i = 0; i < t->count; i++) {
        const ct_field *f = &t->as.fields[i];
        changed |= ct_shrink(s, f->type, value + f->offset);
    }
    return changed;
}

/* The tag stays: a value of another variant would be another case. */
static bool variant(const ct_shrinker *s, const ct_type *t, ct_value *value)
{
    const ct_type *of = t->as.variants[value->variant.tag].type;
    ct_value *payload = mt_new_array(s->a, ct_value, of->slots + 1);
    memcpy(payload, value->variant.payload, of->slots * sizeof *payload);
    value->variant.payload = payload;
    return ct_shrink(s, of, payload);
}

bool ct_shrink(const ct_shrinker *s, const ct_type *type, ct_value *value)
{
    switch (ct_held(type)) {
    case LN_BOOLEAN:
        return value->boolean && try_it(s, value, (ct_value){.boolean = false});
    case LN_INTEGER: return whole(s, type, value);
    case LN_DECIMAL: return decimal(s, value);
    case LN_TEXT: return text(s, value);
    case LN_CHOICE: return choice(s, value);
    case LN_TIME:
        return towards(s, value, value->time.seconds, (int64_t)DAY_2000 * 86400,
                       from_seconds);
    case LN_RECORD: return record(s, type, value);
    case LN_VARIANT: return variant(s, type, value);
    case LN_LIST: return list(s, type, value);
    }
    MT_BUG("unknown way to hold a value");
}

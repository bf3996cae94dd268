/* analyze/prove/prove_corners.c - fact sets at the edges of their types.
 *
 * Most overflows happen at the end of a range, and most indices miss an empty list: a
 * few fact sets made of such values find them without a solver. A set is a number; each
 * value of it is chosen by a hash of that number and of how many values came before,
 * except in the first sets, which are all least, all largest, all plain, with empty
 * lists and with full ones.
 *
 * Every set is legal: within ranges, digits, lengths and lists. Nothing can fail. */
#include "analyze/prove/prove_corners.h"

#include "base/json_write.h"

/* An overflow of a sum over a list needs few elements, each at its end; longer ones
 * only take longer to evaluate. */
enum { LONG_TEXT = 8, LONG_LIST = 8 };

typedef enum corner { LEAST, LARGEST, PLAIN, CORNERS } corner;

/* `values` counts what was made, so that each value has a hash of its own. */
typedef struct maker {
    mt_jw w;
    unsigned nth;
    uint64_t values; /* so far */
} maker;

/* The same numbers on every machine: findings
 * must not depend on where they were made. */
static uint64_t mixed(maker *k)
{
    uint64_t z = ++k->values * 0x9e3779b97f4a7c15u + k->nth * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Sets 0 to 5: each corner with empty lists, each with full ones. */
static corner pick(maker *k)
{
    return k->nth < 2 * CORNERS ? (corner)(k->nth % CORNERS)
                                : (corner)(mixed(k) % CORNERS);
}

static size_t pick_length(maker *k, size_t max)
{
    size_t most = max < LONG_LIST ? max : LONG_LIST;
    if (k->nth < 2 * CORNERS) {
        return k->nth < CORNERS ? 0 : most;
    }
    return mixed(k) % (most + 1);
}

/* PLAIN is 0, or the value of the range that is nearest to it. */
static int64_t whole(maker *k, int64_t least, int64_t most)
{
    int64_t plain = least > 0 ? least : most < 0 ? most : 0;
    corner c = pick(k);
    return c == LEAST ? least : c == LARGEST ? most : plain;
}

/* Nines in every digit there is room for, below zero or above, or zero. */
static void put_decimal(maker *k, uint32_t before, uint32_t behind)
{
    char text[80];
    size_t len = 0;
    corner c = pick(k);
    /* A type may have more digits than a value can. */
    before = before > MT_DECIMAL_DIGITS ? MT_DECIMAL_DIGITS : before;
    behind = behind > MT_DECIMAL_DIGITS - before ? MT_DECIMAL_DIGITS - before : behind;
    if (c == PLAIN) {
        before = behind = 0;
    }
    if (c == LEAST) {
        text[len++] = '-';
    }
    if (!before) {
        text[len++] = '0';
    }
    memset(text + len, '9', before);
    len += before;
    if (behind) {
        text[len++] = '.';
    }
    memset(text + len, '9', behind);
    mt_jw_str(&k->w, mt_str_from(text, len + behind));
}

static void put_day(maker *k, bool moment)
{
    static const char *const DAYS[CORNERS] = {"0001-01-01", "9999-12-31", "2000-01-01"};
    static const char *const MOMENTS[CORNERS] = {
        "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2000-01-01T00:00:00Z"};
    corner c = pick(k);
    mt_jw_str(&k->w, mt_str_z(moment ? MOMENTS[c] : DAYS[c]));
}

static void put_text(maker *k, size_t max)
{
    static const char LETTERS[] = "xxxxxxxx";
    size_t most = max < LONG_TEXT ? max : LONG_TEXT;
    mt_jw_str(&k->w, mt_str_from(LETTERS, pick(k) == LARGEST ? most : 0));
}

/* One of so many; in the first sets the last one for LARGEST, else the first. */
static uint32_t pick_of(maker *k, uint32_t count)
{
    corner c = pick(k);
    return k->nth >= 2 * CORNERS ? (uint32_t)(mixed(k) % count)
           : c == LARGEST        ? count - 1
                                 : 0;
}

static void put_integer(maker *k, const ct_type *t)
{
    if (ct_is_day(t)) {
        put_day(k, false);
        return;
    }
    int64_t n = whole(k, t->as.range.min, t->as.range.max);
    if (!ct_has(t, LN_UNIT)) {
        mt_jw_i64(&k->w, n);
        return;
    }
    mt_jw_begin_object(&k->w);
    mt_jw_key_str(&k->w, "unit", mt_str_z(CT_UNIT_NAMES[t->unit]));
    mt_jw_key_i64(&k->w, "value", n);
    mt_jw_end_object(&k->w);
}

static void put_amount(maker *k, const ct_type *t)
{
    mt_jw_begin_object(&k->w);
    mt_jw_keyz(&k->w, "amount");
    put_decimal(k, MT_DECIMAL_DIGITS - 2, 2);
    mt_jw_key_str(&k->w, "currency", t->as.currency);
    mt_jw_end_object(&k->w);
}

static void put(maker *k, const ct_type *t);

static void put_record(maker *k, const ct_type *t)
{
    mt_jw_begin_unsorted(&k->w);
    for (uint32_t i = 0; i < t->count; i++) {
        mt_jw_key(&k->w, t->as.fields[i].name);
        put(k, t->as.fields[i].type);
    }
    mt_jw_end_object(&k->w);
}

static void put_union(maker *k, const ct_type *t)
{
    const ct_field *variant = &t->as.variants[pick_of(k, t->count)];
    mt_jw_begin_object(&k->w);
    mt_jw_keyz(&k->w, "payload");
    put(k, variant->type);
    mt_jw_key_str(&k->w, "tag", variant->name);
    mt_jw_end_object(&k->w);
}

static void put_list(maker *k, const ct_type *t)
{
    size_t length = pick_length(k, t->as.list.max);
    mt_jw_begin_array(&k->w);
    for (size_t i = 0; i < length; i++) {
        put(k, t->as.list.element);
    }
    mt_jw_end_array(&k->w);
}

static void put(maker *k, const ct_type *t)
{
    switch (ct_held(t)) {
    case LN_BOOLEAN: mt_jw_bool(&k->w, pick_of(k, 2) != 0); break;
    case LN_INTEGER: put_integer(k, t); break;
    case LN_DECIMAL:
        if (ct_has(t, LN_CURRENCY)) {
            put_amount(k, t);
        } else {
            put_decimal(k, t->as.decimal.precision - t->as.decimal.scale,
                        t->as.decimal.scale);
        }
        break;
    case LN_TEXT: put_text(k, t->as.max_length); break;
    case LN_CHOICE: mt_jw_str(&k->w, t->as.values[pick_of(k, t->count)]); break;
    case LN_TIME: put_day(k, true); break;
    case LN_RECORD: put_record(k, t); break;
    case LN_VARIANT: put_union(k, t); break;
    case LN_LIST: put_list(k, t); break;
    }
}

mt_str an_corner(mt_arena *a, const ct_model *m, unsigned nth)
{
    mt_buf out = {0};
    maker k = {.w = mt_jw_start(&out, false), .nth = nth};
    mt_jw_begin_unsorted(&k.w);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        mt_jw_key(&k.w, m->facts[i].id);
        put(&k, m->facts[i].type);
    }
    mt_jw_end_object(&k.w);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

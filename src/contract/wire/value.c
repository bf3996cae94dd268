/* contract/wire/value.c - names of types, and equality of any two values.
 *
 * Tables of bases and units are in the order of their enums. Fields are sorted by name
 * and searched by halves. Equality is by value across types: enums by text, decimals
 * and durations by amount whatever scale and unit, lists and records part by part;
 * ct_type_comparable() says beforehand whether it makes sense.
 *
 * Recursion follows the types, whose depth the loader bounds. */
#include "contract/wire/value.h"

const ct_type CT_TYPE_BOOL = {.base = CT_BOOL, .slots = 1};
/* 28 digits before the point or 28 behind it (§13.6): types of sums and products that
 * are derived from this one must leave room for both. */
const ct_type CT_TYPE_ANY_DECIMAL = {
    .base = CT_DECIMAL,
    .slots = 1,
    .as.decimal = {MT_DECIMAL_DIGITS + MT_DECIMAL_MAX_SCALE, MT_DECIMAL_MAX_SCALE}};

ct_type ct_int_type(int64_t min, int64_t max)
{
    return (ct_type){.base = CT_INT, .slots = 1, .as.range = {min, max}};
}

ct_type ct_decimal_type(uint32_t precision, uint32_t scale)
{
    return (ct_type){.base = CT_DECIMAL, .slots = 1, .as.decimal = {precision, scale}};
}

ct_type ct_text_type(size_t max_length)
{
    return (ct_type){.base = CT_TEXT, .slots = 1, .as.max_length = max_length};
}

/* Borrows the array, which must live as long as the type. */
ct_type ct_choice_type(const mt_str *values, uint32_t count)
{
    return (ct_type){.base = CT_ENUM, .slots = 1, .count = count, .as.values = values};
}

ct_type ct_duration_type(ct_duration_unit unit, int64_t min, int64_t max)
{
    return (ct_type){
        .base = CT_DURATION, .unit = (uint8_t)unit, .slots = 1, .as.range = {min, max}};
}

const char *const CT_UNIT_NAMES[] = {
    [CT_SECONDS] = "seconds",
    [CT_MINUTES] = "minutes",
    [CT_HOURS] = "hours",
    [CT_DAYS] = "days",
};
MT_TABLE_COVERS(CT_UNIT_NAMES, CT_UNIT_COUNT);

const int64_t CT_UNIT_SECONDS[] = {
    [CT_SECONDS] = 1,
    [CT_MINUTES] = 60,
    [CT_HOURS] = 3600,
    [CT_DAYS] = 86400,
};
MT_TABLE_COVERS(CT_UNIT_SECONDS, CT_UNIT_COUNT);

bool ct_unit_find(mt_str name, ct_duration_unit *out)
{
    for (unsigned i = 0; i < CT_UNIT_COUNT; i++) {
        if (mt_str_eq(name, mt_str_z(CT_UNIT_NAMES[i]))) {
            *out = (ct_duration_unit)i;
            return true;
        }
    }
    return false;
}

static void type_text(mt_buf *b, const ct_type *t);

static void fields_text(mt_buf *b, const ct_field *fields, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        mt_buf_addf(b, "%s%.*s: ", i ? ", " : "", MT_ARG(fields[i].name));
        type_text(b, fields[i].type);
    }
}

static void values_text(mt_buf *b, const ct_type *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        mt_buf_addf(b, "%s\"%.*s\"", i ? ", " : "", MT_ARG(t->as.values[i]));
    }
}

static void type_text(mt_buf *b, const ct_type *t)
{
    switch ((ct_base)t->base) {
    case CT_BOOL:
    case CT_DATE:
    case CT_DATETIME: mt_buf_addz(b, LN_BASES[t->base].name); break;
    case CT_INT:
        mt_buf_addf(b, "Int(%lld, %lld)", (long long)t->as.range.min,
                    (long long)t->as.range.max);
        break;
    case CT_DECIMAL:
        mt_buf_addf(b, "Decimal(%u, %u)", t->as.decimal.precision, t->as.decimal.scale);
        break;
    case CT_TEXT: mt_buf_addf(b, "Text(max_length=%zu)", t->as.max_length); break;
    case CT_ENUM:
        mt_buf_addz(b, "Enum(");
        values_text(b, t);
        mt_buf_addc(b, ')');
        break;
    case CT_MONEY: mt_buf_addf(b, "Money(%.*s)", MT_ARG(t->as.currency)); break;
    case CT_DURATION:
        mt_buf_addf(b, "Duration(%s, %lld, %lld)", CT_UNIT_NAMES[t->unit],
                    (long long)t->as.range.min, (long long)t->as.range.max);
        break;
    case CT_RECORD:
    case CT_UNION:
        mt_buf_addf(b, "%s{", LN_BASES[t->base].name);
        fields_text(b, t->as.fields, t->count);
        mt_buf_addc(b, '}');
        break;
    case CT_LIST:
        mt_buf_addz(b, "List(");
        type_text(b, t->as.list.element);
        mt_buf_addf(b, ", %zu)", t->as.list.max);
        break;
    }
}

mt_str ct_type_spell(mt_arena *a, const ct_type *type)
{
    mt_buf b = {0};
    type_text(&b, type);
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

uint32_t ct_field_find(const ct_type *type, mt_str name)
{
    for (uint32_t lo = 0, hi = type->count; lo < hi;) {
        uint32_t mid = lo + (hi - lo) / 2;
        int order = mt_str_cmp(type->as.fields[mid].name, name);
        if (!order) {
            return mid;
        }
        if (order < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return CT_NONE;
}

/* Values keep the order of declaration, so there is nothing to halve. */
uint32_t ct_choice_find(const ct_type *type, mt_str value)
{
    for (uint32_t i = 0; i < type->count; i++) {
        if (mt_str_eq(type->as.values[i], value)) {
            return i;
        }
    }
    return CT_NONE;
}

/* Structural, as type identity is (§4.6). Members are sorted by name, so one pass in
 * step compares them; for Enums any two compare, by text. */
bool ct_type_comparable(const ct_type *a, const ct_type *b)
{
    if (a->base != b->base) {
        return false;
    }
    if (ct_has(a, LN_CURRENCY)) {
        return mt_str_eq(a->as.currency, b->as.currency);
    }
    if (ct_held(a) == LN_LIST) {
        return ct_type_comparable(a->as.list.element, b->as.list.element);
    }
    if (!ct_has(a, LN_PARTED)) {
        return true;
    }
    for (uint32_t i = 0; i < a->count && a->count == b->count; i++) {
        if (!mt_str_eq(a->as.fields[i].name, b->as.fields[i].name) ||
            !ct_type_comparable(a->as.fields[i].type, b->as.fields[i].type)) {
            return false;
        }
    }
    return a->count == b->count;
}

static bool lists_equal(const ct_type *at, const ct_value *a, const ct_type *bt,
                        const ct_value *b)
{
    if (a->list.count != b->list.count) {
        return false;
    }
    const ct_type *ae = at->as.list.element, *be = bt->as.list.element;
    for (uint32_t i = 0; i < a->list.count; i++) {
        if (!ct_value_equal(ae, a->list.items + (size_t)i * ae->slots, be,
                            b->list.items + (size_t)i * be->slots)) {
            return false;
        }
    }
    return true;
}

/* In 128 bits, since days in seconds can leave 64. */
static bool durations_equal(const ct_type *at, const ct_value *a, const ct_type *bt,
                            const ct_value *b)
{
    __extension__ typedef __int128 wide;
    return (wide)a->integer * CT_UNIT_SECONDS[at->unit] ==
           (wide)b->integer * CT_UNIT_SECONDS[bt->unit];
}

/* Relies on ct_type_comparable(at, bt): the same kind on both sides, the same fields in
 * the same order. 1.0 equals 1.00, an instant equals itself in any spelling. */
bool ct_value_equal(const ct_type *at, const ct_value *a, const ct_type *bt,
                    const ct_value *b)
{
    switch (ct_held(at)) {
    case LN_BOOLEAN: return a->boolean == b->boolean;
    case LN_INTEGER:
        return ct_has(at, LN_UNIT) ? durations_equal(at, a, bt, b)
                                   : a->integer == b->integer;
    case LN_DECIMAL: return mt_decimal_cmp(a->decimal, b->decimal) == 0;
    case LN_TEXT: return mt_str_eq(a->text, b->text);
    case LN_CHOICE:
        return mt_str_eq(at->as.values[a->choice], bt->as.values[b->choice]);
    case LN_TIME:
        return a->time.seconds == b->time.seconds && a->time.nanos == b->time.nanos;
    case LN_RECORD:
        for (uint32_t i = 0; i < at->count; i++) {
            const ct_field *af = &at->as.fields[i], *bf = &bt->as.fields[i];
            if (!ct_value_equal(af->type, a + af->offset, bf->type, b + bf->offset)) {
                return false;
            }
        }
        return true;
    case LN_VARIANT:
        return a->variant.tag == b->variant.tag &&
               ct_value_equal(at->as.variants[a->variant.tag].type, a->variant.payload,
                              bt->as.variants[b->variant.tag].type, b->variant.payload);
    case LN_LIST: return lists_equal(at, a, bt, b);
    }
    MT_BUG("unknown base type");
}

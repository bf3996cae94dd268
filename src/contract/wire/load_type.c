/* contract/wire/load_type.c - BaseTypes from interchange, checked to be well formed.
 *
 * LOADERS has one reader per way to hold a value (ln_held); bases that are held alike
 * are told apart by their traits. A type knows how many slots its values take (a record
 * the sum of its fields, everything else one), which is what the evaluator lays facts
 * out by. Members of records and unions are sorted by name, so two types that list them
 * differently are the same type.
 *
 * Bounds: precision and scale, length, list maximum; the number of slots in all is
 * bounded by a limit. NULL means a fault was reported. */
#include <stdlib.h>

#include "contract/wire/load_internal.h"

static bool load_plain(ct_loader *l, const mt_json *json, ct_type *t)
{
    (void)l, (void)json, (void)t;
    return true;
}

/* That both members are there, and whole numbers, was checked by the shape. */
static bool load_range(ct_loader *l, const mt_json *json, ct_type *t)
{
    int64_t min = ct_i64_at(json, "min"), max = ct_i64_at(json, "max");
    if (min > max) {
        ct_load_error(l, CT_L_TYPE, json, "min %lld is greater than max %lld",
                      (long long)min, (long long)max);
        return false;
    }
    t->as.range.min = min;
    t->as.range.max = max;
    return true;
}

/* A count that fits 32 bits. */
static bool want_count(ct_loader *l, const mt_json *json, mt_str key, uint32_t *out)
{
    int64_t value = ct_i64_at_key(json, key);
    if (value < 0 || value > UINT32_MAX) {
        ct_load_error(l, CT_L_TYPE, json, "%.*s %lld is out of range", MT_ARG(key),
                      (long long)value);
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

static bool load_decimal(ct_loader *l, const mt_json *json, ct_type *t)
{
    uint32_t precision, scale;
    if (!want_count(l, json, MT_STR("precision"), &precision) ||
        !want_count(l, json, MT_STR("scale"), &scale)) {
        return false;
    }
    if (!precision || scale > precision) {
        ct_load_error(l, CT_L_TYPE, json, "Decimal(%u, %u) holds no number", precision,
                      scale);
        return false;
    }
    t->as.decimal.precision = precision;
    t->as.decimal.scale = scale;
    return true;
}

static bool load_text(ct_loader *l, const mt_json *json, ct_type *t)
{
    uint32_t length;
    bool ok = want_count(l, json, MT_STR("max_length"), &length);
    t->as.max_length = ok ? length : 0;
    return ok;
}

static bool load_money(ct_loader *l, const mt_json *json, ct_type *t)
{
    (void)l;
    t->as.currency = ct_text_at(json, "currency");
    return true;
}

static bool load_duration(ct_loader *l, const mt_json *json, ct_type *t)
{
    mt_str name = ct_text_at(json, "unit");
    ct_duration_unit unit;
    if (!load_range(l, json, t)) {
        return false;
    }
    if (!ct_unit_find(name, &unit)) {
        ct_load_error(l, CT_L_TYPE, json,
                      "Duration unit \"%.*s\" is not one of seconds, minutes, hours, "
                      "days",
                      MT_ARG(name));
        return false;
    }
    t->unit = (uint8_t)unit;
    return true;
}

static bool load_enum(ct_loader *l, const mt_json *json, ct_type *t)
{
    const mt_json *values = ct_list_at(json, "values");
    t->as.values = ct_texts(l, values);
    t->count = values->count;
    if (!t->count) {
        ct_load_error(l, CT_L_TYPE, values, "Enum has no values");
        return false;
    }
    mt_map seen = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        bool added;
        mt_map_add(l->keep, &seen, t->as.values[i], &added);
        if (!added) {
            ct_load_error(l, CT_L_TYPE, values, "Enum value \"%.*s\" is listed twice",
                          MT_ARG(t->as.values[i]));
            return false;
        }
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    return mt_str_cmp(((const ct_field *)a)->name, ((const ct_field *)b)->name);
}

/* The members of an object of types, in byte order of their names, in a row. */
static bool load_members(ct_loader *l, const mt_json *object, mt_str key, ct_type *t)
{
    ct_field *fields = mt_new_array(l->keep, ct_field, object->count);
    size_t mark = ct_path_key(l, key);
    bool ok = true;
    for (uint32_t i = 0; i < object->count; i++) {
        const mt_json_member *m = &object->as.members[i];
        size_t inner = ct_path_key(l, m->key);
        fields[i] = (ct_field){m->key, ct_load_type(l, &m->value), 0};
        ok = ok && fields[i].type;
        ct_path_pop(l, inner);
    }
    ct_path_pop(l, mark);
    if (object->count) {
        qsort(fields, object->count, sizeof *fields, by_name);
    }
    t->as.fields = fields;
    t->count = object->count;
    /* Places for what a reader of facts notes about the order of members
     * (eval/facts.c): one behind each field and one before the first. */
    t->notes = l->m->note_count;
    l->m->note_count += t->count + 1;
    t->slots = 0;
    for (uint32_t i = 0; i < t->count && ok; i++) {
        fields[i].offset = t->slots;
        t->slots += fields[i].type->slots;
    }
    return ok;
}

static bool load_record(ct_loader *l, const mt_json *json, ct_type *t)
{
    return load_members(l, mt_json_at(json, "fields"), MT_STR("fields"), t);
}

static bool load_union(ct_loader *l, const mt_json *json, ct_type *t)
{
    const mt_json *variants = mt_json_at(json, "variants");
    if (!load_members(l, variants, MT_STR("variants"), t)) {
        return false;
    }
    /* A union and a list have one slot that refers to what is inside, since how much
     * that is depends on the value. */
    t->slots = 1;
    if (!t->count) {
        ct_load_error(l, CT_L_TYPE, variants, "TaggedUnion has no variants");
    }
    return t->count > 0;
}

static bool load_list(ct_loader *l, const mt_json *json, ct_type *t)
{
    uint32_t max;
    const mt_json *element = mt_json_at(json, "element_type");
    if (!want_count(l, json, MT_STR("max"), &max)) {
        return false;
    }
    size_t mark = ct_path_key(l, MT_STR("element_type"));
    t->as.list.element = ct_load_type(l, element);
    if (t->as.list.element && ct_held(t->as.list.element) == LN_LIST) {
        ct_load_error(l, CT_L_TYPE, element, "a List may not hold Lists");
        t->as.list.element = NULL;
    }
    ct_path_pop(l, mark);
    t->as.list.max = max;
    return t->as.list.element != NULL;
}

static bool load_whole(ct_loader *l, const mt_json *json, ct_type *t)
{
    return ct_has(t, LN_UNIT)     ? load_duration(l, json, t)
           : ct_has(t, LN_RANGED) ? load_range(l, json, t)
                                  : load_plain(l, json, t);
}

static bool load_amount(ct_loader *l, const mt_json *json, ct_type *t)
{
    return ct_has(t, LN_CURRENCY) ? load_money(l, json, t) : load_decimal(l, json, t);
}

static bool (*const LOADERS[])(ct_loader *, const mt_json *, ct_type *) = {
    [LN_BOOLEAN] = load_plain, [LN_INTEGER] = load_whole, [LN_DECIMAL] = load_amount,
    [LN_TEXT] = load_text,     [LN_CHOICE] = load_enum,   [LN_TIME] = load_plain,
    [LN_RECORD] = load_record, [LN_VARIANT] = load_union, [LN_LIST] = load_list,
};
MT_TABLE_COVERS(LOADERS, LN_HELDS);

const ct_type *ct_load_type(ct_loader *l, const mt_json *json)
{
    mt_str base = ct_text_at(json, "base");
    for (unsigned i = 0; i < CT_BASE_COUNT; i++) {
        if (mt_str_eq(base, mt_str_z(LN_BASES[i].name))) {
            ct_type *t = mt_new(l->keep, ct_type);
            t->base = (uint8_t)i;
            t->slots = 1;
            return LOADERS[ct_held(t)](l, json, t) ? t : NULL;
        }
    }
    ct_load_error(l, CT_L_TYPE, json, "unknown base type \"%.*s\"", MT_ARG(base));
    return NULL;
}

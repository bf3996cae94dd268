/* contract/wire/load_value.c - defaults and literals of a bundle, as typed values.
 *
 * Three spellings are read: the interchange's own ({"kind":"decimal_value",…}), a bare
 * literal, and the form facts are given in. LOADERS has one reader per base; a value
 * outside the range, scale, length or choices of its type is reported with the type
 * spelled out.
 *
 * Durations of another unit must be a whole number of the type's. Values live in
 * `keep`. */
#include "base/nearest.h"
#include "base/utf8.h"
#include "contract/wire/load_internal.h"
#include "contract/wire/round_text.h"

const ct_value *ct_keep_value(ct_loader *l, const ct_value *value)
{
    ct_value *copy = mt_new(l->keep, ct_value);
    *copy = *value;
    return copy;
}

/* Always false, so that a reader can end with `return wrong(...)`. Of a composite only
 * the kind is shown: the value may be large. */
static bool wrong(ct_loader *l, const ct_type *type, const mt_json *json)
{
    mt_str text = ct_type_spell(l->keep, type);
    bool exact = l->exact && ct_held(type) == LN_DECIMAL;
    ct_load_error(l, CT_L_VALUE, json, "expected a value of %.*s%s, got %s",
                  MT_ARG(text), exact ? " of at most 28 digits" : "",
                  mt_json_is(json, MT_JSON_STRING) || mt_json_is(json, MT_JSON_NUMBER)
                      ? mt_strf(l->keep, "%.*s", MT_ARG(mt_json_text(json))).ptr
                      : mt_json_type_name(json));
    return false;
}

/* The `value` of {"kind":…,"value":…}, otherwise the node itself. */
static const mt_json *unwrap(const mt_json *json)
{
    const mt_json *inner = mt_json_at(json, "value");
    return inner ? inner : json;
}

static bool load_bool(ct_loader *l, const ct_type *type, const mt_json *json,
                      ct_value *out)
{
    const mt_json *v = unwrap(json);
    if (!mt_json_is(v, MT_JSON_BOOL)) {
        return wrong(l, type, json);
    }
    out->boolean = v->boolean;
    return true;
}

static bool in_range(const ct_type *type, int64_t v)
{
    return v >= type->as.range.min && v <= type->as.range.max;
}

static bool load_int(ct_loader *l, const ct_type *type, const mt_json *json,
                     ct_value *out)
{
    int64_t v;
    if (mt_json_i64(unwrap(json), &v) != MT_OK || !in_range(type, v)) {
        return wrong(l, type, json);
    }
    out->integer = v;
    return true;
}

/* A JSON number is taken by its text and never becomes a double. A literal of more
 * digits than can be computed with is refused; a default is rounded to them. */
static bool parse_decimal(const ct_loader *l, const mt_json *json, mt_decimal *out)
{
    const mt_json *v = unwrap(json);
    return (mt_json_is(v, MT_JSON_STRING) || mt_json_is(v, MT_JSON_NUMBER)) &&
           (!l->exact || ct_exact_decimal(mt_json_text(v))) &&
           ct_computed_decimal(l->keep, mt_json_text(v), out);
}

/* By value and not by spelling: 1.50 fits a scale of 1, 1.55 does not and is a fault.
 * Whoever writes bundles has rounded before (§13.4). */
static bool load_decimal(ct_loader *l, const ct_type *type, const mt_json *json,
                         ct_value *out)
{
    if (!parse_decimal(l, json, &out->decimal) ||
        !mt_decimal_fits(out->decimal, type->as.decimal.precision,
                         type->as.decimal.scale)) {
        return wrong(l, type, json);
    }
    return true;
}

/* A default may leave the currency out, because the type has it; another one is a fault
 * and never a conversion (§4.4). */
static bool load_money(ct_loader *l, const ct_type *type, const mt_json *json,
                       ct_value *out)
{
    const mt_json *currency = mt_json_at(json, "currency");
    if (!parse_decimal(l, mt_json_at(json, "amount"), &out->decimal) ||
        (currency && !mt_str_eq(mt_json_text(currency), type->as.currency))) {
        return wrong(l, type, json);
    }
    return true;
}

/* Length is in characters. Text has never more characters than bytes, so most values
 * are admitted without counting. The reader has checked the UTF-8. */
static bool load_text(ct_loader *l, const ct_type *type, const mt_json *json,
                      ct_value *out)
{
    const mt_json *v = unwrap(json);
    out->text = mt_json_text(v);
    if (!mt_json_is(v, MT_JSON_STRING) ||
        (out->text.len > type->as.max_length &&
         mt_utf8_count(out->text) > type->as.max_length)) {
        return wrong(l, type, json);
    }
    return true;
}

static bool load_enum(ct_loader *l, const ct_type *type, const mt_json *json,
                      ct_value *out)
{
    const mt_json *v = unwrap(json);
    out->choice =
        mt_json_is(v, MT_JSON_STRING) ? ct_choice_find(type, mt_json_text(v)) : CT_NONE;
    return out->choice != CT_NONE || wrong(l, type, json);
}

static bool load_date(ct_loader *l, const ct_type *type, const mt_json *json,
                      ct_value *out)
{
    const mt_json *v = unwrap(json);
    return (mt_json_is(v, MT_JSON_STRING) &&
            ct_date_parse(mt_json_text(v), &out->integer)) ||
           wrong(l, type, json);
}

static bool load_time(ct_loader *l, const ct_type *type, const mt_json *json,
                      ct_value *out)
{
    const mt_json *v = unwrap(json);
    return (mt_json_is(v, MT_JSON_STRING) &&
            ct_time_parse(mt_json_text(v), &out->time)) ||
           wrong(l, type, json);
}

/* Compared in seconds and 128 bits: days times 86,400 leave 64 bits for values that are
 * legal. */
bool ct_duration_fits(const ct_type *type, int64_t value, ct_duration_unit unit,
                      int64_t *out)
{
    __extension__ typedef __int128 wide;
    wide seconds = (wide)value * CT_UNIT_SECONDS[unit];
    int64_t own = CT_UNIT_SECONDS[type->unit];
    if (seconds % own != 0 || seconds < (wide)type->as.range.min * own ||
        seconds > (wide)type->as.range.max * own) {
        return false;
    }
    *out = (int64_t)(seconds / own);
    return true;
}

/* A number alone, or in an int_literal, counts in the type's unit; one of another unit
 * must be a whole number of it. */
static bool load_duration(ct_loader *l, const ct_type *type, const mt_json *json,
                          ct_value *out)
{
    const mt_json *name = mt_json_at(json, "unit");
    ct_duration_unit unit = (ct_duration_unit)type->unit;
    int64_t v;
    return (mt_json_i64(unwrap(json), &v) == MT_OK &&
            (!name || ct_unit_find(mt_json_text(name), &unit)) &&
            ct_duration_fits(type, v, unit, &out->integer)) ||
           wrong(l, type, json);
}

/* The member that holds the parts in the interchange's own form, else the node. */
static const mt_json *parts(const mt_json *json, mt_str kind, mt_str key)
{
    return mt_str_eq(mt_json_text(mt_json_at(json, "kind")), kind)
               ? mt_json_get(json, key)
               : json;
}

/* A field that the type does not have is passed over, as every unknown key of a bundle.
 */
static void tell_surplus(ct_loader *l, const ct_type *type, const mt_json_member *m)
{
    mt_buf text = {0};
    mt_nearest near = mt_nearest_to(m->key);
    for (uint32_t i = 0; i < type->count && !mt_diags_full(&l->passed); i++) {
        mt_nearest_offer(&near, type->as.fields[i].name);
    }
    mt_utf8_show_name(&text, m->key);
    ct_load_passed(l, &m->value, "unknown field \"%.*s\"%s%.*s%s",
                   MT_ARG(mt_buf_str(&text)), near.best.len ? "; did you mean \"" : "",
                   MT_ARG(near.best), near.best.len ? "\"?" : "");
    mt_buf_free(&text);
}

/* All fields of the type are there, so it is enough to count. */
static void pass_over_others(ct_loader *l, const ct_type *type, const mt_json *fields)
{
    for (uint32_t i = 0; fields->count > type->count && i < fields->count; i++) {
        if (ct_field_find(type, fields->as.members[i].key) == CT_NONE) {
            tell_surplus(l, type, &fields->as.members[i]);
        }
    }
}

static bool load_record(ct_loader *l, const ct_type *type, const mt_json *json,
                        ct_value *out)
{
    const mt_json *fields = parts(json, MT_STR("record_value"), MT_STR("fields"));
    if (!mt_json_is(fields, MT_JSON_OBJECT)) {
        return wrong(l, type, json);
    }
    for (uint32_t i = 0; i < type->count; i++) {
        const ct_field *f = &type->as.fields[i];
        const mt_json *v = mt_json_get(fields, f->name);
        if (!v) {
            ct_load_error(l, CT_L_VALUE, json, "field \"%.*s\" is missing",
                          MT_ARG(f->name));
            return false;
        }
        if (!ct_load_value(l, f->type, v, out + f->offset)) {
            return false;
        }
    }
    pass_over_others(l, type, fields);
    return true;
}

/* A variant whose payload is a record without fields still needs the key `payload`. */
static bool load_union(ct_loader *l, const ct_type *type, const mt_json *json,
                       ct_value *out)
{
    const mt_json *payload = mt_json_at(json, "payload");
    uint32_t tag = ct_field_find(type, mt_json_text(mt_json_at(json, "tag")));
    if (!payload || tag == CT_NONE) {
        return wrong(l, type, json);
    }
    const ct_type *inner = type->as.variants[tag].type;
    ct_value *room = mt_new_array(l->keep, ct_value, inner->slots);
    out->variant.tag = tag;
    out->variant.payload = room;
    return ct_load_value(l, inner, payload, room);
}

/* The count is compared before room is made, so a short bundle cannot ask for much
 * memory: there are at most as many elements as the JSON has. */
static bool load_list(ct_loader *l, const ct_type *type, const mt_json *json,
                      ct_value *out)
{
    const mt_json *items = parts(json, MT_STR("list_value"), MT_STR("elements"));
    const ct_type *element = type->as.list.element;
    if (!mt_json_is(items, MT_JSON_ARRAY) || items->count > type->as.list.max) {
        return wrong(l, type, json);
    }
    ct_value *room =
        mt_new_array(l->keep, ct_value, (size_t)items->count * element->slots);
    for (uint32_t i = 0; i < items->count; i++) {
        if (!ct_load_value(l, element, &items->as.items[i],
                           room + (size_t)i * element->slots)) {
            return false;
        }
    }
    out->list.items = room;
    out->list.count = items->count;
    return true;
}

static bool load_whole(ct_loader *l, const ct_type *type, const mt_json *json,
                       ct_value *out)
{
    return ct_is_day(type)         ? load_date(l, type, json, out)
           : ct_has(type, LN_UNIT) ? load_duration(l, type, json, out)
                                   : load_int(l, type, json, out);
}

static bool load_amount(ct_loader *l, const ct_type *type, const mt_json *json,
                        ct_value *out)
{
    return ct_has(type, LN_CURRENCY) ? load_money(l, type, json, out)
                                     : load_decimal(l, type, json, out);
}

static bool (*const LOADERS[])(ct_loader *, const ct_type *, const mt_json *,
                               ct_value *) = {
    [LN_BOOLEAN] = load_bool,  [LN_INTEGER] = load_whole, [LN_DECIMAL] = load_amount,
    [LN_TEXT] = load_text,     [LN_CHOICE] = load_enum,   [LN_TIME] = load_time,
    [LN_RECORD] = load_record, [LN_VARIANT] = load_union, [LN_LIST] = load_list,
};
MT_TABLE_COVERS(LOADERS, LN_HELDS);

bool ct_load_value(ct_loader *l, const ct_type *type, const mt_json *json,
                   ct_value *out)
{
    return LOADERS[ct_held(type)](l, type, json, out);
}

/* contract/wire/load_made.c - records, lists and unions whose parts are terms.
 *
 * One form for conditions and payloads: {"record":{field:term}}, {"list":[term]},
 * {"union":{"payload":term,"tag":name}}. Its type is that of its place (the payload,
 * the part of another such value), or else what the node says itself. Parts are loaded
 * in the order in which they are held, and each becomes a term of the very type it
 * stands for:
 *
 *   - a literal is converted here, so that a value without any term in it is a plain
 *     CT_LITERAL and costs nothing to make;
 *   - in a payload a number or text whose type does not say that it fits is a CT_FIT,
 *     as the payload itself would be: rounded (§13.4), or a fault;
 *   - in a condition nothing is rounded: an Int beside a Decimal becomes one, all else
 *     is compared as it is.
 *
 * Recursion follows the JSON tree, whose depth the reader bounds. NULL means a fault
 * was reported at the part's own place. */
#include "base/utf8.h"
#include "contract/wire/load_internal.h"
#include "contract/wire/shape.h"

mt_str ct_told_by(const mt_json *json)
{
    const ln_when *when = ct_shape_meant(LN_SHAPE_EXPRESSION, json);
    return when ? mt_str_z(when->key) : MT_STR("");
}

/* What a node of that key makes; false: another node. */
static bool makes(mt_str key, ln_held *out)
{
    static const struct {
        const char *key;
        ln_held held;
    } MADE[] = {{"record", LN_RECORD}, {"list", LN_LIST}, {"union", LN_VARIANT}};
    for (size_t i = 0; i < sizeof MADE / sizeof *MADE; i++) {
        if (mt_str_eq(key, mt_str_z(MADE[i].key))) {
            *out = MADE[i].held;
            return true;
        }
    }
    return false;
}

bool ct_is_made(const mt_json *json)
{
    ln_held held;
    return makes(ct_told_by(json), &held);
}

/* ---- Parts ---- */

static const ct_expr *does_not_fit(ct_loader *l, const ct_expr *e, const ct_type *type,
                                   const mt_json *at)
{
    ct_load_error(l, CT_L_VALUE, at, "this is of %.*s, the part of %.*s",
                  MT_ARG(ct_type_spell(l->keep, e->type)),
                  MT_ARG(ct_type_spell(l->keep, type)));
    return NULL;
}

/* A condition compares the number that is written; a payload has it rounded. */
static bool decimal_part(const ct_loader *l, const ct_type *type, const ct_expr *e,
                         ct_value *out)
{
    uint32_t scale = type->as.decimal.scale;
    mt_decimal d =
        ct_is_int(e->type) ? mt_decimal_from_i64(e->value->integer) : e->value->decimal;
    if (l->in_payload && d.scale > scale && mt_decimal_rescale(d, scale, &d) != MT_OK) {
        return false;
    }
    out->decimal = d;
    return mt_decimal_fits(d, type->as.decimal.precision, scale);
}

/* Is the literal's value one of the type, which ct_payload_fits()? */
static bool scalar_part(const ct_loader *l, const ct_type *type, const ct_expr *e,
                        ct_value *out)
{
    if (ct_is_decimal(type)) {
        return decimal_part(l, type, e, out);
    }
    if (ct_has(type, LN_RANGED)) {
        return out->integer >= type->as.range.min && out->integer <= type->as.range.max;
    }
    return ct_held(type) != LN_TEXT || mt_utf8_count(out->text) <= type->as.max_length;
}

static const ct_expr *literal_part(ct_loader *l, const ct_type *type, const ct_expr *e,
                                   const mt_json *at)
{
    if (ct_held(type) >= LN_RECORD) {
        return ct_new_literal(l, type, e->value);
    }
    ct_value v = *e->value;
    return scalar_part(l, type, e, &v) ? ct_new_literal(l, type, ct_keep_value(l, &v))
                                       : does_not_fit(l, e, type, at);
}

static bool is_bounded_by(const ct_type *to, const ct_type *from)
{
    return ct_has(to, LN_RANGED)
               ? from->as.range.min >= to->as.range.min &&
                     from->as.range.max <= to->as.range.max
               : ct_held(to) != LN_TEXT || from->as.max_length <= to->as.max_length;
}

static const ct_expr *fit(ct_loader *l, const ct_type *type, const ct_expr *e)
{
    ct_expr *out = ct_new_expr(l, CT_FIT, type);
    out->left = e;
    return out;
}

/* A Decimal of a payload is always brought to its scale. */
static const ct_expr *term_part(ct_loader *l, const ct_type *type, const ct_expr *e)
{
    if (l->in_payload) {
        return ct_is_decimal(type) || !is_bounded_by(type, e->type) ? fit(l, type, e)
                                                                    : e;
    }
    return ct_is_decimal(type) && ct_is_int(e->type) ? fit(l, &CT_TYPE_ANY_DECIMAL, e)
                                                     : e;
}

static const ct_expr *load_part(ct_loader *l, const mt_json *json, const ct_type *type)
{
    if (ct_is_made(json)) {
        return ct_load_made(l, json, type);
    }
    const ct_expr *e = ct_load_term(l, json);
    if (!e || !(e = ct_fit_literal(l, e, type, json))) {
        return NULL;
    }
    e = ct_fit_duration(l, e, type);
    if (!ct_payload_fits(type, e->type)) {
        return does_not_fit(l, e, type, json);
    }
    return e->op == CT_LITERAL ? literal_part(l, type, e, json) : term_part(l, type, e);
}

/* ---- The whole ---- */

typedef struct parts {
    const ct_expr **items;
    uint32_t count;
    uint32_t tag; /* of a union */
} parts;

static parts room_for(ct_loader *l, uint32_t count)
{
    return (parts){mt_new_array(l->keep, const ct_expr *, count + 1), count, 0};
}

/* Every field is there and no other; two of one name are none of JSON's. */
static bool load_fields(ct_loader *l, const ct_type *type, const mt_json *fields,
                        parts *out)
{
    *out = room_for(l, type->count);
    for (uint32_t i = 0; i < fields->count; i++) {
        mt_str name = fields->as.members[i].key;
        uint32_t at = ct_field_find(type, name);
        if (at == CT_NONE) {
            ct_load_error(l, CT_L_VALUE, &fields->as.members[i].value,
                          "%.*s has no field \"%.*s\"",
                          MT_ARG(ct_type_spell(l->keep, type)), MT_ARG(name));
            return false;
        }
        size_t mark = ct_path_key(l, name);
        out->items[at] =
            load_part(l, &fields->as.members[i].value, type->as.fields[at].type);
        ct_path_pop(l, mark);
        if (!out->items[at]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < type->count; i++) {
        if (!out->items[i]) {
            ct_load_error(l, CT_L_VALUE, fields, "field \"%.*s\" is missing",
                          MT_ARG(type->as.fields[i].name));
            return false;
        }
    }
    return true;
}

static bool load_elements(ct_loader *l, const ct_type *type, const mt_json *list,
                          parts *out)
{
    if (list->count > type->as.list.max) {
        ct_load_error(l, CT_L_VALUE, list, "%u elements, %.*s has at most %zu",
                      list->count, MT_ARG(ct_type_spell(l->keep, type)),
                      type->as.list.max);
        return false;
    }
    *out = room_for(l, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        size_t mark = ct_path_index(l, i);
        out->items[i] = load_part(l, &list->as.items[i], type->as.list.element);
        ct_path_pop(l, mark);
        if (!out->items[i]) {
            return false;
        }
    }
    return true;
}

static bool load_variant(ct_loader *l, const ct_type *type, const mt_json *json,
                         parts *out)
{
    mt_str tag = ct_text_at(json, "tag");
    *out = room_for(l, 1);
    out->tag = ct_field_find(type, tag);
    if (out->tag == CT_NONE) {
        ct_load_error(l, CT_L_VALUE, json, "\"%.*s\" is not a variant of %.*s",
                      MT_ARG(tag), MT_ARG(ct_type_spell(l->keep, type)));
        return false;
    }
    size_t mark = ct_path_key(l, MT_STR("payload"));
    out->items[0] =
        load_part(l, mt_json_at(json, "payload"), type->as.variants[out->tag].type);
    ct_path_pop(l, mark);
    return out->items[0] != NULL;
}

static bool are_literals(const parts *p)
{
    bool all = true;
    for (uint32_t i = 0; all && i < p->count; i++) {
        all = p->items[i]->op == CT_LITERAL;
    }
    return all;
}

static void put(ct_value *out, const ct_expr *part)
{
    if (part->type->slots) {
        memcpy(out, part->value, part->type->slots * sizeof *out);
    }
}

/* The value itself, laid out as value.h says. */
static const ct_expr *whole_literal(ct_loader *l, const ct_type *type, const parts *p)
{
    ct_value *v = mt_new_array(l->keep, ct_value, type->slots + 1);
    ct_value *at = v;
    uint32_t step = 0;
    if (ct_held(type) == LN_LIST) {
        step = type->as.list.element->slots;
        at = mt_new_array(l->keep, ct_value, (size_t)p->count * step + 1);
        v->list.items = at;
        v->list.count = p->count;
    } else if (ct_held(type) == LN_VARIANT) {
        at = mt_new_array(l->keep, ct_value, p->items[0]->type->slots + 1);
        v->variant.payload = at;
        v->variant.tag = p->tag;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        bool field = ct_held(type) == LN_RECORD;
        put(at + (field ? type->as.fields[i].offset : (size_t)i * step), p->items[i]);
    }
    return ct_new_literal(l, type, v);
}

static const ct_expr *whole(ct_loader *l, const ct_type *type, const parts *p)
{
    if (are_literals(p)) {
        return whole_literal(l, type, p);
    }
    ct_expr *e = ct_new_expr(l, CT_MAKE, type);
    e->left = ct_parts_join(l->keep, type, p->items, p->count);
    e->index = ct_held(type) == LN_VARIANT ? p->tag : p->count;
    return e;
}

/* The type of its place, which the node may repeat, or that of the node. */
static const ct_type *made_type(ct_loader *l, const mt_json *json, const ct_type *place)
{
    const mt_json *given = mt_json_at(json, "type");
    if (!given) {
        if (!place) {
            ct_load_error(l, CT_L_EXPR, json, "\"type\" is missing");
        }
        return place;
    }
    size_t mark = ct_path_key(l, MT_STR("type"));
    const ct_type *type = ct_load_type(l, given);
    ct_path_pop(l, mark);
    if (type && place && !ct_type_comparable(place, type)) {
        ct_load_error(l, CT_L_EXPR, given, "%.*s is needed here",
                      MT_ARG(ct_type_spell(l->keep, place)));
        return NULL;
    }
    return place && type ? place : type;
}

const ct_expr *ct_load_made(ct_loader *l, const mt_json *json, const ct_type *place)
{
    mt_str key = ct_told_by(json);
    const mt_json *v = mt_json_get(json, key);
    const ct_type *type = made_type(l, json, place);
    ln_held held;
    parts p = {0};
    if (!type) {
        return NULL;
    }
    if (!makes(key, &held) || ct_held(type) != held) {
        ct_load_error(l, CT_L_EXPR, json, "a %.*s is not a value of %.*s", MT_ARG(key),
                      MT_ARG(ct_type_spell(l->keep, type)));
        return NULL;
    }
    size_t mark = ct_path_key(l, key);
    bool ok = held == LN_RECORD ? load_fields(l, type, v, &p)
              : held == LN_LIST ? load_elements(l, type, v, &p)
                                : load_variant(l, type, v, &p);
    ct_path_pop(l, mark);
    return ok ? whole(l, type, &p) : NULL;
}

/* contract/wire/type_schema.c - the types of the language as JSON Schema.
 * Room: contract.
 * A schema says what a fact of the type must look like as JSON, as far as JSON Schema
 * can: bounds of numbers and lengths, the values of an Enum, the parts of a Record.
 * Keys are written in byte order. Nothing here can fail; the depth is the type's, which
 * the loader bounds. */
#include "contract/wire/type_schema.h"

void ct_schema_word(mt_jw *w, const char *key, const char *value)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_str(w, mt_str_z(value));
}

void ct_schema_constant(mt_jw *w, const char *key, mt_str value)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "const", value);
    mt_jw_end_object(w);
}

void ct_schema_required(mt_jw *w, const char *first, const char *second)
{
    mt_jw_keyz(w, "required");
    mt_jw_begin_array(w);
    mt_jw_str(w, mt_str_z(first));
    if (second) {
        mt_jw_str(w, mt_str_z(second));
    }
    mt_jw_end_array(w);
}

static void decimal_members(mt_jw *w)
{
    /* As text, because numbers of JSON lose digits in most readers; how many digits
     * there may be is checked when facts are read. */
    ct_schema_word(w, "pattern", "^-?[0-9]+(\\.[0-9]+)?$");
    ct_schema_word(w, "type", "string");
}

static void money_members(mt_jw *w, const ct_type *t)
{
    mt_jw_keyz(w, "properties");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "amount");
    mt_jw_begin_object(w);
    decimal_members(w);
    mt_jw_end_object(w);
    ct_schema_constant(w, "currency", t->as.currency);
    mt_jw_end_object(w);
    ct_schema_required(w, "amount", "currency");
    ct_schema_word(w, "type", "object");
}

static void range_members(mt_jw *w, const ct_type *t)
{
    mt_jw_key_i64(w, "maximum", t->as.range.max);
    mt_jw_key_i64(w, "minimum", t->as.range.min);
    ct_schema_word(w, "type", "integer");
}

static void duration_members(mt_jw *w, const ct_type *t)
{
    mt_jw_keyz(w, "properties");
    mt_jw_begin_object(w);
    ct_schema_constant(w, "unit", mt_str_z(CT_UNIT_NAMES[t->unit]));
    mt_jw_keyz(w, "value");
    mt_jw_begin_object(w);
    range_members(w, t);
    mt_jw_end_object(w);
    mt_jw_end_object(w);
    /* The unit may be left out: then it is the type's. */
    ct_schema_required(w, "value", NULL);
    ct_schema_word(w, "type", "object");
}

static void whole_members(mt_jw *w, const ct_type *t)
{
    if (ct_has(t, LN_UNIT)) {
        duration_members(w, t);
    } else if (ct_has(t, LN_RANGED)) {
        range_members(w, t);
    } else {
        ct_schema_word(w, "format", "date");
        ct_schema_word(w, "type", "string");
    }
}

static void record_members(mt_jw *w, const ct_type *t)
{
    mt_jw_keyz(w, "properties");
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < t->count; i++) {
        mt_jw_key(w, t->as.fields[i].name);
        ct_type_schema(w, t->as.fields[i].type);
    }
    mt_jw_end_object(w);
    mt_jw_keyz(w, "required");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < t->count; i++) {
        mt_jw_str(w, t->as.fields[i].name);
    }
    mt_jw_end_array(w);
    ct_schema_word(w, "type", "object");
}

static void union_members(mt_jw *w, const ct_type *t)
{
    mt_jw_keyz(w, "oneOf");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < t->count; i++) {
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "properties");
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "payload");
        ct_type_schema(w, t->as.variants[i].type);
        ct_schema_constant(w, "tag", t->as.variants[i].name);
        mt_jw_end_object(w);
        ct_schema_required(w, "payload", "tag");
        ct_schema_word(w, "type", "object");
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

/* Bounded by the depth of the type, which the loader bounds. */
void ct_type_schema(mt_jw *w, const ct_type *t)
{
    mt_jw_begin_object(w);
    switch (ct_held(t)) {
    case LN_BOOLEAN: ct_schema_word(w, "type", "boolean"); break;
    case LN_INTEGER: whole_members(w, t); break;
    case LN_DECIMAL:
        if (ct_has(t, LN_CURRENCY)) {
            money_members(w, t);
        } else {
            decimal_members(w);
        }
        break;
    case LN_TEXT:
        mt_jw_key_i64(w, "maxLength", (int64_t)t->as.max_length);
        ct_schema_word(w, "type", "string");
        break;
    case LN_CHOICE:
        mt_jw_keyz(w, "enum");
        mt_jw_begin_array(w);
        for (uint32_t i = 0; i < t->count; i++) {
            mt_jw_str(w, t->as.values[i]);
        }
        mt_jw_end_array(w);
        ct_schema_word(w, "type", "string");
        break;
    case LN_TIME:
        ct_schema_word(w, "format", "date-time");
        ct_schema_word(w, "type", "string");
        break;
    case LN_RECORD: record_members(w, t); break;
    case LN_VARIANT: union_members(w, t); break;
    case LN_LIST:
        mt_jw_keyz(w, "items");
        ct_type_schema(w, t->as.list.element);
        mt_jw_key_i64(w, "maxItems", (int64_t)t->as.list.max);
        ct_schema_word(w, "type", "array");
        break;
    }
    mt_jw_end_object(w);
}

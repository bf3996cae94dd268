/* contract/wire/value_json.c - values as the JSON of a result, keys sorted.
 *
 * Most values begin with their kind; those whose other keys sort before it end with it,
 * as money does: {"amount":…,"currency":…,"kind":"money_value"}. The texts around the
 * kind are made once per base from nodes.def.
 *
 * Recursion follows the type. Nothing can fail but the buffer, which notes it. */
#include "base/json_write.h"
#include "contract/wire/value.h"

/* {"kind":"int_value", as most values begin. */
static const mt_str KIND_FIRST[LN_BASE_COUNT] = {
#define X_BASE(ID, text, HELD, TRAITS, result)                                         \
    [LN_BASE_##ID] = MT_STR_INIT("{\"kind\":\"" result "\","),
#include "lang/nodes.def"
};
/* ,"kind":"money_value"}, as those end whose parts come before it in byte order. */
static const mt_str KIND_LAST[LN_BASE_COUNT] = {
#define X_BASE(ID, text, HELD, TRAITS, result)                                         \
    [LN_BASE_##ID] = MT_STR_INIT(",\"kind\":\"" result "\"}"),
#include "lang/nodes.def"
};

static void decimal_text(mt_buf *out, mt_decimal d)
{
    char text[MT_DECIMAL_TEXT];
    mt_buf_add(out, text, mt_decimal_print(d, text));
}

/* Fields are held in byte order of their names, so writing them in a row gives sorted
 * keys. */
static void record_fields(mt_buf *out, const ct_type *type, const ct_value *value)
{
    mt_buf_adds(out, MT_STR("{\"fields\":{"));
    for (uint32_t i = 0; i < type->count; i++) {
        const ct_field *f = &type->as.fields[i];
        if (i) {
            mt_buf_addc(out, ',');
        }
        mt_json_quote(out, f->name);
        mt_buf_addc(out, ':');
        ct_value_json(out, f->type, value + f->offset);
    }
    mt_buf_addc(out, '}');
    mt_buf_adds(out, KIND_LAST[type->base]);
}

static void list_elements(mt_buf *out, const ct_type *type, const ct_value *value)
{
    const ct_type *element = type->as.list.element;
    mt_buf_adds(out, MT_STR("{\"elements\":["));
    for (uint32_t i = 0; i < value->list.count; i++) {
        if (i) {
            mt_buf_addc(out, ',');
        }
        ct_value_json(out, element, value->list.items + (size_t)i * element->slots);
    }
    mt_buf_addc(out, ']');
    mt_buf_adds(out, KIND_LAST[type->base]);
}

static void money(mt_buf *out, const ct_type *type, const ct_value *value)
{
    mt_buf_adds(out, MT_STR("{\"amount\":\""));
    decimal_text(out, value->decimal);
    mt_buf_adds(out, MT_STR("\",\"currency\":"));
    mt_json_quote(out, type->as.currency);
    mt_buf_adds(out, KIND_LAST[type->base]);
}

static void variant(mt_buf *out, const ct_type *type, const ct_value *value)
{
    const ct_field *v = &type->as.variants[value->variant.tag];
    mt_buf_adds(out, MT_STR("\"payload\":"));
    ct_value_json(out, v->type, value->variant.payload);
    mt_buf_adds(out, MT_STR(",\"tag\":"));
    mt_json_quote(out, v->name);
}

static void date(mt_buf *out, int64_t days)
{
    char text[CT_DATE_TEXT];
    mt_buf_addc(out, '"');
    mt_buf_add(out, text, ct_date_print(days, text));
    mt_buf_addc(out, '"');
}

static void date_time(mt_buf *out, ct_time t)
{
    char text[CT_TIME_TEXT];
    mt_buf_addc(out, '"');
    mt_buf_add(out, text, ct_time_print(t, text));
    mt_buf_addc(out, '"');
}

/* `unit` sorts before `value` and behind `kind`, which is already there. */
static void whole(mt_buf *out, const ct_type *type, int64_t n)
{
    if (ct_has(type, LN_UNIT)) {
        mt_buf_adds(out, MT_STR("\"unit\":\""));
        mt_buf_addz(out, CT_UNIT_NAMES[type->unit]);
        mt_buf_adds(out, MT_STR("\","));
    }
    mt_buf_adds(out, MT_STR("\"value\":"));
    if (ct_is_day(type)) {
        date(out, n);
    } else {
        mt_buf_add_i64(out, n);
    }
}

/* Behind KIND_FIRST. */
static void plain_value(mt_buf *out, const ct_type *type, const ct_value *value)
{
    static const mt_str VALUE = MT_STR_INIT("\"value\":");
    switch (ct_held(type)) {
    case LN_BOOLEAN:
        mt_buf_adds(out, VALUE);
        mt_buf_adds(out, value->boolean ? MT_STR("true") : MT_STR("false"));
        break;
    case LN_INTEGER: whole(out, type, value->integer); break;
    case LN_DECIMAL:
        mt_buf_adds(out, MT_STR("\"value\":\""));
        decimal_text(out, value->decimal);
        mt_buf_addc(out, '"');
        break;
    case LN_TEXT:
        mt_buf_adds(out, VALUE);
        mt_json_quote(out, value->text);
        break;
    case LN_CHOICE:
        mt_buf_adds(out, VALUE);
        mt_json_quote(out, type->as.values[value->choice]);
        break;
    case LN_TIME:
        mt_buf_adds(out, VALUE);
        date_time(out, value->time);
        break;
    case LN_VARIANT: variant(out, type, value); break;
    case LN_RECORD:
    case LN_LIST: MT_BUG("their kind comes last");
    }
}

/* Written piece by piece instead of through a tree, because results are made per
 * evaluation and there is one order of keys. `amount`, `elements` and `fields` sort
 * before `kind`; everything else sorts behind it. */
void ct_value_json(mt_buf *out, const ct_type *type, const ct_value *value)
{
    if (ct_held(type) == LN_RECORD) {
        record_fields(out, type, value);
    } else if (ct_held(type) == LN_LIST) {
        list_elements(out, type, value);
    } else if (ct_has(type, LN_CURRENCY)) {
        money(out, type, value);
    } else {
        mt_buf_adds(out, KIND_FIRST[type->base]);
        plain_value(out, type, value);
        mt_buf_addc(out, '}');
    }
}

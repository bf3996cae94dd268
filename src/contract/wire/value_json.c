/* contract/wire/value_json.c - values as the JSON of a result, keys sorted.
 * {"kind":"money_value"} comes last of its keys, as byte order wants it. */
#include "base/json_write.h"
#include "contract/wire/value.h"

/* ORDER ct_base: everything up to the value of one-key kinds. */
static const mt_str OPENING[CT_BASE_COUNT] = {
    [CT_BOOL] = MT_STR_INIT("{\"kind\":\"bool_value\",\"value\":"),
    [CT_INT] = MT_STR_INIT("{\"kind\":\"int_value\",\"value\":"),
    [CT_DECIMAL] = MT_STR_INIT("{\"kind\":\"decimal_value\",\"value\":\""),
    [CT_TEXT] = MT_STR_INIT("{\"kind\":\"text_value\",\"value\":"),
    [CT_ENUM] = MT_STR_INIT("{\"kind\":\"enum_value\",\"value\":"),
    [CT_DATE] = MT_STR_INIT("{\"kind\":\"date_value\",\"value\":\""),
    [CT_DATETIME] = MT_STR_INIT("{\"kind\":\"datetime_value\",\"value\":\""),
    [CT_MONEY] = MT_STR_INIT("{\"amount\":\""),
    [CT_DURATION] = MT_STR_INIT("{\"kind\":\"duration_value\",\"unit\":\""),
    [CT_RECORD] = MT_STR_INIT("{\"fields\":{"),
    [CT_UNION] = MT_STR_INIT("{\"kind\":\"tagged_union_value\",\"payload\":"),
    [CT_LIST] = MT_STR_INIT("{\"elements\":["),
};

static void decimal_text(mt_buf *out, mt_decimal d)
{
    char text[MT_DECIMAL_TEXT];
    mt_buf_add(out, text, mt_decimal_print(d, text));
}

static void record_fields(mt_buf *out, const ct_type *type, const ct_value *value)
{
    for (uint32_t i = 0; i < type->count; i++) {
        const ct_field *f = &type->as.fields[i];
        if (i) {
            mt_buf_addc(out, ',');
        }
        mt_json_quote(out, f->name);
        mt_buf_addc(out, ':');
        ct_value_json(out, f->type, value + f->offset);
    }
    mt_buf_adds(out, MT_STR("},\"kind\":\"record_value\""));
}

static void list_elements(mt_buf *out, const ct_type *type, const ct_value *value)
{
    const ct_type *element = type->as.list.element;
    for (uint32_t i = 0; i < value->list.count; i++) {
        if (i) {
            mt_buf_addc(out, ',');
        }
        ct_value_json(out, element, value->list.items + (size_t)i * element->slots);
    }
    mt_buf_adds(out, MT_STR("],\"kind\":\"list_value\""));
}

static void variant(mt_buf *out, const ct_type *type, const ct_value *value)
{
    const ct_field *v = &type->as.variants[value->variant.tag];
    ct_value_json(out, v->type, value->variant.payload);
    mt_buf_adds(out, MT_STR(",\"tag\":"));
    mt_json_quote(out, v->name);
}

static void date(mt_buf *out, int64_t days)
{
    char text[CT_DATE_TEXT];
    mt_buf_add(out, text, ct_date_print(days, text));
    mt_buf_addc(out, '"');
}

static void date_time(mt_buf *out, ct_time t)
{
    char text[CT_TIME_TEXT];
    mt_buf_add(out, text, ct_time_print(t, text));
    mt_buf_addc(out, '"');
}

void ct_value_json(mt_buf *out, const ct_type *type, const ct_value *value)
{
    mt_buf_adds(out, OPENING[type->base]);
    switch ((ct_base)type->base) {
    case CT_BOOL:
        mt_buf_adds(out, value->boolean ? MT_STR("true") : MT_STR("false"));
        break;
    case CT_INT: mt_buf_add_i64(out, value->integer); break;
    case CT_DECIMAL:
        decimal_text(out, value->decimal);
        mt_buf_addc(out, '"');
        break;
    case CT_TEXT: mt_json_quote(out, value->text); break;
    case CT_ENUM: mt_json_quote(out, type->as.values[value->choice]); break;
    case CT_DATE: date(out, value->integer); break;
    case CT_DATETIME: date_time(out, value->time); break;
    case CT_MONEY:
        decimal_text(out, value->decimal);
        mt_buf_adds(out, MT_STR("\",\"currency\":"));
        mt_json_quote(out, type->as.currency);
        mt_buf_adds(out, MT_STR(",\"kind\":\"money_value\""));
        break;
    case CT_DURATION:
        mt_buf_addz(out, CT_UNIT_NAMES[type->unit]);
        mt_buf_adds(out, MT_STR("\",\"value\":"));
        mt_buf_add_i64(out, value->integer);
        break;
    case CT_RECORD: record_fields(out, type, value); break;
    case CT_UNION: variant(out, type, value); break;
    case CT_LIST: list_elements(out, type, value); break;
    }
    mt_buf_addc(out, '}');
}

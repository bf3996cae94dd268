/* contract/wire/value_plain.c - values as fact JSON: what is written can be read again
 * as the same fact (contract/eval/facts.h). Keys are in byte order. */
#include "base/json_write.h"
#include "contract/wire/value.h"

/* As text in quotes: a JSON number would be read as a double elsewhere. */
static void decimal_text(mt_buf *out, mt_decimal d)
{
    char text[MT_DECIMAL_TEXT + 2];
    size_t n = mt_decimal_print(d, text + 1);
    text[0] = text[n + 1] = '"';
    mt_buf_add(out, text, n + 2);
}

/* The printers write no quotes and no escapes are needed, so both quotes go around in
 * place. */
static void time_text(mt_buf *out, const ct_type *type, const ct_value *value)
{
    char text[CT_TIME_TEXT + 2];
    size_t n = ct_is_day(type) ? ct_date_print(value->integer, text + 1)
                               : ct_time_print(value->time, text + 1);
    text[0] = text[n + 1] = '"';
    mt_buf_add(out, text, n + 2);
}

/* A duration names its unit, so that it still means the same where the type has changed
 * to another one. */
static void whole(mt_buf *out, const ct_type *type, const ct_value *value)
{
    if (ct_is_day(type)) {
        time_text(out, type, value);
        return;
    }
    if (ct_has(type, LN_UNIT)) {
        mt_buf_addf(out, "{\"unit\":\"%s\",\"value\":", CT_UNIT_NAMES[type->unit]);
    }
    mt_buf_add_i64(out, value->integer);
    if (ct_has(type, LN_UNIT)) {
        mt_buf_addc(out, '}');
    }
}

static void decimal(mt_buf *out, const ct_type *type, const ct_value *value)
{
    if (!ct_has(type, LN_CURRENCY)) {
        decimal_text(out, value->decimal);
        return;
    }
    mt_buf_adds(out, MT_STR("{\"amount\":"));
    decimal_text(out, value->decimal);
    mt_buf_adds(out, MT_STR(",\"currency\":"));
    mt_json_quote(out, type->as.currency);
    mt_buf_addc(out, '}');
}

static void record(mt_buf *out, const ct_type *type, const ct_value *value)
{
    char before = '{';
    for (uint32_t i = 0; i < type->count; i++) {
        const ct_field *f = &type->as.fields[i];
        mt_buf_addc(out, before);
        mt_json_quote(out, f->name);
        mt_buf_addc(out, ':');
        ct_value_plain(out, f->type, value + f->offset);
        before = ',';
    }
    mt_buf_adds(out, type->count ? MT_STR("}") : MT_STR("{}"));
}

static void list(mt_buf *out, const ct_type *type, const ct_value *value)
{
    const ct_type *element = type->as.list.element;
    mt_buf_addc(out, '[');
    for (uint32_t i = 0; i < value->list.count; i++) {
        if (i) {
            mt_buf_addc(out, ',');
        }
        ct_value_plain(out, element, value->list.items + (size_t)i * element->slots);
    }
    mt_buf_addc(out, ']');
}

static void variant(mt_buf *out, const ct_type *type, const ct_value *value)
{
    const ct_field *v = &type->as.variants[value->variant.tag];
    mt_buf_adds(out, MT_STR("{\"payload\":"));
    ct_value_plain(out, v->type, value->variant.payload);
    mt_buf_adds(out, MT_STR(",\"tag\":"));
    mt_json_quote(out, v->name);
    mt_buf_addc(out, '}');
}

void ct_value_plain(mt_buf *out, const ct_type *type, const ct_value *value)
{
    switch (ct_held(type)) {
    case LN_BOOLEAN:
        mt_buf_adds(out, value->boolean ? MT_STR("true") : MT_STR("false"));
        break;
    case LN_INTEGER: whole(out, type, value); break;
    case LN_DECIMAL: decimal(out, type, value); break;
    case LN_TEXT: mt_json_quote(out, value->text); break;
    case LN_CHOICE: mt_json_quote(out, type->as.values[value->choice]); break;
    case LN_TIME: time_text(out, type, value); break;
    case LN_RECORD: record(out, type, value); break;
    case LN_VARIANT: variant(out, type, value); break;
    case LN_LIST: list(out, type, value); break;
    }
}

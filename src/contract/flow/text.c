/* contract/flow/text.c - printing values and expressions for people.
 *
 * Not meant to be parsed again: long lists are cut, and money is written with its
 * currency behind it. What is to be read back is written by reduce/source.c; for JSON
 * see wire/value_json.c.
 *
 * Nothing can fail. Depth is bounded by the loader's limit on nesting. */
#include "contract/flow/text.h"

#include "base/json_write.h"
#include "contract/reduce/source.h"

static void decimal(mt_buf *out, mt_decimal d)
{
    char text[MT_DECIMAL_TEXT];
    mt_buf_add(out, text, mt_decimal_print(d, text));
}

static void record(mt_buf *out, const ct_type *type, const ct_value *value)
{
    mt_buf_addc(out, '{');
    for (uint32_t i = 0; i < type->count; i++) {
        const ct_field *f = &type->as.fields[i];
        mt_buf_addf(out, "%s%.*s: ", i ? ", " : "", MT_ARG(f->name));
        ct_value_text(out, f->type, value + f->offset);
    }
    mt_buf_addc(out, '}');
}

static void whole(mt_buf *out, const ct_type *type, int64_t n)
{
    char date[CT_DATE_TEXT];
    if (ct_is_day(type)) {
        mt_buf_add(out, date, ct_date_print(n, date));
        return;
    }
    mt_buf_add_i64(out, n);
    if (ct_has(type, LN_UNIT)) {
        mt_buf_addf(out, " %s", CT_UNIT_NAMES[type->unit]);
    }
}

/* Long lists are cut: the text is for reading. */
static void list(mt_buf *out, const ct_type *type, const ct_value *value)
{
    enum { SHOWN = 8 };
    const ct_type *element = type->as.list.element;
    mt_buf_addc(out, '[');
    for (uint32_t i = 0; i < value->list.count && i < SHOWN; i++) {
        mt_buf_addz(out, i ? ", " : "");
        ct_value_text(out, element, value->list.items + (size_t)i * element->slots);
    }
    if (value->list.count > SHOWN) {
        mt_buf_addf(out, ", … %u in all", value->list.count);
    }
    mt_buf_addc(out, ']');
}

void ct_value_text(mt_buf *out, const ct_type *type, const ct_value *value)
{
    char time[CT_TIME_TEXT];
    switch (ct_held(type)) {
    case LN_BOOLEAN: mt_buf_addz(out, value->boolean ? "true" : "false"); break;
    case LN_INTEGER: whole(out, type, value->integer); break;
    case LN_DECIMAL:
        decimal(out, value->decimal);
        if (ct_has(type, LN_CURRENCY)) {
            mt_buf_addf(out, " %.*s", MT_ARG(type->as.currency));
        }
        break;
    case LN_TEXT: mt_json_quote(out, value->text); break;
    case LN_CHOICE: mt_json_quote(out, type->as.values[value->choice]); break;
    case LN_TIME: mt_buf_add(out, time, ct_time_print(value->time, time)); break;
    case LN_RECORD: record(out, type, value); break;
    case LN_VARIANT:
        mt_buf_addf(out, "%.*s(", MT_ARG(type->as.variants[value->variant.tag].name));
        ct_value_text(out, type->as.variants[value->variant.tag].type,
                      value->variant.payload);
        mt_buf_addc(out, ')');
        break;
    case LN_LIST: list(out, type, value); break;
    }
}

void ct_expr_text(mt_buf *out, const ct_model *m, const ct_expr *e)
{
    ct_expr_write(out, m, e, ct_value_text);
}

/* adapter/shape.c - how the outside writes a value, and how facts are written.
 * Room: adapter.
 * Only notation is changed, guided by the declared type: a column is text, an amount
 * comes without its currency. Whether the value fits is for ct_facts_read() to say. */
#include "adapter/impl.h"

static mt_str copied(mt_arena *a, mt_buf *b)
{
    mt_str text = mt_str_dup(a, mt_buf_str(b));
    mt_buf_free(b);
    return text;
}

static mt_str quoted(mt_arena *a, mt_str before, mt_str text, mt_str after)
{
    mt_buf b = {0};
    mt_buf_adds(&b, before);
    mt_json_quote(&b, text);
    mt_buf_adds(&b, after);
    return copied(a, &b);
}

static mt_str canonical(mt_arena *a, const mt_json *value)
{
    mt_buf b = {0};
    mt_json_write(&b, value, false);
    return copied(a, &b);
}

static bool is_whole_number(mt_str text)
{
    size_t at = text.len && text.ptr[0] == '-';
    bool plain = text.len > at && (text.ptr[at] != '0' || text.len == at + 1);
    for (; plain && at < text.len; at++) {
        plain = text.ptr[at] >= '0' && text.ptr[at] <= '9';
    }
    return plain;
}

/* What databases and environments write for a truth value. Anything else is passed on
 * as text, and the type check of the evaluator refuses it with its own words. */
static mt_str shape_bool(mt_arena *a, mt_str text)
{
    static const char *const TRUE_TEXTS[] = {"true", "t", "1", "TRUE", "True"};
    static const char *const FALSE_TEXTS[] = {"false", "f", "0", "FALSE", "False"};
    for (size_t i = 0; i < sizeof TRUE_TEXTS / sizeof *TRUE_TEXTS; i++) {
        if (mt_str_eq(text, mt_str_z(TRUE_TEXTS[i]))) {
            return MT_STR("true");
        }
        if (mt_str_eq(text, mt_str_z(FALSE_TEXTS[i]))) {
            return MT_STR("false");
        }
    }
    return quoted(a, MT_STR(""), text, MT_STR(""));
}

/* Databases write `2026-01-31 23:59:00+00`; RFC 3339 wants a T and whole offsets. What
 * has no offset stays without one: nobody can say which moment it is. */
static mt_str shape_time(mt_arena *a, mt_str text)
{
    mt_buf b = {0};
    bool spaced = text.len > 19 && text.ptr[10] == ' ';
    mt_buf_add(&b, text.ptr, text.len);
    if (spaced) {
        b.ptr[10] = 'T';
        char sign = text.ptr[text.len - 3];
        if (sign == '+' || sign == '-') {
            mt_buf_addz(&b, ":00");
        }
    }
    mt_str json = quoted(a, MT_STR(""), mt_buf_str(&b), MT_STR(""));
    mt_buf_free(&b);
    return json;
}

static mt_str shape_compound(mt_arena *a, mt_str text)
{
    mt_json tree;
    bool ok = mt_json_read(a, text, NULL, &tree, NULL) == MT_OK;
    return ok ? canonical(a, &tree) : (mt_str){0};
}

/* Money of its declared currency: a column has the amount only, and what the source
 * counts in is what the contract says of it. */
static mt_str amount_of(mt_arena *a, const ct_type *type, mt_str amount)
{
    mt_str before = mt_strf(a, "{\"amount\":%.*s,\"currency\":", MT_ARG(amount));
    return quoted(a, before, type->as.currency, MT_STR("}"));
}

/* Sources give text where interchange has types. Nothing is refused here: what fits no
 * form is quoted, and the evaluator says what is wrong with it (§5.2). */
mt_str ad_shape_text(mt_arena *a, const ct_type *type, mt_str text)
{
    switch (ct_held(type)) {
    case LN_BOOLEAN: return shape_bool(a, text);
    case LN_INTEGER:
        if (ct_has(type, LN_UNIT)) {
            return is_whole_number(text) ? mt_strf(a, "{\"value\":%.*s}", MT_ARG(text))
                                         : shape_compound(a, text);
        }
        return ct_is_int(type) && is_whole_number(text)
                   ? mt_str_dup(a, text)
                   : quoted(a, MT_STR(""), text, MT_STR(""));
    case LN_DECIMAL:
        return ct_has(type, LN_CURRENCY)
                   ? amount_of(a, type, quoted(a, MT_STR(""), text, MT_STR("")))
                   : quoted(a, MT_STR(""), text, MT_STR(""));
    case LN_TIME: return shape_time(a, text);
    case LN_TEXT:
    case LN_CHOICE: return quoted(a, MT_STR(""), text, MT_STR(""));
    case LN_RECORD:
    case LN_VARIANT:
    case LN_LIST: return shape_compound(a, text);
    }
    MT_BUG("a type without a base");
}

/* A bare number for a Money or Duration is completed; currency and unit come from the
 * declared type. */
mt_str ad_shape_json(mt_arena *a, const ct_type *type, const mt_json *value)
{
    bool scalar =
        mt_json_is(value, MT_JSON_NUMBER) || mt_json_is(value, MT_JSON_STRING);
    mt_str text = canonical(a, value);
    if (ct_has(type, LN_CURRENCY) && scalar) {
        return amount_of(a, type, text);
    }
    if (ct_has(type, LN_UNIT) && mt_json_is(value, MT_JSON_NUMBER)) {
        return mt_strf(a, "{\"value\":%.*s}", MT_ARG(text));
    }
    return text;
}

/* Rounded towards the past, also before 1970. */
static int64_t whole(int64_t value, int64_t unit)
{
    return value / unit - (value % unit < 0);
}

mt_str ad_time_text(mt_arena *a, int64_t ms)
{
    char text[CT_TIME_TEXT];
    int64_t seconds = whole(ms, 1000);
    ct_time t = {seconds, (uint32_t)(ms - seconds * 1000) * 1000000u};
    return mt_str_dup(a, mt_str_from(text, ct_time_print(t, text)));
}

mt_str ad_date_text(mt_arena *a, int64_t ms)
{
    char text[CT_DATE_TEXT];
    return mt_str_dup(
        a, mt_str_from(text, ct_date_print(whole(ms, 86400 * (int64_t)1000), text)));
}

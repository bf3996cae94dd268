/* adapter/convert.c - how a source's value becomes a fact's, where notation is not all
 * that differs: other words for an enum, minor units, seconds since 1970, other units.
 *
 * `convert` of a fact says it, one key for each step: money, values, epoch, unit,
 * shift, number, done in that order. Every step is exact: what would have to be
 * rounded, or is not listed, is `malformed`, never a guess. */
#include "adapter/impl.h"

enum { MOST_SHIFT = 28 };

static const char *const EPOCHS[] = {"seconds", "milliseconds", NULL};
enum { NOTHING = -1, EPOCH_SECONDS, EPOCH_MILLISECONDS };

static const char *const UNITS[] = {"milliseconds", "seconds", "minutes", "hours",
                                    "days",         "iso8601", NULL};
enum { UNIT_ISO = 5 };
static const int64_t UNIT_MS[] = {1, 1000, 60000, 3600000, 86400000, 1};

struct ad_conversion {
    const mt_json *values, *money;
    int64_t shift;
    int epoch, unit;
    bool number;
    mt_str amount, currency;
};

static const mt_form_row MONEY[] = {
    MT_FORM_NAME(ad_conversion, amount, "amount", INT64_MAX, MT_FORM_REQUIRED),
    MT_FORM_NAME(ad_conversion, currency, "currency", INT64_MAX, MT_FORM_REQUIRED),
};
static const mt_form_table MONEY_TABLE =
    MT_FORM_TABLE("convert.money", MONEY, ad_conversion, NULL);

static const mt_form_row CONVERT[] = {
    MT_FORM_OBJECT(ad_conversion, values, "values", 0),
    MT_FORM_CHOICE(ad_conversion, epoch, "epoch", EPOCHS, 0),
    MT_FORM_CHOICE(ad_conversion, unit, "unit", UNITS, 0),
    MT_FORM_INT(ad_conversion, shift, "shift", -MOST_SHIFT, MOST_SHIFT, 0),
    MT_FORM_FLAG(ad_conversion, number, "number", 0),
    MT_FORM_PART("money", &MONEY_TABLE, 0),
};

static bool are_scalars(const mt_json *values)
{
    bool good = true;
    for (uint32_t i = 0; values && good && i < values->count; i++) {
        const mt_json *v = &values->as.members[i].value;
        good = !mt_json_is(v, MT_JSON_OBJECT) && !mt_json_is(v, MT_JSON_ARRAY) &&
               !mt_json_is(v, MT_JSON_NULL);
    }
    return good;
}

/* A step that the fact's type has no use for is a slip, and said. */
static bool suits(const ad_conversion *c, const ct_type *type)
{
    bool number = ct_held(type) == LN_DECIMAL || ct_is_int(type);
    return (c->epoch == NOTHING || ct_held(type) == LN_TIME || ct_is_day(type)) &&
           (c->unit == NOTHING || ct_has(type, LN_UNIT)) && (!c->shift || number) &&
           (!c->number || number || ct_has(type, LN_UNIT)) &&
           (!c->amount.len || ct_has(type, LN_CURRENCY));
}

bool ad_convert_read(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    const ad_subject *s = f->state;
    ad_conversion *c = mt_new(f->arena, ad_conversion);
    *c = (ad_conversion){.epoch = NOTHING, .unit = NOTHING};
    mt_form inside = mt_form_inside(f, row->key, "convert");
    if (!mt_form_read(&inside, v, CONVERT, mt_form_count(CONVERT), c)) {
        return false;
    }
    if (!are_scalars(c->values) || !suits(c, s->fact->fact->type)) {
        return mt_form_say(f, MT_FORM_WRONG_KIND, v, row->key,
                           "does not lead to the fact's type");
    }
    *(const ad_conversion **)to = c;
    return true;
}

/* ---- The steps ---- */

typedef struct converting {
    mt_arena *arena;
    const ct_type *type;
    mt_buf why;
} converting;

static bool refuse(converting *c, const char *what, const mt_json *value)
{
    mt_buf_addz(&c->why, what);
    mt_str text = mt_json_text(value);
    text.len = text.len < 60 ? text.len : 60;
    mt_buf_addz(&c->why, ": '");
    mt_json_show(&c->why, text);
    mt_buf_addc(&c->why, '\'');
    return false;
}

static mt_json node_of(mt_json_type type, mt_str text)
{
    return (mt_json){
        .type = (uint8_t)type, .count = (uint32_t)text.len, .as.text = text.ptr};
}

/* The key that a value has in `values`. */
static mt_str key_of(const mt_json *v)
{
    return mt_json_is(v, MT_JSON_BOOL) ? (v->boolean ? MT_STR("true") : MT_STR("false"))
                                       : mt_json_text(v);
}

static bool by_values(converting *c, const mt_json *values, mt_json *v)
{
    const mt_json *found = mt_json_is(v, MT_JSON_OBJECT) || mt_json_is(v, MT_JSON_ARRAY)
                               ? NULL
                               : mt_json_get(values, key_of(v));
    if (!found) {
        return refuse(c, "convert.values has no row for the value", v);
    }
    *v = *found;
    return true;
}

/* Sign, digits and where the point is. No exponent: nobody writes money so. */
typedef struct digits {
    bool negative;
    char text[64];
    int count, point;
} digits;

static bool read_digits(mt_str s, digits *d)
{
    *d = (digits){.negative = s.len && s.ptr[0] == '-', .point = -1};
    for (size_t i = d->negative; i < s.len; i++) {
        if (s.ptr[i] == '.' && d->point < 0) {
            d->point = d->count;
        } else if (s.ptr[i] >= '0' && s.ptr[i] <= '9' && d->count < 60) {
            d->text[d->count++] = s.ptr[i];
        } else {
            return false;
        }
    }
    d->point = d->point < 0 ? d->count : d->point;
    return d->count > 0;
}

/* The point moved by `shift`, without leading zeros; zeros at the end stay, so that
 * 1250 shifted by -2 is 12.50. */
static mt_str shifted(mt_arena *a, const digits *d, int shift)
{
    mt_buf b = {0};
    int point = d->point + shift, from = 0;
    while (from < point - 1 && from < d->count && d->text[from] == '0') {
        from++;
    }
    mt_buf_addz(&b, d->negative ? "-" : "");
    if (point <= 0) {
        mt_buf_addz(&b, "0.");
        for (int i = point; i < 0; i++) {
            mt_buf_addc(&b, '0');
        }
    }
    for (int i = from; i < d->count || i < point; i++) {
        if (i == point && i > 0) {
            mt_buf_addc(&b, '.');
        }
        mt_buf_addc(&b, i < d->count ? d->text[i] : '0');
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

static mt_str without_fraction(mt_str text)
{
    size_t dot = mt_str_find(text, '.');
    for (size_t i = dot + 1; i < text.len; i++) {
        if (text.ptr[i] != '0') {
            return (mt_str){0};
        }
    }
    return mt_str_from(text.ptr, dot);
}

static bool by_shift(converting *c, int64_t shift, mt_json *v)
{
    digits d;
    if (!read_digits(mt_json_text(v), &d)) {
        return refuse(c, "convert.shift needs a plain number", v);
    }
    mt_str text = shifted(c->arena, &d, (int)shift);
    if (ct_is_int(c->type)) {
        text = without_fraction(text);
    }
    if (!text.ptr) {
        return refuse(c, "shifted it is not a whole number", v);
    }
    *v = node_of(ct_is_int(c->type) ? MT_JSON_NUMBER : MT_JSON_STRING, text);
    return true;
}

static bool whole_of(mt_str text, int64_t *out)
{
    mt_json node = node_of(MT_JSON_NUMBER, text);
    digits d;
    return read_digits(text, &d) && d.point == d.count && d.count < 19 &&
           mt_str_find(text, '.') == text.len && mt_json_i64(&node, out) == MT_OK;
}

/* Since 1970; nine digits of a fraction are kept. */
static bool by_epoch(converting *c, int epoch, mt_json *v)
{
    mt_str text = mt_json_text(v);
    size_t dot = mt_str_find(text, '.');
    mt_str fraction = mt_str_skip(text, dot + 1);
    int64_t whole = 0, part = 0;
    bool good = whole_of(mt_str_from(text.ptr, dot), &whole) && fraction.len <= 9 &&
                (!fraction.len || (epoch == EPOCH_SECONDS && fraction.ptr[0] != '-' &&
                                   whole_of(fraction, &part)));
    for (size_t i = fraction.len; i < 9; i++) {
        part *= 10;
    }
    mt_moment t = {whole, (uint32_t)part};
    if (good && epoch == EPOCH_MILLISECONDS) {
        t.seconds = whole / 1000 - (whole % 1000 < 0);
        t.nanos = (uint32_t)(whole - t.seconds * 1000) * 1000000u;
    }
    char shown[MT_MOMENT_TEXT];
    if (!good || (part && text.ptr[0] == '-') || !mt_moment_valid(t)) {
        return refuse(c, "it is not a moment counted from 1970", v);
    }
    mt_str moment = mt_str_from(shown, mt_moment_print(t, shown));
    moment.len = ct_is_day(c->type) ? MT_DATE_TEXT : moment.len;
    *v = node_of(MT_JSON_STRING, mt_str_dup(c->arena, moment));
    return true;
}

/* "P2DT3H4M5S", whole numbers only; months and years have no fixed length. Parts come
 * in this order, each once, and something stands behind a T. */
static bool iso_ms(mt_str s, int64_t *out)
{
    static const struct {
        char letter;
        bool time;
        int64_t ms;
    } PARTS[] = {{'W', false, 604800000},
                 {'D', false, 86400000},
                 {'H', true, 3600000},
                 {'M', true, 60000},
                 {'S', true, 1000}};
    const size_t count = sizeof PARTS / sizeof *PARTS;
    bool time = false, any = false;
    *out = 0;
    if (!mt_str_starts(s, MT_STR("P"))) {
        return false;
    }
    s = mt_str_skip(s, 1);
    for (size_t part = 0; s.len; part++) {
        int64_t number = 0;
        size_t len = 0;
        if (!time && s.ptr[0] == 'T') {
            time = true;
            s = mt_str_skip(s, 1);
        }
        while (len < s.len && len < 12 && s.ptr[len] >= '0' && s.ptr[len] <= '9') {
            number = number * 10 + (s.ptr[len++] - '0');
        }
        char letter = len && len < s.len ? s.ptr[len] : 0;
        while (part < count &&
               (PARTS[part].letter != letter || PARTS[part].time != time)) {
            part++;
        }
        if (part >= count || __builtin_mul_overflow(number, PARTS[part].ms, &number) ||
            __builtin_add_overflow(*out, number, out)) {
            return false;
        }
        any = true;
        s = mt_str_skip(s, len + 1);
    }
    return any;
}

static bool by_unit(converting *c, int unit, mt_json *v)
{
    int64_t ms, to = CT_UNIT_SECONDS[c->type->unit] * 1000;
    bool good = unit == UNIT_ISO ? iso_ms(mt_json_text(v), &ms)
                                 : whole_of(mt_json_text(v), &ms) &&
                                       !__builtin_mul_overflow(ms, UNIT_MS[unit], &ms);
    if (!good || ms % to) {
        return refuse(c, "it is not a whole number of the fact's unit", v);
    }
    *v = node_of(MT_JSON_NUMBER, mt_strf(c->arena, "%lld", (long long)(ms / to)));
    return true;
}

static bool by_number(converting *c, mt_json *v)
{
    digits d;
    mt_str text = mt_json_text(v);
    if (!read_digits(text, &d)) {
        return refuse(c, "it is not a number", v);
    }
    bool whole = d.point == d.count && mt_str_find(text, '.') == text.len;
    *v = node_of(whole ? MT_JSON_NUMBER : MT_JSON_STRING, shifted(c->arena, &d, 0));
    return true;
}

/* All steps of an amount, then the currency beside it again. */
static bool convert_steps(converting *c, const ad_conversion *how, mt_json *v)
{
    return (!how->values || by_values(c, how->values, v)) &&
           (how->epoch == NOTHING || by_epoch(c, how->epoch, v)) &&
           (how->unit == NOTHING || by_unit(c, how->unit, v)) &&
           (!how->shift || by_shift(c, how->shift, v)) &&
           (!how->number || by_number(c, v));
}

static bool by_money(converting *c, const ad_conversion *how, mt_json *v)
{
    const mt_json *amount = mt_json_get(v, how->amount);
    const mt_json *currency = mt_json_get(v, how->currency);
    if (!amount || !mt_json_is(currency, MT_JSON_STRING)) {
        return refuse(c, "it is not an object with an amount and a currency", v);
    }
    mt_json_member *members = mt_new_array(c->arena, mt_json_member, 2);
    members[0] = (mt_json_member){MT_STR("amount"), *amount};
    members[1] = (mt_json_member){MT_STR("currency"), *currency};
    if (!convert_steps(c, how, &members[0].value)) {
        return false;
    }
    *v = (mt_json){.type = MT_JSON_OBJECT, .count = 2, .as.members = members};
    return true;
}

bool ad_convert(ad_fetching *f, ad_question *q, mt_json *value)
{
    const ad_conversion *how = q->plan->convert;
    converting c = {.arena = f->arena, .type = q->plan->fact->type};
    bool good = !how || (how->amount.len ? by_money(&c, how, value)
                                         : convert_steps(&c, how, value));
    if (!good) {
        ad_answer_error(f, q, AD_FACT_MALFORMED, "fact '%.*s': %.*s",
                        MT_ARG(q->plan->fact->id), MT_ARG(mt_buf_str(&c.why)));
    }
    mt_buf_free(&c.why);
    return good;
}

/* contract/front/types.c - questions about types and literals. */
#include "contract/front/types.h"

#include "contract/wire/calendar.h"

const fr_type FR_BOOL = {.base = FR_TYPE_BOOL};
const fr_type FR_TEXT = {.base = FR_TYPE_TEXT};
const fr_type FR_DATE = {.base = FR_TYPE_DATE};
const fr_type FR_DATETIME = {.base = FR_TYPE_DATETIME};
const fr_type FR_INT = {.base = FR_TYPE_INT};
const fr_type FR_DECIMAL = {.base = FR_TYPE_DECIMAL};
const fr_type FR_ENUM = {.base = FR_TYPE_ENUM};
const fr_type FR_MONEY = {.base = FR_TYPE_MONEY};
const fr_type FR_DURATION = {.base = FR_TYPE_DURATION};
const fr_type FR_UNKNOWN = {.base = FR_TYPE_ERROR};

const char *fr_base_name(fr_base base)
{
    return base < FR_TYPE_REF ? LN_BASES[base].name : "unknown";
}

mt_str fr_type_text(const fr_unit *u, mt_arena *a, const fr_type *t)
{
    if (t->base == FR_TYPE_INT) {
        return mt_strf(a, "Int(min: %lld, max: %lld)", (long long)t->min,
                       (long long)t->max);
    }
    if (t->base == FR_TYPE_MONEY) {
        return mt_strf(a, "Money(currency: %.*s)", FR_ARG(u, t->name));
    }
    return mt_str_z(fr_base_name((fr_base)t->base));
}

/* `budget` bounds the work on types that contain types many times over. */
static bool equal_within(const fr_type *a, const fr_type *b, unsigned *budget)
{
    if (a == b || fr_is_unknown(a) || fr_is_unknown(b)) {
        return true;
    }
    if (a->base != b->base || !*budget) {
        return false;
    }
    --*budget;
    switch ((fr_base)a->base) {
    case FR_TYPE_INT: return a->min == b->min && a->max == b->max;
    case FR_TYPE_DURATION:
        return a->min == b->min && a->max == b->max && a->name == b->name;
    case FR_TYPE_DECIMAL: return a->precision == b->precision && a->scale == b->scale;
    case FR_TYPE_TEXT: return a->length == b->length;
    case FR_TYPE_MONEY: return a->name == b->name;
    case FR_TYPE_ENUM:
        return a->value_count == b->value_count &&
               (!a->value_count ||
                memcmp(a->values, b->values, a->value_count * sizeof *a->values) == 0);
    case FR_TYPE_LIST:
        return a->limit == b->limit && equal_within(a->element, b->element, budget);
    case FR_TYPE_RECORD:
    case FR_TYPE_UNION:
        if (a->field_count != b->field_count) {
            return false;
        }
        for (uint32_t i = 0; i < a->field_count; i++) {
            if (a->fields[i].name != b->fields[i].name ||
                !equal_within(a->fields[i].type, b->fields[i].type, budget)) {
                return false;
            }
        }
        return true;
    case FR_TYPE_BOOL:
    case FR_TYPE_DATE:
    case FR_TYPE_DATETIME:
    case FR_TYPE_REF:
    case FR_TYPE_ERROR: return true;
    }
    return true;
}

bool fr_type_equal(const fr_type *a, const fr_type *b)
{
    unsigned budget = 100000;
    return equal_within(a, b, &budget);
}

const fr_type *fr_type_field_of(const fr_unit *u, const fr_type *t, fr_sym name)
{
    uint32_t low = 0, high = t->field_count; /* fields are sorted by name */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = fr_sym_cmp(u, t->fields[middle].name, name);
        if (order == 0) {
            return t->fields[middle].type;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

unsigned fr_digits(int64_t n)
{
    uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    unsigned digits = 1;
    while (left >= 10) {
        left /= 10;
        digits++;
    }
    return digits;
}

static uint64_t magnitude(int64_t n)
{
    return n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
}

unsigned fr_int_precision(const fr_type *t)
{
    uint64_t low = magnitude(t->min), high = magnitude(t->max);
    uint64_t m = low > high ? low : high;
    unsigned ceil_log10 = 0; /* the number of digits of m - 1; 0 has none */
    for (uint64_t left = m ? m - 1 : 0; left; left /= 10) {
        ceil_log10++;
    }
    return ceil_log10 + 1;
}

void fr_decimal_literal(mt_str text, uint32_t *precision, uint32_t *scale)
{
    *precision = *scale = 0;
    bool fraction = false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '.') {
            fraction = true;
        } else if (text.ptr[i] >= '0' && text.ptr[i] <= '9') {
            ++*precision;
            *scale += fraction;
        }
    }
}

int64_t fr_unit_seconds(fr_sym unit)
{
    switch (unit) {
    case FR_W_seconds: return 1;
    case FR_W_minutes: return 60;
    case FR_W_hours: return 3600;
    case FR_W_days: return 86400;
    default: return 0;
    }
}

bool fr_valid_date(mt_str text)
{
    int64_t days;
    return ct_date_parse(text, &days);
}

bool fr_valid_datetime(mt_str text)
{
    ct_time moment;
    return ct_time_parse(text, &moment);
}

bool fr_valid_decimal(mt_str text)
{
    bool digit = false, dot = false;
    for (size_t i = text.len && text.ptr[0] == '-'; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '.' && !dot) {
            dot = true;
        } else if (c >= '0' && c <= '9') {
            digit = true;
        } else {
            return false;
        }
    }
    return digit;
}

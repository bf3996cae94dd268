/* contract/front/types.c - questions about types and literals.
 *
 * Names for messages, equality, fields by name (sorted, so searched by halves), digits
 * and precisions of the NumericModel, units, and whether text is a date, a time or a
 * decimal. Equality has a budget, because types that contain types many times over
 * would cost without end; beyond it types count as different. FR_UNKNOWN equals
 * everything. */
#include "contract/front/types.h"

#include "contract/wire/calendar.h"

#define X_BASE(ID, text, HELD, TRAITS, result)                                         \
    const fr_type FR_##ID = {.base = FR_TYPE_##ID};
#include "lang/nodes.def"
const fr_type FR_UNKNOWN = {.base = FR_TYPE_ERROR};

const char *fr_base_name(fr_base base)
{
    return base < FR_TYPE_REF ? LN_BASES[base].name : "unknown";
}

/* Only the parameters that the suite's messages show. */
mt_str fr_type_text(const fr_unit *u, mt_arena *a, const fr_type *t)
{
    if (fr_is_int(t)) {
        return mt_strf(a, "Int(min: %lld, max: %lld)", (long long)t->min,
                       (long long)t->max);
    }
    if (fr_has(t, LN_CURRENCY)) {
        return mt_strf(a, "Money(currency: %.*s)", FR_ARG(u, t->name));
    }
    return mt_str_z(fr_base_name((fr_base)t->base));
}

static void spell(const fr_unit *u, mt_buf *b, const fr_type *t, unsigned depth);

/* Some of the values or fields, so that a message stays readable. */
static void spell_parts(const fr_unit *u, mt_buf *b, const fr_type *t, unsigned depth)
{
    enum { SHOWN = 4 };
    bool choice = fr_holds(t, LN_CHOICE);
    uint32_t count = choice ? t->value_count : t->field_count;
    mt_buf_addf(b, "%s(", fr_base_name((fr_base)t->base));
    for (uint32_t i = 0; i < count && i < SHOWN; i++) {
        mt_buf_addz(b, i ? ", " : "");
        if (choice) {
            mt_buf_addf(b, "\"%.*s\"", FR_ARG(u, t->values[i]));
        } else {
            mt_buf_addf(b, "%.*s: ", FR_ARG(u, t->fields[i].name));
            spell(u, b, t->fields[i].type, depth + 1);
        }
    }
    mt_buf_addz(b, count > SHOWN ? ", ...)" : ")");
}

static void spell(const fr_unit *u, mt_buf *b, const fr_type *t, unsigned depth)
{
    enum { DEEPEST = 3 };
    if (fr_is_unknown(t) || depth > DEEPEST) {
        mt_buf_addz(b, "...");
    } else if (fr_is_decimal(t)) {
        mt_buf_addf(b, "Decimal(%u, %u)", t->precision, t->scale);
    } else if (fr_holds(t, LN_TEXT)) {
        mt_buf_addz(b, "Text");
        if (t->length) {
            mt_buf_addf(b, "(%lld)", (long long)t->length);
        }
    } else if (fr_has(t, LN_UNIT)) {
        mt_buf_addf(b, "Duration(%.*s, %lld, %lld)", FR_ARG(u, t->name),
                    (long long)t->min, (long long)t->max);
    } else if (fr_holds(t, LN_LIST)) {
        mt_buf_addz(b, "List(");
        spell(u, b, t->element, depth + 1);
        mt_buf_addf(b, ", max: %u)", t->limit);
    } else if (fr_holds(t, LN_CHOICE) || fr_has(t, LN_PARTED)) {
        spell_parts(u, b, t, depth);
    } else {
        mt_arena scratch = {0};
        mt_buf_adds(b, fr_type_text(u, &scratch, t));
        mt_arena_free(&scratch);
    }
}

/* For people: all parameters, a few parts, three levels deep; what is left out is
 * "...". */
mt_str fr_type_spell(const fr_unit *u, mt_arena *a, const fr_type *t)
{
    mt_buf b = {0};
    spell(u, &b, t, 0);
    mt_str kept = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return kept;
}

static bool equal_within(const fr_type *a, const fr_type *b, unsigned *budget);

/* Sorted by name on both sides, so the order of declaration does not matter (§4.6). */
static bool fields_equal(const fr_type *a, const fr_type *b, unsigned *budget)
{
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
}

/* In the order of declaration: an Enum with the same values in another order is another
 * type, because values are held by their index. */
static bool choices_equal(const fr_type *a, const fr_type *b)
{
    return a->value_count == b->value_count &&
           (!a->value_count ||
            memcmp(a->values, b->values, a->value_count * sizeof *a->values) == 0);
}

/* A type that was inferred or is not checked yet has no sorted values. */
bool fr_has_value(const fr_type *t, fr_sym value)
{
    if (!fr_holds(t, LN_CHOICE)) {
        return false;
    }
    if (t->sorted) {
        return fr_sym_in(t->sorted, t->value_count, value);
    }
    uint32_t i = 0;
    while (i < t->value_count && t->values[i] != value) {
        i++;
    }
    return i < t->value_count;
}

/* Of two types of one base: are their parameters the same? */
static bool parameters_equal(const fr_type *a, const fr_type *b, unsigned *budget)
{
    switch (LN_BASES[a->base].held) {
    case LN_INTEGER:
        return !fr_has(a, LN_RANGED) || (a->min == b->min && a->max == b->max &&
                                         (!fr_has(a, LN_UNIT) || a->name == b->name));
    case LN_DECIMAL:
        return fr_has(a, LN_CURRENCY)
                   ? a->name == b->name
                   : a->precision == b->precision && a->scale == b->scale;
    case LN_TEXT: return a->length == b->length;
    case LN_CHOICE: return choices_equal(a, b);
    case LN_LIST:
        return a->limit == b->limit && equal_within(a->element, b->element, budget);
    case LN_RECORD:
    case LN_VARIANT: return fields_equal(a, b, budget);
    case LN_BOOLEAN:
    case LN_TIME: return true;
    }
    return true;
}

/* `budget` bounds the work on types that contain types many times over. Unknown types
 * count as equal: what is wrong with them was reported, and must not be reported again
 * in other words. */
static bool equal_within(const fr_type *a, const fr_type *b, unsigned *budget)
{
    if (a == b || fr_is_unknown(a) || fr_is_unknown(b)) {
        return true;
    }
    if (a->base != b->base || !*budget) {
        return false;
    }
    --*budget;
    return a->base >= LN_BASE_COUNT || parameters_equal(a, b, budget);
}

bool fr_type_equal(const fr_type *a, const fr_type *b)
{
    unsigned budget = 100000;
    return equal_within(a, b, &budget);
}

const fr_type *fr_type_field_of(const fr_unit *u, const fr_type *t, fr_sym name)
{
    /* Fields are sorted by name; other types have something else in their place. */
    uint32_t low = 0, high = fr_has(t, LN_PARTED) ? t->field_count : 0;
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

/* Without the sign; 0 has one digit. */
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

/* §13.2: ceil(log10(m)) + 1 without a logarithm, whose rounding would differ between
 * machines. */
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

/* As written (§13.5): zeros count, so 1.50 has three digits and a scale of 2. */
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

/* 0: it is not a unit. */
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

/* Digits with at most one dot, which may stand first or last; a minus, no plus, no
 * exponent. */
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

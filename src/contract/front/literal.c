/* contract/front/literal.c - are type parameters possible, are literals values of a
 * type?
 *
 * fr_check_type() looks at the parameters of a declared type: digits and scales,
 * ranges that are not empty, enums without repetition, currencies, lengths, depth.
 * fr_literal_fault() answers why an expression is not a value of a type, in words for
 * the author, or with nothing when it is one; `tolerated` says that only a strict run
 * refuses it.
 *
 * A decimal is judged as pass 6 will write it, rounded to the type's scale, so that
 * what elaborates also loads. Recursion follows types and literals, both bounded by
 * source_depth. */
#include "base/decimal.h"
#include "base/utf8.h"
#include "contract/front/types.h"

/* ---- parameters of types ---- */

/* Whose type it is, for the place of a fault: a type may be nested deep inside a
 * field. */
typedef struct type_check {
    fr_unit *u;
    const fr_construct *c;
    mt_str field;
} type_check;

static fr_place at_type(const type_check *k, const fr_type *t)
{
    return fr_at(k->c, t->tok, k->field);
}

/* More than 28 digits would be a number that arithmetic cannot hold. */
static void check_decimal(const type_check *k, const fr_type *t)
{
    if (t->precision == 0 || t->scale > t->precision || t->precision > 1000000) {
        fr_report(
            k->u, FR_E_TYPE_BOUNDS, at_type(k, t),
            "Decimal(precision: %u, scale: %u) has no values; precision must be at "
            "least 1 and scale at most precision",
            t->precision, t->scale);
    } else if (t->precision > 28) {
        fr_report(k->u, FR_E_TYPE_PRECISION, at_type(k, t),
                  "Decimal with precision %u; at most 28 digits can be computed with",
                  t->precision);
    }
}

/* min = max is a type of one value and allowed. */
static void check_range(const type_check *k, const fr_type *t)
{
    if (t->min > t->max) {
        fr_report(k->u, FR_E_TYPE_BOUNDS, at_type(k, t),
                  "%s has no values: min %lld is greater than max %lld",
                  fr_base_name((fr_base)t->base), (long long)t->min, (long long)t->max);
    }
}

static void check_duration(const type_check *k, const fr_type *t)
{
    check_range(k, t);
    if (!fr_unit_seconds(t->name)) {
        fr_report(
            k->u, FR_E_TYPE_UNIT, at_type(k, t),
            "unknown Duration unit '%.*s'; must be seconds, minutes, hours or days",
            FR_ARG(k->u, t->name));
    }
}

/* `sorted` is made also after a fault; literals are searched in it. */
static void check_enum(const type_check *k, fr_type *t)
{
    if (!t->value_count) {
        fr_report(k->u, FR_E_TYPE_ENUM, at_type(k, t), "Enum has no values");
    }
    t->sorted = fr_sorted_syms(k->u->keep, t->values, t->value_count);
    for (uint32_t i = 1; i < t->value_count; i++) {
        if (t->sorted[i - 1] == t->sorted[i]) {
            fr_report(k->u, FR_E_TYPE_ENUM, at_type(k, t),
                      "Enum value '%.*s' is listed twice", FR_ARG(k->u, t->sorted[i]));
            return;
        }
    }
}

/* The form of a code and not a list of them, which would age. */
static void check_money(const type_check *k, const fr_type *t)
{
    mt_str code = fr_str(k->u, t->name);
    bool ok = code.len == 3;
    for (size_t i = 0; ok && i < code.len; i++) {
        ok = code.ptr[i] >= 'A' && code.ptr[i] <= 'Z';
    }
    if (!ok) {
        fr_report(k->u, FR_E_TYPE_CURRENCY, at_type(k, t),
                  "'%.*s' is not a currency code; a code is three capital letters",
                  MT_ARG(code));
    }
}

static void check_in(const type_check *k, fr_type *t);

/* UINT32_MAX is what the parser makes of a number that does not fit. */
static void check_list(const type_check *k, fr_type *t)
{
    check_in(k, t->element);
    if (t->element->base == FR_TYPE_LIST) {
        fr_report(k->u, FR_E_TYPE_NESTED_LIST, at_type(k, t),
                  "elements of a List cannot be Lists");
    }
    if (t->limit == 0 || t->limit == UINT32_MAX) {
        fr_report(k->u, FR_E_TYPE_LIST_MAX, at_type(k, t),
                  "List needs max: with at least 1 and less than 4294967295");
    }
}

/* A Record without fields is allowed and has one value; a union without variants has
 * none. */
static void check_structure(const type_check *k, const fr_type *t)
{
    if (t->twice) {
        fr_report(k->u, FR_E_TYPE_FIELD_TWICE, at_type(k, t),
                  "%s declares '%.*s' twice", fr_base_name((fr_base)t->base),
                  FR_ARG(k->u, t->twice));
    }
    if (t->base == FR_TYPE_UNION && !t->field_count) {
        fr_report(k->u, FR_E_TYPE_BOUNDS, at_type(k, t),
                  "TaggedUnion has no variants, so it has no values");
    }
    for (uint32_t i = 0; i < t->field_count; i++) {
        check_in(k, t->fields[i].type);
    }
}

/* Length 0 is allowed: of a bare Text it says that none was given. */
static void check_text(const type_check *k, const fr_type *t)
{
    if (t->length < 0) {
        fr_report(k->u, FR_E_TYPE_BOUNDS, at_type(k, t),
                  "Text cannot have a negative max_length");
    } else if (t->length > UINT32_MAX) {
        fr_report(k->u, FR_E_TYPE_BOUNDS, at_type(k, t),
                  "Text cannot have max_length %lld; at most %u is possible",
                  (long long)t->length, UINT32_MAX);
    }
}

/* Once per type: named types are shared by many constructs and would be reported again
 * by each. */
static void check_in(const type_check *k, fr_type *t)
{
    if (t->checked) {
        return;
    }
    t->checked = true;
    switch ((fr_base)t->base) {
    case FR_TYPE_INT: check_range(k, t); break;
    case FR_TYPE_DECIMAL: check_decimal(k, t); break;
    case FR_TYPE_TEXT: check_text(k, t); break;
    case FR_TYPE_ENUM: check_enum(k, t); break;
    case FR_TYPE_MONEY: check_money(k, t); break;
    case FR_TYPE_DURATION: check_duration(k, t); break;
    case FR_TYPE_LIST: check_list(k, t); break;
    case FR_TYPE_RECORD:
    case FR_TYPE_UNION: check_structure(k, t); break;
    case FR_TYPE_BOOL:
    case FR_TYPE_DATE:
    case FR_TYPE_DATETIME:
    case FR_TYPE_REF:
    case FR_TYPE_ERROR: break;
    }
}

/* Types inside it are checked as well. Call it once types are resolved: a reference is
 * passed over. */
void fr_check_type(fr_unit *u, fr_type *t, const fr_construct *c, mt_str field)
{
    type_check k = {u, c, field};
    check_in(&k, t);
}

/* ---- literals ---- */

/* By kind. SPARSE: no other kind is a literal. */
static const char *const LITERAL_NAMES[FR_X_ERROR + 1] = {
    [FR_X_BOOL] = "a Bool",  [FR_X_INT] = "an Int",      [FR_X_FLOAT] = "a Decimal",
    [FR_X_STR] = "a string", [FR_X_MONEY] = "Money",     [FR_X_DURATION] = "a Duration",
    [FR_X_LIST] = "a List",  [FR_X_RECORD] = "a Record", [FR_X_ENTRY] = "a TaggedUnion",
};

static const char *literal_name(const fr_expr *e)
{
    const char *name = LITERAL_NAMES[e->kind];
    return name ? name : "no literal";
}

/* "Int(min: 0, max: 9) is needed, this is a string". */
static mt_str wrong_kind(fr_unit *u, const fr_type *t, const fr_expr *e)
{
    return mt_strf(u->keep, "%s is needed, this is %s", fr_type_text(u, u->keep, t).ptr,
                   literal_name(e));
}

/* Also for a Duration that is written as a bare number: it counts in the declared
 * unit. */
static mt_str int_fault(fr_unit *u, const fr_type *t, const fr_expr *e)
{
    int64_t n = fr_int_value(&u->syms, e->sym);
    if (n >= t->min && n <= t->max) {
        return MT_STR("");
    }
    return mt_strf(u->keep, "%lld is outside of %lld .. %lld", (long long)n,
                   (long long)t->min, (long long)t->max);
}

/* The question the loader asks about what pass 6 will write: the text rounded to the
 * type's scale. (Zeros it would add are left out.) */
static bool fits_decimal(fr_unit *u, const fr_type *t, mt_str text)
{
    size_t dot = mt_str_find(text, '.');
    mt_decimal value;
    if (dot < text.len && text.len - dot - 1 > t->scale) {
        text = ct_round_text(u->keep, text, t->scale);
    }
    return ct_computed_decimal(u->keep, text, &value) &&
           mt_decimal_fits(value, t->precision, t->scale);
}

/* Where the type itself is impossible its own fault is enough. */
static mt_str decimal_fault(fr_unit *u, const fr_type *t, const fr_expr *e)
{
    mt_str text = fr_str(u, e->sym);
    if (!fr_valid_decimal(text)) {
        return mt_strf(u->keep, "'%.*s' is not a decimal number", MT_ARG(text));
    }
    return t->scale > t->precision || fits_decimal(u, t, text)
               ? MT_STR("")
               : mt_strf(u->keep, "%.*s does not fit Decimal(%u, %u)", MT_ARG(text),
                         t->precision, t->scale);
}

/* Currencies never convert, not even in a literal. */
static mt_str money_fault(fr_unit *u, const fr_type *t, const fr_expr *e)
{
    mt_str amount = fr_str(u, e->sym);
    if (e->sym2 != t->name) {
        return mt_strf(u->keep, "the currency is %.*s, but %.*s is needed",
                       FR_ARG(u, e->sym2), FR_ARG(u, t->name));
    }
    if (!fr_valid_decimal(amount)) {
        return mt_strf(u->keep, "the amount '%.*s' is not a decimal number",
                       MT_ARG(amount));
    }
    return ct_exact_decimal(amount)
               ? MT_STR("")
               : mt_strf(u->keep, "the amount %.*s has more than 28 digits",
                         MT_ARG(amount));
}

/* In characters and not bytes (§4.3), as the loader counts. */
static mt_str text_fault(fr_unit *u, const fr_type *t, const fr_expr *e)
{
    size_t characters = mt_utf8_count(fr_str(u, e->sym));
    if (t->length < 0 || characters <= (uint64_t)t->length) {
        return MT_STR("");
    }
    return mt_strf(u->keep, "the text has %zu characters, at most %lld fit", characters,
                   (long long)t->length);
}

/* Values are compared letter by letter, case included; what was meant is suggested by
 * who reports it. */
static mt_str enum_fault(fr_unit *u, const fr_type *t, const fr_expr *e)
{
    return fr_has_value(t, e->sym)
               ? MT_STR("")
               : mt_strf(u->keep, "'%.*s' is not one of the declared values",
                         FR_ARG(u, e->sym));
}

static mt_str time_fault(fr_unit *u, const fr_type *t, const fr_expr *e)
{
    mt_str text = fr_str(u, e->sym);
    bool date = t->base == FR_TYPE_DATE;
    if (date ? fr_valid_date(text) : fr_valid_datetime(text)) {
        return MT_STR("");
    }
    return mt_strf(
        u->keep, "'%.*s' is not a %s", MT_ARG(text),
        date ? "date of the form YYYY-MM-DD"
             : "date-time of the form YYYY-MM-DDThh:mm:ssZ or with an offset");
}

/* In 128 bits: the product of value and unit may not fit 64. A value in another unit
 * must be a whole number of the declared one: 90 minutes are not a number of hours, and
 * nothing is rounded. */
static mt_str duration_fault(fr_unit *u, const fr_type *t, const fr_expr *e)
{
    __extension__ typedef __int128 wide;
    int64_t unit = fr_unit_seconds(e->sym2), declared = fr_unit_seconds(t->name);
    if (!unit) {
        return mt_strf(u->keep, "unknown unit '%.*s'", FR_ARG(u, e->sym2));
    }
    if (!declared) {
        return MT_STR("");
    }
    wide seconds = (wide)fr_int_value(&u->syms, e->sym) * unit;
    if (seconds % declared != 0) {
        return mt_strf(u->keep, "it is not a whole number of %.*s", FR_ARG(u, t->name));
    }
    if (seconds < (wide)t->min * declared || seconds > (wide)t->max * declared) {
        return mt_strf(u->keep, "it is outside of %lld .. %lld %.*s", (long long)t->min,
                       (long long)t->max, FR_ARG(u, t->name));
    }
    return MT_STR("");
}

/* Elements are counted from 0 in messages, as in the language. Only the first fault is
 * told. */
static mt_str list_fault(fr_unit *u, const fr_type *t, const fr_expr *e,
                         bool *tolerated)
{
    if (e->sym2 > t->limit) {
        return mt_strf(u->keep, "it has %u elements, at most %u fit", e->sym2,
                       t->limit);
    }
    for (uint32_t i = 0; i < e->sym2; i++) {
        mt_str fault = fr_literal_fault(u, t->element, e->items[i], tolerated);
        if (fault.len) {
            return mt_strf(u->keep, "element %u: %.*s", i, MT_ARG(fault));
        }
    }
    return MT_STR("");
}

/* Both lists are sorted by name, so one walk finds what is missing and what is too
 * much. */
static mt_str record_fault(fr_unit *u, const fr_type *t, const fr_expr *e,
                           bool *tolerated)
{
    for (uint32_t i = 0; i < t->field_count || i < e->sym2; i++) {
        fr_sym want = i < t->field_count ? t->fields[i].name : FR_W_none;
        fr_sym got = i < e->sym2 ? e->items[i]->sym : FR_W_none;
        if (got && (!want || fr_sym_cmp(u, got, want) < 0)) {
            return mt_strf(u->keep, "the record has no field '%.*s'", FR_ARG(u, got));
        }
        if (got != want) {
            return mt_strf(u->keep, "field '%.*s' is missing", FR_ARG(u, want));
        }
        mt_str fault =
            fr_literal_fault(u, t->fields[i].type, e->items[i]->left, tolerated);
        if (fault.len) {
            return mt_strf(u->keep, "field '%.*s': %.*s", FR_ARG(u, want),
                           MT_ARG(fault));
        }
    }
    return MT_STR("");
}

/* `Tag(value)` for any payload, `Tag { ... }` for a record. */
static mt_str union_fault(fr_unit *u, const fr_type *t, const fr_expr *e,
                          bool *tolerated)
{
    const fr_type *variant = fr_type_field_of(u, t, e->sym);
    if (!variant) {
        return mt_strf(u->keep, "'%.*s' is not a variant of the union",
                       FR_ARG(u, e->sym));
    }
    if (e->kind == FR_X_ENTRY) {
        return fr_literal_fault(u, variant, e->left, tolerated);
    }
    return variant->base == FR_TYPE_RECORD ? record_fault(u, variant, e, tolerated)
                                           : wrong_kind(u, variant, e);
}

/* No literal is of an unknown type and every one fits it, since that type was reported.
 * `tolerated` is only ever set, so callers start it with false. */
mt_str fr_literal_fault(fr_unit *u, const fr_type *t, const fr_expr *e, bool *tolerated)
{
    fr_expr_kind kind = (fr_expr_kind)e->kind;
    bool number = kind == FR_X_INT || kind == FR_X_FLOAT;
    switch ((fr_base)t->base) {
    case FR_TYPE_BOOL: return kind == FR_X_BOOL ? MT_STR("") : wrong_kind(u, t, e);
    case FR_TYPE_INT:
        return kind == FR_X_INT ? int_fault(u, t, e) : wrong_kind(u, t, e);
    case FR_TYPE_DECIMAL:
        return number || kind == FR_X_STR ? decimal_fault(u, t, e)
                                          : wrong_kind(u, t, e);
    case FR_TYPE_MONEY:
        return kind == FR_X_MONEY ? money_fault(u, t, e) : wrong_kind(u, t, e);
    case FR_TYPE_TEXT:
        return kind == FR_X_STR ? text_fault(u, t, e) : wrong_kind(u, t, e);
    case FR_TYPE_ENUM:
        return kind == FR_X_STR ? enum_fault(u, t, e) : wrong_kind(u, t, e);
    case FR_TYPE_DATE:
    case FR_TYPE_DATETIME:
        return kind == FR_X_STR ? time_fault(u, t, e) : wrong_kind(u, t, e);
    case FR_TYPE_DURATION:
        if (kind == FR_X_INT) {
            *tolerated = true;
            return int_fault(u, t, e);
        }
        return kind == FR_X_DURATION ? duration_fault(u, t, e) : wrong_kind(u, t, e);
    case FR_TYPE_LIST:
        return kind == FR_X_LIST ? list_fault(u, t, e, tolerated) : wrong_kind(u, t, e);
    case FR_TYPE_RECORD:
        return kind == FR_X_RECORD ? record_fault(u, t, e, tolerated)
                                   : wrong_kind(u, t, e);
    case FR_TYPE_UNION:
        return kind == FR_X_ENTRY || kind == FR_X_RECORD
                   ? union_fault(u, t, e, tolerated)
                   : wrong_kind(u, t, e);
    case FR_TYPE_REF:
    case FR_TYPE_ERROR: break;
    }
    return MT_STR("");
}

/* True: rounding to the scale of the type would change the value. Zeros behind the
 * scale change nothing. */
bool fr_literal_loses(const fr_unit *u, const fr_type *t, const fr_expr *e)
{
    bool money = fr_has(t, LN_CURRENCY) && e->kind == FR_X_MONEY;
    bool decimal = fr_is_decimal(t) && (e->kind == FR_X_FLOAT || e->kind == FR_X_STR);
    if (!money && !decimal) {
        return false;
    }
    mt_str text = fr_str(u, e->sym);
    size_t dot = mt_str_find(text, '.'), scale = money ? FR_MONEY_SCALE : t->scale;
    for (size_t i = dot + 1 + scale; i < text.len; i++) {
        if (text.ptr[i] != '0') {
            return true;
        }
    }
    return false;
}

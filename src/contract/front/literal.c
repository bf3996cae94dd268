/* contract/front/literal.c - are type parameters possible, are literals values of a
 * type? */
#include "base/decimal.h"
#include "base/utf8.h"
#include "contract/front/types.h"

/* ---- parameters of types ---- */

typedef struct type_check {
    ct_unit *u;
    const ct_construct *c;
    mt_str field;
} type_check;

static ct_place at_type(const type_check *k, const ct_type *t)
{
    return ct_at(k->c, t->tok, k->field);
}

static void check_decimal(const type_check *k, const ct_type *t)
{
    if (t->precision == 0 || t->scale > t->precision || t->precision > 1000000) {
        ct_report(
            k->u, CT_E_TYPE_BOUNDS, at_type(k, t),
            "Decimal(precision: %u, scale: %u) has no values; precision must be at "
            "least 1 and scale at most precision",
            t->precision, t->scale);
    } else if (t->precision > 28) {
        ct_report(k->u, CT_E_TYPE_PRECISION, at_type(k, t),
                  "Decimal with precision %u; at most 28 digits can be computed with",
                  t->precision);
    }
}

static void check_range(const type_check *k, const ct_type *t)
{
    if (t->min > t->max) {
        ct_report(k->u, CT_E_TYPE_BOUNDS, at_type(k, t),
                  "%s has no values: min %lld is greater than max %lld",
                  ct_base_name((ct_base)t->base), (long long)t->min, (long long)t->max);
    }
}

static void check_duration(const type_check *k, const ct_type *t)
{
    check_range(k, t);
    if (!ct_unit_seconds(t->name)) {
        ct_report(
            k->u, CT_E_TYPE_UNIT, at_type(k, t),
            "unknown Duration unit '%.*s'; must be seconds, minutes, hours or days",
            CT_ARG(k->u, t->name));
    }
}

static void check_enum(const type_check *k, ct_type *t)
{
    if (!t->value_count) {
        ct_report(k->u, CT_E_TYPE_ENUM, at_type(k, t), "Enum has no values");
    }
    t->sorted = ct_sorted_syms(k->u->keep, t->values, t->value_count);
    for (uint32_t i = 1; i < t->value_count; i++) {
        if (t->sorted[i - 1] == t->sorted[i]) {
            ct_report(k->u, CT_E_TYPE_ENUM, at_type(k, t),
                      "Enum value '%.*s' is listed twice", CT_ARG(k->u, t->sorted[i]));
            return;
        }
    }
}

static void check_money(const type_check *k, const ct_type *t)
{
    mt_str code = ct_str(k->u, t->name);
    bool ok = code.len == 3;
    for (size_t i = 0; ok && i < code.len; i++) {
        ok = code.ptr[i] >= 'A' && code.ptr[i] <= 'Z';
    }
    if (!ok) {
        ct_report(k->u, CT_E_TYPE_CURRENCY, at_type(k, t),
                  "'%.*s' is no currency code; a code is three capital letters",
                  MT_ARG(code));
    }
}

static void check_in(const type_check *k, ct_type *t);

static void check_list(const type_check *k, ct_type *t)
{
    check_in(k, t->element);
    if (t->element->base == CT_TYPE_LIST) {
        ct_report(k->u, CT_E_TYPE_NESTED_LIST, at_type(k, t),
                  "elements of a List cannot be Lists");
    }
    if (t->limit == 0 || t->limit == UINT32_MAX) {
        ct_report(k->u, CT_E_TYPE_LIST_MAX, at_type(k, t),
                  "List needs max: with at least 1 and less than 4294967295");
    }
}

static void check_structure(const type_check *k, const ct_type *t)
{
    if (t->twice) {
        ct_report(k->u, CT_E_TYPE_FIELD_TWICE, at_type(k, t),
                  "%s declares '%.*s' twice", ct_base_name((ct_base)t->base),
                  CT_ARG(k->u, t->twice));
    }
    if (t->base == CT_TYPE_UNION && !t->field_count) {
        ct_report(k->u, CT_E_TYPE_BOUNDS, at_type(k, t),
                  "TaggedUnion has no variants, so it has no values");
    }
    for (uint32_t i = 0; i < t->field_count; i++) {
        check_in(k, t->fields[i].type);
    }
}

static void check_text(const type_check *k, const ct_type *t)
{
    if (t->length < 0) {
        ct_report(k->u, CT_E_TYPE_BOUNDS, at_type(k, t),
                  "Text cannot have a negative max_length");
    } else if (t->length > UINT32_MAX) {
        ct_report(k->u, CT_E_TYPE_BOUNDS, at_type(k, t),
                  "Text cannot have max_length %lld; at most %u is possible",
                  (long long)t->length, UINT32_MAX);
    }
}

static void check_in(const type_check *k, ct_type *t)
{
    if (t->checked) {
        return;
    }
    t->checked = true;
    switch ((ct_base)t->base) {
    case CT_TYPE_INT: check_range(k, t); break;
    case CT_TYPE_DECIMAL: check_decimal(k, t); break;
    case CT_TYPE_TEXT: check_text(k, t); break;
    case CT_TYPE_ENUM: check_enum(k, t); break;
    case CT_TYPE_MONEY: check_money(k, t); break;
    case CT_TYPE_DURATION: check_duration(k, t); break;
    case CT_TYPE_LIST: check_list(k, t); break;
    case CT_TYPE_RECORD:
    case CT_TYPE_UNION: check_structure(k, t); break;
    case CT_TYPE_BOOL:
    case CT_TYPE_DATE:
    case CT_TYPE_DATETIME:
    case CT_TYPE_REF:
    case CT_TYPE_ERROR: break;
    }
}

void ct_check_type(ct_unit *u, ct_type *t, const ct_construct *c, mt_str field)
{
    type_check k = {u, c, field};
    check_in(&k, t);
}

/* ---- literals ---- */

/* By kind; no other kind is a literal. */
static const char *const LITERAL_NAMES[CT_X_ERROR + 1] = {
    [CT_X_BOOL] = "a Bool",  [CT_X_INT] = "an Int",      [CT_X_FLOAT] = "a Decimal",
    [CT_X_STR] = "a string", [CT_X_MONEY] = "Money",     [CT_X_DURATION] = "a Duration",
    [CT_X_LIST] = "a List",  [CT_X_RECORD] = "a Record", [CT_X_ENTRY] = "a TaggedUnion",
};

static const char *literal_name(const ct_expr *e)
{
    const char *name = LITERAL_NAMES[e->kind];
    return name ? name : "no literal";
}

static mt_str wrong_kind(ct_unit *u, const ct_type *t, const ct_expr *e)
{
    return mt_strf(u->keep, "%s is needed, this is %s", ct_type_text(u, u->keep, t).ptr,
                   literal_name(e));
}

static mt_str int_fault(ct_unit *u, const ct_type *t, const ct_expr *e)
{
    int64_t n = ct_int_value(&u->syms, e->sym);
    if (n >= t->min && n <= t->max) {
        return MT_STR("");
    }
    return mt_strf(u->keep, "%lld is outside of %lld .. %lld", (long long)n,
                   (long long)t->min, (long long)t->max);
}

/* The question the loader asks about what pass 6 will write: the text rounded to the
 * type's scale. (Zeros it would add are left out.) */
static bool fits_decimal(ct_unit *u, const ct_type *t, mt_str text)
{
    size_t dot = mt_str_find(text, '.');
    mt_decimal value;
    if (dot < text.len && text.len - dot - 1 > t->scale) {
        text = ct_round_text(u->keep, text, t->scale);
    }
    return mt_decimal_parse(text, &value) == MT_OK &&
           mt_decimal_fits(value, t->precision, t->scale);
}

static mt_str decimal_fault(ct_unit *u, const ct_type *t, const ct_expr *e)
{
    mt_str text = ct_str(u, e->sym);
    if (!ct_valid_decimal(text)) {
        return mt_strf(u->keep, "'%.*s' is no decimal number", MT_ARG(text));
    }
    return t->scale > t->precision || fits_decimal(u, t, text)
               ? MT_STR("")
               : mt_strf(u->keep, "%.*s does not fit Decimal(%u, %u)", MT_ARG(text),
                         t->precision, t->scale);
}

static mt_str money_fault(ct_unit *u, const ct_type *t, const ct_expr *e)
{
    mt_str amount = ct_str(u, e->sym);
    if (e->sym2 != t->name) {
        return mt_strf(u->keep, "the currency is %.*s, but %.*s is needed",
                       CT_ARG(u, e->sym2), CT_ARG(u, t->name));
    }
    if (!ct_valid_decimal(amount)) {
        return mt_strf(u->keep, "the amount '%.*s' is no decimal number",
                       MT_ARG(amount));
    }
    return ct_exact_decimal(amount)
               ? MT_STR("")
               : mt_strf(u->keep, "the amount %.*s has more than 28 digits",
                         MT_ARG(amount));
}

static mt_str text_fault(ct_unit *u, const ct_type *t, const ct_expr *e)
{
    size_t characters = mt_utf8_count(ct_str(u, e->sym));
    if (t->length < 0 || characters <= (uint64_t)t->length) {
        return MT_STR("");
    }
    return mt_strf(u->keep, "the text has %zu characters, at most %lld fit", characters,
                   (long long)t->length);
}

static mt_str enum_fault(ct_unit *u, const ct_type *t, const ct_expr *e)
{
    bool known = false;
    if (t->sorted) {
        known = ct_sym_in(t->sorted, t->value_count, e->sym);
    } else {
        for (uint32_t i = 0; i < t->value_count; i++) {
            known |= t->values[i] == e->sym;
        }
    }
    return known ? MT_STR("")
                 : mt_strf(u->keep, "'%.*s' is not one of the declared values",
                           CT_ARG(u, e->sym));
}

static mt_str time_fault(ct_unit *u, const ct_type *t, const ct_expr *e)
{
    mt_str text = ct_str(u, e->sym);
    bool date = t->base == CT_TYPE_DATE;
    if (date ? ct_valid_date(text) : ct_valid_datetime(text)) {
        return MT_STR("");
    }
    return mt_strf(
        u->keep, "'%.*s' is no %s", MT_ARG(text),
        date ? "date of the form YYYY-MM-DD"
             : "date-time of the form YYYY-MM-DDThh:mm:ssZ or with an offset");
}

static mt_str duration_fault(ct_unit *u, const ct_type *t, const ct_expr *e)
{
    __extension__ typedef __int128 wide;
    int64_t unit = ct_unit_seconds(e->sym2), declared = ct_unit_seconds(t->name);
    if (!unit) {
        return mt_strf(u->keep, "unknown unit '%.*s'", CT_ARG(u, e->sym2));
    }
    if (!declared) {
        return MT_STR("");
    }
    wide seconds = (wide)ct_int_value(&u->syms, e->sym) * unit;
    if (seconds % declared != 0) {
        return mt_strf(u->keep, "it is no whole number of %.*s", CT_ARG(u, t->name));
    }
    if (seconds < (wide)t->min * declared || seconds > (wide)t->max * declared) {
        return mt_strf(u->keep, "it is outside of %lld .. %lld %.*s", (long long)t->min,
                       (long long)t->max, CT_ARG(u, t->name));
    }
    return MT_STR("");
}

static mt_str list_fault(ct_unit *u, const ct_type *t, const ct_expr *e,
                         bool *tolerated)
{
    if (e->sym2 > t->limit) {
        return mt_strf(u->keep, "it has %u elements, at most %u fit", e->sym2,
                       t->limit);
    }
    for (uint32_t i = 0; i < e->sym2; i++) {
        mt_str fault = ct_literal_fault(u, t->element, e->items[i], tolerated);
        if (fault.len) {
            return mt_strf(u->keep, "element %u: %.*s", i, MT_ARG(fault));
        }
    }
    return MT_STR("");
}

static mt_str record_fault(ct_unit *u, const ct_type *t, const ct_expr *e,
                           bool *tolerated)
{
    for (uint32_t i = 0; i < t->field_count || i < e->sym2; i++) {
        ct_sym want = i < t->field_count ? t->fields[i].name : CT_W_none;
        ct_sym got = i < e->sym2 ? e->items[i]->sym : CT_W_none;
        if (got && (!want || ct_sym_cmp(u, got, want) < 0)) {
            return mt_strf(u->keep, "the record has no field '%.*s'", CT_ARG(u, got));
        }
        if (got != want) {
            return mt_strf(u->keep, "field '%.*s' is missing", CT_ARG(u, want));
        }
        mt_str fault =
            ct_literal_fault(u, t->fields[i].type, e->items[i]->left, tolerated);
        if (fault.len) {
            return mt_strf(u->keep, "field '%.*s': %.*s", CT_ARG(u, want),
                           MT_ARG(fault));
        }
    }
    return MT_STR("");
}

static mt_str union_fault(ct_unit *u, const ct_type *t, const ct_expr *e,
                          bool *tolerated)
{
    const ct_type *variant = ct_type_field_of(u, t, e->sym);
    if (!variant) {
        return mt_strf(u->keep, "'%.*s' is no variant of the union", CT_ARG(u, e->sym));
    }
    if (e->kind == CT_X_ENTRY) {
        return ct_literal_fault(u, variant, e->left, tolerated);
    }
    return variant->base == CT_TYPE_RECORD ? record_fault(u, variant, e, tolerated)
                                           : wrong_kind(u, variant, e);
}

mt_str ct_literal_fault(ct_unit *u, const ct_type *t, const ct_expr *e, bool *tolerated)
{
    ct_expr_kind kind = (ct_expr_kind)e->kind;
    bool number = kind == CT_X_INT || kind == CT_X_FLOAT;
    switch ((ct_base)t->base) {
    case CT_TYPE_BOOL: return kind == CT_X_BOOL ? MT_STR("") : wrong_kind(u, t, e);
    case CT_TYPE_INT:
        return kind == CT_X_INT ? int_fault(u, t, e) : wrong_kind(u, t, e);
    case CT_TYPE_DECIMAL:
        return number || kind == CT_X_STR ? decimal_fault(u, t, e)
                                          : wrong_kind(u, t, e);
    case CT_TYPE_MONEY:
        return kind == CT_X_MONEY ? money_fault(u, t, e) : wrong_kind(u, t, e);
    case CT_TYPE_TEXT:
        return kind == CT_X_STR ? text_fault(u, t, e) : wrong_kind(u, t, e);
    case CT_TYPE_ENUM:
        return kind == CT_X_STR ? enum_fault(u, t, e) : wrong_kind(u, t, e);
    case CT_TYPE_DATE:
    case CT_TYPE_DATETIME:
        return kind == CT_X_STR ? time_fault(u, t, e) : wrong_kind(u, t, e);
    case CT_TYPE_DURATION:
        if (kind == CT_X_INT) {
            *tolerated = true;
            return int_fault(u, t, e);
        }
        return kind == CT_X_DURATION ? duration_fault(u, t, e) : wrong_kind(u, t, e);
    case CT_TYPE_LIST:
        return kind == CT_X_LIST ? list_fault(u, t, e, tolerated) : wrong_kind(u, t, e);
    case CT_TYPE_RECORD:
        return kind == CT_X_RECORD ? record_fault(u, t, e, tolerated)
                                   : wrong_kind(u, t, e);
    case CT_TYPE_UNION:
        return kind == CT_X_ENTRY || kind == CT_X_RECORD
                   ? union_fault(u, t, e, tolerated)
                   : wrong_kind(u, t, e);
    case CT_TYPE_REF:
    case CT_TYPE_ERROR: break;
    }
    return MT_STR("");
}

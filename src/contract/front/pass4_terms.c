/* contract/front/pass4_terms.c - names and the types of values: the NumericModel's
 * promotions, fields, indices, products and sums. */
#include "contract/front/check.h"

ct_place ct_check_at(const ct_check *k, const ct_expr *e, bool late)
{
    ct_place at = ct_at(k->c, k->tok ? k->tok : e->tok, k->field);
    at.late = late || k->late;
    if (!at.late && k->anchor && !k->tok &&
        ct_line(at.file, k->anchor) != ct_line(at.file, at.tok)) {
        at.tok = k->anchor;
    }
    return at;
}

bool ct_is_literal(const ct_expr *e)
{
    return e->kind <= CT_X_DURATION;
}

static ct_type *new_type(ct_check *k, ct_base base)
{
    ct_type *t = mt_new(k->u->keep, ct_type);
    t->base = (uint8_t)base;
    return t;
}

static const ct_type *new_int(ct_check *k, int64_t min, int64_t max)
{
    ct_type *t = new_type(k, CT_TYPE_INT);
    t->min = min;
    t->max = max;
    return t;
}

static const ct_type *new_decimal(ct_check *k, uint32_t precision, uint32_t scale)
{
    ct_type *t = new_type(k, CT_TYPE_DECIMAL);
    t->precision = precision;
    t->scale = scale;
    return t;
}

/* ---- names ---- */

static const ct_type *unresolved(ct_check *k, ct_expr *e, bool direct)
{
    if (k->u->incomplete) {
        return &CT_UNKNOWN;
    }
    if (!direct && ct_find(k->u, CT_ENTITY, e->sym)) {
        ct_report(
            k->u, CT_E_ENTITY_STATE, ct_check_at(k, e, true),
            "entity '%.*s' in a condition; the state of an entity is no term, the "
            "effects of the operation say from which state it may start",
            CT_ARG(k->u, e->sym));
        return &CT_UNKNOWN;
    }
    ct_report(k->u, CT_E_FACT_UNRESOLVED, ct_check_at(k, e, !direct),
              "unresolved fact reference: '%.*s' is not declared in this contract",
              CT_ARG(k->u, e->sym));
    return &CT_UNKNOWN;
}

void ct_check_stratum(ct_check *k, const ct_expr *e, const ct_rule *rule)
{
    if (rule->stratum >= k->stratum) {
        ct_report(k->u, CT_E_VERDICT_STRATUM, ct_check_at(k, e, true),
                  "a rule at stratum %lld reads verdict '%.*s', which rule '%.*s' "
                  "produces at stratum %lld; only verdicts of lower strata can be read",
                  (long long)k->stratum, CT_ARG(k->u, e->sym),
                  CT_ARG(k->u, rule->head.id), (long long)rule->stratum);
    }
}

static const ct_type *verdict_type(ct_check *k, ct_expr *e, ct_rule *rule)
{
    rule->verdict_used = true;
    e->op = CT_REF_VERDICT;
    ct_check_stratum(k, e, rule);
    return rule->payload_type ? rule->payload_type : &CT_UNKNOWN;
}

static const ct_type *name_type(ct_check *k, ct_expr *e, bool direct)
{
    for (size_t i = k->variables.len; i-- > 0;) {
        if (k->variables.items[i].name == e->sym) {
            e->op = CT_REF_VARIABLE;
            return k->variables.items[i].type;
        }
    }
    ct_fact *fact = ct_find(k->u, CT_FACT, e->sym);
    if (fact) {
        e->op = CT_REF_FACT;
        fact->head.used = true;
        return fact->head.broken || !fact->type ? &CT_UNKNOWN : fact->type;
    }
    ct_rule *rule = ct_find_verdict(k->u, e->sym);
    return rule ? verdict_type(k, e, rule) : unresolved(k, e, direct);
}

/* ---- fields and elements ---- */

/* The tag of a union is one of its variants' names. */
static const ct_type *tag_type(ct_check *k, const ct_type *of)
{
    ct_type *t = new_type(k, CT_TYPE_ENUM);
    t->values = mt_new_array(k->u->keep, ct_sym, of->field_count);
    t->value_count = of->field_count;
    for (uint32_t i = 0; i < of->field_count; i++) {
        t->values[i] = of->fields[i].name;
    }
    t->sorted = ct_sorted_syms(k->u->keep, t->values, t->value_count);
    return t;
}

static const ct_type *no_field(ct_check *k, ct_expr *e, const ct_type *of)
{
    ct_report(k->u, of->base == CT_TYPE_UNION ? CT_E_UNION_TAG : CT_E_FIELD_UNKNOWN,
              ct_check_at(k, e, true), "%s has no %s '%.*s'",
              ct_type_text(k->u, k->u->keep, of).ptr,
              of->base == CT_TYPE_UNION ? "variant" : "field", CT_ARG(k->u, e->sym));
    return &CT_UNKNOWN;
}

static const ct_type *field_type(ct_check *k, ct_expr *e)
{
    const ct_type *of = ct_term_type(k, e->left, false);
    if (ct_is_unknown(of)) {
        return of;
    }
    if (of->base == CT_TYPE_MONEY && e->sym == CT_W_amount) {
        return new_decimal(k, 28, 2);
    }
    if (of->base == CT_TYPE_MONEY && e->sym == CT_W_currency) {
        return &CT_TEXT;
    }
    if (of->base == CT_TYPE_UNION && e->sym == CT_W_tag) {
        return tag_type(k, of);
    }
    if (of->base != CT_TYPE_RECORD && of->base != CT_TYPE_UNION) {
        return no_field(k, e, of);
    }
    const ct_type *field = ct_type_field_of(k->u, of, e->sym);
    return field ? field : no_field(k, e, of);
}

static const ct_type *index_fault(ct_check *k, ct_expr *e, const char *what,
                                  const ct_type *t)
{
    if (!ct_is_unknown(t)) {
        ct_report(k->u, CT_E_INDEX_TYPE, ct_check_at(k, e, true), "%s, not %s", what,
                  ct_type_text(k->u, k->u->keep, t).ptr);
    }
    return &CT_UNKNOWN;
}

static const ct_type *index_type(ct_check *k, ct_expr *e)
{
    const ct_type *list = ct_term_type(k, e->left, false);
    const ct_type *index = ct_term_type(k, e->right, false);
    if (list->base != CT_TYPE_LIST) {
        return index_fault(k, e, "only a List has elements", list);
    }
    if (index->base != CT_TYPE_INT || index->max < 0) {
        return index_fault(k, e, "an index is a non-negative Int", index);
    }
    return list->element;
}

static const ct_type *len_type(ct_check *k, ct_expr *e)
{
    const ct_type *list = ct_term_type(k, e->left, false);
    return list->base == CT_TYPE_LIST ? new_int(k, 0, list->limit)
                                      : index_fault(k, e, "len() is of a List", list);
}

/* ---- arithmetic ---- */

static const ct_type *undefined(ct_check *k, const ct_expr *e, const ct_type *a,
                                const ct_type *b)
{
    static const char *const SIGNS[] = {
        [CT_X_MUL] = "*", [CT_X_ADD] = "+", [CT_X_SUB] = "-"};
    if (!ct_is_unknown(a) && !ct_is_unknown(b)) {
        ct_place at = ct_check_at(k, e, true);
        if (a->base == CT_TYPE_MONEY && b->base == CT_TYPE_MONEY) {
            at.hint =
                "convert in a rule with a rate supplied as a fact, and use its verdict";
        }
        ct_report(k->u, CT_E_ARITHMETIC_TYPES, at, "%s %s %s is not defined",
                  ct_type_text(k->u, k->u->keep, a).ptr, SIGNS[e->kind],
                  ct_type_text(k->u, k->u->keep, b).ptr);
    }
    return &CT_UNKNOWN;
}

static const ct_type *out_of_range(ct_check *k, const ct_expr *e)
{
    ct_report(k->u, CT_E_ARITHMETIC_RANGE, ct_check_at(k, e, true),
              "the result can leave the 64-bit range of Int");
    return &CT_UNKNOWN;
}

static bool is_numeric(const ct_type *t)
{
    return t->base == CT_TYPE_INT || t->base == CT_TYPE_DECIMAL;
}

/* Int as the Decimal it is promoted to. */
static ct_type as_decimal(const ct_type *t)
{
    if (t->base == CT_TYPE_DECIMAL) {
        return *t;
    }
    return (ct_type){.base = CT_TYPE_DECIMAL, .precision = ct_int_precision(t)};
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static const ct_type *add_range(ct_check *k, const ct_expr *e, const ct_type *a,
                                const ct_type *b, ct_type *out)
{
    bool bad = e->kind == CT_X_ADD
                   ? __builtin_add_overflow(a->min, b->min, &out->min) ||
                         __builtin_add_overflow(a->max, b->max, &out->max)
                   : __builtin_sub_overflow(a->min, b->max, &out->min) ||
                         __builtin_sub_overflow(a->max, b->min, &out->max);
    return bad ? out_of_range(k, e) : out;
}

static const ct_type *sum_of_numbers(ct_check *k, const ct_expr *e, const ct_type *a,
                                     const ct_type *b)
{
    if (a->base == CT_TYPE_INT && b->base == CT_TYPE_INT) {
        return add_range(k, e, a, b, new_type(k, CT_TYPE_INT));
    }
    ct_type x = as_decimal(a), y = as_decimal(b);
    return new_decimal(k, larger(x.precision, y.precision) + 1,
                       larger(x.scale, y.scale));
}

/* `t` in the smaller unit `unit`. */
static bool promote(ct_check *k, const ct_type *t, ct_sym unit, ct_type *out)
{
    int64_t factor = ct_unit_seconds(t->name) / ct_unit_seconds(unit);
    (void)k;
    *out = (ct_type){.base = CT_TYPE_DURATION, .name = unit};
    return !__builtin_mul_overflow(t->min, factor, &out->min) &&
           !__builtin_mul_overflow(t->max, factor, &out->max);
}

static const ct_type *sum_of_durations(ct_check *k, const ct_expr *e, const ct_type *a,
                                       const ct_type *b)
{
    int64_t first = ct_unit_seconds(a->name), second = ct_unit_seconds(b->name);
    if (!first || !second) {
        return &CT_UNKNOWN; /* the unit is reported already */
    }
    ct_sym unit = first < second ? a->name : b->name;
    ct_type x, y, *sum = new_type(k, CT_TYPE_DURATION);
    sum->name = unit;
    if (!promote(k, a, unit, &x) || !promote(k, b, unit, &y)) {
        return out_of_range(k, e);
    }
    return add_range(k, e, &x, &y, sum);
}

/* Years 0001 to 9999 bound every difference. */
static const ct_type *datetime_difference(ct_check *k)
{
    enum { DAYS = 3652058 }; /* 0001-01-01 to 9999-12-31 */
    ct_type *t = new_type(k, CT_TYPE_DURATION);
    t->max = (int64_t)DAYS * 86400 + 86399;
    t->min = -t->max;
    t->name = CT_W_seconds;
    return t;
}

/* A string beside a DateTime is one. */
static const ct_type *as_datetime(ct_check *k, const ct_expr *e, const ct_type *t,
                                  const ct_type *other)
{
    bool is_text = e->kind == CT_X_STR && other->base == CT_TYPE_DATETIME;
    return is_text && ct_valid_datetime(ct_str(k->u, e->sym)) ? &CT_DATETIME : t;
}

static const ct_type *sum_type(ct_check *k, ct_expr *e)
{
    const ct_type *a = ct_term_type(k, e->left, false);
    const ct_type *b = ct_term_type(k, e->right, false);
    bool subtract = e->kind == CT_X_SUB;
    a = as_datetime(k, e->left, a, b);
    b = as_datetime(k, e->right, b, a);
    if (is_numeric(a) && is_numeric(b)) {
        return sum_of_numbers(k, e, a, b);
    }
    if (a->base == CT_TYPE_MONEY && b->base == CT_TYPE_MONEY && a->name == b->name) {
        return a;
    }
    if (a->base == CT_TYPE_DURATION && b->base == CT_TYPE_DURATION) {
        return sum_of_durations(k, e, a, b);
    }
    if (a->base == CT_TYPE_DATETIME && b->base == CT_TYPE_DURATION) {
        return &CT_DATETIME;
    }
    if (!subtract && a->base == CT_TYPE_DURATION && b->base == CT_TYPE_DATETIME) {
        return &CT_DATETIME;
    }
    if (subtract && a->base == CT_TYPE_DATETIME && b->base == CT_TYPE_DATETIME) {
        return datetime_difference(k);
    }
    return undefined(k, e, a, b);
}

static const ct_type *product_of_ints(ct_check *k, const ct_expr *e, const ct_type *a,
                                      const ct_type *b)
{
    int64_t p[4];
    if (__builtin_mul_overflow(a->min, b->min, &p[0]) ||
        __builtin_mul_overflow(a->min, b->max, &p[1]) ||
        __builtin_mul_overflow(a->max, b->min, &p[2]) ||
        __builtin_mul_overflow(a->max, b->max, &p[3])) {
        return out_of_range(k, e);
    }
    int64_t min = p[0], max = p[0];
    for (int i = 1; i < 4; i++) {
        min = p[i] < min ? p[i] : min;
        max = p[i] > max ? p[i] : max;
    }
    return new_int(k, min, max);
}

static const ct_type *product_of_decimals(ct_check *k, const ct_expr *e,
                                          const ct_type *a, const ct_type *b)
{
    ct_type x = as_decimal(a), y = as_decimal(b);
    bool scaled = ct_is_literal(e->left) || ct_is_literal(e->right);
    const ct_expr *literal = ct_is_literal(e->right) ? e->right : e->left;
    if (!scaled) {
        uint32_t precision = x.precision + y.precision, scale = x.scale + y.scale;
        return new_decimal(k, precision < 28 ? precision : 28, scale < 28 ? scale : 28);
    }
    if (literal->kind == CT_X_INT) {
        const ct_type *factor = literal == e->right ? &x : &y;
        return new_decimal(
            k, factor->precision + ct_digits(ct_int_value(&k->u->syms, literal->sym)),
            factor->scale);
    }
    /* A Decimal keeps its scale; an Int takes the literal's. */
    const ct_type *factor = literal == e->right ? a : b;
    uint32_t digits, fraction;
    ct_decimal_literal(ct_str(k->u, literal->sym), &digits, &fraction);
    ct_type wide = as_decimal(factor);
    return new_decimal(k, wide.precision + digits,
                       factor->base == CT_TYPE_INT ? fraction : wide.scale);
}

void ct_report_product(ct_check *k, const ct_expr *e, bool late)
{
    ct_report(k->u, CT_E_VARIABLE_PRODUCT, ct_check_at(k, e, late),
              "type error: variable × variable multiplication is not permitted in "
              "PredicateExpression; only variable × literal_numeric is allowed");
}

static const ct_type *product_type(ct_check *k, ct_expr *e)
{
    if (e->type && ct_is_unknown(e->type)) {
        return e->type; /* reported already */
    }
    const ct_type *a = ct_term_type(k, e->left, false);
    const ct_type *b = ct_term_type(k, e->right, false);
    if (!is_numeric(a) || !is_numeric(b)) {
        return undefined(k, e, a, b);
    }
    bool by_literal = ct_is_literal(e->left) || ct_is_literal(e->right);
    if (!by_literal && !k->in_payload) {
        ct_report_product(k, e, true);
        return &CT_UNKNOWN;
    }
    return a->base == CT_TYPE_INT && b->base == CT_TYPE_INT
               ? product_of_ints(k, e, a, b)
               : product_of_decimals(k, e, a, b);
}

/* ---- all terms ---- */

static const ct_type *literal_type(ct_check *k, ct_expr *e)
{
    uint32_t precision, scale;
    ct_type *t;
    switch (e->kind) {
    case CT_X_BOOL: return &CT_BOOL;
    case CT_X_STR: return &CT_TEXT;
    case CT_X_INT: {
        int64_t n = ct_int_value(&k->u->syms, e->sym);
        return new_int(k, n, n);
    }
    case CT_X_FLOAT:
        ct_decimal_literal(ct_str(k->u, e->sym), &precision, &scale);
        return new_decimal(k, precision, scale);
    case CT_X_MONEY:
        t = new_type(k, CT_TYPE_MONEY);
        t->name = e->sym2;
        return t;
    default:
        t = new_type(k, CT_TYPE_DURATION);
        t->min = t->max = ct_int_value(&k->u->syms, e->sym);
        t->name = e->sym2;
        return t;
    }
}

/* A number that would be another one once it is computed with (§13.6). */
static void check_digits(ct_check *k, const ct_expr *e)
{
    mt_str text = ct_str(k->u, e->sym);
    ct_place at = ct_check_at(k, e, true);
    at.tok = e->tok;
    if (!ct_valid_decimal(text)) {
        ct_report(k->u, CT_E_LITERAL_VALUE, at, "'%.*s' is no decimal number",
                  MT_ARG(text));
    } else if (!ct_exact_decimal(text)) {
        ct_report(k->u, CT_E_LITERAL_DIGITS, at,
                  "%.*s has more digits than can be computed with: 28 in all, 28 "
                  "behind the dot",
                  MT_ARG(text));
    }
}

/* A literal that is no value of its own type: a bad amount, an unknown unit. */
static void check_literal(ct_check *k, const ct_expr *e, const ct_type *t)
{
    bool tolerated = false;
    if (e->kind == CT_X_FLOAT) {
        check_digits(k, e);
    } else if (e->kind == CT_X_MONEY || e->kind == CT_X_DURATION) {
        mt_str fault = ct_literal_fault(k->u, t, e, &tolerated);
        if (fault.len) {
            ct_place at = ct_check_at(k, e, true);
            ct_report(k->u, CT_E_LITERAL_VALUE, at, "%.*s", MT_ARG(fault));
        }
    }
}

static const ct_type *no_term(ct_check *k, const ct_expr *e)
{
    ct_report(k->u, CT_E_NOT_A_TERM, ct_check_at(k, e, true),
              "a condition cannot be compared or computed with");
    return &CT_UNKNOWN;
}

static const ct_type *infer(ct_check *k, ct_expr *e, bool direct)
{
    if (ct_is_literal(e)) {
        const ct_type *t = literal_type(k, e);
        check_literal(k, e, t);
        return t;
    }
    switch (e->kind) {
    case CT_X_REF: return name_type(k, e, direct);
    case CT_X_FIELD: return field_type(k, e);
    case CT_X_INDEX: return index_type(k, e);
    case CT_X_LEN: return len_type(k, e);
    case CT_X_MUL: return product_type(k, e);
    case CT_X_ADD:
    case CT_X_SUB: return sum_type(k, e);
    default: return no_term(k, e);
    }
}

const ct_type *ct_term_type(ct_check *k, ct_expr *e, bool direct)
{
    e->type = infer(k, e, direct);
    return e->type;
}

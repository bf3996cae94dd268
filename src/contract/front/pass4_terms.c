/* contract/front/pass4_terms.c - names and the types of values: the NumericModel's
 * promotions, fields, indices, products and sums.
 *
 * Int becomes Decimal beside a Decimal, durations the smaller unit; ranges of sums and
 * products follow from those of their operands and must fit 64 bits. A name is a
 * variable, a fact, then a verdict of a lower stratum.
 *
 * A term that has no type is FR_UNKNOWN after one report, and everything built on it
 * is silent. Where a report stands is decided by fr_check_at(): the suite wants the
 * line of the construct's field for some and the token for others. */
#include "base/utf8.h"
#include "contract/front/check.h"
#include "contract/front/parser.h"
#include "contract/front/suggest.h"

/* An error that the suite knows is shown on the line where its comparison begins; a
 * late one at the term itself, which is of more use. People see all of them there. */
fr_place fr_check_at(const fr_check *k, const fr_expr *e, bool late)
{
    fr_place at = fr_at(k->c, k->tok ? k->tok : e->tok, k->field);
    at.late = late || k->late;
    if (!at.late && k->anchor && !k->tok &&
        fr_line(at.file, k->anchor) != fr_line(at.file, at.tok)) {
        at.tok = k->anchor;
    }
    fr_span span = fr_expr_span(at.file, e);
    return fr_exactly(at, span.first, span.last);
}

fr_place fr_check_types(const fr_check *k, const fr_expr *e, const char *before,
                        const fr_type *a, const char *between, const fr_type *b,
                        const char *behind)
{
    fr_place at = fr_check_at(k, e, true);
    mt_arena *keep = k->u->keep;
    at.exact.message =
        fr_said(k->u, "%s%.*s%s%.*s%s", before,
                MT_ARG(a ? fr_type_spell(k->u, keep, a) : MT_STR("")), between,
                MT_ARG(b ? fr_type_spell(k->u, keep, b) : MT_STR("")), behind);
    return at;
}

/* Relies on the order of fr_expr_kind: literals stand first, Duration last of them. */
bool fr_is_literal(const fr_expr *e)
{
    return e->kind <= FR_X_DURATION;
}

static fr_type *new_type(fr_check *k, const fr_type *like)
{
    fr_type *t = mt_new(k->u->keep, fr_type);
    *t = *like;
    return t;
}

static const fr_type *new_int(fr_check *k, int64_t min, int64_t max)
{
    fr_type *t = new_type(k, &FR_INT);
    t->min = min;
    t->max = max;
    return t;
}

static const fr_type *new_decimal(fr_check *k, uint32_t precision, uint32_t scale)
{
    fr_type *t = new_type(k, &FR_DECIMAL);
    t->precision = precision;
    t->scale = scale;
    return t;
}

/* ---- names ---- */

/* What the name may have been: a truth value of another language, or what can stand
 * there, variables first. */
static fr_place at_unresolved(fr_check *k, const fr_expr *e, bool late)
{
    fr_place at = fr_check_at(k, e, late);
    fr_tok tok = e->tok;
    bool truth;
    if (fr_is_bool_slip(fr_str(k->u, e->sym), &truth)) {
        at.hint = truth ? "write true" : "write false";
        at.exact.fix = fr_fix(k->u, at.file, tok, tok,
                              truth ? MT_STR("true") : MT_STR("false"), true);
        return at;
    }
    if (k->beside && fr_has_value(k->beside, e->sym)) {
        mt_str text = fr_said(k->u, "\"%.*s\"", FR_ARG(k->u, e->sym));
        at.hint = fr_said(k->u, "a value of an Enum stands in double quotes: %.*s",
                          MT_ARG(text))
                      .ptr;
        at.exact.fix = fr_fix(k->u, at.file, tok, tok, text, false);
        return at;
    }
    mt_nearest n = fr_nearest(k->u, e->sym);
    for (size_t i = k->variables.len; i-- > 0;) {
        fr_offer_sym(k->u, &n, k->variables.items[i].name);
    }
    fr_offer_kind(k->u, &n, FR_FACT);
    fr_offer_verdicts(k->u, &n);
    return fr_meant(k->u, at, &n, tok);
}

/* §10.6: an entity in a condition is a mistake of its own and gets its own words,
 * except where the suite has a message for unknown names. */
static const fr_type *unresolved(fr_check *k, fr_expr *e, bool direct)
{
    if (k->u->incomplete) {
        return &FR_UNKNOWN;
    }
    if (!direct && fr_find(k->u, FR_ENTITY, e->sym)) {
        fr_report(
            k->u, FR_E_ENTITY_STATE, fr_check_at(k, e, true),
            "entity '%.*s' in a condition; the state of an entity is not a term, the "
            "effects of the operation say from which state it may start",
            FR_ARG(k->u, e->sym));
        return &FR_UNKNOWN;
    }
    fr_report(k->u, FR_E_FACT_UNRESOLVED, at_unresolved(k, e, !direct),
              "unresolved fact reference: '%.*s' is not declared in this contract",
              FR_ARG(k->u, e->sym));
    return &FR_UNKNOWN;
}

/* For operations and flows `stratum` is INT64_MAX, so nothing is reported. */
void fr_check_stratum(fr_check *k, const fr_expr *e, const fr_rule *rule)
{
    if (rule->stratum >= k->stratum) {
        fr_report(k->u, FR_E_VERDICT_STRATUM, fr_check_at(k, e, true),
                  "a rule at stratum %lld reads verdict '%.*s', which rule '%.*s' "
                  "produces at stratum %lld; only verdicts of lower strata can be read",
                  (long long)k->stratum, FR_ARG(k->u, e->sym),
                  FR_ARG(k->u, rule->head.id), (long long)rule->stratum);
    }
}

/* The payload of a rule whose type is not inferred yet is unknown; that happens only
 * when its stratum is not lower, which is reported. */
static const fr_type *verdict_type(fr_check *k, fr_expr *e, fr_rule *rule)
{
    rule->verdict_used = true;
    e->op = FR_REF_VERDICT;
    fr_check_stratum(k, e, rule);
    return rule->payload_type ? rule->payload_type : &FR_UNKNOWN;
}

/* `op` notes what the name turned out to be, for pass 6 and for ct_fix_strata(). */
static const fr_type *name_type(fr_check *k, fr_expr *e, bool direct)
{
    for (size_t i = k->variables.len; i-- > 0;) {
        if (k->variables.items[i].name == e->sym) {
            e->op = FR_REF_VARIABLE;
            return k->variables.items[i].type;
        }
    }
    fr_fact *fact = fr_find(k->u, FR_FACT, e->sym);
    if (fact) {
        e->op = FR_REF_FACT;
        fact->head.used = true;
        return fact->head.broken || !fact->type ? &FR_UNKNOWN : fact->type;
    }
    fr_rule *rule = fr_find_verdict(k->u, e->sym);
    return rule ? verdict_type(k, e, rule) : unresolved(k, e, direct);
}

/* ---- fields and elements ---- */

/* The tag of a union is one of its variants' names. */
static const fr_type *tag_type(fr_check *k, const fr_type *of)
{
    fr_type *t = new_type(k, &FR_ENUM);
    t->values = mt_new_array(k->u->keep, fr_sym, of->field_count);
    t->value_count = of->field_count;
    for (uint32_t i = 0; i < of->field_count; i++) {
        t->values[i] = of->fields[i].name;
    }
    t->sorted = fr_sorted_syms(k->u->keep, t->values, t->value_count);
    return t;
}

static const fr_type *no_field(fr_check *k, fr_expr *e, const fr_type *of)
{
    fr_place at =
        fr_meant_field(k->u, fr_check_at(k, e, true), of, (fr_name){e->sym, e->sym2});
    fr_report(k->u, fr_holds(of, LN_VARIANT) ? FR_E_UNION_TAG : FR_E_FIELD_UNKNOWN, at,
              "%s has no %s '%.*s'", fr_type_text(k->u, k->u->keep, of).ptr,
              fr_holds(of, LN_VARIANT) ? "variant" : "field", FR_ARG(k->u, e->sym));
    return &FR_UNKNOWN;
}

/* amount and currency of Money, tag of a union: parts that nobody declares. */
static const fr_type *field_type(fr_check *k, fr_expr *e)
{
    const fr_type *of = fr_term_type(k, e->left, false);
    if (fr_is_unknown(of)) {
        return of;
    }
    if (fr_has(of, LN_CURRENCY) && e->sym == FR_W_amount) {
        return new_decimal(k, 28, 2);
    }
    if (fr_has(of, LN_CURRENCY) && e->sym == FR_W_currency) {
        fr_type *code = new_type(k, &FR_TEXT);
        code->length = (int64_t)mt_utf8_count(fr_str(k->u, of->name));
        return code;
    }
    if (fr_holds(of, LN_VARIANT) && e->sym == FR_W_tag) {
        return tag_type(k, of);
    }
    const fr_type *field = fr_type_field_of(k->u, of, e->sym);
    return field ? field : no_field(k, e, of);
}

/* `part` is what is at fault. */
static const fr_type *index_fault(fr_check *k, const fr_expr *part, const char *what,
                                  const char *hint, const fr_type *t)
{
    if (!fr_is_unknown(t)) {
        fr_place at = fr_check_types(k, part, what, NULL, ", not ", t, "");
        at.hint = hint;
        fr_report(k->u, FR_E_INDEX_TYPE, at, "%s, not %s", what,
                  fr_type_text(k->u, k->u->keep, t).ptr);
    }
    return &FR_UNKNOWN;
}

/* An index that can only be negative is refused; one that may be too large is checked
 * at run time, since a list may be shorter than its maximum. */
static const fr_type *index_type(fr_check *k, fr_expr *e)
{
    const fr_type *list = fr_term_type(k, e->left, false);
    const fr_type *index = fr_term_type(k, e->right, false);
    if (!fr_holds(list, LN_LIST)) {
        return index_fault(k, e->left, "only a List has elements", "index a List",
                           list);
    }
    if (!fr_is_int(index) || index->max < 0) {
        return index_fault(k, e->right, "an index is a non-negative Int",
                           "elements are counted from 0", index);
    }
    return list->element;
}

static const fr_type *len_type(fr_check *k, fr_expr *e)
{
    const fr_type *list = fr_term_type(k, e->left, false);
    return fr_holds(list, LN_LIST) ? new_int(k, 0, list->limit)
                                   : index_fault(k, e->left, "len() is of a List",
                                                 "only a List has a length", list);
}

/* ---- arithmetic ---- */

/* Silent when a side is unknown. Two currencies get the way out of §7.6 as a hint. */
static const fr_type *undefined(fr_check *k, const fr_expr *e, const fr_type *a,
                                const fr_type *b)
{
    /* SPARSE: nothing else calculates. */
    static const char *const SIGNS[] = {
        [FR_X_MUL] = "*", [FR_X_ADD] = "+", [FR_X_SUB] = "-"};
    if (!fr_is_unknown(a) && !fr_is_unknown(b)) {
        mt_str sign = mt_strf(k->u->keep, " %s ", SIGNS[e->kind]);
        fr_place at = fr_check_types(k, e, "", a, sign.ptr, b, " is not defined");
        if (fr_has(a, LN_CURRENCY) && fr_has(b, LN_CURRENCY)) {
            at.hint =
                "convert in a rule with a rate supplied as a fact, and use its verdict";
        }
        fr_report(k->u, FR_E_ARITHMETIC_TYPES, at, "%s %s %s is not defined",
                  fr_type_text(k->u, k->u->keep, a).ptr, SIGNS[e->kind],
                  fr_type_text(k->u, k->u->keep, b).ptr);
    }
    return &FR_UNKNOWN;
}

/* §13.3 forbids wrap-around, so a range that 64 bits cannot hold is refused before it
 * could occur. */
static const fr_type *out_of_range(fr_check *k, const fr_expr *e)
{
    fr_report(k->u, FR_E_ARITHMETIC_RANGE, fr_check_at(k, e, true),
              "the result can leave the 64-bit range of Int");
    return &FR_UNKNOWN;
}

static bool is_numeric(const fr_type *t)
{
    return fr_has(t, LN_NUMBER);
}

/* Int as the Decimal it is promoted to. */
static fr_type as_decimal(const fr_type *t)
{
    if (fr_is_decimal(t)) {
        return *t;
    }
    fr_type decimal = FR_DECIMAL;
    decimal.precision = fr_int_precision(t);
    return decimal;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* A difference has crossed bounds: least minus greatest is the least. */
static const fr_type *add_range(fr_check *k, const fr_expr *e, const fr_type *a,
                                const fr_type *b, fr_type *out)
{
    bool bad = e->kind == FR_X_ADD
                   ? __builtin_add_overflow(a->min, b->min, &out->min) ||
                         __builtin_add_overflow(a->max, b->max, &out->max)
                   : __builtin_sub_overflow(a->min, b->max, &out->min) ||
                         __builtin_sub_overflow(a->max, b->min, &out->max);
    return bad ? out_of_range(k, e) : out;
}

static const fr_type *sum_of_numbers(fr_check *k, const fr_expr *e, const fr_type *a,
                                     const fr_type *b)
{
    if (fr_is_int(a) && fr_is_int(b)) {
        return add_range(k, e, a, b, new_type(k, &FR_INT));
    }
    fr_type x = as_decimal(a), y = as_decimal(b);
    return new_decimal(k, larger(x.precision, y.precision) + 1,
                       larger(x.scale, y.scale));
}

/* `t` in the smaller unit `unit`. Each unit is a multiple of the smaller ones, so the
 * factor is whole. */
static bool promote(fr_check *k, const fr_type *t, fr_sym unit, fr_type *out)
{
    int64_t factor = fr_unit_seconds(t->name) / fr_unit_seconds(unit);
    (void)k;
    *out = FR_DURATION;
    out->name = unit;
    return !__builtin_mul_overflow(t->min, factor, &out->min) &&
           !__builtin_mul_overflow(t->max, factor, &out->max);
}

static const fr_type *sum_of_durations(fr_check *k, const fr_expr *e, const fr_type *a,
                                       const fr_type *b)
{
    int64_t first = fr_unit_seconds(a->name), second = fr_unit_seconds(b->name);
    if (!first || !second) {
        return &FR_UNKNOWN; /* the unit is reported already */
    }
    fr_sym unit = first < second ? a->name : b->name;
    fr_type x, y, *sum = new_type(k, &FR_DURATION);
    sum->name = unit;
    if (!promote(k, a, unit, &x) || !promote(k, b, unit, &y)) {
        return out_of_range(k, e);
    }
    return add_range(k, e, &x, &y, sum);
}

/* Years 0001 to 9999 bound every difference. §4.4: the bounds are derived from the
 * calendar that dates are read with; bundles have these bytes, and the loader adds the
 * second that fractions may round up to. */
static const fr_type *datetime_difference(fr_check *k)
{
    enum { DAYS = 3652058 }; /* 0001-01-01 to 9999-12-31 */
    fr_type *t = new_type(k, &FR_DURATION);
    t->max = (int64_t)DAYS * 86400 + 86399;
    t->min = -t->max;
    t->name = FR_W_seconds;
    return t;
}

/* A string beside a DateTime is one. */
static const fr_type *as_datetime(fr_check *k, const fr_expr *e, const fr_type *t,
                                  const fr_type *other)
{
    bool is_text = e->kind == FR_X_STR && fr_holds(other, LN_TIME);
    return is_text && fr_valid_datetime(fr_str(k->u, e->sym)) ? &FR_DATETIME : t;
}

/* The table of §4.2; the loader has the same one in wire/promote.c, on its own
 * types. */
static const fr_type *sum_type(fr_check *k, fr_expr *e)
{
    const fr_type *a = fr_term_type(k, e->left, false);
    const fr_type *b = fr_term_type(k, e->right, false);
    bool subtract = e->kind == FR_X_SUB;
    a = as_datetime(k, e->left, a, b);
    b = as_datetime(k, e->right, b, a);
    if (is_numeric(a) && is_numeric(b)) {
        return sum_of_numbers(k, e, a, b);
    }
    if (fr_has(a, LN_CURRENCY) && fr_has(b, LN_CURRENCY) && a->name == b->name) {
        return a;
    }
    if (fr_has(a, LN_UNIT) && fr_has(b, LN_UNIT)) {
        return sum_of_durations(k, e, a, b);
    }
    bool moved = (fr_holds(a, LN_TIME) && fr_has(b, LN_UNIT)) ||
                 (fr_has(a, LN_UNIT) && fr_holds(b, LN_TIME));
    if (!subtract && moved) {
        return &FR_DATETIME;
    }
    if (subtract && fr_holds(a, LN_TIME) && fr_holds(b, LN_TIME)) {
        return datetime_difference(k);
    }
    return undefined(k, e, a, b);
}

static const fr_type *product_of_ints(fr_check *k, const fr_expr *e, const fr_type *a,
                                      const fr_type *b)
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

/* §13.2 for a literal factor. Two variables occur in payloads only and are capped at 28
 * digits, beyond which nothing can be computed (§13.6). */
static const fr_type *product_of_decimals(fr_check *k, const fr_expr *e,
                                          const fr_type *a, const fr_type *b)
{
    fr_type x = as_decimal(a), y = as_decimal(b);
    bool scaled = fr_is_literal(e->left) || fr_is_literal(e->right);
    const fr_expr *literal = fr_is_literal(e->right) ? e->right : e->left;
    if (!scaled) {
        uint32_t precision = x.precision + y.precision, scale = x.scale + y.scale;
        return new_decimal(k, precision < 28 ? precision : 28, scale < 28 ? scale : 28);
    }
    if (literal->kind == FR_X_INT) {
        const fr_type *factor = literal == e->right ? &x : &y;
        return new_decimal(
            k, factor->precision + fr_digits(fr_int_value(&k->u->syms, literal->sym)),
            factor->scale);
    }
    /* A Decimal keeps its scale; an Int takes the literal's. */
    const fr_type *factor = literal == e->right ? a : b;
    uint32_t digits, fraction;
    fr_decimal_literal(fr_str(k->u, literal->sym), &digits, &fraction);
    fr_type wide = as_decimal(factor);
    return new_decimal(k, wide.precision + digits,
                       fr_is_int(factor) ? fraction : wide.scale);
}

void fr_report_product(fr_check *k, const fr_expr *e, bool late)
{
    fr_report(k->u, FR_E_VARIABLE_PRODUCT, fr_check_at(k, e, late),
              "type error: variable × variable multiplication is not permitted in "
              "PredicateExpression; only variable × literal_numeric is allowed");
}

/* In a predicate one factor is a literal (§10.4): that keeps it linear, so it can be
 * analysed. */
static const fr_type *product_type(fr_check *k, fr_expr *e)
{
    if (e->type && fr_is_unknown(e->type)) {
        return e->type; /* reported already */
    }
    const fr_type *a = fr_term_type(k, e->left, false);
    const fr_type *b = fr_term_type(k, e->right, false);
    if (!is_numeric(a) || !is_numeric(b)) {
        return undefined(k, e, a, b);
    }
    bool by_literal = fr_is_literal(e->left) || fr_is_literal(e->right);
    if (!by_literal && !k->in_payload) {
        fr_report_product(k, e, true);
        return &FR_UNKNOWN;
    }
    return fr_is_int(a) && fr_is_int(b) ? product_of_ints(k, e, a, b)
                                        : product_of_decimals(k, e, a, b);
}

/* ---- all terms ---- */

/* §13.5. A string is a Text without a length until it meets what it is compared
 * with. */
static const fr_type *literal_type(fr_check *k, fr_expr *e)
{
    uint32_t precision, scale;
    fr_type *t;
    switch (e->kind) {
    case FR_X_BOOL: return &FR_BOOL;
    case FR_X_STR: return &FR_TEXT;
    case FR_X_INT: {
        int64_t n = fr_int_value(&k->u->syms, e->sym);
        return new_int(k, n, n);
    }
    case FR_X_FLOAT:
        fr_decimal_literal(fr_str(k->u, e->sym), &precision, &scale);
        return new_decimal(k, precision, scale);
    case FR_X_MONEY:
        t = new_type(k, &FR_MONEY);
        t->name = e->sym2;
        return t;
    default:
        t = new_type(k, &FR_DURATION);
        t->min = t->max = fr_int_value(&k->u->syms, e->sym);
        t->name = e->sym2;
        return t;
    }
}

/* A number that would be another one once it is computed with (§13.6). Shown at the
 * literal, also where other faults of the expression are shown elsewhere. */
static void check_digits(fr_check *k, const fr_expr *e)
{
    mt_str text = fr_str(k->u, e->sym);
    fr_place at = fr_check_at(k, e, true);
    at.tok = e->tok;
    if (!fr_valid_decimal(text)) {
        fr_report(k->u, FR_E_LITERAL_VALUE, at, "'%.*s' is not a decimal number",
                  MT_ARG(text));
    } else if (!ct_exact_decimal(text)) {
        fr_report(k->u, FR_E_LITERAL_DIGITS, at,
                  "%.*s has more digits than can be computed with: 28 in all, 28 "
                  "behind the dot",
                  MT_ARG(text));
    }
}

/* A literal that is not a value of its own type: a bad amount, an unknown unit. */
static void check_literal(fr_check *k, const fr_expr *e, const fr_type *t)
{
    bool tolerated = false;
    if (e->kind == FR_X_FLOAT) {
        check_digits(k, e);
    } else if (e->kind == FR_X_MONEY || e->kind == FR_X_DURATION) {
        mt_str fault = fr_literal_fault(k->u, t, e, &tolerated);
        if (fault.len) {
            fr_place at = fr_check_at(k, e, true);
            fr_report(k->u, FR_E_LITERAL_VALUE, at, "%.*s", MT_ARG(fault));
        }
    }
}

static const fr_type *no_term(fr_check *k, const fr_expr *e)
{
    fr_report(k->u, FR_E_NOT_A_TERM, fr_check_at(k, e, true),
              "a condition cannot be compared or computed with");
    return &FR_UNKNOWN;
}

/* A node may be visited twice (`in` shares its left side); the result is the same. */
static const fr_type *infer(fr_check *k, fr_expr *e, bool direct)
{
    if (fr_is_literal(e)) {
        const fr_type *t = literal_type(k, e);
        check_literal(k, e, t);
        return t;
    }
    switch (e->kind) {
    case FR_X_REF: return name_type(k, e, direct);
    case FR_X_FIELD: return field_type(k, e);
    case FR_X_INDEX: return index_type(k, e);
    case FR_X_LEN: return len_type(k, e);
    case FR_X_MUL: return product_type(k, e);
    case FR_X_ADD:
    case FR_X_SUB: return sum_type(k, e);
    case FR_X_LIST:
    case FR_X_RECORD:
    case FR_X_ENTRY: return fr_untyped_structure(k, e);
    case FR_X_ERROR: return &FR_UNKNOWN; /* reported by the lexer */
    default: return no_term(k, e);
    }
}

const fr_type *fr_term_type(fr_check *k, fr_expr *e, bool direct)
{
    e->type = infer(k, e, direct);
    return e->type;
}

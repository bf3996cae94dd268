/* contract/front/pass4_check.c - every expression of the contract gets its type.
 *
 * Order: types are resolved and checked, payload types of rules, defaults of facts;
 * then payloads of the short form are inferred stratum by stratum, since each may read
 * lower ones; then rules, operations, flows.
 *
 * The suite looks at rules only: names and operators of comparisons, domains, ranges
 * of products. What the specification demands beyond that is reported after it
 * (`late`), so that the first error of a contract is the one the suite expects.
 * Messages of the suite's checks are its own words and must not be changed.
 *
 * Comparisons note the type at which they are made (comparison_type), which pass 6
 * writes. Recursion follows the tree. Nothing fails but by reporting. */
#include <stdlib.h>

#include "contract/front/check.h"
#include "contract/front/suggest.h"

/* ---- comparisons ---- */

/* = and != are defined for every type (§4.2). */
static bool is_order(uint8_t op)
{
    return op != FR_T_EQ && op != FR_T_NEQ;
}

static const char *op_text(uint8_t op)
{
    switch (op) {
    case FR_T_LT: return "<";
    case FR_T_LTE: return "<=";
    case FR_T_GT: return ">";
    default: return ">=";
    }
}

/* A variable of the same name hides the fact. */
static bool is_fact(const fr_check *k, const fr_expr *e)
{
    if (e->kind != FR_X_REF) {
        return false;
    }
    for (size_t i = 0; i < k->variables.len; i++) {
        if (k->variables.items[i].name == e->sym) {
            return false;
        }
    }
    return fr_find(k->u, FR_FACT, e->sym) != NULL;
}

static bool is_numeric(const fr_type *t)
{
    return fr_has(t, LN_NUMBER);
}

/* The product of two facts, which the suite looks for before names. The type is set to
 * unknown, so that product_type() does not report it again. */
static void check_fact_product(fr_check *k, fr_expr *e)
{
    if (e->kind == FR_X_MUL && is_fact(k, e->left) && is_fact(k, e->right)) {
        fr_report_product(k, e, false);
        e->type = &FR_UNKNOWN;
    }
}

/* `fact` is true where the suite looks: the left operand is a fact itself. Three types
 * have words of the suite, each with its own spelling of "not equal"; the rest are
 * reported in ours, late. */
static bool check_operator(fr_check *k, const fr_expr *e, const fr_type *t, bool fact)
{
    if (t->base >= LN_BASE_COUNT || fr_has(t, LN_ORDERED)) {
        return true;
    }
    fr_place at = fr_check_at(k, e, !fact);
    if (fr_holds(t, LN_BOOLEAN)) {
        fr_report(
            k->u, FR_E_OPERATOR_BOOL, at,
            "type error: operator '%s' not defined for Bool; Bool supports only = "
            "and ≠",
            op_text(e->op));
    } else if (fr_holds(t, LN_TEXT)) {
        fr_report(
            k->u, FR_E_OPERATOR_TEXT, at,
            "type error: operator '%s' not defined for Text; Text supports only = "
            "and !=",
            op_text(e->op));
    } else if (fr_holds(t, LN_CHOICE)) {
        fr_report(
            k->u, FR_E_OPERATOR_ENUM, at,
            "type error: operator '%s' not defined for Enum; Enum supports only = "
            "and !=",
            op_text(e->op));
    } else {
        fr_report(k->u, FR_E_OPERATOR_TYPE, fr_check_at(k, e, true),
                  "operator '%s' is not defined for %s, which supports only = and !=",
                  op_text(e->op), fr_base_name((fr_base)t->base));
    }
    return false;
}

/* §4.4. The suite looks at two facts only. */
static void check_currencies(fr_check *k, const fr_expr *e, const fr_type *a,
                             const fr_type *b)
{
    bool facts = is_fact(k, e->left) && is_fact(k, e->right);
    if (a->name != b->name) {
        fr_report(k->u, FR_E_MONEY_CURRENCIES, fr_check_at(k, e, !facts),
                  "type error: cannot compare Money(currency: %.*s) with "
                  "Money(currency: %.*s); Money comparisons require identical currency "
                  "codes",
                  FR_ARG(k->u, a->name), FR_ARG(k->u, b->name));
    }
}

/* Can a string literal stand for a value of this type? */
static bool takes_text(const fr_type *t)
{
    return fr_holds(t, LN_TEXT) || fr_holds(t, LN_CHOICE) || fr_is_day(t) ||
           fr_holds(t, LN_TIME);
}

/* The tag of a union is held like an Enum, but its values are declared names. */
static bool is_tag(const fr_expr *e)
{
    return e->kind == FR_X_FIELD && e->sym == FR_W_tag &&
           fr_holds(e->left->type, LN_VARIANT);
}

/* A string beside a date has to be one, beside a tag the name of a variant. A value
 * that an Enum does not declare is well-typed and never equal (§16, S3a): a warning.
 * Text longer than the field is simply never equal. */
static void check_text_literal(fr_check *k, const fr_expr *e, const fr_expr *beside,
                               const fr_expr *literal)
{
    const fr_type *t = beside->type;
    bool tolerated = false;
    mt_str fault = fr_holds(t, LN_TEXT)
                       ? MT_STR("")
                       : fr_literal_fault(k->u, t, literal, &tolerated);
    if (fault.len) {
        fr_place at = fr_meant_value(k->u, fr_check_at(k, e, true), t,
                                     (fr_name){literal->sym, literal->tok});
        at.tok = literal->tok;
        bool undeclared = fr_holds(t, LN_CHOICE) && !is_tag(beside);
        fr_report(k->u, undeclared ? FR_E_ENUM_UNDECLARED : FR_E_LITERAL_VALUE, at,
                  "%.*s", MT_ARG(fault));
    }
}

/* Two Enums compare if they have the same values, in whatever order (§10.4): otherwise
 * one of them could never be equal to the other. */
static bool same_values(fr_check *k, const fr_type *a, const fr_type *b)
{
    if (a->value_count != b->value_count) {
        return false;
    }
    const fr_sym *x = fr_sorted_syms(k->u->keep, a->values, a->value_count);
    const fr_sym *y = fr_sorted_syms(k->u->keep, b->values, b->value_count);
    return !a->value_count || memcmp(x, y, a->value_count * sizeof *x) == 0;
}

static bool types_agree(fr_check *k, const fr_type *a, const fr_type *b)
{
    if (is_numeric(a) && is_numeric(b)) {
        return true;
    }
    if (fr_holds(a, LN_CHOICE) && fr_holds(b, LN_CHOICE)) {
        return same_values(k, a, b);
    }
    bool structured = fr_has(a, LN_PARTED) || fr_holds(a, LN_LIST);
    return a->base == b->base && (!structured || fr_type_equal(a, b));
}

/* String literals first: their own type is Text, which agrees with hardly anything.
 * Records and lists compare only with the very same type; scalars whatever their
 * bounds. */
static void check_agreement(fr_check *k, const fr_expr *e, const fr_type *a,
                            const fr_type *b)
{
    if (e->right->kind == FR_X_STR && takes_text(a)) {
        check_text_literal(k, e, e->left, e->right);
        return;
    }
    if (e->left->kind == FR_X_STR && takes_text(b)) {
        check_text_literal(k, e, e->right, e->left);
        return;
    }
    if (fr_has(a, LN_CURRENCY) && fr_has(b, LN_CURRENCY)) {
        check_currencies(k, e, a, b);
        return;
    }
    if (!types_agree(k, a, b)) {
        fr_report(k->u, FR_E_COMPARE_TYPES,
                  fr_check_types(k, e, "cannot compare ", a, " with ", b, ""),
                  "type error: cannot compare %s with %s",
                  fr_type_text(k->u, k->u->keep, a).ptr,
                  fr_type_text(k->u, k->u->keep, b).ptr);
    }
}

/* ---- comparison_type ---- */

/* The type the suite sees: facts, integers and their products; our own nodes too. NULL:
 * the suite writes no comparison_type for such an operand. These are the reference
 * elaborator's choices, and its bytes are compared. */
static const fr_type *seen_type(const fr_expr *e)
{
    const fr_expr *literal, *factor;
    switch (e->kind) {
    case FR_X_INT:
    case FR_X_ADD:
    case FR_X_SUB:
    case FR_X_LEN: return e->type;
    case FR_X_REF: return e->op == FR_REF_VARIABLE ? NULL : e->type;
    case FR_X_MUL:
        literal = e->left->kind == FR_X_INT ? e->left : e->right;
        factor = literal == e->left ? e->right : e->left;
        if (literal->kind != FR_X_INT || factor->kind == FR_X_FIELD ||
            (factor->kind == FR_X_REF && factor->op == FR_REF_VARIABLE)) {
            return NULL;
        }
        return e->type;
    default: return NULL;
    }
}

static uint32_t precision_of(const fr_type *t)
{
    return fr_is_int(t) ? fr_int_precision(t) : t->precision;
}

static uint32_t scale_of(const fr_type *t)
{
    return fr_is_int(t) ? 0 : t->scale;
}

/* §13.2, with one digit more as a sum would have it: so the suite's bundles are. */
static const fr_type *promoted(fr_check *k, const fr_type *a, const fr_type *b)
{
    fr_type *t = mt_new(k->u->keep, fr_type);
    uint32_t x = precision_of(a), y = precision_of(b);
    *t = FR_DECIMAL;
    t->precision = (x > y ? x : y) + 1;
    t->scale = scale_of(a) > scale_of(b) ? scale_of(a) : scale_of(b);
    return t;
}

static const fr_type *union_of_ranges(fr_check *k, const fr_type *a, const fr_type *b)
{
    fr_type *t = mt_new(k->u->keep, fr_type);
    *t = FR_INT;
    t->min = a->min < b->min ? a->min : b->min;
    t->max = a->max > b->max ? a->max : b->max;
    return t;
}

static bool is_arithmetic(const fr_expr *e)
{
    return e->kind == FR_X_MUL || e->kind == FR_X_ADD || e->kind == FR_X_SUB;
}

/* Money first, then numbers one of which is a Decimal (§14.2, pass 4), then integers
 * with arithmetic on the left; every other comparison has none, as in the suite. Our
 * own loader does not read it. */
static const fr_type *comparison_type(fr_check *k, const fr_expr *e)
{
    const fr_type *a = seen_type(e->left), *b = seen_type(e->right);
    if (a && fr_has(a, LN_CURRENCY)) {
        return a;
    }
    if (b && fr_has(b, LN_CURRENCY)) {
        return b;
    }
    if (is_numeric(e->left->type) && is_numeric(e->right->type) &&
        (fr_is_decimal(e->left->type) || fr_is_decimal(e->right->type))) {
        return promoted(k, e->left->type, e->right->type);
    }
    if (a && b && fr_is_int(a) && fr_is_int(b) && is_arithmetic(e->left)) {
        return union_of_ranges(k, a, b);
    }
    return NULL;
}

/* `x in [...]` came from the parser as equalities, the first of them marked. */
static void check_membership(fr_check *k, const fr_expr *e, const fr_type *a)
{
    if (e->sym2 == FR_W_in && !fr_is_unknown(a) && !fr_holds(a, LN_CHOICE)) {
        fr_place at = fr_check_types(k, e, "operator 'in' is not defined for ", a,
                                     "; only Enum has it", NULL, "");
        at.hint = "write an equality for each value and join them with 'or'";
        fr_report(k->u, FR_E_OPERATOR_TYPE, at,
                  "type error: operator 'in' not defined for %s; only Enum has it",
                  fr_type_text(k->u, k->u->keep, a).ptr);
    }
}

/* A string on the left of a date or a time is one, as it is on the right. */
static bool is_written_time(const fr_expr *e, const fr_type *right)
{
    return e->left->kind == FR_X_STR && (fr_is_day(right) || fr_holds(right, LN_TIME));
}

/* `r = { a: i }`: what is written out has the type of the other side. Where both are,
 * one of them has to name its type. The suite knows no such values. */
static void check_structures(fr_check *k, fr_expr *e)
{
    bool left = fr_is_structured(e->left), right = fr_is_structured(e->right);
    const fr_type *want = left && right ? fr_named_structure(k, e->left) : NULL;
    want = want || !(left && right) ? want : fr_named_structure(k, e->right);
    k->anchor = e->tok;
    if (!left || !right) {
        want = fr_term_type(k, left ? e->right : e->left, true);
    }
    k->anchor = 0;
    if (left && want) {
        want = fr_structure_type(k, e->left, want);
    }
    if (right && want) {
        want = fr_structure_type(k, e->right, want);
    }
    if (!want) {
        fr_term_type(k, e->left, false); /* reports it */
    } else if (!fr_is_unknown(want) && is_order(e->op)) {
        check_operator(k, e, want, false);
    }
}

/* In the order of the suite: products of facts, names left and right, the operator,
 * then whether both sides agree. With an unknown side there is nothing left to say. */
static void check_comparison(fr_check *k, fr_expr *e)
{
    if (fr_is_structured(e->left) || fr_is_structured(e->right)) {
        check_structures(k, e);
        return;
    }
    k->anchor = e->tok;
    check_fact_product(k, e->left);
    check_fact_product(k, e->right);
    const fr_type *a = fr_term_type(k, e->left, true);
    k->beside = a;
    const fr_type *b = fr_term_type(k, e->right, true);
    k->beside = NULL;
    k->anchor = 0;
    bool defined = fr_is_unknown(a) || !is_order(e->op) || is_written_time(e, b) ||
                   check_operator(k, e, a, is_fact(k, e->left));
    check_membership(k, e, a);
    if (fr_is_unknown(a) || fr_is_unknown(b)) {
        return;
    }
    if (defined) {
        check_agreement(k, e, a, b);
    }
    e->type = comparison_type(k, e);
}

/* ---- other conditions ---- */

/* Conditions of rules are left to pass 5, which the suite expects to report them; what
 * stands in quantifiers, operations and flows is reported here, late. */
static void check_verdict(fr_check *k, const fr_expr *e)
{
    fr_rule *rule = fr_find_verdict(k->u, e->sym);
    bool rule_level = k->stratum != INT64_MAX;
    if (rule) {
        rule->verdict_used = true;
    }
    if (rule_level && !k->quantifiers) {
        return; /* pass 5 checks it, as the suite does */
    }
    if (!rule && !k->u->incomplete) {
        fr_report(
            k->u, FR_E_VERDICT_UNKNOWN,
            fr_meant_verdict(k->u, fr_check_at(k, e, true),
                             fr_verdict_name(k->c->file, e)),
            "unresolved VerdictType reference: '%.*s' is not produced by any rule "
            "in this contract",
            FR_ARG(k->u, e->sym));
    } else if (rule && rule_level) {
        fr_check_stratum(k, e, rule);
    }
}

/* `x present`: a verdict may be there, a fact always is. Rewrites the node, so that
 * later passes know two forms only. A verdict wins over a fact of the same name. */
static void check_present(fr_check *k, fr_expr *e)
{
    const fr_expr *name = e->left;
    bool verdict = name->kind == FR_X_REF && !is_fact(k, name);
    if (name->kind == FR_X_REF && fr_find_verdict(k->u, name->sym)) {
        verdict = true;
    }
    if (verdict) {
        e->kind = FR_X_VERDICT;
        e->sym = name->sym;
        check_verdict(k, e);
        return;
    }
    if (!fr_is_unknown(fr_term_type(k, e->left, false))) {
        fr_report(k->u, FR_E_PRESENT_FACT, fr_check_at(k, e, true),
                  "a fact is always present once facts are assembled");
    }
    e->kind = FR_X_BOOL;
    e->op = true;
}

/* Every kind that is not a condition by its form: then its type has to be Bool. */
static void check_bool_value(fr_check *k, fr_expr *e)
{
    const fr_type *t = fr_term_type(k, e, false);
    if (!fr_is_unknown(t) && !fr_holds(t, LN_BOOLEAN)) {
        fr_report(k->u, FR_E_NOT_A_PREDICATE,
                  fr_check_types(k, e, "a value of type ", t, " is not a condition",
                                 NULL, ""),
                  "a value of type %s is not a condition",
                  fr_type_text(k->u, k->u->keep, t).ptr);
    }
}

static void report_domain(fr_check *k, const fr_expr *e, const fr_type *t)
{
    const fr_expr *domain = e->left;
    mt_str name = fr_str(k->u, domain->sym);
    fr_place at = fr_check_at(k, e, !is_fact(k, domain));
    fr_span span = fr_expr_span(at.file, domain);
    fr_report(k->u, FR_E_DOMAIN_NOT_LIST, fr_exactly(at, span.first, span.last),
              "type error: quantifier domain '%.*s' has type %s; domain must be "
              "List-typed",
              MT_ARG(name), fr_type_text(k->u, k->u->keep, t).ptr);
}

/* A written type changes nothing; it must be the list's own (§10.2). */
static void check_binder(fr_check *k, fr_expr *e, const fr_type *element)
{
    fr_type *written = NULL;
    if (e->type) {
        /* The parser made it; nobody else holds it. */
        fr_type *parsed = mt_new(k->u->keep, fr_type);
        *parsed = *e->type;
        written = fr_resolve_type(k->u, parsed, k->c);
    }
    if (written && !fr_type_equal(written, element)) {
        fr_place at =
            fr_check_types(k, e, "the variable is declared as ", written,
                           ", but the list has elements of type ", element, "");
        fr_report(
            k->u, FR_E_BINDER_TYPE, fr_exactly(at, e->sym2, e->type->tok),
            "variable '%.*s' is declared as %s, but the list has elements of type "
            "%s",
            FR_ARG(k->u, e->sym), fr_type_text(k->u, k->u->keep, written).ptr,
            fr_type_text(k->u, k->u->keep, element).ptr);
    }
}

/* §10.4: over facts and their fields, never over verdicts. */
static void check_domain(fr_check *k, const fr_expr *e)
{
    const fr_expr *base = e->left;
    while (base->kind == FR_X_FIELD || base->kind == FR_X_INDEX) {
        base = base->left;
    }
    if (base->kind == FR_X_REF && base->op == FR_REF_VERDICT) {
        fr_place at = fr_check_at(k, base, true);
        fr_report(k->u, FR_E_DOMAIN_VERDICT, at,
                  "'%.*s' is a verdict; a quantifier runs over a List fact or a List "
                  "field of a Record fact",
                  FR_ARG(k->u, base->sym));
    }
}

/* A domain that is not a list still binds the variable, with an unknown type, so the
 * body is checked for everything else. */
static void check_quantifier(fr_check *k, fr_expr *e)
{
    fr_tok tok = k->tok;
    k->tok = e->tok; /* the suite shows an unknown domain at the quantifier */
    const fr_type *t = fr_term_type(k, e->left, true);
    k->tok = tok;
    const fr_type *element = &FR_UNKNOWN;
    if (fr_holds(t, LN_LIST)) {
        check_domain(k, e);
        element = t->element;
    } else if (!fr_is_unknown(t)) {
        report_domain(k, e, t);
    }
    check_binder(k, e, element);
    e->type = element;
    *mt_vec_add(k->u->keep, &k->variables) = (fr_variable){e->sym, element};
    k->quantifiers++;
    fr_check_condition(k, e->right);
    k->quantifiers--;
    k->variables.len--;
}

/* Left before right, because the first error is what the suite compares. */
void fr_check_condition(fr_check *k, fr_expr *e)
{
    switch ((fr_expr_kind)e->kind) {
    case FR_X_COMPARE: check_comparison(k, e); break;
    case FR_X_AND:
    case FR_X_OR:
        fr_check_condition(k, e->left);
        fr_check_condition(k, e->right);
        break;
    case FR_X_NOT: fr_check_condition(k, e->left); break;
    case FR_X_VERDICT: check_verdict(k, e); break;
    case FR_X_PRESENT: check_present(k, e); break;
    case FR_X_FORALL:
    case FR_X_EXISTS: check_quantifier(k, e); break;
    case FR_X_BOOL: break;
    case FR_X_REF:
    case FR_X_FIELD:
    case FR_X_INDEX:
    case FR_X_INT:
    case FR_X_FLOAT:
    case FR_X_STR:
    case FR_X_MONEY:
    case FR_X_DURATION:
    case FR_X_LEN:
    case FR_X_MUL:
    case FR_X_ADD:
    case FR_X_SUB:
    case FR_X_LIST:
    case FR_X_RECORD:
    case FR_X_ENTRY:
    case FR_X_ERROR: check_bool_value(k, e); break;
    }
}

/* ---- payloads ---- */

/* What the suite multiplies in payloads: integers and facts of type Int. */
static bool is_int_factor(const fr_expr *e)
{
    return e->kind == FR_X_INT ||
           (e->kind == FR_X_REF && e->op == FR_REF_FACT && fr_is_int(e->type));
}

/* The suite's own message for a product of integers, ours for everything else. */
static void check_payload_type(fr_check *k, fr_rule *r)
{
    const fr_type *want = r->payload_type, *have = r->payload->type;
    const fr_expr *e = r->payload;
    if (fr_is_unknown(have) || fr_is_unknown(want)) {
        return;
    }
    bool suite = e->kind == FR_X_MUL && fr_is_int(want) && fr_is_int(have) &&
                 is_int_factor(e->left) && is_int_factor(e->right);
    if (suite && !fr_contains(want, have)) {
        fr_report(k->u, FR_E_PRODUCT_RANGE, fr_check_at(k, e, false),
                  "type error: product range %s is not contained in declared verdict "
                  "payload type %s",
                  fr_type_text(k->u, k->u->keep, have).ptr,
                  fr_type_text(k->u, k->u->keep, want).ptr);
        return;
    }
    mt_str fault = fr_value_fault(k, want, e);
    if (fault.len) {
        fr_report(k->u, FR_E_PAYLOAD_TYPE, fr_check_at(k, e, true),
                  "the payload does not fit its type: %.*s", MT_ARG(fault));
    } else if (fr_literal_loses(k->u, want, e)) {
        fr_place at = fr_check_at(k, e, true);
        at.tok = e->tok;
        fr_report(k->u, FR_E_PAYLOAD_ROUNDED, at,
                  "%.*s has more digits behind the dot than the payload keeps: %u",
                  FR_ARG(k->u, e->sym), want->scale);
    }
}

/* A bare Text is as long as what it takes: its literal, which pass 6 counts, or the
 * fact. */
static void measure_payload(fr_check *k, fr_rule *r)
{
    const fr_type *have = r->payload->type;
    if (r->payload_type->bare && fr_holds(r->payload_type, LN_TEXT) &&
        fr_holds(have, LN_TEXT) && r->payload->kind != FR_X_STR) {
        r->payload_type = mt_new(k->u->keep, fr_type);
        *r->payload_type = *have;
    }
}

/* Shown at `produce`. Payloads may multiply two variables (§10.4), hence in_payload. */
static void check_payload(fr_unit *u, fr_rule *r)
{
    fr_check k = {.u = u,
                  .c = &r->head,
                  .field = FR_FIELD("body.produce.payload"),
                  .tok = r->produce_tok,
                  .in_payload = true,
                  .stratum = r->stratum};
    if (r->payload_type && fr_is_structured(r->payload)) {
        fr_structure_type(&k, r->payload, r->payload_type);
        return;
    }
    const fr_type *t = fr_term_type(&k, r->payload, false);
    if (!r->payload_type) {
        r->payload_type = mt_new(u->keep, fr_type);
        *r->payload_type = *t; /* the short form's type is its value's */
    } else {
        measure_payload(&k, r);
        check_payload_type(&k, r);
    }
}

/* ---- constructs ---- */

static void resolve_fact(fr_unit *u, fr_fact *f)
{
    f->type_tok = f->type->tok;
    f->type = fr_resolve_type(u, f->type, &f->head);
}

static void resolve_rule(fr_unit *u, fr_rule *r)
{
    if (r->payload_type) {
        r->payload_type = fr_resolve_type(u, r->payload_type, &r->head);
    }
}

/* Values from outside are checked against their type, so it needs bounds (§4.1): a Text
 * without a length would take none but the empty one. Reported once per fact. */
static bool check_bounds(fr_unit *u, const fr_fact *f, const fr_type *t)
{
    if (t->bare) {
        fr_report(u, FR_E_TYPE_UNBOUNDED,
                  fr_at(&f->head, f->type_tok, FR_FIELD("type")),
                  "fact '%.*s': %s needs %s", FR_ARG(u, f->head.id),
                  fr_base_name((fr_base)t->base),
                  fr_holds(t, LN_TEXT) ? "max_length" : "max");
        return false;
    }
    if (fr_holds(t, LN_LIST)) {
        return check_bounds(u, f, t->element);
    }
    bool good = true;
    for (uint32_t i = 0; good && fr_has(t, LN_PARTED) && i < t->field_count; i++) {
        good = check_bounds(u, f, t->fields[i].type);
    }
    return good;
}

/* Digits of a default that will not be in the bundle. */
static void check_rounding(fr_unit *u, const fr_fact *f, const fr_type *t,
                           const fr_expr *e)
{
    if (fr_is_unknown(t)) {
        return;
    }
    if (fr_literal_loses(u, t, e)) {
        uint32_t scale = fr_is_decimal(t) ? t->scale : FR_MONEY_SCALE;
        mt_str text = fr_str(u, e->sym);
        fr_report(u, FR_E_DEFAULT_ROUNDED, fr_at(&f->head, e->tok, FR_FIELD("default")),
                  "the default %.*s is rounded to %.*s", MT_ARG(text),
                  MT_ARG(ct_round_text(u->keep, text, scale)));
    } else if (e->kind == FR_X_LIST) {
        for (uint32_t i = 0; i < e->sym2; i++) {
            check_rounding(u, f, t->element, e->items[i]);
        }
    } else if (e->kind == FR_X_ENTRY) {
        check_rounding(u, f, fr_type_field_of(u, t, e->sym), e->left);
    } else if (e->kind == FR_X_RECORD) {
        const fr_type *of =
            fr_holds(t, LN_VARIANT) ? fr_type_field_of(u, t, e->sym) : t;
        for (uint32_t i = 0; i < e->sym2; i++) {
            check_rounding(u, f, of->fields[i].type, e->items[i]->left);
        }
    }
}

/* An integer as the default of a Duration is what older contracts have: tolerated,
 * unless the run is strict. */
static void check_fact(fr_unit *u, fr_fact *f)
{
    bool tolerated = false;
    fr_check_type(u, f->type, &f->head, FR_FIELD("type"));
    check_bounds(u, f, f->type);
    if (!f->initial) {
        return;
    }
    mt_str fault = fr_literal_fault(u, f->type, f->initial, &tolerated);
    if (!fault.len) {
        check_rounding(u, f, f->type, f->initial);
    }
    if (!fault.len && !tolerated) {
        return;
    }
    fr_span span = fr_expr_span(f->head.file, f->initial);
    fr_place at = fr_exactly(fr_at(&f->head, f->initial->tok, FR_FIELD("default")),
                             span.first, span.last);
    if (fault.len && fr_holds(f->type, LN_CHOICE) && f->initial->kind == FR_X_STR) {
        at =
            fr_meant_value(u, at, f->type, (fr_name){f->initial->sym, f->initial->tok});
    }
    if (fault.len) {
        fr_report(u, FR_E_DEFAULT_TYPE, at, "the default does not fit its type: %.*s",
                  MT_ARG(fault));
    } else if (tolerated) {
        fr_report(u, FR_E_DEFAULT_DURATION, at,
                  "the default of a Duration is a plain integer");
    }
}

/* A rule without produce gives an empty verdict, as the suite has it. */
static void complete_rule(fr_unit *u, fr_rule *r)
{
    if (r->payload) {
        return;
    }
    fr_place at = fr_at(&r->head, r->head.tok, FR_FIELD("produce"));
    fr_report(u, FR_E_RULE_PRODUCE, fr_exactly(at, r->head.tok, r->head.id_tok),
              "rule '%.*s' produces no verdict", FR_ARG(u, r->head.id));
}

/* The condition before the payload, as they stand in a bundle. A payload whose type was
 * inferred has been checked already. */
static void check_rule(fr_unit *u, fr_rule *r)
{
    fr_check k = {
        .u = u, .c = &r->head, .field = FR_FIELD("body.when"), .stratum = r->stratum};
    fr_check_condition(&k, r->when);
    complete_rule(u, r);
    if (r->payload && !r->payload->type) {
        check_payload(u, r);
    }
}

/* Conditions may read verdicts of every stratum: the rules have all been evaluated when
 * a flow begins (§15.2). */
static void check_steps(fr_unit *u, const fr_construct *c, const fr_steps *steps)
{
    for (size_t i = 0; i < steps->len; i++) {
        const fr_step *s = steps->items[i];
        if (fr_does(s) == LN_DECIDES && s->condition) {
            fr_check k = {
                .u = u,
                .c = c,
                .field = mt_strf(u->keep, "steps.%.*s.condition", FR_ARG(u, s->id.sym)),
                .late = true,
                .stratum = INT64_MAX};
            fr_check_condition(&k, s->condition);
        }
        for (size_t b = 0; fr_does(s) == LN_FORKS && b < s->branches.len; b++) {
            check_steps(u, c, &s->branches.items[b].steps);
        }
    }
}

static void check_operation(fr_unit *u, fr_operation *o)
{
    fr_check k = {.u = u,
                  .c = &o->head,
                  .field = FR_FIELD("precondition"),
                  .late = true,
                  .stratum = INT64_MAX};
    fr_check_condition(&k, o->precondition);
}

/* In bundle order; broken constructs have parts that are missing. */
static void each(fr_unit *u, fr_kind kind, void (*visit)(fr_unit *u, fr_construct *c))
{
    for (size_t i = 0; i < u->kinds[kind].len; i++) {
        fr_ask_ahead(u->kinds[kind].items, u->kinds[kind].len, i, 8, 512);
        if (!u->kinds[kind].items[i]->broken) {
            visit(u, u->kinds[kind].items[i]);
        }
    }
}

/* Visitors for each(): the construct's kind is known. */
static void visit_fact(fr_unit *u, fr_construct *c)
{
    check_fact(u, (fr_fact *)c);
}

static void visit_rule(fr_unit *u, fr_construct *c)
{
    check_rule(u, (fr_rule *)c);
}

static void visit_payload_type(fr_unit *u, fr_construct *c)
{
    fr_rule *r = (fr_rule *)c;
    if (r->payload_type) {
        fr_check_type(u, r->payload_type, c, FR_FIELD("body.produce.payload"));
    }
}

static void visit_typedecl(fr_unit *u, fr_construct *c)
{
    fr_check_type(u, ((fr_typedecl *)c)->type, c, FR_FIELD("type"));
}

static void visit_operation(fr_unit *u, fr_construct *c)
{
    check_operation(u, (fr_operation *)c);
}

static void visit_flow(fr_unit *u, fr_construct *c)
{
    check_steps(u, c, &((fr_flow *)c)->steps);
}

/* Before any expression is looked at: a rule may stand before the fact it reads. */
static void resolve_types(fr_unit *u)
{
    for (size_t i = 0; i < u->all.len; i++) {
        fr_construct *c = u->all.items[i];
        fr_ask_ahead(u->all.items, u->all.len, i, 8, 128);
        if (c->broken) {
            continue;
        }
        if (c->kind == FR_FACT) {
            resolve_fact(u, (fr_fact *)c);
        } else if (c->kind == FR_RULE) {
            resolve_rule(u, (fr_rule *)c);
        }
    }
}

/* Tokens of different files may be equal numbers; the order among such rules decides
 * nothing, since rules of one stratum do not read each other. */
static int compare_strata(const void *a, const void *b)
{
    const fr_rule *x = *(fr_rule *const *)a, *y = *(fr_rule *const *)b;
    if (x->stratum != y->stratum) {
        return x->stratum < y->stratum ? -1 : 1;
    }
    return x->head.tok < y->head.tok ? -1 : x->head.tok > y->head.tok;
}

/* Payload types of the short form are inferred before anything reads them: in the
 * order of the strata. */
static void infer_payloads(fr_unit *u)
{
    MT_VEC(fr_rule *) rules = {0};
    for (size_t i = 0; i < u->kinds[FR_RULE].len; i++) {
        fr_rule *r = (fr_rule *)u->kinds[FR_RULE].items[i];
        if (!r->head.broken && r->payload && !r->payload_type) {
            *mt_vec_add(u->keep, &rules) = r;
        }
    }
    if (rules.len) {
        qsort(rules.items, rules.len, sizeof *rules.items, compare_strata);
    }
    for (size_t i = 0; i < rules.len; i++) {
        check_payload(u, rules.items[i]);
    }
}

/* Parameters of types come first because everything else computes with them. */
void fr_pass4_check(fr_unit *u)
{
    resolve_types(u);
    each(u, FR_TYPEDECL, visit_typedecl);
    each(u, FR_RULE, visit_payload_type);
    each(u, FR_FACT, visit_fact);
    infer_payloads(u);
    each(u, FR_RULE, visit_rule);
    each(u, FR_OPERATION, visit_operation);
    each(u, FR_FLOW, visit_flow);
}

/* contract/front/pass4_check.c - every expression of the contract gets its type.
 * The suite looks at rules only: names and operators of comparisons, domains, ranges of
 * products. What the specification demands beyond that is reported after it. */
#include <stdlib.h>

#include "contract/front/check.h"

/* ---- comparisons ---- */

static bool is_order(uint8_t op)
{
    return op != CT_T_EQ && op != CT_T_NEQ;
}

static const char *op_text(uint8_t op)
{
    switch (op) {
    case CT_T_LT: return "<";
    case CT_T_LTE: return "<=";
    case CT_T_GT: return ">";
    default: return ">=";
    }
}

static bool is_fact(const ct_check *k, const ct_expr *e)
{
    if (e->kind != CT_X_REF) {
        return false;
    }
    for (size_t i = 0; i < k->variables.len; i++) {
        if (k->variables.items[i].name == e->sym) {
            return false;
        }
    }
    return ct_find(k->u, CT_FACT, e->sym) != NULL;
}

/* The product of two facts, which the suite looks for before names. */
static void check_fact_product(ct_check *k, ct_expr *e)
{
    if (e->kind == CT_X_MUL && is_fact(k, e->left) && is_fact(k, e->right)) {
        ct_report_product(k, e, false);
        e->type = &CT_UNKNOWN;
    }
}

/* `fact` is true where the suite looks: the left operand is a fact itself. */
static bool check_operator(ct_check *k, const ct_expr *e, const ct_type *t, bool fact)
{
    ct_place at = ct_check_at(k, e, !fact);
    switch ((ct_base)t->base) {
    case CT_TYPE_BOOL:
        ct_report(
            k->u, CT_E_OPERATOR_BOOL, at,
            "type error: operator '%s' not defined for Bool; Bool supports only = "
            "and ≠",
            op_text(e->op));
        return false;
    case CT_TYPE_TEXT:
        ct_report(
            k->u, CT_E_OPERATOR_TEXT, at,
            "type error: operator '%s' not defined for Text; Text supports only = "
            "and !=",
            op_text(e->op));
        return false;
    case CT_TYPE_ENUM:
        ct_report(
            k->u, CT_E_OPERATOR_ENUM, at,
            "type error: operator '%s' not defined for Enum; Enum supports only = "
            "and !=",
            op_text(e->op));
        return false;
    case CT_TYPE_RECORD:
    case CT_TYPE_UNION:
    case CT_TYPE_LIST:
        ct_report(k->u, CT_E_OPERATOR_TYPE, ct_check_at(k, e, true),
                  "operator '%s' is not defined for %s, which supports only = and !=",
                  op_text(e->op), ct_base_name((ct_base)t->base));
        return false;
    case CT_TYPE_INT:
    case CT_TYPE_DECIMAL:
    case CT_TYPE_DATE:
    case CT_TYPE_DATETIME:
    case CT_TYPE_MONEY:
    case CT_TYPE_DURATION:
    case CT_TYPE_REF:
    case CT_TYPE_ERROR: break;
    }
    return true;
}

static void check_currencies(ct_check *k, const ct_expr *e, const ct_type *a,
                             const ct_type *b)
{
    bool facts = is_fact(k, e->left) && is_fact(k, e->right);
    if (a->name != b->name) {
        ct_report(k->u, CT_E_MONEY_CURRENCIES, ct_check_at(k, e, !facts),
                  "type error: cannot compare Money(currency: %.*s) with "
                  "Money(currency: %.*s); Money comparisons require identical currency "
                  "codes",
                  CT_ARG(k->u, a->name), CT_ARG(k->u, b->name));
    }
}

static bool is_numeric(const ct_type *t)
{
    return t->base == CT_TYPE_INT || t->base == CT_TYPE_DECIMAL;
}

/* Can a string literal stand for a value of this type? */
static bool takes_text(const ct_type *t)
{
    return t->base == CT_TYPE_TEXT || t->base == CT_TYPE_ENUM ||
           t->base == CT_TYPE_DATE || t->base == CT_TYPE_DATETIME;
}

static void check_text_literal(ct_check *k, const ct_expr *e, const ct_type *t,
                               const ct_expr *literal)
{
    bool tolerated;
    /* A text longer than the field is simply never equal. */
    mt_str fault = t->base == CT_TYPE_TEXT
                       ? MT_STR("")
                       : ct_literal_fault(k->u, t, literal, &tolerated);
    if (fault.len) {
        ct_place at = ct_check_at(k, e, true);
        at.tok = literal->tok;
        ct_report(k->u, CT_E_LITERAL_VALUE, at, "%.*s", MT_ARG(fault));
    }
}

static void check_agreement(ct_check *k, const ct_expr *e, const ct_type *a,
                            const ct_type *b)
{
    if (e->right->kind == CT_X_STR && takes_text(a)) {
        check_text_literal(k, e, a, e->right);
        return;
    }
    if (e->left->kind == CT_X_STR && takes_text(b)) {
        check_text_literal(k, e, b, e->left);
        return;
    }
    if (a->base == CT_TYPE_MONEY && b->base == CT_TYPE_MONEY) {
        check_currencies(k, e, a, b);
        return;
    }
    bool structured = a->base == CT_TYPE_RECORD || a->base == CT_TYPE_UNION ||
                      a->base == CT_TYPE_LIST;
    bool agree = (is_numeric(a) && is_numeric(b)) ||
                 (a->base == b->base && (!structured || ct_type_equal(a, b)));
    if (!agree) {
        ct_report(k->u, CT_E_COMPARE_TYPES, ct_check_at(k, e, true),
                  "type error: cannot compare %s with %s",
                  ct_type_text(k->u, k->u->keep, a).ptr,
                  ct_type_text(k->u, k->u->keep, b).ptr);
    }
}

/* ---- comparison_type ---- */

/* The type the suite sees: facts, integers and their products; our own nodes too. */
static const ct_type *seen_type(const ct_expr *e)
{
    const ct_expr *literal, *factor;
    switch (e->kind) {
    case CT_X_INT:
    case CT_X_ADD:
    case CT_X_SUB:
    case CT_X_LEN: return e->type;
    case CT_X_REF: return e->op == CT_REF_VARIABLE ? NULL : e->type;
    case CT_X_MUL:
        literal = e->left->kind == CT_X_INT ? e->left : e->right;
        factor = literal == e->left ? e->right : e->left;
        if (literal->kind != CT_X_INT || factor->kind == CT_X_FIELD ||
            (factor->kind == CT_X_REF && factor->op == CT_REF_VARIABLE)) {
            return NULL;
        }
        return factor->kind == CT_X_REF && factor->type->base != CT_TYPE_INT ? NULL
                                                                             : e->type;
    default: return NULL;
    }
}

static const ct_type *promoted(ct_check *k, const ct_type *integer,
                               const ct_type *decimal)
{
    ct_type *t = mt_new(k->u->keep, ct_type);
    uint32_t digits = ct_int_precision(integer);
    t->base = CT_TYPE_DECIMAL;
    t->precision = (decimal->precision > digits ? decimal->precision : digits) + 1;
    t->scale = decimal->scale;
    return t;
}

static const ct_type *union_of_ranges(ct_check *k, const ct_type *a, const ct_type *b)
{
    ct_type *t = mt_new(k->u->keep, ct_type);
    t->base = CT_TYPE_INT;
    t->min = a->min < b->min ? a->min : b->min;
    t->max = a->max > b->max ? a->max : b->max;
    return t;
}

static bool is_arithmetic(const ct_expr *e)
{
    return e->kind == CT_X_MUL || e->kind == CT_X_ADD || e->kind == CT_X_SUB;
}

static const ct_type *comparison_type(ct_check *k, const ct_expr *e)
{
    const ct_type *a = seen_type(e->left), *b = seen_type(e->right);
    if (a && a->base == CT_TYPE_MONEY) {
        return a;
    }
    if (b && b->base == CT_TYPE_MONEY) {
        return b;
    }
    if (!a || !b) {
        return NULL;
    }
    if (a->base == CT_TYPE_INT && b->base == CT_TYPE_DECIMAL) {
        return promoted(k, a, b);
    }
    if (a->base == CT_TYPE_DECIMAL && b->base == CT_TYPE_INT) {
        return promoted(k, b, a);
    }
    if (a->base == CT_TYPE_INT && b->base == CT_TYPE_INT && is_arithmetic(e->left)) {
        return union_of_ranges(k, a, b);
    }
    return NULL;
}

/* `x in [...]` came from the parser as equalities, the first of them marked. */
static void check_membership(ct_check *k, const ct_expr *e, const ct_type *a)
{
    if (e->sym2 == CT_W_in && !ct_is_unknown(a) && a->base != CT_TYPE_ENUM) {
        ct_place at = ct_check_at(k, e, true);
        at.hint = "write an equality for each value and join them with 'or'";
        ct_report(k->u, CT_E_OPERATOR_TYPE, at,
                  "type error: operator 'in' not defined for %s; only Enum has it",
                  ct_type_text(k->u, k->u->keep, a).ptr);
    }
}

static void check_comparison(ct_check *k, ct_expr *e)
{
    k->anchor = e->tok;
    check_fact_product(k, e->left);
    check_fact_product(k, e->right);
    const ct_type *a = ct_term_type(k, e->left, true);
    const ct_type *b = ct_term_type(k, e->right, true);
    k->anchor = 0;
    bool defined = ct_is_unknown(a) || !is_order(e->op) ||
                   check_operator(k, e, a, is_fact(k, e->left));
    check_membership(k, e, a);
    if (ct_is_unknown(a) || ct_is_unknown(b)) {
        return;
    }
    if (defined) {
        check_agreement(k, e, a, b);
    }
    e->type = comparison_type(k, e);
}

/* ---- other conditions ---- */

static void check_verdict(ct_check *k, const ct_expr *e)
{
    ct_rule *rule = ct_find_verdict(k->u, e->sym);
    bool rule_level = k->stratum != INT64_MAX;
    if (rule) {
        rule->verdict_used = true;
    }
    if (rule_level && !k->quantifiers) {
        return; /* pass 5 checks it, as the suite does */
    }
    if (!rule && !k->u->incomplete) {
        ct_report(
            k->u, CT_E_VERDICT_UNKNOWN, ct_check_at(k, e, true),
            "unresolved VerdictType reference: '%.*s' is not produced by any rule "
            "in this contract",
            CT_ARG(k->u, e->sym));
    } else if (rule && rule_level) {
        ct_check_stratum(k, e, rule);
    }
}

/* `x present`: a verdict may be there, a fact always is. */
static void check_present(ct_check *k, ct_expr *e)
{
    const ct_expr *name = e->left;
    bool verdict = name->kind == CT_X_REF && !is_fact(k, name);
    if (name->kind == CT_X_REF && ct_find_verdict(k->u, name->sym)) {
        verdict = true;
    }
    if (verdict) {
        e->kind = CT_X_VERDICT;
        e->sym = name->sym;
        check_verdict(k, e);
        return;
    }
    if (!ct_is_unknown(ct_term_type(k, e->left, false))) {
        ct_report(k->u, CT_E_PRESENT_FACT, ct_check_at(k, e, true),
                  "a fact is always present once facts are assembled");
    }
    e->kind = CT_X_BOOL;
    e->op = true;
}

static void check_bool_value(ct_check *k, ct_expr *e)
{
    const ct_type *t = ct_term_type(k, e, false);
    if (!ct_is_unknown(t) && t->base != CT_TYPE_BOOL) {
        ct_report(k->u, CT_E_NOT_A_PREDICATE, ct_check_at(k, e, true),
                  "a value of type %s is no condition",
                  ct_type_text(k->u, k->u->keep, t).ptr);
    }
}

static void report_domain(ct_check *k, const ct_expr *e, const ct_type *t)
{
    const ct_expr *domain = e->left;
    mt_str name = ct_str(k->u, domain->sym);
    ct_report(k->u, CT_E_DOMAIN_NOT_LIST, ct_check_at(k, e, !is_fact(k, domain)),
              "type error: quantifier domain '%.*s' has type %s; domain must be "
              "List-typed",
              MT_ARG(name), ct_type_text(k->u, k->u->keep, t).ptr);
}

static void check_binder(ct_check *k, ct_expr *e, const ct_type *element)
{
    ct_type *written = NULL;
    if (e->type) {
        /* The parser made it; nobody else holds it. */
        ct_type *parsed = mt_new(k->u->keep, ct_type);
        *parsed = *e->type;
        written = ct_resolve_type(k->u, parsed, k->c);
    }
    if (written && !ct_type_equal(written, element)) {
        ct_report(
            k->u, CT_E_BINDER_TYPE, ct_check_at(k, e, true),
            "variable '%.*s' is declared as %s, but the list has elements of type "
            "%s",
            CT_ARG(k->u, e->sym), ct_type_text(k->u, k->u->keep, written).ptr,
            ct_type_text(k->u, k->u->keep, element).ptr);
    }
}

static void check_quantifier(ct_check *k, ct_expr *e)
{
    ct_tok tok = k->tok;
    k->tok = e->tok; /* the suite shows an unknown domain at the quantifier */
    const ct_type *t = ct_term_type(k, e->left, true);
    k->tok = tok;
    const ct_type *element = &CT_UNKNOWN;
    if (t->base == CT_TYPE_LIST) {
        element = t->element;
    } else if (!ct_is_unknown(t)) {
        report_domain(k, e, t);
    }
    check_binder(k, e, element);
    e->type = element;
    *mt_vec_add(k->u->keep, &k->variables) = (ct_variable){e->sym, element};
    k->quantifiers++;
    ct_check_condition(k, e->right);
    k->quantifiers--;
    k->variables.len--;
}

void ct_check_condition(ct_check *k, ct_expr *e)
{
    switch ((ct_expr_kind)e->kind) {
    case CT_X_COMPARE: check_comparison(k, e); break;
    case CT_X_AND:
    case CT_X_OR:
        ct_check_condition(k, e->left);
        ct_check_condition(k, e->right);
        break;
    case CT_X_NOT: ct_check_condition(k, e->left); break;
    case CT_X_VERDICT: check_verdict(k, e); break;
    case CT_X_PRESENT: check_present(k, e); break;
    case CT_X_FORALL:
    case CT_X_EXISTS: check_quantifier(k, e); break;
    case CT_X_BOOL: break;
    case CT_X_REF:
    case CT_X_FIELD:
    case CT_X_INDEX:
    case CT_X_INT:
    case CT_X_FLOAT:
    case CT_X_STR:
    case CT_X_MONEY:
    case CT_X_DURATION:
    case CT_X_LEN:
    case CT_X_MUL:
    case CT_X_ADD:
    case CT_X_SUB:
    case CT_X_LIST:
    case CT_X_RECORD:
    case CT_X_ENTRY:
    case CT_X_ERROR: check_bool_value(k, e); break;
    }
}

/* ---- payloads ---- */

static bool is_int_factor(const ct_expr *e)
{
    return e->kind == CT_X_INT || (e->kind == CT_X_REF && e->op == CT_REF_FACT &&
                                   e->type->base == CT_TYPE_INT);
}

static bool contains(const ct_type *outer, const ct_type *inner)
{
    return inner->min >= outer->min && inner->max <= outer->max;
}

static mt_str payload_fault(ct_check *k, const ct_type *want, const ct_expr *e)
{
    const ct_type *have = e->type;
    bool tolerated = false;
    if (e->kind == CT_X_STR && want->base == CT_TYPE_TEXT && !want->length) {
        return MT_STR(""); /* a bare Text takes the length of its literal */
    }
    if (e->kind == CT_X_STR && want->base == CT_TYPE_DECIMAL &&
        !ct_exact_decimal(ct_str(k->u, e->sym))) {
        return mt_strf(k->u->keep, "%.*s has more than 28 digits",
                       CT_ARG(k->u, e->sym));
    }
    if (ct_is_literal(e)) {
        return ct_literal_fault(k->u, want, e, &tolerated);
    }
    bool widened = want->base == CT_TYPE_DECIMAL && is_numeric(have);
    if (want->base != have->base && !widened) {
        return mt_strf(k->u->keep, "%s is needed, this is %s",
                       ct_type_text(k->u, k->u->keep, want).ptr,
                       ct_type_text(k->u, k->u->keep, have).ptr);
    }
    if (want->base == CT_TYPE_DURATION && want->name != have->name) {
        return mt_strf(k->u->keep,
                       "it is counted in %.*s, the payload in %.*s, and nothing is "
                       "converted",
                       CT_ARG(k->u, have->name), CT_ARG(k->u, want->name));
    }
    bool fits = true;
    if (want->base == CT_TYPE_INT) {
        fits = contains(want, have);
    } else if (want->base == CT_TYPE_MONEY) {
        fits = want->name == have->name;
    } else if (want->base == CT_TYPE_RECORD || want->base == CT_TYPE_UNION ||
               want->base == CT_TYPE_LIST || want->base == CT_TYPE_ENUM) {
        fits = ct_type_equal(want, have);
    }
    return fits ? MT_STR("")
                : mt_strf(k->u->keep, "a value of %s does not always fit %s",
                          ct_type_text(k->u, k->u->keep, have).ptr,
                          ct_type_text(k->u, k->u->keep, want).ptr);
}

static void check_payload_type(ct_check *k, ct_rule *r)
{
    const ct_type *want = r->payload_type, *have = r->payload->type;
    const ct_expr *e = r->payload;
    if (ct_is_unknown(have) || ct_is_unknown(want)) {
        return;
    }
    bool suite = e->kind == CT_X_MUL && want->base == CT_TYPE_INT &&
                 have->base == CT_TYPE_INT && is_int_factor(e->left) &&
                 is_int_factor(e->right);
    if (suite && !contains(want, have)) {
        ct_report(k->u, CT_E_PRODUCT_RANGE, ct_check_at(k, e, false),
                  "type error: product range %s is not contained in declared verdict "
                  "payload type %s",
                  ct_type_text(k->u, k->u->keep, have).ptr,
                  ct_type_text(k->u, k->u->keep, want).ptr);
        return;
    }
    mt_str fault = payload_fault(k, want, e);
    if (fault.len) {
        ct_report(k->u, CT_E_PAYLOAD_TYPE, ct_check_at(k, e, true),
                  "the payload does not fit its type: %.*s", MT_ARG(fault));
    }
}

static void check_payload(ct_unit *u, ct_rule *r)
{
    ct_check k = {.u = u,
                  .c = &r->head,
                  .field = CT_FIELD("body.produce.payload"),
                  .tok = r->produce_tok,
                  .in_payload = true,
                  .stratum = r->stratum};
    const ct_type *t = ct_term_type(&k, r->payload, false);
    if (!r->payload_type) {
        r->payload_type = mt_new(u->keep, ct_type);
        *r->payload_type = *t; /* the short form's type is its value's */
    } else {
        check_payload_type(&k, r);
    }
}

/* ---- constructs ---- */

static void resolve_fact(ct_unit *u, ct_fact *f)
{
    f->type = ct_resolve_type(u, f->type, &f->head);
}

static void resolve_rule(ct_unit *u, ct_rule *r)
{
    if (r->payload_type) {
        r->payload_type = ct_resolve_type(u, r->payload_type, &r->head);
    }
}

static void check_fact(ct_unit *u, ct_fact *f)
{
    bool tolerated = false;
    ct_check_type(u, f->type, &f->head, CT_FIELD("type"));
    if (!f->initial) {
        return;
    }
    mt_str fault = ct_literal_fault(u, f->type, f->initial, &tolerated);
    ct_place at = ct_at(&f->head, f->initial->tok, CT_FIELD("default"));
    if (fault.len) {
        ct_report(u, CT_E_DEFAULT_TYPE, at, "the default does not fit its type: %.*s",
                  MT_ARG(fault));
    } else if (tolerated) {
        ct_report(u, CT_E_DEFAULT_DURATION, at,
                  "the default of a Duration is a plain integer");
    }
}

/* A rule without produce gives an empty verdict, as the suite has it. */
static void complete_rule(ct_unit *u, ct_rule *r)
{
    if (r->payload) {
        return;
    }
    ct_report(u, CT_E_RULE_PRODUCE, ct_at(&r->head, r->head.tok, CT_FIELD("produce")),
              "rule '%.*s' produces no verdict", CT_ARG(u, r->head.id));
}

static void check_rule(ct_unit *u, ct_rule *r)
{
    ct_check k = {
        .u = u, .c = &r->head, .field = CT_FIELD("body.when"), .stratum = r->stratum};
    ct_check_condition(&k, r->when);
    complete_rule(u, r);
    if (r->payload && !r->payload->type) {
        check_payload(u, r);
    }
}

static void check_steps(ct_unit *u, const ct_construct *c, const ct_steps *steps)
{
    for (size_t i = 0; i < steps->len; i++) {
        const ct_step *s = steps->items[i];
        if (s->kind == CT_STEP_BRANCH && s->condition) {
            ct_check k = {
                .u = u,
                .c = c,
                .field = mt_strf(u->keep, "steps.%.*s.condition", CT_ARG(u, s->id.sym)),
                .late = true,
                .stratum = INT64_MAX};
            ct_check_condition(&k, s->condition);
        }
        for (size_t b = 0; s->kind == CT_STEP_PARALLEL && b < s->branches.len; b++) {
            check_steps(u, c, &s->branches.items[b].steps);
        }
    }
}

static void check_operation(ct_unit *u, ct_operation *o)
{
    ct_check k = {.u = u,
                  .c = &o->head,
                  .field = CT_FIELD("precondition"),
                  .late = true,
                  .stratum = INT64_MAX};
    ct_check_condition(&k, o->precondition);
}

static void each(ct_unit *u, ct_kind kind, void (*visit)(ct_unit *u, ct_construct *c))
{
    for (size_t i = 0; i < u->kinds[kind].len; i++) {
        if (!u->kinds[kind].items[i]->broken) {
            visit(u, u->kinds[kind].items[i]);
        }
    }
}

/* Visitors for each(): the construct's kind is known. */
static void visit_fact(ct_unit *u, ct_construct *c)
{
    check_fact(u, (ct_fact *)c);
}

static void visit_rule(ct_unit *u, ct_construct *c)
{
    check_rule(u, (ct_rule *)c);
}

static void visit_payload_type(ct_unit *u, ct_construct *c)
{
    ct_rule *r = (ct_rule *)c;
    if (r->payload_type) {
        ct_check_type(u, r->payload_type, c, CT_FIELD("body.produce.payload"));
    }
}

static void visit_typedecl(ct_unit *u, ct_construct *c)
{
    ct_check_type(u, ((ct_typedecl *)c)->type, c, CT_FIELD("type"));
}

static void visit_operation(ct_unit *u, ct_construct *c)
{
    check_operation(u, (ct_operation *)c);
}

static void visit_flow(ct_unit *u, ct_construct *c)
{
    check_steps(u, c, &((ct_flow *)c)->steps);
}

static void resolve_types(ct_unit *u)
{
    for (size_t i = 0; i < u->all.len; i++) {
        ct_construct *c = u->all.items[i];
        if (c->broken) {
            continue;
        }
        if (c->kind == CT_FACT) {
            resolve_fact(u, (ct_fact *)c);
        } else if (c->kind == CT_RULE) {
            resolve_rule(u, (ct_rule *)c);
        }
    }
}

static int compare_strata(const void *a, const void *b)
{
    const ct_rule *x = *(ct_rule *const *)a, *y = *(ct_rule *const *)b;
    if (x->stratum != y->stratum) {
        return x->stratum < y->stratum ? -1 : 1;
    }
    return x->head.tok < y->head.tok ? -1 : x->head.tok > y->head.tok;
}

/* Payload types of the short form are inferred before anything reads them: in the
 * order of the strata. */
static void infer_payloads(ct_unit *u)
{
    MT_VEC(ct_rule *) rules = {0};
    for (size_t i = 0; i < u->kinds[CT_RULE].len; i++) {
        ct_rule *r = (ct_rule *)u->kinds[CT_RULE].items[i];
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

void ct_pass4_check(ct_unit *u)
{
    resolve_types(u);
    each(u, CT_TYPEDECL, visit_typedecl);
    each(u, CT_RULE, visit_payload_type);
    each(u, CT_FACT, visit_fact);
    infer_payloads(u);
    each(u, CT_RULE, visit_rule);
    each(u, CT_OPERATION, visit_operation);
    each(u, CT_FLOW, visit_flow);
}

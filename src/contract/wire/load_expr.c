/* contract/wire/load_expr.c - predicates and terms: names resolved, types decided.
 *
 * A node of interchange is told by its keys (verdict_present, quantifier, op, ...),
 * and becomes one ct_expr with its type. Names are the innermost variable, a fact, or
 * by their own node a verdict of a lower stratum; variables are numbered by depth, so
 * the evaluator needs no names. Types of sums and products are derived (promote.c) and
 * may be narrowed by what the bundle says.
 *
 * Literals take the type of what they stand beside: text beside an Enum, a Date. A
 * literal is the number that is written, or none: nothing is rounded silently (§13.6),
 * except where a payload's type says so (§13.4). Records, lists and unions whose parts
 * are terms are load_made.c's.
 *
 * Recursion follows the JSON tree, whose depth the reader bounds (bundle_depth). NULL
 * means a fault was reported. */
#include "base/utf8.h"
#include "contract/wire/load_internal.h"
#include "contract/wire/shape.h"

const char *const CT_COMPARE_TEXT[] = {
#define X_COMPARE(ID, text) [CT_##ID] = text,
#include "lang/nodes.def"
};
MT_TABLE_COVERS(CT_COMPARE_TEXT, CT_COMPARES);

ct_expr *ct_new_expr(ct_loader *l, ct_op op, const ct_type *type)
{
    ct_expr *e = mt_new(l->keep, ct_expr);
    e->op = (uint8_t)op;
    e->type = type;
    return e;
}

const ct_expr *ct_new_literal(ct_loader *l, const ct_type *type, const ct_value *value)
{
    ct_expr *e = ct_new_expr(l, CT_LITERAL, type);
    e->value = value;
    return e;
}

/* ---- Literals ---- */

static const ct_type *text_type(ct_loader *l, size_t max_length)
{
    ct_type *t = mt_new(l->keep, ct_type);
    *t = ct_text_type(max_length);
    return t;
}

static const ct_type *int_type(ct_loader *l, int64_t value)
{
    ct_type *t = mt_new(l->keep, ct_type);
    *t = ct_int_type(value, value);
    return t;
}

/* The type of a literal that does not say: true, 3 and "text" speak for themselves. */
static const ct_type *infer_type(ct_loader *l, const mt_json *json)
{
    int64_t value;
    if (mt_json_is(json, MT_JSON_BOOL)) {
        return &CT_TYPE_BOOL;
    }
    if (mt_json_is(json, MT_JSON_NUMBER) && mt_json_i64(json, &value) == MT_OK) {
        return int_type(l, value);
    }
    if (mt_json_is(json, MT_JSON_STRING)) {
        return text_type(l, mt_utf8_count(mt_json_text(json)));
    }
    ct_load_error(l, CT_L_EXPR, json, "a literal %s needs a type",
                  mt_json_type_name(json));
    return NULL;
}

/* A literal is the number that is written, or none (§13.6). */
static bool load_exact(ct_loader *l, const ct_type *type, const mt_json *json,
                       ct_value *out)
{
    l->exact = true;
    bool ok = ct_load_value(l, type, json, out);
    l->exact = false;
    return ok;
}

/* Text with the type of an Enum that does not declare it. */
static bool is_stranger(const ct_type *type, const mt_json *value)
{
    return ct_held(type) == LN_CHOICE && mt_json_is(value, MT_JSON_STRING) &&
           ct_choice_find(type, mt_json_text(value)) == CT_NONE;
}

/* It is well-typed to ask for a value that an Enum does not have; no value is equal to
 * it (§16, S3a). As an Enum of this one value it is compared by its text, and fits
 * nowhere else. */
static const ct_expr *stranger(ct_loader *l, const ct_type *type, mt_str text,
                               const mt_json *at)
{
    ct_type *alone = mt_new(l->keep, ct_type);
    mt_str *name = mt_new(l->keep, mt_str);
    ct_value v = {.choice = 0};
    *name = text;
    *alone = ct_choice_type(name, 1);
    ct_load_warning(l, CT_L_STRANGER, at, "\"%.*s\" is not a value of %.*s",
                    MT_ARG(text), MT_ARG(ct_type_spell(l->keep, type)));
    return ct_new_literal(l, alone, ct_keep_value(l, &v));
}

static const ct_expr *load_literal(ct_loader *l, const mt_json *value,
                                   const mt_json *type_json)
{
    const ct_type *type = NULL;
    if (type_json) {
        size_t mark = ct_path_key(l, MT_STR("type"));
        type = ct_load_type(l, type_json);
        ct_path_pop(l, mark);
    } else {
        type = infer_type(l, value);
    }
    if (!type) {
        return NULL;
    }
    if (is_stranger(type, value)) {
        return stranger(l, type, mt_json_text(value), value);
    }
    ct_value *v = mt_new_array(l->keep, ct_value, type->slots + 1);
    return load_exact(l, type, value, v) ? ct_new_literal(l, type, v) : NULL;
}

static bool text_fits(const ct_type *type, mt_str text, ct_value *out)
{
    if (ct_held(type) == LN_CHOICE) {
        return (out->choice = ct_choice_find(type, text)) != CT_NONE;
    }
    return ct_held(type) == LN_TIME ? ct_time_parse(text, &out->time)
                                    : ct_date_parse(text, &out->integer);
}

/* A literal that is, or may be, a value written as text. */
static bool is_textual(const ct_expr *e)
{
    return e->op == CT_LITERAL &&
           (ct_held(e->type) == LN_TEXT || ct_held(e->type) == LN_CHOICE);
}

static mt_str text_of(const ct_expr *e)
{
    return ct_held(e->type) == LN_TEXT ? e->value->text
                                       : e->type->as.values[e->value->choice];
}

const ct_expr *ct_fit_literal(ct_loader *l, const ct_expr *e, const ct_type *type,
                              const mt_json *at)
{
    bool wanted =
        ct_held(type) == LN_CHOICE || ct_is_day(type) || ct_held(type) == LN_TIME;
    if (!is_textual(e) || !wanted) {
        return e;
    }
    mt_str text = text_of(e);
    ct_value v = {0};
    if (!text_fits(type, text, &v)) {
        ct_load_error(l, CT_L_VALUE, at, "\"%.*s\" is not a value of %.*s",
                      MT_ARG(text), MT_ARG(ct_type_spell(l->keep, type)));
        return NULL;
    }
    return ct_new_literal(l, type, ct_keep_value(l, &v));
}

/* ---- References ---- */

/* The innermost variable of that name, as its depth; CT_NONE. */
static uint32_t find_variable(const ct_loader *l, mt_str name)
{
    for (size_t i = l->scope.len; i-- > 0;) {
        if (mt_str_eq(l->scope.items[i].name, name)) {
            return (uint32_t)i;
        }
    }
    return CT_NONE;
}

static const ct_expr *load_reference(ct_loader *l, mt_str name, const mt_json *at)
{
    uint32_t depth = find_variable(l, name);
    if (depth != CT_NONE) {
        ct_expr *e = ct_new_expr(l, CT_VARIABLE, l->scope.items[depth].type);
        e->index = depth;
        return e;
    }
    uint32_t fact = ct_model_find(l->m, CT_KIND_FACT, name);
    if (fact == CT_NONE) {
        ct_load_error(l, CT_L_NAME, at, "unknown fact \"%.*s\"", MT_ARG(name));
        return NULL;
    }
    const ct_type *type = l->m->facts[fact].type;
    if (!type) {
        return NULL; /* its own error was reported */
    }
    ct_expr *e = ct_new_expr(l, CT_FACT, type);
    e->index = fact;
    return e;
}

/* The rule behind a verdict, from a lower stratum. */
static uint32_t load_verdict(ct_loader *l, const mt_json *json)
{
    mt_str name = mt_json_text(json);
    uint32_t rule = ct_model_find(l->m, CT_KIND_VERDICT, name);
    if (rule == CT_NONE) {
        ct_load_error(l, CT_L_NAME, json, "no rule produces verdict \"%.*s\"",
                      MT_ARG(name));
        return CT_NONE;
    }
    const ct_rule *r = &l->m->rules[rule];
    /* A rule's limit is its own stratum; operations and flows read every stratum. */
    if (r->stratum >= l->stratum_limit) {
        ct_load_error(l, CT_L_STRATUM, json,
                      "verdict \"%.*s\" is produced at stratum %u; a rule at stratum "
                      "%u may only read lower ones",
                      MT_ARG(name), r->stratum, l->stratum_limit);
        return CT_NONE;
    }
    return rule;
}

static const ct_expr *load_payload_ref(ct_loader *l, const mt_json *json)
{
    uint32_t rule = load_verdict(l, json);
    if (rule == CT_NONE || !l->m->rules[rule].payload_type) {
        return NULL;
    }
    ct_expr *e = ct_new_expr(l, CT_PAYLOAD, l->m->rules[rule].payload_type);
    e->index = rule;
    return e;
}

static const ct_expr *part(ct_loader *l, ct_op op, const ct_type *type,
                           const ct_expr *of, uint32_t index)
{
    ct_expr *e = ct_new_expr(l, op, type);
    e->left = of;
    e->index = index;
    return e;
}

static const ct_type *tag_type(ct_loader *l, const ct_type *of)
{
    ct_type *t = mt_new(l->keep, ct_type);
    mt_str *names = mt_new_array(l->keep, mt_str, of->count);
    for (uint32_t i = 0; i < of->count; i++) {
        names[i] = of->as.variants[i].name;
    }
    *t = ct_choice_type(names, of->count);
    return t;
}

static const ct_expr *currency_of(ct_loader *l, const ct_type *money)
{
    ct_value v = {.text = money->as.currency};
    return ct_new_literal(l, text_type(l, mt_utf8_count(v.text)), ct_keep_value(l, &v));
}

/* `of.name` for a record, a union or money. */
static const ct_expr *field_of(ct_loader *l, const ct_expr *of, mt_str name,
                               const mt_json *at)
{
    const ct_type *t = of->type;
    bool parted = ct_held(t) == LN_RECORD || ct_held(t) == LN_VARIANT;
    if (ct_held(t) == LN_VARIANT && mt_str_is(name, "tag")) {
        return part(l, CT_TAG, tag_type(l, t), of, 0);
    }
    if (ct_has(t, LN_CURRENCY) && mt_str_is(name, "amount")) {
        return part(l, CT_AMOUNT, &CT_TYPE_ANY_DECIMAL, of, 0);
    }
    if (ct_has(t, LN_CURRENCY) && mt_str_is(name, "currency")) {
        return currency_of(l, t);
    }
    uint32_t index = parted ? ct_field_find(t, name) : CT_NONE;
    if (index == CT_NONE) {
        ct_load_error(l, CT_L_EXPR, at, "%.*s has no field \"%.*s\"",
                      MT_ARG(ct_type_spell(l->keep, t)), MT_ARG(name));
        return NULL;
    }
    return part(l, ct_held(t) == LN_RECORD ? CT_FIELD : CT_VARIANT,
                t->as.fields[index].type, of, index);
}

static const ct_expr *load_field_ref(ct_loader *l, const mt_json *json)
{
    const ct_expr *of = load_reference(l, ct_text_at(json, "var"), json);
    return of ? field_of(l, of, ct_text_at(json, "field"), json) : NULL;
}

static const ct_expr *load_member_term(ct_loader *l, const mt_json *json, mt_str key)
{
    size_t mark = ct_path_key(l, key);
    const ct_expr *e = ct_load_term(l, mt_json_get(json, key));
    ct_path_pop(l, mark);
    return e;
}

static const ct_expr *load_field_of(ct_loader *l, const mt_json *json)
{
    const ct_expr *of = load_member_term(l, json, MT_STR("of"));
    return of ? field_of(l, of, ct_text_at(json, "field"), json) : NULL;
}

/* ---- Operators ---- */

static const ct_expr *operands_differ(ct_loader *l, const char *op, const ct_expr *x,
                                      const ct_expr *y, const mt_json *at)
{
    ct_load_error(l, CT_L_EXPR, at, "operator '%s' is not defined for %.*s and %.*s",
                  op, MT_ARG(ct_type_spell(l->keep, x->type)),
                  MT_ARG(ct_type_spell(l->keep, y->type)));
    return NULL;
}

/* The bounds of a result: those the bundle gives, if they are of the derived kind. */
static const ct_type *result_type(ct_loader *l, const mt_json *json,
                                  const ct_type *derived)
{
    const mt_json *given = mt_json_at(json, "result_type");
    if (!given) {
        return derived;
    }
    size_t mark = ct_path_key(l, MT_STR("result_type"));
    const ct_type *t = ct_load_type(l, given);
    if (t && (!ct_type_comparable(t, derived) || t->unit != derived->unit)) {
        ct_load_error(l, CT_L_EXPR, given, "the operands give %.*s",
                      MT_ARG(ct_type_spell(l->keep, derived)));
        t = NULL;
    }
    ct_path_pop(l, mark);
    return t;
}

/* Bundles bound the time between two moments by whole seconds; fractions round, so the
 * longest is one second more, as the calendar gives it. */
static bool lacks_last_second(const ct_expr *x, const ct_type *given,
                              const ct_type *derived)
{
    return ct_held(x->type) == LN_TIME && ct_has(given, LN_UNIT) &&
           given->as.range.max == derived->as.range.max - 1 &&
           given->as.range.min == derived->as.range.min + 1;
}

static const ct_expr *load_sum(ct_loader *l, const mt_json *json, ct_op op)
{
    const ct_expr *x = load_member_term(l, json, MT_STR("left"));
    const ct_expr *y = load_member_term(l, json, MT_STR("right"));
    if (!x || !y || !(x = ct_fit_literal(l, x, y->type, json)) ||
        !(y = ct_fit_literal(l, y, x->type, json))) {
        return NULL;
    }
    const ct_type *derived = ct_type_of_sum(l->keep, x->type, y->type, op == CT_SUB);
    if (!derived) {
        return operands_differ(l, op == CT_SUB ? "-" : "+", x, y, json);
    }
    const ct_type *type = result_type(l, json, derived);
    if (!type) {
        return NULL;
    }
    ct_expr *e =
        ct_new_expr(l, op, lacks_last_second(x, type, derived) ? derived : type);
    e->left = x;
    e->right = y;
    return e;
}

/* The factor of {"left":…,"literal":n,"op":"*"}. */
static const ct_expr *load_factor(ct_loader *l, const mt_json *json)
{
    const mt_json *factor = mt_json_at(json, "literal");
    int64_t n;
    if (!factor) {
        return load_member_term(l, json, MT_STR("right"));
    }
    if (mt_json_i64(factor, &n) != MT_OK) {
        ct_load_error(l, CT_L_EXPR, factor, "a product needs an integer literal");
        return NULL;
    }
    return load_literal(l, factor, NULL);
}

static const ct_expr *load_product(ct_loader *l, const mt_json *json)
{
    const ct_expr *x = load_member_term(l, json, MT_STR("left"));
    const ct_expr *y = load_factor(l, json);
    if (!x || !y) {
        return NULL;
    }
    const ct_type *derived = ct_type_of_product(l->keep, x, y);
    if (!derived) {
        return operands_differ(l, "*", x, y, json);
    }
    /* Conditions stay linear; a payload is computed and may have more. */
    if (!l->in_payload && x->op != CT_LITERAL && y->op != CT_LITERAL) {
        ct_load_error(l, CT_L_EXPR, json, "a predicate may multiply by a literal only");
        return NULL;
    }
    const ct_type *type = result_type(l, json, derived);
    if (!type) {
        return NULL;
    }
    ct_expr *e = ct_new_expr(l, CT_MUL, type);
    e->left = x;
    e->right = y;
    return e;
}

static const ct_expr *load_list_operand(ct_loader *l, const mt_json *json, mt_str key)
{
    const ct_expr *list = load_member_term(l, json, key);
    if (list && ct_held(list->type) != LN_LIST) {
        ct_load_error(l, CT_L_EXPR, json, "expected a List, got %.*s",
                      MT_ARG(ct_type_spell(l->keep, list->type)));
        return NULL;
    }
    return list;
}

static const ct_expr *load_len(ct_loader *l, const mt_json *json)
{
    const ct_expr *list = load_list_operand(l, json, MT_STR("operand"));
    if (!list) {
        return NULL;
    }
    ct_type *t = mt_new(l->keep, ct_type);
    *t = ct_int_type(0, (int64_t)list->type->as.list.max);
    return part(l, CT_LEN, t, list, 0);
}

static const ct_expr *load_index(ct_loader *l, const mt_json *json)
{
    const ct_expr *list = load_list_operand(l, json, MT_STR("operand"));
    const ct_expr *index = load_member_term(l, json, MT_STR("index"));
    if (!list || !index) {
        return NULL;
    }
    if (!ct_is_int(index->type)) {
        ct_load_error(l, CT_L_EXPR, json, "an index is an Int, got %.*s",
                      MT_ARG(ct_type_spell(l->keep, index->type)));
        return NULL;
    }
    ct_expr *e = ct_new_expr(l, CT_INDEX, list->type->as.list.element);
    e->left = list;
    e->right = index;
    return e;
}

static const ct_expr *load_operator_term(ct_loader *l, const mt_json *json, mt_str op)
{
    if (mt_str_is(op, "+")) {
        return load_sum(l, json, CT_ADD);
    }
    if (mt_str_is(op, "-")) {
        return load_sum(l, json, CT_SUB);
    }
    if (mt_str_is(op, "*")) {
        return load_product(l, json);
    }
    if (mt_str_is(op, "len")) {
        return load_len(l, json);
    }
    if (mt_str_is(op, "index")) {
        return load_index(l, json);
    }
    ct_load_error(l, CT_L_EXPR, json, "\"%.*s\" is not an operator of terms",
                  MT_ARG(op));
    return NULL;
}

const ct_expr *ct_load_term(ct_loader *l, const mt_json *json)
{
    mt_str key = ct_told_by(json);
    const mt_json *v = mt_json_get(json, key);
    if (mt_str_is(key, "fact_ref")) {
        return load_reference(l, mt_json_text(v), v);
    }
    if (mt_str_is(key, "field_ref")) {
        return load_field_ref(l, v);
    }
    if (mt_str_is(key, "verdict_ref")) {
        return load_payload_ref(l, v);
    }
    if (mt_str_is(key, "field_of")) {
        return load_field_of(l, v);
    }
    if (mt_str_is(key, "op")) {
        return load_operator_term(l, json, mt_json_text(v));
    }
    if (mt_str_is(key, "literal")) {
        return load_literal(l, v, mt_json_at(json, "type"));
    }
    if (ct_is_made(json)) {
        return ct_load_made(l, json, NULL);
    }
    ct_load_error(l, CT_L_EXPR, json, "this is not a term");
    return NULL;
}

/* ---- Predicates ---- */

/* A literal beside another operand takes its type. Beside an Enum it may be a value
 * that is not declared; a tag is never another than those of its union. */
static const ct_expr *fit_operand(ct_loader *l, const ct_expr *e, const ct_expr *beside,
                                  const mt_json *at)
{
    const ct_type *type = beside->type;
    bool asked = is_textual(e) && ct_held(type) == LN_CHOICE && beside->op != CT_TAG;
    if (!asked || ct_choice_find(type, text_of(e)) != CT_NONE) {
        return ct_fit_literal(l, e, type, at);
    }
    return ct_held(e->type) == LN_CHOICE ? e : stranger(l, type, text_of(e), at);
}

/* Two Enums compare if they have the same values, in whatever order (§10.4). A literal
 * has been fitted already. */
static bool same_choices(const ct_expr *x, const ct_expr *y)
{
    const ct_type *a = x->type, *b = y->type;
    if (x->op == CT_LITERAL || y->op == CT_LITERAL || a == b) {
        return true;
    }
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++) {
        same = ct_choice_find(b, a->as.values[i]) != CT_NONE;
    }
    return same;
}

static bool operands_agree(const ct_expr *x, const ct_expr *y)
{
    if (ct_has(x->type, LN_NUMBER) && ct_has(y->type, LN_NUMBER)) {
        return true;
    }
    return ct_type_comparable(x->type, y->type) &&
           (ct_held(x->type) != LN_CHOICE || same_choices(x, y));
}

static const ct_expr *load_comparison(ct_loader *l, const mt_json *json, ct_compare op)
{
    const ct_expr *x = load_member_term(l, json, MT_STR("left"));
    const ct_expr *y = load_member_term(l, json, MT_STR("right"));
    if (!x || !y || !(x = fit_operand(l, x, y, json)) ||
        !(y = fit_operand(l, y, x, json))) {
        return NULL;
    }
    if (!operands_agree(x, y) || (op >= CT_LT && !ct_has(x->type, LN_ORDERED))) {
        return operands_differ(l, CT_COMPARE_TEXT[op], x, y, json);
    }
    ct_expr *e = ct_new_expr(l, CT_COMPARE, &CT_TYPE_BOOL);
    e->compare = (uint8_t)op;
    e->left = x;
    e->right = y;
    return e;
}

static const ct_expr *load_member_predicate(ct_loader *l, const mt_json *json,
                                            mt_str key)
{
    size_t mark = ct_path_key(l, key);
    const ct_expr *e = ct_load_predicate(l, mt_json_get(json, key));
    ct_path_pop(l, mark);
    return e;
}

static const ct_expr *load_junction(ct_loader *l, const mt_json *json, ct_op op)
{
    const ct_expr *x = load_member_predicate(l, json, MT_STR("left"));
    const ct_expr *y = load_member_predicate(l, json, MT_STR("right"));
    if (!x || !y) {
        return NULL;
    }
    ct_expr *e = ct_new_expr(l, op, &CT_TYPE_BOOL);
    e->left = x;
    e->right = y;
    return e;
}

static const ct_expr *load_not(ct_loader *l, const mt_json *json)
{
    const ct_expr *x = load_member_predicate(l, json, MT_STR("operand"));
    return x ? part(l, CT_NOT, &CT_TYPE_BOOL, x, 0) : NULL;
}

static const ct_expr *load_present(ct_loader *l, const mt_json *json)
{
    uint32_t rule = load_verdict(l, json);
    return rule == CT_NONE ? NULL : part(l, CT_PRESENT, &CT_TYPE_BOOL, NULL, rule);
}

/* §10.4: over facts and their fields, never over verdicts. */
static bool is_domain(ct_loader *l, const ct_expr *list, const mt_json *at)
{
    const ct_expr *base = list;
    /* Down through fields and elements to the name it begins with. */
    while (base->left) {
        base = base->left;
    }
    if (base->op == CT_PAYLOAD) {
        ct_load_error(l, CT_L_EXPR, at,
                      "a quantifier runs over a List fact or a List field of a Record "
                      "fact, not over a verdict");
    }
    return base->op != CT_PAYLOAD;
}

static const ct_expr *load_quantifier(ct_loader *l, const mt_json *json, mt_str name)
{
    mt_str variable = ct_text_at(json, "variable");
    bool all = mt_str_is(name, "forall");
    const ct_expr *list = load_list_operand(l, json, MT_STR("domain"));
    if (!list || !is_domain(l, list, json)) {
        return NULL;
    }
    uint32_t depth = (uint32_t)l->scope.len;
    mt_vec_push(l->keep, &l->scope,
                ((ct_scope_variable){variable, list->type->as.list.element}));
    const ct_expr *body = load_member_predicate(l, json, MT_STR("body"));
    /* Variables are only known inside their body. */
    l->scope.len--;
    if (!body) {
        return NULL;
    }
    ct_expr *e = ct_new_expr(l, all ? CT_FORALL : CT_EXISTS, &CT_TYPE_BOOL);
    e->left = list;
    e->right = body;
    e->index = depth;
    e->name = variable;
    return e;
}

static const ct_expr *load_operator(ct_loader *l, const mt_json *json, mt_str op)
{
    if (mt_str_is(op, "and")) {
        return load_junction(l, json, CT_AND);
    }
    if (mt_str_is(op, "or")) {
        return load_junction(l, json, CT_OR);
    }
    if (mt_str_is(op, "not")) {
        return load_not(l, json);
    }
    for (unsigned i = 0; i < CT_COMPARES; i++) {
        if (mt_str_eq(op, mt_str_z(CT_COMPARE_TEXT[i]))) {
            return load_comparison(l, json, (ct_compare)i);
        }
    }
    return load_operator_term(l, json, op);
}

const ct_expr *ct_load_predicate(ct_loader *l, const mt_json *json)
{
    mt_str key = ct_told_by(json);
    const mt_json *v = mt_json_get(json, key);
    if (mt_str_is(key, "verdict_present")) {
        return load_present(l, v);
    }
    if (mt_str_is(key, "quantifier")) {
        return load_quantifier(l, json, mt_json_text(v));
    }
    const ct_expr *e = mt_str_is(key, "op") ? load_operator(l, json, mt_json_text(v))
                                            : ct_load_term(l, json);
    if (e && ct_held(e->type) != LN_BOOLEAN) {
        ct_load_error(l, CT_L_EXPR, json, "expected a Bool, got %.*s",
                      MT_ARG(ct_type_spell(l->keep, e->type)));
        return NULL;
    }
    return e;
}

/* ---- Payloads ---- */

static bool is_term(const mt_json *json)
{
    mt_str key = ct_told_by(json);
    return key.len && !mt_str_is(key, "verdict_present") &&
           !mt_str_is(key, "quantifier") && !mt_json_at(json, "kind");
}

/* Every value of `from` is one of `to`: needed where nothing is checked any more. */
static bool contains(const ct_type *to, const ct_type *from)
{
    if (!ct_type_comparable(to, from) || to->unit != from->unit) {
        return false;
    }
    switch (ct_held(to)) {
    case LN_INTEGER:
        return !ct_has(to, LN_RANGED) || (to->as.range.min <= from->as.range.min &&
                                          to->as.range.max >= from->as.range.max);
    case LN_DECIMAL:
        return ct_has(to, LN_CURRENCY) ||
               (to->as.decimal.scale >= from->as.decimal.scale &&
                to->as.decimal.precision - to->as.decimal.scale >=
                    from->as.decimal.precision - from->as.decimal.scale);
    case LN_TEXT: return to->as.max_length >= from->as.max_length;
    case LN_CHOICE:
        for (uint32_t i = 0; i < from->count; i++) {
            if (i >= to->count || !mt_str_eq(to->as.values[i], from->as.values[i])) {
                return false;
            }
        }
        return true;
    case LN_RECORD:
    case LN_VARIANT:
        for (uint32_t i = 0; i < to->count; i++) {
            if (!contains(to->as.fields[i].type, from->as.fields[i].type)) {
                return false;
            }
        }
        return true;
    case LN_LIST:
        return to->as.list.max >= from->as.list.max &&
               contains(to->as.list.element, from->as.list.element);
    case LN_BOOLEAN:
    case LN_TIME: break;
    }
    return true;
}

/* Numbers and texts are checked when the value is known; the rest must fit as a type.
 */
bool ct_payload_fits(const ct_type *to, const ct_type *from)
{
    if (ct_has(to, LN_NUMBER) && ct_has(from, LN_NUMBER)) {
        return ct_is_decimal(to) || ct_is_int(from);
    }
    if (ct_held(to) == LN_TEXT || ct_has(to, LN_UNIT)) {
        return from->base == to->base && from->unit == to->unit;
    }
    return contains(to, from);
}

/* Digits beyond a Decimal's scale are rounded away (§13.4); what is left has to fit. */
bool ct_fits_rounded(const ct_type *type, mt_decimal d)
{
    uint32_t scale = type->as.decimal.scale;
    return (d.scale <= scale || mt_decimal_rescale(d, scale, &d) == MT_OK) &&
           mt_decimal_fits(d, type->as.decimal.precision, scale);
}

/* A written payload. */
static const ct_expr *load_payload_literal(ct_loader *l, const ct_type *type,
                                           const mt_json *json)
{
    ct_value *v = mt_new_array(l->keep, ct_value, type->slots + 1);
    bool decimal = ct_is_decimal(type);
    if (!json) {
        ct_load_error(l, CT_L_SHAPE, json, "\"value\" is missing");
        return NULL;
    }
    /* Read with all its digits first, then rounded once: reading it as the payload's
     * type would refuse what rounding makes fit. */
    ct_type every = ct_decimal_type(2 * MT_DECIMAL_MAX_SCALE + 1, MT_DECIMAL_MAX_SCALE);
    if (!load_exact(l, decimal ? &every : type, json, v)) {
        return NULL;
    }
    if (decimal && !ct_fits_rounded(type, v->decimal)) {
        ct_load_error(l, CT_L_VALUE, json, "the payload is not a value of %.*s",
                      MT_ARG(ct_type_spell(l->keep, type)));
        return NULL;
    }
    return ct_new_literal(l, decimal ? &CT_TYPE_ANY_DECIMAL : type, v);
}

/* A written duration takes the unit of the payload. */
const ct_expr *ct_fit_duration(ct_loader *l, const ct_expr *e, const ct_type *type)
{
    ct_value v = {0};
    bool written =
        e->op == CT_LITERAL && ct_has(e->type, LN_UNIT) && ct_has(type, LN_UNIT);
    return written && ct_duration_fits(type, e->value->integer,
                                       (ct_duration_unit)e->type->unit, &v.integer)
               ? ct_new_literal(l, type, ct_keep_value(l, &v))
               : e;
}

const ct_expr *ct_load_payload(ct_loader *l, const ct_type *type, const mt_json *json)
{
    if (!is_term(json)) {
        return load_payload_literal(l, type, json);
    }
    l->in_payload = true;
    const ct_expr *e =
        ct_is_made(json) ? ct_load_made(l, json, type) : ct_load_term(l, json);
    l->in_payload = false;
    if (!e || !(e = ct_fit_literal(l, e, type, json))) {
        return NULL;
    }
    e = ct_fit_duration(l, e, type);
    if (!ct_payload_fits(type, e->type)) {
        ct_load_error(l, CT_L_EXPR, json, "payload is of %.*s, the verdict of %.*s",
                      MT_ARG(ct_type_spell(l->keep, e->type)),
                      MT_ARG(ct_type_spell(l->keep, type)));
        return NULL;
    }
    return e;
}

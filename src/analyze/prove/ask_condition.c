/* analyze/prove/ask_condition.c - conditions in questions, with types decided.
 *
 * A name is a fact, else a verdict, else an operation, which stands for its
 * precondition; ENTITY.STATE is a state, unless a fact has such a field. All facts of a
 * question are those of one member. A verdict is its presence, or its payload where
 * something follows that wants a value. Literals get their type from what stands beside
 * them: "3" beside a Decimal is a Decimal, text beside an Enum must be one of its
 * values.
 *
 * The grammar is that of the language's predicates, less quantifiers: or, and, not,
 * comparisons, parentheses. Recursive descent, at most MOST_DEPTH deep.
 *
 * The result is an expression of the model (ct_expr), which the prover and the
 * evaluator take as if the contract had it. NULL means that a fault was said. */
#include "analyze/prove/ask_internal.h"
#include "base/utf8.h"
#include "contract/wire/round_text.h"

/* The second: states in one question, so that their truth is one word. */
enum { MOST_DEPTH = 100, MOST_ATOMS = 64 };

ct_expr *ask_expr(mt_arena *a, ct_op op, const ct_expr *left, const ct_expr *right)
{
    ct_expr *e = mt_new(a, ct_expr);
    e->op = (uint8_t)op;
    e->type = &CT_TYPE_BOOL;
    e->left = left;
    e->right = right;
    return e;
}

static ct_expr *typed(asker *k, ct_op op, const ct_type *type, const ct_expr *left,
                      uint32_t index)
{
    ct_expr *e = ask_expr(k->a, op, left, NULL);
    e->type = type;
    e->index = index;
    return e;
}

/* The value is copied: an expression points to its value. */
static const ct_expr *literal(asker *k, const ct_type *type, ct_value value)
{
    ct_expr *e = typed(k, CT_LITERAL, type, NULL, 0);
    ct_value *kept = mt_new(k->a, ct_value);
    *kept = value;
    e->value = kept;
    return e;
}

/* ---- Paths ---- */

/* As the loader makes it: variants are sorted, so a tag's index is the choice. */
static const ct_type *tags_of(asker *k, const ct_type *of)
{
    ct_type *t = mt_new(k->a, ct_type);
    mt_str *names = mt_new_array(k->a, mt_str, of->count);
    for (uint32_t i = 0; i < of->count; i++) {
        names[i] = of->as.variants[i].name;
    }
    *t = ct_choice_type(names, of->count);
    return t;
}

/* The currency of Money is not asked for: it is a constant of the type. */
static const ct_expr *member(asker *k, const ct_expr *of, const ask_token *name)
{
    const ct_type *t = of->type;
    bool parted = ct_held(t) == LN_RECORD || ct_held(t) == LN_VARIANT;
    uint32_t i = parted ? ct_field_find(t, name->text) : CT_NONE;
    if (ct_has(t, LN_CURRENCY) && mt_str_is(name->text, "amount")) {
        return typed(k, CT_AMOUNT, &CT_TYPE_ANY_DECIMAL, of, 0);
    }
    if (ct_held(t) == LN_VARIANT && mt_str_is(name->text, "tag")) {
        return typed(k, CT_TAG, tags_of(k, t), of, 0);
    }
    if (i == CT_NONE) {
        ask_fault(k, name, "%.*s has no field '%.*s'", MT_ARG(ct_type_spell(k->a, t)),
                  MT_ARG(name->text));
        return NULL;
    }
    return typed(k, ct_held(t) == LN_RECORD ? CT_FIELD : CT_VARIANT,
                 t->as.fields[i].type, of, i);
}

/* Without one an operation is always possible as far as facts go. */
static const ct_expr *precondition_of(asker *k, uint32_t operation)
{
    const ct_expr *e = k->m->operations[operation].precondition;
    return e ? e : literal(k, &CT_TYPE_BOOL, (ct_value){.boolean = true});
}

bool ask_use_member(asker *k, const ask_token *at, uint32_t member)
{
    k->reads_facts = true;
    if (k->member == CT_NONE) {
        k->member = member;
        k->m = ask_model_of(k->q, member);
    }
    return k->member == member ||
           ask_fault(k, at,
                     "facts are those of one member: '%.*s' is of %.*s, others of %.*s",
                     MT_ARG(at->text), MT_ARG(k->q->u->members[member].id),
                     MT_ARG(k->q->u->members[k->member].id));
}

/* A member's thing of one of these kinds; its facts are then the question's. */
static bool try_kind(asker *k, ct_kind kind, uint32_t *out)
{
    const ask_token *at = ask_peek(k);
    uint32_t member;
    return ask_try_member(k, kind, &member, out) && ask_use_member(k, at, member);
}

/* A state that the entity does not have is the likelier slip, where an entity is named.
 */
static void refuse_name(asker *k)
{
    const ask_token *t = ask_peek(k);
    uint32_t entity, state;
    size_t at = k->next;
    if (ask_try_union(k, CT_KIND_ENTITY, &entity) && ask_take(k, ".")) {
        ask_read_state(k, entity, &state);
    }
    k->next = k->error.len ? k->next : at;
    unsigned kinds =
        1u << CT_KIND_FACT | 1u << CT_KIND_VERDICT | 1u << CT_KIND_OPERATION;
    ask_fault(k, t, "there is no fact, verdict or operation '%.*s'%.*s",
              MT_ARG(t->text), MT_ARG(ask_hint(k, t->text, kinds)));
}

static bool value_follows(const asker *k, bool right_side);

/* A verdict is its payload where something follows that wants a value. */
static const ct_expr *named(asker *k, bool right_side)
{
    ask_token name = *ask_peek(k);
    uint32_t i;
    if (name.kind != ASK_WORD && name.kind != ASK_TEXT) {
        ask_want_name(k, &name);
        return NULL;
    }
    if (try_kind(k, CT_KIND_FACT, &i)) {
        return typed(k, CT_FACT, k->m->facts[i].type, NULL, i);
    }
    if (try_kind(k, CT_KIND_VERDICT, &i)) {
        return value_follows(k, right_side)
                   ? typed(k, CT_PAYLOAD, k->m->rules[i].payload_type, NULL, i)
                   : typed(k, CT_PRESENT, &CT_TYPE_BOOL, NULL, i);
    }
    size_t at = k->next;
    if (try_kind(k, CT_KIND_OPERATION, &i) && !value_follows(k, right_side)) {
        return precondition_of(k, i);
    }
    k->next = at;
    if (!k->error.len) {
        refuse_name(k);
    }
    return NULL;
}

/* ---- States ---- */

/* Does a fact or verdict here have what follows the dot? Then it is not a state. */
static bool is_field(asker *k)
{
    asker look = *k;
    uint32_t member, i;
    const ct_type *t = NULL;
    if (ask_try_member(&look, CT_KIND_FACT, &member, &i)) {
        t = ask_model_of(k->q, member)->facts[i].type;
    } else if (ask_try_member(&look, CT_KIND_VERDICT, &member, &i)) {
        t = ask_model_of(k->q, member)->rules[i].payload_type;
    }
    if (!t || !ask_take(&look, ".")) {
        return t != NULL;
    }
    mt_str name = ask_peek(&look)->text;
    bool parted = ct_held(t) == LN_RECORD || ct_held(t) == LN_VARIANT;
    return (ct_has(t, LN_CURRENCY) && mt_str_is(name, "amount")) ||
           (ct_held(t) == LN_VARIANT && mt_str_is(name, "tag")) ||
           (parted && ct_field_find(t, name) != CT_NONE);
}

/* The same state is one atom, however often it is named. */
static const ct_expr *state_atom(asker *k, const ask_token *at, uint32_t entity,
                                 uint32_t state)
{
    for (size_t i = 0; i < k->atoms.len; i++) {
        if (k->atoms.items[i].entity == entity && k->atoms.items[i].state == state) {
            return k->atoms.items[i].expr;
        }
    }
    if (k->atoms.len == MOST_ATOMS) {
        ask_fault(k, at, "more than %d states in one question", MOST_ATOMS);
        return NULL;
    }
    ct_expr *e = ask_expr(k->a, CT_LITERAL, NULL, NULL);
    ct_value *value = mt_new(k->a, ct_value);
    e->value = value;
    mt_vec_push(k->a, &k->atoms, ((ask_atom){entity, state, e, value}));
    return e;
}

/* ORDER ct_compare, -1 if it is not a comparison. */
static int comparison_at(const ask_token *t)
{
    for (int i = 0; i < 6 && t->kind == ASK_SIGN; i++) {
        if (mt_str_eq(t->text, mt_str_z(CT_COMPARE_TEXT[i]))) {
            return i;
        }
    }
    return -1;
}

/* Does a name at this token have to be a value? */
static bool value_follows(const asker *k, bool right_side)
{
    const ask_token *t = ask_peek(k);
    return right_side || comparison_at(t) >= 0 ||
           (t->kind == ASK_SIGN && mt_str_is(t->text, "."));
}

/* NAME, NAME.FIELD.FIELD, or ENTITY.STATE. `right_side`: behind a comparison, where a
 * state cannot stand and a verdict is its payload. */
static const ct_expr *path(asker *k, bool right_side)
{
    ask_token at = *ask_peek(k);
    uint32_t entity, state;
    if (!right_side && !is_field(k) && ask_try_state(k, &entity, &state)) {
        return state_atom(k, &at, entity, state);
    }
    const ct_expr *e = named(k, right_side);
    while (e && ask_take(k, ".")) {
        ask_token field;
        e = ask_want_name(k, &field) ? member(k, e, &field) : NULL;
    }
    return e;
}

/* `len` is only a function before a parenthesis. Looking one token further is safe: the
 * word is not ASK_END, so there is another. */
static const ct_expr *operand(asker *k, bool right_side)
{
    ask_token open = *ask_peek(k);
    bool is_len = mt_str_is(open.text, "len") &&
                  mt_str_is(k->tokens.items[k->next + 1].text, "(");
    if (open.kind != ASK_WORD || !is_len) {
        return path(k, right_side);
    }
    k->next += 2;
    const ct_expr *list = path(k, true);
    if (!list || !ask_want(k, ")")) {
        return NULL;
    }
    if (ct_held(list->type) != LN_LIST) {
        ask_fault(k, &open, "len wants a List");
        return NULL;
    }
    ct_type *t = mt_new(k->a, ct_type);
    *t = ct_int_type(0, (int64_t)list->type->as.list.max);
    return typed(k, CT_LEN, t, list, 0);
}

/* ---- Values ---- */

/* As written: 3.0 is not whole. */
static bool whole_number(mt_str text, int64_t *out)
{
    mt_decimal d;
    return mt_str_find(text, '.') == text.len && mt_decimal_parse(text, &d) == MT_OK &&
           mt_decimal_to_i64(d, out) == MT_OK;
}

/* The narrowest type the number has, as the loader gives it to literals: Int(n, n). */
static const ct_type *literal_int(asker *k, int64_t n)
{
    ct_type *t = mt_new(k->a, ct_type);
    *t = ct_int_type(n, n);
    return t;
}

/* A number beside a value of the type. A number beside a Duration counts in its unit;
 * beside Money the currency may follow and is taken. NULL without a fault: the caller
 * says which type was due. */
static const ct_expr *number(asker *k, const ct_type *beside, const ask_token *t)
{
    ct_value v = {0};
    bool money = ct_has(beside, LN_CURRENCY);
    if (ct_has(beside, LN_UNIT) && whole_number(t->text, &v.integer)) {
        return literal(k, beside, v);
    }
    if (!money && !ct_has(beside, LN_NUMBER)) {
        return NULL;
    }
    if (money) {
        ask_take(k, mt_str_dup(k->a, beside->as.currency).ptr);
    }
    if (!money && whole_number(t->text, &v.integer)) {
        return literal(k, literal_int(k, v.integer), v);
    }
    /* Rounded, it would be another number than the one that is asked about (§13.6). */
    bool read =
        ct_exact_decimal(t->text) && mt_decimal_parse(t->text, &v.decimal) == MT_OK;
    return read ? literal(k, money ? beside : &CT_TYPE_ANY_DECIMAL, v) : NULL;
}

/* A value of the type that stands beside it,
 * or NULL: the caller says which type was due. */
static const ct_expr *text(asker *k, const ct_type *beside, mt_str t)
{
    ct_value v = {0};
    bool read = false;
    if (ct_held(beside) == LN_TEXT) {
        v.text = t;
        read = true;
    } else if (ct_held(beside) == LN_CHOICE) {
        v.choice = ct_choice_find(beside, t);
        read = v.choice != CT_NONE;
    } else if (ct_is_day(beside)) {
        read = ct_date_parse(t, &v.integer);
    } else if (ct_held(beside) == LN_TIME) {
        read = ct_time_parse(t, &v.time);
    }
    return read ? literal(k, beside, v) : NULL;
}

/* A word that is a value of the Enum is that value, every other word is a name. */
static const ct_expr *value(asker *k, const ct_type *beside)
{
    ask_token t = *ask_peek(k);
    const ct_expr *e = NULL;
    bool truth = mt_str_is(t.text, "true");
    if (t.kind == ASK_WORD && ct_held(beside) == LN_BOOLEAN &&
        (truth || mt_str_is(t.text, "false"))) {
        k->next++;
        return literal(k, &CT_TYPE_BOOL, (ct_value){.boolean = truth});
    }
    if (t.kind == ASK_WORD &&
        !(ct_held(beside) == LN_CHOICE && ct_choice_find(beside, t.text) != CT_NONE)) {
        return operand(k, true);
    }
    k->next += t.kind != ASK_END;
    e = t.kind == ASK_NUMBER ? number(k, beside, &t) : text(k, beside, t.text);
    if (!e) {
        ask_fault(k, &t, "'%.*s' is not a value of %.*s", MT_ARG(t.text),
                  MT_ARG(ct_type_spell(k->a, beside)));
    }
    return e;
}

static bool is_number(const ct_type *t)
{
    return ct_has(t, LN_NUMBER);
}

static bool is_ordered(const ct_type *t)
{
    return ct_has(t, LN_ORDERED);
}

/* ---- Conditions ---- */

/* The same rule as the loader's (§4.2), so nothing can be asked that could not be
 * written. */
static const ct_expr *comparison(asker *k, const ct_expr *left, int op)
{
    ask_token at = k->tokens.items[k->next++];
    const ct_expr *right = value(k, left->type);
    if (!right) {
        return NULL;
    }
    bool alike = (is_number(left->type) && is_number(right->type)) ||
                 ct_type_comparable(left->type, right->type);
    if (!alike || (op >= CT_LT && !is_ordered(left->type))) {
        ask_fault(k, &at, "'%s' is not defined for %.*s and %.*s", CT_COMPARE_TEXT[op],
                  MT_ARG(ct_type_spell(k->a, left->type)),
                  MT_ARG(ct_type_spell(k->a, right->type)));
        return NULL;
    }
    ct_expr *e = ask_expr(k->a, CT_COMPARE, left, right);
    e->compare = (uint8_t)op;
    return e;
}

/* A comparison, or a Bool by itself. */
static const ct_expr *atom(asker *k)
{
    ask_token at = *ask_peek(k);
    const ct_expr *e = operand(k, false);
    int op = e ? comparison_at(ask_peek(k)) : -1;
    if (op >= 0) {
        return comparison(k, e, op);
    }
    if (e && ct_held(e->type) != LN_BOOLEAN) {
        ask_fault(k, &at, "'%.*s' is of %.*s: compare it with something",
                  MT_ARG(at.text), MT_ARG(ct_type_spell(k->a, e->type)));
        return NULL;
    }
    return e;
}

/* The only function that meets itself again, so the depth is counted here. */
static const ct_expr *unary(asker *k)
{
    if (++k->depth > MOST_DEPTH) {
        ask_fault(k, ask_peek(k), "the condition is nested too deeply");
        return NULL;
    }
    const ct_expr *e;
    if (ask_take(k, "not")) {
        e = unary(k);
        e = e ? ask_expr(k->a, CT_NOT, e, NULL) : NULL;
    } else if (ask_take(k, "(")) {
        e = ask_condition(k);
        e = e && ask_want(k, ")") ? e : NULL;
    } else {
        e = atom(k);
    }
    k->depth--;
    return e;
}

/* `and` binds tighter than `or`; chains lean to the left. */
static const ct_expr *conjunction(asker *k)
{
    const ct_expr *e = unary(k);
    while (e && ask_take(k, "and")) {
        const ct_expr *y = unary(k);
        e = y ? ask_expr(k->a, CT_AND, e, y) : NULL;
    }
    return e;
}

const ct_expr *ask_condition(asker *k)
{
    const ct_expr *e = conjunction(k);
    while (e && ask_take(k, "or")) {
        const ct_expr *y = conjunction(k);
        e = y ? ask_expr(k->a, CT_OR, e, y) : NULL;
    }
    return e;
}

/* contract/front/parser_expr.c - conditions, values and literals.
 * One grammar for both; pass 4 decides what each part is, so that `(a + b) * 2 <= c`
 * and `(p) and q` both parse. From loose to tight: or, and, not, comparison, + -, *,
 * then .field [index] present. A quantifier's body reaches as far right as it can. */
#include <stdlib.h>

#include "contract/front/parser.h"

/* Leaves start at this depth: the bundle nests a few levels around an expression, and
 * what we write must be readable under the limit json_depth. */
enum { LEAF_DEPTH = 10 };

static ct_expr *parse_or(ct_parser *p);
static ct_expr *parse_sum(ct_parser *p);

static ct_expr *leaf(ct_parser *p, ct_expr_kind kind, ct_tok tok, ct_sym sym)
{
    ct_expr *e = mt_new(p->a, ct_expr);
    e->kind = (uint8_t)kind;
    e->depth = LEAF_DEPTH;
    e->tok = tok;
    e->sym = sym;
    return e;
}

static ct_expr *deeper(ct_parser *p, ct_expr *e, const ct_expr *a, const ct_expr *b)
{
    unsigned depth = a->depth;
    if (b && b->depth > depth) {
        depth = b->depth;
    }
    e->depth = (uint16_t)(depth + 1);
    if (MT_UNLIKELY(depth + 1 > p->u->limits->source_depth)) {
        p->depth += (unsigned)p->u->limits->source_depth;
        bool entered = ct_enter(p); /* reports */
        p->depth -= (unsigned)p->u->limits->source_depth + entered;
        return NULL;
    }
    return e;
}

static ct_expr *unary(ct_parser *p, ct_expr_kind kind, ct_tok tok, ct_expr *left)
{
    ct_expr *e = leaf(p, kind, tok, CT_W_none);
    e->left = left;
    return deeper(p, e, left, NULL);
}

static ct_expr *binary(ct_parser *p, ct_expr_kind kind, ct_expr *left, ct_expr *right)
{
    if (!right) {
        return NULL;
    }
    ct_expr *e = leaf(p, kind, left->tok, CT_W_none);
    e->left = left;
    e->right = right;
    return deeper(p, e, left, right);
}

/* ---- contextual words ---- */

/* A word that acts as an operator here: never before a colon. */
static bool is_operator_word(const ct_parser *p, ct_sym word)
{
    return ct_is_word(p, word) && ct_peek_at(p, 1) != CT_T_COLON;
}

static bool at_or(const ct_parser *p)
{
    return ct_peek(p) == CT_T_OR || is_operator_word(p, CT_W_or);
}

static bool at_and(const ct_parser *p)
{
    return ct_peek(p) == CT_T_AND || is_operator_word(p, CT_W_and);
}

static bool at_not(const ct_parser *p)
{
    return ct_peek(p) == CT_T_NOT || is_operator_word(p, CT_W_not);
}

static bool at_in(const ct_parser *p)
{
    return ct_peek(p) == CT_T_IN || is_operator_word(p, CT_W_in);
}

static bool at_quantifier(const ct_parser *p)
{
    if (ct_peek(p) == CT_T_FORALL || ct_peek(p) == CT_T_EXISTS) {
        return true;
    }
    if (!ct_is_word(p, CT_W_forall) && !ct_is_word(p, CT_W_exists)) {
        return false;
    }
    if (ct_peek_at(p, 1) != CT_T_WORD) {
        return false;
    }
    ct_token_kind third = ct_peek_at(p, 2);
    return third == CT_T_IN || third == CT_T_COLON ||
           (third == CT_T_WORD && p->t[2].sym == CT_W_in);
}

/* ---- literals ---- */

static bool number_text(ct_parser *p, ct_sym *out)
{
    if (ct_peek(p) != CT_T_INT && ct_peek(p) != CT_T_FLOAT && ct_peek(p) != CT_T_STR) {
        return ct_expected(p, "string literal");
    }
    *out = p->t->sym;
    ct_advance(p);
    return true;
}

/* "10.00", 10.00 or Decimal(10.00) */
static bool take_amount(ct_parser *p, ct_sym *out)
{
    if (!ct_is_word(p, CT_W_Decimal)) {
        return number_text(p, out);
    }
    ct_advance(p);
    return ct_take(p, CT_T_LPAREN) && number_text(p, out) && ct_take(p, CT_T_RPAREN);
}

static ct_field_result read_money_key(ct_parser *p, void *node, ct_sym field,
                                      ct_tok tok)
{
    (void)tok;
    ct_expr *e = node;
    ct_name currency;
    switch (field) {
    case CT_W_amount: return CT_READ(take_amount(p, &e->sym));
    case CT_W_currency:
        if (!ct_take_str(p, &currency)) {
            return CT_FIELD_FAILED;
        }
        e->sym2 = currency.sym;
        return CT_FIELD_OK;
    default: return CT_FIELD_UNKNOWN;
    }
}

static ct_field_result read_duration_key(ct_parser *p, void *node, ct_sym field,
                                         ct_tok tok)
{
    (void)tok;
    ct_expr *e = node;
    ct_name unit;
    if (field == CT_W_value && ct_peek(p) == CT_T_INT) {
        e->sym = p->t->sym;
        ct_advance(p);
        return CT_FIELD_OK;
    }
    if (field == CT_W_value) {
        return CT_READ(ct_expected(p, "integer"));
    }
    if (field != CT_W_unit) {
        return CT_FIELD_UNKNOWN;
    }
    bool ok = ct_take_str(p, &unit);
    e->sym2 = ok ? unit.sym : CT_W_none;
    return CT_READ(ok);
}

/* Money { ... } or Duration { ... }; the word is here. */
static ct_expr *parse_struct_literal(ct_parser *p, bool money)
{
    static const ct_body MONEY = {.unknown = "Money key",
                                  .read = read_money_key,
                                  .close = CT_T_RBRACE,
                                  .commas = true};
    static const ct_body DURATION = {.unknown = "Duration key",
                                     .read = read_duration_key,
                                     .close = CT_T_RBRACE,
                                     .commas = true};
    ct_tok tok = ct_here(p);
    ct_expr *e = leaf(p, money ? CT_X_MONEY : CT_X_DURATION, tok, CT_W_empty);
    e->sym2 = CT_W_empty;
    ct_seen seen = {0};
    ct_advance(p);
    ct_advance(p);
    bool broken = p->broken;
    p->broken = false;
    bool ok = ct_read_body(p, money ? &MONEY : &DURATION, e, &seen) && !p->broken;
    p->broken |= broken;
    if (ok && !money && (e->sym == CT_W_empty || e->sym2 == CT_W_empty)) {
        return ct_missing(p, tok, "Duration", e->sym == CT_W_empty ? "value" : "unit"),
               NULL;
    }
    return ok ? e : NULL;
}

/* A literal of one token, NULL without a report if there is none. */
static ct_expr *simple_literal(ct_parser *p)
{
    ct_expr *e = NULL;
    ct_tok tok = ct_here(p);
    switch (p->t->kind) {
    case CT_T_INT: e = leaf(p, CT_X_INT, tok, p->t->sym); break;
    case CT_T_FLOAT: e = leaf(p, CT_X_FLOAT, tok, p->t->sym); break;
    case CT_T_STR: e = leaf(p, CT_X_STR, tok, p->t->sym); break;
    case CT_T_WORD:
        if (p->t->sym == CT_W_true || p->t->sym == CT_W_false) {
            e = leaf(p, CT_X_BOOL, tok, CT_W_none);
            e->op = p->t->sym == CT_W_true;
        }
        break;
    default: break;
    }
    if (e) {
        ct_advance(p);
    }
    return e;
}

typedef struct expr_list {
    ct_expr **items;
    size_t len, cap;
} expr_list;

static bool read_list_item(ct_parser *p, void *list)
{
    expr_list *items = list;
    ct_expr *e = ct_parse_literal(p);
    if (e) {
        *mt_vec_add(p->a, items) = e;
    }
    return e != NULL;
}

static ct_expr *finish_items(ct_parser *p, ct_expr *e, const expr_list *list)
{
    e->items = list->items;
    e->sym2 = (ct_sym)list->len;
    unsigned depth = LEAF_DEPTH;
    for (size_t i = 0; i < list->len; i++) {
        depth = list->items[i]->depth > depth ? list->items[i]->depth : depth;
    }
    ct_expr deepest = {.depth = (uint16_t)depth};
    return deeper(p, e, &deepest, NULL);
}

static ct_expr *parse_list_literal(ct_parser *p)
{
    ct_expr *e = leaf(p, CT_X_LIST, ct_here(p), CT_W_none);
    expr_list list = {0};
    return ct_read_list(p, read_list_item, &list) ? finish_items(p, e, &list) : NULL;
}

static int compare_entries(const void *a, const void *b, void *unit)
{
    const ct_expr *x = *(ct_expr *const *)a, *y = *(ct_expr *const *)b;
    int order = ct_sym_cmp(unit, x->sym, y->sym);
    return order ? order : x->tok < y->tok ? -1 : 1;
}

/* Sorted by field; of equal fields the last written stays. */
static void settle_entries(ct_parser *p, expr_list *list)
{
    size_t kept = 0;
    qsort_r(list->items, list->len, sizeof *list->items, compare_entries, p->u);
    for (size_t i = 0; i < list->len; i++) {
        if (kept && list->items[kept - 1]->sym == list->items[i]->sym) {
            ct_repeated(p, list->items[i]->tok, list->items[i]->sym);
            kept--;
        }
        list->items[kept++] = list->items[i];
    }
    list->len = kept;
}

/* `{ field: literal, ... }`, after an optional name; here is the brace. */
static ct_expr *parse_record_literal(ct_parser *p, ct_tok tok, ct_sym name)
{
    ct_expr *e = leaf(p, CT_X_RECORD, tok, name);
    expr_list list = {0};
    ct_advance(p);
    while (ct_peek(p) != CT_T_RBRACE) {
        ct_name field;
        if (!ct_take_word(p, &field) || !ct_take(p, CT_T_COLON)) {
            return NULL;
        }
        ct_expr *value = ct_parse_literal(p);
        if (!value) {
            return NULL;
        }
        ct_expr *entry = unary(p, CT_X_ENTRY, field.tok, value);
        if (!entry) {
            return NULL;
        }
        entry->sym = field.sym;
        *mt_vec_add(p->a, &list) = entry;
        ct_accept(p, CT_T_COMMA);
    }
    ct_advance(p);
    if (list.len > 1) {
        settle_entries(p, &list);
    }
    return finish_items(p, e, &list);
}

/* `Tag(literal)`: a union value; here is the word. */
static ct_expr *parse_tag_literal(ct_parser *p)
{
    ct_name tag;
    ct_take_word(p, &tag);
    ct_advance(p);
    ct_expr *payload = ct_parse_literal(p);
    if (!payload || !ct_take(p, CT_T_RPAREN)) {
        return NULL;
    }
    ct_expr *e = unary(p, CT_X_ENTRY, tag.tok, payload);
    if (e) {
        e->sym = tag.sym;
    }
    return e;
}

/* Decimal(10.00) as a value. */
static ct_expr *parse_decimal_literal(ct_parser *p)
{
    ct_expr *e = leaf(p, CT_X_FLOAT, ct_here(p), CT_W_none);
    return take_amount(p, &e->sym) ? e : NULL;
}

static ct_expr *parse_word_literal(ct_parser *p)
{
    ct_token_kind next = ct_peek_at(p, 1);
    ct_sym word = p->t->sym;
    if (next == CT_T_LBRACE && (word == CT_W_Money || word == CT_W_Duration)) {
        return parse_struct_literal(p, word == CT_W_Money);
    }
    if (next == CT_T_LBRACE) {
        ct_tok tok = ct_here(p);
        ct_advance(p);
        return parse_record_literal(p, tok, word);
    }
    if (next == CT_T_LPAREN) {
        return word == CT_W_Decimal ? parse_decimal_literal(p) : parse_tag_literal(p);
    }
    ct_expected(p, "literal value");
    return NULL;
}

static ct_expr *parse_any_literal(ct_parser *p)
{
    ct_expr *e = simple_literal(p);
    if (e) {
        return e;
    }
    switch (p->t->kind) {
    case CT_T_LBRACKET: return parse_list_literal(p);
    case CT_T_LBRACE: return parse_record_literal(p, ct_here(p), CT_W_none);
    case CT_T_WORD: return parse_word_literal(p);
    default: ct_expected(p, "literal value"); return NULL;
    }
}

ct_expr *ct_parse_literal(ct_parser *p)
{
    if (!ct_enter(p)) {
        return NULL;
    }
    ct_expr *e = parse_any_literal(p);
    ct_leave(p);
    return e;
}

/* ---- terms ---- */

static ct_expr *no_comparison(ct_parser *p, const char *hint)
{
    p->broken = true;
    if (ct_peek(p) != CT_T_BAD) {
        ct_report(p->u, CT_E_PARSE_COMPARISON,
                  (ct_place){.file = p->file, .tok = ct_here(p), .hint = hint},
                  "expected comparison operator, got %.*s",
                  MT_ARG(ct_found_debug(p->a, &p->u->syms, p->t)));
    }
    return NULL;
}

static ct_expr *parse_call(ct_parser *p, ct_expr_kind kind)
{
    ct_tok tok = ct_here(p);
    ct_advance(p);
    if (!ct_take(p, CT_T_LPAREN)) {
        return NULL;
    }
    if (kind == CT_X_VERDICT) {
        ct_name verdict;
        bool ok = ct_take_word(p, &verdict) && ct_take(p, CT_T_RPAREN);
        return ok ? leaf(p, CT_X_VERDICT, tok, verdict.sym) : NULL;
    }
    if (!ct_enter(p)) {
        return NULL;
    }
    ct_expr *list = parse_sum(p);
    ct_leave(p);
    return list && ct_take(p, CT_T_RPAREN) ? unary(p, kind, tok, list) : NULL;
}

static ct_expr *parse_parenthesis(ct_parser *p)
{
    ct_advance(p);
    ct_expr *e = parse_or(p);
    return e && ct_take(p, CT_T_RPAREN) ? e : NULL;
}

static bool is_aggregate(ct_sym word)
{
    return word == CT_W_sum || word == CT_W_count || word == CT_W_average ||
           word == CT_W_avg || word == CT_W_min || word == CT_W_max;
}

static const char *call_hint(ct_sym word)
{
    return is_aggregate(word)
               ? "a contract computes no aggregates: supply the total as a fact of its "
                 "own, calculated by the system it comes from"
               : "there are no functions beside verdict_present(...) and len(...): "
                 "supply the "
                 "value as a fact";
}

static ct_expr *parse_word_term(ct_parser *p)
{
    ct_token_kind next = ct_peek_at(p, 1);
    ct_sym word = p->t->sym;
    if (word == CT_W_verdict_present) {
        return parse_call(p, CT_X_VERDICT);
    }
    if (next == CT_T_LPAREN && word == CT_W_len) {
        return parse_call(p, CT_X_LEN);
    }
    if (next == CT_T_LPAREN && word == CT_W_Decimal) {
        return parse_decimal_literal(p);
    }
    if (next == CT_T_LBRACE && (word == CT_W_Money || word == CT_W_Duration)) {
        return parse_struct_literal(p, word == CT_W_Money);
    }
    ct_expr *e = leaf(p, CT_X_REF, ct_here(p), word);
    ct_advance(p);
    if (next == CT_T_LPAREN) {
        return no_comparison(p, call_hint(word));
    }
    return e;
}

static ct_expr *parse_primary(ct_parser *p)
{
    ct_expr *e = simple_literal(p);
    if (e) {
        return e;
    }
    switch (p->t->kind) {
    case CT_T_LPAREN: return parse_parenthesis(p);
    case CT_T_WORD: return parse_word_term(p);
    default: ct_expected(p, "term"); return NULL;
    }
}

static ct_expr *parse_index(ct_parser *p, ct_expr *list)
{
    if (!ct_enter(p)) {
        return NULL;
    }
    ct_advance(p);
    ct_expr *index = parse_sum(p);
    bool ok = index && ct_take(p, CT_T_RBRACKET);
    ct_leave(p);
    return ok ? binary(p, CT_X_INDEX, list, index) : NULL;
}

static ct_expr *parse_field(ct_parser *p, ct_expr *record)
{
    ct_name field;
    ct_advance(p);
    if (!ct_take_word(p, &field)) {
        return NULL;
    }
    ct_expr *e = unary(p, CT_X_FIELD, record->tok, record);
    if (e) {
        e->sym = field.sym;
        e->sym2 = field.tok;
    }
    return e;
}

static bool can_index(const ct_expr *e)
{
    return e->kind == CT_X_REF || e->kind == CT_X_FIELD || e->kind == CT_X_INDEX;
}

static ct_expr *parse_postfix(ct_parser *p)
{
    ct_expr *e = parse_primary(p);
    while (e && can_index(e)) {
        if (ct_peek(p) == CT_T_DOT) {
            e = parse_field(p, e);
        } else if (ct_peek(p) == CT_T_LBRACKET) {
            e = parse_index(p, e);
        } else if (is_operator_word(p, CT_W_present)) {
            ct_advance(p);
            return unary(p, CT_X_PRESENT, e->tok, e);
        } else {
            break;
        }
    }
    return e;
}

static ct_expr *parse_product(ct_parser *p)
{
    ct_expr *e = parse_postfix(p);
    while (e && ct_accept(p, CT_T_STAR)) {
        e = binary(p, CT_X_MUL, e, parse_postfix(p));
    }
    return e;
}

static ct_expr *parse_sum(ct_parser *p)
{
    ct_expr *e = parse_product(p);
    while (e && (ct_peek(p) == CT_T_PLUS || ct_peek(p) == CT_T_MINUS)) {
        ct_expr_kind kind = ct_peek(p) == CT_T_PLUS ? CT_X_ADD : CT_X_SUB;
        ct_advance(p);
        e = binary(p, kind, e, parse_product(p));
    }
    return e;
}

ct_expr *ct_parse_term(ct_parser *p)
{
    return parse_sum(p);
}

/* ---- conditions ---- */

static bool is_comparison(ct_token_kind kind)
{
    return kind >= CT_T_EQ && kind <= CT_T_GTE;
}

static bool could_be_condition(const ct_expr *e)
{
    switch ((ct_expr_kind)e->kind) {
    case CT_X_INT:
    case CT_X_FLOAT:
    case CT_X_STR:
    case CT_X_MONEY:
    case CT_X_DURATION:
    case CT_X_LEN:
    case CT_X_MUL:
    case CT_X_ADD:
    case CT_X_SUB: return false;
    case CT_X_BOOL:
    case CT_X_REF:
    case CT_X_FIELD:
    case CT_X_INDEX:
    case CT_X_COMPARE:
    case CT_X_AND:
    case CT_X_OR:
    case CT_X_NOT:
    case CT_X_VERDICT:
    case CT_X_PRESENT:
    case CT_X_FORALL:
    case CT_X_EXISTS:
    case CT_X_LIST:
    case CT_X_RECORD:
    case CT_X_ENTRY:
    case CT_X_ERROR: return true;
    }
    return true;
}

static bool is_pattern_word(const ct_parser *p)
{
    return ct_peek(p) == CT_T_WORD && ct_peek_at(p, 1) == CT_T_STR &&
           (p->t->sym == CT_W_matches || p->t->sym == CT_W_like ||
            p->t->sym == CT_W_contains);
}

/* Refuses what cannot stand as a condition of its own. */
static ct_expr *as_condition(ct_parser *p, ct_expr *e)
{
    if (!e) {
        return NULL;
    }
    if (ct_peek(p) == CT_T_ARROW) {
        p->broken = true;
        ct_report(p->u, CT_E_ARROW_IN_TERM,
                  (ct_place){.file = p->file, .tok = ct_here(p)},
                  "an arrow is not a comparison");
        return NULL;
    }
    if (is_pattern_word(p)) {
        return no_comparison(p,
                             "text is only compared exactly: classify it outside and "
                             "supply the result as a Bool or Enum fact");
    }
    bool bare = e->kind == CT_X_REF || e->kind == CT_X_FIELD;
    if (bare && ct_peek(p) == CT_T_COLON) { /* the next field was taken for a fact */
        return no_comparison(p, "the condition before this field is not complete");
    }
    return could_be_condition(e) ? e : no_comparison(p, NULL);
}

/* e in ["a", "b"]: an `or` of equalities. */
static ct_expr *parse_membership(ct_parser *p, ct_expr *e)
{
    ct_expr *all = NULL;
    ct_advance(p);
    if (!ct_take(p, CT_T_LBRACKET)) {
        return NULL;
    }
    do {
        ct_expr *value = simple_literal(p);
        if (!value) {
            ct_expected(p, "literal value");
            return NULL;
        }
        ct_expr *equal = binary(p, CT_X_COMPARE, e, value);
        if (!equal) {
            return NULL;
        }
        equal->op = CT_T_EQ;
        equal->sym2 = all ? CT_W_none : CT_W_in; /* pass 4 looks at the first of them */
        all = all ? binary(p, CT_X_OR, all, equal) : equal;
        ct_accept(p, CT_T_COMMA);
    } while (all && ct_peek(p) != CT_T_RBRACKET);
    ct_advance(p);
    return all;
}

static ct_expr *parse_comparison(ct_parser *p)
{
    ct_expr *e = parse_sum(p);
    if (!e) {
        return NULL;
    }
    if (is_comparison(ct_peek(p))) {
        ct_token_kind op = ct_peek(p);
        ct_advance(p);
        e = binary(p, CT_X_COMPARE, e, parse_sum(p));
        if (e) {
            e->op = (uint8_t)op;
        }
        return e;
    }
    return at_in(p) ? parse_membership(p, e) : e;
}

/* ---- quantifiers ---- */

static bool is_spaced_dot(const ct_token *dot)
{
    return dot->kind == CT_T_DOT && ((dot->flags | dot[1].flags) & CT_TOK_SPACED);
}

/* The dot that separates domain and body: the first with white space beside it, else
 * the first before the bound variable. Only the chain of names behind the domain's
 * first word is searched. */
static const ct_token *separating_dot(const ct_parser *p, ct_sym variable)
{
    const ct_token *before_variable = NULL, *t = p->t + 1;
    for (; t->kind == CT_T_DOT && t[1].kind == CT_T_WORD; t += 2) {
        if (is_spaced_dot(t)) {
            return t;
        }
        if (!before_variable && t[1].sym == variable) {
            before_variable = t;
        }
    }
    return t->kind == CT_T_DOT ? t : before_variable;
}

static ct_expr *parse_domain(ct_parser *p, ct_sym variable)
{
    ct_name name;
    if (ct_peek(p) != CT_T_WORD) {
        ct_take_word(p, &name);
        return NULL;
    }
    const ct_token *dot = separating_dot(p, variable);
    ct_take_word(p, &name);
    ct_expr *e = leaf(p, CT_X_REF, name.tok, name.sym);
    while (e && p->t != dot) {
        if (ct_peek(p) == CT_T_DOT && !is_spaced_dot(p->t)) {
            e = parse_field(p, e);
        } else if (ct_peek(p) == CT_T_LBRACKET) {
            e = parse_index(p, e);
        } else {
            break;
        }
    }
    return e;
}

static bool take_in(ct_parser *p)
{
    if (ct_peek(p) == CT_T_IN || ct_is_word(p, CT_W_in)) {
        ct_advance(p);
        return true;
    }
    return ct_syntax(p, "expected ∈ after quantifier variable", NULL);
}

static bool take_separator(ct_parser *p)
{
    if (ct_accept(p, CT_T_DOT)) {
        return true;
    }
    return ct_syntax(p, "expected '.' after quantifier domain", NULL);
}

static ct_expr *parse_quantifier(ct_parser *p)
{
    bool all = ct_peek(p) == CT_T_FORALL || ct_is_word(p, CT_W_forall);
    ct_tok tok = ct_here(p);
    ct_name variable;
    ct_type *type = NULL;
    ct_advance(p);
    if (!ct_take_word(p, &variable)) {
        return NULL;
    }
    if (ct_accept(p, CT_T_COLON) && !(type = ct_parse_type(p))) {
        return NULL;
    }
    if (!take_in(p)) {
        return NULL;
    }
    ct_expr *domain = parse_domain(p, variable.sym);
    if (!domain || !take_separator(p)) {
        return NULL;
    }
    ct_expr *body = as_condition(p, parse_or(p));
    ct_expr *e = binary(p, all ? CT_X_FORALL : CT_X_EXISTS, domain, body);
    if (e) {
        e->tok = tok;
        e->sym = variable.sym;
        e->sym2 = variable.tok;
        e->type = type;
    }
    return e;
}

static ct_expr *parse_not(ct_parser *p)
{
    if (!ct_enter(p)) {
        return NULL;
    }
    ct_expr *e;
    if (at_not(p)) {
        ct_tok tok = ct_here(p);
        ct_advance(p);
        e = as_condition(p, parse_not(p));
        e = e ? unary(p, CT_X_NOT, tok, e) : NULL;
    } else {
        e = at_quantifier(p) ? parse_quantifier(p) : parse_comparison(p);
    }
    ct_leave(p);
    return e;
}

static ct_expr *parse_and(ct_parser *p)
{
    ct_expr *e = parse_not(p);
    while (e && at_and(p)) {
        e = as_condition(p, e);
        ct_advance(p);
        e = e ? binary(p, CT_X_AND, e, as_condition(p, parse_not(p))) : NULL;
    }
    return e;
}

static ct_expr *parse_or(ct_parser *p)
{
    ct_expr *e = parse_and(p);
    while (e && at_or(p)) {
        e = as_condition(p, e);
        ct_advance(p);
        e = e ? binary(p, CT_X_OR, e, as_condition(p, parse_and(p))) : NULL;
    }
    return e;
}

ct_expr *ct_parse_expr(ct_parser *p)
{
    return as_condition(p, parse_or(p));
}

/* contract/front/parser_expr.c - conditions, values and literals.
 *
 * One grammar for both; pass 4 decides what each part is, so that `(a + b) * 2 <= c`
 * and `(p) and q` both parse. From loose to tight: or, and, not, comparison, + -, *,
 * then .field [index] present. A quantifier's body reaches as far right as it can.
 *
 * Words such as `in`, `not` and `forall` are operators only in their place and names
 * elsewhere. The dot between a quantifier's domain and its body is the first with
 * white space beside it, else the first before the bound variable; format_tree.c has
 * the same rule.
 *
 * Every node knows how deep it is: the bundle nests a few levels around an expression,
 * and what we write must be readable under bundle_depth. What cannot stand as a
 * condition is refused here with a hint of what was probably meant. NULL means a fault
 * was reported. */
#include <stdlib.h>

#include "contract/front/parser.h"
#include "contract/front/suggest.h"

/* Leaves start at this depth: the bundle nests a few levels around an expression, and
 * what we write must be readable under the limit bundle_depth. */
enum { LEAF_DEPTH = 10 };

static fr_expr *parse_or(fr_parser *p);
static fr_expr *parse_sum(fr_parser *p);

/* Also the beginning of inner nodes, whose depth deeper() sets. */
static fr_expr *leaf(fr_parser *p, fr_expr_kind kind, fr_tok tok, fr_sym sym)
{
    fr_expr *e = mt_new(p->a, fr_expr);
    e->kind = (uint8_t)kind;
    e->depth = LEAF_DEPTH;
    e->tok = tok;
    e->sym = sym;
    return e;
}

/* The height of the tree is counted as it grows, because interchange nests as deep:
 * chains of `and`, `or` and `+`, and `in` with many values, are flat in the source and
 * lean to the left in the bundle. So they are bounded by the limit of bundles, and what
 * parses can be written and read again; nesting in the source is fr_enter()'s. */
static fr_expr *at_depth(fr_parser *p, fr_expr *e, unsigned depth)
{
    e->depth = (uint16_t)depth;
    if (MT_UNLIKELY(depth > p->u->limits->bundle_depth)) {
        fr_too_deep(p, "bundle_depth", p->u->limits->bundle_depth);
        return NULL;
    }
    return e;
}

static fr_expr *deeper(fr_parser *p, fr_expr *e, const fr_expr *a, const fr_expr *b)
{
    unsigned depth = a->depth;
    if (b && b->depth > depth) {
        depth = b->depth;
    }
    return at_depth(p, e, depth + 1);
}

static fr_expr *unary(fr_parser *p, fr_expr_kind kind, fr_tok tok, fr_expr *left)
{
    fr_expr *e = leaf(p, kind, tok, FR_W_none);
    e->left = left;
    return deeper(p, e, left, NULL);
}

/* Takes a right side that failed, so callers can pass the parser's result on. The place
 * of the whole is that of its left side, whose line the suite shows. */
static fr_expr *binary(fr_parser *p, fr_expr_kind kind, fr_expr *left, fr_expr *right)
{
    if (!right) {
        return NULL;
    }
    fr_expr *e = leaf(p, kind, left->tok, FR_W_none);
    e->left = left;
    e->right = right;
    return deeper(p, e, left, right);
}

/* ---- contextual words ---- */

/* A word that acts as an operator here: never before a colon. A word with a colon
 * behind it is the next field of the body around the expression. */
static bool is_operator_word(const fr_parser *p, fr_sym word)
{
    return fr_is_word(p, word) && fr_peek_at(p, 1) != FR_T_COLON;
}

static bool at_or(const fr_parser *p)
{
    return fr_peek(p) == FR_T_OR || is_operator_word(p, FR_W_or) ||
           fr_at_slip_operator(p, FR_T_OR);
}

static bool at_and(const fr_parser *p)
{
    return fr_peek(p) == FR_T_AND || is_operator_word(p, FR_W_and) ||
           fr_at_slip_operator(p, FR_T_AND);
}

static bool at_not(const fr_parser *p)
{
    return fr_peek(p) == FR_T_NOT || is_operator_word(p, FR_W_not);
}

static bool at_in(const fr_parser *p)
{
    return fr_peek(p) == FR_T_IN || is_operator_word(p, FR_W_in);
}

/* `forall` alone may be a fact; with a variable and `in` or a type behind it, it is
 * not. */
static bool at_quantifier(const fr_parser *p)
{
    if (fr_peek(p) == FR_T_FORALL || fr_peek(p) == FR_T_EXISTS) {
        return true;
    }
    if (!fr_is_word(p, FR_W_forall) && !fr_is_word(p, FR_W_exists)) {
        return false;
    }
    if (fr_peek_at(p, 1) != FR_T_WORD) {
        return false;
    }
    fr_token_kind third = fr_peek_at(p, 2);
    return third == FR_T_IN || third == FR_T_COLON ||
           (third == FR_T_WORD && p->t[2].sym == FR_W_in);
}

/* ---- literals ---- */

/* Text is taken too: amounts are written with or without quotes. Whether it is a number
 * is asked when its type is known. */
static bool number_text(fr_parser *p, fr_sym *out)
{
    if (fr_peek(p) != FR_T_INT && fr_peek(p) != FR_T_FLOAT && fr_peek(p) != FR_T_STR) {
        return fr_expected(p, "string literal");
    }
    *out = p->t->sym;
    fr_advance(p);
    return true;
}

/* "10.00", 10.00 or Decimal(10.00) */
static bool take_amount(fr_parser *p, fr_sym *out)
{
    if (!fr_is_word(p, FR_W_BASE_DECIMAL)) {
        return number_text(p, out);
    }
    fr_advance(p);
    return fr_take(p, FR_T_LPAREN) && number_text(p, out) && fr_take(p, FR_T_RPAREN);
}

static fr_field_result read_money_key(fr_parser *p, void *node, fr_sym field,
                                      fr_tok tok)
{
    (void)tok;
    fr_expr *e = node;
    fr_name currency;
    switch (field) {
    case FR_W_amount: return FR_READ(take_amount(p, &e->sym));
    case FR_W_currency:
        if (!fr_take_str(p, &currency)) {
            return FR_FIELD_FAILED;
        }
        e->sym2 = currency.sym;
        return FR_FIELD_OK;
    default: return FR_FIELD_UNKNOWN;
    }
}

/* A duration is a whole number of its unit (§4.3). */
static fr_field_result read_duration_key(fr_parser *p, void *node, fr_sym field,
                                         fr_tok tok)
{
    (void)tok;
    fr_expr *e = node;
    fr_name unit;
    if (field == FR_W_value && fr_peek(p) == FR_T_INT) {
        e->sym = p->t->sym;
        fr_advance(p);
        return FR_FIELD_OK;
    }
    if (field == FR_W_value) {
        return FR_READ(fr_expected(p, "integer"));
    }
    if (field != FR_W_unit) {
        return FR_FIELD_UNKNOWN;
    }
    bool ok = fr_take_str(p, &unit);
    e->sym2 = ok ? unit.sym : FR_W_none;
    return FR_READ(ok);
}

/* Money { ... } or Duration { ... }; the word is here. The reader's `broken` is set
 * aside, because the question here is whether this literal has a fault and not whether
 * the construct had one before. A missing amount or currency is left empty for pass 4;
 * a missing part of a duration is reported here. */
static fr_expr *parse_struct_literal(fr_parser *p, bool money)
{
    static const fr_sym MONEY_FIELDS[] = {FR_W_amount, FR_W_currency, FR_W_none};
    static const fr_body MONEY = {.unknown = "Money key",
                                  .fields = MONEY_FIELDS,
                                  .read = read_money_key,
                                  .close = FR_T_RBRACE,
                                  .commas = true};
    static const fr_sym DURATION_FIELDS[] = {FR_W_value, FR_W_unit, FR_W_none};
    static const fr_body DURATION = {.unknown = "Duration key",
                                     .fields = DURATION_FIELDS,
                                     .read = read_duration_key,
                                     .close = FR_T_RBRACE,
                                     .commas = true};
    fr_tok tok = fr_here(p);
    fr_expr *e = leaf(p, money ? FR_X_MONEY : FR_X_DURATION, tok, FR_W_empty);
    e->sym2 = FR_W_empty;
    fr_seen seen = {0};
    fr_advance(p);
    fr_advance(p);
    bool broken = p->broken;
    p->broken = false;
    bool ok = fr_read_body(p, money ? &MONEY : &DURATION, e, &seen) && !p->broken;
    p->broken |= broken;
    if (ok && !money && (e->sym == FR_W_empty || e->sym2 == FR_W_empty)) {
        fr_sym lacks = e->sym == FR_W_empty ? FR_W_value : FR_W_unit;
        ok = fr_missing(
            p, tok, &(fr_lack){"Duration", FR_W_none, lacks, {tok, fr_here(p) - 1}});
    }
    return ok ? e : NULL;
}

/* A literal of one token, NULL without a report if there is none. true and false are
 * the two words that are always values. */
static fr_expr *simple_literal(fr_parser *p)
{
    fr_expr *e = NULL;
    fr_tok tok = fr_here(p);
    switch (p->t->kind) {
    case FR_T_INT: e = leaf(p, FR_X_INT, tok, p->t->sym); break;
    case FR_T_FLOAT: e = leaf(p, FR_X_FLOAT, tok, p->t->sym); break;
    case FR_T_STR: e = leaf(p, FR_X_STR, tok, p->t->sym); break;
    case FR_T_WORD:
        if (p->t->sym == FR_W_true || p->t->sym == FR_W_false) {
            e = leaf(p, FR_X_BOOL, tok, FR_W_none);
            e->op = p->t->sym == FR_W_true;
        }
        break;
    default: break;
    }
    if (e) {
        fr_advance(p);
    }
    return e;
}

/* A part of a structured value: a literal in a default, a term elsewhere. */
typedef fr_expr *(*part_reader)(fr_parser *p);

typedef struct expr_list {
    fr_expr **items;
    size_t len, cap;
    part_reader read;
} expr_list;

static bool read_list_item(fr_parser *p, void *list)
{
    expr_list *items = list;
    fr_expr *e = items->read(p);
    if (e) {
        *mt_vec_add(p->a, items) = e;
    }
    return e != NULL;
}

/* Deeper than its deepest item, as the bundle nests: a node, and in it the list or the
 * fields. (An entry counts one itself.) `sym2` has the count, since `right` is taken by
 * the items. */
static fr_expr *finish_items(fr_parser *p, fr_expr *e, const expr_list *list)
{
    e->items = list->items;
    e->sym2 = (fr_sym)list->len;
    unsigned depth = LEAF_DEPTH, tag = e->sym ? 2 : 0;
    for (size_t i = 0; i < list->len; i++) {
        depth = list->items[i]->depth > depth ? list->items[i]->depth : depth;
    }
    return at_depth(p, e, depth + (e->kind == FR_X_LIST ? 2 : 1) + tag);
}

static fr_expr *parse_list_literal(fr_parser *p, part_reader read)
{
    fr_expr *e = leaf(p, FR_X_LIST, fr_here(p), FR_W_none);
    expr_list list = {.read = read};
    return fr_read_list(p, read_list_item, &list) ? finish_items(p, e, &list) : NULL;
}

static int compare_entries(const void *a, const void *b, void *unit)
{
    const fr_expr *x = *(fr_expr *const *)a, *y = *(fr_expr *const *)b;
    int order = fr_sym_cmp(unit, x->sym, y->sym);
    return order ? order : x->tok < y->tok ? -1 : 1;
}

/* Sorted by field; of equal fields the last written stays. Later passes walk fields of
 * the type and entries of the value side by side. */
static void settle_entries(fr_parser *p, expr_list *list)
{
    size_t kept = 0;
    qsort_r(list->items, list->len, sizeof *list->items, compare_entries, p->u);
    for (size_t i = 0; i < list->len; i++) {
        if (kept && list->items[kept - 1]->sym == list->items[i]->sym) {
            fr_repeated(p, list->items[i]->tok, list->items[i]->sym);
            kept--;
        }
        list->items[kept++] = list->items[i];
    }
    list->len = kept;
}

/* `{ field: value, ... }`, after an optional name; here is the brace. */
static fr_expr *parse_record_literal(fr_parser *p, fr_tok tok, fr_sym name,
                                     part_reader read)
{
    fr_expr *e = leaf(p, FR_X_RECORD, tok, name);
    expr_list list = {0};
    fr_advance(p);
    while (fr_peek(p) != FR_T_RBRACE) {
        fr_name field;
        if (!fr_take_word(p, &field) || !fr_take(p, FR_T_COLON)) {
            return NULL;
        }
        fr_expr *value = read(p);
        if (!value) {
            return NULL;
        }
        fr_expr *entry = unary(p, FR_X_ENTRY, field.tok, value);
        if (!entry) {
            return NULL;
        }
        entry->sym = field.sym;
        *mt_vec_add(p->a, &list) = entry;
        fr_accept(p, FR_T_COMMA);
    }
    fr_advance(p);
    if (list.len > 1) {
        settle_entries(p, &list);
    }
    return finish_items(p, e, &list);
}

/* `Tag(value)`: a union value; here is the word. An entry without a record around it:
 * pass 4 tells by the declared type that a union is meant. */
static fr_expr *parse_tag_literal(fr_parser *p, part_reader read)
{
    fr_name tag;
    fr_take_word(p, &tag);
    fr_advance(p);
    fr_expr *payload = read(p);
    if (!payload || !fr_take(p, FR_T_RPAREN)) {
        return NULL;
    }
    fr_expr *e = leaf(p, FR_X_ENTRY, tag.tok, tag.sym);
    e->left = payload;
    return at_depth(p, e, payload->depth + 2u);
}

/* Decimal(10.00) as a value. */
static fr_expr *parse_decimal_literal(fr_parser *p)
{
    fr_expr *e = leaf(p, FR_X_FLOAT, fr_here(p), FR_W_none);
    return take_amount(p, &e->sym) ? e : NULL;
}

/* Money and Duration have fixed keys; any other word before a brace is a tag. */
static fr_expr *parse_word_literal(fr_parser *p)
{
    fr_token_kind next = fr_peek_at(p, 1);
    fr_sym word = p->t->sym;
    if (next == FR_T_LBRACE &&
        (word == FR_W_BASE_MONEY || word == FR_W_BASE_DURATION)) {
        return parse_struct_literal(p, word == FR_W_BASE_MONEY);
    }
    if (next == FR_T_LBRACE) {
        fr_tok tok = fr_here(p);
        fr_advance(p);
        return parse_record_literal(p, tok, word, fr_parse_literal);
    }
    if (next == FR_T_LPAREN) {
        return word == FR_W_BASE_DECIMAL ? parse_decimal_literal(p)
                                         : parse_tag_literal(p, fr_parse_literal);
    }
    bool truth;
    fr_tok tok = fr_here(p);
    if (fr_slip_bool(p, &truth)) {
        fr_expr *e = leaf(p, FR_X_BOOL, tok, FR_W_none);
        e->op = truth;
        return e;
    }
    fr_expected(p, "literal value");
    return NULL;
}

static fr_expr *parse_any_literal(fr_parser *p)
{
    fr_expr *e = simple_literal(p);
    if (e) {
        return e;
    }
    switch (p->t->kind) {
    case FR_T_LBRACKET: return parse_list_literal(p, fr_parse_literal);
    case FR_T_LBRACE:
        return parse_record_literal(p, fr_here(p), FR_W_none, fr_parse_literal);
    case FR_T_WORD: return parse_word_literal(p);
    default: fr_expected(p, "literal value"); return NULL;
    }
}

fr_expr *fr_parse_literal(fr_parser *p)
{
    if (!fr_enter(p)) {
        return NULL;
    }
    fr_expr *e = parse_any_literal(p);
    fr_leave(p);
    return e;
}

/* ---- terms ---- */

static fr_expr *no_comparison(fr_parser *p, const char *hint)
{
    fr_no_comparison(p, hint);
    return NULL;
}

/* verdict_present takes a name; len takes a term. There are two functions and there
 * will be no others (§15.5). */
static fr_expr *parse_call(fr_parser *p, fr_expr_kind kind)
{
    fr_tok tok = fr_here(p);
    fr_advance(p);
    if (!fr_take(p, FR_T_LPAREN)) {
        return NULL;
    }
    if (kind == FR_X_VERDICT) {
        fr_name verdict;
        bool ok = fr_take_word(p, &verdict) && fr_take(p, FR_T_RPAREN);
        return ok ? leaf(p, FR_X_VERDICT, tok, verdict.sym) : NULL;
    }
    if (!fr_enter(p)) {
        return NULL;
    }
    fr_expr *list = parse_sum(p);
    fr_leave(p);
    return list && fr_take(p, FR_T_RPAREN) ? unary(p, kind, tok, list) : NULL;
}

/* Any condition, not only a term: what was inside decides afterwards what may
 * follow. */
static fr_expr *parse_parenthesis(fr_parser *p)
{
    fr_advance(p);
    p->parentheses++;
    fr_expr *e = parse_or(p);
    p->parentheses--;
    return e && fr_take(p, FR_T_RPAREN) ? e : NULL;
}

static bool is_aggregate(fr_sym word)
{
    return word == FR_W_sum || word == FR_W_count || word == FR_W_average ||
           word == FR_W_avg || word == FR_W_min || word == FR_W_max;
}

/* §5.5 for aggregates, §15.5 for the rest. */
static const char *call_hint(fr_sym word)
{
    return is_aggregate(word)
               ? "a contract computes no aggregates: supply the total as a fact of its "
                 "own, calculated by the system it comes from"
               : "there are no functions beside verdict_present(...) and len(...): "
                 "supply the "
                 "value as a fact";
}

static bool is_comparison(fr_token_kind kind)
{
    return kind >= FR_T_EQ && kind <= FR_T_GTE;
}

/* What stands behind a part tells two mistakes: a condition in its place, and a bracket
 * that was not closed before the next field. */
static bool ends_part(fr_parser *p, const fr_expr *e)
{
    if (at_and(p) || at_or(p) || is_comparison(fr_peek(p))) {
        return fr_syntax(p, "expected ',' or a closing bracket",
                         "a part is a value, and a condition has none: produce its "
                         "verdict in a rule, or compare the parts one by one");
    }
    if (e->kind == FR_X_REF && fr_peek(p) == FR_T_COLON) {
        return fr_syntax(p, "expected ',' or a closing bracket",
                         "a bracket or brace before this field is not closed");
    }
    return true;
}

/* One value inside a record, list or union. */
static fr_expr *parse_part(fr_parser *p)
{
    if (!fr_enter(p)) {
        return NULL;
    }
    p->values++;
    fr_expr *e = parse_sum(p);
    p->values--;
    fr_leave(p);
    return e && ends_part(p, e) ? e : NULL;
}

/* At the left of a condition, `word { ... }` is a value only if it is compared, perhaps
 * behind parentheses around it: the brace may also be that of a body in other
 * languages.
 */
static bool is_compared(const fr_parser *p)
{
    int nest = 0;
    const fr_token *t = p->t + 1;
    do {
        nest += FR_NEST[t->kind];
        t += t->kind != FR_T_EOF;
    } while (nest > 0 && t->kind != FR_T_EOF);
    while (t->kind == FR_T_RPAREN) {
        t++;
    }
    return is_comparison((fr_token_kind)t->kind);
}

static bool is_the_word(const fr_token *t, fr_sym word)
{
    return t->kind == FR_T_WORD && t->sym == word;
}

/* The brace of TaggedUnion { ... }, TaggedUnion({ ... }) or TaggedUnion(variants: { ...
 * }). */
static bool opens_union(const fr_parser *p, const fr_token *brace)
{
    const fr_token *t = brace;
    if (t - p->first > 3 && t[-1].kind == FR_T_COLON &&
        is_the_word(t - 2, FR_W_variants)) {
        t -= 2;
    }
    t -= t - p->first > 1 && t[-1].kind == FR_T_LPAREN;
    return t > p->first && is_the_word(t - 1, FR_W_BASE_UNION);
}

/* The words that stand before a colon in the braces of a TaggedUnion, sorted, once per
 * file and in one pass. */
static void find_tags(fr_parser *p)
{
    fr_file *f = p->file;
    MT_VEC(fr_sym) tags = {0};
    MT_VEC(bool) open = {0}; /* by bracket: is it that of a union? */
    f->tags_found = true;
    for (const fr_token *t = p->first; t->kind != FR_T_EOF; t++) {
        f->imports |= is_the_word(t, FR_W_import);
        if (FR_NEST[t->kind] > 0) {
            mt_vec_push(p->a, &open, t->kind == FR_T_LBRACE && opens_union(p, t));
        } else if (FR_NEST[t->kind] < 0) {
            open.len -= open.len > 0;
        } else if (t->kind == FR_T_WORD && t[1].kind == FR_T_COLON && open.len &&
                   open.items[open.len - 1]) {
            mt_vec_push(p->a, &tags, t->sym);
        }
    }
    f->tags = fr_sorted_syms(p->a, tags.items, tags.len);
    f->tag_count = (uint32_t)tags.len;
}

static bool is_near_tag(const fr_parser *p, fr_sym word)
{
    mt_nearest n = fr_nearest(p->u, word);
    for (uint32_t i = 0; i < p->file->tag_count; i++) {
        fr_offer_sym(p->u, &n, p->file->tags[i]);
    }
    return n.best.len != 0;
}

/* Is `word(...)` the value of a union? There are no functions, so a word that is like
 * no tag of a union in the file is refused here, as the suite wants it; a misspelt one,
 * or one behind an import, is pass 4's. */
static bool is_tag_word(fr_parser *p, fr_sym word)
{
    if (!p->file->tags_found) {
        find_tags(p);
    }
    return p->file->imports || fr_sym_in(p->file->tags, p->file->tag_count, word) ||
           is_near_tag(p, word);
}

/* Words are not reserved: what follows decides whether `len` is a call or a fact of
 * that name. The message of an unknown call is about a missing comparison, as the suite
 * has it: the name alone was a complete term. */
static fr_expr *parse_word_term(fr_parser *p)
{
    fr_token_kind next = fr_peek_at(p, 1);
    fr_sym word = p->t->sym;
    if (word == FR_W_verdict_present) {
        return parse_call(p, FR_X_VERDICT);
    }
    if (next == FR_T_LPAREN && word == FR_W_len) {
        return parse_call(p, FR_X_LEN);
    }
    if (next == FR_T_LPAREN && word == FR_W_BASE_DECIMAL) {
        return parse_decimal_literal(p);
    }
    if (next == FR_T_LBRACE &&
        (word == FR_W_BASE_MONEY || word == FR_W_BASE_DURATION)) {
        return parse_struct_literal(p, word == FR_W_BASE_MONEY);
    }
    fr_expr *e = leaf(p, FR_X_REF, fr_here(p), word);
    if (next == FR_T_LPAREN && !is_aggregate(word) && is_tag_word(p, word)) {
        return parse_tag_literal(p, parse_part);
    }
    bool named = next == FR_T_LBRACE && (p->values || is_compared(p));
    fr_advance(p);
    if (named) {
        return parse_record_literal(p, e->tok, word, parse_part);
    }
    if (next == FR_T_LPAREN) {
        return no_comparison(p, call_hint(word));
    }
    return e;
}

static fr_expr *parse_primary(fr_parser *p)
{
    fr_expr *e = simple_literal(p);
    if (e) {
        return e;
    }
    switch (p->t->kind) {
    case FR_T_LPAREN: return parse_parenthesis(p);
    case FR_T_WORD: return parse_word_term(p);
    case FR_T_LBRACKET: return parse_list_literal(p, parse_part);
    case FR_T_LBRACE: return parse_record_literal(p, fr_here(p), FR_W_none, parse_part);
    default: fr_expected(p, "term"); return NULL;
    }
}

static fr_expr *parse_index(fr_parser *p, fr_expr *list)
{
    if (!fr_enter(p)) {
        return NULL;
    }
    fr_advance(p);
    fr_expr *index = parse_sum(p);
    bool ok = index && fr_take(p, FR_T_RBRACKET);
    fr_leave(p);
    return ok ? binary(p, FR_X_INDEX, list, index) : NULL;
}

/* `sym2` keeps the place of the field, `tok` that of the whole chain. */
static fr_expr *parse_field(fr_parser *p, fr_expr *record)
{
    fr_name field;
    fr_advance(p);
    if (!fr_take_word(p, &field)) {
        return NULL;
    }
    fr_expr *e = unary(p, FR_X_FIELD, record->tok, record);
    if (e) {
        e->sym = field.sym;
        e->sym2 = field.tok;
    }
    return e;
}

/* Literals and calls have no parts that could be asked for. */
static bool can_index(const fr_expr *e)
{
    return e->kind == FR_X_REF || e->kind == FR_X_FIELD || e->kind == FR_X_INDEX;
}

/* `x present` ends a term: nothing can be asked of a presence. */
static fr_expr *parse_postfix(fr_parser *p)
{
    fr_expr *e = parse_primary(p);
    while (e && can_index(e)) {
        if (fr_peek(p) == FR_T_DOT) {
            e = parse_field(p, e);
        } else if (fr_peek(p) == FR_T_LBRACKET) {
            e = parse_index(p, e);
        } else if (is_operator_word(p, FR_W_present)) {
            fr_advance(p);
            return unary(p, FR_X_PRESENT, e->tok, e);
        } else {
            break;
        }
    }
    return e;
}

/* There is no division, which the lexer has said; the value is unknown, so that nothing
 * else is said about it. */
static fr_expr *quotient(fr_parser *p, const fr_expr *e, const fr_expr *divisor)
{
    return divisor ? leaf(p, FR_X_ERROR, e->tok, FR_W_none) : NULL;
}

/* Chains are loops and not recursion, so a sum of a thousand terms does not use the C
 * stack; its depth is bounded by deeper(). */
static fr_expr *parse_product(fr_parser *p)
{
    fr_expr *e = parse_postfix(p);
    for (;;) {
        if (e && fr_accept(p, FR_T_STAR)) {
            e = binary(p, FR_X_MUL, e, parse_postfix(p));
        } else if (e && MT_UNLIKELY(fr_accept(p, FR_T_SLASH))) {
            e = quotient(p, e, parse_postfix(p));
        } else {
            return e;
        }
    }
}

static fr_expr *parse_sum(fr_parser *p)
{
    fr_expr *e = parse_product(p);
    while (e && (fr_peek(p) == FR_T_PLUS || fr_peek(p) == FR_T_MINUS)) {
        fr_expr_kind kind = fr_peek(p) == FR_T_PLUS ? FR_X_ADD : FR_X_SUB;
        fr_advance(p);
        e = binary(p, kind, e, parse_product(p));
    }
    return e;
}

fr_expr *fr_parse_term(fr_parser *p)
{
    p->values++;
    fr_expr *e = parse_sum(p);
    p->values--;
    return e;
}

/* ---- conditions ---- */

/* By form alone; a fact that is not a Bool is found in pass 4. */
static bool could_be_condition(const fr_expr *e)
{
    switch ((fr_expr_kind)e->kind) {
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
    case FR_X_ENTRY: return false;
    case FR_X_BOOL:
    case FR_X_REF:
    case FR_X_FIELD:
    case FR_X_INDEX:
    case FR_X_COMPARE:
    case FR_X_AND:
    case FR_X_OR:
    case FR_X_NOT:
    case FR_X_VERDICT:
    case FR_X_PRESENT:
    case FR_X_FORALL:
    case FR_X_EXISTS:
    case FR_X_ERROR: return true;
    }
    return true;
}

/* §4.2.1; only before text, since the words may be names. */
static bool is_pattern_word(const fr_parser *p)
{
    return fr_peek(p) == FR_T_WORD && fr_peek_at(p, 1) == FR_T_STR &&
           (p->t->sym == FR_W_matches || p->t->sym == FR_W_like ||
            p->t->sym == FR_W_contains);
}

/* Refuses what cannot stand as a condition of its own. Asked where an operand of `and`,
 * `or`, `not` or a body is complete, with the parser still at the token behind it: what
 * stands there tells which mistake it was. */
static fr_expr *as_condition(fr_parser *p, fr_expr *e)
{
    if (!e) {
        return NULL;
    }
    if (fr_peek(p) == FR_T_ARROW) {
        p->broken = true;
        fr_report(p->u, FR_E_ARROW_IN_TERM,
                  (fr_place){.file = p->file, .tok = fr_here(p)},
                  "an arrow is not a comparison");
        return NULL;
    }
    if (is_pattern_word(p)) {
        return no_comparison(p,
                             "text is only compared exactly: classify it outside and "
                             "supply the result as a Bool or Enum fact");
    }
    bool bare = e->kind == FR_X_REF || e->kind == FR_X_FIELD;
    if (bare && fr_peek(p) == FR_T_COLON) { /* the next field was taken for a fact */
        return no_comparison(p, "the condition before this field is not complete");
    }
    return could_be_condition(e) ? e : no_comparison(p, NULL);
}

/* e in ["a", "b"]: an `or` of equalities. The left side is shared by all comparisons
 * and checked with each; the tree is a graph there. An empty list is refused, because
 * no literal follows the bracket. */
static fr_expr *parse_membership(fr_parser *p, fr_expr *e)
{
    fr_expr *all = NULL;
    fr_advance(p);
    if (!fr_take(p, FR_T_LBRACKET)) {
        return NULL;
    }
    do {
        fr_expr *value = simple_literal(p);
        if (!value) {
            fr_expected(p, "literal value");
            return NULL;
        }
        fr_expr *equal = binary(p, FR_X_COMPARE, e, value);
        if (!equal) {
            return NULL;
        }
        equal->op = FR_T_EQ;
        equal->sym2 = all ? FR_W_none : FR_W_in; /* pass 4 looks at the first of them */
        all = all ? binary(p, FR_X_OR, all, equal) : equal;
        fr_accept(p, FR_T_COMMA);
    } while (all && fr_peek(p) != FR_T_RBRACKET);
    fr_advance(p);
    return all;
}

/* The operator is here. */
static fr_expr *parse_relation(fr_parser *p, fr_expr *left)
{
    fr_token_kind op = fr_peek(p);
    fr_advance(p);
    op = fr_slip_comparison(p, op);
    fr_expr *e = binary(p, FR_X_COMPARE, left, fr_parse_term(p));
    if (e) {
        e->op = (uint8_t)op;
    }
    return e;
}

/* a < b < c: refused, and read as a < b and b < c. `e` is the comparison before, or
 * several of them joined. */
static fr_expr *parse_chain(fr_parser *p, fr_expr *e)
{
    fr_expr *last = e->kind == FR_X_AND ? e->right : e;
    fr_slip_chain(p, last->right);
    return binary(p, FR_X_AND, e, parse_relation(p, last->right));
}

/* Not associative: a < b < c is refused rather than read either way. */
static fr_expr *parse_comparison(fr_parser *p)
{
    fr_expr *e = parse_sum(p);
    if (!e) {
        return NULL;
    }
    if (is_comparison(fr_peek(p))) {
        fr_expr *whole = parse_relation(p, e);
        while (whole && MT_UNLIKELY(is_comparison(fr_peek(p)))) {
            whole = parse_chain(p, whole);
        }
        return whole;
    }
    return at_in(p) ? parse_membership(p, e) : e;
}

/* ---- quantifiers ---- */

static bool is_spaced_dot(const fr_token *dot)
{
    return dot->kind == FR_T_DOT && ((dot->flags | dot[1].flags) & FR_TOK_SPACED);
}

/* The dot that separates domain and body: the first with white space beside it, else
 * the first before the bound variable. Only the chain of names behind the domain's
 * first word is searched. The current token is the domain's first word, so p->t[1]
 * exists: FR_T_EOF comes last. */
static const fr_token *separating_dot(const fr_parser *p, fr_sym variable)
{
    const fr_token *before_variable = NULL, *t = p->t + 1;
    for (; t->kind == FR_T_DOT && t[1].kind == FR_T_WORD; t += 2) {
        if (is_spaced_dot(t)) {
            return t;
        }
        if (!before_variable && t[1].sym == variable) {
            before_variable = t;
        }
    }
    return t->kind == FR_T_DOT ? t : before_variable;
}

/* A dot may lead to a field or end the domain; separating_dot() says which one ends
 * it. */
static fr_expr *parse_domain(fr_parser *p, fr_sym variable)
{
    fr_name name;
    if (fr_peek(p) != FR_T_WORD) {
        fr_take_word(p, &name);
        return NULL;
    }
    const fr_token *dot = separating_dot(p, variable);
    fr_take_word(p, &name);
    fr_expr *e = leaf(p, FR_X_REF, name.tok, name.sym);
    while (e && p->t != dot) {
        if (fr_peek(p) == FR_T_DOT && !is_spaced_dot(p->t)) {
            e = parse_field(p, e);
        } else if (fr_peek(p) == FR_T_LBRACKET) {
            e = parse_index(p, e);
        } else {
            break;
        }
    }
    return e;
}

static bool take_in(fr_parser *p)
{
    if (fr_peek(p) == FR_T_IN || fr_is_word(p, FR_W_in)) {
        fr_advance(p);
        return true;
    }
    return fr_syntax(p, "expected ∈ after quantifier variable", NULL);
}

static bool take_separator(fr_parser *p)
{
    if (fr_accept(p, FR_T_DOT) || fr_slip_dot(p)) {
        return true;
    }
    return fr_syntax(p, "expected '.' after quantifier domain", NULL);
}

/* The body is parsed as the loosest operator, so `forall x in xs . a and b` takes
 * both. */
static fr_expr *parse_quantifier(fr_parser *p, fr_token_kind meant)
{
    bool all =
        fr_peek(p) == FR_T_FORALL || fr_is_word(p, FR_W_forall) || meant == FR_T_FORALL;
    fr_tok tok = fr_here(p);
    fr_name variable;
    fr_type *type = NULL;
    fr_advance(p);
    if (!fr_take_word(p, &variable)) {
        return NULL;
    }
    if (fr_accept(p, FR_T_COLON) && !(type = fr_parse_type(p))) {
        return NULL;
    }
    if (!take_in(p)) {
        return NULL;
    }
    fr_expr *domain = parse_domain(p, variable.sym);
    if (!domain || !take_separator(p)) {
        return NULL;
    }
    fr_expr *body = as_condition(p, parse_or(p));
    fr_expr *e = binary(p, all ? FR_X_FORALL : FR_X_EXISTS, domain, body);
    if (e) {
        e->tok = tok;
        e->sym = variable.sym;
        e->sym2 = variable.tok;
        e->type = type;
    }
    return e;
}

/* Every operand passes here, so one fr_enter() bounds parentheses, quantifiers and
 * chains of `not`. */
static fr_expr *parse_not(fr_parser *p)
{
    if (!fr_enter(p)) {
        return NULL;
    }
    fr_expr *e;
    fr_token_kind meant = fr_peek(p) == FR_T_WORD ? fr_at_slip_operand(p) : FR_T_EOF;
    if (MT_UNLIKELY(meant != FR_T_EOF)) {
        fr_slip_operand(p, meant);
    }
    if (meant == FR_T_BAD) {
        e = NULL;
    } else if (meant == FR_T_NOT || at_not(p)) {
        fr_tok tok = fr_here(p);
        fr_advance(p);
        e = as_condition(p, parse_not(p));
        e = e ? unary(p, FR_X_NOT, tok, e) : NULL;
    } else {
        bool binds = meant == FR_T_FORALL || meant == FR_T_EXISTS || at_quantifier(p);
        e = binds ? parse_quantifier(p, meant) : parse_comparison(p);
    }
    fr_leave(p);
    return e;
}

static void take_operator(fr_parser *p, fr_token_kind kind)
{
    if (fr_peek(p) == FR_T_WORD) {
        fr_slip_operator(p, kind);
    }
    fr_advance(p);
}

static fr_expr *parse_and(fr_parser *p)
{
    fr_expr *e = parse_not(p);
    while (e && at_and(p)) {
        e = as_condition(p, e);
        if (e) {
            take_operator(p, FR_T_AND);
        }
        e = e ? binary(p, FR_X_AND, e, as_condition(p, parse_not(p))) : NULL;
    }
    return e;
}

static fr_expr *parse_or(fr_parser *p)
{
    fr_expr *e = parse_and(p);
    while (e && at_or(p)) {
        e = as_condition(p, e);
        if (e) {
            take_operator(p, FR_T_OR);
        }
        e = e ? binary(p, FR_X_OR, e, as_condition(p, parse_and(p))) : NULL;
    }
    return e;
}

/* Without as_condition() inside parse_or() for its first operand: a parenthesis may
 * hold a term. */
fr_expr *fr_parse_expr(fr_parser *p)
{
    return as_condition(p, parse_or(p));
}

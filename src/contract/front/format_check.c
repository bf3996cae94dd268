/* contract/front/format_check.c - is a new layout still the same program?
 * The formatter does not trust itself: three comparisons, from the surface down.
 * 1. Tokens: kinds and texts in order, comments too.
 * 2. Trees: white space decides where a quantifier's domain ends and what a source
 *    without quotes says, so every expression and every source is compared, with the
 *    numbers of its tokens. All else follows from the tokens alone.
 * 3. Bundles, when there is one: what the contract means.
 * INVARIANT: equal tokens are numbered equally, and so are their symbols, which are
 * numbered by first appearance; so the symbols of the two units can be compared, but
 * for those of sources without quotes, which are not the symbols of tokens. */
#include "contract/front/format_check.h"

#include "contract/front/unit.h"

/* ---- Tokens ---- */

static mt_str token_text(mt_str text, const fr_token *t)
{
    return mt_str_from(text.ptr + t->start, fr_token_len(text, t));
}

/* Cuts the next line off, without white space at its end. */
static mt_str next_line(mt_str *text)
{
    size_t end = mt_str_find(*text, '\n');
    mt_str line = mt_str_from(text->ptr, end);
    *text = mt_str_skip(*text, end < text->len ? end + 1 : end);
    while (line.len && strchr(" \t\r", line.ptr[line.len - 1])) {
        line.len--;
    }
    return line;
}

/* Line by line: white space at the ends of lines is all a comment may lose. */
static bool same_comment(mt_str x, mt_str y)
{
    while (x.len && y.len) {
        if (!mt_str_eq(next_line(&x), next_line(&y))) {
            return false;
        }
    }
    return !x.len && !y.len;
}

static bool same_token(mt_str a, const fr_token *x, mt_str b, const fr_token *y)
{
    mt_str left = token_text(a, x), right = token_text(b, y);
    return x->kind == y->kind && (x->kind == FR_T_COMMENT ? same_comment(left, right)
                                                          : mt_str_eq(left, right));
}

/* Comments are tokens here: none may be lost or moved before another. */
static bool same_tokens(mt_arena *a, mt_str before, mt_str after,
                        const mt_limits *limits)
{
    fr_symbols syms;
    fr_tokens x, y;
    fr_symbols_init(&syms, a);
    fr_lex(a, &syms, before, limits, FR_LEX_COMMENTS, &x);
    fr_lex(a, &syms, after, limits, FR_LEX_COMMENTS, &y);
    if (x.count != y.count) {
        return false;
    }
    for (uint32_t i = 0; i < x.count; i++) {
        if (!same_token(before, &x.items[i], after, &y.items[i])) {
            return false;
        }
    }
    return true;
}

/* ---- Trees ---- */

static bool has_items(const fr_expr *e)
{
    return e->kind == FR_X_LIST || e->kind == FR_X_RECORD;
}

/* Recursion follows the tree, whose depth source_depth bounds. */
static bool same_expr(const fr_expr *x, const fr_expr *y)
{
    if (!x || !y) {
        return x == y;
    }
    if (x->kind != y->kind || x->op != y->op || x->tok != y->tok || x->sym != y->sym ||
        x->sym2 != y->sym2 || !same_expr(x->left, y->left)) {
        return false;
    }
    if (!has_items(x)) {
        return same_expr(x->right, y->right);
    }
    for (uint32_t i = 0; i < x->sym2; i++) {
        if (!same_expr(x->items[i], y->items[i])) {
            return false;
        }
    }
    return true;
}

static bool same_steps(const fr_steps *x, const fr_steps *y);

/* Routes and handlers follow from the tokens; conditions do not. */
static bool same_step(const fr_step *x, const fr_step *y)
{
    if (x->kind != y->kind || x->id.tok != y->id.tok) {
        return false;
    }
    if (fr_does(x) == LN_DECIDES) {
        return same_expr(x->condition, y->condition);
    }
    bool same = fr_does(x) != LN_FORKS || x->branches.len == y->branches.len;
    for (size_t i = 0; fr_does(x) == LN_FORKS && same && i < x->branches.len; i++) {
        same = same_steps(&x->branches.items[i].steps, &y->branches.items[i].steps);
    }
    return same;
}

static bool same_steps(const fr_steps *x, const fr_steps *y)
{
    bool same = x->len == y->len;
    for (size_t i = 0; same && i < x->len; i++) {
        same = same_step(x->items[i], y->items[i]);
    }
    return same;
}

/* By text: sources without quotes are not symbols of tokens, see the head. */
static bool same_fact(const fr_unit *u, const fr_fact *x, const fr_unit *v,
                      const fr_fact *y)
{
    return mt_str_eq(fr_str(u, x->source.sym), fr_str(v, y->source.sym)) &&
           same_expr(x->initial, y->initial);
}

static bool same_rule(const fr_rule *x, const fr_rule *y)
{
    return same_expr(x->when, y->when) && same_expr(x->payload, y->payload);
}

/* By token number, not by line: layout may change lines only. */
static bool same_construct(const fr_unit *u, const fr_construct *x, const fr_unit *v,
                           const fr_construct *y)
{
    if (x->kind != y->kind || x->id != y->id || x->tok != y->tok ||
        x->broken != y->broken) {
        return false;
    }
    switch ((fr_kind)x->kind) {
    case FR_FACT: return same_fact(u, (const fr_fact *)x, v, (const fr_fact *)y);
    case FR_RULE: return same_rule((const fr_rule *)x, (const fr_rule *)y);
    case FR_OPERATION:
        return same_expr(((const fr_operation *)x)->precondition,
                         ((const fr_operation *)y)->precondition);
    case FR_FLOW:
        return same_steps(&((const fr_flow *)x)->steps, &((const fr_flow *)y)->steps);
    case FR_IMPORT:
    case FR_TYPEDECL:
    case FR_SOURCE:
    case FR_ENTITY:
    case FR_PERSONA:
    case FR_SYSTEM:
    case FR_KIND_COUNT: break;
    }
    return true;
}

static bool same_trees(const fr_unit *x, const fr_unit *y)
{
    bool same = x->all.len == y->all.len;
    for (size_t i = 0; same && i < x->all.len; i++) {
        same = same_construct(x, x->all.items[i], y, y->all.items[i]);
    }
    return same;
}

/* ---- Bundles ---- */

static size_t digits_at(mt_str s, size_t at)
{
    size_t end = at;
    while (end < s.len && s.ptr[end] >= '0' && s.ptr[end] <= '9') {
        end++;
    }
    return end - at;
}

/* Cuts off what stands before the next line number, and the number. */
static mt_str next_part(mt_str *bundle)
{
    /* In text a quote is escaped, so this is always a key; other keys of this name
     * have no number behind them. */
    static const char KEY[] = "\"line\":";
    const char *at = memmem(bundle->ptr, bundle->len, KEY, sizeof KEY - 1);
    size_t end = at ? (size_t)(at - bundle->ptr) + sizeof KEY - 1 : bundle->len;
    mt_str part = mt_str_from(bundle->ptr, end);
    *bundle = mt_str_skip(*bundle, end + digits_at(*bundle, end));
    return part;
}

/* Equal but for line numbers, which layout changes. Both are empty where the contract
 * has faults. */
static bool same_bundles(mt_str x, mt_str y)
{
    while (x.len && y.len) {
        if (!mt_str_eq(next_part(&x), next_part(&y))) {
            return false;
        }
    }
    return !x.len && !y.len;
}

/* From cheap to costly; the first difference is named. */
mt_str fr_layout_fault(mt_arena *a, const fr_layout *before, const fr_layout *after,
                       const mt_limits *limits)
{
    if (!same_tokens(a, before->text, after->text, limits)) {
        return MT_STR("its tokens");
    }
    if (!same_trees(before->e->unit, after->e->unit)) {
        return MT_STR("what it means to the parser");
    }
    if (!same_bundles(before->e->bundle, after->e->bundle)) {
        return MT_STR("its interchange");
    }
    return MT_STR("");
}

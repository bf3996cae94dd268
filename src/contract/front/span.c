/* contract/front/span.c - which tokens an expression or a construct consists of.
 *
 * The tree knows where things begin and no more: ends are found when somebody asks,
 * from the tokens, so that parsing does not pay for them. An expression ends with its
 * rightmost part; brackets that are open then, or closed without having been opened,
 * belong to it as well: in `(a + b) * 2` the product begins at the parenthesis, which
 * is not in the tree. Nothing fails. */
#include "contract/front/parser.h"

/* A file ends with FR_T_EOF, which is never part of anything. */
static fr_tok last_token(const fr_file *f)
{
    return f->tokens.count > 1 ? f->tokens.count - 2 : 0;
}

static int nest_of(const fr_file *f, fr_tok tok)
{
    return FR_NEST[fr_token_at(f, tok)->kind];
}

fr_tok fr_closing(const fr_file *file, fr_tok open)
{
    int depth = 0;
    for (fr_tok at = open; at <= last_token(file); at++) {
        depth += nest_of(file, at);
        if (depth <= 0) {
            return at;
        }
    }
    return last_token(file);
}

static bool is_open(const fr_file *f, fr_tok tok)
{
    return tok <= last_token(f) && nest_of(f, tok) > 0;
}

/* The end of what begins with a word and goes on in brackets, or is the word alone. */
static fr_tok group_end(const fr_file *f, fr_tok tok)
{
    if (is_open(f, tok)) {
        return fr_closing(f, tok);
    }
    return is_open(f, tok + 1) ? fr_closing(f, tok + 1) : tok;
}

/* `x present`: the word stands behind the name. */
static fr_tok present_end(const fr_file *f, const fr_expr *e)
{
    return e->left ? fr_expr_span(f, e->left).last + 1 : group_end(f, e->tok);
}

static fr_tok rightmost(const fr_file *f, const fr_expr *e)
{
    for (;;) {
        switch ((fr_expr_kind)e->kind) {
        case FR_X_MUL:
        case FR_X_ADD:
        case FR_X_SUB:
        case FR_X_COMPARE:
        case FR_X_AND:
        case FR_X_OR:
        case FR_X_FORALL:
        case FR_X_EXISTS:
        case FR_X_INDEX: e = e->right; continue;
        case FR_X_NOT: e = e->left; continue;
        case FR_X_FIELD: return e->sym2;
        case FR_X_ENTRY:
            if (!is_open(f, e->tok + 1)) { /* field: value */
                e = e->left;
                continue;
            }
            return fr_closing(f, e->tok + 1);
        case FR_X_VERDICT:
        case FR_X_PRESENT: return present_end(f, e);
        case FR_X_BOOL: return e->left ? present_end(f, e) : e->tok;
        case FR_X_FLOAT: /* 1.5, or Decimal(1.5) */
            return fr_token_at(f, e->tok)->kind == FR_T_WORD ? group_end(f, e->tok)
                                                             : e->tok;
        case FR_X_MONEY:
        case FR_X_DURATION:
        case FR_X_LIST:
        case FR_X_RECORD:
        case FR_X_LEN: return group_end(f, e->tok);
        case FR_X_INT:
        case FR_X_STR:
        case FR_X_REF:
        case FR_X_ERROR: return e->tok;
        }
    }
}

/* Goes left over `missing` brackets that were opened before. */
static fr_tok opening(const fr_file *f, fr_tok first, int missing)
{
    while (missing > 0 && first > 0) {
        missing -= nest_of(f, --first);
    }
    return first;
}

fr_span fr_balanced(const fr_file *file, fr_span span)
{
    int depth = 0, missing = 0;
    for (fr_tok at = span.first; at <= span.last; at++) {
        depth += nest_of(file, at);
        if (depth < 0) {
            missing++;
            depth = 0;
        }
    }
    while (depth > 0 && span.last < last_token(file)) {
        depth += nest_of(file, ++span.last);
    }
    span.first = opening(file, span.first, missing);
    return span;
}

fr_span fr_expr_span(const fr_file *file, const fr_expr *e)
{
    return fr_balanced(file, (fr_span){e->tok, rightmost(file, e)});
}

fr_name fr_verdict_name(const fr_file *file, const fr_expr *e)
{
    bool call = fr_token_at(file, e->tok)->sym == FR_W_verdict_present && !e->left;
    return (fr_name){e->sym, call ? e->tok + 2 : e->tok};
}

fr_tok fr_terminal_outcome(const fr_file *file, fr_tok terminal)
{
    if (!is_open(file, terminal + 1)) {
        return terminal; /* it is the outcome itself */
    }
    bool label = terminal + 4 <= last_token(file) &&
                 fr_token_at(file, terminal + 3)->kind == FR_T_COLON;
    return terminal + (label ? 4 : 2);
}

/* `type T = Record(...)` has two words before its bracket, the others one and a name.
 */
fr_span fr_construct_span(const fr_construct *c)
{
    const fr_file *f = c->file;
    fr_tok last = c->id_tok > c->tok ? c->id_tok : c->tok;
    bool named = c->kind == FR_TYPEDECL && last + 2 <= last_token(f) &&
                 fr_token_at(f, last + 1)->kind == FR_T_EQ;
    last = named ? last + 2 : last;
    return (fr_span){c->tok, is_open(f, last + 1) ? fr_closing(f, last + 1) : last};
}

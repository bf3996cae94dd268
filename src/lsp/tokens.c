/* lsp/tokens.c - what each word is, for colours.
 *
 * Tokens come from the lexer, with comments; a word is coloured by what the index says
 * it means, else as a keyword where it is one. What could not be read is coloured by
 * its token alone. A token never spans lines: one that does is told line by line. */
#include "lsp/server.h"

/* ORDER LEGEND */
typedef enum colour {
    COMMENT,
    STRING,
    NUMBER,
    KEYWORD,
    OPERATOR,
    TYPE,
    PROPERTY,
    ENUM_MEMBER,
    VARIABLE,
    PARAMETER,
    CLASS,
    FUNCTION,
    METHOD,
    INTERFACE,
    NAMESPACE,
    EVENT,
    COLOUR_COUNT
} colour;

static const char *const LEGEND[COLOUR_COUNT] = {
    "comment",  "string",     "number",    "keyword",   "operator", "type",
    "property", "enumMember", "variable",  "parameter", "class",    "function",
    "method",   "interface",  "namespace", "event"};

enum { DECLARATION = 1 }; /* the first modifier */

static const colour COLOURS[FR_NAMED_COUNT] = {
    [FR_NAMED_FILE] = STRING,         [FR_NAMED_TYPE] = TYPE,
    [FR_NAMED_FIELD] = PROPERTY,      [FR_NAMED_VALUE] = ENUM_MEMBER,
    [FR_NAMED_FACT] = VARIABLE,       [FR_NAMED_SOURCE] = NAMESPACE,
    [FR_NAMED_ENTITY] = CLASS,        [FR_NAMED_STATE] = ENUM_MEMBER,
    [FR_NAMED_RULE] = FUNCTION,       [FR_NAMED_VERDICT] = EVENT,
    [FR_NAMED_VARIABLE] = PARAMETER,  [FR_NAMED_OPERATION] = METHOD,
    [FR_NAMED_OUTCOME] = ENUM_MEMBER, [FR_NAMED_ERROR] = ENUM_MEMBER,
    [FR_NAMED_PERSONA] = INTERFACE,   [FR_NAMED_FLOW] = METHOD,
    [FR_NAMED_STEP] = PROPERTY,       [FR_NAMED_BRANCH] = PROPERTY,
    [FR_NAMED_SYSTEM] = NAMESPACE,    [FR_NAMED_MEMBER] = NAMESPACE,
};

void ls_write_token_legend(mt_jw *w)
{
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "tokenModifiers");
    mt_jw_begin_array(w);
    mt_jw_str(w, MT_STR("declaration"));
    mt_jw_end_array(w);
    mt_jw_keyz(w, "tokenTypes");
    mt_jw_begin_array(w);
    for (int i = 0; i < COLOUR_COUNT; i++) {
        mt_jw_str(w, mt_str_z(LEGEND[i]));
    }
    mt_jw_end_array(w);
    mt_jw_end_object(w);
}

/* Of a token that is not a known name; COLOUR_COUNT: none. */
static colour plain_colour(const fr_token *t)
{
    switch ((fr_token_kind)t->kind) {
    case FR_T_COMMENT: return COMMENT;
    case FR_T_STR: return STRING;
    case FR_T_INT:
    case FR_T_FLOAT: return NUMBER;
    case FR_T_WORD:
        return fr_base_of_word(t->sym) < LN_BASE_COUNT ? TYPE
               : t->sym < FR_WORD_COUNT                ? KEYWORD
                                                       : COLOUR_COUNT;
    case FR_T_AND:
    case FR_T_OR:
    case FR_T_NOT:
    case FR_T_FORALL:
    case FR_T_EXISTS:
    case FR_T_IN: return KEYWORD;
    case FR_T_EQ:
    case FR_T_NEQ:
    case FR_T_LT:
    case FR_T_LTE:
    case FR_T_GT:
    case FR_T_GTE:
    case FR_T_STAR:
    case FR_T_PLUS:
    case FR_T_MINUS:
    case FR_T_ARROW: return OPERATOR;
    case FR_T_EOF:
    case FR_T_LBRACE:
    case FR_T_RBRACE:
    case FR_T_LBRACKET:
    case FR_T_RBRACKET:
    case FR_T_LPAREN:
    case FR_T_RPAREN:
    case FR_T_COLON:
    case FR_T_COMMA:
    case FR_T_DOT:
    case FR_T_SLASH:
    case FR_T_BAD:
    case FR_TOKEN_KINDS: return COLOUR_COUNT;
    }
    return COLOUR_COUNT;
}

/* Written as differences from the token before. */
typedef struct painter {
    ls_call *c;
    ls_position last;
} painter;

static void paint(painter *p, ls_range r, colour k, int modifiers)
{
    ls_call *c = p->c;
    ls_position from = ls_position_of(&c->doc->lines, r.from, c->s->units);
    ls_position to = ls_position_of(&c->doc->lines, r.to, c->s->units);
    mt_jw_i64(c->w, from.line - p->last.line);
    mt_jw_i64(c->w, from.line == p->last.line ? from.unit - p->last.unit : from.unit);
    mt_jw_i64(c->w, to.unit - from.unit);
    mt_jw_i64(c->w, k);
    mt_jw_i64(c->w, modifiers);
    p->last = from;
}

/* Line by line. */
static void paint_lines(painter *p, ls_range r, colour k, int modifiers)
{
    mt_str text = p->c->doc->lines.text;
    while (r.from < r.to) {
        size_t end = r.from;
        while (end < r.to && text.ptr[end] != '\n' && text.ptr[end] != '\r') {
            end++;
        }
        if (end > r.from) {
            paint(p, (ls_range){r.from, end}, k, modifiers);
        }
        r.from = end + 1;
    }
}

/* Of the lines of `range`, or of all where there is none that can be read. Mentions and
 * tokens are both in the order of the text. */
void ls_semantic_tokens(ls_call *c)
{
    ls_view *v = ls_view_of(c->s, c->doc);
    fr_symbols syms;
    fr_tokens tokens;
    uint32_t first = 0, last = UINT32_MAX;
    (void)ls_read_lines(mt_json_at(c->params, "range"), &first, &last);
    fr_symbols_init(&syms, c->a);
    fr_lex(c->a, &syms, c->doc->lines.text, c->s->limits, FR_LEX_COMMENTS, &tokens);
    ls_view_index(v);
    painter p = {.c = c};
    size_t m = 0;
    while (m < v->mention_count && !mt_str_eq(v->mentions[m].at.file, c->doc->path)) {
        m++;
    }
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "data");
    mt_jw_begin_array(c->w);
    for (uint32_t i = 0; i + 1 < tokens.count; i++) {
        const fr_token *t = &tokens.items[i];
        colour k = plain_colour(t);
        int modifiers = 0;
        while (m < v->mention_count &&
               mt_str_eq(v->mentions[m].at.file, c->doc->path) &&
               v->mentions[m].at.offset < t->start) {
            m++;
        }
        if (m < v->mention_count && v->mentions[m].at.offset == t->start &&
            mt_str_eq(v->mentions[m].at.file, c->doc->path)) {
            k = COLOURS[v->mentions[m].kind];
            modifiers = v->mentions[m].is_definition ? DECLARATION : 0;
        }
        uint32_t line = t->line - 1;
        if (k < COLOUR_COUNT && first <= line && line <= last) {
            size_t end = t->start + fr_token_len(c->doc->lines.text, t);
            paint_lines(&p, (ls_range){t->start, end}, k, modifiers);
        }
    }
    mt_jw_end_array(c->w);
    mt_jw_end_object(c->w);
}

/* contract/front/parser.h - what the parser's files share.
 * Room: contract/front, parser*.c only.
 * Functions that return bool or a pointer return false or NULL after they (or the
 * lexer) reported a fault; the loop over the fields of a construct then skips to the
 * next field and goes on, so one run reports many faults. */
#ifndef CT_FRONT_PARSER_H
#define CT_FRONT_PARSER_H

#include "contract/front/unit.h"

typedef struct ct_parser {
    ct_unit *u;
    ct_file *file;
    mt_arena *a;
    const ct_token *first, *t; /* all tokens, the current one */
    int nest;                  /* open braces, brackets and parentheses */
    unsigned depth;            /* of the recursion */
    bool broken;               /* the current construct has a fault */
} ct_parser;

extern const int8_t CT_NEST[CT_TOKEN_KINDS];

static inline ct_token_kind ct_peek(const ct_parser *p)
{
    return (ct_token_kind)p->t->kind;
}

static inline ct_tok ct_here(const ct_parser *p)
{
    return (ct_tok)(p->t - p->first);
}

static inline void ct_advance(ct_parser *p)
{
    p->nest += CT_NEST[p->t->kind];
    p->t += p->t->kind != CT_T_EOF;
}

static inline bool ct_is_word(const ct_parser *p, ct_sym word)
{
    return p->t->kind == CT_T_WORD && p->t->sym == word;
}

/* Kind of the n-th token from here; stays at the end. */
static inline ct_token_kind ct_peek_at(const ct_parser *p, uint32_t n)
{
    ct_tok last = p->file->tokens.count - 1, at = ct_here(p);
    return (ct_token_kind)p->first[n <= last - at ? at + n : last].kind;
}

static inline bool ct_accept(ct_parser *p, ct_token_kind kind)
{
    if (p->t->kind != kind) {
        return false;
    }
    ct_advance(p);
    return true;
}

/* Reports and returns false; silent where the lexer has reported already. */
bool ct_syntax(ct_parser *p, const char *message, const char *hint);
bool ct_expected(ct_parser *p, const char *what);
bool ct_expected_hint(ct_parser *p, const char *what, const char *hint);
bool ct_unknown_field(ct_parser *p, const char *what, ct_sym field);
/* Notes that a field or label is written twice; the last one stays. */
void ct_repeated(ct_parser *p, ct_tok tok, ct_sym field);
bool ct_missing(ct_parser *p, ct_tok at, const char *what, const char *field);

/* Consume or report: '{' and so on, a word, a string, an integer, a given word. */
bool ct_expected_kind(ct_parser *p, ct_token_kind kind);

static inline bool ct_take(ct_parser *p, ct_token_kind kind)
{
    return MT_LIKELY(ct_accept(p, kind)) || ct_expected_kind(p, kind);
}

static inline bool ct_take_word(ct_parser *p, ct_name *out)
{
    *out = (ct_name){p->t->sym, ct_here(p)};
    return ct_take(p, CT_T_WORD);
}

bool ct_take_str(ct_parser *p, ct_name *out);
bool ct_take_int(ct_parser *p, int64_t *out);
bool ct_take_the_word(ct_parser *p, ct_sym word);
/* `word ':'` if it stands here. */
bool ct_accept_label(ct_parser *p, ct_sym word);
/* [a, b c,] of words. */
bool ct_take_words(ct_parser *p, ct_names *out);

/* One level deeper; reports and returns false at the limit. Pair with ct_leave(). */
bool ct_enter(ct_parser *p);
static inline void ct_leave(ct_parser *p)
{
    p->depth--;
}

/* Which fields of a body have been seen. */
typedef struct ct_seen {
    uint64_t bits[2];
} ct_seen;

typedef enum ct_field_result {
    CT_FIELD_OK,
    CT_FIELD_FAILED,
    CT_FIELD_UNKNOWN
} ct_field_result;
/* Reads the value of a field whose word and colon are consumed. */
typedef ct_field_result (*ct_field_reader)(ct_parser *p, void *node, ct_sym field,
                                           ct_tok tok);

/* `{ field: value ... }` or another pair of brackets. `what` is the name in "unknown
 * Fact field". With `commas` one may follow each field. False: the body did not end. */
typedef struct ct_body {
    const char *what;
    const char *unknown; /* format of the unknown-field message; NULL: the usual */
    ct_field_reader read;
    ct_token_kind close; /* the opening bracket is consumed */
    bool commas;
} ct_body;
bool ct_read_body(ct_parser *p, const ct_body *body, void *node, ct_seen *seen);
bool ct_was_seen(const ct_seen *seen, ct_sym field);

/* `[ item item, ]` */
typedef bool (*ct_item_reader)(ct_parser *p, void *list);
bool ct_read_list(ct_parser *p, ct_item_reader read, void *list);

ct_type *ct_parse_type(ct_parser *p);
ct_type *ct_parse_fields(ct_parser *p, ct_base base);
ct_expr *ct_parse_expr(ct_parser *p);    /* a whole condition */
ct_expr *ct_parse_term(ct_parser *p);    /* a whole value */
ct_expr *ct_parse_literal(ct_parser *p); /* a default */
bool ct_parse_steps(ct_parser *p, ct_steps *steps);

/* Does a construct begin here? For recovery. */
bool ct_at_construct(const ct_parser *p);
ct_construct *ct_parse_flow(ct_parser *p);
ct_construct *ct_parse_system(ct_parser *p);
ct_construct *ct_new_construct(ct_parser *p, ct_kind kind, size_t size);

#define CT_READ(ok) ((ok) ? CT_FIELD_OK : CT_FIELD_FAILED)

#endif

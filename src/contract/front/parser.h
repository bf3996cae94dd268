/* contract/front/parser.h - what the parser's files share.
 * Room: contract/front, parser*.c only.
 * Functions that return bool or a pointer return false or NULL after they (or the
 * lexer) reported a fault; the loop over the fields of a construct then skips to the
 * next field and goes on, so one run reports many faults. */
#ifndef FR_FRONT_PARSER_H
#define FR_FRONT_PARSER_H

#include "contract/front/unit.h"

/* The fields that are being read, from the innermost out; they live on the C stack. */
typedef struct fr_path fr_path;
struct fr_path {
    const fr_path *around;
    fr_name field;
};

typedef struct fr_parser {
    fr_unit *u;
    fr_file *file;
    mt_arena *a;
    const fr_token *first, *t;     /* all tokens, the current one */
    int nest;                      /* open braces, brackets and parentheses */
    int parentheses;               /* open in the expression at hand */
    unsigned values;               /* terms around, where no condition can begin */
    unsigned depth;                /* of the recursion */
    bool broken;                   /* the current construct has a fault */
    const fr_construct *construct; /* that is being read */
    const fr_path *path;           /* NULL: between fields */
    fr_sym last;                   /* the field that was read before */
} fr_parser;

static inline fr_token_kind fr_peek(const fr_parser *p)
{
    return (fr_token_kind)p->t->kind;
}

static inline fr_tok fr_here(const fr_parser *p)
{
    return (fr_tok)(p->t - p->first);
}

/* The only place that moves on, so `nest` is right everywhere. FR_T_EOF is never
 * passed. */
static inline void fr_advance(fr_parser *p)
{
    p->nest += FR_NEST[p->t->kind];
    p->t += p->t->kind != FR_T_EOF;
}

static inline bool fr_is_word(const fr_parser *p, fr_sym word)
{
    return p->t->kind == FR_T_WORD && p->t->sym == word;
}

/* Kind of the n-th token from here; stays at the end. `first` is not counted from here:
 * it is the file's first token. */
static inline fr_token_kind fr_peek_at(const fr_parser *p, uint32_t n)
{
    fr_tok last = p->file->tokens.count - 1, at = fr_here(p);
    return (fr_token_kind)p->first[n <= last - at ? at + n : last].kind;
}

static inline bool fr_accept(fr_parser *p, fr_token_kind kind)
{
    if (p->t->kind != kind) {
        return false;
    }
    fr_advance(p);
    return true;
}

typedef struct fr_body fr_body;

/* ---- faults (parser_fault.c): they report and return false ---- */

/* Silent where the lexer has reported already. */
bool fr_syntax(fr_parser *p, const char *message, const char *hint);
bool fr_expected(fr_parser *p, const char *what);
bool fr_expected_hint(fr_parser *p, const char *what, const char *hint);
/* A construct begins at `keyword`, the current token behind it, inside another. */
bool fr_not_closed(fr_parser *p, fr_name keyword);
/* T017, at the token behind what is not a condition. */
bool fr_no_comparison(fr_parser *p, const char *hint);
/* Notes that a field or label is written twice; the last one stays. */
void fr_repeated(fr_parser *p, fr_tok tok, fr_sym field);
/* A field that is missing. */
typedef struct fr_lack {
    const char *what; /* "Fact" */
    fr_sym of;        /* the name of what lacks it, or none */
    fr_sym field;
    fr_span shown; /* for people */
} fr_lack;
/* The suite has it at `at`, the end of the construct, since the field has no place. */
bool fr_missing(fr_parser *p, fr_tok at, const fr_lack *lack);
/* True: *meant is the field that was meant, and can be read. */
bool fr_unknown_field(fr_parser *p, const fr_body *body, fr_name field, fr_sym *meant);
/* The current token as a place: the suite names no construct and no field, people are
 * told both. */
fr_place fr_where(const fr_parser *p);
fr_place fr_where_at(const fr_parser *p, fr_tok tok);
/* "path.of.fields", with `last` behind it unless that is none. */
mt_str fr_path_text(const fr_parser *p, fr_sym last);
/* Has the lexer said what is wrong with the current token? */
static inline bool fr_was_reported(const fr_parser *p)
{
    return p->t->kind == FR_T_BAD || (p->t->flags & FR_TOK_SLIP);
}

/* ---- slips (parser_slips.c): they report and say how to go on ---- */

/* Right behind a comparison: `==`, `<>`, `=>`; the comparison that was meant, and the
 * rest of it consumed. */
fr_token_kind fr_slip_comparison(fr_parser *p, fr_token_kind op);
/* A second comparison, as in 1 <= i <= 3; `middle` is what stands between. */
void fr_slip_chain(fr_parser *p, const fr_expr *middle);
/* Does a word stand here that means `kind` (FR_T_AND, FR_T_OR) in other languages? */
bool fr_at_slip_operator(const fr_parser *p, fr_token_kind kind);
void fr_slip_operator(fr_parser *p, fr_token_kind kind);
/* Before an operand: NOT; for, all, any; if. The token kind that is meant: FR_T_NOT,
 * FR_T_FORALL, FR_T_EXISTS, FR_T_BAD for what cannot be read, FR_T_EOF for none. */
fr_token_kind fr_at_slip_operand(const fr_parser *p);
void fr_slip_operand(fr_parser *p, fr_token_kind kind);
/* Instead of the dot of a quantifier: `:` or `,`. True: consumed. */
bool fr_slip_dot(fr_parser *p);
/* What a comma is replaced by: nothing, or a space between what it kept apart. */
mt_str fr_instead_of_comma(const fr_parser *p);
/* A comma where none may stand; true: consumed. */
bool fr_slip_comma(fr_parser *p, const char *what);
/* A comma is missing before the current token; `what` is what the suite expects. */
bool fr_slip_no_comma(fr_parser *p, const char *what);
/* A name in quotes, or text without; true: it is consumed and *out set. */
bool fr_slip_quoted_name(fr_parser *p, fr_name *out);
bool fr_slip_bare_text(fr_parser *p, fr_name *out);
/* `=>` for `->`; true: consumed. */
bool fr_slip_arrow(fr_parser *p);
/* The colon of a known field is missing, or something else stands for it. */
bool fr_slip_colon(fr_parser *p);
/* true, True and TRUE in a default; true: *value is set, and it is consumed. */
bool fr_slip_bool(fr_parser *p, bool *value);
/* Is it another spelling of true or false? For pass 4, too. */
bool fr_is_bool_slip(mt_str word, bool *value);

/* Consume or report: '{' and so on, a word, a string, an integer, a given word. */
bool fr_expected_kind(fr_parser *p, fr_token_kind kind);

static inline bool fr_take(fr_parser *p, fr_token_kind kind)
{
    return MT_LIKELY(fr_accept(p, kind)) || fr_expected_kind(p, kind);
}

bool fr_no_word(fr_parser *p, fr_name *out);

/* `out` is set also when it fails, to whatever stands there; a caller that goes on
 * after a fault must not use it. */
static inline bool fr_take_word(fr_parser *p, fr_name *out)
{
    *out = (fr_name){p->t->sym, fr_here(p)};
    return MT_LIKELY(fr_accept(p, FR_T_WORD)) || fr_no_word(p, out);
}

bool fr_take_str(fr_parser *p, fr_name *out);
/* With a sign that the lexer has read as an operator. */
bool fr_take_int(fr_parser *p, int64_t *out);
bool fr_take_the_word(fr_parser *p, fr_sym word);
/* `word ':'` if it stands here. */
bool fr_accept_label(fr_parser *p, fr_sym word);
/* [a, b c,] of words. */
bool fr_take_words(fr_parser *p, fr_names *out);

/* One level deeper; reports and returns false at the limit. Pair with fr_leave(). */
bool fr_enter(fr_parser *p);
/* Reports that a limit on depth is met. */
bool fr_too_deep(fr_parser *p, const char *limit, size_t most);
static inline void fr_leave(fr_parser *p)
{
    p->depth--;
}

/* Which fields of a body have been seen. One bit per word of the language: the
 * construct and field words come first, words beyond 128 are not tracked. */
typedef struct fr_seen {
    uint64_t bits[2];
} fr_seen;

/* UNKNOWN and FAILED differ in who reports: the loop, or the reader before it
 * returned. */
typedef enum fr_field_result {
    FR_FIELD_OK,
    FR_FIELD_FAILED,
    FR_FIELD_UNKNOWN
} fr_field_result;
/* Reads the value of a field whose word and colon are consumed. */
typedef fr_field_result (*fr_field_reader)(fr_parser *p, void *node, fr_sym field,
                                           fr_tok tok);

/* `{ field: value ... }` or another pair of brackets. `what` is the name in "unknown
 * Fact field". With `commas` one may follow each field. False: the body did not end. */
struct fr_body {
    const char *what;
    const char *unknown;  /* format of the unknown-field message; NULL: the usual */
    const fr_sym *fields; /* all it knows, ends with FR_W_none; NULL: any word */
    fr_field_reader read;
    fr_token_kind close; /* the opening bracket is consumed */
    bool commas;
};
/* Any order, each field once. True: the body ended where it should. */
bool fr_read_body(fr_parser *p, const fr_body *body, void *node, fr_seen *seen);
/* Was the field given in this body? */
bool fr_was_seen(const fr_seen *seen, fr_sym field);

/* `[ item item, ]` */
typedef bool (*fr_item_reader)(fr_parser *p, void *list);
/* Commas between items are optional. */
bool fr_read_list(fr_parser *p, fr_item_reader read, void *list);

fr_type *fr_parse_type(fr_parser *p);
fr_type *fr_parse_record(fr_parser *p);
fr_expr *fr_parse_expr(fr_parser *p);    /* a whole condition */
fr_expr *fr_parse_term(fr_parser *p);    /* a whole value */
fr_expr *fr_parse_literal(fr_parser *p); /* a default */
bool fr_parse_steps(fr_parser *p, fr_steps *steps);

/* Does a construct begin here? For recovery. */
bool fr_at_construct(const fr_parser *p);
fr_construct *fr_parse_flow(fr_parser *p);
fr_construct *fr_parse_system(fr_parser *p);
/* Zeroed, with head and id; `broken` if it has no name. */
fr_construct *fr_new_construct(fr_parser *p, fr_kind kind, size_t size);

#define FR_READ(ok) ((ok) ? FR_FIELD_OK : FR_FIELD_FAILED)

#endif

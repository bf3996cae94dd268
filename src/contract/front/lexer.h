/* contract/front/lexer.h - source text to tokens.
 * Room: contract/front.
 * One pass over valid UTF-8 text gives a flat array of 16-byte tokens that ends with
 * FR_T_EOF. With FR_LEX_COMMENTS comments are tokens too (for the formatter); the
 * parser never sees them. A character that is not a token becomes an entry in the list
 * of faults and FR_T_BAD, or the token that was meant (slips.h) with FR_TOK_SLIP.
 * Ownership: tokens live in the arena; symbols as symbols.h says. */
#ifndef FR_FRONT_LEXER_H
#define FR_FRONT_LEXER_H

#include "base/limits.h"
#include "contract/front/codes.h"
#include "contract/front/symbols.h"

/* Second column: how messages spell it. Word, Str, Int and Float show their text. */
/* clang-format off */
#define FR_TOKEN_MAP(X)                                              \
    X(EOF, "Eof") X(WORD, "Word") X(STR, "Str") X(INT, "Int")        \
    X(FLOAT, "Float") X(LBRACE, "LBrace") X(RBRACE, "RBrace")        \
    X(LBRACKET, "LBracket") X(RBRACKET, "RBracket")                  \
    X(LPAREN, "LParen") X(RPAREN, "RParen") X(COLON, "Colon")        \
    X(COMMA, "Comma") X(DOT, "Dot") X(EQ, "Eq") X(NEQ, "Neq")        \
    X(LT, "Lt") X(LTE, "Lte") X(GT, "Gt") X(GTE, "Gte")              \
    X(STAR, "Star") X(PLUS, "Plus") X(MINUS, "Minus")                \
    X(ARROW, "Arrow") X(AND, "And") X(OR, "Or") X(NOT, "Not")        \
    X(FORALL, "Forall") X(EXISTS, "Exists") X(IN, "In")              \
    X(SLASH, "Slash") X(BAD, "Bad") X(COMMENT, "Comment")
/* clang-format on */

typedef enum fr_token_kind {
#define FR_TOKEN_ENUM(name, text) FR_T_##name,
    FR_TOKEN_MAP(FR_TOKEN_ENUM)
#undef FR_TOKEN_ENUM
        FR_TOKEN_KINDS
} fr_token_kind;

/* What a token does to the nesting; the kinds of brackets are not told apart, since a
 * wrong one is reported where it is met. */
extern const int8_t FR_NEST[FR_TOKEN_KINDS];

enum {
    FR_TOK_SPACED = 1, /* white space or a comment stands before it */
    FR_TOK_SLIP = 2,   /* something else was written, and reported */
    FR_TOK_RAW_LEN = 0xFFFF
};

typedef struct fr_token {
    uint32_t start; /* offset in the text */
    uint32_t line;  /* 1-based, where it starts */
    fr_sym sym;     /* Word: its text; Str: its value; Int, Float: as written */
    uint8_t kind;   /* fr_token_kind */
    uint8_t flags;
    uint16_t len; /* in the text; FR_TOK_RAW_LEN: that or more, see fr_token_len() */
} fr_token;

/* Kept apart from diagnostics, since the lexer does not know the unit. */
typedef struct fr_lex_fault {
    fr_code code;
    uint32_t start, len, line; /* offset and length in bytes; 1-based */
    mt_str message;
    uint32_t suite_line;  /* where the suite expects it */
    mt_str suite_message; /* ptr NULL: `message` */
    const char *hint;     /* NULL: the code's */
    bool has_fix;         /* `replacement` mends it, and nothing else can be meant */
    mt_str replacement;
} fr_lex_fault;

typedef struct fr_tokens {
    fr_token *items; /* the last is FR_T_EOF */
    uint32_t count;  /* with it */
    fr_lex_fault *faults;
    uint32_t fault_count;
    bool has_lint; /* a comment begins with FR_LINT_MARK */
} fr_tokens;

#define FR_LINT_MARK "motet:"

/* Without it comments only leave FR_TOK_SPACED at the token behind them. */
enum { FR_LEX_COMMENTS = 1 };

/* `text` must be valid UTF-8 of less than 4 GB. */
void fr_lex(mt_arena *a, fr_symbols *syms, mt_str text, const mt_limits *limits,
            unsigned flags, fr_tokens *out);

/* Length in bytes of a token in its text. */
size_t fr_token_len(mt_str text, const fr_token *t);
/* As messages spell it: Word("x"), Int(-1), LBrace. */
mt_str fr_token_debug(mt_arena *a, const fr_symbols *syms, const fr_token *t);
/* The same for a message: a sign glued to a number behind it is shown with it. */
mt_str fr_found_debug(mt_arena *a, const fr_symbols *syms, const fr_token *t);
/* For people: 'x', the number -1, the end of the file. `source` is the file's text. */
mt_str fr_found_words(mt_arena *a, const fr_symbols *syms, mt_str source,
                      const fr_token *t);
/* The value of an Int token (the lexer has checked that it fits). */
int64_t fr_int_value(const fr_symbols *syms, fr_sym sym);

#endif

/* contract/front/lexer.h - source text to tokens.
 * Room: contract/front.
 * One pass over valid UTF-8 text gives a flat array of 16-byte tokens that ends with
 * CT_T_EOF. With CT_LEX_COMMENTS comments are tokens too (for the formatter); the
 * parser never sees them. A character that is no token becomes CT_T_BAD and an entry
 * in the list of faults.
 * Ownership: tokens live in the arena; symbols as symbols.h says. */
#ifndef CT_FRONT_LEXER_H
#define CT_FRONT_LEXER_H

#include "base/limits.h"
#include "contract/front/codes.h"
#include "contract/front/symbols.h"

/* Second column: how messages spell it. Word, Str, Int and Float show their text. */
/* clang-format off */
#define CT_TOKEN_MAP(X)                                              \
    X(EOF, "Eof") X(WORD, "Word") X(STR, "Str") X(INT, "Int")        \
    X(FLOAT, "Float") X(LBRACE, "LBrace") X(RBRACE, "RBrace")        \
    X(LBRACKET, "LBracket") X(RBRACKET, "RBracket")                  \
    X(LPAREN, "LParen") X(RPAREN, "RParen") X(COLON, "Colon")        \
    X(COMMA, "Comma") X(DOT, "Dot") X(EQ, "Eq") X(NEQ, "Neq")        \
    X(LT, "Lt") X(LTE, "Lte") X(GT, "Gt") X(GTE, "Gte")              \
    X(STAR, "Star") X(PLUS, "Plus") X(MINUS, "Minus")                \
    X(ARROW, "Arrow") X(AND, "And") X(OR, "Or") X(NOT, "Not")        \
    X(FORALL, "Forall") X(EXISTS, "Exists") X(IN, "In")              \
    X(BAD, "Bad") X(COMMENT, "Comment")
/* clang-format on */

typedef enum ct_token_kind {
#define CT_TOKEN_ENUM(name, text) CT_T_##name,
    CT_TOKEN_MAP(CT_TOKEN_ENUM)
#undef CT_TOKEN_ENUM
        CT_TOKEN_KINDS
} ct_token_kind;

enum {
    CT_TOK_SPACED = 1, /* white space or a comment stands before it */
    CT_TOK_RAW_LEN = 0xFFFF
};

typedef struct ct_token {
    uint32_t start; /* offset in the text */
    uint32_t line;  /* 1-based, where it starts */
    ct_sym sym;     /* Word: its text; Str: its value; Int, Float: as written */
    uint8_t kind;   /* ct_token_kind */
    uint8_t flags;
    uint16_t len; /* in the text; CT_TOK_RAW_LEN: that or more, see ct_token_len() */
} ct_token;

typedef struct ct_lex_fault {
    ct_code code;
    uint32_t start, len, line;
    mt_str message;
} ct_lex_fault;

typedef struct ct_tokens {
    ct_token *items; /* the last is CT_T_EOF */
    uint32_t count;  /* with it */
    ct_lex_fault *faults;
    uint32_t fault_count;
} ct_tokens;

enum { CT_LEX_COMMENTS = 1 };

/* `text` must be valid UTF-8 of less than 4 GB. */
void ct_lex(mt_arena *a, ct_symbols *syms, mt_str text, const mt_limits *limits,
            unsigned flags, ct_tokens *out);

/* Length in bytes of a token in its text. */
size_t ct_token_len(mt_str text, const ct_token *t);
/* As messages spell it: Word("x"), Int(-1), LBrace. */
mt_str ct_token_debug(mt_arena *a, const ct_symbols *syms, const ct_token *t);
/* The same for a message: a sign glued to a number behind it is shown with it. */
mt_str ct_found_debug(mt_arena *a, const ct_symbols *syms, const ct_token *t);
/* The value of an Int token (the lexer has checked that it fits). */
int64_t ct_int_value(const ct_symbols *syms, ct_sym sym);

#endif

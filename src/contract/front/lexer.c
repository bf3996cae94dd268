/* contract/front/lexer.c - source text to tokens, in one pass.
 *
 * ASCII is decided by a 256-entry table; everything else decodes one character and
 * asks the Unicode tables. The text is copied once with zeros behind it, so that 16
 * bytes can be looked at anywhere; a zero ends every run.
 *
 * A token has a kind, its place, its line and a symbol: words, strings and numbers are
 * interned, so later passes compare numbers. Strings are unescaped when they are
 * interned; comments are kept only when the mode asks (the formatter does).
 *
 * What may fail: nothing; a character that begins no token, a string without end, a
 * number that does not fit become faults with their place (at most MAX_FAULTS) and a
 * token FR_T_BAD, at which the parser stays silent, or the token that was meant, where
 * slips.c knows it. Limits on bytes and word lengths are checked here. */
#include "contract/front/lexer.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/unicode.h"
#include "base/utf8.h"
#include "contract/front/slips.h"

const int8_t FR_NEST[FR_TOKEN_KINDS] = {
    [FR_T_LBRACE] = 1,  [FR_T_LBRACKET] = 1,  [FR_T_LPAREN] = 1,
    [FR_T_RBRACE] = -1, [FR_T_RBRACKET] = -1, [FR_T_RPAREN] = -1,
};

/* What a byte can begin. C_SINGLE is one token whatever follows, C_PUNCT may be the
 * first of two characters. White space stands directly behind C_BAD, for the comparison
 * in lex_all(). */
enum { C_BAD, C_SPACE, C_NEWLINE, C_WORD, C_DIGIT, C_QUOTE, C_PUNCT, C_SINGLE, C_WIDE };

/* clang-format off */
#define W C_WORD
#define D C_DIGIT
#define P C_PUNCT
#define I C_SINGLE
#define S C_SPACE
#define U C_WIDE
static const uint8_t CLASS[256] = {
    0,0,0,0,0,0,0,0,0,S,C_NEWLINE,S,S,S,0,0, 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,
    S,P,C_QUOTE,0,0,0,0,0,I,I,I,I,I,P,I,P, D,D,D,D,D,D,D,D,D,D,I,0,P,I,P,0,
    0,W,W,W,W,W,W,W,W,W,W,W,W,W,W,W, W,W,W,W,W,W,W,W,W,W,W,I,0,I,0,W,
    0,W,W,W,W,W,W,W,W,W,W,W,W,W,W,W, W,W,W,W,W,W,W,W,W,W,W,I,0,I,0,0,
    U,U,U,U,U,U,U,U,U,U,U,U,U,U,U,U, U,U,U,U,U,U,U,U,U,U,U,U,U,U,U,U,
    U,U,U,U,U,U,U,U,U,U,U,U,U,U,U,U, U,U,U,U,U,U,U,U,U,U,U,U,U,U,U,U,
    U,U,U,U,U,U,U,U,U,U,U,U,U,U,U,U, U,U,U,U,U,U,U,U,U,U,U,U,U,U,U,U,
    U,U,U,U,U,U,U,U,U,U,U,U,U,U,U,U, U,U,U,U,U,U,U,U,U,U,U,U,U,U,U,U,
};
#undef W
#undef D
#undef P
#undef I
#undef S
#undef U

/* Tokens of one character that begin no longer token. */
static const uint8_t SINGLE[128] = {
    ['{'] = FR_T_LBRACE,   ['}'] = FR_T_RBRACE,   ['['] = FR_T_LBRACKET,
    [']'] = FR_T_RBRACKET, ['('] = FR_T_LPAREN,   [')'] = FR_T_RPAREN,
    [':'] = FR_T_COLON,    [','] = FR_T_COMMA,    ['.'] = FR_T_DOT,
    ['='] = FR_T_EQ,       ['*'] = FR_T_STAR,     ['+'] = FR_T_PLUS,
};

/* Operators outside ASCII. */
static const struct {
    uint32_t character;
    uint8_t kind;
} WIDE_OPERATORS[] = {
    {0x2192, FR_T_ARROW},  {0x2264, FR_T_LTE},    {0x2265, FR_T_GTE}, {0x2260, FR_T_NEQ},
    {0x00D7, FR_T_STAR},   {0x2227, FR_T_AND},    {0x2228, FR_T_OR},  {0x00AC, FR_T_NOT},
    {0x2200, FR_T_FORALL}, {0x2203, FR_T_EXISTS}, {0x2208, FR_T_IN},
};
/* clang-format on */

/* The first fault decides about the contract; more than this many help nobody. */
enum { MAX_FAULTS = 1000 };

/* `items` grows by doubling inside the arena; the smaller copies are left behind, which
 * costs at most as much again. */
typedef struct lexer {
    mt_arena *arena;
    fr_symbols *syms;
    const char *base, *p, *end; /* the padded copy, where we are, its end */
    fr_token *items;
    uint32_t count, cap;
    uint32_t line;   /* of `p`, 1-based */
    uint8_t flags;   /* of the next token */
    unsigned mode;   /* FR_LEX_COMMENTS */
    size_t max_word; /* limit identifier_bytes */
    fr_lex_fault *faults;
    uint32_t fault_count, fault_cap;
    bool has_lint;
} lexer;

/* Room for as many again; where the next token is written. */
static fr_token *grow_tokens(lexer *x)
{
    uint32_t cap = x->cap * 2;
    fr_token *bigger = mt_alloc(x->arena, mt_array_bytes(cap, sizeof *bigger));
    memcpy(bigger, x->items, x->count * sizeof *bigger);
    x->items = bigger;
    x->cap = cap;
    return &x->items[x->count];
}

/* A token is 16 bytes, so its length has 16 bits; longer ones say FR_TOK_RAW_LEN and
 * are measured again by the few who ask. */
static inline void add_token(lexer *x, fr_token_kind kind, const char *start,
                             const char *end, fr_sym sym)
{
    fr_token *t = MT_LIKELY(x->count < x->cap) ? &x->items[x->count] : grow_tokens(x);
    x->count++;
    size_t len = (size_t)(end - start);
    *t = (fr_token){.start = (uint32_t)(start - x->base),
                    .line = x->line,
                    .sym = sym,
                    .kind = (uint8_t)kind,
                    .flags = x->flags,
                    .len = (uint16_t)(len < FR_TOK_RAW_LEN ? len : FR_TOK_RAW_LEN)};
    x->flags = 0;
}

/* Bounded by MAX_FAULTS: a binary file should not fill memory with messages. NULL: it
 * was not kept. */
static fr_lex_fault *fault(lexer *x, fr_code code, const char *start, const char *end,
                           mt_str message)
{
    if (x->fault_count >= MAX_FAULTS) {
        return NULL;
    }
    if (x->fault_count == x->fault_cap) {
        uint32_t cap = x->fault_cap ? x->fault_cap * 2 : 4;
        fr_lex_fault *bigger = mt_new_array(x->arena, fr_lex_fault, cap);
        if (x->fault_count) {
            memcpy(bigger, x->faults, x->fault_count * sizeof *bigger);
        }
        x->faults = bigger;
        x->fault_cap = cap;
    }
    fr_lex_fault *f = &x->faults[x->fault_count++];
    *f = (fr_lex_fault){.code = code,
                        .start = (uint32_t)(start - x->base),
                        .len = (uint32_t)(end - start),
                        .line = x->line,
                        .message = message,
                        .suite_line = x->line};
    return f;
}

/* ---- runs of bytes; the text has at least 16 zeros behind its end ---- */

#ifdef __SSE2__
/* SSE2 compares signed bytes only; moving the range to -128 makes the comparison right
 * for all of them. */
static inline __m128i in_range(__m128i v, char low, char count)
{
    __m128i moved = _mm_sub_epi8(v, _mm_set1_epi8((char)(low + -128)));
    return _mm_cmplt_epi8(moved, _mm_set1_epi8((char)(-128 + count)));
}

static inline __m128i load16(const char *p)
{
    __m128i v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Bytes at p that are not marked in `mask`, at most 16. */
static inline unsigned first_clear(__m128i mask)
{
    return (unsigned)__builtin_ctz(~(unsigned)_mm_movemask_epi8(mask));
}

/* Letters of both cases are made equal by setting bit 5, which maps nothing else to a
 * letter; digits and '_' are asked for as they are. */
static inline const char *ascii_word_end(const char *p)
{
    for (;;) {
        __m128i v = load16(p);
        __m128i letter = in_range(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 26);
        __m128i other =
            _mm_or_si128(in_range(v, '0', 10), _mm_cmpeq_epi8(v, _mm_set1_epi8('_')));
        unsigned run = first_clear(_mm_or_si128(letter, other));
        p += run;
        if (run < 16) {
            return p;
        }
    }
}

static inline const char *spaces_end(const char *p)
{
    for (;;) {
        unsigned run = first_clear(_mm_cmpeq_epi8(load16(p), _mm_set1_epi8(' ')));
        p += run;
        if (run < 16) {
            return p;
        }
    }
}

/* To the first quote, backslash, newline or zero. */
static const char *plain_end(const char *p)
{
    for (;;) {
        __m128i v = load16(p);
        __m128i stop = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
                                    _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
        stop = _mm_or_si128(stop, _mm_cmpeq_epi8(v, _mm_set1_epi8('\n')));
        stop = _mm_or_si128(stop, _mm_cmpeq_epi8(v, _mm_setzero_si128()));
        unsigned found = (unsigned)_mm_movemask_epi8(stop);
        if (found) {
            return p + __builtin_ctz(found);
        }
        p += 16;
    }
}
#else
static inline const char *ascii_word_end(const char *p)
{
    while (CLASS[(unsigned char)*p] == C_WORD || CLASS[(unsigned char)*p] == C_DIGIT) {
        p++;
    }
    return p;
}

static inline const char *spaces_end(const char *p)
{
    while (*p == ' ') {
        p++;
    }
    return p;
}

static const char *plain_end(const char *p)
{
    while (*p != '"' && *p != '\\' && *p != '\n' && *p != '\0') {
        p++;
    }
    return p;
}
#endif

/* ---- symbols ---- */

/* What of 16 bytes belongs to text of this length. */
/* clang-format off */
static const fr_symbol_head MASKS[17] = {
    {0x0000000000000000u, 0x0000000000000000u},
    {0x00000000000000ffu, 0x0000000000000000u},
    {0x000000000000ffffu, 0x0000000000000000u},
    {0x0000000000ffffffu, 0x0000000000000000u},
    {0x00000000ffffffffu, 0x0000000000000000u},
    {0x000000ffffffffffu, 0x0000000000000000u},
    {0x0000ffffffffffffu, 0x0000000000000000u},
    {0x00ffffffffffffffu, 0x0000000000000000u},
    {0xffffffffffffffffu, 0x0000000000000000u},
    {0xffffffffffffffffu, 0x00000000000000ffu},
    {0xffffffffffffffffu, 0x000000000000ffffu},
    {0xffffffffffffffffu, 0x0000000000ffffffu},
    {0xffffffffffffffffu, 0x00000000ffffffffu},
    {0xffffffffffffffffu, 0x000000ffffffffffu},
    {0xffffffffffffffffu, 0x0000ffffffffffffu},
    {0xffffffffffffffffu, 0x00ffffffffffffffu},
    {0xffffffffffffffffu, 0xffffffffffffffffu},
};
/* clang-format on */

/* The first bytes of text that has 16 readable bytes. Relies on the zeros behind the
 * text: 16 bytes are read whatever the length. */
static inline fr_symbol_head head_of(const char *p, size_t len)
{
    fr_symbol_head head, mask = MASKS[len < 16 ? len : 16];
    memcpy(&head, p, sizeof head);
    return (fr_symbol_head){head.low & mask.low, head.high & mask.high};
}

/* Texts of more than 16 bytes. */
static fr_sym intern_long(fr_symbols *s, const char *p, size_t len)
{
    fr_symbol_head head = head_of(p, len);
    uint64_t h = s->seed ^ len;
    for (size_t done = 0; done < len; done += 16) { /* as fr_symbol_hash() */
        h = fr_hash_step(h, head_of(p + done, len - done));
    }
    uint32_t hash = fr_hash_end(h);
    for (uint32_t at = hash & s->mask;; at = (at + 1) & s->mask) {
        fr_symbol_slot slot = s->slots[at];
        if (!slot.sym) {
            return fr_symbol_add(s, mt_str_from(p, len), head, hash);
        }
        const fr_symbol *known = &s->items[slot.sym];
        if (slot.hash == hash && known->len == len && memcmp(known->ptr, p, len) == 0) {
            return slot.sym;
        }
    }
}

/* The number of p[0..len), interned; the inlined fast path of fr_intern(). The text
 * must be followed by 16 readable bytes. Nearly all words are short, so hashing and
 * comparing them are a few operations on two registers. The hash has a seed, so a file
 * cannot be made whose words all collide. */
static inline fr_sym intern(fr_symbols *s, const char *p, size_t len)
{
    if (MT_UNLIKELY(len > 16)) {
        return intern_long(s, p, len);
    }
    fr_symbol_head head = head_of(p, len);
    uint32_t hash = fr_hash_end(fr_hash_step(s->seed ^ len, head));
    for (uint32_t at = hash & s->mask;; at = (at + 1) & s->mask) {
        fr_symbol_slot slot = s->slots[at];
        if (MT_UNLIKELY(!slot.sym)) {
            return fr_symbol_add(s, mt_str_from(p, len), head, hash);
        }
        const fr_symbol *known = &s->items[slot.sym];
        if (MT_LIKELY(slot.hash == hash && known->len == len &&
                      known->head.low == head.low && known->head.high == head.high)) {
            return slot.sym;
        }
    }
}

/* The characters of Unicode's White_Space beyond ASCII. */
static bool is_wide_space(uint32_t c)
{
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
           c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

static bool starts_word(uint32_t c)
{
    return mt_unicode_is(c, MT_UNICODE_ALPHABETIC);
}

/* Letters and numbers of any script, as Unicode classes them; a word cannot begin with
 * a number. */
static bool continues_word(uint32_t c)
{
    return mt_unicode_is(c, MT_UNICODE_ALPHABETIC | MT_UNICODE_NUMBER);
}

/* End of the word that goes on at p. */
static inline const char *word_end(const char *p)
{
    for (;;) {
        p = ascii_word_end(p);
        if (MT_LIKELY((unsigned char)*p < 0x80)) {
            return p;
        }
        size_t len;
        if (!continues_word(mt_utf8_decode(p, &len))) {
            return p;
        }
        p += len;
    }
}

/* The word still becomes a token, so the parser goes on; the fault refuses the
 * contract. */
static void long_word(lexer *x, const char *start, const char *end)
{
    fault(x, FR_E_LEX_IDENTIFIER, start, end,
          mt_strf(x->arena, "identifier of %zu bytes; at most %zu are allowed",
                  (size_t)(end - start), x->max_word));
}

/* A word that does not begin with an ASCII letter, or out of line. */
static void lex_word(lexer *x)
{
    const char *start = x->p, *end = word_end(start);
    size_t len = (size_t)(end - start);
    if (len > x->max_word) {
        long_word(x, start, end);
    }
    add_token(x, FR_T_WORD, start, end, intern(x->syms, start, len));
    x->p = end;
}

static bool is_digit(const char *p)
{
    return CLASS[(unsigned char)*p] == C_DIGIT;
}

/* By comparing digits: the text may have thousands of them, and nothing overflows
 * here. */
static bool fits_int64(const char *p, const char *end)
{
    bool negative = *p == '-';
    p += negative;
    while (p < end && *p == '0') {
        p++;
    }
    size_t digits = (size_t)(end - p);
    const char *limit = negative ? "9223372036854775808" : "9223372036854775807";
    return digits < 19 || (digits == 19 && memcmp(p, limit, 19) <= 0);
}

/* A dot without a digit behind it is not part of the number: 5.field. A decimal may
 * have any number of digits; pass 4 asks whether they can be computed with (§13.6),
 * because only there it is known what the number is for. */
static void lex_number(lexer *x)
{
    const char *start = x->p, *p = start + (*start == '-');
    while (is_digit(p)) {
        p++;
    }
    fr_token_kind kind = FR_T_INT;
    if (*p == '.' && is_digit(p + 1)) {
        kind = FR_T_FLOAT;
        for (p++; is_digit(p); p++) {
        }
    }
    if (kind == FR_T_INT && !fits_int64(start, p)) {
        size_t shown = (size_t)(p - start);
        fault(x, FR_E_LEX_INTEGER, start, p,
              mt_strf(x->arena, "invalid integer '%.*s'",
                      (int)(shown < 1000 ? shown : 1000), start));
    }
    add_token(x, kind, start, p, intern(x->syms, start, (size_t)(p - start)));
    x->p = p;
}

/* The value of a string that has backslashes: \" \\ \n \t; any other pair stays. */
static fr_sym unescape(lexer *x, const char *p, const char *end)
{
    char *out = mt_alloc(x->arena, (size_t)(end - p) + 16), *q = out;
    while (p < end) {
        if (*p != '\\' || p + 1 == end) {
            *q++ = *p++;
            continue;
        }
        char c = p[1];
        char plain = c == 'n' ? '\n' : c == 't' ? '\t' : c == '"' || c == '\\' ? c : 0;
        if (plain) {
            *q++ = plain;
        } else {
            *q++ = '\\';
            *q++ = c;
        }
        p += 2;
    }
    memset(q, 0, 16);
    return intern(x->syms, out, (size_t)(q - out));
}

/* Most strings have no escape and are interned as they stand; NUL bytes inside are
 * text, only the last one ends the file. */
static void lex_string(lexer *x)
{
    const char *start = x->p, *p = start + 1;
    uint32_t line = x->line;
    bool escaped = false, cut = false;
    for (;;) {
        p = plain_end(p);
        if (*p == '\\') {
            escaped = true;
            p++;
            if (p == x->end) {
                cut = true;
                break;
            }
            /* A newline behind a backslash is kept as any other pair is. */
            line += *p == '\n';
            p++;
        } else if (*p == '\0' && p < x->end) {
            p++;
        } else {
            break;
        }
    }
    bool closed = *p == '"' && p < x->end;
    if (!closed) {
        fault(x, cut ? FR_E_LEX_ESCAPE : FR_E_LEX_STRING, start, p,
              cut ? MT_STR("unterminated escape in string")
                  : MT_STR("unterminated string literal"));
    }
    fr_sym sym = escaped ? unescape(x, start + 1, p)
                         : intern(x->syms, start + 1, (size_t)(p - start - 1));
    p += closed;
    add_token(x, closed ? FR_T_STR : FR_T_BAD, start, p, sym);
    x->line = line;
    x->p = p;
}

/* A comment counts as white space for the token behind it, which decides about the dot
 * of a quantifier. */
static void comment_token(lexer *x, const char *start, uint32_t line)
{
    const char *word = spaces_end(start + 2);
    x->has_lint |= strncmp(word, FR_LINT_MARK, sizeof FR_LINT_MARK - 1) == 0;
    if (x->mode & FR_LEX_COMMENTS) {
        uint32_t now = x->line;
        x->line = line;
        add_token(x, FR_T_COMMENT, start, x->p, FR_W_none);
        x->line = now;
    }
    x->flags = FR_TOK_SPACED;
}

/* The newline itself stays, since it is counted by the caller. */
static void lex_line_comment(lexer *x)
{
    const char *start = x->p;
    const char *newline = memchr(start, '\n', (size_t)(x->end - start));
    x->p = newline ? newline : x->end;
    comment_token(x, start, x->line);
}

/* Not nested. One that does not end swallows the rest, so the fault stands at its
 * beginning; the suite expects it where the file ends. */
static void lex_block_comment(lexer *x)
{
    const char *start = x->p, *p = start + 2;
    uint32_t line = x->line;
    while (p < x->end && !(p[0] == '*' && p + 1 < x->end && p[1] == '/')) {
        x->line += *p == '\n';
        p++;
    }
    if (p == x->end) {
        fr_lex_fault *f = fault(x, FR_E_LEX_COMMENT, start, start + 2,
                                MT_STR("unterminated block comment"));
        if (f) {
            f->line = line;
        }
        x->p = p;
        return;
    }
    x->p = p + 2;
    comment_token(x, start, line);
}

/* ---- what begins no token ---- */

/* One whole character of UTF-8, so that the message is UTF-8, too; it may be NUL, at
 * which printf would end. */
static mt_str unexpected(lexer *x, const char *p)
{
    size_t len;
    if (x->fault_count >= MAX_FAULTS) {
        return MT_STR("");
    }
    mt_utf8_decode(p, &len);
    mt_buf text = {0};
    mt_buf_addz(&text, "unexpected character '");
    mt_buf_add(&text, p, len);
    mt_buf_addc(&text, '\'');
    mt_str kept = mt_str_dup(x->arena, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

/* Does a word stand directly at p, so that another one needs a space between? */
static bool touches_word(const char *p)
{
    uint8_t class = CLASS[(unsigned char)*p];
    return class == C_WORD || class == C_DIGIT || class == C_QUOTE || class == C_WIDE;
}

static mt_str replacement_of(const lexer *x, const fr_slip *s, const char *end)
{
    bool before = x->p > x->base && touches_word(x->p - 1), after = touches_word(end);
    if (!s->instead[0]) { /* what stood around it must not become one word */
        return before && after ? MT_STR(" ") : MT_STR("");
    }
    return mt_strf(x->arena, "%s%s%s", s->is_word && before ? " " : "", s->instead,
                   s->is_word && after ? " " : "");
}

/* The same text in double quotes. */
static mt_str quoted_anew(const lexer *x, const char *p, const char *end)
{
    mt_buf text = {0};
    mt_buf_addc(&text, '"');
    for (; p < end; p++) {
        mt_buf_addz(&text, *p == '"' ? "\\" : "");
        mt_buf_addc(&text, *p);
    }
    mt_buf_addc(&text, '"');
    mt_str kept = mt_str_dup(x->arena, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

/* Where text in the wrong quotes ends, on its line; NULL if it does not. Not searched
 * for far, or a file of opening quotes would take the square of its length. */
static const char *quote_end(const lexer *x, const fr_slip *s)
{
    enum { MOST = 1000 };
    size_t len = strlen(s->close);
    const char *p = x->p + strlen(s->text);
    const char *far = x->end - p > MOST ? p + MOST : x->end;
    for (; p < far && *p != '\n'; p++) {
        if (strncmp(p, s->close, len) == 0) {
            return p;
        }
    }
    return NULL;
}

/* A slip and what was meant by it: a token, text, or nothing at all. */
static void slip(lexer *x, const fr_slip *s)
{
    size_t len = strlen(s->text);
    const char *start = x->p, *end = start + len;
    const char *quote = s->close ? quote_end(x, s) : NULL;
    uint8_t kind = s->close && !quote ? FR_T_BAD : s->kind;
    fr_sym sym = FR_W_none;
    if (quote) {
        mt_str inside = mt_str_dup(x->arena, mt_str_from(end, (size_t)(quote - end)));
        sym = fr_intern(x->syms, inside);
        end = quote + strlen(s->close);
    }
    fr_lex_fault *f = fault(x, FR_E_LEX_CHAR, start, end, unexpected(x, start));
    if (f) {
        f->hint = s->hint;
        f->has_fix = quote || s->instead;
        f->replacement = quote        ? quoted_anew(x, start + len, quote)
                         : s->instead ? replacement_of(x, s, end)
                                      : MT_STR("");
    }
    if (f && !s->close && len > 1 && (unsigned char)*start < 0x80) {
        f->suite_message = f->message;
        f->message = mt_strf(x->arena, "unexpected '%s'", s->text);
    }
    x->p = end;
    if (s->to_line_end) {
        lex_line_comment(x);
    } else if (kind == FR_T_COMMENT) {
        x->flags = FR_TOK_SPACED;
    } else {
        x->flags |= FR_TOK_SLIP;
        add_token(x, (fr_token_kind)kind, start, end, sym);
    }
}

/* Each becomes a token, so that the parser sees a hole and not two neighbours that
 * never stood beside each other. */
static void bad_character(lexer *x)
{
    size_t len;
    const fr_slip *s = fr_slip_at(x->p);
    if (s) {
        slip(x, s);
        return;
    }
    mt_utf8_decode(x->p, &len);
    fault(x, FR_E_LEX_CHAR, x->p, x->p + len, unexpected(x, x->p));
    add_token(x, FR_T_BAD, x->p, x->p + len, FR_W_none);
    x->p += len;
}

/* Can the last token end a term, so that a minus behind it subtracts? The only context
 * the lexer has: in `a -1` the minus subtracts, in `= -1` and `(-1` it belongs to the
 * number. Words that are operators cannot end a term. */
static bool after_term(const lexer *x)
{
    uint32_t n = x->count;
    while (n && x->items[n - 1].kind == FR_T_COMMENT) {
        n--;
    }
    if (!n) {
        return false;
    }
    const fr_token *t = &x->items[n - 1];
    switch (t->kind) {
    case FR_T_WORD:
        return t->sym != FR_W_and && t->sym != FR_W_or && t->sym != FR_W_not &&
               t->sym != FR_W_in;
    case FR_T_STR:
    case FR_T_INT:
    case FR_T_FLOAT:
    case FR_T_RPAREN:
    case FR_T_RBRACKET:
    case FR_T_RBRACE: return true;
    default: return false;
    }
}

static void add_punct(lexer *x, fr_token_kind kind, size_t len)
{
    add_token(x, kind, x->p, x->p + len, FR_W_none);
    x->p += len;
}

static void lex_minus(lexer *x)
{
    if (x->p[1] == '>') {
        add_punct(x, FR_T_ARROW, 2);
    } else if (is_digit(x->p + 1) && !after_term(x)) {
        lex_number(x);
    } else {
        add_punct(x, FR_T_MINUS, 1);
    }
}

/* There is no division in the language (§4.2), so a lone slash begins nothing. */
static void lex_slash(lexer *x)
{
    char next = x->p[1];
    if (next == '/') {
        lex_line_comment(x);
    } else if (next == '*') {
        lex_block_comment(x);
    } else {
        bad_character(x);
    }
}

static void lex_punct(lexer *x)
{
    bool equals = x->p[1] == '=';
    switch (*x->p) {
    case '<': add_punct(x, equals ? FR_T_LTE : FR_T_LT, equals ? 2 : 1); break;
    case '>': add_punct(x, equals ? FR_T_GTE : FR_T_GT, equals ? 2 : 1); break;
    case '-': lex_minus(x); break;
    case '/': lex_slash(x); break;
    default: /* '!' */
        if (equals) {
            add_punct(x, FR_T_NEQ, 2);
        } else {
            bad_character(x);
        }
    }
}

/* Characters beyond ASCII: operators such as those for "and" and "for all", and
 * spaces. */
static void lex_wide(lexer *x)
{
    size_t len;
    uint32_t c = mt_utf8_decode(x->p, &len);
    for (size_t i = 0; i < sizeof WIDE_OPERATORS / sizeof *WIDE_OPERATORS; i++) {
        if (WIDE_OPERATORS[i].character == c) {
            add_punct(x, (fr_token_kind)WIDE_OPERATORS[i].kind, len);
            return;
        }
    }
    if (is_wide_space(c)) {
        x->p += len;
        x->flags = FR_TOK_SPACED;
    } else if (starts_word(c)) {
        lex_word(x);
    } else {
        bad_character(x);
    }
}

/* Everything but words, single characters and spaces. False at the end. A zero byte is
 * of class C_BAD: at the end of the text it ends the loop, before that it is an
 * unexpected character. */
static bool lex_other(lexer *x)
{
    switch (CLASS[(unsigned char)*x->p]) {
    case C_DIGIT: lex_number(x); break;
    case C_QUOTE: lex_string(x); break;
    case C_PUNCT: lex_punct(x); break;
    case C_WIDE: lex_wide(x); break;
    default:
        if (x->p >= x->end) {
            return false;
        }
        bad_character(x);
    }
    return true;
}

/* The common tokens are made here, with everything they need in registers. `p`, `line`,
 * `flags` and `t`, the next token, are copies of the lexer's fields and are written
 * back before anything that may report or add a token elsewhere. */
static void lex_all(lexer *x)
{
    const char *p = x->p, *const base = x->base;
    uint32_t line = x->line;
    uint8_t flags = 0;
    fr_token *t = x->items, *full = x->items + x->cap;
    for (;;) {
        unsigned char c = (unsigned char)*p;
        const char *start = p;
        uint8_t class = CLASS[c];
        if (class <= C_NEWLINE && class != C_BAD) {
            line += c == '\n';
            p++;
            if (*p == ' ') {
                p = spaces_end(p);
            }
            flags = FR_TOK_SPACED;
            continue;
        }
        if (MT_UNLIKELY(t == full)) {
            x->count = x->cap;
            t = grow_tokens(x);
            full = x->items + x->cap;
        }
        t->start = (uint32_t)(start - base);
        t->line = line;
        t->flags = flags;
        if (class == C_WORD) {
            p = word_end(p);
            size_t len = (size_t)(p - start);
            if (MT_UNLIKELY(len > x->max_word)) {
                x->line = line;
                long_word(x, start, p);
            }
            t->sym = intern(x->syms, start, len);
            t->kind = FR_T_WORD;
            t->len = (uint16_t)(len < FR_TOK_RAW_LEN ? len : FR_TOK_RAW_LEN);
        } else if (class == C_SINGLE) {
            p++;
            t->sym = FR_W_none;
            t->kind = SINGLE[c];
            t->len = 1;
        } else {
            x->p = p;
            x->line = line;
            x->flags = flags;
            x->count = (uint32_t)(t - x->items);
            if (!lex_other(x)) {
                return;
            }
            p = x->p;
            line = x->line;
            flags = x->flags;
            t = x->items + x->count;
            full = x->items + x->cap;
            continue;
        }
        t++;
        flags = 0;
    }
}

/* More than the 16 bytes that a run may read from the end of the text on. */
enum { PADDING = 32 };

/* The text with zeros behind it. */
static const char *padded(mt_arena *a, mt_str text)
{
    char *copy = mt_alloc(a, text.len + PADDING);
    if (text.len) {
        memcpy(copy, text.ptr, text.len);
    }
    memset(copy + text.len, 0, PADDING);
    return copy;
}

/* Room for a token per four bytes is more than most sources need. Offsets are 32 bits:
 * the caller has bounded the text (limit source_bytes). */
void fr_lex(mt_arena *a, fr_symbols *syms, mt_str text, const mt_limits *limits,
            unsigned flags, fr_tokens *out)
{
    const char *copy = padded(a, text);
    lexer x = {.arena = a,
               .syms = syms,
               .base = copy,
               .p = copy,
               .end = copy + text.len,
               .cap = (uint32_t)(text.len / 4 + 32),
               .line = 1,
               .mode = flags,
               .max_word = limits->identifier_bytes};
    x.items = mt_alloc(a, mt_array_bytes(x.cap, sizeof *x.items));
    lex_all(&x);
    add_token(&x, FR_T_EOF, x.p, x.p, FR_W_none);
    *out = (fr_tokens){x.items, x.count, x.faults, x.fault_count, x.has_lint};
}

size_t fr_token_len(mt_str text, const fr_token *t)
{
    if (t->len < FR_TOK_RAW_LEN) {
        return t->len;
    }
    /* Rare: lex from this token on, which is again the first. */
    mt_arena scratch = {0};
    fr_symbols syms;
    fr_symbols_init(&syms, &scratch);
    const char *copy = padded(&scratch, mt_str_skip(text, t->start));
    lexer x = {.arena = &scratch,
               .syms = &syms,
               .base = copy,
               .p = copy,
               .end = copy + (text.len - t->start),
               .cap = 32,
               .mode = FR_LEX_COMMENTS,
               .max_word = SIZE_MAX};
    x.items = mt_alloc(&scratch, x.cap * sizeof *x.items);
    if (t->kind == FR_T_STR || t->kind == FR_T_BAD) {
        lex_string(&x);
    } else if (t->kind == FR_T_COMMENT) {
        lex_slash(&x);
    } else if (t->kind == FR_T_WORD) {
        lex_word(&x);
    } else {
        lex_number(&x);
    }
    size_t len = (size_t)(x.p - copy);
    mt_arena_free(&scratch);
    return len;
}

/* Unsigned on the way, so that the least value has no overflow. */
int64_t fr_int_value(const fr_symbols *syms, fr_sym sym)
{
    mt_str text = fr_text(syms, sym);
    bool negative = text.len && text.ptr[0] == '-';
    if (!fits_int64(text.ptr, text.ptr + text.len)) {
        return negative ? INT64_MIN : INT64_MAX; /* refused already; no second error */
    }
    uint64_t value = 0;
    for (size_t i = negative; i < text.len; i++) {
        value = value * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    return (int64_t)(negative ? 0 - value : value);
}

/* Tokens of the union syntax, one text per row. */
#include "../rows.h"
#include "contract/front/lexer.h"
#include "elaborate_fixture.h"

typedef struct row {
    const char *name, *text, *want; /* spellings, then faults behind a bar */
} row;

/* clang-format off */
static const row ROWS[] = {
    {"reads words, strings and numbers", "fact x \"a\" 12 -3 4.50",
     "Word(\"fact\") Word(\"x\") Str(\"a\") Int(12) Minus Int(3) Float(\"4.50\") Eof"},
    {"reads a negative number behind a colon", "min: -5", "Word(\"min\") Colon Int(-5) Eof"},
    {"subtracts behind a term", "a -1", "Word(\"a\") Minus Int(1) Eof"},
    {"reads a negative number behind an operator word", "and -1", "Word(\"and\") Int(-1) Eof"},
    {"takes both arrows for one token", "-> →", "Arrow Arrow Eof"},
    {"takes the longest arrow, never minus and greater", "a->b",
     "Word(\"a\") Arrow Word(\"b\") Eof"},
    {"takes both spellings of comparisons", "<= ≤ >= ≥ != ≠ < > =",
     "Lte Lte Gte Gte Neq Neq Lt Gt Eq Eof"},
    {"takes both spellings of the product", "* ×", "Star Star Eof"},
    {"reads the signs of logic", "∧ ∨ ¬ ∀ ∃ ∈", "And Or Not Forall Exists In Eof"},
    {"keeps a dot behind an integer apart", "5.", "Int(5) Dot Eof"},
    {"keeps a dot before an integer apart", ".5", "Dot Int(5) Eof"},
    {"knows two escapes and keeps the others", "\"a\\\"b\\\\c\\q\"",
     "Str(\"a\\\"b\\\\c\\\\q\") Eof"},
    {"skips comments of both kinds", "a // b\nc /* d /* e */ f",
     "Word(\"a\") Word(\"c\") Word(\"f\") Eof"},
    {"reads words in any script", "größe été 名前 a1 _x",
     "Word(\"größe\") Word(\"été\") Word(\"名前\") Word(\"a1\") Word(\"_x\") Eof"},
    {"takes wide white space for white space", "a\u00a0b\u3000c",
     "Word(\"a\") Word(\"b\") Word(\"c\") Eof"},
    {"reports a character that is no token", "a @ b",
     "Word(\"a\") Bad Word(\"b\") Eof |1: unexpected character '@'"},
    {"takes a lone exclamation mark for not", "!x", "Not Word(\"x\") Eof |1: unexpected character '!'"},
    {"takes signs of other languages for words", "a && b || c & d | ~e",
     "Word(\"a\") And Word(\"b\") Or Word(\"c\") And Word(\"d\") Or Not Word(\"e\") Eof"
     " |1: unexpected character '&' |1: unexpected character '|' |1: unexpected character '&'"
     " |1: unexpected character '|' |1: unexpected character '~'"},
    {"passes over a semicolon", "a; b", "Word(\"a\") Word(\"b\") Eof |1: unexpected character ';'"},
    {"passes over a comment of another language", "a # b c\nd",
     "Word(\"a\") Word(\"d\") Eof |1: unexpected character '#'"},
    {"knows a slash", "a / b", "Word(\"a\") Slash Word(\"b\") Eof |1: unexpected character '/'"},
    {"reads text in other quotes", "'a b' “c” `d` «e»",
     "Str(\"a b\") Str(\"c\") Str(\"d\") Str(\"e\") Eof |1: unexpected character '''"
     " |1: unexpected character '“' |1: unexpected character '`' |1: unexpected character '«'"},
    {"reads no further than the line for another quote", "don't\n'", "Word(\"don\") Bad Word(\"t\") Bad Eof"
     " |1: unexpected character ''' |2: unexpected character '''"},
    {"takes a typographic minus for one", "a – b", "Word(\"a\") Minus Word(\"b\") Eof |1: unexpected character '–'"},
    {"reports a string without end where it began", "\n\"abc\nd",
     "Bad Word(\"d\") Eof |2: unterminated string literal"},
    {"reports an escape cut off by the end", "\"abc\\",
     "Bad Eof |1: unterminated escape in string"},
    {"reports a comment without end at the last line", "/* a\nb\n",
     "Eof |3: unterminated block comment"},
    {"reports an integer beyond 64 bits", "9223372036854775808",
     "Int(9223372036854775807) Eof |1: invalid integer '9223372036854775808'"},
    {"takes the least integer", ": -9223372036854775808", "Colon Int(-9223372036854775808) Eof"},
    {"refuses a byte-order mark", "\ufeffx", "Word(\"x\") Eof |1: unexpected character '\ufeff'"},
    {"names long words once", "abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz",
     "Word(\"abcdefghijklmnopqrstuvwxyz\") Word(\"abcdefghijklmnopqrstuvwxyz\") Eof"},
};
/* clang-format on */

static void lexes(void **state)
{
    const row *r = *state;
    mt_arena a = {0};
    fr_symbols syms;
    fr_tokens tokens;
    mt_buf got = {0};
    fr_symbols_init(&syms, &a);
    fr_lex(&a, &syms, mt_str_z(r->text), &MT_LIMITS_DEFAULT, 0, &tokens);
    for (uint32_t i = 0; i < tokens.count; i++) {
        mt_buf_addz(&got, i ? " " : "");
        mt_buf_adds(&got, fr_token_debug(&a, &syms, &tokens.items[i]));
    }
    for (uint32_t i = 0; i < tokens.fault_count; i++) {
        const fr_lex_fault *f = &tokens.faults[i];
        mt_str message = f->suite_message.ptr ? f->suite_message : f->message;
        mt_buf_addf(&got, " |%u: %.*s", f->suite_line, MT_ARG(message));
    }
    mt_buf_addc(&got, '\0');
    assert_string_equal(got.ptr, r->want);
    mt_buf_free(&got);
    mt_arena_free(&a);
}

static void equal_words_have_equal_numbers(void **state)
{
    (void)state;
    mt_arena a = {0};
    fr_symbols syms;
    fr_tokens tokens;
    fr_symbols_init(&syms, &a);
    fr_lex(&a, &syms, MT_STR("fact seventeen_letters fact \"fact\" seventeen_letters"),
           &MT_LIMITS_DEFAULT, 0, &tokens);
    assert_int_equal(tokens.items[0].sym, FR_W_fact);
    assert_int_equal(tokens.items[1].sym, tokens.items[4].sym);
    assert_int_equal(tokens.items[3].sym, FR_W_fact);
    assert_int_equal(fr_symbol_find(&syms, MT_STR("seventeen_letters")),
                     tokens.items[1].sym);
    assert_int_equal(fr_symbol_find(&syms, MT_STR("absent")), FR_W_none);
    mt_arena_free(&a);
}

/* A binary file must not fill memory, nor the screen. */
static void faults_are_not_told_without_end(void **state)
{
    (void)state;
    mt_arena a = {0};
    fr_symbols syms;
    fr_tokens tokens;
    char text[3000];
    memset(text, '@', sizeof text);
    fr_symbols_init(&syms, &a);
    fr_lex(&a, &syms, mt_str_from(text, sizeof text), &MT_LIMITS_DEFAULT, 0, &tokens);
    assert_int_equal(tokens.fault_count, 1000);
    mt_arena_free(&a);
}

/* Nor may a file of opening quotes take the square of its length. */
static void text_in_other_quotes_is_no_longer_than_a_thousand_bytes(void **state)
{
    (void)state;
    for (size_t len = 998; len <= 1001; len++) {
        mt_arena a = {0};
        fr_symbols syms;
        fr_tokens tokens;
        char text[3000];
        memset(text, ' ', sizeof text);
        memset(text, 'a', len + 2);
        text[0] = text[len + 1] = '\'';
        fr_symbols_init(&syms, &a);
        fr_lex(&a, &syms, mt_str_from(text, sizeof text), &MT_LIMITS_DEFAULT, 0,
               &tokens);
        assert_int_equal(tokens.items[0].kind, len < 1000 ? FR_T_STR : FR_T_BAD);
        mt_arena_free(&a);
    }
}

static void comments_are_tokens_when_asked_for(void **state)
{
    (void)state;
    mt_arena a = {0};
    fr_symbols syms;
    fr_tokens tokens;
    mt_str text = MT_STR("a // one\n/* two */ b");
    fr_symbols_init(&syms, &a);
    fr_lex(&a, &syms, text, &MT_LIMITS_DEFAULT, FR_LEX_COMMENTS, &tokens);
    assert_int_equal(tokens.count, 5);
    assert_int_equal(tokens.items[1].kind, FR_T_COMMENT);
    assert_int_equal(fr_token_len(text, &tokens.items[1]), 6);
    assert_int_equal(tokens.items[2].line, 2);
    mt_arena_free(&a);
}

/* More tokens than there is room for at first, with the growth at any of the kinds that
 * are made in different places: none is lost, none stands elsewhere. */
static void tokens_without_space_between_all_stay(void **state)
{
    (void)state;
    enum { ROUNDS = 400, LENGTH = 9 };
    static const uint8_t KINDS[] = {FR_T_WORD, FR_T_COLON, FR_T_INT, FR_T_LTE,
                                    FR_T_STR};
    static const uint8_t STARTS[] = {0, 1, 2, 3, 5};
    enum { EACH = sizeof KINDS };
    for (size_t before = 0; before < EACH; before++) {
        mt_arena a = {0};
        fr_symbols syms;
        fr_tokens tokens;
        mt_buf text = {0};
        mt_buf_add(&text, ":::::", before);
        for (size_t i = 0; i < ROUNDS; i++) {
            mt_buf_addz(&text, "a:1<=\"b\"\n");
        }
        fr_symbols_init(&syms, &a);
        fr_lex(&a, &syms, mt_buf_str(&text), &MT_LIMITS_DEFAULT, 0, &tokens);
        assert_int_equal(tokens.count, before + ROUNDS * EACH + 1);
        for (uint32_t i = 0; i < ROUNDS * EACH; i++) {
            const fr_token *t = &tokens.items[before + i];
            assert_int_equal(t->kind, KINDS[i % EACH]);
            assert_int_equal(t->start, before + i / EACH * LENGTH + STARTS[i % EACH]);
            assert_int_equal(t->line, i / EACH + 1);
            assert_int_equal(t->flags, i % EACH == 0 && i ? FR_TOK_SPACED : 0);
        }
        mt_buf_free(&text);
        mt_arena_free(&a);
    }
}

static void a_very_long_token_knows_its_length(void **state)
{
    (void)state;
    enum { LENGTH = 100000 };
    mt_arena a = {0};
    fr_symbols syms;
    fr_tokens tokens;
    char *text = mt_alloc(&a, LENGTH);
    memset(text, 'x', LENGTH);
    fr_symbols_init(&syms, &a);
    fr_lex(&a, &syms, mt_str_from(text, LENGTH), &MT_LIMITS_DEFAULT, 0, &tokens);
    assert_int_equal(fr_token_len(mt_str_from(text, LENGTH), &tokens.items[0]), LENGTH);
    assert_int_equal(tokens.fault_count, 1);
    assert_int_equal(tokens.faults[0].code, FR_E_LEX_IDENTIFIER);
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ROWS, lexes);
    rows_test(&list, equal_words_have_equal_numbers);
    rows_test(&list, faults_are_not_told_without_end);
    rows_test(&list, text_in_other_quotes_is_no_longer_than_a_thousand_bytes);
    rows_test(&list, comments_are_tokens_when_asked_for);
    rows_test(&list, tokens_without_space_between_all_stay);
    rows_test(&list, a_very_long_token_knows_its_length);
    return rows_run(&list, "contract/lexer");
}

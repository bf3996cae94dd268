/* fuzz/fuzz_lexer.c - any bytes through the lexer.
 * Properties: tokens lie in the text, in order, and with comments kept the others are
 * the same. */
#include "base/utf8.h"
#include "contract/front/lexer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_places(mt_str text, const fr_tokens *tokens)
{
    size_t end = 0;
    for (uint32_t i = 0; i < tokens->count; i++) {
        const fr_token *t = &tokens->items[i];
        MT_ASSERT(t->start >= end);
        end = t->start + fr_token_len(text, t);
        MT_ASSERT(end <= text.len);
    }
    MT_ASSERT(tokens->items[tokens->count - 1].kind == FR_T_EOF);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_str text = {(const char *)data, size};
    mt_arena a = {0};
    fr_symbols syms;
    fr_tokens plain, full;
    if (mt_utf8_check(text) < size) {
        return 0;
    }
    fr_symbols_init(&syms, &a);
    fr_lex(&a, &syms, text, &MT_LIMITS_DEFAULT, 0, &plain);
    fr_lex(&a, &syms, text, &MT_LIMITS_DEFAULT, FR_LEX_COMMENTS, &full);
    check_places(text, &plain);
    check_places(text, &full);
    uint32_t at = 0;
    for (uint32_t i = 0; i < full.count; i++) {
        if (full.items[i].kind != FR_T_COMMENT) {
            MT_ASSERT(plain.items[at].start == full.items[i].start);
            MT_ASSERT(plain.items[at].sym == full.items[i].sym);
            at++;
        }
    }
    MT_ASSERT(at == plain.count);
    mt_arena_free(&a);
    return 0;
}

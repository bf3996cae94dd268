/* fuzz/fuzz_parser.c - any text through the parser, which must report a fault or build
 * constructs, and never stop. */
#include "base/utf8.h"
#include "contract/front/unit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_str text = {(const char *)data, size};
    mt_arena a = {0};
    if (mt_utf8_check(text) < size) {
        return 0;
    }
    mt_diags ds = {.arena = &a, .limit = 50};
    fr_unit u = {.keep = &a, .limits = &MT_LIMITS_DEFAULT, .first = &ds};
    u.later = u.remarks = ds;
    fr_file file = {.id = MT_STR("f"), .path = MT_STR("f"), .name = MT_STR("f")};
    file.text = text;
    fr_construct **constructs;
    size_t count;
    fr_symbols_init(&u.syms, &a);
    fr_lex(&a, &u.syms, text, u.limits, 0, &file.tokens);
    fr_parse(&u, &file, &constructs, &count);
    for (size_t i = 0; i < count; i++) {
        MT_ASSERT(constructs[i]->tok < file.tokens.count);
        MT_ASSERT(!constructs[i]->broken || file.tokens.fault_count || fr_refused(&u));
    }
    mt_arena_free(&a);
    return 0;
}

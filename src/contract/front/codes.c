/* contract/front/codes.c - the table of codes.h as data. codes.h is a list of rows; it
 * is read twice here, once for what people are shown (ct_code_info) and once for what
 * the elaborator asks (pass and level), so the two cannot differ. Both tables are
 * indexed by fr_code. */
#include "contract/front/codes.h"

#include "contract/elaborate.h"

static const ct_code_info ROWS[] = {
#define FR_CODE_ROW(name, code, pass, level, rule, title, text, hint)                  \
    [FR_E_##name] = {code, rule, title, text, hint},
    FR_CODE_MAP(FR_CODE_ROW)
#undef FR_CODE_ROW
};
MT_TABLE_COVERS(ROWS, FR_CODE_COUNT);

static const struct {
    int8_t pass;
    uint8_t level;
} KINDS[] = {
#define FR_CODE_KIND(name, code, pass, level, rule, title, text, hint)                 \
    [FR_E_##name] = {pass, FR_##level},
    FR_CODE_MAP(FR_CODE_KIND)
#undef FR_CODE_KIND
};
MT_TABLE_COVERS(KINDS, FR_CODE_COUNT);

int fr_code_pass(fr_code code)
{
    return KINDS[code].pass;
}

fr_level fr_code_level(fr_code code)
{
    return (fr_level)KINDS[code].level;
}

/* For who lists all codes: counts up until NULL. */
const ct_code_info *ct_code_at(size_t index)
{
    return index < FR_CODE_COUNT ? &ROWS[index] : NULL;
}

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* `t403` is found too: people type codes. */
const ct_code_info *ct_code_find(mt_str code)
{
    for (size_t i = 0; i < FR_CODE_COUNT; i++) {
        const char *want = ROWS[i].code;
        size_t n = 0;
        while (n < code.len && want[n] && upper(code.ptr[n]) == want[n]) {
            n++;
        }
        if (n == code.len && !want[n]) {
            return &ROWS[i];
        }
    }
    return NULL;
}

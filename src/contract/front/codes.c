/* contract/front/codes.c - the table of codes.h as data. */
#include "contract/front/codes.h"

#include "contract/elaborate.h"

static const ct_code_info ROWS[] = {
#define CT_CODE_ROW(name, code, pass, level, rule, title, text, hint)                  \
    {code, rule, title, text, hint},
    CT_CODE_MAP(CT_CODE_ROW)
#undef CT_CODE_ROW
};

static const struct {
    int8_t pass;
    uint8_t level;
} KINDS[] = {
#define CT_CODE_KIND(name, code, pass, level, rule, title, text, hint)                 \
    {pass, CT_##level},
    CT_CODE_MAP(CT_CODE_KIND)
#undef CT_CODE_KIND
};

int ct_code_pass(ct_code code)
{
    return KINDS[code].pass;
}

ct_level ct_code_level(ct_code code)
{
    return (ct_level)KINDS[code].level;
}

const ct_code_info *ct_code_at(size_t index)
{
    return index < CT_CODE_COUNT ? &ROWS[index] : NULL;
}

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

const ct_code_info *ct_code_find(mt_str code)
{
    for (size_t i = 0; i < CT_CODE_COUNT; i++) {
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

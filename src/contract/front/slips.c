/* contract/front/slips.c - the table of slips in single characters. Those that are made
 * of our own tokens (`==`, `<>`, `AND`) are parser_slips.c's. Each row: what was
 * written, what to say, what to write instead (NULL: that depends), which quote ends
 * it, and which token the lexer goes on with. */
#include "contract/front/slips.h"

#define DIVISION                                                                       \
    "there is no division: multiply by a decimal (x * 0.5), or supply the quotient "   \
    "as a fact"
#define QUOTES "texts are written in double quotes"
#define MINUS  "this is another character than the minus of the keyboard; write -"

/* ORDER: of two that begin alike the longer stands first. */
/* clang-format off */
static const fr_slip SLIPS[] = {
    {"&&", "conditions are joined by 'and'", "and", NULL, FR_T_AND, true, false},
    {"&",  "conditions are joined by 'and'", "and", NULL, FR_T_AND, true, false},
    {"||", "alternatives are joined by 'or'", "or", NULL, FR_T_OR, true, false},
    {"|",  "alternatives are joined by 'or'", "or", NULL, FR_T_OR, true, false},
    {"!",  "a condition is negated by 'not'", "not", NULL, FR_T_NOT, true, false},
    {"~",  "a condition is negated by 'not'", "not", NULL, FR_T_NOT, true, false},
    {";",  "fields and constructs end by themselves; remove it", "", NULL, FR_T_COMMENT, false, false},
    {"#",  "comments begin with //", "//", NULL, FR_T_COMMENT, false, true},
    {"/",  DIVISION, NULL, NULL, FR_T_SLASH, false, false},
    {"÷",  DIVISION, NULL, NULL, FR_T_SLASH, false, false},
    {"%",  "there is no remainder and no percent: write 0.05 for 5 %, supply a remainder as a fact", NULL, NULL, FR_T_BAD, false, false},
    {"^",  "there are no powers: supply the value as a fact", NULL, NULL, FR_T_BAD, false, false},
    {"?",  "there is no choice inside an expression: write a rule for each case", NULL, NULL, FR_T_BAD, false, false},
    {"$",  "money is written Money { amount: \"10.00\", currency: \"USD\" }", NULL, NULL, FR_T_BAD, false, false},
    {"€",  "money is written Money { amount: \"10.00\", currency: \"EUR\" }", NULL, NULL, FR_T_BAD, false, false},
    {"'",  QUOTES, NULL, "'", FR_T_STR, false, false},
    {"`",  QUOTES, NULL, "`", FR_T_STR, false, false},
    {"“",  QUOTES, NULL, "”", FR_T_STR, false, false},
    {"”",  QUOTES, NULL, "”", FR_T_STR, false, false},
    {"„",  QUOTES, NULL, "“", FR_T_STR, false, false},
    {"‘",  QUOTES, NULL, "’", FR_T_STR, false, false},
    {"’",  QUOTES, NULL, "’", FR_T_STR, false, false},
    {"«",  QUOTES, NULL, "»", FR_T_STR, false, false},
    {"−",  MINUS, "-", NULL, FR_T_MINUS, false, false},
    {"–",  MINUS, "-", NULL, FR_T_MINUS, false, false},
    {"\xEF\xBB\xBF", "the file begins with a byte-order mark: save it as UTF-8 without one", "", NULL, FR_T_COMMENT, false, false},
};
/* clang-format on */

/* Source texts end with a NUL, so a row is never compared beyond their end. */
const fr_slip *fr_slip_at(const char *p)
{
    for (size_t i = 0; i < sizeof SLIPS / sizeof *SLIPS; i++) {
        if (strncmp(p, SLIPS[i].text, strlen(SLIPS[i].text)) == 0) {
            return &SLIPS[i];
        }
    }
    return NULL;
}

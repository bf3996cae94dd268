/* contract/wire/currency.c - the currencies whose minor unit is not a hundredth. */
#include "contract/wire/currency.h"

/* Codes of three letters in a row, by their digits. */
static const char *const CODES[] = {
    [0] = "BIFCLPDJFGNFISKJPYKMFKRWPYGRWFUGXUYIVNDVUVXAFXOFXPF",
    [2] = "",
    [3] = "BHDIQDJODKWDLYDOMRTND",
    [4] = "CLFUYW",
};

unsigned ct_currency_digits(mt_str code)
{
    for (unsigned digits = 0; digits < sizeof CODES / sizeof *CODES; digits++) {
        for (const char *at = CODES[digits]; at && *at && code.len == 3; at += 3) {
            if (memcmp(at, code.ptr, 3) == 0) {
                return digits;
            }
        }
    }
    return 2;
}

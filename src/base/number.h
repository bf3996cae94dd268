/* base/number.h - doubles to shortest text and back.
 * Room: base. May include base/ only.
 * For graphs; contracts use base/decimal.h. Independent of locale and rounding state.
 * Text: the fewest digits that read back as the same double, nearest to it among those;
 * fixed notation with at least one fraction digit while value = 0.DIGITS x 10^n has
 * -5 < n <= 16 ("0.00001", "100.0"), otherwise "1e16", "1.5e-7". */
#ifndef MT_BASE_NUMBER_H
#define MT_BASE_NUMBER_H

#include "base/str.h"

enum { MT_NUMBER_TEXT = 32 };

/* Writes the text, no NUL; returns the length. What is not finite prints as null, as
 * JSON has no number for it. */
size_t mt_number_print(double value, char out[MT_NUMBER_TEXT]);
/* The double nearest to a JSON number, ties to even. MT_E_SYNTAX; MT_E_RANGE when it
 * is beyond the largest double (*out is infinite then). What is too small becomes 0. */
mt_err mt_number_parse(mt_str text, double *out);

#endif

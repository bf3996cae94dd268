/* contract/wire/round_text.h - decimal texts of any length.
 * Room: contract. May include base/ only. */
#ifndef CT_WIRE_ROUND_TEXT_H
#define CT_WIRE_ROUND_TEXT_H

#include "base/decimal.h"

/* The number rounded half to even, or padded with zeros, to `scale` fraction digits. */
mt_str ct_round_text(mt_arena *a, mt_str text, uint32_t scale);
/* Can the number be computed with as it is written: at most 28 significant digits, at
 * most 28 of them behind the dot? (§13.6) */
bool ct_exact_decimal(mt_str text);
/* The number as it is computed with: rounded half to even where it has more than 28
 * digits. False when it is not a number, or its whole part has more. */
bool ct_computed_decimal(mt_arena *a, mt_str text, mt_decimal *out);

#endif

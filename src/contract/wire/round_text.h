/* contract/wire/round_text.h - decimal texts of any length.
 * Room: contract. May include base/ only. */
#ifndef CT_WIRE_ROUND_TEXT_H
#define CT_WIRE_ROUND_TEXT_H

#include "base/str.h"

/* The number rounded half to even, or padded with zeros, to `scale` fraction digits. */
mt_str ct_round_text(mt_arena *a, mt_str text, uint32_t scale);
/* Can the number be computed with as it is written: at most 28 significant digits, at
 * most 28 of them behind the dot? (§13.6) */
bool ct_exact_decimal(mt_str text);

#endif

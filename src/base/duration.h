/* base/duration.h - "250ms", "5s", "2m", "1h" in configuration files.
 * Room: base. May include base/ only. */
#ifndef MT_BASE_DURATION_H
#define MT_BASE_DURATION_H

#include "base/str.h"

/* MT_E_SYNTAX, or MT_E_RANGE beyond about a million years. */
mt_err mt_duration_parse(mt_str text, uint64_t *milliseconds);
/* "<n>s" when whole seconds, else "<n>ms". */
void mt_duration_print(mt_buf *out, uint64_t milliseconds);
/* In the largest unit that fits: "3660h" rather than "13176000s". */
void mt_duration_print_short(mt_buf *out, uint64_t milliseconds);

#endif

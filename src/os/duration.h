/* os/duration.h - "250ms", "5s", "2m", "1h" in configuration files.
 * Room: os. */
#ifndef OS_DURATION_H
#define OS_DURATION_H

#include "base/str.h"

/* MT_E_SYNTAX, or MT_E_RANGE beyond about a million years. */
mt_err os_duration_parse(mt_str text, uint64_t *milliseconds);
/* "<n>s" when whole seconds, else "<n>ms". */
void os_duration_print(mt_buf *out, uint64_t milliseconds);

#endif

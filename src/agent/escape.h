/* agent/escape.h - text as the inside of a JSON string.
 * Room: agent; pure. Only quotes, backslashes and control characters are escaped. */
#ifndef AG_ESCAPE_H
#define AG_ESCAPE_H

#include <stddef.h>

enum { AG_ESCAPE_MOST = 6, AG_ESCAPE_SLACK = 16 };

/* Writes to `to`, which has room for AG_ESCAPE_MOST * len + AG_ESCAPE_SLACK bytes (some
 * of the slack may be scribbled on), and returns the end of what was written. */
char *ag_escape(char *to, const char *from, size_t len);

#endif

/* base/percent.h - text in addresses (RFC 3986).
 * Room: base. May include base/ only. */
#ifndef MT_BASE_PERCENT_H
#define MT_BASE_PERCENT_H

#include "base/str.h"

/* Appends the text with everything escaped but unreserved characters. */
void mt_percent_encode(mt_buf *out, mt_str text);
/* The same as one segment of a path: "." and ".." would mean another place, and are
 * escaped, too. */
void mt_percent_segment(mt_buf *out, mt_str text);
/* The same of a whole path, whose slashes stay. */
void mt_percent_path(mt_buf *out, mt_str path);
/* Appends the text with its escapes decoded; false: one is malformed, and what was
 * appended means nothing. */
bool mt_percent_decode(mt_buf *out, mt_str text);

#endif

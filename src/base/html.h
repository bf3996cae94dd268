/* base/html.h - text inside a page.
 * Room: base. May include base/ only. */
#ifndef MT_BASE_HTML_H
#define MT_BASE_HTML_H

#include "base/str.h"

/* Appends the text so that it is nothing but text, in an element or a quoted attribute.
 * What a reader would not see, or what turns the direction of the text around it, is
 * shown as \uXXXX; lines and tabs stay. */
void mt_html_text(mt_buf *out, mt_str text);

#endif

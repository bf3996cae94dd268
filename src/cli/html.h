/* cli/html.h - text inside a page.
 * Room: cli. */
#ifndef CLI_HTML_H
#define CLI_HTML_H

#include "base/str.h"

/* Appends the text so that it is nothing but text, in an element or a quoted attribute.
 */
void cli_html(mt_buf *out, mt_str text);

#endif

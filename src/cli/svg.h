/* cli/svg.h - pictures through Graphviz, when it is installed.
 * Room: cli. */
#ifndef CLI_SVG_H
#define CLI_SVG_H

#include "base/str.h"

/* DOT to SVG, in place. MT_E_NOTFOUND: there is no `dot`; MT_E_IO: it failed. The text
 * is as it was then. */
mt_err cli_svg(mt_buf *text);

#endif

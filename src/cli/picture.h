/* cli/picture.h - pictures in the form that was asked for.
 * Room: cli. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "base/picture.h"
#include "cli/cli.h"

/* ORDER FORMS in picture.c. */
typedef enum cli_form {
    CLI_FORM_DOT,
    CLI_FORM_SVG,
    CLI_FORM_MERMAID,
    CLI_FORM_JSON
} cli_form;
enum { CLI_FORM_COUNT = CLI_FORM_JSON + 1 };

#define CLI_FORMS "dot, svg, mermaid or json"
#define CLI_NO_GRAPHVIZ                                                                \
    "Graphviz cannot draw it (is `dot` installed?); try --format mermaid"

/* The value of --format into *out; without it *out stays. CLI_USAGE after saying what
 * it takes. */
int cli_form_given(const cli_args *args, cli_form *out);
/* "svg": how the names of its files end. */
const char *cli_form_ending(cli_form form);
/* Appends the picture. SVG is drawn by Graphviz: MT_E_NOTFOUND: there is no `dot`;
 * MT_E_IO: it failed. Nothing was appended then. */
mt_err cli_picture(mt_buf *out, const mt_picture *p, cli_form form);

#endif

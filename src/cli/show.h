/* cli/show.h - diagnostics for people (text with source line and caret) and for
 * programs (JSON, SARIF 2.1.0).
 * Room: cli.
 * Ownership: everything is borrowed for the call. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "base/diag.h"
#include "base/json_write.h"
#include "cli/cli.h"

/* Text that diagnostics point into. */
typedef struct cli_source {
    mt_str name; /* as diagnostics call it, or a path that ends in that name */
    mt_str text;
} cli_source;

typedef struct cli_sources {
    const cli_source *items;
    size_t len;
} cli_sources;

/* All of them with source line and caret, then a line that counts them. */
void cli_show_text(mt_buf *out, const mt_diags *ds, cli_sources sources, bool colour);

/* What an author wrote, on one line: characters a terminal obeys are replaced. */
void cli_add_safe(mt_buf *out, mt_str text);

/* The keys "diagnostics", "error" (the suite's object, null if empty) and "errors" of
 * an open object, in this order. */
void cli_show_json_keys(mt_jw *w, const mt_diags *ds, mt_str error);
/* A whole SARIF log. */
void cli_show_sarif(mt_buf *out, const mt_diags *ds, cli_sources sources);

#endif

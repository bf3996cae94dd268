/* cli/show.h - diagnostics for people (text with source line and caret) and for
 * programs (JSON, SARIF 2.1.0).
 * Room: cli.
 * Ownership: everything is borrowed for the call. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "answer/contract.h"
#include "cli/cli.h"

/* Text that diagnostics point into. */
typedef aw_source cli_source;
typedef aw_sources cli_sources;

/* All of them with source line and caret, then a line that counts them. */
void cli_show_text(mt_buf *out, const mt_diags *ds, cli_sources sources, bool colour);

/* What an author wrote, on one line: characters a terminal obeys are replaced. */
void cli_add_safe(mt_buf *out, mt_str text);

/* A whole SARIF log. */
void cli_show_sarif(mt_buf *out, const mt_diags *ds, cli_sources sources);

#endif

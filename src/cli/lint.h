/* cli/lint.h - levels of warnings: motet.yaml beside a contract, then --allow, --warn
 * and --deny in the order they were given.
 * Room: cli.
 * Ownership: everything lives in the arena. */
#ifndef CLI_LINT_H
#define CLI_LINT_H

#include "cli/show.h"
#include "contract/elaborate.h"

/* Rows of a command's table of options. */
/* clang-format off */
#define CLI_LINT_OPTIONS \
    {"allow",  "CODE", "do not show this warning; may be repeated, or CODE,CODE"}, \
    {"warn",   "CODE", "show it as a warning, also a note or what is off by default"}, \
    {"deny",   "CODE", "show it as an error"}
/* clang-format on */

typedef struct cli_lint {
    ct_lint rules;
    cli_source config; /* the text of motet.yaml; name empty: there is none */
} cli_lint;

/* What cannot be understood becomes warnings in `ds` (T710). `path` is the contract's.
 */
void cli_lint_read(const cli_args *args, mt_arena *a, mt_str path, mt_diags *ds,
                   cli_lint *out);

#endif

/* cli/fix.h - motet check --fix: edits that nothing else can be meant by, and strata.
 * Room: cli. */
#ifndef CLI_FIX_H
#define CLI_FIX_H

#include "cli/cli.h"

/* Mends the contract of the first operand. With --dry-run nothing is written: the diff
 * goes to standard output. CLI_HOLDS; CLI_FAILS: a dry run that would change something;
 * CLI_WORLD: a file could not be written. */
int cli_fix(const cli_args *args);

#endif

/* cli/analysis.h - a contract or a System, loaded and analysed for a command.
 * Room: cli.
 * Ownership: everything lives in it until cli_analysis_free(). */
#ifndef CLI_ANALYSIS_H
#define CLI_ANALYSIS_H

#include "answer/analysis.h"
#include "cli/contract.h"
#include "cli/progress.h"

typedef struct cli_analysis {
    const cli_args *args;
    aw_analysis x;         /* `only` and `paths` are set before it is run */
    cli_contract contract; /* its diagnostics are reported when anything fails */
    cli_progress progress; /* `args` NULL: not begun */
} cli_analysis;

/* Loads and analyses. Another code than CLI_HOLDS: it was reported. To be freed in
 * every case. */
int cli_analysis_run(cli_analysis *a, const char *path);
void cli_analysis_free(cli_analysis *a);

/* The whole report on stdout, as it is found. CLI_HOLDS or CLI_WORLD. */
int cli_analysis_print(cli_analysis *a, bool json);

#endif

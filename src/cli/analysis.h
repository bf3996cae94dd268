/* cli/analysis.h - a contract or a System, loaded and analysed for a command.
 * Room: cli.
 * Ownership: everything lives in it until cli_analysis_free(). */
#ifndef CLI_ANALYSIS_H
#define CLI_ANALYSIS_H

#include "analyze/explain/draw.h"
#include "cli/contract.h"
#include "cli/progress.h"

typedef struct cli_analysis {
    const cli_args *args;
    uint32_t only;         /* asked for; set before it is run */
    size_t paths;          /* to list of each flow; likewise */
    mt_limits limits;      /* those of --limit, also for members of a System */
    mt_arena arena;        /* models, findings and members' bundles */
    cli_contract contract; /* its diagnostics are reported when anything fails */
    const an_analysis *an; /* of a contract; NULL for a System */
    an_sys *system;        /* NULL for a contract */
    const an_sys_analysis *across; /* what holds across members; NULL for a contract */
    an_findings fs;                /* of all members together */
    bool complete;         /* false: stopped by a signal, in the middle of something */
    cli_progress progress; /* `args` NULL: not begun */
} cli_analysis;

/* Loads and analyses. Another code than CLI_HOLDS: it was reported. To be freed in
 * every case. */
int cli_analysis_run(cli_analysis *x, const char *path);
void cli_analysis_free(cli_analysis *x);

/* The whole report on stdout, as it is found. CLI_HOLDS or CLI_WORLD. */
int cli_analysis_text(cli_analysis *x);
int cli_analysis_json(cli_analysis *x);
/* What can be drawn of it. */
an_subject cli_analysis_subject(const cli_analysis *x);

#endif

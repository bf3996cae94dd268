/* cli/progress.h - progress on stderr for what takes longer, and Ctrl-C that stops it.
 * Room: cli.
 * Nothing is shown for two seconds; then a line now and then. SIGINT and SIGTERM ask to
 * stop: the work is told at its next question and gives what it has. A second one ends
 * the program as usual. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <signal.h>

#include "cli/cli.h"

typedef struct cli_progress {
    const cli_args *args;
    int64_t started, shown;             /* milliseconds */
    struct sigaction old_int, old_term; /* put back by cli_progress_end() */
} cli_progress;

void cli_progress_start(cli_progress *p, const cli_args *args);
/* false: stop. `progress` is a cli_progress; `all` 0: unknown. */
bool cli_progress_step(void *progress, const char *what, uint64_t done, uint64_t all);
void cli_progress_end(cli_progress *p);

#endif

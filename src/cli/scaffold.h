/* cli/scaffold.h - a new directory with files to begin with.
 * Room: cli. */
#ifndef CLI_SCAFFOLD_H
#define CLI_SCAFFOLD_H

#include "cli/cli.h"

typedef struct cli_scaffold {
    const char *name; /* "graph.yaml", "clusters/once.yaml" */
    const char *text;
    bool program; /* to be run by its name */
} cli_scaffold;

/* Makes the directory of the first operand, which must be new, so that no file of
 * anybody is overwritten, writes the files, with the directories in their names, and
 * says what to try there. What was written
 * before an error stays, for the user to look at. */
int cli_scaffold_write(const cli_args *args, const cli_scaffold *files, size_t count,
                       const char *try_this);

#endif

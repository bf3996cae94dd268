/* cli/graph_stored.h - a capture of a served graph, as the store has it.
 * Room: cli. Options: --store URL, --key VALUE, --number N. */
#ifndef CLI_GRAPH_STORED_H
#define CLI_GRAPH_STORED_H

#include "cli/show.h"

/* Writes its journal to `path`. CLI_HOLDS, CLI_USAGE, CLI_FAILS (there is none) or
 * CLI_WORLD. */
int cli_graph_stored(const cli_args *args, const char *graph, const char *path);

#endif

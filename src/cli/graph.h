/* cli/graph.h - a graph from the command line, shared by the `motet graph` commands.
 * Room: cli. Options: --adapter FILE, --cluster-path DIR…, --manifest PATH…,
 * --primitives FILE…, --egress FILE. */
#ifndef CLI_GRAPH_H
#define CLI_GRAPH_H

#include "cli/show.h"
#include "host/graph_files.h"

typedef struct cli_graph {
    mt_arena arena; /* of diagnostics and option lists */
    mt_diags ds;
    ho_graph_files files; /* graph, adapter and egress, with what they point into */
} cli_graph;

/* The options every command that loads a graph has; end the table with CLI_NO_OPTION.
 */
/* clang-format off */
#define CLI_GRAPH_OPTIONS                                                              \
    {"adapter",      "FILE", "the adapter: context keys, event kinds, accepted effects"}, \
    {"cluster-path", "DIR",  "look for clusters there too (repeats)"},                 \
    {"manifest",     "PATH", "a primitive manifest, or a directory of them (repeats)"}, \
    {"primitives",   "FILE", "a shared object with primitives of your own (repeats)"}
/* clang-format on */

/* Loads `path` and what the options name. CLI_HOLDS, CLI_FAILS or CLI_WORLD;
 * diagnostics are in out->ds. Free it in any case. */
int cli_graph_load(const cli_args *args, const char *path, cli_graph *out);
/* The same with the parameters that --set decides; CLI_USAGE: one is not NAME=VALUE. */
int cli_graph_load_set(const cli_args *args, const char *path, cli_graph *out);
/* The same without --set and --egress, under the adapter of option `adapter`, or of
 * --adapter where that is not given. */
int cli_graph_load_plain(const cli_args *args, const char *path, const char *adapter,
                         cli_graph *out);
/* The same for showing: `path` may be a cluster with inputs, which cannot run. */
int cli_graph_look(const cli_args *args, const char *path, cli_graph *out);
/* The same for the manifest of a primitive: registry and adapter come out. */
int cli_manifest_load(const cli_args *args, const char *path, cli_graph *out);
/* The primitives that --primitives and --manifest name: only a registry comes out. */
int cli_primitives_load(const cli_args *args, cli_graph *out);
void cli_graph_free(cli_graph *g);

/* Shows the diagnostics (stderr, or stdout as JSON with --json) and returns `code`. */
int cli_graph_report(const cli_args *args, const cli_graph *g, int code);

#endif

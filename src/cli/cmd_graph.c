/* cli/cmd_graph.c - the table of `motet graph` commands. To add one, add a row.
 * Room: cli. */
#include "cli/commands.h"

/* clang-format off */
const cli_command CMD_GRAPH_COMMANDS[] = {
    {"check", "FILE", "Check a graph, an adapter or a primitive manifest", cmd_graph_check,
     CMD_GRAPH_CHECK_OPTIONS, NULL, 1, 1, CMD_GRAPH_CHECK_DETAILS},
    {"run", "GRAPH", "Run a graph on events and capture what happens", cmd_graph_run,
     CMD_GRAPH_RUN_OPTIONS, NULL, 1, 1, CMD_GRAPH_RUN_DETAILS},
    {"replay", "CAPTURE", "Run a capture again and compare everything", cmd_graph_replay,
     CMD_GRAPH_REPLAY_OPTIONS, NULL, 1, 1, CMD_GRAPH_REPLAY_DETAILS},
    {"export", "JOURNAL", "Assemble a capture from a journal", cmd_graph_capture,
     CMD_GRAPH_CAPTURE_OPTIONS, NULL, 1, 1, CMD_GRAPH_CAPTURE_DETAILS},
    {"whatif", "CAPTURE GRAPH", "Show which decisions another graph would make",
     cmd_graph_whatif, CMD_GRAPH_WHATIF_OPTIONS, NULL, 2, 2, CMD_GRAPH_WHATIF_DETAILS},
    {"explain", "GRAPH [NODE]", "Say in words what a graph does", cmd_graph_explain,
     CMD_GRAPH_EXPLAIN_OPTIONS, NULL, 1, 2, CMD_GRAPH_EXPLAIN_DETAILS},
    {"render", "GRAPH", "Draw a graph, with the values of one event if wanted",
     cmd_graph_render, CMD_GRAPH_RENDER_OPTIONS, NULL, 1, 1, CMD_GRAPH_RENDER_DETAILS},
    {"fixture", NULL, "Check fixtures and make them from CSV files", NULL, NULL,
     CMD_GRAPH_FIXTURE_COMMANDS, 0, 0, NULL},
    {"letters", NULL, "Show intents that could not be delivered, and send them again", NULL,
     NULL, CMD_GRAPH_LETTERS_COMMANDS, 0, 0, NULL},
    {"init", "DIR", "Make a graph project that runs at once", cmd_graph_init, NULL, NULL,
     1, 1, NULL},
    {"primitives", "[ID]", "Show the catalogue of primitives",
     cmd_graph_primitives, CMD_GRAPH_PRIMITIVES_OPTIONS, NULL, 0, 1, NULL},
    {NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};
/* clang-format on */

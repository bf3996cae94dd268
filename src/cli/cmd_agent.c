/* cli/cmd_agent.c - the table of `motet agent` commands. To add one, add a row.
 * Room: cli. */
#include "cli/commands.h"

/* clang-format off */
const cli_command CMD_AGENT_COMMANDS[] = {
    {"harness", NULL, "Answer conformance questions, one JSON line each",
     cmd_agent_harness, CMD_AGENT_HARNESS_OPTIONS, NULL, 0, 0, CMD_AGENT_HARNESS_DETAILS},
    {"relay", NULL, "Pass messages between agents", cmd_agent_relay,
     CMD_AGENT_RELAY_OPTIONS, NULL, 0, 0, CMD_AGENT_RELAY_DETAILS},
    {"run", "AGENT", "Run an agent at a relay", cmd_agent_run,
     CMD_AGENT_RUN_OPTIONS, NULL, 1, 1, CMD_AGENT_RUN_DETAILS},
    {NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};
/* clang-format on */

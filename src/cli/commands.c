/* cli/commands.c - the table of commands. To add one, add a row.
 * Room: cli. */
#include "cli/commands.h"

/* clang-format off */
const cli_command CLI_COMMANDS[] = {
    {"eval", "FILE", "Evaluate facts to verdicts", cmd_eval, CMD_EVAL_OPTIONS, NULL, 1, 1,
     CMD_EVAL_DETAILS},
    {"completion", "bash|zsh|fish", "Print a shell completion script", cmd_completion,
     NULL, NULL, 1, 1, CMD_COMPLETION_DETAILS},
    {"help", "[COMMAND|CODE]", "Explain a command, a diagnostic code or the limits",
     cmd_help, NULL, NULL, 0, 3, NULL},
    {"agent", NULL, "Run and examine agents, and relay between them",
     NULL, NULL, CMD_AGENT_COMMANDS, 0, 0, NULL},
    {NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};
/* clang-format on */

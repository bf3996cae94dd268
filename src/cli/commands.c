/* cli/commands.c - the table of commands. To add one, add a row.
 * Room: cli. */
#include "cli/commands.h"

/* clang-format off */
const cli_command CLI_COMMANDS[] = {
    {"elaborate", "FILE", "Turn contract source into its interchange bundle",
     cmd_elaborate, CMD_ELABORATE_OPTIONS, NULL, 1, 1, CMD_ELABORATE_DETAILS},
    {"check", "FILE", "Show every fault of a contract at once",
     cmd_check, CMD_CHECK_OPTIONS, NULL, 1, 1, CMD_CHECK_DETAILS},
    {"validate", "FILE", "Check an interchange bundle or manifest",
     cmd_validate, CMD_VALIDATE_OPTIONS, NULL, 1, 1, CMD_VALIDATE_DETAILS},
    {"fmt", "FILE...", "Lay out contract source canonically",
     cmd_fmt, CMD_FMT_OPTIONS, NULL, 1, -1, CMD_FMT_DETAILS},
    {"eval", "FILE", "Evaluate facts to verdicts", cmd_eval, CMD_EVAL_OPTIONS, NULL, 1, 1,
     CMD_EVAL_DETAILS},
    {"actions", "FILE", "Say what a persona can do now, and what blocks the rest",
     cmd_actions, CMD_ACTIONS_OPTIONS, NULL, 1, 1, CMD_ACTIONS_DETAILS},
    {"explain", "FILE", "Tell a contract in prose, or why something is so", cmd_explain,
     CMD_EXPLAIN_OPTIONS, NULL, 1, 1, CMD_EXPLAIN_DETAILS},
    {"repl", "FILE", "Try a contract by hand", cmd_repl, CMD_REPL_OPTIONS, NULL, 1, 1,
     CMD_REPL_DETAILS},
    {"test", "DIR", "Run a conformance suite and scenarios",
     cmd_test, CMD_TEST_OPTIONS, NULL, 1, 1, CMD_TEST_DETAILS},
    {"init", "DIR", "Write a starter contract with scenarios",
     cmd_init, CMD_INIT_OPTIONS, NULL, 1, 1, CMD_INIT_DETAILS},
    {"keygen", NULL, "Make a pair of signing keys", cmd_keygen, CMD_KEYGEN_OPTIONS, NULL, 0, 0,
     CMD_KEYGEN_DETAILS},
    {"sign", "FILE", "Vouch for a contract with a signature", cmd_sign, CMD_SIGN_OPTIONS,
     NULL, 1, 1, CMD_SIGN_DETAILS},
    {"verify", "FILE", "Check who vouches for a signed contract", cmd_verify,
     CMD_VERIFY_OPTIONS, NULL, 1, 1, CMD_VERIFY_DETAILS},
    {"completion", "bash|zsh|fish", "Print a shell completion script", cmd_completion,
     NULL, NULL, 1, 1, CMD_COMPLETION_DETAILS},
    {"help", "[COMMAND|CODE]", "Explain a command, a diagnostic code or the limits",
     cmd_help, NULL, NULL, 0, 3, NULL},
    {"agent", NULL, "Run and examine agents, and relay between them",
     NULL, NULL, CMD_AGENT_COMMANDS, 0, 0, NULL},
    {"graph", NULL, "Check, run, replay and draw graphs",
     NULL, NULL, CMD_GRAPH_COMMANDS, 0, 0, NULL},
    {NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};
/* clang-format on */

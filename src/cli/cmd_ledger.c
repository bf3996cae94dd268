/* cli/cmd_ledger.c - the table of `motet ledger` commands. To add one, add a row.
 * Room: cli. */
#include "cli/commands.h"

/* clang-format off */
const cli_command CMD_LEDGER_COMMANDS[] = {
    {"show", "[FILE] [N]", "Show records, all or some, or one and why", cmd_ledger_show,
     CMD_LEDGER_SHOW_OPTIONS, NULL, 0, 2, CMD_LEDGER_SHOW_DETAILS},
    {"verify", "[FILE]", "Find what was changed, removed, reordered or cut off",
     cmd_ledger_verify, CMD_LEDGER_VERIFY_OPTIONS, NULL, 0, 1, CMD_LEDGER_VERIFY_DETAILS},
    {"prove", "[FILE] [SEQ]", "Prove to others that a record is there, or nothing was changed",
     cmd_ledger_prove, CMD_LEDGER_PROVE_OPTIONS, NULL, 0, 2, CMD_LEDGER_PROVE_DETAILS},
    {"export", "[FILE]", "Make a verified copy, or take out a checkpoint",
     cmd_ledger_export, CMD_LEDGER_EXPORT_OPTIONS, NULL, 0, 1, CMD_LEDGER_EXPORT_DETAILS},
    {"accept", NULL, "Decide that a ledger its key refuses is signed as it is",
     cmd_ledger_accept, CMD_LEDGER_ACCEPT_OPTIONS, NULL, 0, 0, CMD_LEDGER_ACCEPT_DETAILS},
    {NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};
/* clang-format on */

/* cli/commands.h - what each command's file offers to the table in cli/commands.c.
 * Room: cli. A command with options declares CMD_<NAME>_OPTIONS beside its function. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/cli.h"

int cmd_help(const cli_args *args);

#endif

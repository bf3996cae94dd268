/* cli/commands.h - what each command's file offers to the table in cli/commands.c.
 * Room: cli. A command with options declares CMD_<NAME>_OPTIONS beside its function. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/cli.h"

int cmd_help(const cli_args *args);

/* motet agent ...: the table is in cmd_agent.c. */
extern const cli_command CMD_AGENT_COMMANDS[];
int cmd_agent_relay(const cli_args *args);
extern const cli_option CMD_AGENT_RELAY_OPTIONS[];
#define CMD_AGENT_RELAY_DETAILS                                                        \
    "Agents connect over TCP and send lines; every other agent hears them, each in "   \
    "an envelope with the sender's address. A reader that stalls slows nobody else. "  \
    "The first line on standard output says where agents connect.\n\n"                 \
    "SIGTERM and SIGINT stop the relay after it has told its agents."

#endif

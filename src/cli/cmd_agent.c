/* cli/cmd_agent.c - the table of `motet agent` commands. To add one, add a row.
 * Room: cli. */
#include "cli/commands.h"

/* clang-format off */
const cli_command CMD_AGENT_COMMANDS[] = {
    {"chart", "TRACE...", "Draw the conversation of several traces as a sequence",
     cmd_agent_chart, CMD_AGENT_CHART_OPTIONS, NULL, 1, -1, CMD_AGENT_CHART_DETAILS},
    {"compare", "A B", "Say whether two traces agree, and where they diverge",
     cmd_agent_compare, CMD_AGENT_COMPARE_OPTIONS, NULL, 2, 2, CMD_AGENT_COMPARE_DETAILS},
    {"dna", NULL, "Registrations as a document: show, diff, merge, sign, verify", NULL,
     NULL, CMD_AGENT_DNA_COMMANDS, 0, 0, NULL},
    {"harness", NULL, "Answer conformance questions, one JSON line each",
     cmd_agent_harness, CMD_AGENT_HARNESS_OPTIONS, NULL, 0, 0, CMD_AGENT_HARNESS_DETAILS},
    {"init", "DIR", "Write an agent to begin with", cmd_agent_init, NULL, NULL, 1, 1, NULL},
    {"inspect", "SOCKET", "Show a running agent: tape, memory, counters",
     cmd_agent_inspect, CMD_AGENT_INSPECT_OPTIONS, NULL, 1, 1, CMD_AGENT_INSPECT_DETAILS},
    {"relay", NULL, "Pass messages between agents", cmd_agent_relay,
     CMD_AGENT_RELAY_OPTIONS, NULL, 0, 0, CMD_AGENT_RELAY_DETAILS},
    {"render", "AGENT", "Draw the routes of an agent as an automaton", cmd_agent_render,
     CMD_AGENT_RENDER_OPTIONS, NULL, 1, 1, CMD_AGENT_RENDER_DETAILS},
    {"run", "AGENT", "Run an agent at a relay", cmd_agent_run,
     CMD_AGENT_RUN_OPTIONS, NULL, 1, 1, CMD_AGENT_RUN_DETAILS},
    {"route", "TEXT [TEXT2]", "Parse a route; with two, say whether they are equivalent",
     cmd_agent_route, CMD_AGENT_ROUTE_OPTIONS, NULL, 1, 2, NULL},
    {"routes", "AGENT", "List what an agent registers", cmd_agent_routes,
     CMD_AGENT_ROUTES_OPTIONS, NULL, 1, 1, NULL},
    {"scenario", "LOG", "Make a scenario of what a relay carried", cmd_agent_scenario,
     CMD_AGENT_SCENARIO_OPTIONS, NULL, 1, 1, CMD_AGENT_SCENARIO_DETAILS},
    {"statement", NULL, "Print the conformance statement", cmd_agent_statement, NULL, NULL,
     0, 0, NULL},
    {"trace", "SCENARIO", "Run a scripted conversation and print its trace",
     cmd_agent_trace, CMD_AGENT_TRACE_OPTIONS, NULL, 1, 1, CMD_AGENT_TRACE_DETAILS},
    {NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};
/* clang-format on */

/* cli/cmd_agent_init.c - motet agent init: an agent that runs at once.
 * Room: cli. */
#include "cli/commands.h"
#include "cli/scaffold.h"

/* clang-format off */
static const cli_scaffold FILES[] = {
    {"agent.yaml",
     "# Greets who says hello, then answers questions by a program until somebody says bye.\n"
     "agent: greeter\n"
     "tape: {shape: index-many, key: from, start: [new]}\n"
     "triggers: TRIGGERS\n"
     "handlers:\n"
     "  python: {command: [python3, handlers.py]}\n"
     "receivers:\n"
     "  - name: on_hello\n"
     "    route: new --[met]--> talking\n"
     "    rules:\n"
     "      - {when: {content.say: hello}, do: move}\n"
     "      - {do: stay}\n"
     "  - {name: on_question, route: talking, handler: python.on_question}\n"
     "senders:\n"
     "  - {name: greet, route: new --> talking, on_actions: [move], message: {say: \"hello, {{from}}\"}}\n"
     "  - {name: answer, route: talking, on_triggers: [asked], use_data: true, message: {say: \"{{data}}\"}}\n", false},
    {"TRIGGERS",
     "ok\n"
     "  asked\n"
     "ignore\n", false},
    {"handlers.py",
     "\"\"\"Answers calls, one JSON object per line: docs/reference/relay.md, \\\"Handlers as programs\\\".\"\"\"\n"
     "import json\n"
     "import sys\n"
     "\n"
     "\n"
     "def on_question(call):\n"
     "    said = call[\"payload\"][\"content\"].get(\"say\", \"\")\n"
     "    if said.endswith(\"?\"):\n"
     "        return {\"action\": \"stay\", \"trigger\": \"asked\", \"data\": f\"you asked: {said}\"}\n"
     "    return {\"action\": \"stay\", \"trigger\": \"ignore\"}\n"
     "\n"
     "\n"
     "for line in sys.stdin:\n"
     "    call = json.loads(line)\n"
     "    print(json.dumps({\"id\": call[\"id\"], **globals()[call[\"function\"]](call)}), flush=True)\n", false},
    {"talk.scenario.yaml",
     "# What the agent hears; motet agent trace shows what it does. Handlers are not run there.\n"
     "scenario: a greeting\n"
     "agent: agent.yaml\n"
     "messages:\n"
     "  - {from: \"127.0.0.1:5000\", content: {say: what?}}\n"
     "  - {from: \"127.0.0.1:5000\", content: {say: hello}}\n", false},
    {"README.md",
     "# greeter\n\n"
     "    motet agent routes agent.yaml\n"
     "    motet agent trace talk.scenario.yaml\n"
     "    motet agent render agent.yaml --out agent.svg\n"
     "    motet agent relay --listen 127.0.0.1:8888\n"
     "    motet agent run agent.yaml --connect 127.0.0.1:8888 --state greeter.state --verbose\n", false},
};
/* clang-format on */

int cmd_agent_init(const cli_args *args)
{
    return cli_scaffold_write(args, FILES, sizeof FILES / sizeof *FILES,
                              "motet agent trace talk.scenario.yaml");
}

/* agent/scenario.h - scripted conversations: an agent, a start tape, messages.
 * Room: agent. May include base/ only; pure.
 *     {"scenario": name, "agent": {agent file} or "path", "mode": …, "tape": …,
 *      "seed": …, "messages": [{"from": address, "content": …} or {"payload": …}]}
 * Ownership: everything lives in the arena it was read into. */
#ifndef AG_SCENARIO_H
#define AG_SCENARIO_H

#include "agent/agent_file.h"

typedef struct ag_scenario {
    mt_str name;
    ag_file file;
    const mt_json *messages; /* list, checked */
} ag_scenario;

/* The keys of the file; those of `mode`, `tape` and an agent inside are the agent's. */
extern const mt_form_table AG_SCENARIO_FORM;

/* The path under "agent", empty when the agent is written inside (or missing). */
mt_str ag_scenario_agent(const mt_json *tree);
/* `agent_tree` (and its name and text, for diagnostics) is the agent file the scenario
 * names; NULL when it is written inside. MT_E_REJECTED: see `ds`. */
mt_err ag_scenario_read(mt_arena *a, mt_str name, mt_str text, const mt_json *tree,
                        mt_str agent_name, mt_str agent_text, const mt_json *agent_tree,
                        mt_diags *ds, ag_scenario *out);

/* The order in which handlers answer; the trace is the same whatever it is. */
typedef enum ag_answers { AG_FORWARD, AG_REVERSE, AG_SHUFFLED } ag_answers;

/* Runs it and appends the trace. `outside` answers external handlers; NULL: they fail.
 */
void ag_scenario_run(const ag_scenario *s, const mt_limits *limits, ag_answers answers,
                     ag_handler *outside, void *host, mt_buf *out);

#endif

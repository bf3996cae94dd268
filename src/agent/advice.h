/* agent/advice.h - what an author should know about an agent that is not wrong.
 * Room: agent. May include base/ only; pure.
 * Warnings, codes AG15x; docs/reference/agents.md has the remedies. */
#ifndef AG_ADVICE_H
#define AG_ADVICE_H

#include "agent/agent_file.h"

/* Adds warnings about `file` to `ds`; `name` is what the file is called. The agent is
 * tried on messages, without its handlers outside. */
void ag_advise(mt_arena *a, const ag_file *file, mt_str name, mt_diags *ds);

#endif

/* exec/kinds/agent.h - messages for agents, and what they left.
 * Room: exec, private to kinds/agent*.c and the table of kinds. */
#ifndef EX_KIND_AGENT_H
#define EX_KIND_AGENT_H

#include "exec/commit/commit.h"

bool ex_agent_list(ex_job *job);
bool ex_agent_message_prepare(ex_job *job);
void ex_agent_message_queue(ex_job *job);
mt_err ex_agent_message_commit(ex_job *job, ex_group *g);
bool ex_agent_tape(ex_job *job);
bool ex_agent_log(ex_job *job);

#endif

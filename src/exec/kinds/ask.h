/* exec/kinds/ask.h - questions about a contract, answered by proof or by a run.
 * Room: exec, private to kinds/ask.c and the table of kinds. */
#ifndef EX_KIND_ASK_H
#define EX_KIND_ASK_H

#include "exec/call/call.h"

bool ex_ask(ex_job *job);

#endif

/* exec/kinds/system.h - Systems and their triggers, read.
 * Room: exec, private to kinds/system*.c and the table of kinds. */
#ifndef EX_KIND_SYSTEM_H
#define EX_KIND_SYSTEM_H

#include "exec/call/call.h"

bool ex_system_list(ex_job *job);
bool ex_system_get(ex_job *job);
bool ex_trigger_list(ex_job *job);

#endif

/* exec/kinds/instance.h - instances of entities.
 * Room: exec, private to kinds/instance*.c and the table of kinds. */
#ifndef EX_KIND_INSTANCE_H
#define EX_KIND_INSTANCE_H

#include "exec/commit/commit.h"

bool ex_instance_create_prepare(ex_job *job);
void ex_instance_claim(ex_job *job, ex_group *g);
mt_err ex_instance_create_commit(ex_job *job, ex_group *g);
bool ex_instance_list(ex_job *job);
/* How many are in each state. */
bool ex_instance_count(ex_job *job);
bool ex_instance_get(ex_job *job);
bool ex_instance_history(ex_job *job);
bool ex_instance_delete_prepare(ex_job *job);
mt_err ex_instance_delete_commit(ex_job *job, ex_group *g);

#endif

/* exec/kinds/operation.h - one operation, alone.
 * Room: exec, private to kinds/operation*.c and the table of kinds. */
#ifndef EX_KIND_OPERATION_H
#define EX_KIND_OPERATION_H

#include "exec/commit/commit.h"

bool ex_operation_prepare(ex_job *job);
mt_err ex_operation_commit(ex_job *job, ex_group *g);

#endif

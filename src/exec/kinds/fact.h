/* exec/kinds/fact.h - facts that people assert.
 * Room: exec, private to kinds/fact*.c and the table of kinds. */
#ifndef EX_KIND_FACT_H
#define EX_KIND_FACT_H

#include "exec/commit/commit.h"

bool ex_fact_list(ex_job *job);
bool ex_fact_assert_prepare(ex_job *job);
mt_err ex_fact_assert_commit(ex_job *job, ex_group *g);
bool ex_fact_retract_prepare(ex_job *job);
mt_err ex_fact_retract_commit(ex_job *job, ex_group *g);

#endif

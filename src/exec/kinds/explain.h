/* exec/kinds/explain.h - why something is as it is.
 * Room: exec, private to kinds/explain.c and the table of kinds. */
#ifndef EX_KIND_EXPLAIN_H
#define EX_KIND_EXPLAIN_H

#include "exec/call/call.h"

bool ex_explain(ex_job *job);

#endif

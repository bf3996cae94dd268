/* exec/kinds/evaluate.h - verdicts, and what a persona can do.
 * Room: exec, private to kinds/evaluate*.c and the table of kinds. */
#ifndef EX_KIND_EVALUATE_H
#define EX_KIND_EVALUATE_H

#include "exec/call/call.h"

bool ex_evaluate(ex_job *job);
/* The same; what nobody gives is unknown. */
bool ex_partial(ex_job *job);
/* A request to evaluate in each line, an answer in each line. On a worker. */
bool ex_evaluate_batch(ex_job *job);
bool ex_actions(ex_job *job);

#endif

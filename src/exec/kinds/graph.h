/* exec/kinds/graph.h - events of graphs, and what they left.
 * Room: exec, private to kinds/graph*.c and the table of kinds. */
#ifndef EX_KIND_GRAPH_H
#define EX_KIND_GRAPH_H

#include "exec/commit/commit.h"

bool ex_graph_list(ex_job *job);
bool ex_graph_event_prepare(ex_job *job);
mt_err ex_graph_event_commit(ex_job *job, ex_group *g);
bool ex_graph_context(ex_job *job);
bool ex_capture_list(ex_job *job);
bool ex_capture_get(ex_job *job);

#endif

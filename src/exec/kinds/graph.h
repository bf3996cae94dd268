/* exec/kinds/graph.h - events of graphs, and what they left.
 * Room: exec, private to kinds/graph*.c and the table of kinds. */
#ifndef EX_KIND_GRAPH_H
#define EX_KIND_GRAPH_H

#include "exec/commit/commit.h"

bool ex_graph_list(ex_job *job);
bool ex_graph_event_prepare(ex_job *job);
mt_err ex_graph_event_commit(ex_job *job, ex_group *g);
bool ex_graph_pump_prepare(ex_job *job);
bool ex_graph_context(ex_job *job);
bool ex_graph_keys(ex_job *job);
bool ex_capture_list(ex_job *job);
bool ex_capture_get(ex_job *job);
bool ex_graph_picture(ex_job *job);
bool ex_letter_list(ex_job *job);
bool ex_letter_send_prepare(ex_job *job);
mt_err ex_letter_send_commit(ex_job *job, ex_group *g);

/* There is no such graph, or the caller may not use it; answered. */
bool ex_refused_graph(ex_job *job, ho_graph_service **out);

#endif

/* host/graph_trace.h - what every node said in one pass, as one JSON line.
 * Room: host.
 * {"event_id":…,"nodes":[{"id":"n0","path":"a/b","outputs":{port:value}}],
 * "outcomes":[{"node":"n3","outcome":"Skipped"}]}; values plain, events by name. Nodes
 * in execution order; after a fault only those that ran. One outcome record per Action
 * per pass, Skipped too (§6.2). */
#ifndef HO_GRAPH_TRACE_H
#define HO_GRAPH_TRACE_H

#include "base/json_write.h"
#include "host/graph_host.h"

/* Appends the line with its newline. A step in which the graph did not run has empty
 * lists. */
void ho_graph_trace_line(mt_buf *out, const ho_graph_step *step);
/* What became of one event: {"decision","effects","event_id","fault"?,"outcomes",
 * "termination"}. */
void ho_graph_trace_decision(mt_buf *out, const ho_graph_step *step);
/* Only the outcome records, as a JSON list, each with the path of its node. */
void ho_graph_trace_outcomes(mt_buf *out, const ho_graph_step *step);
/* The member "termination", null if the graph did not run. `captured`: as captures have
 * it, {"Failed":"SemanticError"}; otherwise what failed alone, as ledgers have it. */
void ho_graph_trace_termination(mt_jw *w, const gr_decision *d, bool captured);

#endif

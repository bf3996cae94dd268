/* cli/graph_edges.h - the edges of a compiled graph, for pictures and prose.
 * Room: cli. */
#ifndef CLI_GRAPH_EDGES_H
#define CLI_GRAPH_EDGES_H

#include "graph/graph.h"

typedef struct cli_edge {
    uint32_t node; /* where it comes from */
    mt_str port;
} cli_edge;

/* Where input `input` of `node` comes from; false when it is not connected. */
bool cli_graph_edge(const gr_graph *g, const gr_node *node, uint32_t input,
                    cli_edge *out);

#endif

/* cli/graph_edges.h - the edges of a compiled graph, for pictures and prose.
 * Room: cli. */
#ifndef CLI_GRAPH_EDGES_H
#define CLI_GRAPH_EDGES_H

#include "graph/graph.h"

typedef struct cli_edges {
    const gr_graph *graph;
    const uint32_t *owner; /* of each slot: the node whose output it is */
} cli_edges;

typedef struct cli_edge {
    uint32_t node; /* where it comes from */
    mt_str port;
} cli_edge;

/* The table lives in the arena. */
cli_edges cli_graph_edges(mt_arena *a, const gr_graph *g);
/* Where input `input` of `node` comes from; false when it is not connected. */
bool cli_graph_edge(const cli_edges *edges, const gr_node *node, uint32_t input,
                    cli_edge *out);

#endif

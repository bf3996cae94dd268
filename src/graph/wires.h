/* graph/wires.h - the edges of a compiled graph, for pictures and prose.
 * Room: graph. May include base/ only. */
#ifndef GR_WIRES_H
#define GR_WIRES_H

#include "graph/graph.h"

typedef struct gr_wires {
    const gr_graph *graph;
    const uint32_t *owner; /* of each slot: the node whose output it is */
} gr_wires;

typedef struct gr_wire {
    uint32_t node; /* where it comes from */
    mt_str port;
} gr_wire;

/* The table lives in the arena. */
gr_wires gr_wires_of(mt_arena *a, const gr_graph *g);
/* Where input `input` of `node` comes from; false when it is not connected. */
bool gr_wire_into(const gr_wires *edges, const gr_node *node, uint32_t input,
                  gr_wire *out);

#endif

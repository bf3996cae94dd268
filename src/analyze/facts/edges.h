/* analyze/facts/edges.h - edges of a graph grouped by where they start.
 * Room: analyze. Private to analyze/. */
#ifndef AN_ANALYZE_EDGES_H
#define AN_ANALYZE_EDGES_H

#include "base/str.h"

typedef struct an_edge {
    uint32_t from, to, tag; /* the tag is the caller's */
} an_edge;

/* The edges that leave node n are items[first[n]] up to items[first[n + 1]]. */
typedef struct an_edges {
    uint32_t *first; /* per node: its first edge in `items` */
    an_edge *items;
    uint32_t nodes;
} an_edges;

/* Grouped by `from`, otherwise in their order. Everything in `a`. */
an_edges an_edges_group(mt_arena *a, const an_edge *edges, uint32_t count,
                        uint32_t nodes);

/* Which nodes `start` leads to, itself included: visited[n - base] is then 1 + the
 * index of the edge that first led there, or UINT32_MAX for `start`; 0: not reached.
 * `visited` (zeroed) and `queue` have room for all nodes that can be met, none of which
 * is below `base`. Returns how many were reached, in breadth-first order. `take` may be
 * NULL. */
uint32_t an_edges_visit(const an_edges *edges, uint32_t base, uint32_t start,
                        bool (*take)(void *context, const an_edge *edge), void *context,
                        uint32_t *visited, uint32_t *queue);

#endif

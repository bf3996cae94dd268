/* graph/feeds.h - the edges of a compiled graph, for pictures and prose.
 * Room: graph. May include base/ only. */
#ifndef GR_FEEDS_H
#define GR_FEEDS_H

#include "graph/graph.h"

typedef struct gr_feeds {
    const gr_graph *graph;
    const uint32_t *owner; /* of each slot: the node whose output it is */
} gr_feeds;

typedef struct gr_feed {
    uint32_t node; /* where it comes from */
    mt_str port;
} gr_feed;

/* The table lives in the arena. */
gr_feeds gr_feeds_of(mt_arena *a, const gr_graph *g);
/* Where input `input` of `node` comes from; false when it is not connected. */
bool gr_feed_into(const gr_feeds *feeds, const gr_node *node, uint32_t input,
                  gr_feed *out);

#endif

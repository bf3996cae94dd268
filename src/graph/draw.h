/* graph/draw.h - the picture of a graph, as a description (base/picture.h).
 * Room: graph. May include base/ only. */
#ifndef GR_DRAW_H
#define GR_DRAW_H

#include "base/picture.h"
#include "graph/graph.h"

typedef struct gr_draw_options {
    bool ports;           /* label the edges with their ports */
    const mt_str *values; /* per node: what it said, as a further line; or NULL */
} gr_draw_options;

/* Nodes as their authors declared them, clusters as boxes around them. Names are
 * runtime ids ("n7"). Bold edges gate an action, dashed ones carry payload into it. */
mt_picture gr_draw(mt_arena *a, const gr_graph *g, const gr_draw_options *options);

#endif

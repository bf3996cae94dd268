/* graph/draw.h - the picture of a graph, as a description (base/picture.h), with what
 * its nodes said in a pass or so far. Room: graph. May include base/ only. */
#ifndef GR_DRAW_H
#define GR_DRAW_H

#include "base/picture.h"
#include "graph/execute.h"
#include "graph/graph.h"

/* Did it happen? A trigger that emitted and an action that ran spoke; whatever did not
 * run is silent; a node that ended the pass, or an action that was turned down, failed.
 */
typedef enum gr_spoke {
    GR_SPOKE_UNKNOWN,
    GR_SPOKE,
    GR_SPOKE_NOT,
    GR_SPOKE_FAILED
} gr_spoke;

typedef struct gr_said {
    mt_str line;  /* a further line of the label; empty: none */
    mt_str whole; /* further lines of the tooltip; empty: none */
    gr_spoke spoke;
} gr_said;

typedef struct gr_draw_options {
    bool ports;          /* label the edges with their ports */
    const gr_said *said; /* per node; or NULL */
} gr_draw_options;

/* What each node said in this pass, in the arena. */
gr_said *gr_said_in(mt_arena *a, const gr_episode *e);

/* Nodes as their authors declared them, clusters as boxes around them. Names are
 * runtime ids ("n7"). Bold edges gate an action, dashed ones carry payload into it. Of
 * what was said, nodes and edges of events that spoke are marked as seen, failed nodes
 * as never, and what was silent is faded, its edges dotted. */
mt_picture gr_draw(mt_arena *a, const gr_graph *g, const gr_draw_options *options);

#endif

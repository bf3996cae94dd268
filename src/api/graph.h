/* api/graph.h - a graph behind its handle, for the files of the API that run one.
 * Room: api. */
#ifndef API_GRAPH_H
#define API_GRAPH_H

#include "api/api.h"
#include "graph/adapter.h"
#include "graph/execute.h"
#include "host/graph_own.h"

struct motet_graph {
    gr_graph *graph;     /* NULL: it was refused */
    gr_adapter *adapter; /* NULL: none was given */
    mt_arena arena;
    const motet_str *messages; /* made at loading, in `arena` */
    size_t message_count;
};

/* An output of a node of the last pass; MOTET_NONE: there is none. */
motet_value api_node_value(const gr_episode *episode, const char *node,
                           const char *port);

#endif

#include "cli/graph_edges.h"

cli_edges cli_graph_edges(mt_arena *a, const gr_graph *g)
{
    uint32_t *owner = mt_new_array(a, uint32_t, g->slot_count);
    for (uint32_t n = 0; n < g->node_count; n++) {
        uint32_t outputs = g->nodes[n].primitive->manifest.output_count;
        for (uint32_t i = 0; i < outputs; i++) {
            owner[g->nodes[n].slot + i] = n;
        }
    }
    return (cli_edges){g, owner};
}

bool cli_graph_edge(const cli_edges *edges, const gr_node *node, uint32_t input,
                    cli_edge *out)
{
    uint32_t slot = node->inputs[input];
    if (!slot) {
        return false;
    }
    uint32_t owner = edges->owner[slot];
    const gr_node *source = &edges->graph->nodes[owner];
    *out = (cli_edge){owner,
                      source->primitive->manifest.outputs[slot - source->slot].name};
    return true;
}

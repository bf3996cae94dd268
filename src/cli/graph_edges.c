#include "cli/graph_edges.h"

/* Slots grow with the order of execution, so the producer is found by halving. */
bool cli_graph_edge(const gr_graph *g, const gr_node *node, uint32_t input,
                    cli_edge *out)
{
    uint32_t slot = node->inputs[input];
    if (!slot) {
        return false;
    }
    uint32_t low = 0, high = g->node_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (g->nodes[middle].slot <= slot) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const gr_node *source = &g->nodes[low];
    *out =
        (cli_edge){low, source->primitive->manifest.outputs[slot - source->slot].name};
    return true;
}

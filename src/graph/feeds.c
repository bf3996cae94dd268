/* graph/feeds.c - the edges of a compiled graph.
 * Room: graph. */
#include "graph/feeds.h"

/* Who owns a slot, for walking edges backwards. One array, built once; asking is
 * constant. */
gr_feeds gr_feeds_of(mt_arena *a, const gr_graph *g)
{
    uint32_t *owner = mt_new_array(a, uint32_t, g->slot_count);
    for (uint32_t n = 0; n < g->node_count; n++) {
        uint32_t outputs = g->nodes[n].primitive->manifest.output_count;
        for (uint32_t i = 0; i < outputs; i++) {
            owner[g->nodes[n].slot + i] = n;
        }
    }
    return (gr_feeds){g, owner};
}

bool gr_feed_into(const gr_feeds *feeds, const gr_node *node, uint32_t input,
                  gr_feed *out)
{
    uint32_t slot = node->inputs[input];
    if (!slot) {
        return false;
    }
    uint32_t owner = feeds->owner[slot];
    const gr_node *source = &feeds->graph->nodes[owner];
    *out =
        (gr_feed){owner, source->primitive->manifest.outputs[slot - source->slot].name};
    return true;
}

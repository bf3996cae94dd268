/* analyze/facts/edges.c - counting sort and breadth-first search.
 * Room: analyze. */
#include "analyze/facts/edges.h"

an_edges an_edges_group(mt_arena *a, const an_edge *edges, uint32_t count,
                        uint32_t nodes)
{
    an_edges out = {mt_new_array(a, uint32_t, (size_t)nodes + 2),
                    mt_alloc(a, mt_array_bytes(count, sizeof *edges)), nodes};
    uint32_t *at = out.first + 1; /* one behind, so that filling leaves it right */
    for (uint32_t i = 0; i < count; i++) {
        at[edges[i].from + 1]++;
    }
    for (uint32_t n = 0; n < nodes; n++) {
        at[n + 1] += at[n];
    }
    for (uint32_t i = 0; i < count; i++) {
        out.items[at[edges[i].from]++] = edges[i];
    }
    return out;
}

uint32_t an_edges_visit(const an_edges *edges, uint32_t base, uint32_t start,
                        bool (*take)(void *context, const an_edge *edge), void *context,
                        uint32_t *visited, uint32_t *queue)
{
    uint32_t len = 0;
    visited[start - base] = UINT32_MAX;
    queue[len++] = start;
    for (uint32_t head = 0; head < len; head++) {
        uint32_t node = queue[head];
        for (uint32_t i = edges->first[node]; i < edges->first[node + 1]; i++) {
            const an_edge *edge = &edges->items[i];
            if (!visited[edge->to - base] && (!take || take(context, edge))) {
                visited[edge->to - base] = i + 1;
                queue[len++] = edge->to;
            }
        }
    }
    return len;
}

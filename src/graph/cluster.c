#include "graph/cluster.h"

#include <stdlib.h>

static int by_member_name(const void *a, const void *b)
{
    return mt_str_cmp(((const gr_member *)a)->name, ((const gr_member *)b)->name);
}

static int by_output_name(const void *a, const void *b)
{
    return mt_str_cmp(((const gr_cluster_output *)a)->name,
                      ((const gr_cluster_output *)b)->name);
}

/* The order of by_target, and of every search in it. */
static int cmp_target(const gr_edge *e, mt_str node, mt_str port)
{
    int order = mt_str_cmp(e->to.node, node);
    return order ? order : mt_str_cmp(e->to.port, port);
}

/* Equal targets in the order they were written: addresses within one array. */
static int by_target(const void *a, const void *b)
{
    const gr_edge *x = *(const gr_edge *const *)a, *y = *(const gr_edge *const *)b;
    int order = cmp_target(x, y->to.node, y->to.port);
    return order ? order : (x > y) - (x < y);
}

/* Sorted once, so that members are found by map and edges by binary search. The order
 * of the file does not show afterwards; `at` remembers places for diagnostics. */
void gr_cluster_finish(mt_arena *a, gr_cluster *c, gr_member *members,
                       gr_cluster_output *outputs)
{
    qsort(members, c->member_count, sizeof *members, by_member_name);
    qsort(outputs, c->output_count, sizeof *outputs, by_output_name);
    c->members = members;
    c->outputs = outputs;
    mt_map_reserve(a, &c->member_index, c->member_count);
    for (uint32_t i = 0; i < c->member_count; i++) {
        mt_map_put(a, &c->member_index, members[i].name, i);
    }
    c->by_target = mt_new_array(a, const gr_edge *, c->edge_count);
    for (uint32_t i = 0; i < c->edge_count; i++) {
        c->by_target[i] = &c->edges[i];
    }
    qsort(c->by_target, c->edge_count, sizeof *c->by_target, by_target);
}

int gr_cluster_member(const gr_cluster *c, mt_str name)
{
    const mt_map_entry *e = mt_map_find(&c->member_index, name);
    return e ? (int)e->value : -1;
}

int gr_cluster_input_index(const gr_cluster *c, mt_str name)
{
    for (uint32_t i = 0; i < c->input_count; i++) {
        if (mt_str_eq(c->inputs[i].name, name)) {
            return (int)i;
        }
    }
    return -1;
}

int gr_cluster_output_index(const gr_cluster *c, mt_str name)
{
    for (uint32_t i = 0; i < c->output_count; i++) {
        if (mt_str_eq(c->outputs[i].name, name)) {
            return (int)i;
        }
    }
    return -1;
}

int gr_cluster_param_index(const gr_cluster *c, mt_str name)
{
    for (uint32_t i = 0; i < c->param_count; i++) {
        if (mt_str_eq(c->params[i].name, name)) {
            return (int)i;
        }
    }
    return -1;
}

/* The first edge in order of targets; a second one into the same port is behind it and
 * is a fault (V.7). */
const gr_edge *gr_cluster_edge_into(const gr_cluster *c, mt_str node, mt_str port)
{
    uint32_t low = 0, high = c->edge_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cmp_target(c->by_target[middle], node, port) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < c->edge_count && cmp_target(c->by_target[low], node, port) == 0;
    return found ? c->by_target[low] : NULL;
}

gr_subject gr_cluster_subject(const gr_cluster *c, mt_diags *ds)
{
    return (gr_subject){ds, c->file, c->text, "cluster", c->id};
}

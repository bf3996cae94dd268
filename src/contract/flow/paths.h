/* contract/flow/paths.h - the ways through a flow, and which way a run took.
 * Room: contract. May include base/ and contract/ only.
 * A path is the text of one way through one graph (a flow or a parallel branch):
 *     step_confirm=confirmed > step_check=true > step_release=error > comp:undo=done >
 *     failure
 * Ways no snapshot allows (a branch that asks again what was answered) are left out.
 * A sub-flow or a parallel step is one step of the graph around it (`success` or
 * `failed`); its inside has paths of its own. So the number of paths stays the sum, not
 * the product, of what is nested. */
#ifndef CT_FLOW_PATHS_H
#define CT_FLOW_PATHS_H

#include "contract/flow/run.h"

enum { CT_MAX_PATHS = 10000 }; /* of one graph */

typedef struct ct_path {
    uint32_t graph;
    mt_str text; /* the words of its steps, joined by " > " */
} ct_path;

typedef struct ct_paths {
    ct_path *items;
    size_t len, cap;
    bool truncated; /* some graph has more than CT_MAX_PATHS */
} ct_paths;

/* All paths of one graph, added to `out`. Texts live in the arena. */
void ct_paths_of(mt_arena *a, const ct_plan *p, uint32_t graph, ct_paths *out);
/* The paths a run completed, those of sub-flows and branches included. */
void ct_paths_taken(mt_arena *a, const ct_run *run, ct_paths *out);
/* "standard_release", "parallel_process/branch_payment". */
mt_str ct_graph_name(mt_arena *a, const ct_plan *p, uint32_t graph);

#endif

/* graph/library.h - cluster definitions found on demand and linked to what they use.
 * Room: graph. May include base/ only.
 * Linking is once per definition: which primitive or cluster each node is (V.8, E.9,
 * I.6, X.9), whether the ports its edges name exist (D.2, D.4), which required inputs
 * of nested clusters are fed (E.3), and how the cluster looks from outside (D.10,
 * D.11). Ownership: everything lives in the arena given to gr_library_start(). */
#ifndef GR_LIBRARY_H
#define GR_LIBRARY_H

#include "graph/cluster.h"
#include "graph/graph.h"

typedef struct gr_linked gr_linked;

/* What a node of a cluster turned out to be; neither: a fault was reported. */
typedef struct gr_target {
    const gr_primitive *primitive;
    gr_linked *cluster;
    mt_str resolved; /* version */
} gr_target;

struct gr_linked {
    const gr_cluster *def;
    gr_target *targets; /* per member */
    bool visiting, side_effects, all_sources;
    gr_boundary boundary;
};

typedef struct gr_library {
    mt_arena *arena;
    const gr_registry *registry;
    const gr_finder *finder; /* or NULL */
    mt_limits limits;
    mt_diags *ds;
    mt_map files;       /* file -> gr_cluster*, 0 when it was refused */
    mt_map linked;      /* id@version -> gr_linked* */
    mt_err err;         /* the finder's */
    const gr_set *sets; /* parameters that the caller decides */
    bool *set_used;     /* per set: it named something */
    size_t set_count;
    bool alone;      /* the root may have inputs and parameters that nobody gives */
    bool bottomless; /* recursion or depth was refused: nothing can be expanded */
} gr_library;

/* Links a cluster and, first, everything below it. Never NULL; faults are reported. */
gr_linked *gr_link(gr_library *lib, const gr_cluster *def, size_t depth);

/* The built-in clusters (once, edge_rising, ...): texts with file "motet:ID". */
extern const gr_text GR_READY[];
extern const size_t GR_READY_COUNT;

#endif

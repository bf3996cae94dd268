/* graph/expand.h - clusters inlined until only primitives are left.
 * Room: graph. May include base/ only.
 * Depth first, nodes of a cluster in byte order of their names; each primitive gets the
 * next number, its runtime id is "n" and that number (E.8). Names are scoped to their
 * instance. Parameters: binding, else default, else derived key (I.3 .. I.7, X.11).
 * Ownership: everything lives in the library's arena. */
#ifndef GR_EXPAND_H
#define GR_EXPAND_H

#include "graph/library.h"

typedef struct gr_instance {
    const gr_linked *linked;
    const struct gr_instance *parent; /* NULL: the root */
    mt_str name;                      /* of the node in the parent */
    const gr_literal *params;         /* resolved, in the definition's order */
    struct gr_instance **inner;       /* per member, NULL unless it is a cluster */
    uint32_t *node;                   /* per member, GR_NO_NODE unless a primitive */
} gr_instance;

#define GR_NO_NODE 0xffffffffu

/* A parameter of a node that has a value. */
typedef struct gr_given {
    mt_str name;
    gr_literal value; /* as it was written, not cast */
    bool bound;       /* by the node; false: the primitive's default */
} gr_given;

typedef struct gr_flat_node {
    const gr_primitive *primitive;
    const gr_instance *instance;
    const gr_member *member; /* the node as it stands in its file */
    mt_str id, requested, resolved;
    const gr_literal *params; /* in manifest order, cast, defaults filled in */
    const gr_given *given;    /* those with a value: bound, else the default */
    uint32_t given_count;
} gr_flat_node;

/* from_node GR_NO_NODE: the root's input `external`, or unknown (then external empty).
 */
typedef struct gr_flat_edge {
    uint32_t from_node, from_port, to_node, to_port;
    mt_str external;           /* an input of the root, which nothing can feed */
    const gr_cluster *cluster; /* that wrote it, and where */
    uint32_t at;
} gr_flat_edge;

typedef struct gr_flat_output {
    mt_str name;
    uint32_t node, port;
} gr_flat_output;

typedef struct gr_flat {
    mt_str graph_id, version;
    const gr_linked *root;
    bool alone; /* something of the root's is given by nobody, and need not be */
    MT_VEC(gr_flat_node) nodes;
    MT_VEC(gr_flat_edge) edges; /* grouped by target cluster instance */
    MT_VEC(gr_flat_output) outputs;
} gr_flat;

/* Reports what it finds; false when the expansion would be too large. */
bool gr_expand(gr_library *lib, const gr_linked *root, gr_flat *out);

/* "once/gate", in the arena. */
mt_str gr_flat_path(mt_arena *a, const gr_flat_node *n);
/* The same, but what a formula results in is called as the formula is. */
mt_str gr_flat_name(mt_arena *a, const gr_flat_node *n);

#endif

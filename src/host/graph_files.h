/* host/graph_files.h - a graph and what belongs to it, from files.
 * Room: host.
 * A cluster `c` that file F refers to is looked for, in this order, as dir(F)/c.yaml,
 * dir(F)/clusters/c.yaml, then for each search path P as P/c.yaml and P/clusters/c.yaml
 * (.yml and .json too); every one that exists is read, so versions may coexist. The
 * ready-made clusters come last. Primitive manifests are given by name or found as
 * dir(GRAPH)/manifests/ *.yaml. */
#ifndef HO_GRAPH_FILES_H
#define HO_GRAPH_FILES_H

#include "base/diag.h"
#include "base/limits.h"
#include "graph/adapter.h"
#include "graph/graph.h"
#include "host/graph_egress.h"

typedef struct ho_graph_paths {
    const char *graph;
    const gr_set *sets; /* parameters of the graph that the caller decides */
    size_t set_count;
    bool look; /* the graph is only looked at: it may be a cluster with inputs */
    const char *adapter; /* NULL: none */
    const char *egress;  /* NULL: none */
    const char *const *cluster_paths;
    size_t cluster_path_count;
    const char *const *manifests; /* files or directories */
    size_t manifest_count;
    const char *const *primitives; /* shared objects, host/graph_own.h */
    size_t primitive_count;
} ho_graph_paths;

typedef struct ho_graph_files {
    mt_arena arena; /* texts of all files read */
    gr_registry *registry;
    struct ho_own_library **own; /* shared objects that the registry points into */
    size_t own_count;
    mt_str own_used; /* digests of those the graph uses, ho_own_used() */
    gr_graph *graph;
    gr_adapter *adapter; /* NULL: none was asked for */
    ho_egress *egress;   /* likewise; not started */
} ho_graph_files;

/* MT_OK; MT_E_REJECTED with diagnostics; MT_E_NOTFOUND, MT_E_IO or MT_E_LIMIT with one
 * diagnostic that names the file. Free it in any case. */
mt_err ho_graph_files_load(const ho_graph_paths *paths, const mt_limits *limits,
                           mt_diags *ds, ho_graph_files *out);
/* The same for a primitive manifest in place of the graph: it is read, and what it says
 * it does is tried. No graph comes out. */
mt_err ho_manifest_try(const ho_graph_paths *paths, const mt_limits *limits,
                       mt_diags *ds, ho_graph_files *out);
/* Only the primitives that the paths name, without a graph. */
mt_err ho_primitives_load(const ho_graph_paths *paths, const mt_limits *limits,
                          mt_diags *ds, ho_graph_files *out);
void ho_graph_files_free(ho_graph_files *f);

#endif

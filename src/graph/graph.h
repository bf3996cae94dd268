/* graph/graph.h - a graph that was loaded, expanded, validated and compiled.
 * Room: graph. May include base/ only.
 * Everything an author can do wrong is found here, all at once, before anything runs:
 * D.*, I.*, E.*, V.*, X.*, NUM-FINITE-1. What comes out cannot be invalid.
 * Ownership: a graph owns its memory and borrows from its registry.
 * Threads: immutable; any number of episodes (graph/execute.h) may share it. */
#ifndef GR_GRAPH_H
#define GR_GRAPH_H

#include "base/limits.h"
#include "graph/primitive.h"

typedef struct gr_text {
    mt_str file, text;
} gr_text;

/* Where cluster texts come from; the kernel opens no file. `find` appends every text
 * that may define cluster `id` when file `from` refers to it (several versions may
 * coexist), allocated in `a`; none is not an error. *trail says where it looked. */
typedef struct gr_finder {
    void *user;
    mt_err (*find)(void *user, mt_arena *a, mt_str id, mt_str from, gr_text **texts,
                   size_t *count, mt_str *trail);
} gr_finder;

/* One node after expansion. Its kind is primitive->manifest.kind. */
typedef struct gr_node {
    mt_str id;   /* "n7" */
    mt_str path; /* authoring path, names joined by '/': "once/gate" */
    mt_str name; /* what people call it: the path; of the result of a formula "spike",
                    not "spike/e00006" */
    mt_str formula; /* that it is part of, or empty */
    const gr_primitive *primitive;
    mt_str requested, resolved; /* version selector and version */
    const gr_literal *params;   /* in manifest order, defaults filled in */
    const bool *param_given;    /* false: the default */
    const uint32_t *inputs;     /* slot per input, 0 when not connected */
    const uint32_t *outside; /* per input: 1 + the root's input that feeds it, or 0 */
    uint32_t slot;           /* of the first output; the others follow */
    gr_text source;          /* where it was written */
    uint32_t at;
} gr_node;

/* A context key some Source reads. Its index is its place in the context array. */
typedef struct gr_key {
    mt_str name;
    gr_type type;  /* of the first reader that requires it, else the first reader */
    bool required; /* by any reader */
} gr_key;

typedef struct gr_output {
    mt_str name;
    uint32_t node, slot;
} gr_output;

/* An input of a cluster that is looked at alone. */
typedef struct gr_input {
    mt_str name;
    gr_type type;
    bool required;
} gr_input;

/* A key an Action can write, or one made by derive_key. */
typedef struct gr_written {
    mt_str name;
    gr_type type;
    uint32_t node;
    bool derived; /* name was derived from the authoring path */
} gr_written;

/* clusters as they were written and how they look from outside */
typedef enum gr_boundary {
    GR_SOURCE_LIKE,
    GR_COMPUTE_LIKE,
    GR_TRIGGER_LIKE,
    GR_ACTION_LIKE
} gr_boundary;

typedef struct gr_code gr_code; /* the compiled form, graph/compile.h */

typedef struct gr_graph {
    mt_arena arena;
    mt_str id, version;
    const gr_node *nodes;       /* in execution order */
    const gr_key *keys;         /* by name */
    const gr_output *outputs;   /* boundary outputs, by name */
    const gr_input *inputs;     /* of gr_cluster_load() only */
    const gr_written *written;  /* in order of nodes and declaration */
    const uint32_t *actions;    /* indices into nodes, in execution order */
    const mt_str *effect_kinds; /* set_context first if any, then intents by name */
    uint32_t node_count, edge_count, slot_count, key_count, output_count, written_count,
        action_count, effect_kind_count, input_count;
    bool alone; /* a cluster with inputs or parameters that nobody gives: not to run */
    bool has_intents, has_writes, needs_context; /* some Source requires a key */
    mt_str provenance;                           /* "rpv1:sha256:..." */
    mt_str provenance_as_bound; /* without defaults: captures made before have it */
    const gr_type *slot_types;
    gr_code *code;
} gr_graph;

/* Loads a root cluster. MT_OK: *out is set. MT_E_REJECTED: `ds` holds every violation,
 * sorted. MT_E_IO and the like: `find` failed. `finder` and `limits` may be NULL. */
mt_err gr_graph_load(const gr_registry *registry, gr_text root, const gr_finder *finder,
                     const mt_limits *limits, mt_diags *ds, gr_graph **out);
/* A parameter that somebody else decides than the file: NAME of the graph's own, or
 * NODE.NAME by the authoring path of a node; NODE alone when it has one parameter. */
typedef struct gr_set {
    mt_str name;
    gr_literal value; /* cast to the parameter's type, or I.4 */
} gr_set;
/* The same with such parameters. One that names nothing is refused (I.7). */
mt_err gr_graph_load_set(const gr_registry *registry, gr_text root,
                         const gr_finder *finder, const mt_limits *limits,
                         const gr_set *sets, size_t set_count, mt_diags *ds,
                         gr_graph **out);
/* The same for a cluster that is looked at alone: inputs need nobody to feed them, and
 * parameters without a default have a stand-in, for text "$NAME". What comes out can be
 * shown; it can be run only if it is not `alone`. */
mt_err gr_cluster_load(const gr_registry *registry, gr_text root,
                       const gr_finder *finder, const mt_limits *limits, mt_diags *ds,
                       gr_graph **out);
/* Registers a manifest and uses what it says in a graph of its own, so that a formula
 * or cluster that no graph could use is found. A manifest that says nothing about what
 * it does gets a note. */
mt_err gr_manifest_try(gr_registry *registry, gr_text text, const gr_finder *finder,
                       mt_diags *ds);
void gr_graph_free(gr_graph *g);

/* RUN-CANON-2: it has effects, or some Source requires a key. */
static inline bool gr_needs_adapter(const gr_graph *g)
{
    return g->needs_context || g->has_writes || g->has_intents;
}
/* Is `provenance` this graph's, as it is computed now or as it was before defaults were
 * part of it? */
bool gr_graph_is(const gr_graph *g, mt_str provenance);
/* Index of a context key, -1 when no Source reads it. */
int gr_graph_key(const gr_graph *g, mt_str name);
/* The context key a declaration names at this node: itself, or the text of "$param".
 * *derived: it was made by derive_key. */
mt_str gr_node_key(const gr_node *n, mt_str name, bool *derived);
/* A part of a formula that nobody has named: what it says, the formula says. */
static inline bool gr_node_is_nameless(const gr_node *n)
{
    return n->formula.len && mt_str_eq(n->name, n->path);
}
/* A context key as people know it: one that was derived from the place of a cluster
 * ("__ergo/4:main/4:once/9:has_fired") becomes that place and the slot,
 * "once.has_fired"; of a graph's own parameter "main.has_fired". */
void gr_key_words(mt_buf *out, mt_str key);
/* Index of a node by runtime id, authoring path or name, -1 if absent. */
int gr_graph_node(const gr_graph *g, mt_str id_or_path);

#endif

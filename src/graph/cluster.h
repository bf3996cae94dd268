/* graph/cluster.h - a cluster as its author wrote it.
 * Room: graph. May include base/ only.
 * File form: YAML or JSON (docs/graphs.md). A runnable graph is a cluster without
 * inputs. Shape faults are "graph.decode"; rules D.1, D.5, D.6, D.8 and D.9 are checked
 * for every cluster, nested ones too.
 * Ownership: lives in the arena it was read into and borrows from its text. */
#ifndef GR_CLUSTER_H
#define GR_CLUSTER_H

#include "base/map.h"
#include "graph/report.h"
#include "graph/value.h"

/* node.ptr NULL: the cluster's own input `port`. */
typedef struct gr_endpoint {
    mt_str node, port;
} gr_endpoint;

typedef struct gr_edge {
    gr_endpoint from, to;
    uint32_t at; /* byte in the file, for reports */
} gr_edge;

typedef struct gr_binding {
    mt_str name;
    mt_str exposed; /* parameter of the enclosing cluster; ptr NULL: a literal */
    gr_literal value;
    uint32_t at;
} gr_binding;

typedef struct gr_member {
    mt_str name;
    bool is_cluster;         /* written as one; otherwise a primitive */
    mt_str target, selector; /* of "target@selector"; a missing selector is "*" */
    const gr_binding *bindings;
    uint32_t binding_count;
    uint32_t at;
} gr_member;

typedef struct gr_cluster_input {
    mt_str name;
    gr_type type;
    bool required;
    uint32_t at;
} gr_cluster_input;

typedef struct gr_cluster_output {
    mt_str name;
    gr_endpoint maps_to;
    uint32_t at;
} gr_cluster_output;

typedef struct gr_cluster_param {
    mt_str name;
    gr_param_type type;
    gr_literal initial;
    mt_str slot; /* derive_key; ptr NULL: none */
    bool required;
    uint32_t at;
} gr_cluster_param;

/* What an author claims about one port in declared_signature. */
typedef struct gr_claim {
    mt_str name;
    mt_str type_text; /* empty: not said */
    bool wireable;    /* the author says that others may use it */
    uint32_t at;
} gr_claim;

typedef struct gr_cluster {
    mt_str id, version;
    const gr_member *members; /* by name, in byte order */
    const gr_edge *edges;
    const gr_cluster_input *inputs;
    const gr_cluster_output *outputs; /* by name */
    const gr_cluster_param *params;
    const gr_claim *claims, *input_claims; /* about outputs, about inputs */
    uint32_t member_count, edge_count, input_count, output_count, param_count,
        claim_count, input_claim_count, claims_at;
    mt_str claimed_kind; /* "ActionLike" or "action_like", ...; empty: nothing */
    int claimed_effects, claimed_origin; /* -1: nothing claimed */
    mt_map member_index;                 /* name -> index */
    const gr_edge **by_target;           /* edges by target node, then port */
    mt_str file, text;
    mt_str formula; /* that it was made of, or empty */
} gr_cluster;

/* The keys of the file. */
extern const mt_form_table GR_CLUSTER_FORM;

/* NULL when the text is not a cluster or breaks a rule of definition; reported. */
const gr_cluster *gr_cluster_read(mt_arena *a, mt_str file, mt_str text,
                                  const mt_json_limits *limits, mt_diags *ds);
/* Sorts members and outputs and builds the indices, for clusters made in C. */
void gr_cluster_finish(mt_arena *a, gr_cluster *c, gr_member *members,
                       gr_cluster_output *outputs);

/* -1 if absent. */
int gr_cluster_member(const gr_cluster *c, mt_str name);
int gr_cluster_input_index(const gr_cluster *c, mt_str name);
int gr_cluster_output_index(const gr_cluster *c, mt_str name);
int gr_cluster_param_index(const gr_cluster *c, mt_str name);
/* The edge into node.port, NULL if there is none. */
const gr_edge *gr_cluster_edge_into(const gr_cluster *c, mt_str node, mt_str port);

gr_subject gr_cluster_subject(const gr_cluster *c, mt_diags *ds);

#endif

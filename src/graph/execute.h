/* graph/execute.h - one pass over a graph: a snapshot in, values and effects out.
 * Room: graph. May include base/ only.
 * Deterministic: the same graph, context and event id give the same values, outcomes
 * and effects on every machine. Nothing is allocated per node; memory for series made
 * in a pass is kept for the next.
 * Ownership: an episode owns its values and effects; they hold until its next run and
 * borrow texts and series from the context given to it.
 * Threads: one thread at a time; many episodes may share a graph. */
#ifndef GR_EXECUTE_H
#define GR_EXECUTE_H

#include "graph/effect.h"
#include "graph/graph.h"

/* clang-format off */
/* name, rule id, class: does the supervisor see SemanticError or RuntimeError */
#define GR_FAULT_MAP(X)                                      \
    X(COMPUTE_FAILED,        "CMP-12",        SEMANTIC)      \
    X(NON_FINITE_OUTPUT,     "NUM-FINITE-1",  SEMANTIC)      \
    X(MISSING_CONTEXT_KEY,   "SRC-10",        SEMANTIC)      \
    X(CONTEXT_KEY_TYPE,      "SRC-11",        SEMANTIC)      \
    X(MISSING_OUTPUT,        "CMP-11",        RUNTIME)       \
    X(OUTPUT_TYPE,           "V.4",           RUNTIME)       \
    X(MISSING_PAYLOAD,       "V.3",           RUNTIME)       \
    X(METADATA_REQUIRED,     "GW-EFX-META-1", RUNTIME)
/* clang-format on */

typedef enum gr_fault_code {
    GR_OK = 0,
#define GR_FAULT_ENUM(name, rule, class) GR_FAULT_##name,
    GR_FAULT_MAP(GR_FAULT_ENUM)
#undef GR_FAULT_ENUM
} gr_fault_code;

typedef enum gr_fault_class {
    GR_FAULT_NOTHING,
    GR_FAULT_SEMANTIC,
    GR_FAULT_RUNTIME
} gr_fault_class;

typedef struct gr_fault {
    gr_fault_code code;
    uint32_t node;      /* index into the graph's nodes */
    mt_str name;        /* output port or context key */
    const char *detail; /* static: "DivisionByZero", "NonFiniteResult", ... */
} gr_fault;

typedef struct gr_episode {
    const gr_graph *graph;
    gr_value *slots; /* slots[0] is "not connected"; see gr_node.slot and .inputs */
    uint32_t ran;    /* nodes evaluated; the slots of later ones mean nothing */
    const gr_effect *effects; /* in the order of the Actions; none after a fault */
    uint32_t effect_count;
    gr_fault fault;
    struct gr_workspace *work; /* of execute.c */
} gr_episode;

/* The graph is shared, the episode is one thread's. */
gr_episode *gr_episode_new(const gr_graph *g);
void gr_episode_free(gr_episode *e);

/* Runs one pass. `context` has graph->key_count values, type GR_NONE where absent (NULL
 * when the graph reads none). `event_id` is needed by graphs with intents; an empty one
 * (ptr NULL) is a fault there. GR_OK, or the fault, which is also in e->fault: then
 * there are no effects. */
gr_fault_code gr_run(gr_episode *e, const gr_value *context, mt_str event_id);

/* The rule id, the class and a full sentence about a fault. */
const char *gr_fault_rule(gr_fault_code code);
gr_fault_class gr_fault_class_of(gr_fault_code code);
/* Rule, node and what happened, in one sentence. */
mt_str gr_fault_text(mt_arena *a, const gr_episode *e);

/* What became of the Action graph->actions[i]: one record per pass, Skipped too. Only
 * after a pass without fault. */
static inline gr_event gr_outcome(const gr_episode *e, uint32_t i)
{
    return (gr_event)e->slots[e->graph->nodes[e->graph->actions[i]].slot].as.event;
}

#endif

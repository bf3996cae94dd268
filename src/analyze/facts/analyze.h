/* analyze/facts/analyze.h - what a contract says without being run (spec §16).
 * Room: analyze. May include base/ and contract/ only.
 * One file per obligation: s1_states.c … s8_unique.c. Everything here is polynomial:
 * relations are kept factored (state to operations, operation to personas), paths are
 * counted and never stored. What could still be too much has a bound, and the result
 * says when it was met.
 * Ownership: an analysis lives in the arena given to an_analyze() and borrows from the
 * plan. Immutable, so threads may share it. */
#ifndef AN_ANALYZE_ANALYZE_H
#define AN_ANALYZE_ANALYZE_H

#include "analyze/facts/count.h"
#include "analyze/facts/edges.h"
#include "analyze/facts/finding.h"
#include "contract/flow/ways.h"

/* ORDER AN_OBLIGATIONS. */
typedef enum an_obligation {
    AN_S1,
    AN_S2,
    AN_S3A,
    AN_S4,
    AN_S5,
    AN_S6,
    AN_S7,
    AN_S8
} an_obligation;
enum { AN_OBLIGATION_COUNT = AN_S8 + 1, AN_ALL = (1 << AN_OBLIGATION_COUNT) - 1 };

typedef struct an_obligation_info {
    const char *name;  /* "s3a", as --only takes it ("s3" too) */
    const char *title; /* "Admissible operations" */
} an_obligation_info;
extern const an_obligation_info AN_OBLIGATIONS[AN_OBLIGATION_COUNT];

/* "s4,s6" to a set of bits 1 << an_obligation; 0: some name is none. */
uint32_t an_obligations_read(mt_str names);

/* ---- S2 ---- */

/* Of one entity: bit sets of its states, and how many are in them. */
typedef struct an_reach {
    const uint64_t *declared; /* from the initial state by declared transitions */
    const uint64_t *operated; /* … by admissible operations, as they execute */
    const uint64_t *open;     /* not decided: `reach_states` was met */
    uint32_t declared_count, operated_count, open_count;
} an_reach;

/* ---- S3a ---- */

/* Which truth values a predicate can have, by types alone. Errors have none. */
typedef enum an_truth {
    AN_NEITHER = 0,
    AN_CAN_HOLD = 1,
    AN_CAN_FAIL = 2,
    AN_EITHER = 3
} an_truth;

/* ---- S6 ---- */

typedef struct an_end {
    uint32_t terminal; /* CT_NONE: the run breaks off */
    an_count paths;
} an_end;

/* Of one graph: a flow, or a branch of a parallel step. Sub-flows and branches inside
 * it count with every path of their own. */
typedef struct an_graph_paths {
    an_count paths, success, failed; /* of failed, those that break off too */
    const an_end *ends;              /* by terminal, in order of first mention */
    uint32_t end_count;
    uint64_t longest; /* steps and compensations, UINT64_MAX: too many to be known */
    /* States the graph can bring entities into: bit sets of the states of all entities
     * (see an_analysis.first_state); NULL when they were not followed. */
    const uint64_t *states;
    bool can_succeed; /* some way whose states and conditions fit ends in success */
} an_graph_paths;

/* ---- S7 ---- */

typedef struct an_bound {
    uint32_t nodes, depth; /* of the expression tree */
    uint32_t quantifiers;  /* the deepest nesting */
    an_count steps;        /* evaluating it with every list at its max */
} an_bound;

/* ---- all together ---- */

typedef struct an_analysis {
    const ct_plan *plan;
    const ct_model *model;
    uint32_t only; /* what was asked for, bits 1 << an_obligation */
    bool complete; /* false: it was stopped */

    uint32_t *first_state; /* per entity and one more: numbers all states in a row */
    const an_reach *reach; /* per entity */
    size_t reach_states;   /* joint states of one search */

    const uint8_t *rule_truth, *condition_truth; /* an_truth */
    /* What admissible operations do: from state to state of all entities, the tag is
     * the operation; by state, then operation, no two alike. */
    an_edges moves;

    const uint32_t *verdicts;     /* rules by stratum, then verdict type */
    const uint64_t *verdict_read; /* bit per rule */

    const an_graph_paths *graphs;  /* per graph of the plan; NULL without S6, S7 */
    const uint64_t *steps_reached; /* bit per step of the plan */

    const an_bound *rule_bounds, *condition_bounds; /* NULL without S7 */

    bool verdicts_unique; /* S8 */
} an_analysis;

/* Asked now and then: false stops the analysis. */
typedef struct an_watcher {
    bool (*go_on)(void *context, const char *what, uint64_t done, uint64_t all);
    void *context;
} an_watcher;

typedef struct an_analyze_options {
    uint32_t only; /* 0: everything */
    /* Bit per entity, or NULL: others move it too, as members of a System do, so it may
     * be in any of its states, and who moves it is not for this contract to say. */
    const uint64_t *shared;
    size_t reach_states; /* joint states of one search; 0: the limit's default */
    an_watcher watcher;
} an_analyze_options;

/* `options` may be NULL. Findings are added to `fs`, sorted; only those of what was
 * asked for. */
const an_analysis *an_analyze(mt_arena *keep, const ct_plan *p,
                              const an_analyze_options *options, an_findings *fs);

/* ---- questions ---- */

/* May the operation ever succeed, by types alone? */
bool an_admissible(const an_analysis *an, uint32_t op);
bool an_may_invoke(const an_analysis *an, uint32_t op, uint32_t persona);
/* S3a, S4: the admissible operations of the persona that leave the state. Returns how
 * many; `out` has room for the moves of the state. */
uint32_t an_operations_in(const an_analysis *an, uint32_t persona, uint32_t entity,
                          uint32_t state, uint32_t *out);
/* Can the persona move the entity at all? */
bool an_has_authority(const an_analysis *an, uint32_t persona, uint32_t entity);
/* Number of the state among the states of all entities. */
static inline uint32_t an_state_number(const an_analysis *an, uint32_t entity,
                                       uint32_t state)
{
    return an->first_state[entity] + state;
}

/* S2, S4: which states of each entity the persona (CT_NONE: all of them together) can
 * bring about from the initial states with its own admissible operations, one instance
 * of each entity, each operation as it executes. In `a`, per entity; `declared` is not
 * filled in. `tmp` is another arena, for the search. */
an_reach *an_reached_by(mt_arena *a, mt_arena *tmp, const an_analysis *an,
                        const uint64_t *shared, uint32_t persona);

/* The flow a graph is, or is somewhere in. */
uint32_t an_flow_of(const ct_plan *p, uint32_t graph);

/* ---- S6, path by path ---- */

typedef struct an_path_state {
    uint32_t entity, state;
} an_path_state;

/* One path with the states it leaves behind. Valid while it is visited. */
typedef struct an_path_visit {
    const ct_way *way;
    bool possible; /* conditions and states fit together, as far as types tell */
    /* For every entity an operation of the path moved: the states it may end in. */
    const an_path_state *states;
    uint32_t state_count;
} an_path_visit;

/* Visits at most `most` paths of a graph, sub-flows and branches expanded. false: there
 * are more. */
bool an_each_path(const an_analysis *an, uint32_t graph, size_t most,
                  bool (*visit)(void *context, const an_path_visit *path),
                  void *context);

#endif

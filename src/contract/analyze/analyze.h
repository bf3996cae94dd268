/* contract/analyze/analyze.h - what a contract says without being run (spec §16).
 * Room: contract. May include base/ and contract/ only.
 * One file per obligation: s1_states.c … s8_unique.c. Everything here is polynomial:
 * relations are kept factored (state to operations, operation to personas), paths are
 * counted and never stored. What could still be too much has a bound, and the result
 * says when it was met.
 * Ownership: an analysis lives in the arena given to ct_analyze() and borrows from the
 * plan. Immutable, so threads may share it. */
#ifndef CT_ANALYZE_ANALYZE_H
#define CT_ANALYZE_ANALYZE_H

#include "contract/analyze/count.h"
#include "contract/analyze/edges.h"
#include "contract/analyze/finding.h"
#include "contract/flow/ways.h"

/* ORDER CT_OBLIGATIONS. */
typedef enum ct_obligation {
    CT_S1,
    CT_S2,
    CT_S3A,
    CT_S4,
    CT_S5,
    CT_S6,
    CT_S7,
    CT_S8
} ct_obligation;
enum { CT_OBLIGATION_COUNT = CT_S8 + 1, CT_ALL = (1 << CT_OBLIGATION_COUNT) - 1 };

typedef struct ct_obligation_info {
    const char *name;  /* "s3a", as --only takes it ("s3" too) */
    const char *title; /* "Admissible operations" */
} ct_obligation_info;
extern const ct_obligation_info CT_OBLIGATIONS[CT_OBLIGATION_COUNT];

/* "s4,s6" to a set of bits 1 << ct_obligation; 0: some name is none. */
uint32_t ct_obligations_read(mt_str names);

/* ---- S2 ---- */

/* Of one entity: bit sets of its states, and how many are in them. */
typedef struct ct_reach {
    const uint64_t *declared; /* from the initial state by declared transitions */
    const uint64_t *operated; /* … by admissible operations, as they execute */
    const uint64_t *open;     /* not decided: `reach_states` was met */
    uint32_t declared_count, operated_count, open_count;
} ct_reach;

/* ---- S3a ---- */

/* Which truth values a predicate can have, by types alone. Errors have none. */
typedef enum ct_truth {
    CT_NEITHER = 0,
    CT_CAN_HOLD = 1,
    CT_CAN_FAIL = 2,
    CT_EITHER = 3
} ct_truth;

/* ---- S6 ---- */

typedef struct ct_end {
    uint32_t terminal; /* CT_NONE: the run breaks off */
    ct_count paths;
} ct_end;

/* Of one graph: a flow, or a branch of a parallel step. Sub-flows and branches inside
 * it count with every path of their own. */
typedef struct ct_graph_paths {
    ct_count paths, success, failed; /* of failed, those that break off too */
    const ct_end *ends;              /* by terminal, in order of first mention */
    uint32_t end_count;
    uint64_t longest; /* steps and compensations, UINT64_MAX: too many to be known */
    /* States the graph can bring entities into: bit sets of the states of all entities
     * (see ct_analysis.first_state); NULL when they were not followed. */
    const uint64_t *states;
    bool can_succeed; /* some way whose states and conditions fit ends in success */
} ct_graph_paths;

/* ---- S7 ---- */

typedef struct ct_bound {
    uint32_t nodes, depth; /* of the expression tree */
    uint32_t quantifiers;  /* the deepest nesting */
    ct_count steps;        /* evaluating it with every list at its max */
} ct_bound;

/* ---- all together ---- */

typedef struct ct_analysis {
    const ct_plan *plan;
    const ct_model *model;
    uint32_t only; /* what was asked for, bits 1 << ct_obligation */
    bool complete; /* false: it was stopped */

    uint32_t *first_state; /* per entity and one more: numbers all states in a row */
    const ct_reach *reach; /* per entity */
    size_t reach_states;   /* joint states of one search */

    const uint8_t *rule_truth, *condition_truth; /* ct_truth */
    /* What admissible operations do: from state to state of all entities, the tag is
     * the operation; by state, then operation, no two alike. */
    ct_edges moves;

    const uint32_t *verdicts;     /* rules by stratum, then verdict type */
    const uint64_t *verdict_read; /* bit per rule */

    const ct_graph_paths *graphs;  /* per graph of the plan; NULL without S6, S7 */
    const uint64_t *steps_reached; /* bit per step of the plan */

    const ct_bound *rule_bounds, *condition_bounds; /* NULL without S7 */

    bool verdicts_unique; /* S8 */
} ct_analysis;

/* Asked now and then: false stops the analysis. */
typedef struct ct_watcher {
    bool (*go_on)(void *context, const char *what, uint64_t done, uint64_t all);
    void *context;
} ct_watcher;

typedef struct ct_analyze_options {
    uint32_t only; /* 0: everything */
    /* Bit per entity, or NULL: others move it too, as members of a System do, so it may
     * be in any of its states, and who moves it is not for this contract to say. */
    const uint64_t *shared;
    size_t reach_states; /* joint states of one search; 0: the limit's default */
    ct_watcher watcher;
} ct_analyze_options;

/* `options` may be NULL. Findings are added to `fs`, sorted; only those of what was
 * asked for. */
const ct_analysis *ct_analyze(mt_arena *keep, const ct_plan *p,
                              const ct_analyze_options *options, ct_findings *fs);

/* ---- questions ---- */

/* May the operation ever succeed, by types alone? */
bool ct_admissible(const ct_analysis *an, uint32_t op);
bool ct_may_invoke(const ct_analysis *an, uint32_t op, uint32_t persona);
/* S3a, S4: the admissible operations of the persona that leave the state. Returns how
 * many; `out` has room for the moves of the state. */
uint32_t ct_operations_in(const ct_analysis *an, uint32_t persona, uint32_t entity,
                          uint32_t state, uint32_t *out);
/* Can the persona move the entity at all? */
bool ct_has_authority(const ct_analysis *an, uint32_t persona, uint32_t entity);
/* Number of the state among the states of all entities. */
static inline uint32_t ct_state_number(const ct_analysis *an, uint32_t entity,
                                       uint32_t state)
{
    return an->first_state[entity] + state;
}

/* S2, S4: which states of each entity the persona (CT_NONE: all of them together) can
 * bring about from the initial states with its own admissible operations, one instance
 * of each entity, each operation as it executes. In `a`, per entity; `declared` is not
 * filled in. `tmp` is another arena, for the search. */
ct_reach *ct_reached_by(mt_arena *a, mt_arena *tmp, const ct_analysis *an,
                        const uint64_t *shared, uint32_t persona);

/* ---- S6, path by path ---- */

typedef struct ct_path_state {
    uint32_t entity, state;
} ct_path_state;

/* One path with the states it leaves behind. Valid while it is visited. */
typedef struct ct_path_visit {
    const ct_way *way;
    bool possible; /* conditions and states fit together, as far as types tell */
    /* For every entity an operation of the path moved: the states it may end in. */
    const ct_path_state *states;
    uint32_t state_count;
} ct_path_visit;

/* Visits at most `most` paths of a graph, sub-flows and branches expanded. false: there
 * are more. */
bool ct_each_path(const ct_analysis *an, uint32_t graph, size_t most,
                  bool (*visit)(void *context, const ct_path_visit *path),
                  void *context);

/* ---- parts, for the files of this directory and their tests ---- */

typedef struct ct_analyzer {
    mt_arena *keep;
    mt_arena scratch;
    ct_analysis *an;
    ct_findings *fs;
    ct_watcher watcher;
    const uint64_t *shared; /* as in the options */
    ct_graph_paths *graphs; /* an->graphs, while it is made */
    ct_edges transitions;   /* of all entities; the tag is the entity */
    ct_edges effects;       /* of all operations; the tag is the operation */
} ct_analyzer;

void ct_s1_states(ct_analyzer *z);
void ct_s2_reach(ct_analyzer *z);
void ct_s3_truths(ct_analyzer *z);
void ct_s3_admissible(ct_analyzer *z);
void ct_s4_authority(ct_analyzer *z);
void ct_s5_space(ct_analyzer *z);
void ct_s6_count(ct_analyzer *z);
void ct_s6_states(ct_analyzer *z); /* after S2, S3a and the count */
void ct_s6_findings(ct_analyzer *z);
void ct_s7_bounds(ct_analyzer *z);
void ct_s8_unique(ct_analyzer *z);

/* Was it asked for? */
static inline bool ct_wants(const ct_analyzer *z, ct_obligation o)
{
    return (z->an->only >> o) & 1;
}

static inline bool ct_is_shared(const ct_analyzer *z, uint32_t entity)
{
    return z->shared && ct_bit(z->shared, entity);
}

/* false: stop. */
bool ct_go_on(ct_analyzer *z, const char *what, uint64_t done, uint64_t all);

/* Adds a finding about a construct; `hint` is the code's. */
void ct_report_finding(ct_analyzer *z, const char *code, mt_severity severity,
                       const char *kind, mt_str construct, mt_str part,
                       ct_origin origin, const char *format, ...)
    __attribute__((format(printf, 8, 9)));

/* The truth values of a predicate, given those of the rules before it. */
ct_truth ct_truth_of(const ct_model *m, const uint8_t *rule_truth, const ct_expr *e);
/* S7: the bound of one expression. */
ct_bound ct_bound_of(mt_arena *a, const ct_expr *e);
/* The flow a graph is, or is somewhere in. */
uint32_t ct_flow_of(const ct_plan *p, uint32_t graph);
/* The steps of a graph that its entry leads to, each before those it leads to. Plan
 * indices in `a`. */
uint32_t ct_steps_in_order(mt_arena *a, const ct_plan *p, uint32_t graph,
                           const uint32_t **steps);

#endif

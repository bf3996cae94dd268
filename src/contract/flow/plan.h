/* contract/flow/plan.h - operations and flows compiled to arrays.
 * Room: contract. May include base/ and contract/ only.
 * Everything is an index: steps of all flows and of all parallel branches lie in one
 * array, targets in another, and a name is looked up only when it is printed. A plan
 * is built once per program and is immutable, so threads may share it.
 * Ownership: a plan lives in the arena given to ct_plan_build(); its names borrow from
 * the model of the program, which must live as long. */
#ifndef CT_FLOW_PLAN_H
#define CT_FLOW_PLAN_H

#include "contract/eval/program.h"

/* One transition an operation may cause. */
typedef struct ct_plan_effect {
    uint32_t entity, from, to; /* of one outcome those on one entity stand together */
} ct_plan_effect;

/* The effects of one outcome: those on one entity stand together, in the order in
 * which the entities are first mentioned, and have different source states. */
typedef struct ct_plan_outcome {
    mt_str label;
    uint32_t first_effect, effect_count;
} ct_plan_outcome;

typedef struct ct_plan_op {
    uint32_t condition; /* precondition, of the model's conditions, or CT_NONE */
    uint32_t first_outcome, outcome_count;
    const uint64_t *allowed; /* bit set of personas */
} ct_plan_op;

/* Where a step leads: another step, or the end of its graph with an outcome. CT_NONE
 * for both: not given. */
typedef struct ct_plan_target {
    uint32_t step, terminal; /* one of both, or neither: nowhere */
} ct_plan_target;

/* One operation that undoes something. */
typedef struct ct_plan_undo {
    uint32_t op, persona;
    uint32_t on_failure; /* terminal */
} ct_plan_undo;

typedef struct ct_plan_handler {
    ct_handler_kind kind;
    uint32_t persona;    /* escalate: to whom */
    ct_plan_target next; /* where it leads in the end */
    uint32_t first_undo, undo_count;
} ct_plan_handler;

typedef struct ct_plan_step {
    ln_step kind; /* for its name */
    ln_doing does;
    uint32_t graph;
    mt_str id;
    uint32_t persona, to_persona; /* as in ct_step, and so is what the step does */
    uint32_t what;                /* op, condition, or the graph of a flow */
    uint32_t first_target, target_count;
    ct_plan_handler handler;             /* on_failure; parallel: on_any_failure */
    uint32_t first_branch, branch_count; /* graphs, one after the other */
} ct_plan_step;

/* The steps of a flow, or of one branch of a parallel step. */
typedef struct ct_plan_graph {
    mt_str id;      /* of the flow, or of the branch */
    uint32_t entry; /* a step of this graph */
    uint32_t first_step, step_count;
    uint32_t owner;     /* parallel step of a branch; CT_NONE: a flow */
    uint64_t *entities; /* bit set: what it can change, transitively */
} ct_plan_graph;

typedef struct ct_plan_terminal {
    mt_str name;
    bool failed; /* "failure" and "escalation"; every other name is success */
} ct_plan_terminal;

typedef struct ct_plan {
    const ct_program *program; /* NULL: made by ct_plan_of_model() */
    const ct_model *model;
    const ct_plan_effect *effects;
    const ct_plan_outcome *outcomes;
    const ct_plan_op *ops; /* as in the model */
    const ct_plan_step *steps;
    const ct_plan_target *targets;
    const ct_plan_undo *undos;
    const ct_plan_graph *graphs; /* the flows first, as in the model */
    const ct_plan_terminal *terminals;
    uint32_t outcome_count, step_count, graph_count, terminal_count;
    uint32_t entity_words;              /* of a bit set of entities */
    uint32_t max_changes, max_outcomes; /* of any one operation */
} ct_plan;

/* MT_OK: *out is set. MT_E_REJECTED: `ds` holds at least one error: parallel branches
 * that can change the same entity, or effects of one outcome that contradict. */
mt_err ct_plan_build(mt_arena *keep, const ct_program *program, mt_diags *ds,
                     const ct_plan **out);
/* The same without a program, for what looks at flows and never runs one. */
mt_err ct_plan_of_model(mt_arena *keep, const ct_model *m, mt_diags *ds,
                        const ct_plan **out);

/* Index by name, CT_NONE if there is none. */
uint32_t ct_plan_terminal_named(const ct_plan *p, mt_str name);
uint32_t ct_plan_step_named(const ct_plan *p, uint32_t graph, mt_str id);
/* The outcome of plan->outcomes with this label. */
uint32_t ct_plan_outcome_named(const ct_plan *p, uint32_t op, mt_str label);

/* Marks, in a bit set, the conditions that a run of the graph may evaluate: its own,
 * and those of sub-flows, branches and compensations. */
void ct_plan_conditions(mt_arena *tmp, const ct_plan *p, uint32_t graph,
                        uint64_t *conditions);

mt_str ct_plan_state_id(const ct_plan *p, uint32_t entity, uint32_t state);

static inline bool ct_bit(const uint64_t *words, uint32_t bit)
{
    return (words[bit >> 6] >> (bit & 63)) & 1;
}

static inline void ct_bit_set(uint64_t *words, uint32_t bit)
{
    words[bit >> 6] |= (uint64_t)1 << (bit & 63);
}

static inline mt_str ct_entity_id(const ct_plan *p, uint32_t entity)
{
    return p->model->entities[entity].id;
}

static inline mt_str ct_operation_id(const ct_plan *p, uint32_t op)
{
    return p->model->operations[op].id;
}

static inline mt_str ct_persona_id(const ct_plan *p, uint32_t persona)
{
    return p->model->personas[persona].id;
}

#endif

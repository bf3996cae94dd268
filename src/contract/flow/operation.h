/* contract/flow/operation.h - one operation: persona, precondition, outcome, effects.
 * Room: contract. May include base/ and contract/ only.
 * The sequence is fixed: (1) persona check, (2) precondition, (3) outcome by the
 * current states. What comes out is a typed error or *proposed* changes: applying them
 * (4) and recording them (5) is the host's part, and a dry run is the same call whose
 * result nobody applies. */
#ifndef CT_FLOW_OPERATION_H
#define CT_FLOW_OPERATION_H

#include "contract/flow/plan.h"

/* ORDER of the fixed sequence. The names are error types as an error_contract lists
 * them. */
/* clang-format off */
#define CT_OP_ERROR_MAP(X)                          \
    X(NONE,         "")                             \
    X(PERSONA,      "persona_rejected")             \
    X(PRECONDITION, "precondition_failed")          \
    X(EVALUATION,   "evaluation_error")             \
    X(INSTANCE,     "unknown_instance")             \
    X(STATE,        "invalid_source_state")         \
    X(AMBIGUOUS,    "ambiguous_outcome")            \
    X(OUTCOME,      "unknown_outcome")
/* clang-format on */

typedef enum ct_op_error {
#define CT_OP_ERROR_ENUM(name, text) CT_OP_##name,
    CT_OP_ERROR_MAP(CT_OP_ERROR_ENUM)
#undef CT_OP_ERROR_ENUM
        CT_OP_ERROR_COUNT
} ct_op_error;

/* "precondition_failed"; empty for CT_OP_NONE. */
mt_str ct_op_error_name(ct_op_error error);
/* CT_OP_ERROR_COUNT for a name that is none. */
ct_op_error ct_op_error_named(mt_str name);
/* Does the operation's error_contract name this error? */
bool ct_op_declares(const ct_operation *op, ct_op_error error);

/* A proposed transition of the instance bound to `entity`. */
typedef struct ct_change {
    uint32_t entity, from, to; /* states by index */
} ct_change;

/* The frozen universe of one run: facts and verdicts computed once, and working room
 * that belongs to one thread. Borrows all three. */
typedef struct ct_frozen {
    const ct_plan *plan;
    ct_snapshot snapshot;
    ct_verdicts *scratch; /* never snapshot.verdicts */
} ct_frozen;

typedef struct ct_attempt {
    ct_op_error error;     /* CT_OP_NONE: it may be done */
    uint32_t outcome;      /* of plan->outcomes; CT_NONE on error */
    uint32_t change_count; /* written to `changes` */
    uint32_t entity;       /* INSTANCE, STATE: which entity is in the way */
    uint32_t state;        /* STATE: the state it is in */
    mt_str fault;          /* EVALUATION: why the precondition has no value */
    ct_fault_kind kind;    /* likewise */
} ct_attempt;

/* Which outcomes match the current states; at most `room` are written, the number that
 * match is returned. `states` maps entity to state, CT_NONE: no such instance. */
uint32_t ct_op_matching(const ct_plan *p, uint32_t op, const uint32_t *states,
                        uint32_t *matching, uint32_t room);

/* Steps 1 to 3. `wanted` is an outcome of plan->outcomes the caller names, or CT_NONE;
 * it is needed only where several match. `changes` has room for plan->max_changes.
 * `texts` is written to only when the precondition has no value. */
void ct_op_try(const ct_frozen *z, uint32_t op, uint32_t persona,
               const uint32_t *states, uint32_t wanted, mt_arena *texts,
               ct_attempt *out, ct_change *changes);

/* The sentence of an error, as the conformance suite writes it. `instance` is the one
 * bound to attempt->entity, `persona` the name of who tried. */
void ct_op_error_text(mt_buf *out, const ct_plan *p, uint32_t op, mt_str persona,
                      const ct_attempt *attempt, mt_str instance);

#endif

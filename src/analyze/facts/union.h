/* analyze/facts/union.h - a contract, or the members of a System as one.
 * Room: analyze. May include base/ and contract/ only.
 * Members keep their facts and rules; what they share (entities, personas) is one
 * thing here, so that a search of joint states goes across them. The plan of a union
 * has entities, personas, operations, outcomes and effects and nothing else; operations
 * of a System have names MEMBER.OPERATION. Of one contract it is that contract's plan.
 * Ownership: a union lives in the arena given and borrows from programs and System. */
#ifndef AN_ANALYZE_UNION_H
#define AN_ANALYZE_UNION_H

#include "analyze/facts/system.h"

typedef struct an_union_member {
    mt_str id; /* empty: the only one, and not a System's */
    const ct_program *program;
    const ct_plan *plan;
    const uint32_t *entities, *personas; /* by its own number: the union's */
    const uint32_t *const *states;       /* by its own entity and state: the union's */
    const uint32_t *own_entities;        /* by the union's: its own, or CT_NONE */
    uint32_t first_operation;            /* of the union's */
    uint32_t first_outcome;
} an_union_member;

typedef struct an_union {
    const an_sys *system; /* NULL: one contract */
    const ct_plan *plan;
    an_union_member *members;
    uint32_t member_count;
    const uint32_t *member_of; /* by operation */
    /* Why states cannot be followed (members begin a shared entity differently, or one
     * is not there); empty: they can. */
    mt_str gap;
} an_union;

/* MT_E_REJECTED: the engine refuses the contract, `ds` says why. */
mt_err an_union_of(mt_arena *a, const ct_program *program, mt_diags *ds, an_union *out);
/* `programs` has one for each member of the System; NULL: it is not there. */
mt_err an_union_of_system(mt_arena *a, const an_sys *system,
                          const ct_program *const *programs, mt_diags *ds,
                          an_union *out);

/* A state of the union as the member numbers it. */
uint32_t an_union_own_state(const an_union_member *m, uint32_t own_entity,
                            uint32_t state);
/* The member's own number of an operation of the union, and of an outcome. */
uint32_t an_union_own_operation(const an_union *u, uint32_t operation);
uint32_t an_union_own_outcome(const an_union *u, uint32_t operation, uint32_t outcome);

/* Bit per operation: what the persona may perform, and what flows perform as somebody
 * else because triggers start them when a flow ends that it can take to its end by
 * itself. Never too little. *more: triggers add something. */
const uint64_t *an_union_caused(mt_arena *a, const an_union *u, uint32_t persona,
                                bool *more);

#endif

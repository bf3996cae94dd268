/* contract/flow/partly_actions.h - what a persona can do now, some facts unknown.
 * Room: contract. May include base/ and contract/ only.
 * A flow is open, blocked, or open on a condition over what is unknown: the branches
 * before its first operations and their preconditions. Personas and states are known.
 * Ownership: lives in the arena given, borrows from the plan, states and ct_partial. */
#ifndef CT_FLOW_PARTLY_ACTIONS_H
#define CT_FLOW_PARTLY_ACTIONS_H

#include "contract/flow/action_space.h"
#include "contract/flow/partly.h"

typedef struct ct_partly_flow {
    uint32_t flow;
    ct_partly state;      /* ABSENT: blocked; PRESENT: open; OPEN: depends */
    const ct_expr *when;  /* OPEN */
    uint64_t *operations; /* bit per operation that can come first */
    ct_blocked *blocked; /* ABSENT: what stands in the way, on the first way there is */
    size_t blocked_count;
} ct_partly_flow;

typedef struct ct_partly_space {
    mt_str persona;
    ct_partly_flow *flows; /* as declared */
    uint32_t count;
} ct_partly_space;

void ct_partly_actions(mt_arena *a, ct_partial *x, const ct_plan *p,
                       const ct_states *states, mt_str persona, ct_partly_space *out);
/* {"flows","persona_id","unknown"} */
void ct_partly_actions_json(mt_buf *out, ct_partial *x, const ct_plan *p,
                            const ct_partly_space *space);
void ct_partly_actions_lines(mt_buf *out, ct_partial *x, const ct_plan *p,
                             const ct_partly_space *space);

#endif

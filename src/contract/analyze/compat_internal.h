/* contract/analyze/compat_internal.h - what the files of the compatibility check share.
 * Room: contract. compat.c finds the run in the new plan and checks the steps,
 * compat_snapshot.c asks conditions of the frozen snapshot (FMC2, FMC4),
 * compat_entity.c looks at entities and their states (FMC3, FMC4). */
#ifndef CT_COMPAT_INTERNAL_H
#define CT_COMPAT_INTERNAL_H

#include "contract/analyze/compat.h"
#include "contract/analyze/compat_walk.h"
#include "contract/flow/paths.h"

typedef struct ct_checker {
    mt_arena *a;
    const ct_run *run;
    const ct_plan *old, *p;
    uint32_t flow;    /* in the new plan */
    uint32_t *states; /* per new entity: current state, or CT_NONE */
    ct_walk walk;     /* all that can follow */
    ct_walk live;     /* what the frozen snapshot leaves of it; aggressive only */
    ct_walk before;   /* what could follow under the old contract */
    uint64_t *leads;  /* states that transitions lead to from the current ones */
    ct_facts *facts;  /* the snapshot, carried over */
    ct_verdicts *verdicts, *scratch, *old_scratch;
    ct_carry carry;
    uint8_t *values;       /* per condition of the new model: value */
    uint8_t *entity_noted; /* per new entity */
    uint8_t *matched;      /* per new graph: are its steps in `was`? */
    uint32_t *was;         /* per new step: the old step of the same name, or CT_NONE */
    ct_compatibility *out;
} ct_checker;

/* Where an operation is invoked. */
typedef struct ct_place {
    uint32_t step;       /* in the new plan */
    uint32_t was;        /* that step in the old one, or CT_NONE */
    uint32_t undo;       /* which compensation of the step, or CT_NONE: the step */
    const uint64_t *set; /* states the entities may then have */
} ct_place;

/* ---- What is said ---------------------------------------------------------------- */

/* An obstacle at a step (CT_NONE: at none). */
__attribute__((format(printf, 5, 6))) void
ct_compat_oppose(ct_checker *c, ct_obstacle_kind kind, uint32_t step, mt_str subject,
                 const char *format, ...);
/* Likewise, but it hinders nothing. */
void ct_compat_note(ct_checker *c, ct_obstacle_kind kind, uint32_t step, mt_str subject,
                    mt_str reason);

/* ---- The snapshot ---------------------------------------------------------------- */

void ct_compat_open(ct_checker *c);
void ct_compat_close(ct_checker *c);
/* For ct_walk: 1 true, 0 false, -1 not known. */
int ct_compat_decided(void *checker, uint32_t condition);
/* A condition that a reached step asks: says what it lacks. Is it false? */
bool ct_compat_is_false(ct_checker *c, uint32_t step, uint32_t condition);
/* The precondition of this operation is false. */
void ct_compat_refusal(ct_checker *c, uint32_t step, uint32_t op);

/* ---- Entities -------------------------------------------------------------------- */

/* The state the entity of the old contract is in, by name; empty: none. */
mt_str ct_compat_state(const ct_checker *c, uint32_t entity);
bool ct_compat_bound(const ct_checker *c, uint32_t entity);
/* An entity that an operation on the way can change; checked once. */
void ct_compat_entity(ct_checker *c, uint32_t step, uint32_t entity);
/* All entities an operation changes, and the states it starts from. */
void ct_compat_effects(ct_checker *c, const ct_place *at, uint32_t op);

#endif

/* analyze/version/compat_internal.h - what the files of the compatibility check share.
 * Room: analyze. compat.c finds the run in the new plan and checks the steps,
 * compat_snapshot.c asks conditions of the frozen snapshot (FMC2, FMC4),
 * compat_entity.c looks at entities and their states (FMC3, FMC4). */
#ifndef AN_COMPAT_INTERNAL_H
#define AN_COMPAT_INTERNAL_H

#include "analyze/version/compat.h"
#include "analyze/version/compat_walk.h"
#include "contract/flow/paths.h"

typedef struct an_checker {
    mt_arena *a;
    const ct_run *run;
    const ct_plan *old, *p;
    uint32_t flow;    /* in the new plan */
    uint32_t *states; /* per new entity: current state, or CT_NONE */
    an_walk walk;     /* all that can follow */
    an_walk live;     /* what the frozen snapshot leaves of it; aggressive only */
    an_walk before;   /* what could follow under the old contract */
    uint64_t *leads;  /* states that transitions lead to from the current ones */
    ct_facts *facts;  /* the snapshot, carried over */
    ct_verdicts *verdicts, *scratch, *old_scratch;
    ct_carry carry;
    uint8_t *values;       /* per condition of the new model: value */
    uint8_t *entity_noted; /* per new entity */
    uint8_t *matched;      /* per new graph: are its steps in `was`? */
    uint32_t *was;         /* per new step: the old step of the same name, or CT_NONE */
    an_compatibility *out;
} an_checker;

/* Where an operation is invoked. */
typedef struct an_place {
    uint32_t step;       /* in the new plan */
    uint32_t was;        /* that step in the old one, or CT_NONE */
    uint32_t undo;       /* which compensation of the step, or CT_NONE: the step */
    const uint64_t *set; /* states the entities may then have */
} an_place;

/* ---- What is said ---- */

/* An obstacle at a step (CT_NONE: at none). */
__attribute__((format(printf, 5, 6))) void
an_compat_oppose(an_checker *c, an_obstacle_kind kind, uint32_t step, mt_str subject,
                 const char *format, ...);
/* Likewise, but it hinders nothing. */
void an_compat_note(an_checker *c, an_obstacle_kind kind, uint32_t step, mt_str subject,
                    mt_str reason);

/* ---- The snapshot ---- */

/* Carries the frozen snapshot over; an_compat_close() frees what that takes. */
void an_compat_open(an_checker *c);
void an_compat_close(an_checker *c);
/* For an_walk: 1 true, 0 false, -1 not known. */
int an_compat_decided(void *checker, uint32_t condition);
/* A condition that a reached step asks: says what it lacks. Is it false? */
bool an_compat_is_false(an_checker *c, uint32_t step, uint32_t condition);
/* The precondition of this operation is false. */
void an_compat_refusal(an_checker *c, uint32_t step, uint32_t op);

/* ---- Entities ---- */

/* The state the entity of the old contract is in, by name; empty: none. */
mt_str an_compat_state(const an_checker *c, uint32_t entity);
/* Has the flow an instance of it? */
bool an_compat_bound(const an_checker *c, uint32_t entity);
/* An entity that an operation on the way can change; checked once. */
void an_compat_entity(an_checker *c, uint32_t step, uint32_t entity);
/* All entities an operation changes, and the states it starts from. */
void an_compat_effects(an_checker *c, const an_place *at, uint32_t op);

/* ---- What steps use ---- */

/* Calls `meet` for every construct the step uses: personas, operations, the entities
 * they change, a sub-flow. Some may be met twice. */
typedef void an_meet(void *state, mt_str kind, mt_str id, mt_str step);
void an_step_meets(const ct_plan *p, const ct_plan_step *s, an_meet *meet, void *state);
/* Begins where the run stands, or without one at the flow's entry; no entity has a
 * state. */
void an_walk_seed_run(an_walk *w, uint32_t flow, const ct_run *run);

#endif

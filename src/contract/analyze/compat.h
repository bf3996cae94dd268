/* contract/analyze/compat.h - can a flow that is under way go on under a new version?
 * Room: contract. May include base/ and contract/ only.
 * The conditions FMC1 to FMC7 of spec §18.6, for one flow instance: its position, the
 * states of its entities and its frozen snapshot. Walks the new contract's steps; the
 * old one only says where the instance stands. Pure: nothing is changed (FMC7).
 *
 * A host takes the instance up with ct_position_read() under the old plan and its
 * frozen snapshot, sets the current states with ct_run_set_state(), and asks
 * ct_compat(). If the answer is yes, ct_position_carry() gives the position and
 * ct_snapshot_carry() (eval/carry.h) the snapshot with which ct_position_read() takes
 * it up under the new plan.
 *
 * Layers: 1 verdicts (always passes, the snapshot is immutable), 2 entity states,
 * 3 structure and data dependencies.
 * Ownership: results live in the arena given. */
#ifndef CT_ANALYZE_COMPAT_H
#define CT_ANALYZE_COMPAT_H

#include "contract/analyze/diff.h"
#include "contract/eval/carry.h"
#include "contract/flow/run.h"

/* ORDER CT_OBSTACLE_NAMES. */
typedef enum ct_obstacle_kind {
    CT_NO_FLOW,         /* FMC1: the flow is gone */
    CT_NO_STEP,         /* FMC1: the step it stands at is gone */
    CT_OTHER_STEP,      /* FMC1: another kind of step, operation, sub-flow */
    CT_OTHER_HANDLER,   /* FMC1: the compensation under way is another one */
    CT_OTHER_BRANCHES,  /* FMC1: the parallel step under way has other branches */
    CT_NO_JOIN,         /* FMC1: a parallel step may end without a way on */
    CT_PERSONA_REFUSED, /* FMC2d: the step's persona may not invoke the operation */
    CT_FACT_MISSING,    /* FMC2a: neither frozen nor with a default */
    CT_FACT_MISFIT,     /* FMC2a: the frozen value is none of the new type */
    CT_PAYLOAD_MISFIT,  /* FMC2b: likewise for a verdict's payload */
    CT_NO_VALUE,        /* FMC2: a condition has no value on this snapshot */
    CT_VERDICT_LACKING, /* FMC4: a new dependency on a verdict the snapshot lacks */
    CT_ENTITY_UNBOUND,  /* FMC3: no instance is bound to an entity it needs */
    CT_STATE_REMOVED,   /* FMC3: the current state is gone */
    CT_STATE_UNREACHED, /* FMC3: no transitions lead to the source state */
    CT_STATE_NOT_SET,   /* FMC4: no step on the way sets it, as v1's did */
    CT_PARENT_CHANGED,  /* FMC3: the entity hierarchy changed */
    CT_OBSTACLE_COUNT
} ct_obstacle_kind;

typedef struct ct_obstacle {
    ct_obstacle_kind kind;
    uint8_t layer;         /* 2 or 3 */
    const char *condition; /* "FMC1", … */
    mt_str flow, step;     /* in the new contract; step may be empty */
    mt_str subject;        /* entity, operation, fact, verdict or persona concerned */
    mt_str reason;         /* one sentence */
} ct_obstacle;

typedef struct ct_obstacles {
    ct_obstacle *items;
    size_t len, cap;
} ct_obstacles;

typedef struct ct_compatibility {
    bool compatible;
    uint8_t layer;          /* the first that fails, or 0 */
    bool passes[3];         /* by layer - 1 */
    ct_obstacles obstacles; /* those of the first failing layer first */
    ct_obstacles notes;     /* no obstacles, but worth knowing: operations that will be
                               refused because a precondition became false */
} ct_compatibility;

typedef struct ct_compat_options {
    bool aggressive; /* leave out steps that the frozen snapshot rules out (§18.6.11) */
} ct_compat_options;

/* "no_flow", … and the condition it belongs to. */
const char *ct_obstacle_name(ct_obstacle_kind kind);

/* `run` stands under the old plan; it is not changed. A run that has ended is
 * compatible: nothing of it will run. */
void ct_compat(mt_arena *a, const ct_run *run, const ct_plan *next,
               const ct_compat_options *options, ct_compatibility *out);

/* Appends the position of a compatible run as the new contract reads it: open frames
 * and what they need. Records of finished steps stay with the old version. */
void ct_position_carry(mt_buf *out, const ct_run *run, const ct_plan *next);

/* ---- Flows and changes (spec §18.4, abort; §18.3, M5) ---------------------------- */

/* One change a flow meets on its way. */
typedef struct ct_touch {
    const ct_diff_entry *entry;
    mt_str step; /* of the old flow, the first that meets it; empty: the flow itself */
} ct_touch;

typedef struct ct_touches {
    ct_touch *items;
    size_t len, cap;
} ct_touches;

/* The breaking changes (M6 included) of constructs that old flow `flow` traverses: the
 * flow itself, sub-flows, operations, their entities and the personas of its steps.
 * Rules, facts and sources are not among them: what a flow knows of them is frozen.
 * With `run`, only what it can still reach. By kind, then id. */
void ct_flow_touches(mt_arena *a, const ct_diff *d, const ct_plan *old, uint32_t flow,
                     const ct_run *run, ct_touches *out);

#endif

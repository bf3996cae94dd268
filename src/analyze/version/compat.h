/* analyze/version/compat.h - can a flow that is under way go on under a new version?
 * Room: analyze. May include base/ and contract/ only.
 * The conditions FMC1 to FMC7 of spec §18.6, for one flow instance: its position, the
 * states of its entities and its frozen snapshot. Walks the new contract's steps; the
 * old one only says where the instance stands. Pure: nothing is changed (FMC7).
 *
 * A host takes the instance up with ct_position_read() under the old plan and its
 * frozen snapshot, sets the current states with ct_run_set_state(), and asks
 * an_compat(). If the answer is yes, an_position_carry() gives the position and
 * ct_snapshot_carry() (eval/carry.h) the snapshot with which ct_position_read() takes
 * it up under the new plan.
 *
 * Layers: 1 verdicts (always passes, the snapshot is immutable), 2 entity states,
 * 3 structure and data dependencies.
 * Ownership: results live in the arena given. */
#ifndef AN_ANALYZE_COMPAT_H
#define AN_ANALYZE_COMPAT_H

#include "analyze/version/diff.h"
#include "contract/eval/carry.h"
#include "contract/flow/run.h"

typedef enum an_obstacle_kind {
    AN_NO_FLOW,         /* FMC1: the flow is gone */
    AN_NO_STEP,         /* FMC1: the step it stands at is gone */
    AN_OTHER_STEP,      /* FMC1: another kind of step, operation, sub-flow */
    AN_OTHER_HANDLER,   /* FMC1: the compensation under way is another one */
    AN_OTHER_BRANCHES,  /* FMC1: the parallel step under way has other branches */
    AN_NO_JOIN,         /* FMC1: a parallel step may end without a way on */
    AN_PERSONA_REFUSED, /* FMC2d: the step's persona may not invoke the operation */
    AN_FACT_MISSING,    /* FMC2a: neither frozen nor with a default */
    AN_FACT_MISFIT,     /* FMC2a: the frozen value is none of the new type */
    AN_PAYLOAD_MISFIT,  /* FMC2b: likewise for a verdict's payload */
    AN_NO_VALUE,        /* FMC2: a condition has no value on this snapshot */
    AN_VERDICT_LACKING, /* FMC4: a new dependency on a verdict the snapshot lacks */
    AN_ENTITY_UNBOUND,  /* FMC3: no instance is bound to an entity it needs */
    AN_STATE_REMOVED,   /* FMC3: the current state is gone */
    AN_STATE_UNREACHED, /* FMC3: no transitions lead to the source state */
    AN_STATE_NOT_SET,   /* FMC4: no step on the way sets it, as v1's did */
    AN_PARENT_CHANGED,  /* FMC3: the entity hierarchy changed */
    AN_OBSTACLE_COUNT
} an_obstacle_kind;

typedef struct an_obstacle {
    an_obstacle_kind kind;
    uint8_t layer;         /* 2 or 3 */
    const char *condition; /* "FMC1", … */
    mt_str flow, step;     /* in the new contract; step may be empty */
    mt_str subject;        /* entity, operation, fact, verdict or persona concerned */
    mt_str reason;         /* one sentence */
    bool
        inherited; /* an_compat_worse(): the old version has it too, on the same ways */
} an_obstacle;

typedef struct an_obstacles {
    an_obstacle *items;
    size_t len, cap;
} an_obstacles;

typedef struct an_compatibility {
    bool compatible;
    bool worse;             /* an_compat_worse(): some obstacle is not inherited */
    uint8_t layer;          /* the first that fails, or 0 */
    bool passes[3];         /* by layer - 1 */
    an_obstacles obstacles; /* those of the first failing layer first */
    an_obstacles notes;     /* no obstacles, but worth knowing: operations that will be
                               refused because a precondition became false */
} an_compatibility;

typedef struct an_compat_options {
    bool aggressive; /* leave out steps that the frozen snapshot rules out (§18.6.11) */
} an_compat_options;

/* "no_flow", … and the condition it belongs to. */
const char *an_obstacle_name(an_obstacle_kind kind);

/* `run` stands under the old plan; it is not changed. A run that has ended is
 * compatible: nothing of it will run. */
void an_compat(mt_arena *a, const ct_run *run, const ct_plan *next,
               const an_compat_options *options, an_compatibility *out);

/* Which obstacles are the new version's doing? `out` is what an_compat() found with
 * these options, `d` the diff of the two versions. The same run is judged as if nothing
 * had changed; an obstacle is inherited if it is there too, word for word, and no
 * construct on any way to it has changed. Then whatever the run does up to there, it
 * does under both versions; all other obstacles make it worse. */
void an_compat_worse(mt_arena *a, const ct_run *run, const an_diff *d,
                     const an_compat_options *options, an_compatibility *out);

/* Appends the position of a compatible run as the new contract reads it: open frames
 * and what they need. Records of finished steps stay with the old version. */
void an_position_carry(mt_buf *out, const ct_run *run, const ct_plan *next);

/* ---- Flows and changes (spec §18.4, abort; §18.3, M5) ---- */

/* One change a flow meets on its way. */
typedef struct an_touch {
    const an_diff_entry *entry; /* a change that concerns the flow */
    mt_str step; /* of the old flow, the first that meets it; empty: the flow itself */
} an_touch;

typedef struct an_touches {
    an_touch *items;
    size_t len, cap;
} an_touches;

/* The breaking changes (M6 included) of constructs that old flow `flow` traverses: the
 * flow itself, sub-flows, operations, their entities and the personas of its steps.
 * Rules, facts and sources are not among them: what a flow knows of them is frozen.
 * With `run`, only what it can still reach. By kind, then id. */
void an_flow_touches(mt_arena *a, const an_diff *d, const ct_plan *old, uint32_t flow,
                     const ct_run *run, an_touches *out);

#endif

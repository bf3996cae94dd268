/* analyze/facts/joint.h - which joint states operations lead to, as they execute.
 * Room: analyze. May include base/ and contract/ only.
 * A joint state says of every instance which state it is in. An outcome applies where
 * each entity it moves is in the source of one of its effects (spec 9.2, 9.4.1); where
 * several outcomes of an operation apply the caller names one, so each is a step of its
 * own. Predicates never read states (10.6), so whether a precondition can hold is asked
 * once per operation, of the scene, and each step has facts of its own. Flows add
 * nothing: each of their steps is an operation by a persona it allows.
 * Two answers: the *outline* looks at each entity by itself, is linear, and what it
 * does not have cannot be, with however many instances; the *search* is exact for a
 * number of instances, up to a number of joint states. A search goes node by node and
 * may be taken up again, so several questions can share one.
 * Ownership: everything lives in the arena given and borrows the scene and its plan. */
#ifndef AN_ANALYZE_JOINT_H
#define AN_ANALYZE_JOINT_H

#include "base/vec.h"
#include "contract/flow/operation.h"

/* The second: entities one outcome moves, in a search. */
enum { AN_MOST_INSTANCES = 9, AN_MOST_CHANGES = 1000 };

/* What a mark must not be. */
#define AN_LEFT_OUT UINT32_MAX

/* One outcome taken in a joint state. */
typedef struct an_joint_step {
    uint32_t operation, outcome;
    const ct_change *changes;
    const uint32_t *instances; /* of each change: which instance, from 0 */
    uint32_t change_count;
} an_joint_step;

/* Who acts on what. */
typedef struct an_setting {
    const ct_plan *plan;
    /* Bit per entity, or NULL: others move it too, so it may be in any state. */
    const uint64_t *shared;
    uint32_t persona;     /* who performs operations; CT_NONE: everybody */
    const uint64_t *only; /* bit per operation that may be performed; NULL: each */
    uint32_t instances;   /* of each entity type, 1 to AN_MOST_INSTANCES */
    size_t most;          /* joint states of one search */
    /* Can its precondition hold? Asked only about operations whose turn it could be. */
    bool (*may)(void *context, uint32_t op);
    void *context;
    /* Does history matter? `mark` says which marks a run has after a step, given those
     * before it; AN_LEFT_OUT: the step is not taken. Runs that come to the same states
     * with other marks are told apart. NULL: no marks. */
    uint32_t (*mark)(void *context, uint32_t marks, const an_joint_step *step);
    uint32_t apart; /* entity + 1 whose first instance is like no other; 0: none */
    bool unlike;    /* no instance stands for another: all there are are followed */
} an_setting;

/* ---- each entity by itself ---- */

typedef struct an_outline {
    const uint32_t *first_state; /* per entity and one more: numbers all states */
    const uint32_t *operation;   /* of each outcome of the plan */
    const uint64_t *states;      /* bit per state: may be reached */
    const uint64_t *outcomes;    /* bit per outcome: may be taken */
    /* Per entity: a number that those have in common whose states depend on each other
     * by outcomes that may be taken. */
    const uint32_t *group;
} an_outline;

/* Each entity by itself: may say too much, never too little. */
an_outline an_outline_of(mt_arena *a, const an_setting *s);
/* The group of what the outcome moves; CT_NONE: it moves nothing. */
uint32_t an_outcome_group(const an_setting *s, const an_outline *o, uint32_t outcome);

/* ---- all entities of some groups together ---- */

typedef struct an_joint_node {
    uint32_t parent, outcome; /* the step that first led here; CT_NONE: none did */
} an_joint_node;

typedef struct an_joint_place {
    uint32_t word, shift; /* bits of one instance's state in a node */
} an_joint_place;

typedef struct an_joint {
    const an_setting *scene;
    const an_outline *outline;
    mt_arena *a;
    const uint32_t *entities; /* of the groups, ascending; shared ones are left out */
    uint32_t entity_count;
    const uint32_t *outcomes; /* that move them */
    uint32_t outcome_count;
    bool complete; /* no joint state was left out for want of room or work */
    bool too_wide; /* one was, because an outcome moves more than AN_MOST_CHANGES */
    /* Packed: every instance has its place in the words of a joint state. */
    an_joint_place *places;
    uint32_t *slot; /* by entity: its first place */
    uint32_t words, width;
    MT_VEC(an_joint_node) nodes; /* in breadth-first order, the initial one first */
    MT_VEC(uint64_t)
    packed;          /* the last word of a node has its marks, if there are any */
    uint32_t grown;  /* nodes whose steps were all followed */
    uint32_t *table; /* node + 1 by hash; open addressing */
    uint32_t mask;
    size_t most;
    uint64_t work;             /* units so far, see joint.c */
    uint32_t *states, *chosen; /* of the node being followed; of the step being made */
    ct_change *changes;
    uint64_t *next; /* scratch: the joint state a step leads to */
} an_joint;

/* Called for each step that is possible in a joint state that was met, in breadth-first
 * order, also if it is left out; the step is valid during the call. true: enough. */
typedef bool an_joint_visit(void *context, const an_joint *j, uint32_t node,
                            const an_joint_step *step);

/* Begins a search of these groups together, with the joint state in which everything
 * begins; CT_NONE among them: outcomes that move nothing. The steps are those of
 * outcomes in the outline, which must be of the same scene or a wider one. Scene and
 * outline must live as long as the search. */
an_joint *an_joint_open(mt_arena *a, const an_setting *s, const an_outline *o,
                        const uint32_t *groups, uint32_t count);
/* Follows every step of the next joint state; `visit` may be NULL. false: the visitor
 * had enough, nothing is left, or it would be too much (then j->complete is false). */
bool an_joint_grow(an_joint *j, an_joint_visit *visit, void *context);
/* Both, for one group, to the end. */
an_joint *an_joint_search(mt_arena *a, const an_setting *s, const an_outline *o,
                          uint32_t group, an_joint_visit *visit, void *context);

/* The state of an instance of the groups, in a joint state that was met. */
uint32_t an_joint_state(const an_joint *j, uint32_t node, uint32_t entity,
                        uint32_t instance);
uint32_t an_joint_marks(const an_joint *j, uint32_t node);
/* Is the entity one of those that are searched? */
bool an_joint_has(const an_joint *j, uint32_t entity);
/* The steps of a joint state that was met, again; true: the visitor had enough. */
bool an_joint_steps(an_joint *j, uint32_t node, an_joint_visit *visit, void *context);
/* Where the step leads from the node; CT_NONE: to a joint state that was not met. */
uint32_t an_joint_after(an_joint *j, uint32_t node, const an_joint_step *step);
/* The steps from the initial states to the node, in `a`; returns how many. */
uint32_t an_joint_way(mt_arena *a, an_joint *j, uint32_t node,
                      const an_joint_step **steps);
/* A copy that outlives the visit. */
an_joint_step an_joint_keep(mt_arena *a, const an_joint_step *step);

#endif

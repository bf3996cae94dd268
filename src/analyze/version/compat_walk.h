/* analyze/version/compat_walk.h - which steps a run can still reach, and with which
 * entity states.
 * Room: analyze. Private to analyze/.
 * A may-analysis over a plan, from the frames of a run: every outcome, both sides of a
 * branch, failure handlers, sub-flows and parallel branches. A sub-flow called from
 * several places is one, with the states of all callers: more states than there can be,
 * never fewer. Sets only grow, so it ends. */
#ifndef AN_ANALYZE_COMPAT_WALK_H
#define AN_ANALYZE_COMPAT_WALK_H

#include "contract/flow/run.h"

/* How a step is reached; bits. */
enum {
    AN_REACHED_STEP = 1,   /* it will be executed */
    AN_REACHED_INSIDE = 2, /* it is being executed: what follows it is reached */
    AN_REACHED_UNDO = 4    /* one of its compensations is due */
};

typedef struct an_walk {
    mt_arena *a;
    const ct_plan *p;
    uint32_t words; /* of a set of states */
    uint32_t *base; /* per entity: its first bit; CT_NONE: the flow has no part in it */
    uint64_t **in;  /* per step: states when it begins; NULL: not reached */
    uint64_t **out; /* per graph: states when it ends; NULL: no end reached */
    uint8_t *reached; /* per step */
    uint32_t *index;  /* per step: branch or compensation that is under way */
    /* Optional: does a condition of the model hold? 0 no, 1 yes, -1 unknown. Sides that
     * are ruled out are then not followed. */
    int (*decided)(void *context, uint32_t condition);
    void *context;
    uint32_t stop; /* what follows this step is not walked; CT_NONE: everything is */
    /* Work: steps whose input changed, first come, first served. */
    uint32_t *queue;
    uint8_t *queued;
    uint32_t head, waiting;
    uint32_t *first_caller, *next_caller; /* of a graph: sub-flow steps, a list */
    mt_arena scratch;                     /* of one visit */
} an_walk;

/* How a frame in this phase reaches its step. */
unsigned an_walk_how(ct_phase phase);

/* Room for a walk over the entities of one flow. */
void an_walk_start(an_walk *w, mt_arena *a, const ct_plan *p, uint32_t flow);
/* One set with the given states; CT_NONE: none. */
uint64_t *an_walk_set(const an_walk *w, const uint32_t *states);
/* A place to begin at. */
void an_walk_seed(an_walk *w, uint32_t step, unsigned how, uint32_t index,
                  const uint64_t *set);
void an_walk_all(an_walk *w);
/* Releases the working room; what was found stays in the arena. */
void an_walk_free(an_walk *w);

/* Can the operation find its source states in `set`? If not, *entity is one whose
 * state is missing. */
bool an_walk_possible(const an_walk *w, const uint64_t *set, uint32_t op,
                      uint32_t *entity);
/* States after the operation, any outcome, added to `to`. */
void an_walk_apply(an_walk *w, const uint64_t *set, uint32_t op, uint64_t *to);
/* States when the failure handler of a reached step begins. */
uint64_t *an_walk_failed(const an_walk *w, mt_arena *a, uint32_t step);

#endif

/* analyze/prove/prove_walk.h - the steps of a flow, and under which facts they are met.
 * Room: analyze, private to prove*.c and ask*.c.
 * A flow reads one frozen snapshot, so the conditions on a way must hold together, for
 * one fact set: preconditions of operations that succeeded, and branches. What may
 * fail for other reasons (persona, state, sub-flows, parallel branches) is taken to go
 * either way, so a claim that is impossible means that nobody comes there. */
#ifndef AN_ANALYZE_PROVE_WALK_H
#define AN_ANALYZE_PROVE_WALK_H

#include "analyze/prove/prove.h"

/* Of one list of steps; longer ones are left open: claims grow with every join. */
enum { PV_MOST_STEPS = 400 };

typedef struct pv_walk pv_walk;
struct pv_walk {
    mt_arena *a;
    const ct_model *m;
    const ct_steps *steps;
    const an_claim **reached; /* by step: some way to it; NULL: none */
    const an_claim *free;     /* no condition at all */
    uint32_t *waits;          /* by step: edges into it not yet seen */
    /* Called for each step when all ways to it are known. It may set reached[step] to
     * NULL: then nothing behind it is reached from there. */
    void (*visit)(void *context, pv_walk *w, uint32_t step);
    void *context;
};

/* From the entry on, under `way` (NULL: always), in an order in which every step comes
 * after those that lead to it. false: the list is too long, nothing was visited. */
bool pv_walk_steps(pv_walk *w, const an_claim *way);
/* Both; `way` may be w->free. */
const an_claim *pv_walk_both(const pv_walk *w, const an_claim *way,
                             const an_claim *also);
/* It is false, and the evaluation as such ends without a fault. */
const an_claim *pv_claim_fails(mt_arena *a, const ct_expr *e);

#endif

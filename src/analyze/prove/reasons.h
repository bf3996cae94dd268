/* analyze/prove/reasons.h - every minimal reason for what a condition comes to, and the
 * smallest change of facts that would make it hold. Decided by the solver.
 * Room: analyze, in the library with the solver. May include base/ and contract/.
 * A part is an atom of the condition, verdicts written out (a comparison, a Bool, a
 * quantifier, or one of these for one element of a list; a verdict where its rule
 * cannot be written out), with the value it has now. A reason is a set of parts such
 * that the condition comes to what it does now for every fact set in which these parts
 * are so and the evaluation has a result; without any one of its parts that is no
 * longer so. Ownership: answers live in the arena given. */
#ifndef AN_ANALYZE_REASONS_H
#define AN_ANALYZE_REASONS_H

#include "analyze/prove/prove.h"
#include "contract/flow/why.h"

typedef struct an_minimal {
    ct_reason *parts; /* none: it is so for every fact set */
    uint32_t count;
} an_minimal;

typedef struct an_reasons {
    bool value;        /* what the condition comes to */
    an_minimal *items; /* the smallest first */
    uint32_t count;
    bool all;      /* these are all there are */
    mt_str reason; /* otherwise: why that is not known */
} an_reasons;

/* The prover's first program is the snapshot's. MT_OK; otherwise the condition has no
 * value and *fault says why. */
mt_err an_reasons_of(an_prover *p, mt_arena *a, const ct_snapshot *s,
                     const ct_expr *condition, an_reasons *out, ct_fault *fault);

/* ---- What would have to change ---- */

typedef struct an_change {
    uint32_t *changed; /* facts */
    uint32_t count;
    mt_str facts; /* the whole fact set, JSON; the evaluator has confirmed it */
} an_change;

typedef struct an_changes {
    an_possible possible; /* by some change of facts; AN_NEVER is proven */
    an_change *items;     /* all that change as few facts as can be, as declared */
    uint32_t count;
    bool smallest; /* proven: no change of fewer facts will do */
    mt_str reason; /* what is not known, and why */
} an_changes;

/* For a condition that does not hold on the snapshot's facts. New values are as near to
 * the present ones as they can be. */
an_changes an_changes_for(an_prover *p, mt_arena *a, const ct_snapshot *s,
                          const ct_expr *condition);

#endif

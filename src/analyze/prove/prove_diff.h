/* analyze/prove/prove_diff.h - what a change really breaks, by proof (spec §18.3
 * M6). Room: analyze, in the library analyze_prove. May include base/ and contract/.
 */
#ifndef AN_ANALYZE_PROVE_DIFF_H
#define AN_ANALYZE_PROVE_DIFF_H

#include "analyze/prove/prove.h"
#include "analyze/version/diff.h"

/* Resolves the parts of `d` that are REQUIRES_ANALYSIS where a proof or a fact set
 * does, and decides anew whether a policy is required; classes stay as they are. A
 * change is safe when every operation that could be performed still can, every branch
 * goes the way it went and nothing faults that did not: for the same facts, and for
 * flows under way on their frozen snapshot. Sentences live in `a`. */
void an_prove_diff(mt_arena *a, const ct_program *old, const ct_program *now,
                   const mt_limits *limits, an_diff *d);

#endif

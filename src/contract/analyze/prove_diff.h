/* contract/analyze/prove_diff.h - what a change really breaks, by proof (spec §18.3
 * M6). Room: contract, in the library contract_prove. May include base/ and contract/.
 */
#ifndef CT_ANALYZE_PROVE_DIFF_H
#define CT_ANALYZE_PROVE_DIFF_H

#include "contract/analyze/diff.h"
#include "contract/analyze/prove.h"

/* Resolves the parts of `d` that are REQUIRES_ANALYSIS where a proof or a fact set
 * does, and decides anew whether a policy is required; classes stay as they are. A
 * change is safe when every operation that could be performed still can, every branch
 * goes the way it went and nothing faults that did not: for the same facts, and for
 * flows under way on their frozen snapshot. Sentences live in `a`. */
void ct_prove_diff(mt_arena *a, const ct_program *old, const ct_program *now,
                   const mt_limits *limits, ct_diff *d);

#endif

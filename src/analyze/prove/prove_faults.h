/* analyze/prove/prove_faults.h - can legal facts end an evaluation in an error?
 * Room: analyze, in the library analyze_prove. May include base/ and contract/. */
#ifndef AN_ANALYZE_PROVE_FAULTS_H
#define AN_ANALYZE_PROVE_FAULTS_H

#include "analyze/facts/analyze.h"
#include "analyze/prove/prove.h"

/* Adds to `fs`, sorted, a warning for every rule and every condition that ends in a
 * fault for some fact set its contract accepts: arithmetic that leaves its type (S331),
 * an element a list may not have (S332), a variant the union may not hold or a verdict
 * that may be absent (S333). Each has such a fact set as `details`, with which the
 * evaluator has just ended in that very fault. Where neither a fact set nor a proof was
 * found a note says so (S334). A contract in which nothing can fault by its types costs
 * one look at its expressions; the solver is loaded only where fact sets at the edges
 * of the types do not decide. false: it was stopped. */
bool an_prove_faults(const ct_program *program, const mt_limits *limits, mt_str member,
                     an_watcher watcher, an_findings *fs);

#endif

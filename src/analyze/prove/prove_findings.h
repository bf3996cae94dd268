/* analyze/prove/prove_findings.h - what proofs find wrong with a contract (spec
 * S3b). Room: analyze, in the library analyze_prove. May include base/ and contract/.
 */
#ifndef AN_ANALYZE_PROVE_FINDINGS_H
#define AN_ANALYZE_PROVE_FINDINGS_H

#include "analyze/facts/analyze.h"
#include "analyze/prove/prove.h"

/* Adds to `fs`, sorted: rules, preconditions and branches that are never or always
 * true; steps no fact set leads to, or whose operation cannot succeed there; verdicts
 * implied by others; rules, operations and outcomes that overlap. Each with a fact set
 * as `details` that the evaluator has confirmed, where there is one to show. What S3a
 * has reported already is not reported again. `p` is a prover over `program`; `member`
 * names it in a System, and is empty otherwise. false: it was stopped. */
bool an_prove_findings(an_prover *p, const ct_program *program, mt_str member,
                       an_watcher watcher, an_findings *fs);

#endif

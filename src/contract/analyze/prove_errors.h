/* contract/analyze/prove_errors.h - can an operation end in this error?
 * Room: contract, in the library contract_prove. May include base/ and contract/.
 * Every kind of error the engine has (operation.h) is decided: it occurs, with what
 * makes it occur; it never does; or it is left open. What states entities can be in is
 * searched over joint states, one instance of each, up to reach_states. */
#ifndef CT_ANALYZE_PROVE_ERRORS_H
#define CT_ANALYZE_PROVE_ERRORS_H

#include "contract/analyze/prove.h"
#include "contract/flow/operation.h"

typedef struct ct_error_fate {
    ct_possible possible;
    mt_str why; /* how it occurs, why it never does, or what is open; in `a` */
} ct_error_fate;

/* Of the operation in `program`. `p` is a prover over it alone: another version, on the
 * second side, would leave out the facts that only this one accepts. */
ct_error_fate ct_prove_error(mt_arena *a, ct_prover *p, const ct_program *program,
                             uint32_t op, mt_str error);

#endif

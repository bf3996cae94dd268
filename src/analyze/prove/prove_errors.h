/* analyze/prove/prove_errors.h - can an operation end in this error?
 * Room: analyze, in the library analyze_prove. May include base/ and contract/.
 * Every kind of error the engine has (operation.h) is decided: it occurs, with what
 * makes it occur; it never does; or it is left open. What states entities can be in is
 * searched over joint states, one instance of each, up to reach_states. */
#ifndef AN_ANALYZE_PROVE_ERRORS_H
#define AN_ANALYZE_PROVE_ERRORS_H

#include "analyze/prove/prove.h"
#include "contract/flow/operation.h"

typedef struct an_error_fate {
    an_possible possible;
    mt_str why; /* how it occurs, why it never does, or what is open; in `a` */
} an_error_fate;

/* Of the operation in `program`. `p` is a prover over it alone: another version, on the
 * second side, would leave out the facts that only this one accepts. */
an_error_fate an_prove_error(mt_arena *a, an_prover *p, const ct_program *program,
                             uint32_t op, mt_str error);

#endif

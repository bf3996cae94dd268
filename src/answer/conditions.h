/* answer/conditions.h - conditions that scenarios assert, in the language of contracts.
 * Room: answer.
 * A condition may speak of facts and verdicts as a precondition does, and besides of
 * what came out: `Entity.state`, `outcome`, `error`, unless the contract has a fact or
 * verdict of that name. It is elaborated like a contract, so it has all of the language
 * and its faults are the elaborator's.
 * Ownership: everything lives in the arena given; aw_conditions_close() frees benches.
 */
#ifndef AW_CONDITIONS_H
#define AW_CONDITIONS_H

#include "contract/flow/scenario.h"

typedef struct aw_conditions aw_conditions;

/* Reads `assert` and `where` of all scenarios. Those with a fault in them get it as
 * theirs; the others are as good as without. `base` and `bundle` are the
 * contract's. NULL: there is
 * no condition, or `why` says why none can be read. */
aw_conditions *aw_conditions_open(mt_arena *a, const ct_model *base, mt_str bundle,
                                  ct_scenarios *file, const mt_limits *limits,
                                  mt_buf *why);
/* Of one scenario; NULL: it has none. */
const ct_conditions *aw_conditions_of(const aw_conditions *c, size_t scenario);
/* NULL is fine. */
void aw_conditions_close(aw_conditions *c);

#endif

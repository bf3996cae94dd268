/* cli/conditions.h - conditions that scenarios assert, in the language of contracts.
 * Room: cli.
 * A condition may speak of facts and verdicts as a precondition does, and besides of
 * what came out: `Entity.state`, `outcome`, `error`, unless the contract has a fact or
 * verdict of that name. It is elaborated like a contract, so it has all of the language
 * and its faults are the elaborator's.
 * Ownership: everything lives in the arena given; cli_conditions_close() frees benches.
 */
#ifndef CLI_CONDITIONS_H
#define CLI_CONDITIONS_H

#include "contract/flow/scenario.h"

typedef struct cli_conditions cli_conditions;

/* Reads `assert` and `where` of all scenarios. Those with a fault in them get it as
 * theirs; the others are as good as without. `base` and `bundle` are the
 * contract's. NULL: there is
 * no condition, or `why` says why none can be read. */
cli_conditions *cli_conditions_open(mt_arena *a, const ct_model *base, mt_str bundle,
                                    ct_scenarios *file, const mt_limits *limits,
                                    mt_buf *why);
/* Of one scenario; NULL: it has none. */
const ct_conditions *cli_conditions_of(const cli_conditions *c, size_t scenario);
/* NULL is fine. */
void cli_conditions_close(cli_conditions *c);

#endif

/* cli/invariants.h - what scenario files promise about a contract, for the commands
 * that decide it. Room: cli. */
#ifndef CLI_INVARIANTS_H
#define CLI_INVARIANTS_H

#include "analyze/prove/ask.h"
#include "cli/contract.h"
#include "contract/flow/scenario.h"

/* Does the name end in .scenarios.yaml, .yml or .json? */
bool cli_is_scenario_file(mt_str name);
/* Reads a scenario file; false after adding to `why` what is wrong. The tree and the
 * scenarios live in `a`. */
bool cli_scenarios_load(mt_arena *a, mt_str path, const mt_limits *limits,
                        ct_scenarios *out, mt_str *text, mt_buf *why);

typedef struct cli_invariants {
    mt_arena *arena;
    mt_str path; /* of the file; empty: there is none */
    mt_str text; /* of the file, for places */
    an_invariant *items;
    uint32_t *lines; /* of each, in the file */
    size_t len;
} cli_invariants;

/* Those of the file of --scenarios, or of NAME.scenarios.* beside `contract`; none
 * where there is no file. CLI_HOLDS, or it was said what is wrong. */
int cli_invariants_read(const cli_args *args, mt_arena *a, mt_str contract,
                        cli_invariants *out);
/* Asks each; how many do not hold. */
size_t cli_invariants_ask(cli_invariants *list, const an_union *u,
                          const mt_limits *limits);

/* Decides those of a contract that is loaded and adds an error for each that does not
 * hold, was not decided or not understood. CLI_HOLDS; CLI_FAILS: there is one. */
int cli_invariants_check(const cli_args *args, cli_contract *c);

#endif

/* cli/suite_run.h - what the suites that run contracts share.
 * Room: cli. Private to cli/suite_*.c and cli/cmd_test.c. */
#ifndef CLI_SUITE_RUN_H
#define CLI_SUITE_RUN_H

#include "cli/suite.h"
#include "contract/flow/property.h"

/* A contract ready to run. */
typedef struct cli_ready {
    const mt_limits *limits;
    mt_str bundle;
    const ct_plan *plan;
    ct_bench bench;
} cli_ready;

/* Elaborates (or reads, if it is interchange) and compiles; false after saying why. The
 * plan lives in `a`. To be closed in every case. */
bool cli_ready_open(mt_arena *a, mt_str path, const mt_limits *limits, cli_ready *out,
                    mt_buf *why);
void cli_ready_close(cli_ready *r);

/* NAME.facts.json with NAME.verdicts.json. */
void cli_find_eval(const cli_suite *suite, mt_str dir, cli_cases *out);
/* Those whose contract is in positive/; the others have none to run. */
void cli_find_vectors(const cli_suite *suite, mt_str dir, cli_cases *out);
/* One directory per domain. */
void cli_find_domains(const cli_suite *suite, mt_str dir, cli_cases *out);
bool cli_run_eval(const cli_case *c, mt_arena *a, const mt_limits *limits, mt_buf *why);

/* NAME.scenarios.yaml, .yml or .json, in `dir` and below it, or `path` itself. */
void cli_find_scenarios(const cli_suite *suite, mt_str dir, cli_cases *out);
bool cli_run_scenario(const cli_case *c, mt_arena *a, const mt_limits *limits,
                      mt_buf *why);

/* For properties: how many cases, and from which seed; 0 and -1: as they say
 * themselves. */
void cli_properties_set(ct_property_options options);

/* Coverage of the scenarios run so far, contract by contract. */
void cli_coverage_text(mt_buf *out);
void cli_coverage_json(mt_jw *w);
/* Every contract with its coverage, in the order of the files. */
typedef void cli_coverage_visit(void *state, mt_str contract, const ct_coverage *c);
void cli_coverage_each(cli_coverage_visit *visit, void *state);
/* The page of --coverage-html: one file that needs no other. CLI_HOLDS, or reported. */
int cli_coverage_page(const cli_args *args, const char *path);
/* Of the least covered contract; 1000 when there is none. */
unsigned cli_coverage_permille(void);

/* Failing cases as scenarios: with recording on, the last case run is kept in mind and
 * cli_record_failure() adds it. */
void cli_record_start(void);
void cli_record_result(const cli_case *c, const ct_bench *b, const ct_trial *t,
                       const ct_result *r);
/* Keeps what cli_record_result() noted last, if anything. */
void cli_record_failure(void);
/* {"scenarios":[…]}; the number recorded is returned. */
size_t cli_record_json(mt_buf *out);
/* Of which command the cases are; before any is looked for. */
void cli_scenarios_start(const cli_args *args);
/* Releases everything the functions above kept. */
void cli_scenarios_free(void);

#endif

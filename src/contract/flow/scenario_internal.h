/* contract/flow/scenario_internal.h - what the files of scenarios share.
 * Room: contract. Private to contract/flow/scenario*.c and property.c. */
#ifndef CT_FLOW_SCENARIO_INTERNAL_H
#define CT_FLOW_SCENARIO_INTERNAL_H

#include "contract/flow/scenario.h"

/* One line "FILE:LINE:COLUMN: …"; `at` is a node of the file's tree. */
__attribute__((format(printf, 4, 5))) void ct_scenario_say(mt_buf *out,
                                                           const ct_scenarios *file,
                                                           const mt_json *at,
                                                           const char *format, ...);

/* Facts of the file and the scenario (of a property its own only), fact by fact, then
 * those of `more`, an object as text or empty. */
ct_trial ct_scenario_trial(mt_arena *a, const ct_scenarios *file, const ct_scenario *s,
                           mt_str more);
void ct_scenario_cover(ct_coverage *c, const ct_bench *b, const ct_result *r);

/* One run of a scenario, or of one of its cases. */
typedef struct ct_case {
    ct_bench *b;
    const ct_scenarios *file;
    const ct_scenario *s;
    const ct_conditions *conditions; /* or NULL */
} ct_case;
typedef enum ct_verdict_on { CT_PASSES, CT_FAILS, CT_UNWANTED } ct_verdict_on;
ct_verdict_on ct_scenario_case(const ct_case *c, const ct_trial *t, mt_arena *a,
                               ct_coverage *coverage, mt_buf *why);

/* "step=result" of one record. */
void ct_scenario_step(mt_buf *out, const ct_run *run, const ct_record *r);

typedef struct ct_judge {
    mt_arena *a;
    ct_bench *b;
    const ct_scenarios *file;
    const ct_scenario *s;
    const ct_result *r;
    mt_buf *why;
    size_t faults;
    bool errors_are_fine; /* somebody else looks at them */
} ct_judge;
/* Compares the result with `then`; every difference is a fault and a line. */
void ct_judge_then(ct_judge *j);

#endif

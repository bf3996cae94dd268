/* contract/flow/property.h - a scenario that must hold for all facts.
 * Room: contract. May include base/ and contract/ only.
 * Facts that the scenario does not give are made up from their types, again and again;
 * the first case that does not hold is made as simple as it can be. The same seed gives
 * the same cases. */
#ifndef CT_FLOW_PROPERTY_H
#define CT_FLOW_PROPERTY_H

#include "contract/flow/scenario.h"

enum { CT_CASES_USUAL = 100, CT_SEED_USUAL = 1 };

/* cases 0, seed -1: what the scenario says, else the usual ones. */
typedef struct ct_property_options {
    int64_t cases, seed;
} ct_property_options;

typedef struct ct_property {
    int64_t cases, seed;   /* that were to be tried */
    int64_t tried;         /* that were, up to the one that failed */
    int64_t failed;        /* the number of the case, from 1; 0: none */
    mt_str facts;          /* that were made up for it, simplified, as JSON; in `a` */
    const mt_json *states; /* given and made up for it; NULL: neither; in `a` */
} ct_property;

/* Runs a scenario with `for_all` that has no fault. false: `why` says which case does
 * not hold, its facts, and what differs. */
bool ct_property_run(mt_arena *a, ct_bench *b, const ct_scenarios *file,
                     const ct_scenario *s, const ct_conditions *conditions,
                     ct_property_options options, ct_coverage *coverage, mt_buf *why,
                     ct_property *out);

#endif

/* contract/analyze/migrate.h - a plan for moving from one version to the next.
 * Room: contract. May include base/ and contract/ only.
 * Which policy of spec §18.4 fits, for every flow type and for every instance that is
 * given, and why. A recommendation only: the executor declares (M2).
 * Ownership: a plan lives in the arena given and borrows diff, plans and runs. */
#ifndef CT_ANALYZE_MIGRATE_H
#define CT_ANALYZE_MIGRATE_H

#include "contract/analyze/compat.h"

/* ORDER CT_POLICY_NAMES. */
typedef enum ct_policy {
    CT_POLICY_NONE, /* nothing to declare */
    CT_BLUE_GREEN,
    CT_FORCE_MIGRATE,
    CT_ABORT
} ct_policy;
extern const mt_str CT_POLICY_NAMES[4]; /* "none", "blue_green", … */

/* A flow under way, as the host knows it. */
typedef struct ct_flight {
    mt_str id;
    const ct_run *run; /* under the old plan */
    ct_compatibility compat;
    ct_policy policy;   /* NONE: no change touches what it can still reach */
    ct_touches touches; /* what it can still meet */
} ct_flight;

typedef struct ct_flow_advice {
    uint32_t flow; /* of the old plan */
    ct_policy policy;
    ct_touches touches;
    mt_str reason;
    uint32_t flights, compatible; /* given instances */
} ct_flow_advice;

/* Instances in a state that is gone must move before the transition ends (M4). */
typedef struct ct_state_move {
    mt_str entity, from;
    mt_str to; /* a suggestion; empty: the operator must decide */
} ct_state_move;

typedef struct ct_migration {
    const ct_diff *diff;
    const ct_plan *old, *next;
    bool aggressive;
    ct_flow_advice *flows; /* one per flow of the old plan */
    ct_flight *flights;
    uint32_t flight_count, incompatible;
    ct_state_move *moves;
    uint32_t move_count;
    ct_policy policy;
    mt_str reason;
} ct_migration;

/* Of each flight id and run are read, the rest is filled in. */
void ct_migrate(mt_arena *a, const ct_diff *d, const ct_plan *old, const ct_plan *next,
                ct_flight *flights, uint32_t count, bool aggressive, ct_migration *out);

void ct_migration_json(mt_jw *w, const ct_migration *m);
void ct_migration_text(mt_buf *out, const ct_migration *m);
void ct_compatibility_json(mt_jw *w, const ct_compatibility *c);

#endif

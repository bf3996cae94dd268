/* analyze/version/migrate.h - a plan for moving from one version to the next.
 * Room: analyze. May include base/ and contract/ only.
 * Which policy of spec §18.4 fits, for every flow type and for every instance that is
 * given, and why. A recommendation only: the executor declares (M2).
 * Ownership: a plan lives in the arena given and borrows diff, plans and runs. */
#ifndef AN_ANALYZE_MIGRATE_H
#define AN_ANALYZE_MIGRATE_H

#include "analyze/version/compat.h"

/* ORDER AN_POLICY_NAMES. */
typedef enum an_policy {
    AN_POLICY_NONE, /* nothing to declare */
    AN_BLUE_GREEN,
    AN_FORCE_MIGRATE,
    AN_ABORT
} an_policy;
extern const mt_str AN_POLICY_NAMES[4]; /* "none", "blue_green", … */

/* A flow under way, as the host knows it. */
typedef struct an_flight {
    mt_str id;
    const ct_run *run; /* under the old plan */
    an_compatibility compat;
    an_policy policy;   /* NONE: no change touches what it can still reach */
    an_touches touches; /* what it can still meet */
} an_flight;

typedef struct an_flow_advice {
    uint32_t flow; /* of the old plan */
    an_policy policy;
    an_touches touches;
    mt_str reason;                /* why this policy */
    uint32_t flights, compatible; /* given instances */
    uint32_t worse;               /* of them, with only_worse */
} an_flow_advice;

/* Instances in a state that is gone must move before the transition ends (M4). */
typedef struct an_state_move {
    mt_str entity, from;
    mt_str to; /* a suggestion; empty: the operator must decide */
} an_state_move;

typedef struct an_migrate_options {
    bool aggressive; /* leaves out what the snapshot excludes */
    bool only_worse; /* asks of each obstacle whether the old version has it, too */
} an_migrate_options;

typedef struct an_migration {
    const an_diff *diff;
    const ct_plan *old, *next;
    an_migrate_options options;
    an_flow_advice *flows; /* one per flow of the old plan */
    an_flight *flights;
    uint32_t flight_count, incompatible;
    uint32_t worse; /* with only_worse: flights that the new version makes worse */
    an_state_move *moves; /* instances of states that are gone */
    uint32_t move_count;
    an_policy policy;
    mt_str reason;
} an_migration;

/* Of each flight id and run are read, the rest is filled in. */
void an_migrate(mt_arena *a, const an_diff *d, const ct_plan *old, const ct_plan *next,
                an_flight *flights, uint32_t count, an_migrate_options options,
                an_migration *out);

void an_migration_json(mt_jw *w, const an_migration *m);
void an_migration_text(mt_buf *out, const an_migration *m);
void an_compatibility_json(mt_jw *w, const an_compatibility *c);

#endif

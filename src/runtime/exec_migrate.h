/* runtime/exec_migrate.h - what becomes of what runs when a contract gets a new
 * version. Room: runtime, private to exec_deploy.c and exec_migrate.c.
 * rx_migration_plan() locks and looks and decides, rx_migration_apply() writes: so a
 * dry run is a plan that is not applied, and a refusal has written nothing. Both run in
 * a group of their own. Everything lives in the group's arena. */
#ifndef RT_EXEC_MIGRATE_H
#define RT_EXEC_MIGRATE_H

#include "contract/analyze/migrate.h"
#include "runtime/exec.h"

/* An older version that still runs, and what changed since. */
typedef struct rx_rival {
    rx_version *v;
    const ct_diff *diff;
} rx_rival;

/* ORDER RX_FATE_NAMES. */
typedef enum rx_fate {
    RX_KEPT,         /* stays on its version until it ends */
    RX_MIGRATED,     /* goes on under the new one */
    RX_INCOMPATIBLE, /* was to migrate and cannot: stays (§18.6.12) */
    RX_ABORTED,      /* ends as migration_aborted */
    RX_THERE,        /* is on the new version already */
    RX_FATE_COUNT
} rx_fate;
extern const mt_str RX_FATE_NAMES[RX_FATE_COUNT];

/* A flow in flight. */
typedef struct rx_flight {
    st_flow row; /* locked */
    rx_version *v;
    const mt_json *bindings;
    ct_policy policy;
    rx_fate fate;
    bool judged; /* compat is filled in */
    ct_compatibility compat;
    ct_touches touches;                    /* of an aborted one */
    mt_str position, step, persona, extra; /* of a migrated one */
} rx_flight;

/* An instance in a state that is gone. */
typedef struct rx_orphan {
    st_instance row;
    mt_str to;   /* by the state map; empty: it says nothing */
    mt_str flow; /* on an older version, bound to it: it is not moved; or empty */
} rx_orphan;

typedef struct rx_removed {
    mt_str entity, state;
} rx_removed;

typedef struct rx_migration {
    rx_job *job;
    rx_group *g;
    mt_arena *a;
    rx_version *next;
    const mt_json *policy, *state_map; /* or NULL */
    MT_VEC(rx_rival) rivals;
    MT_VEC(rx_flight) flights;
    MT_VEC(rx_removed) removed;
    MT_VEC(rx_orphan) orphans;
    MT_VEC(st_trigger) triggers; /* pending, their target flow is gone */
    size_t fates[RX_FATE_COUNT];
    size_t moves; /* orphans that are moved */
} rx_migration;

/* The diff of an older version to m->next; computed once. */
const ct_diff *rx_migration_diff(rx_migration *m, rx_version *old);
/* States that `old` has and m->next has not. */
void rx_migration_removed(rx_migration *m, const rx_version *old);
void rx_migration_remove(rx_migration *m, mt_str entity, mt_str state);
/* Looks at the flows in flight; their policies are then known. */
mt_err rx_migration_flights(rx_migration *m);
/* Does the state map fit? True: refused. */
bool rx_migration_check_map(rx_migration *m);
/* Locks instances, decides on every flow and instance. */
mt_err rx_migration_plan(rx_migration *m);
mt_err rx_migration_apply(rx_migration *m);
/* Flows that stay on an older version; orphans that stay. */
size_t rx_migration_flows_left(const rx_migration *m);
size_t rx_migration_instances_left(const rx_migration *m);
/* The policy for a flow; CT_POLICY_NONE: none is declared. */
ct_policy rx_policy_for(const mt_json *policy, mt_str flow);

/* ---- Around it --------------------------------------------------------------------
 */

/* A deployment on its way: job->work. */
typedef struct rx_deployment {
    rx_version *next; /* job->fresh until it is listed */
    mt_str trust;
} rx_deployment;

/* The caller's right, the shape of `policy`. True: refused. */
bool rx_deploy_forbidden(rx_job *job);
bool rx_deploy_bad_policy(rx_job *job);
/* Does the policy name a flow that nobody knows? True: refused. */
bool rx_migration_unknown_flow(rx_migration *m, const rx_version *old);
rx_migration rx_migration_begin(rx_job *job, rx_group *g, rx_version *next);
/* The version that is served, under a lock. MT_E_CONFLICT: another process has deployed
 * one that this one has not taken up yet; the group is tried again. */
mt_err rx_migration_lock(rx_group *g, mt_str contract, rx_version **out);
/* Its document; NULL: there is none. */
mt_err rx_migration_load(st_tx *tx, mt_arena *a, mt_str contract, bool lock,
                         const mt_json **out);
bool rx_migration_under_way(const mt_json *migration);
/* States that an earlier migration, still under way, found removed. */
void rx_migration_take_removed(rx_migration *m, const mt_json *migration);
/* M4, M5: it is over when nothing is left; flows on an older version count only if the
 * change asked for a policy. */
mt_str rx_migration_status(const rx_migration *m, bool breaking);
mt_err rx_migration_store(const rx_migration *m, mt_str from, mt_str status);

void rx_policy_json(mt_jw *w, const mt_json *policy);
void rx_fates_json(mt_jw *w, const rx_migration *m);
void rx_moves_json(mt_jw *w, const rx_migration *m);
/* [{"flow","id","fate",…}], [{"entity","id",…}]. */
void rx_flights_json(mt_jw *w, const rx_migration *m);
void rx_orphans_json(mt_jw *w, const rx_migration *m);

#endif

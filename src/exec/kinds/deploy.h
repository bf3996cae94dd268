/* exec/kinds/deploy.h - new versions, and what becomes of what runs.
 * Room: exec, private to kinds/deploy*.c and the table of kinds.
 * ex_migration_plan() locks and looks and decides, ex_migration_apply() writes: so a
 * dry run is a plan that is not applied, and a refusal has written nothing. Both run in
 * a group of their own. Everything lives in the group's arena. */
#ifndef EX_KIND_DEPLOY_H
#define EX_KIND_DEPLOY_H

#include "exec/commit/commit.h"
#include "exec/contract/policy.h"

bool ex_deploy_prepare(ex_job *job);
mt_err ex_deploy_commit(ex_job *job, ex_group *g);
bool ex_migration_get(ex_job *job);
bool ex_migration_complete_prepare(ex_job *job);
mt_err ex_migration_complete_commit(ex_job *job, ex_group *g);

/* An older version that still runs, and what changed since. */
typedef struct ex_rival {
    ex_version *v;
    const an_diff *diff;
} ex_rival;

typedef enum ex_fate {
    EX_KEPT,         /* stays on its version until it ends */
    EX_MIGRATED,     /* goes on under the new one */
    EX_INCOMPATIBLE, /* was to migrate and cannot: stays (§18.6.12) */
    EX_ABORTED,      /* ends as migration_aborted */
    EX_THERE,        /* is on the new version already */
    EX_FATE_COUNT
} ex_fate;
extern const mt_str EX_FATE_NAMES[EX_FATE_COUNT];

/* A flow in flight. */
typedef struct ex_flight {
    st_flow row; /* locked */
    ex_version *v;
    const mt_json *bindings;
    an_policy policy;
    ex_fate fate;
    bool judged; /* compat is filled in */
    an_compatibility compat;
    an_touches touches;                    /* of an aborted one */
    mt_str position, step, persona, extra; /* of a migrated one */
} ex_flight;

/* An instance in a state that is gone. */
typedef struct ex_orphan {
    st_instance row;
    mt_str to;   /* by the state map; empty: it says nothing */
    mt_str flow; /* on an older version, bound to it: it is not moved; or empty */
} ex_orphan;

typedef struct ex_removed {
    mt_str entity, state;
} ex_removed;

typedef struct ex_migration {
    ex_job *job;
    ex_group *g;
    mt_arena *a;
    ex_version *next;
    const mt_json *policy, *state_map; /* or NULL */
    MT_VEC(ex_rival) rivals;
    MT_VEC(ex_flight) flights;
    MT_VEC(ex_removed) removed;
    MT_VEC(ex_orphan) orphans;
    MT_VEC(st_trigger) triggers; /* pending, their target flow is gone */
    size_t fates[EX_FATE_COUNT];
    size_t moves; /* orphans that are moved */
} ex_migration;

/* The diff of an older version to m->next; computed once. */
const an_diff *ex_migration_diff(ex_migration *m, ex_version *old);
/* States that `old` has and m->next has not. */
void ex_migration_removed(ex_migration *m, const ex_version *old);
void ex_migration_remove(ex_migration *m, mt_str entity, mt_str state);
/* Looks at the flows in flight; their policies are then known. */
mt_err ex_migration_flights(ex_migration *m);
/* The state map does not fit. */
bool ex_refused_state_map(ex_migration *m);
/* Locks instances, decides on every flow and instance. */
mt_err ex_migration_plan(ex_migration *m);
mt_err ex_migration_apply(ex_migration *m);
/* Flows that stay on an older version; orphans that stay. */
size_t ex_migration_flows_left(const ex_migration *m);
size_t ex_migration_instances_left(const ex_migration *m);

/* ---- Around it ---- */

/* The shape of `policy`. */
bool ex_refused_policy(ex_job *job);
/* The policy names a flow that nobody knows. */
bool ex_refused_policy_flows(ex_migration *m, const ex_version *old);
ex_migration ex_migration_begin(ex_job *job, ex_group *g, ex_version *next);
/* The version that is served, under a lock. MT_E_CONFLICT: another process has deployed
 * one that this one has not taken up yet; the group is tried again. */
mt_err ex_migration_lock(ex_group *g, mt_str contract, ex_version **out);
/* Its document; NULL: there is none. */
mt_err ex_migration_load(st_tx *tx, mt_arena *a, mt_str contract, bool lock,
                         const mt_json **out);
bool ex_migration_under_way(const mt_json *migration);
/* States that an earlier migration, still under way, found removed. */
void ex_migration_take_removed(ex_migration *m, const mt_json *migration);
/* M4, M5: it is over when nothing is left; flows on an older version count only if the
 * change asked for a policy. */
mt_str ex_migration_status(const ex_migration *m, bool breaking);
mt_err ex_migration_store(const ex_migration *m, mt_str from, mt_str status);

void ex_fates_json(mt_jw *w, const ex_migration *m);
/* `policy`, `removed` and `state_map`. */
void ex_migration_members(mt_jw *w, const ex_migration *m);
void ex_moves_json(mt_jw *w, const ex_migration *m);
/* [{"flow","id","fate",…}], [{"entity","id",…}]. */
void ex_flights_json(mt_jw *w, const ex_migration *m);
void ex_orphans_json(mt_jw *w, const ex_migration *m);

#endif

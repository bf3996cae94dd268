/* exec/contract/contract.h - contracts that are served: versions, compiled once and
 * kept until the executor closes; room to work on them; Systems; what files give.
 * Room: exec. Below everything else of the executor but evidence/.
 *
 *     source      what a file gives: bundles and Systems
 *     version     one version, compiled; its pool of snaps
 *     contracts   which versions there are, and which are served
 *     systems     whose instances are whose
 *     kept_facts  facts that were asserted and hold
 *     outside     what a configuration lets a contract ask of the world
 *     policy      what becomes of flows in flight (policy.h)
 *
 * Threads: all of it may be used by any. */
#ifndef EX_CONTRACT_H
#define EX_CONTRACT_H

#include <pthread.h>
#include <stdatomic.h>

#include "adapter/adapter.h"
#include "adapter/gate.h"
#include "base/json_write.h"
#include "base/map.h"
#include "base/vec.h"
#include "contract/eval/facts.h"
#include "contract/flow/run.h"
#include "contract/reduce/partial.h"
#include "exec/executor.h"

typedef struct ex_version ex_version;
typedef struct ex_snap ex_snap;

/* ---- Versions ---- */

/* Where a fact's value came from. */
typedef enum ex_from {
    EX_FROM_CONTRACT, /* its default */
    EX_FROM_CALLER,   /* asserted with the request */
    EX_FROM_OVERRIDE, /* likewise, though an adapter serves it */
    EX_FROM_MANUAL,   /* asserted earlier, kept in the store */
    EX_FROM_ADAPTER
} ex_from;

/* Facts and verdicts of one call and room for one operation; belongs to one job. */
struct ex_snap {
    ex_snap *next; /* free ones of a version */
    ct_facts *facts;
    ct_verdicts *verdicts, *scratch;
    ct_partial *partial;            /* for fact sets with holes; NULL until one comes */
    uint8_t *from;                  /* ex_from per fact */
    const ad_fact_answer **answers; /* per fact; NULL: not fetched */
    mt_str *instances;              /* per entity: bound instance; ptr NULL: none */
    int64_t *versions;              /* per entity: of that instance */
    uint32_t *states;               /* per entity: of that instance; CT_NONE */
    ct_change *changes;
    void *room; /* all the arrays */
};

/* One version of a contract, compiled. Immutable; lives until the executor closes,
 * since flows are pinned to the version they began with. */
struct ex_version {
    ex_version *next; /* all that are loaded */
    ex_executor *x;
    mt_arena arena;
    mt_str contract, etag, bundle, manifest;
    int64_t number; /* 1 for the first version */
    int64_t deployed_ms;
    const ct_model *model;
    const ct_plan *plan;
    const mt_str *scopes;     /* per entity: ex_scope_of() */
    const mt_str *fact_heads; /* per fact: "id":…,"source":…,"value": */
    bool sorted;              /* entities are in byte order of their names */
    ad_adapters *adapters;    /* NULL: none */
    bool may_be_long;         /* to evaluate, with the longest lists */
    pthread_mutex_t lock;
    ex_snap *free; /* under lock */
};

/* A contract: of a file, of a request, or as the store has it. */
typedef struct ex_source {
    mt_str id, bundle;
    mt_str trust; /* of a signed manifest: its trust section, or empty */
    bool stored;  /* it was accepted before */
} ex_source;

enum { EX_SHORT_STEPS = 20000 }; /* of an evaluation that holds up nobody: < 0.1 ms */

/* Compiles a version; *out is not in any list yet, so it may be freed. */
mt_err ex_version_make(ex_executor *x, const ex_source *s, int64_t number,
                       int64_t deployed_ms, ex_version **out, mt_buf *why);
void ex_version_free(ex_version *v);
ex_snap *ex_snap_take(ex_version *v);
void ex_snap_give(ex_version *v, ex_snap *s);

/* ---- Which are served ---- */

typedef struct ex_contract {
    mt_str id;
    _Atomic(ex_version *) current;
} ex_contract;

/* A version on its way to be served. */
typedef struct ex_deployment {
    ex_version *next; /* in no list yet, or the one that was there before */
    mt_str trust;
} ex_deployment;

/* The version that is served now; NULL: no such contract. An empty id: the default. */
ex_version *ex_current(ex_executor *x, mt_str contract);
/* Those of all contracts; the list is in the arena. */
size_t ex_current_versions(ex_executor *x, mt_arena *a, ex_version ***out);
/* A version by its etag, if it is loaded; NULL. */
/* "conservative" or "aggressive": how flows in flight are judged. */
mt_str ex_analysis_name(const ex_executor *x);
ex_version *ex_version_known(ex_executor *x, mt_str contract, mt_str etag);
/* A version by its etag, loaded from the store if need be; NULL with *err. */
ex_version *ex_version_with(ex_executor *x, mt_str contract, mt_str etag, mt_err *err);
/* Lists a version for good; gives back the one that was there before, if any: the
 * caller then still owns its own. */
ex_version *ex_version_list(ex_executor *x, ex_version *v);
/* Makes the version the one that is served. */
void ex_serve(ex_executor *x, ex_version *v);
void ex_contracts_close(ex_executor *x);

/* Locks what says which version is served. MT_E_NOTFOUND: there is none. */
mt_err ex_version_current(st_tx *tx, mt_arena *a, mt_str contract, mt_str *etag);
/* Was it deployed before? */
mt_err ex_version_was_stored(st_tx *tx, mt_arena *a, const ex_version *v, bool *was);
/* Writes the version (its number and time are given then) and that it is the current
 * one; `first`: of its contract. */
mt_err ex_version_store(st_tx *tx, ex_version *v, mt_str trust, bool first,
                        int64_t now_ms);

/* What may have changed since a job was prepared: contracts, manual facts. */
enum { EX_STAMP_CONTRACTS, EX_STAMP_FACTS, EX_STAMPS };
/* Serves what the store says is current. */
mt_err ex_contracts_load(ex_executor *x, st_tx *tx, mt_buf *why);
mt_err ex_contracts_stamp(st_tx *tx, int64_t *stamp);
/* Takes up what other processes deployed; cheap when nothing changed. */
mt_err ex_contracts_refresh(ex_executor *x, st_tx *tx);
/* The same in two steps, the store's answer being waited for in between. From the first
 * on nobody else deploys until the transaction ends; `deploy`: nobody else does
 * anything. */
mt_err ex_contracts_hold(st_tx *tx, bool deploy, int64_t stamps[EX_STAMPS]);
/* Shared, for a group that knows the stamps; those that this process has taken up;
 * fails the transaction unless they are the store's, and `last_id` the last number
 * drawn. */
mt_err ex_contracts_share(st_tx *tx);
void ex_contracts_known(ex_executor *x, int64_t stamps[EX_STAMPS]);
mt_err ex_contracts_prove(st_tx *tx, const int64_t stamps[EX_STAMPS], int64_t last_id);
mt_err ex_contracts_take(ex_executor *x, st_tx *tx, int64_t stamp);
/* Serves what a group has deployed; `stamp` is what its commit made it. INVARIANT: what
 * is served never goes back: a reader whose snapshot is older than what was taken up
 * since, by whichever thread, changes nothing. */
void ex_contracts_deployed(ex_executor *x, ex_version *v, int64_t stamp);

/* ---- Systems ---- */

#define EX_KIND_SYSTEM MT_STR("system") /* documents: id SYSTEM, body its bundle */

/* A System as it was declared. */
typedef struct ex_system {
    mt_str id, bundle;
    const mt_json *declaration; /* its construct */
} ex_system;

/* Serves it, or its new version. MT_E_CORRUPT. */
mt_err ex_system_add(ex_executor *x, mt_str bundle);
/* What it declares; NULL: no such System is served. Lives until the close. */
const mt_json *ex_system_named(ex_executor *x, mt_str id);
/* Does the System say that this member shares this entity? */
bool ex_system_shares(const mt_json *declaration, mt_str contract, mt_str entity);
/* Whose instances are those of this entity? The contract's, or a System's when its
 * members share them: the one place that decides it. In the arena. */
mt_str ex_scope_of(ex_executor *x, mt_arena *a, mt_str contract, mt_str entity);

/* ---- Kept facts ---- */

#define EX_KIND_FACT MT_STR("fact") /* documents, see kept_facts.c */
mt_str ex_fact_key(mt_arena *a, mt_str contract, mt_str fact);
/* The one of a version's fact: ad_adapter_options.lookup_manual. */
mt_err ex_manual_lookup(void *version, mt_arena *a, uint32_t fact, ad_manual *out);
/* Reads them anew if they changed. */
mt_err ex_facts_reload(ex_executor *x, st_tx *tx);

/* ---- Files, and the world outside ---- */

/* What a file gives: its contracts (members of a System each) and the System itself. */
typedef struct ex_sources {
    ex_source *items;
    size_t len, cap;
    ex_source system; /* id empty: none */
} ex_sources;
/* The trust section of a manifest, verified; empty when it has none. `why`: it does not
 * verify. */
mt_err ex_manifest_trust(mt_arena *a, mt_str text, const mt_limits *limits,
                         mt_str *trust, mt_buf *why);
mt_err ex_source_read(mt_arena *a, const char *path, const mt_limits *limits,
                      ex_sources *out, mt_buf *why);

/* What a configuration says about the world outside: `sources` and `outgoing`. */
typedef struct ex_outside {
    const mt_json *sources; /* NULL: nothing is fetched */
    mt_str directory;       /* what relative file names in it start from */
    ad_gate gate;
} ex_outside;

/* MT_E_REJECTED: `why` has a sentence. */
mt_err ex_outside_read(mt_arena *a, const ex_executor_options *o, ex_outside *out,
                       mt_buf *why);
/* The adapters of a contract, or none when no `sources` are configured; `v` is who
 * looks up manual facts, or NULL; `accepted`: as ad_adapter_options says.
 * MT_E_REJECTED: `ds` says why. */
mt_err ex_adapters_open(const ex_outside *outside, const ct_model *m, ex_version *v,
                        bool accepted, mt_diags *ds, ad_adapters **out);

#endif

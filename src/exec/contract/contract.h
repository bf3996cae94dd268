/* exec/contract/contract.h - contracts that are served: which versions there are, and
 * which are current (contracts.c).
 * Room: exec. Below everything else of the executor but evidence/. Beside it:
 *
 *     source.h      what a file gives; outside.c: what may be asked of the world
 *     version.h     one version, compiled; its pool of snaps
 *     systems.h     whose instances are whose
 *     kept_facts.h  facts that were asserted and hold
 *     policy.h      what becomes of flows in flight
 *
 * Threads: all of it may be used by any. */
#ifndef EX_CONTRACT_H
#define EX_CONTRACT_H

#include <stdatomic.h>

#include "base/json_write.h"
#include "base/map.h"
#include "base/vec.h"
#include "exec/contract/version.h"

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
/* "conservative" or "aggressive": how flows in flight are judged. */
mt_str ex_analysis_name(const ex_executor *x);
/* A version by its etag, if it is loaded; NULL. */
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

#endif

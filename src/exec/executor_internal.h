/* exec/executor_internal.h - the executor itself: what lives as long as it does.
 * Room: exec. Private to exec/; the door is executor.h.
 *
 *     open, start   begins and ends; files at the start
 *     settings.h    numbers of the configuration; check.c: all of it, without starting
 *     door          calls, and workers for what takes long
 *     kinds         the table of kinds, one row per ex_action
 *     voices.h      graphs, agents: what else is served
 *     machine.h     time, identifiers, the log
 *     threads.h     what its own threads have in hand
 *
 * contract/, call/, commit/ and kinds/ build on each other in this order; evidence/ is
 * below all and knows no executor. */
#ifndef EX_EXECUTOR_INTERNAL_H
#define EX_EXECUTOR_INTERNAL_H

#include "base/sign.h"
#include "base/wait.h"
#include "exec/contract/contract.h"
#include "exec/contract/source.h"
#include "exec/contract/systems.h"
#include "exec/evidence/record.h"
#include "exec/evidence/sign_elsewhere.h"
#include "exec/evidence/signer.h"
#include "exec/threads.h"
#include "host/graph_service.h"
#include "os/clock.h"
#include "os/trouble.h"

typedef struct ex_job ex_job;
typedef struct ex_agent ex_agent;
typedef struct ex_feed ex_feed;
typedef struct ex_cache ex_cache;
typedef struct ex_shadow ex_shadow;
typedef struct ex_distinct ex_distinct;
typedef struct ex_quotas ex_quotas;

typedef struct ex_metrics {
    atomic_ullong calls[EX_ACTION_COUNT];
    atomic_ullong answers[6]; /* by status class */
    atomic_ullong groups, grouped, guessed, retries, failures, records, replayed,
        dry_runs;
    atomic_ullong shadow_compared, shadow_differing;
    atomic_ullong thought;                           /* jobs that workers took over */
    atomic_ullong refusals, receipts, receipts_late; /* recorded; given; not in time */
    atomic_llong waiting;                            /* jobs in the queue */
    atomic_llong signed_ms; /* os_now_ms() of the newest checkpoint seen; 0: none */
    atomic_llong outbox;    /* rows that wait, as last looked */
    mt_times commits;       /* groups, from their beginning until durable */
} ex_metrics;

/* What the ledger is told of refusals: that there was none, why, or why and on what
 * facts. ORDER of the words in settings.c. */
typedef enum ex_refusals {
    EX_REFUSALS_REASONS,
    EX_REFUSALS_ALL,
    EX_REFUSALS_NONE
} ex_refusals;
/* Which decisions that others ask for (kinds/decide.c) it is told of. ORDER likewise.
 */
typedef enum ex_decisions {
    EX_DECISIONS_ALL,
    EX_DECISIONS_DENIED,
    EX_DECISIONS_NONE
} ex_decisions;

enum { EX_THINKERS_MOST = 64 };

struct ex_executor {
    mt_arena arena; /* copies of the options */
    st_store *store;
    bool shared;
    mt_limits limits;
    mt_str default_contract, trust_domain;
    bool aggressive; /* analysis of flows in flight */
    const mt_str *auto_personas;
    size_t auto_persona_count;
    const mt_json *settings;
    const ex_distinct *distinct; /* personas that one identity cannot both act as */
    size_t distinct_count;
    ex_quotas *quotas;
    ex_outside outside;
    const mt_json *policy; /* for files that differ from the store, or NULL */
    unsigned group, checkpoint_every, checkpoint_seconds;
    unsigned flow_turn;   /* steps of one flow in one transaction at most */
    unsigned answer_days; /* how long idempotent answers are kept */
    ex_refusals refusals;
    ex_decisions decisions;
    int64_t forget_ms; /* when to look for old ones; the committer's */
    void (*log)(void *state, int level, mt_str event, mt_str json);
    void *log_state;
    bool has_key;
    os_sign_command *elsewhere; /* the program that signs, or NULL: the key is here */
    mt_sign_key key;
    const char *memory; /* file of the last checkpoint signed; NULL without a key */
    ex_signing signing;
    ex_receipting receipting;
    mt_str origin; /* of the log, as configured; empty: made from record 0 */
    ex_watch *watches;
    size_t watch_count, witness_quorum;

    pthread_rwlock_t contracts_lock;
    mt_arena contracts_arena; /* the table's, under the lock */
    mt_map contracts;         /* id -> ex_contract */
    MT_VEC(ex_system) systems;
    ex_version *versions;
    pthread_mutex_t refresh_lock; /* one thread at a time takes up what others did */
    int64_t contract_stamp;

    pthread_mutex_t facts_lock; /* manual facts as last read */
    mt_arena facts_arena;
    mt_map facts; /* "contract/fact" -> ex_manual */
    atomic_llong facts_stamp;
    atomic_bool has_facts;

    pthread_mutex_t jobs_lock;
    ex_job *free_jobs;
    size_t free_count;

    pthread_mutex_t queue_lock;
    pthread_cond_t queue_more, queue_done;
    ex_job *first, *last;
    size_t running; /* jobs taken and not yet answered */
    bool closing, stopped;
    pthread_t committer;
    bool has_committer;

    /* Workers (door.c), under queue_lock. */
    pthread_cond_t think_more;
    ex_job *think_first, *think_last;
    size_t thinking; /* jobs that wait for them, or that they have */
    pthread_t thinkers[EX_THINKERS_MOST];
    unsigned thinker_count, workers; /* the latter: as configured, or 0 */
    bool think_stop;
    atomic_bool may_be_long; /* some version is */

    pthread_t sequencer;
    bool has_sequencer;
    pthread_cond_t pending_more; /* with queue_lock */
    bool pending;

    MT_VEC(ho_graph_service *) graphs; /* the committer runs them */
    MT_VEC(ex_agent *) agents;
    MT_VEC(ex_feed *) feeds; /* where graphs get their events from */

    pthread_t outbox;
    bool has_outbox, outbox_stop, outbox_news; /* under queue_lock */
    pthread_cond_t outbox_more;
    unsigned trigger_attempts, trigger_pause_ms;

    ct_run run; /* the committer's */

    lg_chain chain; /* the committer's (or sequencer's); see chain_known */
    bool chain_known;
    ex_cache *cache;          /* NULL on a shared store */
    ex_guessing guessing;     /* the committer's */
    ex_shadow *shadow;        /* the committer's; NULL: none */
    atomic_bool has_claims;   /* guarded calls may hold instances */
    atomic_llong ahead_ms;    /* ex_now() */
    atomic_llong skew_ms;     /* this machine's clock, minus the database's */
    bool skewed;              /* by more than clock_skew_ms; who syncs knows */
    unsigned clock_skew_ms;   /* that is said to be too much */
    os_trouble reads, writes; /* of the store, for the log */
    os_trouble channels;      /* of graphs, likewise */
    pthread_mutex_t asked_lock;
    mt_arena asked_arena;
    mt_map asked;           /* source -> ex_asked_source; under the lock */
    atomic_int store_fault; /* mt_err of the last group, for readiness */
    atomic_llong fault_ms;  /* when that was */
    pthread_mutex_t news_lock;
    ex_news *news;
    void *news_state;
    ex_metrics metrics;
};

/* Serves the files and what the store has. */
mt_err ex_contracts_open(ex_executor *x, const char *const *files, mt_buf *why);

#endif

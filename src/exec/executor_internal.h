/* exec/executor_internal.h - the executor itself: what lives as long as it does.
 * Room: exec. Private to exec/; the door is executor.h.
 *
 *     open, start   begins and ends; files at the start
 *     settings      numbers of the configuration; check: all of it, without starting
 *     door          calls, and workers for what takes long
 *     kinds         the table of kinds, one row per ex_action
 *     graphs, agents   what else is served
 *     machine       time, identifiers, the log
 *
 * contract/, call/, commit/ and kinds/ build on each other in this order; evidence/ is
 * below all and knows no executor. */
#ifndef EX_EXECUTOR_INTERNAL_H
#define EX_EXECUTOR_INTERNAL_H

#include "base/sign.h"
#include "base/wait.h"
#include "exec/contract/contract.h"
#include "exec/evidence/record.h"
#include "exec/evidence/sign_elsewhere.h"
#include "exec/evidence/signer.h"
#include "host/agent_service.h"
#include "host/graph_service.h"
#include "ledger/note.h"
#include "os/clock.h"
#include "os/trouble.h"

typedef struct ex_job ex_job;
typedef struct ex_asked_source ex_asked_source;
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

/* The thread that signs (commit/sign.c); all but the thread itself under the lock. */
typedef struct ex_signing {
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    bool stop;
    bool due;         /* so many records are unsigned that it must not wait */
    bool replaced;    /* the ledger is signed with another key now */
    int64_t size;     /* records there are, as far as is known */
    int64_t covered;  /* of them signed for */
    int64_t since_ms; /* an unsigned record is known; 0: none is */
    int64_t again_ms; /* when to look again after a failure; 0: there was none */
    mt_buf fault;     /* why nothing is signed; empty: nothing is wrong */
    mt_buf told; /* the failure that the log has; empty: none since the last success */
} ex_signing;

/* Answers that wait for a receipt (commit/receipts.c); all but the thread itself under
 * the lock. */
typedef struct ex_receipting {
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    bool stop;
    ex_job *first, *last;
} ex_receipting;

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
/* A witness of the configuration. */
typedef struct ex_witness_of {
    lg_note_key key; /* with its name */
    mt_str url;      /* where it is asked */
    const char *ca;  /* PEM file of its authority, or NULL */
    unsigned timeout_ms;
} ex_witness_of;

/* The thread that asks one witness (commit/witnesses.c). */
typedef struct ex_watch {
    ex_executor *x;
    ex_witness_of of;
    pthread_t thread;
    bool running;
    atomic_bool stop;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t more;
    bool news;             /* something was signed */
    bool alarm;            /* the fault is that it contradicts us */
    int64_t pause_ms;      /* before it is asked again, after a failure; 0: none */
    uint64_t size, wanted; /* signed by it; by us */
    int64_t time;          /* of its last signature, in seconds; 0: none */
    unsigned long long failures;
    mt_buf fault; /* why it does not sign; empty: it does */
} ex_watch;

/* Groups that lock nothing first (commit/guess.c), on a shared store. */
typedef struct ex_guessing {
    ex_cache *seen;       /* instances as this process last knew them; NULL: never */
    st_id_block block;    /* numbers of records that are drawn and not used */
    uint32_t draw;        /* how many are drawn next */
    unsigned rest, pause; /* groups until the next guess; until the one after a fault */
} ex_guessing;

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

/* Time in ms since 1970 UTC that never goes back; it is at least `ms` from now on. Of a
 * shared store it is the database's clock, on every node: what this machine's own clock
 * says is only compared with it. */
int64_t ex_now(ex_executor *x);
/* Asks the database for the time; first of all when opening, then every few seconds. */
mt_err ex_clock_sync(ex_executor *x);
void ex_now_at_least(ex_executor *x, int64_t ms);
/* A new identifier: PREFIX, '-', 32 hex digits; unguessable. */
mt_str ex_new_id(mt_arena *a, const char *prefix);
void ex_log(ex_executor *x, int level, const char *event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* How it went with the store, to be logged when it begins to fail, and when it works
 * again. `why`: what the store says, or empty. */
void ex_store_read(ex_executor *x, mt_err err, mt_str why);
void ex_store_written(ex_executor *x, mt_err err, mt_str why);
/* A source of facts was asked; `failed`: why, or NULL. Logged likewise. */
void ex_source_asked(ex_executor *x, mt_str source, uint64_t ns, const char *failed);
/* An intent of a graph was handed to its channel; `failed`: why it was not taken, or
 * empty. Logged likewise. */
void ex_intent_sent(ex_executor *x, mt_str graph, mt_str failed);
void ex_sources_figures(ex_executor *x, mt_figures *f);
void ex_sources_free(ex_executor *x);
/* Something was put into the outbox, or can be done now. */
void ex_outbox_wake(ex_executor *x);

/* The numbers under `executor` in the configuration: all that is wrong with them, or
 * read into the executor. MT_E_REJECTED: `why` has the first that is wrong. */
size_t ex_numbers_check(const mt_json *settings, ex_config_fault *fault, void *state);
mt_err ex_numbers_read(ex_executor *x, const ex_executor_options *o, mt_buf *why);
/* An ex_config_fault for opening: `why`, an mt_buf, gets the first. */
void ex_say_first(void *why, mt_str key, size_t offset, mt_str reason);
/* `witnesses` of the configuration: how many things are wrong with it. */
size_t ex_witnesses_read(mt_arena *a, const ex_executor_options *o, ex_witness_of **out,
                         size_t *count, ex_config_fault *fault, void *state);
/* `distinct` of the configuration. How many faults there are. */
size_t ex_distinct_read(mt_arena *a, const mt_json *settings, ex_config_fault *fault,
                        void *state, const ex_distinct **out, size_t *count);
/* Rules that separate nobody, since they name a contract or a persona that is not
 * there, or a persona that the server acts as by itself. */
typedef struct ex_rule_judge {
    mt_arena *arena;
    const ct_model *(*model_of)(void *state, mt_str contract); /* NULL: none */
    void (*told)(void *state, mt_str contract, mt_str what);
    void *state;
    const mt_str *auto_personas;
    size_t auto_persona_count;
} ex_rule_judge;
void ex_distinct_judge(const ex_rule_judge *j, const ex_distinct *all, size_t count);
/* The log says which they are: a contract may be deployed later. */
void ex_distinct_warn(ex_executor *x);
/* `quotas` of the configuration, likewise; *out is to be freed in any case. */
size_t ex_quotas_read(const mt_json *settings, ex_config_fault *fault, void *state,
                      ex_quotas **out);
void ex_quotas_free(ex_quotas *q);
/* Serves the files and what the store has. */
mt_err ex_contracts_open(ex_executor *x, const char *const *files, mt_buf *why);

/* ---- The other two voices ---- */

/* What the settings name under `graphs` and `agents`. */
mt_err ex_graphs_open(ex_executor *x, mt_buf *why);
void ex_graphs_close(ex_executor *x);
ho_graph_service *ex_graph_named(ex_executor *x, mt_str name);

/* A source of a graph's events with the thread that reads it (feeds.c). */
mt_err ex_feeds_start(ex_executor *x);
/* While the committer still runs. */
void ex_feeds_stop(ex_executor *x);

/* An agent with the thread that runs its cycles. */
struct ex_agent {
    ex_executor *x;
    ho_agent_service *service;
    pthread_t thread;
    bool running, stop;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    ex_job *first, *last; /* waiting for the thread */
    /* The job in hand, once it is with the committer. */
    ho_agent_done done;
    ex_done *reply_to;
    void *reply_state;
    bool settled, committed;
    bool overtaken; /* by another node: the cycle is to run again */
};

mt_err ex_agents_open(ex_executor *x, mt_buf *why);
/* While the committer still runs: what waits is answered first. */
void ex_agents_close(ex_executor *x);
/* Where a message for an agent waits, instead of the committer's queue. */
void ex_agent_enqueue(ex_agent *a, ex_job *job);

#endif

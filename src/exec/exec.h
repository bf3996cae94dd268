/* exec/exec.h - inside the executor. Private to exec_*.c; names begin with rx_.
 * Room: exec.
 *
 *     exec_open      opens, closes, keeps the pool of jobs
 *     exec_call      the table of handlers, one per ex_action
 *     exec_contract  contract versions: stored, compiled once, kept until close
 *     exec_source    what files give: bundles and Systems
 *     exec_request   bodies and queries
 *     exec_facts     facts and verdicts of one call, manual facts
 *     exec_think     workers for what takes long
 *     exec_commit    the queue and the committer: groups, locks, retries
 *     exec_cache     states of instances, for reads on a store nobody shares
 *     exec_deploy    new versions; exec_migrate what becomes of what runs
 *     exec_shadow    a candidate contract that looks on
 *     exec_sign      checkpoints, by number and by time
 *     exec_outcome   which outcome, where several match
 *     exec_operation, exec_flow, exec_instance, exec_query, exec_ledger, …
 *
 * A job is one call on its way. prepare() runs on the caller's thread and either fills
 * the reply or leaves the job to the committer, which calls claim() (what to lock) and
 * commit() (what to write) inside of a group's transaction. */
#ifndef EX_EXEC_H
#define EX_EXEC_H

#include <pthread.h>
#include <stdatomic.h>

#include "adapter/adapter.h"
#include "adapter/gate.h"
#include "base/json_write.h"
#include "base/map.h"
#include "base/sign.h"
#include "base/vec.h"
#include "base/wait.h"
#include "contract/eval/facts.h"
#include "contract/flow/run.h"
#include "exec/executor.h"
#include "exec/signer.h"
#include "host/graph_service.h"
#include "ledger/chain.h"
#include "os/clock.h"

typedef struct ex_version ex_version;
typedef struct ex_snap ex_snap;
typedef struct ex_job ex_job;
typedef struct ex_group ex_group;
typedef struct ex_agent ex_agent; /* exec_agent.c */

/* ---- Contracts --------------------------------------------------------------------
 */

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

typedef struct ex_contract {
    mt_str id;
    _Atomic(ex_version *) current;
} ex_contract;

/* A System as it was declared. */
typedef struct ex_system {
    mt_str id, bundle;
    const mt_json *declaration; /* its construct */
} ex_system;

/* The version that is served now; NULL: no such contract. An empty id: the default. */
ex_version *ex_current(ex_executor *x, mt_str contract);
/* A version by its etag, if it is loaded; NULL. */
ex_version *ex_version_known(ex_executor *x, mt_str contract, mt_str etag);
/* A version by its etag, loaded from the store if need be; NULL with *err. */
ex_version *ex_version_with(ex_executor *x, mt_str contract, mt_str etag, mt_err *err);
/* Whose instances are those of this entity? The contract's, or a System's when its
 * members share them: the one place that decides it. In the arena. */
mt_str ex_scope_of(ex_executor *x, mt_arena *a, mt_str contract, mt_str entity);
/* Makes the version the one that is served. */
void ex_serve(ex_executor *x, ex_version *v);
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
/* A contract: of a file, of a request, or as the store has it. */
typedef struct ex_source {
    mt_str id, bundle;
    mt_str trust; /* of a signed manifest: its trust section, or empty */
    bool stored;  /* it was accepted before */
} ex_source;

/* Compiles a version; *out is not in any list yet, so it may be freed. */
mt_err ex_version_make(ex_executor *x, const ex_source *s, int64_t number,
                       int64_t deployed_ms, ex_version **out, mt_buf *why);
void ex_version_free(ex_version *v);
/* Lists a version for good; gives back the one that was there before, if any: the
 * caller then still owns its own. */
ex_version *ex_version_list(ex_executor *x, ex_version *v);
/* Locks what says which version is served. MT_E_NOTFOUND: there is none. */
mt_err ex_version_current(ex_group *g, mt_str contract, mt_str *etag);
/* Writes the version (its number and time are given then) and that it is the current
 * one; `first`: of its contract. */
mt_err ex_version_store(ex_group *g, ex_version *v, mt_str trust, bool first);
ex_snap *ex_snap_take(ex_version *v);
void ex_snap_give(ex_version *v, ex_snap *s);

/* What a file gives: its contracts (members of a System each) and the System itself. */
typedef struct ex_sources {
    ex_source *items;
    size_t len, cap;
    ex_source system; /* id empty: none */
} ex_sources;
mt_err ex_source_read(mt_arena *a, const char *path, const mt_limits *limits,
                      ex_sources *out, mt_buf *why);

/* Serves the files and what the store has. */
mt_err ex_contracts_open(ex_executor *x, const char *const *files, mt_buf *why);
void ex_contracts_close(ex_executor *x);
/* What may have changed since a job was prepared: contracts, manual facts. */
enum { EX_STAMP_CONTRACTS, EX_STAMP_FACTS, EX_STAMPS };

/* Takes up what other processes deployed; cheap when nothing changed. */
mt_err ex_contracts_refresh(ex_executor *x, st_tx *tx);
/* The same in two steps, the store's answer being waited for in between. From the first
 * on nobody else deploys until the transaction ends; `deploy`: nobody else does
 * anything. */
mt_err ex_contracts_hold(st_tx *tx, bool deploy, int64_t stamps[EX_STAMPS]);
mt_err ex_contracts_take(ex_executor *x, st_tx *tx, int64_t stamp);
/* Serves what a group has deployed; `stamp` is what its commit made it. INVARIANT: what
 * is served never goes back: a reader whose snapshot is older than what was taken up
 * since, by whichever thread, changes nothing. */
void ex_contracts_deployed(ex_executor *x, ex_version *v, int64_t stamp);

/* ---- The executor -----------------------------------------------------------------
 */

typedef struct ex_metrics {
    atomic_ullong calls[EX_ACTION_COUNT];
    atomic_ullong answers[6]; /* by status class */
    atomic_ullong groups, grouped, retries, failures, records, replayed, dry_runs;
    atomic_ullong shadow_compared, shadow_differing;
    atomic_ullong thought; /* jobs that workers took over */
    atomic_llong waiting;  /* jobs in the queue */
} ex_metrics;

/* The thread that signs; all but the thread itself under the lock. */
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
} ex_signing;

enum {
    EX_THINKERS_MOST = 64,
    EX_SHORT_STEPS = 20000, /* of an evaluation that holds up nobody: below 0.1 ms */
    EX_SHORT_BYTES = 256 << 10, /* of a body, likewise */
};

typedef struct ex_cache ex_cache;
typedef struct ex_shadow ex_shadow; /* exec_shadow.c */

struct ex_executor {
    mt_arena arena; /* copies of the options */
    st_store *store;
    bool shared;
    mt_limits limits;
    mt_str default_contract, trust_domain;
    const mt_str *auto_personas;
    size_t auto_persona_count;
    const mt_json *settings;
    ex_outside outside;
    const mt_json *policy; /* for files that differ from the store, or NULL */
    unsigned group, checkpoint_every, checkpoint_seconds;
    unsigned flow_turn;           /* steps of one flow in one transaction at most */
    unsigned answer_days;         /* how long idempotent answers are kept */
    unsigned eval_ms, eval_steps; /* of the configuration; limits has what holds */
    int64_t forget_ms;            /* when to look for old ones; the committer's */
    void (*log)(void *state, int level, mt_str event, mt_str json);
    void *log_state;
    bool has_key;
    mt_sign_key key;
    const char *memory; /* file of the last checkpoint signed; NULL without a key */
    ex_signing signing; /* exec_sign.c */

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

    /* Workers (exec_think.c), under queue_lock. */
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

    pthread_t outbox;
    bool has_outbox, outbox_stop, outbox_news; /* under queue_lock */
    pthread_cond_t outbox_more;
    unsigned trigger_attempts, trigger_pause_ms;

    ct_run run; /* the committer's */
    /* Called when a flow ends, in the transaction that ends it: for triggers. */
    mt_err (*flow_ended)(ex_group *g, ex_job *job, const st_flow *row);

    lg_chain chain; /* the committer's (or sequencer's); see chain_known */
    bool chain_known;
    ex_cache *cache;        /* NULL on a shared store */
    ex_shadow *shadow;      /* the committer's; NULL: none */
    atomic_llong ahead_ms;  /* ex_now() */
    atomic_int store_fault; /* mt_err of the last group, for readiness */
    atomic_llong fault_ms;  /* when that was */
    pthread_mutex_t news_lock;
    ex_news *news;
    void *news_state;
    ex_metrics metrics;
};

/* The numbers under `executor` in the configuration. MT_E_REJECTED: one is none. */
mt_err ex_numbers_read(ex_executor *x, const ex_executor_options *o, mt_buf *why);
/* What is wrong with such a policy. */
mt_str ex_no_policy(mt_arena *a, mt_str bad);
/* Wall clock in ms since 1970 UTC that never goes back. */
int64_t ex_now(ex_executor *x);
/* A new identifier: PREFIX, '-', 32 hex digits; unguessable. */
mt_str ex_new_id(mt_arena *a, const char *prefix);
void ex_time_json(mt_jw *w, int64_t ms);
void ex_log(ex_executor *x, int level, const char *event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- Jobs -------------------------------------------------------------------------
 */

/* A body, its members as far as they are known. ptr NULL, NULL: not given. */
typedef struct ex_request {
    mt_str persona, id, reason, state;
    mt_str facts;                    /* JSON text */
    mt_str value;                    /* JSON text */
    mt_str bundle, source, contract; /* JSON text, text of a .tenor file, name */
    const mt_json *params, *bindings, *outcome, *expected, *flows, *policy, *state_map;
    int64_t expires_ms, ttl_ms; /* 0: not given */
    bool dry_run;
} ex_request;

typedef struct ex_handler ex_handler;

struct ex_job {
    ex_job *next;
    ex_executor *x;
    const ex_call *call;
    ex_done *done;
    void *state;
    mt_arena arena;
    ex_reply reply;
    bool answered;
    bool kept; /* the answer is one to keep for the request's key, if it has one */
    bool simulation;  /* a dry run: every answer says so */
    bool internal;    /* nobody called: no idempotency, not refused when closing */
    bool again;       /* not finished: to be done once more in a later group */
    bool put_off;     /* waits for another request with the same key */
    bool stale;       /* prepared with facts that others have changed: once more */
    bool took_facts;  /* those that facts_stamp was for */
    bool saw_facts;   /* they are known to be newer than the call */
    bool resumed;     /* of a flow: its first turn is durable */
    bool flow_is_new; /* flow_id names a row that is not there yet */
    bool in_group;    /* with the committer, which does nothing that takes long */
    bool on_worker;   /* it may take long */
    bool elsewhere;   /* it would take long: to be prepared by a worker */
    bool thought;     /* a flow that goes on: its snapshot is there, evaluated */
    bool unthought;   /* likewise: it is not, and would take long */
    os_deadline own_deadline, *deadline; /* ex_deadline() */
    ex_version *v;
    ex_snap *snap;
    ex_version *frozen_v; /* a migrated flow: where its snapshot was frozen; or NULL */
    ex_snap *frozen_snap; /* the job's snap borrows from it */
    ex_version *fresh;    /* DEPLOY: compiled, in no list yet */
    ex_request request;
    uint32_t what;             /* operation, flow or entity, by the action */
    uint32_t persona;          /* of the model */
    int64_t facts_stamp;       /* of the manual facts it was prepared with */
    mt_str facts_json;         /* all facts as they are, for the flow's row */
    mt_str flow_id;            /* FLOW_*: the execution */
    mt_str origin;             /* FLOW_START: JSON of what triggered it, or empty */
    void *work;                /* the handler's own */
    const ex_handler *handler; /* NULL: the action's of EX_HANDLERS */
};

/* A row of EX_HANDLERS, ORDER ex_action. */
struct ex_handler {
    bool (*prepare)(ex_job *job);               /* true: answered */
    void (*claim)(ex_job *job, ex_group *g);    /* may be NULL */
    mt_err (*commit)(ex_job *job, ex_group *g); /* a fault is the store's */
    void (*queue)(ex_job *job);                 /* where it waits; NULL: ex_enqueue() */
    bool alone;                                 /* in a group of its own */
    bool slow;                                  /* prepare() takes long */
    /* Knows nothing but what the store says: may be begun while the group before it is
     * still being made durable. */
    bool overlaps;
};
extern const ex_handler EX_HANDLERS[EX_ACTION_COUNT];

ex_job *ex_job_take(ex_executor *x);
/* From the beginning, with facts that are newer than the call. */
void ex_job_begin_again(ex_job *job);
/* On a worker: from the beginning, and here. */
void ex_job_prepare_here(ex_job *job);
/* Gives the job to a worker. */
void ex_think(ex_job *job);
void ex_thinkers_stop(ex_executor *x);
/* On a worker: reads and evaluates the snapshot of the job's flow, and leaves the job
 * to the committer. */
void ex_flow_think(ex_job *job);
/* May this thread take long over the job? */
bool ex_may_linger(const ex_job *job);
/* When its evaluations together are to end; they have limits.eval_ms. */
os_deadline *ex_deadline(ex_job *job);
/* From now on what is decided is to be durable, and no clock may have a part in it;
 * what takes long has been evaluated. */
void ex_stop_clock(ex_job *job);
/* Gives back the snapshot and what it borrows from. */
void ex_job_drop_snap(ex_job *job);
void ex_job_give(ex_job *job);
void ex_jobs_free(ex_executor *x);
/* Gives the reply and the job back. */
void ex_answer(ex_job *job);
/* Leaves the job to the committer. */
void ex_enqueue(ex_job *job);

/* Where a new thing is found, for the answer's head. An instance whose id cannot stand
 * in a path as it is has no such place. */
void ex_locate_flow(ex_job *job, mt_str id);
void ex_locate_instance(ex_job *job, mt_str contract, mt_str entity, mt_str id);

/* Starts a reply: 200 … and its body; the writer stands inside of the open object. */
mt_jw ex_reply_with(ex_job *job, int status);
void ex_reply_end(mt_jw *w);

/* ---- Problems ---------------------------------------------------------------------
 */

/* clang-format off */
/* Columns: name, status, is the answer kept, code, title. With an
 * Idempotency-Key, what contract, states and facts decided is kept; what is wrong with
 * the request, the caller or the world, or says "ask again", is not. */
#define EX_PROBLEM_MAP(X)                                                                               \
    X(BAD_REQUEST,          400, false, "bad_request",          "The request is malformed")             \
    X(PERSONA_REJECTED,     403, true,  "persona_rejected",     "The persona may not do this")          \
    X(PERSONA_NOT_HELD,     403, false, "persona_rejected",     "The persona may not do this")          \
    X(FORBIDDEN,            403, false, "forbidden",            "The caller lacks a right")             \
    X(FACT_FORBIDDEN,       403, false, "fact_forbidden",       "The caller may not assert this fact")  \
    X(NOT_FOUND,            404, true,  "not_found",            "There is no such thing")               \
    X(UNKNOWN_CONTRACT,     404, false, "unknown_contract",     "There is no such contract")            \
    X(UNKNOWN_OPERATION,    404, true,  "unknown_operation",    "The contract has no such operation")   \
    X(UNKNOWN_FLOW,         404, true,  "unknown_flow",         "The contract has no such flow")        \
    X(UNKNOWN_ENTITY,       404, true,  "unknown_entity",       "The contract has no such entity")      \
    X(UNKNOWN_FACT,         404, true,  "unknown_fact",         "The contract has no such fact")        \
    X(UNKNOWN_INSTANCE,     404, true,  "unknown_instance",     "There is no such instance")            \
    X(UNKNOWN_EXECUTION,    404, true,  "unknown_execution",    "There is no such flow execution")      \
    X(UNKNOWN_RECORD,       404, false, "unknown_record",       "There is no such ledger record")       \
    X(INVALID_SOURCE_STATE, 409, true,  "invalid_source_state", "An instance is in another state")      \
    X(VERSION_CONFLICT,     409, true,  "version_conflict",     "An instance has another version")      \
    X(AMBIGUOUS_OUTCOME,    409, true,  "ambiguous_outcome",    "Several outcomes match")               \
    X(INSTANCE_EXISTS,      409, true,  "instance_exists",      "The id is or was in use")              \
    X(INSTANCE_BUSY,        409, true,  "instance_busy",        "A flow holds the instance")            \
    X(NOT_RESUMABLE,        409, true,  "not_resumable",        "The flow does not wait")               \
    X(CONTRACT_CHANGED,     409, false, "contract_changed",     "The contract has a new version")       \
    X(CONFLICT,             409, false, "conflict",             "Others changed it again and again")    \
    X(NOT_CHAINED,          409, false, "not_chained",          "The record is not chained yet")        \
    X(POLICY_REQUIRED,      409, true,  "migration_policy_required", "The change breaks what runs")     \
    X(MIGRATION_INCOMPLETE, 409, true,  "migration_incomplete", "Something is left to migrate")         \
    X(TOO_LARGE,            413, false, "too_large",            "There is more than one answer holds")  \
    X(PRECONDITION_FAILED,  422, true,  "precondition_failed",  "The precondition is false")            \
    X(EVALUATION_ERROR,     422, true,  "evaluation_error",     "A condition has no value")             \
    X(EVALUATION_BUDGET,    422, false, "evaluation_budget",    "The evaluation takes too many steps")  \
    X(UNKNOWN_OUTCOME,      422, true,  "unknown_outcome",      "The operation has no such outcome")    \
    X(MISSING_FACT,         422, true,  "missing_fact",         "A fact is missing")                    \
    X(INVALID_FACT,         422, true,  "invalid_fact",         "A fact is not of its declared type")   \
    X(MISSING_BINDING,      422, true,  "missing_binding",      "An entity is bound to no instance")    \
    X(INVALID_BINDING,      422, true,  "invalid_binding",      "A binding does not fit")               \
    X(UNKNOWN_PERSONA,      422, true,  "unknown_persona",      "The contract has no such persona")     \
    X(INVALID_ID,           422, true,  "invalid_id",           "The id cannot be used")                \
    X(INVALID_STATE,        422, true,  "invalid_initial_state", "Instances begin in the initial state") \
    X(FLOW_FAILED,          422, true,  "flow_failed",          "The flow could not begin")             \
    X(EVENT_REFUSED,        422, true,  "event_refused",        "The graph does not take this event")   \
    X(NOT_ASSERTABLE,       422, true,  "not_assertable",       "The fact comes from its adapter")      \
    X(INVALID_CONTRACT,     422, true,  "invalid_contract",     "The contract has errors")              \
    X(INVALID_POLICY,       422, true,  "invalid_policy",       "The migration policy does not fit")    \
    X(INVALID_STATE_MAP,    422, true,  "invalid_state_map",    "The state map does not fit")           \
    X(IDEMPOTENCY_MISMATCH, 422, false, "idempotency_mismatch", "The key was used for another request") \
    X(NOT_IMPLEMENTED,      501, false, "not_implemented",      "This is not served")                   \
    X(SOURCE_FAILED,        502, false, "source_failed",        "A source of facts failed")             \
    X(STORE_UNAVAILABLE,    503, false, "store_unavailable",    "The store cannot be written")          \
    X(EVALUATION_DEADLINE,  503, false, "evaluation_deadline",  "The evaluation took too long")         \
    X(BUSY,                 503, false, "busy",                 "Too many calls are waiting")           \
    X(OUTCOME_UNKNOWN,      503, false, "outcome_unknown",      "The store broke during the commit")    \
    X(CLOSING,              503, false, "closing",              "The executor is shutting down")
/* clang-format on */

typedef enum ex_problem {
#define EX_PROBLEM_ENUM(name, status, kept, code, title) EX_##name,
    EX_PROBLEM_MAP(EX_PROBLEM_ENUM)
#undef EX_PROBLEM_ENUM
        EX_PROBLEM_COUNT
} ex_problem;

/* Fills the reply with a problem (RFC 9457); always true: the job is answered. */
bool ex_refuse(ex_job *job, ex_problem p, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same in two parts, for problems with members of their own in between. */
mt_jw ex_problem_open(ex_job *job, ex_problem p, mt_str detail);
bool ex_problem_close(mt_jw *w);
/* The store's fault on the caller's thread. */
bool ex_refuse_store(ex_job *job, mt_err err);

/* ---- Requests ---------------------------------------------------------------------
 */

/* The longest that an asserted fact can be said to hold; without `ttl_ms` it holds
 * until it is retracted. */
#define EX_TTL_MOST_MS (INT64_C(3660) * 24 * 3600 * 1000)
/* Reads the body. True: refused, as in prepare(). */
bool ex_request_read(ex_job *job);
enum { EX_PAGE_USUAL = 100, EX_PAGE_MOST = 1000 };
/* A parameter of the query; ptr NULL: not given. */
mt_str ex_query(const ex_job *job, const char *name);
/* A number of the query within [least, most]. True: refused. */
bool ex_query_i64(ex_job *job, const char *name, int64_t least, int64_t most,
                  int64_t otherwise, int64_t *out);
/* The page that `after` and `limit` of the query ask for. True: refused. */
bool ex_query_page(ex_job *job, st_page *out);
/* One page on its way into the reply. */
typedef struct ex_list {
    ex_job *job;
    st_tx *tx;
    mt_jw w;      /* inside of `items` */
    st_page page; /* with room for one row more */
    uint32_t left;
    bool more;
    mt_str last; /* key of the page's last row: set it when `left` is 0 */
} ex_list;
/* True: refused, and nothing is open. */
bool ex_list_open(ex_list *l, ex_job *job);
/* Is there room for this row? */
bool ex_list_take(ex_list *l);
/* Ends transaction and reply; always true. */
bool ex_list_close(ex_list *l, mt_err err);
/* Finds the call's contract (job->v). True: refused. */
bool ex_find_contract(ex_job *job);
/* Fills the snap's instances from the request's bindings. True: refused. */
bool ex_bind(ex_job *job);
/* May the caller act as the request's persona, and does the contract know it? */
bool ex_check_persona(ex_job *job);
mt_str ex_caller_id(const ex_job *job);
/* May the caller read the ledger? The facts that calls of this contract were decided
 * on? (docs/serve.md, who reads what) */
bool ex_may_read_ledger(const ex_job *job);
bool ex_may_read_facts(const ex_job *job, mt_str contract);

/* ---- Facts ------------------------------------------------------------------------
 */

/* Gathers and evaluates the facts of a request into the snap. True: refused. */
bool ex_snapshot(ex_job *job);
/* Evaluates rules, and what conditions the call may ask for. MT_E_BUSY: it would take
 * long, and may not here; MT_E_TIMEOUT, MT_E_LIMIT and others as ct_evaluate(). */
mt_err ex_evaluate_rules(ex_job *job, const ex_version *v, ex_snap *s, ct_fault *fault);
mt_err ex_evaluate_conditions(ex_job *job, const ex_version *v, ex_snap *s,
                              ct_fault *fault);
/* The problem for what evaluating found. */
bool ex_refuse_evaluation(ex_job *job, const ct_fault *fault);
/* Fills the snap from a flow's row. MT_E_CORRUPT: it does not fit its contract;
 * MT_E_BUSY: it would take long, and may not here; MT_E_LIMIT, MT_E_TIMEOUT: *fault. */
mt_err ex_snapshot_restore(ex_job *job, const st_flow *row, ct_fault *fault);
/* {"fact":value} of all facts. */
void ex_facts_json(mt_buf *out, const ex_version *v, const ex_snap *s);
/* [FactProvenance] (§5.3, enriched §5A.10). */
void ex_fact_provenance(mt_jw *w, const ex_version *v, const ex_snap *s);
/* ["verdict"] that are present. */
void ex_verdict_names(mt_jw *w, const ex_version *v, const ct_verdicts *verdicts);
/* Manual facts: documents of this kind, id CONTRACT/FACT, tag CONTRACT, body
 * {"asserted_by","asserted_ms","expires_ms","value"}. */
#define EX_KIND_FACT MT_STR("fact")
mt_str ex_fact_key(mt_arena *a, mt_str contract, mt_str fact);
/* The one of a version's fact: ad_adapter_options.lookup_manual. */
mt_err ex_manual_lookup(void *version, mt_arena *a, uint32_t fact, ad_manual *out);
/* Reads them anew if they changed. */
mt_err ex_facts_reload(ex_executor *x, st_tx *tx);
/* On a shared store another process may have asserted a fact that the job was prepared
 * without. Such a job is prepared again, once: then it has what was true after the call
 * came. A job that writes is looked at in its group, where it costs no round trip; one
 * that was answered at once, before the answer is given. */
mt_err ex_facts_check(ex_job *job);
void ex_facts_mark(ex_job *job, int64_t stamp);
/* May the caller assert the fact? Is it one that an adapter fetches? */
bool ex_may_assert(const ex_caller *who, const ct_model *m, uint32_t fact);
bool ex_served(const ex_version *v, uint32_t fact);

/* ---- Cache of states --------------------------------------------------------------
 */

ex_cache *ex_cache_new(void);
void ex_cache_free(ex_cache *c);
/* A number that changes with every publication; see ex_cache_offer(). */
uint64_t ex_cache_stamp(ex_cache *c);
/* The state's name, in the arena. False: not known. */
bool ex_cache_get(ex_cache *c, mt_arena *a, const st_instance *key, st_instance *out);
/* What the committer committed. */
void ex_cache_put(ex_cache *c, const st_instance *row);
/* What a reader read, unless something was published since `stamp`. */
void ex_cache_offer(ex_cache *c, const st_instance *row, uint64_t stamp);
/* States of what the snap binds, read without a lock. False: refused. */
mt_err ex_states_read(ex_job *job);

/* ---- Groups -----------------------------------------------------------------------
 */

/* An instance as it stands in the group. */
typedef struct ex_row {
    st_instance row;
    bool found, changed;
    int64_t stored; /* its version in the store, to which the group's end brings it */
} ex_row;

typedef struct ex_flow_row {
    st_flow row;
    bool found;
} ex_flow_row;

struct ex_group {
    ex_executor *x;
    st_tx *tx;
    mt_arena *arena; /* reset with each group */
    mt_buf body;     /* of a record being written */
    int64_t now_ms;
    mt_map index; /* "scope\0entity\0id" -> row + 1 */
    MT_VEC(ex_row) rows;
    mt_map flow_index;
    MT_VEC(ex_flow_row) flows;
    mt_map keys;                 /* of idempotency, in this group */
    MT_VEC(st_answer) answers;   /* to be kept */
    MT_VEC(st_record) unwritten; /* records */
    size_t records;
    bool outbox;          /* something was promised: wake its thread */
    bool wrote;           /* something is to be committed, though there is no record */
    bool facts_changed;   /* manual ones */
    ex_version *deployed; /* to be served once it is durable */
    int64_t contract_stamp; /* of the contracts when the group began */
};

/* The row of an instance; in claim() it is added, to be locked. */
void ex_claim(ex_group *g, mt_str scope, mt_str entity, mt_str id);
ex_row *ex_row_of(ex_group *g, mt_str scope, mt_str entity, mt_str id);
/* Locks and reads what was claimed, for a job that is alone in its group. */
mt_err ex_lock_rows(ex_group *g);
/* Claims everything the job's snap binds; reads their states. */
void ex_claim_bound(ex_job *job, ex_group *g);
void ex_group_states(ex_job *job, ex_group *g);
/* Moves an instance: its version is one higher. Written with the group's end. */
void ex_move(ex_group *g, ex_row *r, mt_str state, mt_str flow, mt_str operation);
/* Writes rows that moved, records and answers, all of a kind together. */
mt_err ex_write_group(ex_group *g);
/* The flow's row, locked by the group. */
ex_flow_row *ex_flow_of(ex_group *g, mt_str id);

/* Idempotency. Answers the job whose key was used before. */
mt_err ex_answer_use(ex_job *job, st_tx *tx, mt_arena *arena, const st_answer *a);
/* Is the key one that can be kept? True: refused. */
bool ex_answer_key(ex_job *job);
/* What prepare() answered without the committer gives way to what was answered before.
 * Always true: answered. */
bool ex_answer_again(ex_job *job);
/* Remembers the answer of a request with a key, if it is one to keep; of a flow of many
 * turns with its first: whatever happens then, it has begun. */
void ex_answer_keep(ex_group *g, ex_job *job);
/* What prepare() answered, and is to be kept: the committer writes it down, then gives
 * it. False: it is not to be kept. */
bool ex_answer_defer(ex_job *job);

void *ex_committer(void *executor);
/* For the recovery worker and others that have no caller: the call is kept until it is
 * answered. */
void ex_submit_resume(ex_executor *x, mt_str flow_id);
/* Takes up flows that run and have not moved for so long. */
mt_err ex_recover_flows(ex_executor *x, int64_t idle_ms);

/* ---- Ledger -----------------------------------------------------------------------
 */

/* A record in the making: the writer stands inside of the object, after "kind". Members
 * are to be written in byte order; those every record has are written by their own
 * functions, at their place. */
typedef struct ex_record {
    const char *kind;
    mt_str contract, flow, subject;
    bool unsorted; /* the body has keys out of order */
} ex_record;

/* Records whose subtree has its root kept. */
enum { EX_BLOCK_LEVELS = 8, EX_BLOCK = 1 << EX_BLOCK_LEVELS };
/* Who chains records of a shared store holds this lock. */
#define EX_SEQUENCER "sequencer"
/* Keeps the root of a full block, which the record about to be added completes. */
mt_err ex_block_keep(st_tx *tx, const lg_chain *c, const mt_sha256 *hash);
/* The id of a block's document; returns its length. */
size_t ex_block_id(uint64_t block, char out[24]);

/* Chains (or queues) the body in g->body and gives the record's id. Written with the
 * group's end. */
mt_err ex_record_add(ex_group *g, const ex_record *r, int64_t *id);
mt_err ex_write_records(ex_group *g);
/* "caller":{…} */
void ex_caller_json(mt_jw *w, const ex_job *job);
/* "contract", "etag" and, later in the order, "time" and "trust_domain". */
void ex_record_time(mt_jw *w, const ex_group *g);
/* Loads the chain's end once; keeps where it is. Inside the group's transaction. */
mt_err ex_chain_load(ex_executor *x, st_tx *tx, mt_arena *a);
mt_err ex_chain_save(ex_executor *x, st_tx *tx, size_t added);
/* There are `size` records now. */
void ex_tell_news(ex_executor *x, int64_t size);
/* For what must be in the chain at once, also on a shared store: takes the sequencer's
 * place until the transaction ends (MT_E_BUSY: another has it) and loads the end of the
 * chain; appends a record. */
mt_err ex_chain_claim(ex_executor *x, st_tx *tx, mt_arena *a);
mt_err ex_chain_put(ex_executor *x, st_tx *tx, const char *kind, int64_t now_ms,
                    mt_str body);
/* The newest checkpoint. MT_E_NOTFOUND: nothing is signed. */
mt_err ex_last_checkpoint(st_tx *tx, mt_arena *a, lg_checkpoint *out);
/* Before anything is written: the ledger stays in its trust domain, and its keys are
 * announced in it (exec_keys.c). */
mt_err ex_keys_open(ex_executor *x, const ex_executor_options *o, mt_buf *why);
void *ex_sequencer(void *executor);

/* ---- Signing ----------------------------------------------------------------------
 */

void ex_signing_make(ex_signing *s);
void ex_signing_drop(ex_signing *s);
/* There are `size` records, durable; `here`: this process chained them, so it is the
 * one to sign when they are many. */
void ex_sign_note(ex_executor *x, int64_t size, bool here);
/* One look with this key and its memory, and a signature if anything is unsigned.
 * MT_E_DENIED: the ledger does not go on from what the key signed. */
mt_err ex_sign_with(ex_executor *x, const mt_sign_key *key, const char *memory,
                    mt_buf *why);
/* The first look: from then on readiness knows what is wrong. */
void ex_sign_open(ex_executor *x);
/* Starts the thread; ends it and signs for the rest. */
mt_err ex_sign_start(ex_executor *x);
void ex_sign_close(ex_executor *x);
/* Why nothing is signed, if so, behind `before`. For everyone: it names no files. */
bool ex_sign_fault(ex_executor *x, mt_buf *why, const char *before);

/* ---- The shadow -------------------------------------------------------------------
 */

/* `path` NULL: there is none. */
mt_err ex_shadow_open(ex_executor *x, const char *path, mt_buf *why);
void ex_shadow_close(ex_executor *x);
/* Does the shadow look at this contract? */
bool ex_shadows(const ex_executor *x, const ex_version *v);
/* After record `id` was written from g->body; overwrites it when they disagree. */
mt_err ex_shadow_record(ex_group *g, const ex_record *r, int64_t id);
/* An operation was refused, on the group's states. Overwrites g->body. */
mt_err ex_shadow_refusal(ex_job *job, ex_group *g, const ct_attempt *a);

/* ---- Operations -------------------------------------------------------------------
 */

/* What one operation changes. */
typedef struct ex_effects {
    const ex_version *v;
    const ct_change *changes;
    uint32_t count;
    const mt_str *instances; /* per entity */
    mt_str flow, operation;
} ex_effects;

ct_frozen ex_frozen(const ex_job *job);
mt_err ex_apply(ex_group *g, const ex_effects *f);
/* Records for the second and further instances; `of`: the operation's record. */
mt_err ex_effect_records(ex_group *g, const ex_effects *f, int64_t of);
/* "Entity/instance". */
mt_str ex_subject(mt_arena *a, mt_str entity, mt_str id);
/* Are the instances at the versions the caller expects? True: refused. */
bool ex_check_versions(ex_job *job);
/* Is the job's version still the one that is served? True: refused. */
bool ex_check_current(ex_job *job);

/* ---- Handlers ---------------------------------------------------------------------
 */

bool ex_contract_list(ex_job *job);
bool ex_contract_get(ex_job *job);
bool ex_contract_versions(ex_job *job);
bool ex_deploy(ex_job *job);
mt_err ex_deploy_commit(ex_job *job, ex_group *g);
bool ex_migration_get(ex_job *job);
bool ex_migration_complete(ex_job *job);
mt_err ex_migration_complete_commit(ex_job *job, ex_group *g);
/* A version that a file gives at the start; takes it over. Serves it, or says why it
 * may not be served without a policy. */
mt_err ex_deploy_at_start(ex_group *g, ex_version *v, mt_str trust, mt_buf *why);
/* The same question for a System: may it replace the one in the store? */
mt_err ex_system_at_start(ex_group *g, mt_str kind, const ex_source *s, mt_buf *why);
bool ex_evaluate(ex_job *job);
bool ex_actions(ex_job *job);
bool ex_fact_list(ex_job *job);
bool ex_fact_assert(ex_job *job);
mt_err ex_fact_assert_commit(ex_job *job, ex_group *g);
bool ex_fact_retract(ex_job *job);
mt_err ex_fact_retract_commit(ex_job *job, ex_group *g);
bool ex_operation(ex_job *job);
mt_err ex_operation_commit(ex_job *job, ex_group *g);
bool ex_flow_start(ex_job *job);
void ex_flow_start_claim(ex_job *job, ex_group *g);
mt_err ex_flow_start_commit(ex_job *job, ex_group *g);
bool ex_flow_list(ex_job *job);
bool ex_flow_get(ex_job *job);
bool ex_flow_resume(ex_job *job);
void ex_flow_resume_claim(ex_job *job, ex_group *g);
mt_err ex_flow_resume_commit(ex_job *job, ex_group *g);
bool ex_flow_cancel(ex_job *job);
mt_err ex_flow_cancel_commit(ex_job *job, ex_group *g);
bool ex_instance_create(ex_job *job);
void ex_instance_claim(ex_job *job, ex_group *g);
mt_err ex_instance_create_commit(ex_job *job, ex_group *g);
bool ex_instance_list(ex_job *job);
bool ex_instance_get(ex_job *job);
bool ex_instance_history(ex_job *job);
bool ex_instance_delete(ex_job *job);
mt_err ex_instance_delete_commit(ex_job *job, ex_group *g);
/* One page of records; `scope`: only those of contracts that share the subject there.
 */
bool ex_list_records(ex_job *job, st_record_filter *f, mt_str scope);
bool ex_ledger_list(ex_job *job);
bool ex_ledger_get(ex_job *job);
bool ex_ledger_proof(ex_job *job);
bool ex_ledger_checkpoint(ex_job *job);
bool ex_ledger_consistency(ex_job *job);
bool ex_system_list(ex_job *job);
bool ex_system_get(ex_job *job);

/* ---- The outbox --------------------------------------------------------------------
 */

/* What was promised in a transaction and is done after it: triggers of Systems and
 * intents of graphs. */
void *ex_outbox(void *executor);
/* Something was put there. */
void ex_outbox_wake(ex_executor *x);
/* One row of the outbox on its way; begins with the row. */
typedef struct ex_delivery {
    st_trigger row;
    const mt_json *body;
    mt_str reason;  /* why it failed; empty: it did not */
    bool transient; /* it may succeed later */
} ex_delivery;
/* A job for a delivery; its call lives in its arena. */
ex_job *ex_delivery_job(ex_executor *x, const st_trigger *row, ex_done *done,
                        void *state);
/* In the transaction: has somebody else done it already? Else `row` is locked. */
mt_err ex_delivery_claim(ex_job *job, ex_group *g, bool *due);
/* Writes what became of the row: done, to be tried again, or failed for good. */
mt_err ex_delivery_settle(ex_job *job, ex_group *g, bool *failed);
/* Starts the target flow of a trigger, or the sending of an intent. */
void ex_trigger_fire(ex_job *job);
void ex_intent_send(ex_job *job);
/* The hook of x->flow_ended: one row for each trigger that matches. */
mt_err ex_flow_triggers(ex_group *g, ex_job *job, const st_flow *row);
/* One that cannot be kept any more: settled as failed, with its record. */
mt_err ex_trigger_fail(ex_group *g, const st_trigger *row, const mt_json *body,
                       mt_str reason);
bool ex_trigger_list(ex_job *job);

/* ---- The other two voices ---------------------------------------------------------
 */

/* What the settings name under `graphs` and `agents`. */
mt_err ex_graphs_open(ex_executor *x, mt_buf *why);
void ex_graphs_close(ex_executor *x);
ho_graph_service *ex_graph_named(ex_executor *x, mt_str name);
mt_err ex_agents_open(ex_executor *x, mt_buf *why);
/* While the committer still runs: what waits is answered first. */
void ex_agents_close(ex_executor *x);

bool ex_graph_list(ex_job *job);
bool ex_graph_event(ex_job *job);
mt_err ex_graph_event_commit(ex_job *job, ex_group *g);
bool ex_graph_context(ex_job *job);
bool ex_capture_list(ex_job *job);
bool ex_capture_get(ex_job *job);
bool ex_agent_list(ex_job *job);
bool ex_agent_message(ex_job *job);
void ex_agent_message_queue(ex_job *job);
mt_err ex_agent_message_commit(ex_job *job, ex_group *g);
bool ex_agent_tape(ex_job *job);
bool ex_agent_log(ex_job *job);

#endif

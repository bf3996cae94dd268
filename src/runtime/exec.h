/* runtime/exec.h - inside the executor. Private to exec_*.c; names begin with rx_.
 * Room: runtime.
 *
 *     exec_open      opens, closes, keeps the pool of jobs
 *     exec_call      the table of handlers, one per rt_action
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
#ifndef RT_EXEC_H
#define RT_EXEC_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/json_write.h"
#include "base/map.h"
#include "base/sign.h"
#include "base/vec.h"
#include "base/wait.h"
#include "contract/eval/facts.h"
#include "contract/flow/run.h"
#include "ledger/chain.h"
#include "runtime/adapter.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/gate.h"
#include "runtime/graph_service.h"
#include "runtime/signer.h"

typedef struct rx_version rx_version;
typedef struct rx_snap rx_snap;
typedef struct rx_job rx_job;
typedef struct rx_group rx_group;
typedef struct rx_agent rx_agent; /* exec_agent.c */

/* ---- Contracts --------------------------------------------------------------------
 */

/* Where a fact's value came from. */
typedef enum rx_from {
    RX_FROM_CONTRACT, /* its default */
    RX_FROM_CALLER,   /* asserted with the request */
    RX_FROM_OVERRIDE, /* likewise, though an adapter serves it */
    RX_FROM_MANUAL,   /* asserted earlier, kept in the store */
    RX_FROM_ADAPTER
} rx_from;

/* Facts and verdicts of one call and room for one operation; belongs to one job. */
struct rx_snap {
    rx_snap *next; /* free ones of a version */
    ct_facts *facts;
    ct_verdicts *verdicts, *scratch;
    uint8_t *from;                  /* rx_from per fact */
    const rt_fact_answer **answers; /* per fact; NULL: not fetched */
    mt_str *instances;              /* per entity: bound instance; ptr NULL: none */
    int64_t *versions;              /* per entity: of that instance */
    uint32_t *states;               /* per entity: of that instance; CT_NONE */
    ct_change *changes;
    void *room; /* all the arrays */
};

/* One version of a contract, compiled. Immutable; lives until the executor closes,
 * since flows are pinned to the version they began with. */
struct rx_version {
    rx_version *next; /* all that are loaded */
    rt_executor *x;
    mt_arena arena;
    mt_str contract, etag, bundle, manifest;
    int64_t number; /* 1 for the first version */
    int64_t deployed_ms;
    const ct_model *model;
    const ct_plan *plan;
    const mt_str *scopes;     /* per entity: rx_scope_of() */
    const mt_str *fact_heads; /* per fact: "id":…,"source":…,"value": */
    bool sorted;              /* entities are in byte order of their names */
    rt_adapters *adapters;    /* NULL: none */
    bool may_be_long;         /* to evaluate, with the longest lists */
    pthread_mutex_t lock;
    rx_snap *free; /* under lock */
};

typedef struct rx_contract {
    mt_str id;
    _Atomic(rx_version *) current;
} rx_contract;

/* A System as it was declared. */
typedef struct rx_system {
    mt_str id, bundle;
    const mt_json *declaration; /* its construct */
} rx_system;

/* The version that is served now; NULL: no such contract. An empty id: the default. */
rx_version *rx_current(rt_executor *x, mt_str contract);
/* A version by its etag, if it is loaded; NULL. */
rx_version *rx_version_known(rt_executor *x, mt_str contract, mt_str etag);
/* A version by its etag, loaded from the store if need be; NULL with *err. */
rx_version *rx_version_with(rt_executor *x, mt_str contract, mt_str etag, mt_err *err);
/* Whose instances are those of this entity? The contract's, or a System's when its
 * members share them: the one place that decides it. In the arena. */
mt_str rx_scope_of(rt_executor *x, mt_arena *a, mt_str contract, mt_str entity);
/* Makes the version the one that is served. */
void rx_serve(rt_executor *x, rx_version *v);
/* What a configuration says about the world outside: `sources` and `outgoing`. */
typedef struct rx_outside {
    const mt_json *sources; /* NULL: nothing is fetched */
    mt_str directory;       /* what relative file names in it start from */
    rt_gate gate;
} rx_outside;

/* MT_E_REJECTED: `why` has a sentence. */
mt_err rx_outside_read(mt_arena *a, const rt_executor_options *o, rx_outside *out,
                       mt_buf *why);
/* The adapters of a contract, or none when no `sources` are configured; `v` is who
 * looks up manual facts, or NULL; `accepted`: as rt_adapter_options says.
 * MT_E_REJECTED: `ds` says why. */
mt_err rx_adapters_open(const rx_outside *outside, const ct_model *m, rx_version *v,
                        bool accepted, mt_diags *ds, rt_adapters **out);
/* A contract: of a file, of a request, or as the store has it. */
typedef struct rx_source {
    mt_str id, bundle;
    mt_str trust; /* of a signed manifest: its trust section, or empty */
    bool stored;  /* it was accepted before */
} rx_source;

/* Compiles a version; *out is not in any list yet, so it may be freed. */
mt_err rx_version_make(rt_executor *x, const rx_source *s, int64_t number,
                       int64_t deployed_ms, rx_version **out, mt_buf *why);
void rx_version_free(rx_version *v);
/* Lists a version for good; gives back the one that was there before, if any: the
 * caller then still owns its own. */
rx_version *rx_version_list(rt_executor *x, rx_version *v);
/* Locks what says which version is served. MT_E_NOTFOUND: there is none. */
mt_err rx_version_current(rx_group *g, mt_str contract, mt_str *etag);
/* Writes the version (its number and time are given then) and that it is the current
 * one; `first`: of its contract. */
mt_err rx_version_store(rx_group *g, rx_version *v, mt_str trust, bool first);
rx_snap *rx_snap_take(rx_version *v);
void rx_snap_give(rx_version *v, rx_snap *s);

/* What a file gives: its contracts (members of a System each) and the System itself. */
typedef struct rx_sources {
    rx_source *items;
    size_t len, cap;
    rx_source system; /* id empty: none */
} rx_sources;
mt_err rx_source_read(mt_arena *a, const char *path, const mt_limits *limits,
                      rx_sources *out, mt_buf *why);

/* Serves the files and what the store has. */
mt_err rx_contracts_open(rt_executor *x, const char *const *files, mt_buf *why);
void rx_contracts_close(rt_executor *x);
/* What may have changed since a job was prepared: contracts, manual facts. */
enum { RX_STAMP_CONTRACTS, RX_STAMP_FACTS, RX_STAMPS };

/* Takes up what other processes deployed; cheap when nothing changed. */
mt_err rx_contracts_refresh(rt_executor *x, st_tx *tx);
/* The same in two steps, the store's answer being waited for in between. From the first
 * on nobody else deploys until the transaction ends; `deploy`: nobody else does
 * anything. */
mt_err rx_contracts_hold(st_tx *tx, bool deploy, int64_t stamps[RX_STAMPS]);
mt_err rx_contracts_take(rt_executor *x, st_tx *tx, int64_t stamp);
/* Serves what a group has deployed; `stamp` is what its commit made it. INVARIANT: what
 * is served never goes back: a reader whose snapshot is older than what was taken up
 * since, by whichever thread, changes nothing. */
void rx_contracts_deployed(rt_executor *x, rx_version *v, int64_t stamp);

/* ---- The executor -----------------------------------------------------------------
 */

typedef struct rx_metrics {
    atomic_ullong calls[RT_ACTION_COUNT];
    atomic_ullong answers[6]; /* by status class */
    atomic_ullong groups, grouped, retries, failures, records, replayed, dry_runs;
    atomic_ullong shadow_compared, shadow_differing;
    atomic_ullong thought; /* jobs that workers took over */
    atomic_llong waiting;  /* jobs in the queue */
} rx_metrics;

/* The thread that signs; all but the thread itself under the lock. */
typedef struct rx_signing {
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
} rx_signing;

enum {
    RX_THINKERS_MOST = 64,
    RX_SHORT_STEPS = 20000, /* of an evaluation that holds up nobody: below 0.1 ms */
    RX_SHORT_BYTES = 256 << 10, /* of a body, likewise */
};

typedef struct rx_cache rx_cache;
typedef struct rx_shadow rx_shadow; /* exec_shadow.c */

struct rt_executor {
    mt_arena arena; /* copies of the options */
    st_store *store;
    bool shared;
    mt_limits limits;
    mt_str default_contract, trust_domain;
    const mt_str *auto_personas;
    size_t auto_persona_count;
    const mt_json *settings;
    rx_outside outside;
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
    rx_signing signing; /* exec_sign.c */

    pthread_rwlock_t contracts_lock;
    mt_arena contracts_arena; /* the table's, under the lock */
    mt_map contracts;         /* id -> rx_contract */
    MT_VEC(rx_system) systems;
    rx_version *versions;
    pthread_mutex_t refresh_lock; /* one thread at a time takes up what others did */
    int64_t contract_stamp;

    pthread_mutex_t facts_lock; /* manual facts as last read */
    mt_arena facts_arena;
    mt_map facts; /* "contract/fact" -> rx_manual */
    atomic_llong facts_stamp;
    atomic_bool has_facts;

    pthread_mutex_t jobs_lock;
    rx_job *free_jobs;
    size_t free_count;

    pthread_mutex_t queue_lock;
    pthread_cond_t queue_more, queue_done;
    rx_job *first, *last;
    size_t running; /* jobs taken and not yet answered */
    bool closing, stopped;
    pthread_t committer;
    bool has_committer;

    /* Workers (exec_think.c), under queue_lock. */
    pthread_cond_t think_more;
    rx_job *think_first, *think_last;
    size_t thinking; /* jobs that wait for them, or that they have */
    pthread_t thinkers[RX_THINKERS_MOST];
    unsigned thinker_count, workers; /* the latter: as configured, or 0 */
    bool think_stop;
    atomic_bool may_be_long; /* some version is */

    pthread_t sequencer;
    bool has_sequencer;
    pthread_cond_t pending_more; /* with queue_lock */
    bool pending;

    MT_VEC(rt_graph_service *) graphs; /* the committer runs them */
    MT_VEC(rx_agent *) agents;

    pthread_t outbox;
    bool has_outbox, outbox_stop, outbox_news; /* under queue_lock */
    pthread_cond_t outbox_more;
    unsigned trigger_attempts, trigger_pause_ms;

    ct_run run; /* the committer's */
    /* Called when a flow ends, in the transaction that ends it: for triggers. */
    mt_err (*flow_ended)(rx_group *g, rx_job *job, const st_flow *row);

    lg_chain chain; /* the committer's (or sequencer's); see chain_known */
    bool chain_known;
    rx_cache *cache;        /* NULL on a shared store */
    rx_shadow *shadow;      /* the committer's; NULL: none */
    atomic_llong ahead_ms;  /* rx_now() */
    atomic_int store_fault; /* mt_err of the last group, for readiness */
    atomic_llong fault_ms;  /* when that was */
    pthread_mutex_t news_lock;
    rt_news *news;
    void *news_state;
    rx_metrics metrics;
};

/* The numbers under `executor` in the configuration. MT_E_REJECTED: one is none. */
mt_err rx_numbers_read(rt_executor *x, const rt_executor_options *o, mt_buf *why);
/* What is wrong with such a policy. */
mt_str rx_no_policy(mt_arena *a, mt_str bad);
/* Wall clock in ms since 1970 UTC that never goes back. */
int64_t rx_now(rt_executor *x);
/* A new identifier: PREFIX, '-', 32 hex digits; unguessable. */
mt_str rx_new_id(mt_arena *a, const char *prefix);
void rx_time_json(mt_jw *w, int64_t ms);
void rx_log(rt_executor *x, int level, const char *event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- Jobs -------------------------------------------------------------------------
 */

/* A body, its members as far as they are known. ptr NULL, NULL: not given. */
typedef struct rx_request {
    mt_str persona, id, reason, state;
    mt_str facts;                    /* JSON text */
    mt_str value;                    /* JSON text */
    mt_str bundle, source, contract; /* JSON text, text of a .tenor file, name */
    const mt_json *params, *bindings, *outcome, *expected, *flows, *policy, *state_map;
    int64_t expires_ms, ttl_ms; /* 0: not given */
    bool dry_run;
} rx_request;

typedef struct rx_handler rx_handler;

struct rx_job {
    rx_job *next;
    rt_executor *x;
    const rt_call *call;
    rt_done *done;
    void *state;
    mt_arena arena;
    rt_reply reply;
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
    rt_deadline own_deadline, *deadline; /* rx_deadline() */
    rx_version *v;
    rx_snap *snap;
    rx_version *frozen_v; /* a migrated flow: where its snapshot was frozen; or NULL */
    rx_snap *frozen_snap; /* the job's snap borrows from it */
    rx_version *fresh;    /* DEPLOY: compiled, in no list yet */
    rx_request request;
    uint32_t what;             /* operation, flow or entity, by the action */
    uint32_t persona;          /* of the model */
    int64_t facts_stamp;       /* of the manual facts it was prepared with */
    mt_str facts_json;         /* all facts as they are, for the flow's row */
    mt_str flow_id;            /* FLOW_*: the execution */
    mt_str origin;             /* FLOW_START: JSON of what triggered it, or empty */
    void *work;                /* the handler's own */
    const rx_handler *handler; /* NULL: the action's of RX_HANDLERS */
};

/* A row of RX_HANDLERS, ORDER rt_action. */
struct rx_handler {
    bool (*prepare)(rx_job *job);               /* true: answered */
    void (*claim)(rx_job *job, rx_group *g);    /* may be NULL */
    mt_err (*commit)(rx_job *job, rx_group *g); /* a fault is the store's */
    void (*queue)(rx_job *job);                 /* where it waits; NULL: rx_enqueue() */
    bool alone;                                 /* in a group of its own */
    bool slow;                                  /* prepare() takes long */
    /* Knows nothing but what the store says: may be begun while the group before it is
     * still being made durable. */
    bool overlaps;
};
extern const rx_handler RX_HANDLERS[RT_ACTION_COUNT];

rx_job *rx_job_take(rt_executor *x);
/* From the beginning, with facts that are newer than the call. */
void rx_job_begin_again(rx_job *job);
/* On a worker: from the beginning, and here. */
void rx_job_prepare_here(rx_job *job);
/* Gives the job to a worker. */
void rx_think(rx_job *job);
void rx_thinkers_stop(rt_executor *x);
/* On a worker: reads and evaluates the snapshot of the job's flow, and leaves the job
 * to the committer. */
void rx_flow_think(rx_job *job);
/* May this thread take long over the job? */
bool rx_may_linger(const rx_job *job);
/* When its evaluations together are to end; they have limits.eval_ms. */
rt_deadline *rx_deadline(rx_job *job);
/* From now on what is decided is to be durable, and no clock may have a part in it;
 * what takes long has been evaluated. */
void rx_stop_clock(rx_job *job);
/* Gives back the snapshot and what it borrows from. */
void rx_job_drop_snap(rx_job *job);
void rx_job_give(rx_job *job);
void rx_jobs_free(rt_executor *x);
/* Gives the reply and the job back. */
void rx_answer(rx_job *job);
/* Leaves the job to the committer. */
void rx_enqueue(rx_job *job);

/* Where a new thing is found, for the answer's head. An instance whose id cannot stand
 * in a path as it is has no such place. */
void rx_locate_flow(rx_job *job, mt_str id);
void rx_locate_instance(rx_job *job, mt_str contract, mt_str entity, mt_str id);

/* Starts a reply: 200 … and its body; the writer stands inside of the open object. */
mt_jw rx_reply(rx_job *job, int status);
void rx_reply_end(mt_jw *w);

/* ---- Problems ---------------------------------------------------------------------
 */

/* clang-format off */
/* Columns: name, status, is the answer kept, code, title. With an
 * Idempotency-Key, what contract, states and facts decided is kept; what is wrong with
 * the request, the caller or the world, or says "ask again", is not. */
#define RX_PROBLEM_MAP(X)                                                                               \
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

typedef enum rx_problem {
#define RX_PROBLEM_ENUM(name, status, kept, code, title) RX_##name,
    RX_PROBLEM_MAP(RX_PROBLEM_ENUM)
#undef RX_PROBLEM_ENUM
        RX_PROBLEM_COUNT
} rx_problem;

/* Fills the reply with a problem (RFC 9457); always true: the job is answered. */
bool rx_refuse(rx_job *job, rx_problem p, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same in two parts, for problems with members of their own in between. */
mt_jw rx_problem_open(rx_job *job, rx_problem p, mt_str detail);
bool rx_problem_close(mt_jw *w);
/* The store's fault on the caller's thread. */
bool rx_refuse_store(rx_job *job, mt_err err);

/* ---- Requests ---------------------------------------------------------------------
 */

/* The longest that an asserted fact can be said to hold; without `ttl_ms` it holds
 * until it is retracted. */
#define RX_TTL_MOST_MS (INT64_C(3660) * 24 * 3600 * 1000)
/* Reads the body. True: refused, as in prepare(). */
bool rx_request_read(rx_job *job);
enum { RX_PAGE_USUAL = 100, RX_PAGE_MOST = 1000 };
/* A parameter of the query; ptr NULL: not given. */
mt_str rx_query(const rx_job *job, const char *name);
/* A number of the query within [least, most]. True: refused. */
bool rx_query_i64(rx_job *job, const char *name, int64_t least, int64_t most,
                  int64_t otherwise, int64_t *out);
/* The page that `after` and `limit` of the query ask for. True: refused. */
bool rx_query_page(rx_job *job, st_page *out);
/* One page on its way into the reply. */
typedef struct rx_list {
    rx_job *job;
    st_tx *tx;
    mt_jw w;      /* inside of `items` */
    st_page page; /* with room for one row more */
    uint32_t left;
    bool more;
    mt_str last; /* key of the page's last row: set it when `left` is 0 */
} rx_list;
/* True: refused, and nothing is open. */
bool rx_list_open(rx_list *l, rx_job *job);
/* Is there room for this row? */
bool rx_list_take(rx_list *l);
/* Ends transaction and reply; always true. */
bool rx_list_close(rx_list *l, mt_err err);
/* Finds the call's contract (job->v). True: refused. */
bool rx_find_contract(rx_job *job);
/* Fills the snap's instances from the request's bindings. True: refused. */
bool rx_bind(rx_job *job);
/* May the caller act as the request's persona, and does the contract know it? */
bool rx_check_persona(rx_job *job);
mt_str rx_caller_id(const rx_job *job);
/* May the caller read the ledger? The facts that calls of this contract were decided
 * on? (docs/serve.md, who reads what) */
bool rx_may_read_ledger(const rx_job *job);
bool rx_may_read_facts(const rx_job *job, mt_str contract);

/* ---- Facts ------------------------------------------------------------------------
 */

/* Gathers and evaluates the facts of a request into the snap. True: refused. */
bool rx_snapshot(rx_job *job);
/* Evaluates rules, and what conditions the call may ask for. MT_E_BUSY: it would take
 * long, and may not here; MT_E_TIMEOUT, MT_E_LIMIT and others as ct_evaluate(). */
mt_err rx_evaluate_rules(rx_job *job, const rx_version *v, rx_snap *s, ct_fault *fault);
mt_err rx_evaluate_conditions(rx_job *job, const rx_version *v, rx_snap *s,
                              ct_fault *fault);
/* The problem for what evaluating found. */
bool rx_refuse_evaluation(rx_job *job, const ct_fault *fault);
/* Fills the snap from a flow's row. MT_E_CORRUPT: it does not fit its contract;
 * MT_E_BUSY: it would take long, and may not here; MT_E_LIMIT, MT_E_TIMEOUT: *fault. */
mt_err rx_snapshot_restore(rx_job *job, const st_flow *row, ct_fault *fault);
/* {"fact":value} of all facts. */
void rx_facts_json(mt_buf *out, const rx_version *v, const rx_snap *s);
/* [FactProvenance] (§5.3, enriched §5A.10). */
void rx_fact_provenance(mt_jw *w, const rx_version *v, const rx_snap *s);
/* ["verdict"] that are present. */
void rx_verdict_names(mt_jw *w, const rx_version *v, const ct_verdicts *verdicts);
/* Manual facts: documents of this kind, id CONTRACT/FACT, tag CONTRACT, body
 * {"asserted_by","asserted_ms","expires_ms","value"}. */
#define RX_KIND_FACT MT_STR("fact")
mt_str rx_fact_key(mt_arena *a, mt_str contract, mt_str fact);
/* The one of a version's fact: rt_adapter_options.lookup_manual. */
mt_err rx_manual_lookup(void *version, mt_arena *a, uint32_t fact, rt_manual *out);
/* Reads them anew if they changed. */
mt_err rx_facts_reload(rt_executor *x, st_tx *tx);
/* On a shared store another process may have asserted a fact that the job was prepared
 * without. Such a job is prepared again, once: then it has what was true after the call
 * came. A job that writes is looked at in its group, where it costs no round trip; one
 * that was answered at once, before the answer is given. */
mt_err rx_facts_check(rx_job *job);
void rx_facts_mark(rx_job *job, int64_t stamp);
/* May the caller assert the fact? Is it one that an adapter fetches? */
bool rx_may_assert(const rt_caller *who, const ct_model *m, uint32_t fact);
bool rx_served(const rx_version *v, uint32_t fact);

/* ---- Cache of states --------------------------------------------------------------
 */

rx_cache *rx_cache_new(void);
void rx_cache_free(rx_cache *c);
/* A number that changes with every publication; see rx_cache_offer(). */
uint64_t rx_cache_stamp(rx_cache *c);
/* The state's name, in the arena. False: not known. */
bool rx_cache_get(rx_cache *c, mt_arena *a, const st_instance *key, st_instance *out);
/* What the committer committed. */
void rx_cache_put(rx_cache *c, const st_instance *row);
/* What a reader read, unless something was published since `stamp`. */
void rx_cache_offer(rx_cache *c, const st_instance *row, uint64_t stamp);
/* States of what the snap binds, read without a lock. False: refused. */
mt_err rx_states_read(rx_job *job);

/* ---- Groups -----------------------------------------------------------------------
 */

/* An instance as it stands in the group. */
typedef struct rx_row {
    st_instance row;
    bool found, changed;
    int64_t stored; /* its version in the store, to which the group's end brings it */
} rx_row;

typedef struct rx_flow_row {
    st_flow row;
    bool found;
} rx_flow_row;

struct rx_group {
    rt_executor *x;
    st_tx *tx;
    mt_arena *arena; /* reset with each group */
    mt_buf body;     /* of a record being written */
    int64_t now_ms;
    mt_map index; /* "scope\0entity\0id" -> row + 1 */
    MT_VEC(rx_row) rows;
    mt_map flow_index;
    MT_VEC(rx_flow_row) flows;
    mt_map keys;                 /* of idempotency, in this group */
    MT_VEC(st_answer) answers;   /* to be kept */
    MT_VEC(st_record) unwritten; /* records */
    size_t records;
    bool outbox;          /* something was promised: wake its thread */
    bool wrote;           /* something is to be committed, though there is no record */
    bool facts_changed;   /* manual ones */
    rx_version *deployed; /* to be served once it is durable */
    int64_t contract_stamp; /* of the contracts when the group began */
};

/* The row of an instance; in claim() it is added, to be locked. */
void rx_claim(rx_group *g, mt_str scope, mt_str entity, mt_str id);
rx_row *rx_row_of(rx_group *g, mt_str scope, mt_str entity, mt_str id);
/* Locks and reads what was claimed, for a job that is alone in its group. */
mt_err rx_lock_rows(rx_group *g);
/* Claims everything the job's snap binds; reads their states. */
void rx_claim_bound(rx_job *job, rx_group *g);
void rx_group_states(rx_job *job, rx_group *g);
/* Moves an instance: its version is one higher. Written with the group's end. */
void rx_move(rx_group *g, rx_row *r, mt_str state, mt_str flow, mt_str operation);
/* Writes rows that moved, records and answers, all of a kind together. */
mt_err rx_write_group(rx_group *g);
/* The flow's row, locked by the group. */
rx_flow_row *rx_flow_of(rx_group *g, mt_str id);

/* Idempotency. Answers the job whose key was used before. */
mt_err rx_answer_use(rx_job *job, st_tx *tx, mt_arena *arena, const st_answer *a);
/* Is the key one that can be kept? True: refused. */
bool rx_answer_key(rx_job *job);
/* What prepare() answered without the committer gives way to what was answered before.
 * Always true: answered. */
bool rx_answer_again(rx_job *job);
/* Remembers the answer of a request with a key, if it is one to keep; of a flow of many
 * turns with its first: whatever happens then, it has begun. */
void rx_answer_keep(rx_group *g, rx_job *job);
/* What prepare() answered, and is to be kept: the committer writes it down, then gives
 * it. False: it is not to be kept. */
bool rx_answer_defer(rx_job *job);

void *rx_committer(void *executor);
/* For the recovery worker and others that have no caller: the call is kept until it is
 * answered. */
void rx_submit_resume(rt_executor *x, mt_str flow_id);
/* Takes up flows that run and have not moved for so long. */
mt_err rx_recover_flows(rt_executor *x, int64_t idle_ms);

/* ---- Ledger -----------------------------------------------------------------------
 */

/* A record in the making: the writer stands inside of the object, after "kind". Members
 * are to be written in byte order; those every record has are written by their own
 * functions, at their place. */
typedef struct rx_record {
    const char *kind;
    mt_str contract, flow, subject;
    bool unsorted; /* the body has keys out of order */
} rx_record;

/* Records whose subtree has its root kept. */
enum { RX_BLOCK_LEVELS = 8, RX_BLOCK = 1 << RX_BLOCK_LEVELS };
/* Who chains records of a shared store holds this lock. */
#define RX_SEQUENCER "sequencer"
/* Keeps the root of a full block, which the record about to be added completes. */
mt_err rx_block_keep(st_tx *tx, const lg_chain *c, const mt_sha256 *hash);
/* The id of a block's document; returns its length. */
size_t rx_block_id(uint64_t block, char out[24]);

/* Chains (or queues) the body in g->body and gives the record's id. Written with the
 * group's end. */
mt_err rx_record_add(rx_group *g, const rx_record *r, int64_t *id);
mt_err rx_write_records(rx_group *g);
/* "caller":{…} */
void rx_caller_json(mt_jw *w, const rx_job *job);
/* "contract", "etag" and, later in the order, "time" and "trust_domain". */
void rx_record_time(mt_jw *w, const rx_group *g);
/* Loads the chain's end once; keeps where it is. Inside the group's transaction. */
mt_err rx_chain_load(rt_executor *x, st_tx *tx, mt_arena *a);
mt_err rx_chain_save(rt_executor *x, st_tx *tx, size_t added);
/* There are `size` records now. */
void rx_tell_news(rt_executor *x, int64_t size);
/* For what must be in the chain at once, also on a shared store: takes the sequencer's
 * place until the transaction ends (MT_E_BUSY: another has it) and loads the end of the
 * chain; appends a record. */
mt_err rx_chain_claim(rt_executor *x, st_tx *tx, mt_arena *a);
mt_err rx_chain_put(rt_executor *x, st_tx *tx, const char *kind, int64_t now_ms,
                    mt_str body);
/* The newest checkpoint. MT_E_NOTFOUND: nothing is signed. */
mt_err rx_last_checkpoint(st_tx *tx, mt_arena *a, lg_checkpoint *out);
/* Before anything is written: the ledger stays in its trust domain, and its keys are
 * announced in it (exec_keys.c). */
mt_err rx_keys_open(rt_executor *x, const rt_executor_options *o, mt_buf *why);
void *rx_sequencer(void *executor);

/* ---- Signing ----------------------------------------------------------------------
 */

void rx_signing_make(rx_signing *s);
void rx_signing_drop(rx_signing *s);
/* There are `size` records, durable; `here`: this process chained them, so it is the
 * one to sign when they are many. */
void rx_sign_note(rt_executor *x, int64_t size, bool here);
/* One look with this key and its memory, and a signature if anything is unsigned.
 * MT_E_DENIED: the ledger does not go on from what the key signed. */
mt_err rx_sign_with(rt_executor *x, const mt_sign_key *key, const char *memory,
                    mt_buf *why);
/* The first look: from then on readiness knows what is wrong. */
void rx_sign_open(rt_executor *x);
/* Starts the thread; ends it and signs for the rest. */
mt_err rx_sign_start(rt_executor *x);
void rx_sign_close(rt_executor *x);
/* Why nothing is signed, if so, behind `before`. For everyone: it names no files. */
bool rx_sign_fault(rt_executor *x, mt_buf *why, const char *before);

/* ---- The shadow -------------------------------------------------------------------
 */

/* `path` NULL: there is none. */
mt_err rx_shadow_open(rt_executor *x, const char *path, mt_buf *why);
void rx_shadow_close(rt_executor *x);
/* Does the shadow look at this contract? */
bool rx_shadows(const rt_executor *x, const rx_version *v);
/* After record `id` was written from g->body; overwrites it when they disagree. */
mt_err rx_shadow_record(rx_group *g, const rx_record *r, int64_t id);
/* An operation was refused, on the group's states. Overwrites g->body. */
mt_err rx_shadow_refusal(rx_job *job, rx_group *g, const ct_attempt *a);

/* ---- Operations -------------------------------------------------------------------
 */

/* What one operation changes. */
typedef struct rx_effects {
    const rx_version *v;
    const ct_change *changes;
    uint32_t count;
    const mt_str *instances; /* per entity */
    mt_str flow, operation;
} rx_effects;

ct_frozen rx_frozen(const rx_job *job);
mt_err rx_apply(rx_group *g, const rx_effects *f);
/* Records for the second and further instances; `of`: the operation's record. */
mt_err rx_effect_records(rx_group *g, const rx_effects *f, int64_t of);
/* "Entity/instance". */
mt_str rx_subject(mt_arena *a, mt_str entity, mt_str id);
/* Are the instances at the versions the caller expects? True: refused. */
bool rx_check_versions(rx_job *job);
/* Is the job's version still the one that is served? True: refused. */
bool rx_check_current(rx_job *job);

/* ---- Handlers ---------------------------------------------------------------------
 */

bool rx_contract_list(rx_job *job);
bool rx_contract_get(rx_job *job);
bool rx_contract_versions(rx_job *job);
bool rx_deploy(rx_job *job);
mt_err rx_deploy_commit(rx_job *job, rx_group *g);
bool rx_migration_get(rx_job *job);
bool rx_migration_complete(rx_job *job);
mt_err rx_migration_complete_commit(rx_job *job, rx_group *g);
/* A version that a file gives at the start; takes it over. Serves it, or says why it
 * may not be served without a policy. */
mt_err rx_deploy_at_start(rx_group *g, rx_version *v, mt_str trust, mt_buf *why);
/* The same question for a System: may it replace the one in the store? */
mt_err rx_system_at_start(rx_group *g, mt_str kind, const rx_source *s, mt_buf *why);
bool rx_evaluate(rx_job *job);
bool rx_actions(rx_job *job);
bool rx_fact_list(rx_job *job);
bool rx_fact_assert(rx_job *job);
mt_err rx_fact_assert_commit(rx_job *job, rx_group *g);
bool rx_fact_retract(rx_job *job);
mt_err rx_fact_retract_commit(rx_job *job, rx_group *g);
bool rx_operation(rx_job *job);
mt_err rx_operation_commit(rx_job *job, rx_group *g);
bool rx_flow_start(rx_job *job);
void rx_flow_start_claim(rx_job *job, rx_group *g);
mt_err rx_flow_start_commit(rx_job *job, rx_group *g);
bool rx_flow_list(rx_job *job);
bool rx_flow_get(rx_job *job);
bool rx_flow_resume(rx_job *job);
void rx_flow_resume_claim(rx_job *job, rx_group *g);
mt_err rx_flow_resume_commit(rx_job *job, rx_group *g);
bool rx_flow_cancel(rx_job *job);
mt_err rx_flow_cancel_commit(rx_job *job, rx_group *g);
bool rx_instance_create(rx_job *job);
void rx_instance_claim(rx_job *job, rx_group *g);
mt_err rx_instance_create_commit(rx_job *job, rx_group *g);
bool rx_instance_list(rx_job *job);
bool rx_instance_get(rx_job *job);
bool rx_instance_history(rx_job *job);
bool rx_instance_delete(rx_job *job);
mt_err rx_instance_delete_commit(rx_job *job, rx_group *g);
/* One page of records; `scope`: only those of contracts that share the subject there.
 */
bool rx_list_records(rx_job *job, st_record_filter *f, mt_str scope);
bool rx_ledger_list(rx_job *job);
bool rx_ledger_get(rx_job *job);
bool rx_ledger_proof(rx_job *job);
bool rx_ledger_checkpoint(rx_job *job);
bool rx_ledger_consistency(rx_job *job);
bool rx_system_list(rx_job *job);
bool rx_system_get(rx_job *job);

/* ---- The outbox --------------------------------------------------------------------
 */

/* What was promised in a transaction and is done after it: triggers of Systems and
 * intents of graphs. */
void *rx_outbox(void *executor);
/* Something was put there. */
void rx_outbox_wake(rt_executor *x);
/* One row of the outbox on its way; begins with the row. */
typedef struct rx_delivery {
    st_trigger row;
    const mt_json *body;
    mt_str reason;  /* why it failed; empty: it did not */
    bool transient; /* it may succeed later */
} rx_delivery;
/* A job for a delivery; its call lives in its arena. */
rx_job *rx_delivery_job(rt_executor *x, const st_trigger *row, rt_done *done,
                        void *state);
/* In the transaction: has somebody else done it already? Else `row` is locked. */
mt_err rx_delivery_claim(rx_job *job, rx_group *g, bool *due);
/* Writes what became of the row: done, to be tried again, or failed for good. */
mt_err rx_delivery_settle(rx_job *job, rx_group *g, bool *failed);
/* Starts the target flow of a trigger, or the sending of an intent. */
void rx_trigger_fire(rx_job *job);
void rx_intent_send(rx_job *job);
/* The hook of x->flow_ended: one row for each trigger that matches. */
mt_err rx_flow_triggers(rx_group *g, rx_job *job, const st_flow *row);
/* One that cannot be kept any more: settled as failed, with its record. */
mt_err rx_trigger_fail(rx_group *g, const st_trigger *row, const mt_json *body,
                       mt_str reason);
bool rx_trigger_list(rx_job *job);

/* ---- The other two voices ---------------------------------------------------------
 */

/* What the settings name under `graphs` and `agents`. */
mt_err rx_graphs_open(rt_executor *x, mt_buf *why);
void rx_graphs_close(rt_executor *x);
rt_graph_service *rx_graph_named(rt_executor *x, mt_str name);
mt_err rx_agents_open(rt_executor *x, mt_buf *why);
/* While the committer still runs: what waits is answered first. */
void rx_agents_close(rt_executor *x);

bool rx_graph_list(rx_job *job);
bool rx_graph_event(rx_job *job);
mt_err rx_graph_event_commit(rx_job *job, rx_group *g);
bool rx_graph_context(rx_job *job);
bool rx_capture_list(rx_job *job);
bool rx_capture_get(rx_job *job);
bool rx_agent_list(rx_job *job);
bool rx_agent_message(rx_job *job);
void rx_agent_message_queue(rx_job *job);
mt_err rx_agent_message_commit(rx_job *job, rx_group *g);
bool rx_agent_tape(rx_job *job);
bool rx_agent_log(rx_job *job);

#endif

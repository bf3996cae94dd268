/* exec/call/call.h - one call on its way: the job, its request, its facts, its answer.
 * Room: exec. Knows contracts, writes nothing.
 *
 *     job        taken from a pool, answered, given back
 *     problem    refusals, as RFC 9457 problem details
 *     caller     rights and personas
 *     request    bodies and queries
 *     facts      gathered, checked; evaluate: evaluated once
 *     states     of instances, for who only reads
 *     list       pages; list_records: of the ledger
 *
 * A function named ex_refused_… answers the job with a problem and returns true, or
 * returns false: prepare() is a chain of them. */
#ifndef EX_CALL_H
#define EX_CALL_H

#include "base/form.h"
#include "contract/flow/states.h"
#include "exec/executor_internal.h"

typedef struct ex_group ex_group;
typedef struct ex_handler ex_handler;

/* ---- Jobs ---- */

/* A body, its members as far as they are known. ptr NULL, NULL: not given. */
typedef struct ex_request {
    mt_str persona, id, reason, state, expires_at;
    mt_str verdict, operation, flow; /* EXPLAIN: one of them */
    mt_str facts;                    /* JSON text */
    mt_str value;                    /* JSON text */
    mt_str bundle, source, contract; /* JSON text, text of a .tenor file, name */
    const mt_json *params, *bindings, *outcome, *expected, *flows, *policy, *state_map;
    const mt_json *invariants;  /* of a deployment: a list of texts */
    int64_t expires_ms, ttl_ms; /* 0: not given */
    const mt_json *unknown;     /* names of facts */
    bool partial;               /* what is not given is unknown, too */
    bool dry_run;
    bool receipt; /* the answer is to come with a receipt */
} ex_request;

struct ex_job {
    ex_job *next;
    ex_executor *x;
    const ex_call *call;
    ex_done *done;
    void *state;
    mt_arena arena;
    ex_reply reply;
    bool answered;
    bool kept;     /* the answer is one to keep for the request's key, if it has one */
    int problem;   /* an ex_problem, when the answer is one */
    bool was_read; /* the request's body was read to its end */
    bool simulation;  /* a dry run: every answer says so */
    bool only_may;    /* nobody reads what it would do, only that it may */
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
    bool counted;     /* refused: it counts against the caller's quota, once */
    bool key_counted; /* its key counts against the caller's quota, once */
    os_deadline own_deadline, *deadline; /* ex_deadline() */
    ex_version *v;
    ex_snap *snap;
    ex_version *frozen_v; /* a migrated flow: where its snapshot was frozen; or NULL */
    ex_snap *frozen_snap; /* the job's snap borrows from it */
    ex_version *fresh;    /* DEPLOY: compiled, in no list yet */
    ex_request request;
    uint32_t what;             /* operation, flow or entity, by the action */
    uint32_t persona;          /* of the model */
    uint32_t lost;             /* an entity whose instance is in a removed state, … */
    mt_str lost_state;         /* … this one; ptr NULL: none is */
    bool *unknown;             /* by fact; NULL: every fact is needed */
    bool *hidden;              /* of them, those the caller may not read; or NULL */
    int64_t facts_stamp;       /* of the manual facts it was prepared with */
    mt_str facts_json;         /* all facts as they are, for the flow's row */
    mt_str flow_id;            /* FLOW_*: the execution */
    mt_str facts_said;         /* FactProvenance as it was; empty: that of the snap */
    mt_str guard_json;         /* of the guarded call that this is; or empty */
    mt_str guard_call;         /* its id, for the reply of a flow; or empty */
    bool guards_flow;          /* its meaning is a flow */
    const ex_caller *acting;   /* ex_actor_of(), if it is not the caller; or NULL */
    mt_str origin;             /* FLOW_START: JSON of what triggered it, or empty */
    bool has_facts;            /* the snap's facts were gathered */
    int64_t give_up_ms;        /* waiting for a receipt */
    void *work;                /* the handler's own */
    const ex_handler *handler; /* NULL: the action's of EX_HANDLERS */
};

/* What is done for an action: a row of the table of kinds. prepare() runs on the
 * caller's thread (or a worker's) and either fills the reply or leaves the job to the
 * committer, which calls claim() (what to lock) and commit() (what to write) inside a
 * group's transaction. */
struct ex_handler {
    bool (*prepare)(ex_job *job);               /* true: answered */
    void (*claim)(ex_job *job, ex_group *g);    /* may be NULL */
    mt_err (*commit)(ex_job *job, ex_group *g); /* a fault is the store's */
    void (*queue)(ex_job *job);                 /* where it waits; NULL: ex_enqueue() */
    void (*think)(ex_job *job); /* on a worker: what the committer found unthought */
    bool alone;                 /* in a group of its own */
    bool slow;                  /* prepare() takes long */
    /* Knows nothing but what the store says: may be begun while the group before it is
     * still being made durable. */
    bool overlaps;
    /* One record, instances that move, and no other question to the store: may be tried
     * on states as this process last knew them (commit/guess.c). */
    bool guesses;
};
extern const ex_handler EX_HANDLERS[EX_ACTION_COUNT]; /* kinds.c; ORDER ex_action */
/* The job's own, or the action's. */
const ex_handler *ex_handler_of(const ex_job *job);

ex_job *ex_job_take(ex_executor *x);
/* Nothing of it is left but its memory. */
void ex_job_clear(ex_job *job);
/* Gives back the snapshot and what it borrows from. */
void ex_job_drop_snap(ex_job *job);
void ex_job_give(ex_job *job);
void ex_jobs_free(ex_executor *x);
/* Gives the reply and the job back. */
void ex_answer(ex_job *job);

/* Where a new thing is found, for the answer's head: names and ids are escaped. */
void ex_locate_flow(ex_job *job, mt_str id);
void ex_locate_instance(ex_job *job, mt_str contract, mt_str entity, mt_str id);

/* Starts a reply: 200 … and its body; the writer stands inside the open object. */
mt_jw ex_reply_with(ex_job *job, int status);
void ex_reply_end(mt_jw *w);
/* "record", the number a record has in the ledger; on a shared store it has none yet,
 * and "queued" is what it is found by until then. EX_NO_RECORD: neither. */
enum { EX_NO_RECORD = -1 };
void ex_reply_record(mt_jw *w, const ex_job *job, int64_t number);
/* A reply whose body is written whole by others. */
mt_buf *ex_reply_body(ex_job *job, int status);

/* ---- Problems ---- */

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
    X(NOT_DISTINCT,         403, true,  "not_distinct",         "The caller has acted as another persona") \
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
    X(REMOVED_STATE,        409, true,  "removed_state",        "An instance is in a removed state")    \
    X(VERSION_CONFLICT,     409, true,  "version_conflict",     "An instance has another version")      \
    X(AMBIGUOUS_OUTCOME,    409, true,  "ambiguous_outcome",    "Several outcomes match")               \
    X(INSTANCE_EXISTS,      409, true,  "instance_exists",      "The id is or was in use")              \
    X(INSTANCE_BUSY,        409, true,  "instance_busy",        "The instance is held")                 \
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
    X(INVARIANT_BROKEN,     422, true,  "invariant_broken",     "A promise of the contract does not hold") \
    X(INVALID_POLICY,       422, true,  "invalid_policy",       "The migration policy does not fit")    \
    X(INVALID_STATE_MAP,    422, true,  "invalid_state_map",    "The state map does not fit")           \
    X(IDEMPOTENCY_MISMATCH, 422, false, "idempotency_mismatch", "The key was used for another request") \
    X(QUOTA_EXCEEDED,       429, false, "quota_exceeded",       "The caller has used up its quota")     \
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

/* ---- Who calls ---- */

/* Who does what the job does: the caller, or who called a tool whose end this is. */
const ex_caller *ex_actor_of(const ex_job *job);
mt_str ex_caller_id(const ex_job *job);
/* {"actor","id","known_by","name"}: as records, receipts and sessions show an identity.
 */
void ex_identity_json(mt_jw *w, const ex_caller *c);
/* Everything of an identity that a flow goes on by when nobody calls: written down, and
 * read again (texts borrow from the tree). */
void ex_acting_json(mt_jw *w, const ex_caller *c);
ex_caller *ex_acting_read(mt_arena *a, const mt_json *who);
/* Over this contract; over one at least, when it is not known yet which. */
bool ex_refused_without(ex_job *job, mt_str contract, mt_str right);
bool ex_refused_without_anywhere(ex_job *job, mt_str right);
/* Does the job's contract concern the caller? */
bool ex_refused_unless_seen(ex_job *job);
/* May the caller act as the request's persona? The contract's is then known, or
 * CT_NONE. */
bool ex_refused_unless_held(ex_job *job);
/* May the caller see the contract's instances, states and flows? Those of every
 * contract, whichever are deployed? Read its records? The facts that its calls were
 * decided on? (docs/reference/rights.md, who reads what) */
bool ex_may_see(const ex_job *job, mt_str contract);
bool ex_may_see_all(const ex_job *job);
bool ex_may_read_ledger(const ex_job *job, mt_str contract);
bool ex_may_read_facts(const ex_job *job, mt_str contract);
/* Is it to know that this graph ("graphs:") or agent ("agents:") is served? */
bool ex_may_use(ex_job *job, const char *prefix, mt_str name);
/* May the caller assert the fact? With a call, where an adapter may serve it? */
bool ex_may_assert(const ex_caller *who, const ex_version *v, uint32_t fact);
bool ex_may_give(const ex_caller *who, const ex_version *v, uint32_t fact);
/* grant.c: by its grants alone, does a contract concern the caller, whatever it
 * declares (empty: every contract does)? May it assert a fact of this system? */
bool ex_caller_concerns(const ex_caller *who, mt_str contract);
bool ex_fact_granted(const ex_caller *who, mt_str contract, mt_str fact, mt_str system);
/* What would grant it. */
mt_str ex_fact_right(mt_arena *a, mt_str fact);

/* One more of the caller's quota; `of` names it for people. */
bool ex_refused_quota(ex_job *job, ex_quota what, const char *of);
/* The same of so many at once: all or none. */
bool ex_refused_quota_of(ex_job *job, ex_quota what, size_t count, const char *of);

/* ---- Requests ---- */

/* The longest that an asserted fact can be said to hold; without `ttl_ms` it holds
 * until it is retracted. */
#define EX_TTL_MOST_MS (INT64_C(3660) * 24 * 3600 * 1000)
/* Reads a body by the rows of its form; no body, no members. */
bool ex_refused_body(ex_job *job, const mt_form_row *rows, size_t count, void *out);
/* Reads the body that most calls have, into job->request. */
bool ex_refused_request(ex_job *job);
enum { EX_PAGE_USUAL = 100, EX_PAGE_MOST = 1000 };
/* A parameter of the query; ptr NULL: not given. */
mt_str ex_query(const ex_job *job, const char *name);
/* A number of the query within [least, most]. */
bool ex_refused_number(ex_job *job, const char *name, int64_t least, int64_t most,
                       int64_t otherwise, int64_t *out);
/* One of two words of the query; not given is the usual one. */
bool ex_refused_choice(ex_job *job, const char *name, const char *usual,
                       const char *other, bool *is_other);
/* The page that `after` and `limit` of the query ask for. */
bool ex_refused_page(ex_job *job, st_page *out);
/* Finds the call's contract (job->v). */
bool ex_refused_contract(ex_job *job);
/* Fills the snap's instances from the request's bindings. */
bool ex_refused_bindings(ex_job *job);

/* One page on its way into the reply. */
typedef struct ex_list {
    ex_job *job;
    st_tx *tx;
    mt_jw w;      /* inside `items` */
    st_page page; /* with room for one row more */
    uint32_t left;
    bool more;
    mt_str last; /* key of the page's last row: set it when `left` is 0 */
} ex_list;
/* Refused, and nothing is open; or a transaction and a reply are. */
bool ex_refused_list(ex_list *l, ex_job *job);
/* Is there room for this row? */
bool ex_list_take(ex_list *l);
/* Ends transaction and reply; always true. */
bool ex_list_close(ex_list *l, mt_err err);
/* A record, as far as the caller may read it. One page of them; `scope`: only those of
 * contracts that share the subject there. */
void ex_record_json(mt_jw *w, const ex_job *job, const st_record *r);
bool ex_list_records(ex_job *job, st_record_filter *f, mt_str scope);
/* The same for who reads the ledger: records of contracts that it may not read are left
 * out. */
bool ex_list_ledger(ex_job *job, st_record_filter *f);

/* ---- Facts ---- */

enum { EX_SHORT_BYTES = 256 << 10 }; /* of a body that holds up nobody */

/* The caller may not give these facts. Always true. */
bool ex_refuse_given(ex_job *job, const uint32_t *facts, size_t count);
/* Gathers and evaluates the facts of a request into the snap. */
bool ex_refused_facts(ex_job *job);
/* Fills the snap from a flow's row. MT_E_CORRUPT: it does not fit its contract;
 * MT_E_BUSY: it would take long, and may not here; MT_E_LIMIT, MT_E_TIMEOUT: *fault. */
mt_err ex_snapshot_restore(ex_job *job, const st_flow *row, ct_fault *fault);
/* Is the fact one that an adapter fetches? */
bool ex_served(const ex_version *v, uint32_t fact);
/* On a shared store another process may have asserted a fact that the job was prepared
 * without. Such a job is prepared again, once: then it has what was true after the call
 * came. A job that writes is looked at in its group, where it costs no round trip; one
 * that was answered at once, before the answer is given. */
mt_err ex_facts_check(ex_job *job);
void ex_facts_mark(ex_job *job, int64_t stamp);
/* {"fact":value} of all facts. */
void ex_facts_json(mt_buf *out, const ex_version *v, const ex_snap *s);
/* [FactProvenance] (§5.3, enriched §5A.10). */
void ex_fact_provenance(mt_jw *w, const ex_version *v, const ex_snap *s);
/* ["verdict"] that are present. */
void ex_verdict_names(mt_jw *w, const ex_version *v, const ct_verdicts *verdicts);

/* The snap's ct_partial, with the limits of the call. */
ct_partial *ex_partial_room(ex_job *job);
/* Evaluates into the snap's ct_partial, as far as known facts go. */
bool ex_refused_partly(ex_job *job);
/* Some of the facts are not known, says the request: job->unknown is then set. */
bool ex_refused_unknown(ex_job *job);
/* Does the call ask about facts, and do nothing? */
bool ex_only_asks(const ex_job *job);
/* "hidden":[…]: facts that are unknown because the caller may not read them. */
void ex_hidden_json(mt_jw *w, const ex_job *job);

/* May this thread take long over the job? */
bool ex_may_linger(const ex_job *job);
/* When its evaluations together are to end; they have limits.eval_ms. */
os_deadline *ex_deadline(ex_job *job);
/* From now on what is decided is to be durable, and no clock may have a part in it;
 * what takes long has been evaluated. */
void ex_stop_clock(ex_job *job);
/* Evaluates rules, and what conditions the call may ask for. MT_E_BUSY: it would take
 * long, and may not here; MT_E_TIMEOUT, MT_E_LIMIT and others as ct_evaluate(). */
mt_err ex_evaluate_rules(ex_job *job, const ex_version *v, ex_snap *s, ct_fault *fault);
mt_err ex_evaluate_conditions(ex_job *job, const ex_version *v, ex_snap *s,
                              ct_fault *fault);
/* The problem for what evaluating found; always true. */
bool ex_refuse_evaluation(ex_job *job, const ct_fault *fault);
/* The job's facts and verdicts, as the engine takes them. */
ct_frozen ex_frozen(const ex_job *job);

/* ---- States of instances ----------------------------------------------------------
 * Kept in memory, on a store nobody shares. */

ex_cache *ex_cache_new(void);
void ex_cache_free(ex_cache *c);
/* What the committer committed. */
void ex_cache_put(ex_cache *c, const st_instance *row);
/* State, version and deletion of the instance `key` names; the state's name is in the
 * arena. False: not known. */
bool ex_cache_get(ex_cache *c, mt_arena *a, const st_instance *key, st_instance *out);
void ex_cache_drop(ex_cache *c, const st_instance *row);
/* The state as the job's version knows it; CT_NONE: it was removed, which is noted. */
uint32_t ex_state_known(ex_job *job, uint32_t entity, mt_str state);
/* Refused if that is what became of the entity's instance. */
bool ex_refused_removed(ex_job *job, uint32_t entity);
/* States of what the snap binds, read without a lock. */
mt_err ex_states_read(ex_job *job);
/* What would be made for a guarded call is in its initial state. */
void ex_states_assume(ex_job *job);
/* The EntityStateMap (E17): every instance, read in one transaction; bindings narrow an
 * entity to one. Sealed. */
bool ex_refused_all_states(ex_job *job, ct_states *out);

#endif

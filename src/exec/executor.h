/* exec/executor.h - contracts that run: the one place where engines meet the store.
 * Room: exec. Front doors (http, cli) turn what they hear into an ex_call and what
 * comes back into words; everything between is here.
 *
 *     call --prepare--> snapshot --committer--> effects + provenance + record +
 * triggers
 *
 * Prepare runs on the caller's thread and touches no row that is written: it checks the
 * caller's rights, gathers facts (asserted, adapters, manual) and evaluates them once.
 * What writes is then queued to the committer, one thread per process: it takes all
 * that wait (up to a group), locks their instances, tries each against the live states,
 * writes effects, provenance, ledger records, triggers and idempotency answers, commits
 * once, and only then answers. A call that is refused writes nothing, so a group never
 * needs undoing in part; when the database itself fails, the whole group is answered
 * as not done.
 *
 * Of two operations racing for one instance the first in the group or the first to get
 * the row lock wins; the other sees the new state: 409 with the type of §17 E2, or the
 * version conflict when the caller named the version it expected.
 *
 * Threads: all functions may be called from any thread. */
#ifndef EX_EXECUTOR_H
#define EX_EXECUTOR_H

#include "adapter/param.h"
#include "base/figures.h"
#include "base/limits.h"
#include "base/str.h"
#include "store/store.h"
#include "trace/trace.h"

typedef struct ex_executor ex_executor;

/* ---- Who calls ---- */

/* How an identity is known. */
typedef enum ex_known_by {
    EX_BY_NOTHING, /* a server without tokens */
    EX_BY_TOKEN,
    EX_BY_OIDC,
    EX_BY_CERTIFICATE,
    EX_BY_SYSTEM,  /* the server itself: triggers, intents */
    EX_BY_OPERATOR /* a command on the store: the user of the machine */
} ex_known_by;
/* "token", "oidc", … */
const char *ex_known_by_name(ex_known_by how);

typedef enum ex_actor { EX_ACTOR_UNKNOWN, EX_ACTOR_HUMAN, EX_ACTOR_MACHINE } ex_actor;

/* An identity: who calls, and what it was granted. docs/reference/rights.md has the
 * grammar: personas are "PERSONA" (of every contract) or "CONTRACT:PERSONA"; rights are
 * "RIGHT" (over every contract) or "CONTRACT/RIGHT". Immutable while in use. */
typedef struct ex_caller {
    mt_str id; /* a token's id, never its secret; empty: nobody (open server) */
    mt_str name;
    ex_known_by by;
    ex_actor actor;
    const mt_str *personas;
    size_t persona_count;
    const mt_str *rights;
    size_t right_count;
    bool anyone; /* server without tokens, loopback only: may act as every persona */
} ex_caller;

/* Is the text a persona, or a right, of the grammar? Whether there is such a contract,
 * fact or graph is not asked: they come and go. */
bool ex_persona_known(mt_str text);
bool ex_right_known(mt_str text);
/* What a right includes, for people: "admin" gives a sentence; NULL: only itself. */
const char *ex_right_includes(mt_str text);
/* Does one grant of a persona cover this persona of this contract? */
bool ex_persona_covers(mt_str grant, mt_str contract, mt_str persona);
/* Does one of several? */
bool ex_personas_cover(const mt_str *grants, size_t count, mt_str contract,
                       mt_str persona);

bool ex_caller_holds(const ex_caller *who, mt_str contract, mt_str persona);
/* Over this contract, by a right over it or over all, or by `admin` where that includes
 * it. `contract` empty: over all. */
bool ex_caller_may(const ex_caller *who, mt_str contract, mt_str right);
/* Over one contract at least. */
bool ex_caller_may_somewhere(const ex_caller *who, mt_str right);

/* Somebody a decision is asked about (docs/reference/authzen.md). The front door knows
 * who they are: personas as in ex_caller, and the id that records know it by (empty:
 * none). */
typedef struct ex_subject_of {
    mt_str id;
    const mt_str *personas;
    size_t persona_count;
} ex_subject_of;
struct mt_json;
typedef struct ex_people {
    /* `subject`: {"id","properties","type"}. Nobody known has no personas. */
    void (*find)(void *state, mt_arena *a, const struct mt_json *subject,
                 ex_subject_of *out);
    /* All ids of a type. MT_E_NOTFOUND: there is no such type; MT_E_RANGE: they cannot
     * be listed, since what they come with decides who they are. */
    mt_err (*list)(void *state, mt_arena *a, mt_str type, const mt_str **ids,
                   size_t *count);
    void *state;
} ex_people;

/* ---- Calls ---- */

/* One row per thing that can be asked for; front doors map their routes to these.
 * Columns: name, does it write. Path parts: c contract, n name, i id. */
/* clang-format off */
#define EX_ACTION_MAP(X)                                                            \
    X(CONTRACT_LIST,     false) /* GET  contracts                                */ \
    X(CONTRACT_GET,      false) /* GET  contracts/c          manifest            */ \
    X(CONTRACT_VERSIONS, false) /* GET  contracts/c/versions                     */ \
    X(CONTRACT_DEPLOY,   true)  /* POST contracts            deploy a version    */ \
    X(MIGRATION_GET,     false) /* GET  contracts/c/migration                    */ \
    X(MIGRATION_COMPLETE, true) /* POST contracts/c/migration/complete           */ \
    X(EVALUATE,          false) /* POST contracts/c/evaluate                     */ \
    X(PARTIAL,           false) /* POST contracts/c/partial                      */ \
    X(EVALUATE_BATCH,    false) /* POST contracts/c/evaluate/batch   lines       */ \
    X(ACTIONS,           false) /* POST contracts/c/actions  {persona, facts}    */ \
    X(EXPLAIN,           false) /* POST contracts/c/explain  {facts, of what}    */ \
    X(ASK,               false) /* POST contracts/c/ask      {question}          */ \
    X(DECIDE,            true)  /* POST access/v1/evaluation                     */ \
    X(DECIDE_MANY,       true)  /* POST access/v1/evaluations                    */ \
    X(SEARCH_SUBJECT,    false) /* POST access/v1/search/subject                 */ \
    X(SEARCH_RESOURCE,   false) /* POST access/v1/search/resource                */ \
    X(SEARCH_ACTION,     false) /* POST access/v1/search/action                  */ \
    X(FACT_LIST,         false) /* GET  contracts/c/facts                        */ \
    X(FACT_ASSERT,       true)  /* PUT  contracts/c/facts/n  manual fact         */ \
    X(FACT_RETRACT,      true)  /* DELETE contracts/c/facts/n                    */ \
    X(OPERATION,         true)  /* POST contracts/c/operations/n  (dry_run)      */ \
    X(FLOW_START,        true)  /* POST contracts/c/flows/n       (dry_run)      */ \
    X(FLOW_LIST,         false) /* GET  flows                                    */ \
    X(FLOW_GET,          false) /* GET  flows/i                                  */ \
    X(FLOW_RESUME,       true)  /* POST flows/i/resume                           */ \
    X(FLOW_CANCEL,       true)  /* POST flows/i/cancel                           */ \
    X(INSTANCE_CREATE,   true)  /* POST contracts/c/instances/n                  */ \
    X(INSTANCE_LIST,     false) /* GET  contracts/c/instances[/n]                */ \
    X(INSTANCE_COUNT,    false) /* GET  contracts/c/states                       */ \
    X(INSTANCE_GET,      false) /* GET  contracts/c/instances/n/i                */ \
    X(INSTANCE_HISTORY,  false) /* GET  contracts/c/instances/n/i/history        */ \
    X(INSTANCE_DELETE,   true)  /* DELETE contracts/c/instances/n/i              */ \
    X(LEDGER_LIST,       false) /* GET  ledger                                   */ \
    X(LEDGER_GET,        false) /* GET  ledger/i                                 */ \
    X(LEDGER_PROOF,      false) /* GET  ledger/i/proof                           */ \
    X(LEDGER_RECEIPT,    false) /* GET  ledger/i/receipt                         */ \
    X(LEDGER_CHECKPOINT, false) /* GET  ledger/checkpoint                        */ \
    X(LEDGER_NOTE,       false) /* GET  ledger/checkpoint.note                   */ \
    X(LEDGER_CONSISTENCY, false)/* GET  ledger/consistency?from=&to=             */ \
    X(SYSTEM_LIST,       false) /* GET  systems                                  */ \
    X(SYSTEM_GET,        false) /* GET  systems/n                                */ \
    X(TRIGGER_LIST,      false) /* GET  systems/n/triggers                       */ \
    X(GRAPH_LIST,        false) /* GET  graphs                                   */ \
    X(GRAPH_EVENT,       true)  /* POST graphs/n/events                          */ \
    X(GRAPH_PUMP,        true)  /* nobody's route, by feeds.c: deferred, i a row */ \
    X(GRAPH_CONTEXT,     false) /* GET  graphs/n/context                         */ \
    X(GRAPH_PICTURE,     false) /* GET  graphs/n/picture                         */ \
    X(LETTER_LIST,       false) /* GET  graphs/n/letters                         */ \
    X(LETTER_SEND,       true)  /* POST graphs/n/letters/send                    */ \
    X(GRAPH_KEYS,        false) /* GET  graphs/n/keys                            */ \
    X(CAPTURE_LIST,      false) /* GET  graphs/n/captures                        */ \
    X(CAPTURE_GET,       false) /* GET  graphs/n/captures/i                      */ \
    X(AGENT_LIST,        false) /* GET  agents                                   */ \
    X(AGENT_MESSAGE,     true)  /* POST agents/n/messages                        */ \
    X(AGENT_TAPE,        false) /* GET  agents/n/tape                            */ \
    X(AGENT_LOG,         false) /* GET  agents/n/messages                        */ \
    X(GUARD_BEGIN,       true)  /* nobody's route: a tool is to be called elsewhere */ \
    X(GUARD_END,         true)  /* nobody's route: what became of call i          */ \
    X(GUARD_FLOW,        true)  /* GUARD_BEGIN of a tool that is a flow           */ \
    X(GUARD_FLOW_END,    true)  /* nobody's call: GUARD_END finds that it is one  */
/* clang-format on */

typedef enum ex_action {
#define EX_ACTION_ENUM(name, writes) EX_##name,
    EX_ACTION_MAP(EX_ACTION_ENUM)
#undef EX_ACTION_ENUM
        EX_ACTION_COUNT
} ex_action;

/* How a call of a tool that is elsewhere ended. */
typedef enum ex_ended {
    EX_ENDED_DONE,
    EX_ENDED_FAILED, /* the tool says so: nothing happened */
    EX_ENDED_UNKNOWN /* nobody knows: somebody has to find out */
} ex_ended;

/* GUARD_*: a call of a tool of another server (docs/adr/0032-guard.md). BEGIN: `n` is
 * the operation that it is (empty: none, the tool is not mapped), FLOW: the flow; the
 * body that of an operation; what answers has `call`, its id. END: `i` is that id, the
 * body may have an outcome. Texts are JSON for the record. */
typedef struct ex_guarded {
    mt_str tool;
    mt_str arguments; /* BEGIN */
    mt_str result;    /* END; empty: there is none */
    mt_str why;       /* END: text, for what did not end well */
    ex_ended ended;
    bool commits_before; /* the effects are there before the tool is called */
    bool closes;         /* … and nobody will tell what became of it */
    bool outcome_later;  /* several outcomes match: the result will say which */
    bool observes;       /* a refusal is recorded, and nobody is held up by it */
    bool passes;         /* not mapped, and allowed nevertheless */
    /* OPERATION and FLOW_START as a dry run: entities whose instance, if there is none,
     * is taken as just made. BEGIN: likewise, to say what else is in the way. */
    const mt_str *makes;
    uint32_t make_count;
} ex_guarded;

/* Borrowed until the reply is given. */
typedef struct ex_call {
    ex_action action;
    const ex_caller *caller;
    mt_str contract;                    /* empty: the default one */
    mt_str name, id;                    /* as in the table above */
    mt_str body;                        /* JSON or empty */
    const struct ho_graph_event *event; /* an event that a source of the server's gave,
                                           besides the body; as long as the call */
    mt_str idempotency_key;             /* empty: none */
    mt_str request_digest;              /* hex of method, path, body; with the key */
    const ad_param *query;
    size_t query_count;
    const ex_people *people;   /* of decisions; NULL: nobody but personas is known */
    const ex_guarded *guarded; /* GUARD_*, a dry run before one, or NULL */
    tr_trace *trace; /* stages are noted there, its id in the record; NULL: none */
    /* On a thread that others wait for: what takes long to evaluate is left to the
     * executor's workers, and answered from there. */
    bool must_not_linger;
} ex_call;

typedef struct ex_reply {
    int status;       /* of HTTP; other doors translate */
    mt_buf body;      /* JSON; a problem (RFC 9457) when status >= 400 */
    bool problem;     /* content type application/problem+json */
    const char *type; /* another content type than JSON, or NULL */
    bool replayed;    /* an idempotent request answered again */
    mt_str etag;      /* lives in its room or is static; may be empty */
    mt_str location;  /* as long as the call; may be empty */
    mt_str contract;  /* that was asked about; lives until the executor closes */
    const char *code; /* of the problem; NULL: none, or an answer given again */
    char etag_room[80];
    unsigned retry_after; /* seconds; 0: as the status demands */
} ex_reply;

/* Called exactly once for each call, on the caller's thread before ex_executor_call()
 * returns, or on the committer's or a worker's. The reply is valid during the call
 * only, its body may be moved out. */
typedef void ex_done(void *state, ex_reply *reply);
void ex_executor_call(ex_executor *x, const ex_call *call, ex_done *done, void *state);

/* Does this body, or what there is of it, say `"dry_run": true`? For whoever refuses it
 * without a call: every answer to a dry run says that it is one. */
bool ex_asks_dry_run(mt_str body);

/* ---- Quotas ---- */

/* What one identity may have so much of in a while (docs/reference/rights.md, quotas).
 */
typedef enum ex_quota {
    EX_QUOTA_REQUESTS,
    EX_QUOTA_INSTANCES, /* made */
    EX_QUOTA_ANSWERS,   /* kept for an Idempotency-Key */
    EX_QUOTA_REFUSALS,  /* recorded */
    EX_QUOTA_STREAMS,   /* at once: ex_quota_open_stream() */
    EX_QUOTA_COUNT
} ex_quota;
/* One more. False: it is used up for so many seconds. */
bool ex_quota_take(ex_executor *x, const ex_caller *who, ex_quota what,
                   unsigned *seconds);
/* What was taken was not used. */
void ex_quota_give_back(ex_executor *x, const ex_caller *who, ex_quota what);
/* False: it has as many as it may have. Else close it. */
bool ex_quota_open_stream(ex_executor *x, const ex_caller *who);
void ex_quota_close_stream(ex_executor *x, const ex_caller *who);

/* ---- Life ---- */

/* What to serve: text of a .tenor file, a bundle, a System, or nothing new (what the
 * store has). */
typedef struct ex_executor_options {
    st_store *store;             /* borrowed */
    const mt_limits *limits;     /* NULL: the defaults */
    const char *const *files;    /* .tenor, bundle or System files; ends with NULL */
    mt_str default_contract;     /* empty: the first file's */
    mt_str trust_domain;         /* empty: none */
    const char *signing_key;     /* file of the executor's key, or NULL */
    const char *previous_key;    /* file of the key that signed until now, to hand over;
                                    NULL: no handing over */
    const char *signer_memory;   /* file of the last checkpoint signed, outside of the
                                    store; NULL: signing_key with ".memory" */
    mt_str origin;               /* the log's name for witnesses; empty: made from
                                    its first record */
    size_t witness_quorum;       /* cosignatures that a complete receipt needs */
    const char *shadow;          /* file of a candidate that looks on, or NULL */
    const mt_str *auto_personas; /* act for the system */
    size_t auto_persona_count;
    const struct mt_json *adapters; /* configuration subtree, or NULL */
    mt_str directory; /* what relative file names in it start from; empty: here */
    const struct mt_json *settings; /* all of the configuration, or NULL */
    /* What becomes of flows in flight when a file is another version than the store
     * has: "POLICY" or "FLOW=POLICY" each (docs/how-to/deploy.md). */
    const mt_str *policies;
    size_t policy_count;
    /* Whether they can go on is judged by the aggressive analysis (§18.6.11); the
     * manifest says so. */
    bool aggressive;
    unsigned group;              /* calls per commit at most; 0: 256 */
    unsigned checkpoint_every;   /* records; 0: 1000 */
    unsigned checkpoint_seconds; /* a record is signed after so long; 0: 60 */
    unsigned workers; /* threads for what takes long to evaluate; 0: as many as cores */
    void (*log)(void *state, int level, mt_str event, mt_str json);
    void *log_state;
} ex_executor_options;

/* Such a list as the `policy` of a deployment. MT_E_SYNTAX: one is none; *bad. */
mt_err ex_policy_json(mt_buf *out, const mt_str *policies, size_t count, mt_str *bad);

mt_err ex_executor_open(const ex_executor_options *options, ex_executor **out,
                        mt_buf *why);

/* Something in the configuration that opening would refuse. `key`: "graphs.pricing";
 * `offset`: of its value in the text of the configuration. */
typedef void ex_config_fault(void *state, mt_str key, size_t offset, mt_str reason);
#define EX_NO_PLACE SIZE_MAX /* the offset is not known */
/* All of them, as far as they show without the store; starts nothing. How many. */
size_t ex_executor_check(const ex_executor_options *options, ex_config_fault *fault,
                         void *state);
/* Is this file's the key that signs? If not, `why` has a sentence. */
bool ex_executor_has_key(ex_executor *x, const char *path, mt_buf *why);
/* Takes no more calls, finishes or checkpoints what runs, answers all that wait. */
void ex_executor_close(ex_executor *x);

/* ---- For the front door ---- */

/* The manifest as served, with capabilities and trust; text lives while `hold` is held.
 */
typedef struct ex_manifest {
    mt_str text, etag;
    const void *hold;
} ex_manifest;
mt_err ex_executor_manifest(ex_executor *x, mt_str contract, ex_manifest *out);
void ex_executor_release(ex_executor *x, ex_manifest *m);

/* Other programs may have queued records (of tokens): they are chained soon, with the
 * next group at the latest. */
void ex_executor_take_up(ex_executor *x);
/* Is the store reachable, the committer alive and the ledger the one that was signed?
 * `why` gets the reason if not. */
bool ex_executor_ready(ex_executor *x, mt_buf *why);
/* How each witness of the configuration stands, at `now_s` seconds since 1970. */
typedef struct ex_witness_state {
    mt_str name;
    uint64_t size;               /* records it has signed for */
    uint64_t behind;             /* signed by us since */
    int64_t age_s;               /* of its last signature; -1: there is none */
    unsigned long long failures; /* since the start */
    bool failing, contradicts;   /* it cannot be had; it says something else */
} ex_witness_state;
/* At most `most`; how many. */
size_t ex_witness_states(ex_executor *x, int64_t now_s, ex_witness_state *out,
                         size_t most);
/* Tells what the executor counts and measures. */
void ex_executor_figures(ex_executor *x, mt_figures *f);
/* For a description of the API. Writes the JSON Schemas of what calls of each contract
 * take, as members of the open object, and tells of each: "facts", "act", "evaluate",
 * "explain" of the contract (`name` is empty), "operation", "flow", "fact", "entity".
 * The key is CONTRACT.KIND or CONTRACT.KIND.NAME; components/schemas has what they
 * refer to: ExpectedVersions, Names, Outcome, Params, Time. */
struct mt_jw;
typedef void ex_api_see(void *state, mt_str kind, mt_str contract, mt_str name);
void ex_executor_api(ex_executor *x, struct mt_jw *w, ex_api_see *see, void *state);
/* A contract as it is served now. All of it lives until the executor closes; a later
 * version is another view. */
struct ct_plan;
struct ex_version;
typedef struct ex_view {
    mt_str contract, etag;
    const struct ct_plan *plan;
    const struct ex_version *version; /* the executor's own */
} ex_view;
/* False: no such contract. */
bool ex_view_of(ex_executor *x, mt_str contract, ex_view *out);
/* May the caller assert the fact with a call, if an adapter serves it, too? */
bool ex_view_may_give(const ex_view *view, const ex_caller *who, uint32_t fact);
/* Operations and flows of all contracts, and the agents that `who` (NULL: nobody) may
 * talk to, as items of the open array: skills of A2A. */
void ex_executor_skills(ex_executor *x, const ex_caller *who, struct mt_jw *w);
/* The trust domain; may be empty. */
mt_str ex_executor_domain(const ex_executor *x);
/* The codes of all problems, as items of the open array. */
void ex_problem_codes(struct mt_jw *w);
/* Called from the committer or a poller whenever new records are chained, so that event
 * streams can be written; `last` is the newest seq. */
typedef void ex_news(void *state, int64_t last);
void ex_executor_on_news(ex_executor *x, ex_news *news, void *state);

#endif

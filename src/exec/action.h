/* exec/action.h - what can be asked of the executor, and how it answers.
 * Room: exec. Part of its door, executor.h. */
#ifndef EX_ACTION_H
#define EX_ACTION_H

#include "adapter/param.h"
#include "base/str.h"
#include "exec/caller.h"
#include "trace/trace.h"

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

#endif

/* exec/call/problem.h - refusals, as RFC 9457 problem details.
 * Room: exec. */
#ifndef EX_PROBLEM_H
#define EX_PROBLEM_H

#include "exec/call/call.h"

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

#endif

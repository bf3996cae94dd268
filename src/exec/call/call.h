/* exec/call/call.h - one call on its way: the job, and its answer.
 * Room: exec. Knows contracts, writes nothing. Its steps have headers of their own:
 *
 *     problem.h  refusals, as RFC 9457 problem details
 *     rights.h   of the caller (caller.c, grant.c, quota.c)
 *     request.h  bodies and queries
 *     facts.h    gathered, checked; evaluated once (evaluate.c, partial.c)
 *     states.h   of instances, for who only reads
 *     list.h     pages; list_records.c: of the ledger
 *
 * A function named ex_refused_… answers the job with a problem and returns true, or
 * returns false: prepare() is a chain of them. */
#ifndef EX_CALL_H
#define EX_CALL_H

#include "exec/executor_internal.h"

typedef struct ex_group ex_group;
typedef struct ex_handler ex_handler;

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

#endif

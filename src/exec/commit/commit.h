/* exec/commit/commit.h - what is written: groups of jobs, each durable with one commit.
 * Room: exec. Knows contracts and calls; kinds write through it. Here are the queue in
 * front of the committer and what the jobs of one transaction share (queue.c, commit.c,
 * group.c, recover.c); the rest has headers of its own:
 *
 *     guess.h      groups without locks
 *     answers.h    idempotency; refusals as records; receipts for whoever asks
 *     ledger.h     records, chained (sequencer.c: on a shared store)
 *     sign.h       keys and signatures; witnesses co-sign
 *     shadow.h     a candidate contract that looks on
 *     effects.h    what an operation does, or why not (attempt.c); a flow's row
 *     distinct.h   personas that are to be different people
 *     outbox.h     what is done after a commit: trigger.c, intent.c, delivery.c
 *     tool_call.h  calls of tools elsewhere; claims.c: instances that they hold
 */
#ifndef EX_COMMIT_H
#define EX_COMMIT_H

#include "exec/call/call.h"

/* Leaves the job to the committer. */
void ex_enqueue(ex_job *job);
/* To be done once more, in a later group. */
void ex_enqueue_again(ex_job *job);
/* Takes up to `most` jobs. None: there is nothing to do now, or, if it may wait, it is
 * time to stop. */
size_t ex_queue_take(ex_executor *x, ex_job **jobs, size_t most, bool wait);
/* So many of those that were taken are answered, or wait again. */
void ex_queue_settled(ex_executor *x, size_t n);
void *ex_committer(void *executor);

/* Prepares the job from the beginning, with facts that are newer than the call. */
void ex_job_begin_again(ex_job *job);
/* Gives the job to a worker. */
void ex_think(ex_job *job);
void ex_thinkers_stop(ex_executor *x);

/* Takes up flows that run and have not moved for so long. */
mt_err ex_recover_flows(ex_executor *x, int64_t idle_ms);

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
    bool guessed; /* nothing is locked: the states are what this process last knew */
    bool wrong;   /* a guess that proves nothing: to be done once more, with locks */
    bool drew;    /* numbers ahead of time */
    int64_t stamps[EX_STAMPS]; /* that a guess depends on */
    const tr_trace *trace; /* of the job that is done now, for its records; or NULL */
    bool outbox;           /* something was promised: wake its thread */
    bool wrote;            /* something is to be committed, though there is no record */
    bool facts_changed;    /* manual ones */
    ex_version *deployed;  /* to be served once it is durable */
    int64_t contract_stamp; /* of the contracts when the group began */
};

/* The row of an instance; in claim() it is added, to be locked. */
void ex_claim(ex_group *g, mt_str scope, mt_str entity, mt_str id);
ex_row *ex_row_of(ex_group *g, mt_str scope, mt_str entity, mt_str id);
/* Claims everything the job's snap binds; reads their states. */
void ex_claim_bound(ex_job *job, ex_group *g);
void ex_group_states(ex_job *job, ex_group *g);
/* Moves an instance: its version is one higher. Written with the group's end. */
void ex_move(ex_group *g, ex_row *r, mt_str state, mt_str flow, mt_str operation);
/* The flow's row, locked by the group. */
ex_flow_row *ex_flow_of(ex_group *g, mt_str id);

/* Locks and reads what was claimed, for a job that is alone in its group. */
mt_err ex_lock_rows(ex_group *g);
/* The same in two steps: rows are filled in when st_settle() returns, then taken over.
 */
typedef struct ex_locked {
    st_instance *rows;
    bool *found;
} ex_locked;
mt_err ex_lock_rows_soon(ex_group *g, ex_locked *l);
void ex_lock_rows_take(ex_group *g, const ex_locked *l);
/* The flows that the jobs name. */
mt_err ex_lock_flows_soon(ex_group *g, ex_job **jobs, size_t n);
/* Writes rows that moved, records and answers, all of a kind together. */
mt_err ex_write_group(ex_group *g);

#endif

/* exec/commit/commit.h - what is written: groups of jobs, each durable with one commit.
 * Room: exec. Knows contracts and calls; kinds write through it.
 *
 *     queue      in front of the committer; commit: the committer; group: what the jobs
 *                of one transaction share; guess: without locks
 *     answers    idempotency; refusals: as records; receipts: for whoever asks
 *     ledger     records, chained; sequencer: on a shared store; sign, keys: signed
 *     witnesses  others co-sign what was signed
 *     shadow     a candidate contract that looks on
 *     effects    what an operation does; flow_row: a flow's row, its end
 *     outbox     what is done after a commit: trigger, intent; delivery: one row
 *     recover    flows of processes that died
 *     tool_call  calls of tools elsewhere; claims: instances that they hold
 *     attempt    why an operation was refused
 */
#ifndef EX_COMMIT_H
#define EX_COMMIT_H

#include "exec/call/call.h"
#include "exec/evidence/notes.h"
#include "ledger/receipt.h"

/* ---- The queue ---- */

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

/* ---- Groups ---- */

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

/* ---- Groups that guess (guess.c) ---- */

/* May the group guess? Then its jobs claim, and it takes the instances as they were
 * last known (g->guessed), or they have to be locked. */
bool ex_guess_may(const ex_group *g, ex_job **jobs, size_t n);
void ex_guess(ex_group *g, ex_job **jobs, size_t n);
/* Has numbers for guesses to come drawn, behind those of this group. */
mt_err ex_guess_draw_soon(ex_group *g, ex_job **jobs, size_t n);
/* Is it a guess that can be proven when it is written? */
bool ex_guess_stands(const ex_group *g);
/* Before rows are written, and behind them. */
mt_err ex_guess_hold(ex_group *g);
mt_err ex_guess_prove(ex_group *g);
/* The group is under way: its rows are not known until it is durable. */
void ex_guess_sent(ex_group *g, size_t n);
void ex_guess_durable(const ex_group *g);
/* Whatever was known or drawn may be wrong. */
void ex_guess_forget(ex_executor *x);
/* A guess was wrong, and that cost a journey: the next ones wait. */
void ex_guess_failed(ex_executor *x);

/* ---- Idempotency ---- */

/* Answers the job whose key was used before. */
mt_err ex_answer_use(ex_job *job, st_tx *tx, mt_arena *arena, const st_answer *a);
/* Is the key one that can be kept? */
bool ex_refused_key(ex_job *job);
/* What prepare() answered without the committer gives way to what was answered before.
 * Always true: answered. */
bool ex_answer_again(ex_job *job);
/* Remembers the answer of a request with a key, if it is one to keep; of a flow of many
 * turns with its first: whatever happens then, it has begun. */
void ex_answer_keep(ex_group *g, ex_job *job);
/* What prepare() answered, and is to be kept or recorded: the committer writes it down,
 * then gives it. False: it is neither. */
bool ex_answer_defer(ex_job *job);

/* ---- Refusals ---- */

/* Is the job's answer a refusal that the ledger is to know? */
bool ex_refusal_due(const ex_job *job);
/* "refusal":{…}: of what the job was answered, as much as the ledger is to know. */
void ex_refusal_json(mt_jw *w, const ex_job *job, mt_arena *a);
/* Writes its record, and the record's number into the answer. */
mt_err ex_refusal_record(ex_job *job, ex_group *g);
/* Are so many more records of refusals too much for the caller? Counted once a call. */
bool ex_refused_more(ex_job *job, size_t count);

/* ---- Receipts ---- */

/* Gives the reply, with a receipt if one was asked for and can be had in time. */
void ex_give(ex_job *job);
void *ex_receipts(void *executor);
/* What is promised about a chained record. */
mt_err ex_promise_make(ex_executor *x, st_tx *tx, mt_arena *a, const st_record *r,
                       lg_receipt *out);
/* Signs it; a program may take its time. MT_E_DENIED: nothing is signed now. */
mt_err ex_promise_sign(ex_executor *x, lg_receipt *r);

/* ---- Records ---- */

/* What is known of a record besides its body. */
typedef struct ex_record {
    const char *kind;
    mt_str contract, flow, subject;
    const mt_str *also; /* whatever else it is found by; ex_subject_add() */
    size_t also_count;
    bool unsorted; /* the body has keys out of order */
} ex_record;

/* A record in the making: the writer stands inside the object. Members are to be
 * written in byte order; those many records have are written by functions of their own,
 * at their place. */
mt_jw ex_record_begin(ex_group *g);
/* "caller":{…} */
void ex_caller_json(mt_jw *w, const ex_job *job);
/* "time", "trace_id" and "trust_domain". */
void ex_record_time(mt_jw *w, const ex_group *g);
/* Ends it and gives its number: its place in the ledger, or on a shared store what it
 * is queued as. Chained or queued at once, written with the group's end; a
 * shadow sees it. */
mt_err ex_record_end(ex_group *g, mt_jw *w, const ex_record *r, int64_t *id);
/* What a record is about, one after the other; the first is its subject. */
typedef struct ex_subjects {
    ex_group *g;
    ex_record *record;
    MT_VEC(mt_str) also;
} ex_subjects;
void ex_subject_add(ex_subjects *s, mt_str entity, mt_str id);
/* Everything that {"Entity":"instance"} binds. */
void ex_bound_subjects(ex_group *g, mt_str bindings, ex_record *r);

/* ---- The ledger ---- */

/* Adds g->body to the chain (or queues it), with no shadow looking. */
mt_err ex_record_put(ex_group *g, const ex_record *r, int64_t *id);
mt_err ex_write_records(ex_group *g);
/* On a store of its own: what other programs queued is chained before the group writes
 * anything, so that it is not later than what was done after it. */
mt_err ex_chain_queued(ex_group *g);
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
/* Appends records that were queued, under the claim. */
mt_err ex_chain_add(ex_executor *x, st_tx *tx, mt_arena *a, st_record *rows, size_t n);
/* The newest checkpoint. MT_E_NOTFOUND: nothing is signed. */
mt_err ex_last_checkpoint(st_tx *tx, mt_arena *a, lg_checkpoint *out);
void *ex_sequencer(void *executor);
/* Takes up flows that run and have not moved for so long. */
mt_err ex_recover_flows(ex_executor *x, int64_t idle_ms);

/* Before anything is written: the ledger stays in its trust domain, and its keys are
 * announced in it. */
mt_err ex_keys_open(ex_executor *x, const ex_executor_options *o, mt_buf *why);

void ex_signing_make(ex_signing *s);
void ex_signing_drop(ex_signing *s);
/* There are `size` records, durable; `here`: this process chained them, so it is the
 * one to sign when they are many. */
void ex_sign_note(ex_executor *x, int64_t size, bool here);
/* One look with this key and its memory, and a signature if anything is unsigned.
 * MT_E_DENIED: the ledger does not go on from what the key signed. */
mt_err ex_sign_with(ex_executor *x, const mt_sign_key *key, const char *memory,
                    mt_buf *why);
/* Why a key that is elsewhere did not sign. */
void ex_sign_why(ex_executor *x, mt_buf *why);
/* The first look: from then on readiness knows what is wrong. */
void ex_sign_open(ex_executor *x);
/* Starts the thread; ends it and signs for the rest. */
mt_err ex_sign_start(ex_executor *x);
void ex_sign_close(ex_executor *x);
/* May this process's key sign for what is in the ledger now? */
bool ex_sign_may(ex_executor *x);
/* Why nothing is signed, if so, behind `before`. For everyone: it names no files. */
bool ex_sign_fault(ex_executor *x, mt_buf *why, const char *before);

/* ---- Witnesses ---- */

mt_err ex_watches_open(ex_executor *x, const ex_executor_options *o, mt_buf *why);
mt_err ex_watches_start(ex_executor *x);
/* There is a new note. */
void ex_watches_wake(ex_executor *x);
void ex_watches_close(ex_executor *x);
/* The smallest note over more than `seq` records that has so many cosignatures of the
 * configured witnesses. MT_E_NOTFOUND: not yet. */
mt_err ex_cosigned_for(ex_executor *x, st_tx *tx, mt_arena *a, int64_t seq,
                       size_t quorum, lg_cosigned_note *out);

/* ---- The shadow ---- */

/* `path` NULL: there is none. */
mt_err ex_shadow_open(ex_executor *x, const char *path, mt_buf *why);
void ex_shadow_close(ex_executor *x);
/* Does the shadow look at this contract? */
bool ex_shadows(const ex_executor *x, const ex_version *v);
/* After record `id` was written from g->body; overwrites it when they disagree. */
mt_err ex_shadow_record(ex_group *g, const ex_record *r, int64_t id);
/* An operation was refused, on the group's states. Overwrites g->body. */
mt_err ex_shadow_refusal(ex_job *job, ex_group *g, const ct_attempt *a);

/* ---- Operations and flows ---- */

/* What one operation changes. */
typedef struct ex_effects {
    const ex_version *v;
    const ct_change *changes;
    uint32_t count;
    const mt_str *instances; /* per entity */
    mt_str flow, operation;
} ex_effects;

/* Moves every instance the changes name. */
mt_err ex_apply(ex_group *g, const ex_effects *f);
/* The record of the operation is about each of them. */
void ex_effect_subjects(ex_group *g, const ex_effects *f, ex_record *r);
/* The instances are not at the versions the caller expects. */
bool ex_refused_unless_versions(ex_job *job);
/* The job's version is not the one that is served any more. */
bool ex_refused_unless_current(ex_job *job);

/* "outcomes":[…], those given or all of an operation */
void ex_outcomes_json(mt_jw *w, const ct_plan *p, const uint32_t *outcomes,
                      uint32_t count);
void ex_all_outcomes_json(mt_jw *w, const ct_plan *p, uint32_t op);
/* "waiting":{…} of a row that waits, `op` being the operation it waits for. */
void ex_waiting_json(mt_jw *w, const ex_version *v, uint32_t op, const st_flow *row);
/* The version of a flow that waits, whose words its row needs; NULL for others. */
const ex_version *ex_waiting_version(ex_executor *x, const st_flow *row);
/* A flow's row as JSON: its members (`v` is its version, or NULL: not known); a whole
 * answer, which names a record (or EX_NO_RECORD). */
void ex_flow_members(mt_jw *w, const ex_version *v, const st_flow *row);
void ex_reply_flow(ex_job *job, const st_flow *row, int64_t record);
/* "states":{…} that a flow finds when it begins and leaves when it ends: with them a
 * ledger says all that decided it. */
void ex_states_json(mt_jw *w, const ct_plan *p, const uint32_t *states);
/* Binds the job's snap as the row says. */
bool ex_refused_row_bindings(ex_job *job, const st_flow *row);
/* How a flow ended. */
typedef struct ex_flow_end {
    const st_flow *row;
    const ex_version *v; /* the row's */
    const ct_run *run;   /* NULL: none was taken up (a cancellation) */
    mt_str error;        /* empty: none */
    mt_str asked_as;     /* the persona as which the caller asked; empty: not known */
} ex_flow_end;
/* The end of a flow: its record, and what a System promises for it. */
mt_err ex_flow_ended(ex_job *job, ex_group *g, const ex_flow_end *end, int64_t *id);

/* ---- Personas that are to be different people (distinct.c) ---- */

/* Somebody acts as a persona: on the instances that an operation changes, on a flow. */
typedef struct ex_act {
    mt_str persona, who;
    mt_str flow; /* empty: none */
    uint32_t op; /* CT_NONE: none */
} ex_act;
/* What it did before that forbids it. */
typedef struct ex_other {
    mt_str persona; /* empty: nothing forbids it */
    mt_str on;      /* "instance 'E/i'", "flow 'f'" */
    int64_t record;
} ex_other;
/* Does some rule speak of this persona of the job's contract? */
bool ex_distinct_applies(const ex_job *job, mt_str persona);
/* Looks at what was done; `lock`: in the group's transaction. */
mt_err ex_distinct_look(const ex_job *job, mt_arena *a, st_tx *tx, const ex_act *act,
                        bool lock, ex_other *out);
/* The same, and the job is answered if it may not (job->answered). `tx` NULL: in a
 * transaction of its own, for a dry run. */
mt_err ex_distinct_refused(ex_job *job, st_tx *tx, const ex_act *act, bool lock);
bool ex_refuse_other(ex_job *job, mt_str persona, const ex_other *other);
/* It has acted; `record` says so. */
mt_err ex_distinct_note(const ex_job *job, ex_group *g, const ex_act *act,
                        const ct_change *done, uint32_t count, int64_t record);

/* The problem that an attempt of the operation job->what is, which has an error; always
 * true. */
bool ex_refuse_attempt(ex_job *job, const ct_attempt *a);

/* ---- Calls of tools elsewhere (tool_call.c) ---- */

/* job->work of what ends a call: its document as it was read. */
typedef struct ex_tool_call {
    st_doc doc;
    mt_json tree;
    bool committed; /* before the tool was called */
} ex_tool_call;

/* Member `guard` of records; `call` and `why` may be empty. */
mt_str ex_tool_json(ex_job *job, mt_str call, const char *event, mt_str why);
void ex_tool_reply(ex_job *job, mt_str call, const char *status, int64_t number);
/* Record, document, claims and reply of what was decided: the tool is to be called. */
mt_err ex_tool_allow(ex_job *job, ex_group *g, mt_str call);
/* The document alone, of what is done already. */
mt_err ex_tool_keep(ex_job *job, ex_group *g, mt_str call, const char *status,
                    int64_t allowed);

/* Reads the call that is to end, and what it was decided on. */
bool ex_refused_tool_call(ex_job *job);
/* Ends it as the caller says. `done`: does what the tool means, and ends it with
 * ex_tool_forget(), or finds that it does not fit any more: ex_tool_unknown(). */
typedef mt_err ex_tool_done(ex_job *job, ex_group *g);
mt_err ex_tool_end(ex_job *job, ex_group *g, ex_tool_done *done);
/* Document and claims are gone with what the group writes. */
mt_err ex_tool_forget(ex_job *job, ex_group *g);
mt_err ex_tool_unknown(ex_job *job, ex_group *g, mt_str why);

/* ---- Instances that a guarded call holds (claims.c) ---- */

/* Is the entity one that the operation changes? CT_NONE: it is. */
bool ex_changes(const ex_version *v, uint32_t op, uint32_t entity);
/* Does the store have any? Asked once, when opening. */
mt_err ex_claims_open(ex_executor *x);
/* Answers the job (job->answered) if another call holds what the operation changes;
 * `op` CT_NONE: anything that is bound. Of a shared store: as far as this process
 * knows, unless the job is a guarded call itself. */
mt_err ex_held_refused(ex_job *job, ex_group *g, uint32_t op);
/* Which guarded call holds the locked instance; empty: none. */
mt_err ex_row_held(ex_group *g, const st_instance *row, mt_str *call);
/* Holds what the operation changes, for this call; lets go of it. */
mt_err ex_hold(ex_job *job, ex_group *g, uint32_t op, mt_str call);
mt_err ex_let_go(ex_group *g, mt_str call);

/* ---- The outbox ---- */

/* What was promised in a transaction and is done after it: triggers of Systems and
 * intents of graphs. */
void *ex_outbox(void *executor);
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
/* A flow has ended: one row for each trigger that matches. */
mt_err ex_trigger_promise(ex_group *g, const st_flow *row);
/* One that cannot be kept any more: settled as failed, with its record. */
mt_err ex_trigger_fail(ex_group *g, const st_trigger *row, const mt_json *body,
                       mt_str reason);

#endif

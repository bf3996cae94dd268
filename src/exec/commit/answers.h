/* exec/commit/answers.h - what a request is answered with: again, as a record of a
 * refusal, with a receipt. Room: exec. */
#ifndef EX_ANSWERS_H
#define EX_ANSWERS_H

#include "exec/commit/commit.h"
#include "ledger/receipt.h"

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

#endif

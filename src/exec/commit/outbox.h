/* exec/commit/outbox.h - what was promised in a transaction and is done after it:
 * triggers of Systems and intents of graphs.
 * Room: exec. */
#ifndef EX_OUTBOX_H
#define EX_OUTBOX_H

#include "exec/commit/commit.h"

/* The thread that does it. */
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

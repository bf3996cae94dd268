/* exec/commit/ledger.h - records, and the chain they are in.
 * Room: exec. */
#ifndef EX_LEDGER_H
#define EX_LEDGER_H

#include "exec/commit/commit.h"
#include "ledger/checkpoint.h"

/* ---- Records ---- */

/* What is known of a record besides its body. */
typedef struct ex_record {
    const char *kind;
    mt_str contract, flow, subject;
    const mt_str *also; /* whatever else it is found by */
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
/* It is about everything that {"Entity":"instance"} binds; the first is its subject. */
void ex_bound_subjects(ex_group *g, mt_str bindings, ex_record *r);

/* ---- The chain ---- */

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

#endif

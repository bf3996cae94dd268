/* exec/commit/sign.h - what is signed, by which key, and who co-signs it.
 * Room: exec. */
#ifndef EX_SIGN_H
#define EX_SIGN_H

#include "exec/commit/commit.h"
#include "exec/evidence/notes.h"

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

#endif

/* ledger/tell.h - what was found out about ledgers and receipts, for programs.
 * Room: ledger. May include base/ only. Keys ascend; every text ends with a newline. */
#ifndef LG_TELL_H
#define LG_TELL_H

#include "ledger/cosigned.h"
#include "ledger/proof.h"
#include "ledger/receipt.h"
#include "ledger/verify.h"

/* Also of a ledger that does not hold: then `problem` and its place say why. `named`
 * and `witnessed` NULL: nobody asked which log it is, or who has co-signed it. */
void lg_tell_finding(mt_buf *out, const lg_finding *f, const lg_cosigned_note *named,
                     const lg_cosigned_note *witnessed);

/* ---- Proofs ---- */

/* NULL when the checkpoints bear it out and are of who is expected, otherwise why not
 * (static text). One checkpoint for inclusion, two in any order for consistency; their
 * signatures are the caller's business. */
const char *lg_proof_fault(const lg_statement *s, const lg_checkpoint *points,
                           size_t count, const lg_expectation *expect);
void lg_tell_proof(mt_buf *out, const lg_statement *s, const char *fault);

/* ---- Receipts ---- */

/* What is asked of a receipt. */
typedef struct lg_receipt_check {
    lg_receipt_demand demand;
    bool must_be_complete;
    lg_cosigners by; /* who must have co-signed; count 0: nobody */
} lg_receipt_check;

/* A receipt, or an answer that came with one. MT_E_CORRUPT: neither. */
mt_err lg_receipt_or_answer(mt_arena *a, mt_str text, lg_receipt *out);
/* NULL when it holds, otherwise why not (static text). *ahead: cosignatures that were
 * not counted. */
const char *lg_receipt_check_one(const lg_receipt *r, const lg_receipt_check *c,
                                 size_t *ahead);
/* `ahead` NULL: nobody asked for witnesses. */
void lg_tell_receipt(mt_buf *out, const lg_receipt *r, const char *fault,
                     const size_t *ahead);

#endif

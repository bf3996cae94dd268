/* ledger/receipt.h - a signed statement for whoever asked: this is the record of it.
 * Room: ledger. May include base/ only.
 * JSON, canonical when written:
 *   {"key":K,"promise":{"decision":D,"domain":T,"hash":H,"ledger":L,"origin":O,
 *    "record":N},"signature":S}
 * says that record N of the ledger L has the hash H, and that it says D. D is an object
 * that means nothing here. L is the hash of record 0. O is the name that was chosen for
 * the log, if one was (older receipts do not have it). S is the Ed25519 signature by K
 * over the bytes of the promise. A checkpoint is an object without "decision", so what
 * is signed for one is never taken for the other.
 * With "checkpoint" (as in a ledger), "hashes" (of the proof that the record is in it),
 * "witnesses" (lines of cosignatures, C2SP tlog-cosignature) and "origin" (what they
 * call the log) it is complete: from then on nothing but public keys is needed to know
 * that the record cannot be taken back. */
#ifndef LG_RECEIPT_H
#define LG_RECEIPT_H

#include "ledger/proof.h"

/* More witnesses than anybody asks; a bound for hostile receipts. */
enum { LG_WITNESSES_MOST = 64 };

typedef struct lg_receipt {
    mt_str decision;  /* canonical JSON object */
    mt_str domain;    /* the trust domain; may be empty */
    mt_sha256 ledger; /* hash of its record 0 */
    mt_str log;       /* the name chosen for the log; empty: lg_made_name(ledger) */
    uint64_t seq;
    mt_sha256 hash;
    mt_sign_public key;
    mt_signature signature;
    bool complete; /* what follows is there */
    lg_checkpoint checkpoint;
    const lg_proof *path;    /* borrowed */
    mt_str origin;           /* what witnesses call the log; empty without any */
    const mt_str *witnesses; /* borrowed */
    size_t witness_count;
} lg_receipt;

/* Signs the promise; fills key and signature. */
void lg_receipt_sign(lg_receipt *r, const mt_sign_key *key);

/* Appends the document, without a newline. */
void lg_receipt_write(mt_buf *out, const lg_receipt *r);
/* Reads any layout of a document; nothing may be missing or added. Everything lives in
 * the arena. MT_E_CORRUPT otherwise. */
mt_err lg_receipt_read(mt_arena *a, mt_str text, lg_receipt *out);

/* Who may have signed, and for what. */
typedef struct lg_receipt_demand {
    const mt_sign_public *keys; /* both signatures are by one of them */
    size_t key_count;
    mt_str domain;           /* the trust domain it must have; ptr NULL: any */
    const mt_sha256 *ledger; /* the ledger it must be of; NULL: any */
    mt_str origin;           /* the name its log must have; ptr NULL: any */
} lg_receipt_demand;

/* NULL when everything that is in it holds, otherwise why not (static text). Witnesses
 * are the caller's business. */
const char *lg_receipt_fault(const lg_receipt *r, const lg_receipt_demand *demand);

#endif

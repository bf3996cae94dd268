/* ledger/verify.h - is a copy of a ledger what it claims to be?
 * Room: ledger. May include base/ only.
 * A ledger file has one record or checkpoint per line. Every record must follow the one
 * before it, every checkpoint must be signed and agree with the records before it. With
 * a checkpoint from elsewhere, nothing before it may have been changed, removed,
 * reordered or cut off either, even if the whole file was made anew. */
#ifndef LG_VERIFY_H
#define LG_VERIFY_H

#include "ledger/chain.h"

typedef struct lg_finding {
    const char *problem; /* static text; NULL: nothing was found */
    size_t line;         /* 1-based; 0: the file as a whole */
    uint64_t records, checkpoints;
    lg_chain end; /* where the good part ends */
} lg_finding;

typedef struct lg_expectation {
    const lg_checkpoint *trusted; /* NULL: none */
    const mt_sign_public *key;    /* who must have signed; NULL: anyone */
    bool check_bodies;            /* parse every body too: slower */
} lg_expectation;

/* MT_OK, or MT_E_CORRUPT and what was found first. `expect` may be NULL. */
mt_err lg_verify(mt_str text, const lg_expectation *expect, lg_finding *out);

#endif

/* exec/evidence/signer.h - signs a ledger that goes on from what was signed before, no
 * other. Room: exec.
 *
 *     look     reads the memory and the ledger: does it extend what this key signed?
 *     sign     remembers the new checkpoint, then publishes it in the store
 *
 * Only what is committed is looked at, so only durable records are signed. The memory
 * is on the disk before the checkpoint is in the store: after a crash in between the
 * checkpoint is put back from the memory. A checkpoint's head and root stand for every
 * record before it, so from the memory on only what was added has to be read and hashed
 * again. What stands before is compared by the hash of its last record: whoever chains
 * a changed record anew changes that. (A record that was changed without chaining is
 * found by whoever reads all of it: `whole`, or motet ledger verify. It is never signed
 * for: what is signed is computed from the memory.)
 *
 * A record that adds a key is signed for only when this key hands over to that one, as
 * whoever signs for it vouches for the key.
 *
 * Threads: a signer may be used by one thread at a time, several processes may have one
 * each for the same ledger. */
#ifndef EX_SIGNER_H
#define EX_SIGNER_H

#include "exec/evidence/signer_memory.h"
#include "store/store.h"

typedef struct ex_signer {
    st_store *store;
    const mt_sign_key *key;
    const char *memory; /* path */
    mt_str domain;
    const mt_sign_public *heir; /* the key it hands over to, or NULL */
} ex_signer;

/* What one look found. */
typedef struct ex_sight {
    ex_memory memory;
    lg_chain end;       /* where the records end */
    uint64_t signed_to; /* records this key has signed for */
    bool missing;       /* the memory's checkpoint is not in the store */
    bool behind;        /* it is newer than the one on the disk: to be written */
    bool revoked;       /* the ledger says that this key signs no more */
} ex_sight;

/* Looks at the ledger. MT_E_DENIED: it does not go on from what was signed, `why` says
 * what is wrong; nothing may be signed. Other errors: the store could not be read.
 * `whole`: reads every record again unless there are too many for that. */
mt_err ex_signer_look(const ex_signer *s, bool whole, mt_arena *a, ex_sight *out,
                      mt_buf *why);
/* Signs for everything that was seen. MT_E_TIMEOUT: the key is elsewhere, and did not
 * sign. */
mt_err ex_signer_sign(const ex_signer *s, ex_sight *seen, mt_buf *why);
/* Puts the memory's checkpoint back into the store. */
mt_err ex_signer_put_back(const ex_signer *s, const ex_memory *m, mt_buf *why);

/* For a ledger that was refused: an operator decides that it is to be signed as it is
 * (accept.c). The decision is a record of the ledger, with the reason. */
typedef struct ex_acceptance {
    bool nothing;    /* there was nothing to decide: nothing was done */
    int64_t records; /* that are signed for */
    int64_t record;  /* the one behind them that says so */
    size_t dropped;  /* checkpoints that the records contradicted */
    size_t revoked;  /* keys that were added, and that nobody has signed for */
    mt_str found;    /* why it was refused */
} ex_acceptance;
/* The signer's domain is not used: the records name theirs. MT_E_DENIED: it cannot be
 * accepted, `why` says why not. */
mt_err ex_ledger_accept(const ex_signer *s, mt_str reason, mt_arena *a,
                        ex_acceptance *out, mt_buf *why);

/* Records up to which a whole ledger is read at once. */
enum { EX_SIGNER_WHOLE = 10000 };

#endif

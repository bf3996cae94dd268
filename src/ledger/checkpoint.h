/* ledger/checkpoint.h - a signed statement of how long the ledger is and what is in it.
 * Room: ledger. May include base/ only.
 * Text, one canonical JSON line: {"checkpoint":{"domain":D,"head":H,"root":R,"size":N},
 * "key":K,"signature":S}. S is the Ed25519 signature (hex) by key K (hex) over the
 * bytes of the inner object. Whoever holds one can tell later whether anything up to
 * record N - 1 was changed, removed, reordered or cut off. */
#ifndef LG_CHECKPOINT_H
#define LG_CHECKPOINT_H

#include "base/sign.h"
#include "ledger/merkle.h"

typedef struct lg_checkpoint {
    mt_str domain; /* the trust domain */
    uint64_t size;
    mt_sha256 head; /* hash of record size - 1; zero bytes for an empty ledger */
    mt_sha256 root;
    mt_sign_public key;
    mt_signature signature;
} lg_checkpoint;

/* Signs domain, size, head and root; fills key and signature. */
void lg_checkpoint_sign(lg_checkpoint *c, const mt_sign_key *key);
/* The signature only; whether the key may sign is the keyring's. */
bool lg_checkpoint_verify(const lg_checkpoint *c);

/* Appends the line with its newline. */
void lg_checkpoint_write(mt_buf *out, const lg_checkpoint *c);
/* Texts live in the arena. MT_E_CORRUPT unless it is exactly what the writer gives. */
mt_err lg_checkpoint_read(mt_arena *a, mt_str line, lg_checkpoint *out);

#endif

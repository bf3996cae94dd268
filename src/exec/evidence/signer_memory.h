/* exec/evidence/signer_memory.h - the last checkpoint a key signed, kept outside of the
 * store. Room: exec. Whoever owns the database can write anything into it, a whole
 * ledger made anew included. This file is what he cannot reach: it stands beside the
 * signing key. Text: a checkpoint as in an exported ledger (ledger/checkpoint.h), one
 * line, and on a second line the chain where it stood (ledger/chain.h), so that the
 * next signature costs only what was added since. The second line may be missing: a
 * checkpoint that was kept elsewhere is a memory, too. A memory of size 0 says that the
 * key is in use and has signed nothing yet. */
#ifndef EX_SIGNER_MEMORY_H
#define EX_SIGNER_MEMORY_H

#include "ledger/chain.h"

typedef struct ex_memory {
    lg_checkpoint point; /* its text lives in the arena it was read into */
    lg_chain chain;      /* as it stood there */
    bool has_chain;
} ex_memory;

/* `given`, or KEY_FILE.memory when that is NULL. */
const char *ex_memory_path(mt_arena *a, const char *given, const char *key_file);
/* MT_E_NOTFOUND: there is none. MT_E_CONFLICT: it is another key's. MT_E_CORRUPT: it is
 * not a memory; MT_E_IO. `why` says what, but for MT_E_NOTFOUND. */
mt_err ex_memory_read(mt_arena *a, const char *path, const mt_sign_public *key,
                      ex_memory *out, mt_buf *why);
/* Replaces it: whole or not at all, on the disk when this returns MT_OK. */
mt_err ex_memory_write(const char *path, const ex_memory *m, mt_buf *why);
/* The memory of a key that has signed nothing, and putting it where there is none; with
 * `replace` one that is there gives way. */
ex_memory ex_memory_new(const mt_sign_key *key, mt_str domain);
mt_err ex_memory_begin(const char *path, const ex_memory *m, bool replace, mt_buf *why);

#endif

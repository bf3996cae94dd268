/* http/token_store.h - tokens in the store, and in the ledger.
 * Room: http. Who was let in, with which grants and until when, is part of what an
 * auditor asks; so a token that is made, changed or revoked leaves a record
 * (token_created, token_changed, token_revoked) in the transaction that does it. The
 * record is queued: whoever chains records takes it up, a server that runs on the store
 * at once, else the next one. It has neither the secret nor its hash.
 * Ownership: texts live in the arena given. */
#ifndef HT_TOKEN_STORE_H
#define HT_TOKEN_STORE_H

#include "http/token.h"

/* What happened to a token. */
typedef struct ht_token_change {
    const char *kind;       /* of the record: "token_created" … */
    const char *what;       /* "grant", "rotate"; NULL: the kind says it all */
    const ht_token *before; /* NULL: it is new */
} ht_token_change;

/* Reads one; *version is its document's. MT_E_NOTFOUND, MT_E_CORRUPT. */
mt_err ht_token_find(st_tx *tx, mt_arena *a, mt_str id, ht_token *out,
                     int64_t *version);
/* `version` 0 makes a row, another replaces the one before it; MT_E_CONFLICT,
 * MT_E_EXISTS: somebody was faster. No record: for marks that nobody decided. */
mt_err ht_token_put(st_tx *tx, const ht_token *t, int64_t version, int64_t now_ms);
/* The same with its record. */
mt_err ht_token_change_put(st_tx *tx, const ht_token *t, int64_t version,
                           const ht_token_change *change, int64_t now_ms);

#endif

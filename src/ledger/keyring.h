/* ledger/keyring.h - which keys may sign a ledger, as its own records say.
 * Room: ledger. May include base/ only.
 * Two kinds of records change it: {"key":HEX,"kind":"key_added",...} and
 * {"key":HEX,"kind":"key_revoked",...}. A checkpoint of size N speaks for the records
 * before N. A key is trusted when it was given from outside, or when a checkpoint by a
 * trusted key covers the record that added it: so nobody can slip in a key of his own.
 * Revocation acts at once: no checkpoint that covers the revoking record may be by the
 * key. Earlier ones stay good, so old records stay verifiable. A revoked key never
 * comes back.
 * Without any key from outside the first checkpoint's is believed (and the caller says
 * so). */
#ifndef LG_KEYRING_H
#define LG_KEYRING_H

#include "ledger/checkpoint.h"
#include "ledger/entry.h"

/* More keys than any ledger needs; a bound for hostile ones. */
enum { LG_KEYS_MOST = 4096 };

typedef struct lg_key {
    mt_sign_public key;
    bool trusted; /* given, or vouched for */
    bool added, revoked;
    uint64_t added_at, revoked_at; /* seq of the records, when they exist */
} lg_key;

typedef struct lg_keyring {
    lg_key *items; /* malloc */
    size_t len, cap;
    bool any;           /* some checkpoint is by a trusted key ... */
    uint64_t attested;  /* ... and covers the records [0, attested) */
    uint64_t unvouched; /* line of the first checkpoint nobody vouches for; 0: none */
    bool believed;      /* the root is the first checkpoint's own key */
} lg_keyring;

void lg_keyring_free(lg_keyring *r);
/* A key trusted from the start. */
void lg_keyring_give(lg_keyring *r, const mt_sign_public *key);

/* Takes the key events of a record. NULL, or what is wrong with it (static text). */
const char *lg_keyring_record(lg_keyring *r, uint64_t seq, const lg_body *body);
/* May this checkpoint be by this key? Its signature is not looked at. `line` is for
 * `unvouched`. NULL, or what is wrong with it. */
const char *lg_keyring_checkpoint(lg_keyring *r, const lg_checkpoint *c, uint64_t line);
/* After the last line. */
const char *lg_keyring_end(const lg_keyring *r);

/* Appends the body of a key event. `time` is an RFC 3339 text; empty domain or reason:
 * left out. */
void lg_key_event(mt_buf *out, bool revoked, const mt_sign_public *key, mt_str time,
                  mt_str domain, mt_str reason);

#endif

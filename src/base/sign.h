/* base/sign.h - Ed25519 signatures (libsodium).
 * Room: base. May include base/ only.
 * Verification is strict: malleable signatures and small-order keys are refused. A
 * secret key is wiped by its owner with mt_sign_wipe(). Key files are the host's job.
 */
#ifndef MT_BASE_SIGN_H
#define MT_BASE_SIGN_H

#include "base/str.h"

enum { MT_SIGN_SEED = 32, MT_SIGN_PUBLIC = 32, MT_SIGN_BYTES = 64 };

typedef struct mt_sign_public {
    unsigned char bytes[MT_SIGN_PUBLIC];
} mt_sign_public;

typedef struct mt_signature {
    unsigned char bytes[MT_SIGN_BYTES];
} mt_signature;

/* Who signs with a key that is not in this process: a program, a security module. May
 * take long, and may fail: false. */
typedef struct mt_sign_elsewhere {
    bool (*sign)(void *state, mt_str message, mt_signature *out);
    void *state;
} mt_sign_elsewhere;

/* The secret: seed and public key, as Ed25519 libraries keep them; or the public key
 * and who has the secret. */
typedef struct mt_sign_key {
    unsigned char seed[MT_SIGN_SEED];
    mt_sign_public open;
    const mt_sign_elsewhere *elsewhere; /* NULL: the seed is here */
} mt_sign_key;

/* A new random key; a key from a known seed. */
void mt_sign_generate(mt_sign_key *out);
/* The same seed gives the same key. */
void mt_sign_from_seed(const unsigned char seed[MT_SIGN_SEED], mt_sign_key *out);
/* Call it on every way out: a key must not stay in memory. */
void mt_sign_wipe(mt_sign_key *key);

/* A key that is elsewhere may fail to sign, or sign something else: then the signature
 * is all zero, which never verifies. Whoever relies on it looks. */
mt_signature mt_sign(const mt_sign_key *key, mt_str message);
/* Strict: one signature has one spelling. */
bool mt_sign_verify(const mt_sign_public *key, mt_str message,
                    const mt_signature *signature);

/* A public key as text: 64 hex digits or base64, perhaps with a newline. */
bool mt_sign_public_read(mt_str text, mt_sign_public *out);
/* The first 16 hex digits of the key's SHA-256 and "...", for people; not enough to
 * trust a key by. */
enum { MT_SIGN_NAME = 20 };
void mt_sign_name(const mt_sign_public *key, char out[MT_SIGN_NAME]);

#endif

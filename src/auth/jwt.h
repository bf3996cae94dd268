/* auth/jwt.h - JSON Web Tokens (RFC 7515, 7517, 7518, 7519): read, and their signatures
 * checked with public keys.
 * Room: auth. Pure, apart from libcrypto. Only compact ones that are signed with a
 * private key: RS256, ES256, EdDSA (Ed25519). There is no "none", and no key of ours is
 * ever a shared secret: what the header says chooses among keys that fit it, and
 * decides nothing else. A header that calls for something we do not know (`crit`) is
 * refused. Ownership: texts and trees live in the arena given; keys are freed with
 * their set. */
#ifndef AU_JWT_H
#define AU_JWT_H

#include "base/json_read.h"

typedef enum au_alg { AU_RS256, AU_ES256, AU_EDDSA, AU_ALG_COUNT } au_alg;
extern const char *const AU_ALG_NAMES[AU_ALG_COUNT + 1]; /* ends with NULL */

enum { AU_JWT_MOST = 8192, AU_KEYS_MOST = 64, AU_JWKS_MOST = 256 << 10 };

typedef struct au_jwt {
    au_alg alg;
    mt_str kid;       /* empty: none */
    mt_json claims;   /* an object */
    mt_str signed_by; /* the bytes that the signature is over */
    mt_str signature;
} au_jwt;

/* Does the text look like one (three parts)? Nothing else of ours does. */
bool au_jwt_seems(mt_str text);
/* NULL: it is one, not yet believed. Otherwise why not; a static text. */
const char *au_jwt_read(mt_arena *a, mt_str text, au_jwt *out);

typedef struct au_keys au_keys;
/* A JWK set. Keys for other things or of other kinds are passed over. MT_E_SYNTAX: it
 * is none; MT_E_LIMIT: too many keys. */
mt_err au_keys_read(mt_str text, au_keys **out);
void au_keys_free(au_keys *k);
size_t au_keys_count(const au_keys *k);

typedef enum au_signed {
    AU_SIGNED,
    AU_FORGED,     /* there is such a key, and it did not sign this */
    AU_KEY_UNKNOWN /* no key fits: there may be newer ones */
} au_signed;
au_signed au_keys_verify(const au_keys *k, const au_jwt *t);

#endif

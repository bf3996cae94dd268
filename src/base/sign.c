/* base/sign.c - see sign.h. */
#include "base/sign.h"

#include <sodium.h>

#include "base/base64.h"
#include "base/hash.h"

/* libsodium must be started once; it makes that safe to repeat from any thread. */
static void start(void)
{
    if (sodium_init() < 0) {
        MT_BUG("libsodium does not start");
    }
}

void mt_sign_generate(mt_sign_key *out)
{
    start();
    unsigned char seed[MT_SIGN_SEED];
    randombytes_buf(seed, sizeof seed);
    mt_sign_from_seed(seed, out);
    sodium_memzero(seed, sizeof seed);
}

void mt_sign_from_seed(const unsigned char seed[MT_SIGN_SEED], mt_sign_key *out)
{
    start();
    unsigned char secret[crypto_sign_SECRETKEYBYTES];
    crypto_sign_seed_keypair(out->open.bytes, secret, seed);
    memcpy(out->seed, seed, MT_SIGN_SEED);
    out->elsewhere = NULL;
    sodium_memzero(secret, sizeof secret);
}

void mt_sign_wipe(mt_sign_key *key)
{
    sodium_memzero(key, sizeof *key);
}

static mt_signature sign_elsewhere(const mt_sign_key *key, mt_str message)
{
    mt_signature out = {{0}};
    bool good = key->elsewhere->sign(key->elsewhere->state, message, &out) &&
                mt_sign_verify(&key->open, message, &out);
    return good ? out : (mt_signature){{0}};
}

mt_signature mt_sign(const mt_sign_key *key, mt_str message)
{
    start();
    mt_signature out;
    if (key->elsewhere) {
        return sign_elsewhere(key, message);
    }
    unsigned char secret[crypto_sign_SECRETKEYBYTES];
    memcpy(secret, key->seed, MT_SIGN_SEED);
    memcpy(secret + MT_SIGN_SEED, key->open.bytes, MT_SIGN_PUBLIC);
    crypto_sign_detached(out.bytes, NULL, (const unsigned char *)message.ptr,
                         message.len, secret);
    sodium_memzero(secret, sizeof secret);
    return out;
}

bool mt_sign_verify(const mt_sign_public *key, mt_str message,
                    const mt_signature *signature)
{
    start();
    return crypto_sign_verify_detached(signature->bytes,
                                       (const unsigned char *)message.ptr, message.len,
                                       key->bytes) == 0;
}

bool mt_sign_public_read(mt_str text, mt_sign_public *out)
{
    text.len -= text.len && text.ptr[text.len - 1] == '\n';
    return mt_unhex(text, out->bytes, MT_SIGN_PUBLIC) ||
           mt_unbase64(text, out->bytes, MT_SIGN_PUBLIC);
}

void mt_sign_name(const mt_sign_public *key, char out[MT_SIGN_NAME])
{
    mt_sha256 digest =
        mt_sha256_of(mt_str_from((const char *)key->bytes, MT_SIGN_PUBLIC));
    mt_hex(digest.bytes, 8, out);
    memcpy(out + 16, "...", 4);
}

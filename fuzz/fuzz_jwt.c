/* Tokens and sets of keys, as anybody may send them: a token that is read has the bytes
 * it was read from, is signed by nobody whose key did not sign it, and grants nothing
 * that no rule grants; the same token with a signature of ours is signed, and with a
 * changed one it is forged. */
#include <sodium.h>
#include <stdlib.h>

#include "auth/jwt.h"
#include "auth/rules.h"
#include "base/sign.h"

static void expect(bool holds)
{
    if (!holds) {
        abort();
    }
}

static mt_str base64url(mt_arena *a, mt_str bytes)
{
    size_t room =
        sodium_base64_encoded_len(bytes.len, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    char *text = mt_new_array(a, char, room);
    sodium_bin2base64(text, room, (const unsigned char *)bytes.ptr, bytes.len,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    return mt_str_z(text);
}

static au_keys *our_keys(mt_arena *a, mt_sign_key *key)
{
    unsigned char seed[MT_SIGN_SEED] = {7};
    au_keys *keys = NULL;
    mt_sign_from_seed(seed, key);
    mt_str x = base64url(a, mt_str_from((const char *)key->open.bytes, MT_SIGN_PUBLIC));
    mt_str set =
        mt_strf(a, "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"%.*s\"}]}",
                MT_ARG(x));
    expect(!au_keys_read(set, &keys) && au_keys_count(keys) == 1);
    return keys;
}

/* Everybody gets one right; a claim gives a persona. */
static void try_rules(mt_arena *a, const mt_json *claims)
{
    static const mt_str PERSONA[] = {MT_STR_INIT("shop:buyer")};
    static const mt_str RIGHT[] = {MT_STR_INIT("shop/read")};
    mt_json claim = {0};
    expect(
        !mt_json_read(a, mt_str_dup(a, MT_STR("[\"a\",\"b\"]")), NULL, &claim, NULL));
    au_rule rules[] = {{.rights = RIGHT, .right_count = 1},
                       {.claim = &claim,
                        .contains = MT_STR("x"),
                        .personas = PERSONA,
                        .persona_count = 1}};
    au_grants got;
    au_rules_apply(&(au_rules){rules, 2}, claims, a, &got);
    expect(got.right_count == 1 && got.persona_count <= 1);
    expect(!got.persona_count || mt_json_at(mt_json_at(claims, "a"), "b"));
}

static void try_signed(mt_arena *a, const au_jwt *t, const au_keys *keys,
                       const mt_sign_key *key)
{
    au_jwt mine;
    mt_signature s = mt_sign(key, t->signed_by);
    mt_str text = mt_strf(
        a, "%.*s.%.*s", MT_ARG(t->signed_by),
        MT_ARG(base64url(a, mt_str_from((const char *)s.bytes, sizeof s.bytes))));
    if (text.len > AU_JWT_MOST) {
        return;
    }
    expect(!au_jwt_read(a, text, &mine));
    expect(au_keys_verify(keys, &mine) ==
           (mine.alg == AU_EDDSA ? AU_SIGNED : AU_KEY_UNKNOWN));
    s.bytes[t->signed_by.len % sizeof s.bytes] ^= 1;
    mine.signature = mt_str_from((const char *)s.bytes, sizeof s.bytes);
    expect(au_keys_verify(keys, &mine) != AU_SIGNED);
}

static void try_token(mt_arena *a, mt_str text)
{
    au_jwt t;
    mt_sign_key key;
    if (au_jwt_read(a, text, &t)) {
        return;
    }
    expect(text.len <= AU_JWT_MOST && t.alg < AU_ALG_COUNT);
    expect(mt_json_is(&t.claims, MT_JSON_OBJECT));
    mt_str again =
        mt_strf(a, "%.*s.%.*s", MT_ARG(t.signed_by), MT_ARG(base64url(a, t.signature)));
    expect(mt_str_eq(again, text));
    au_keys *keys = our_keys(a, &key);
    expect(au_keys_verify(keys, &t) != AU_SIGNED);
    try_signed(a, &t, keys, &key);
    try_rules(a, &t.claims);
    au_keys_free(keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    au_keys *keys = NULL;
    mt_str text = mt_str_from((const char *)data, size);
    try_token(&a, text);
    if (!au_keys_read(text, &keys)) {
        expect(au_keys_count(keys) <= AU_KEYS_MOST);
    }
    au_keys_free(keys);
    mt_arena_free(&a);
    return 0;
}

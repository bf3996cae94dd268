/* base/sign: Ed25519 against the published test keys of RFC 8032. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/sign.h"

static const struct row {
    const char *name, *seed, *open, *message, *signature;
} ROWS[] = {
    {"signs the empty message as RFC 8032 test 1 says",
     "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
     "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"},
    {"signs one byte as RFC 8032 test 2 says",
     "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
     "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"},
};

static void signs_as_published(void **state)
{
    const struct row *r = *state;
    unsigned char seed[MT_SIGN_SEED], message[8];
    char hex[2 * MT_SIGN_BYTES + 1] = {0};
    size_t length = strlen(r->message) / 2;
    assert_true(mt_unhex(mt_str_z(r->seed), seed, sizeof seed));
    assert_true(mt_unhex(mt_str_z(r->message), message, length));
    mt_sign_key key;
    mt_sign_from_seed(seed, &key);
    mt_hex(key.open.bytes, MT_SIGN_PUBLIC, hex);
    hex[2 * MT_SIGN_PUBLIC] = 0;
    assert_string_equal(hex, r->open);
    mt_str text = mt_str_from((const char *)message, length);
    mt_signature s = mt_sign(&key, text);
    mt_hex(s.bytes, MT_SIGN_BYTES, hex);
    assert_string_equal(hex, r->signature);
    assert_true(mt_sign_verify(&key.open, text, &s));
}

static void refuses_any_changed_bit(void **state)
{
    (void)state;
    mt_sign_key key;
    mt_sign_generate(&key);
    mt_str text = MT_STR("the message");
    mt_signature s = mt_sign(&key, text);
    assert_true(mt_sign_verify(&key.open, text, &s));
    for (size_t bit = 0; bit < 8 * MT_SIGN_BYTES; bit++) {
        mt_signature bad = s;
        bad.bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
        assert_false(mt_sign_verify(&key.open, text, &bad));
    }
    assert_false(mt_sign_verify(&key.open, MT_STR("the massage"), &s));
}

static void makes_another_key_every_time_and_wipes_it(void **state)
{
    (void)state;
    mt_sign_key a, b, zero;
    memset(&zero, 0, sizeof zero);
    mt_sign_generate(&a);
    mt_sign_generate(&b);
    assert_memory_not_equal(a.seed, b.seed, MT_SIGN_SEED);
    mt_sign_wipe(&a);
    assert_memory_equal(&a, &zero, sizeof a);
}

int main(void)
{
    union {
        const void *in;
        void *out;
    } one = {&ROWS[0]}, two = {&ROWS[1]};
    const struct CMUnitTest tests[] = {
        {ROWS[0].name, signs_as_published, NULL, NULL, one.out},
        {ROWS[1].name, signs_as_published, NULL, NULL, two.out},
        cmocka_unit_test(refuses_any_changed_bit),
        cmocka_unit_test(makes_another_key_every_time_and_wipes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

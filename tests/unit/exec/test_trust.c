/* E18: an attestation binds the whole bundle to a signer, and anyone can check it. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base64.h"
#include "contract/elaborate.h"
#include "exec/evidence/trust.h"
#include "os/key_file.h"

#define BUNDLE "{\"constructs\":[],\"id\":\"c\",\"kind\":\"Bundle\",\"tenor\":\"1.0\"}"

static mt_sign_key key;

static mt_str manifest_of(mt_arena *a, mt_str bundle, mt_str trust)
{
    ct_manifest_parts parts = {.bundle = bundle, .trust = trust};
    return ct_manifest_of(a, &parts);
}

static mt_str signed_manifest(mt_arena *a, mt_str domain)
{
    ex_attestation t = ex_attest(a, MT_STR(BUNDLE), &key, domain);
    return manifest_of(a, MT_STR(BUNDLE), ex_trust_section(a, &t));
}

static void E18_an_attestation_verifies_without_the_executor(void **state)
{
    (void)state;
    mt_arena a = {0};
    ex_trust_finding f;
    mt_str text = signed_manifest(&a, MT_STR("acme.prod"));
    assert_int_equal(ex_trust_verify(&a, text, &key.open, NULL, &f), MT_OK);
    assert_false(f.own_key);
    assert_true(mt_str_is(f.domain, "acme.prod"));
    assert_true(mt_str_eq(f.etag, ct_bundle_etag(&a, MT_STR(BUNDLE))));
    assert_int_equal(ex_trust_verify(&a, text, NULL, NULL, &f), MT_OK);
    assert_true(f.own_key);
    mt_arena_free(&a);
}

static void E18_the_attestation_is_about_the_bundle_used(void **state)
{
    (void)state;
    mt_arena a = {0};
    ex_attestation t = ex_attest(&a, MT_STR(BUNDLE), &key, (mt_str){0});
    assert_true(ex_attestation_holds(&a, &t, MT_STR(BUNDLE)));
    assert_false(ex_attestation_holds(&a, &t, MT_STR(BUNDLE " ")));
    t.signature.bytes[0] ^= 1;
    assert_false(ex_attestation_holds(&a, &t, MT_STR(BUNDLE)));
    mt_arena_free(&a);
}

/* Of the bundle, etag and attestation every byte is covered. Trust domain, key (when
 * another is given) and the manifest's version are not. */
static void E18_every_changed_byte_of_the_bundle_is_found(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_str text = signed_manifest(&a, (mt_str){0});
    char *copy = mt_alloc(&a, text.len);
    size_t end = strlen("{\"bundle\":" BUNDLE ",\"etag\":\"\"") + 64;
    for (size_t i = 0; i < end; i++) {
        ex_trust_finding f;
        mt_mark mark = mt_arena_mark(&a);
        memcpy(copy, text.ptr, text.len);
        copy[i] = (char)(copy[i] ^ 2);
        assert_int_not_equal(
            ex_trust_verify(&a, mt_str_from(copy, text.len), &key.open, NULL, &f),
            MT_OK);
        mt_arena_rewind(&a, mark);
    }
    mt_arena_free(&a);
}

static void E18_problems_are_told_in_order(void **state)
{
    (void)state;
    static const struct {
        const char *trust, *problem;
    } ROWS[] = {
        {"", "no trust section found"},
        {"[]", "no trust section found"},
        {"{}", "attestation_format missing from trust section"},
        {"{\"attestation_format\":\"x\"}", "unrecognized attestation format: x"},
        {"{\"attestation_format\":\"ed25519-detached\"}",
         "no public key available (provide --pubkey or ensure signer_public_key is in "
         "trust section)"},
        {"{\"attestation_format\":\"ed25519-detached\",\"signer_public_key\":\"AA==\"}",
         "signer_public_key is not the base64 of 32 bytes"},
        {"{\"attestation_format\":\"ed25519-detached\",\"signer_public_key\":"
         "\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"}",
         "bundle_attestation missing from trust section"},
    };
    mt_arena a = {0};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ex_trust_finding f;
        mt_str text = manifest_of(&a, MT_STR(BUNDLE), mt_str_z(ROWS[i].trust));
        assert_int_equal(ex_trust_verify(&a, text, NULL, NULL, &f), MT_E_DENIED);
        assert_string_equal(mt_str_dup(&a, f.problem).ptr, ROWS[i].problem);
    }
    mt_arena_free(&a);
}

static void E18_another_signer_is_refused(void **state)
{
    (void)state;
    mt_arena a = {0};
    ex_trust_finding f;
    mt_sign_key stranger;
    mt_sign_generate(&stranger);
    mt_str text = signed_manifest(&a, (mt_str){0});
    assert_int_equal(ex_trust_verify(&a, text, &stranger.open, NULL, &f), MT_E_DENIED);
    assert_true(mt_str_starts(f.problem, MT_STR("invalid signature")));
    mt_arena_free(&a);
}

static void E18_an_unattested_manifest_has_no_trust_section(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_str plain = ct_manifest(&a, MT_STR(BUNDLE));
    assert_null(strstr(plain.ptr, "trust"));
    assert_non_null(strstr(signed_manifest(&a, (mt_str){0}).ptr, "\"trust\""));
    mt_arena_free(&a);
}

/* ---- key files ---- */

static char dir[] = "/tmp/motet-trust-XXXXXX";

static mt_err read_mode(const char *path, unsigned mode)
{
    mt_buf why = {0};
    mt_sign_key got;
    assert_int_equal(chmod(path, mode), 0);
    mt_err err = os_key_read(path, &got, &why);
    mt_buf_free(&why);
    return err;
}

static void keys_are_created_for_their_owner_only(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf why = {0};
    mt_sign_public open, read;
    mt_sign_key secret;
    struct stat st;
    const char *prefix = mt_strf(&a, "%s/k", dir).ptr;
    const char *path = mt_strf(&a, "%s.secret", prefix).ptr;
    mode_t before = umask(0);
    assert_int_equal(os_key_create(prefix, &open, &why), MT_OK);
    umask(before);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(st.st_size, MT_BASE64_LEN(32));
    assert_int_equal(os_key_read(path, &secret, &why), MT_OK);
    assert_int_equal(os_key_public(mt_strf(&a, "%s.pub", prefix).ptr, &read, &why),
                     MT_OK);
    assert_memory_equal(&secret.open, &open, sizeof open);
    assert_memory_equal(&read, &open, sizeof open);
    assert_int_equal(os_key_create(prefix, &open, &why), MT_E_EXISTS);
    static const unsigned REFUSED[] = {0604, 0640, 0644, 0602, 0610, 0666};
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        assert_int_equal(read_mode(path, REFUSED[i]), MT_E_DENIED);
    }
    assert_int_equal(read_mode(path, 0400), MT_OK);
    mt_buf_free(&why);
    mt_arena_free(&a);
}

/* A public half that is in the way: no secret is left behind. */
static void a_pair_is_made_whole_or_not_at_all(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf why = {0};
    mt_sign_public open;
    const char *prefix = mt_strf(&a, "%s/half", dir).ptr;
    close(creat(mt_strf(&a, "%s.pub", prefix).ptr, 0644));
    assert_int_equal(os_key_create(prefix, &open, &why), MT_E_EXISTS);
    assert_int_equal(access(mt_strf(&a, "%s.secret", prefix).ptr, F_OK), -1);
    mt_buf_free(&why);
    mt_arena_free(&a);
}

static void what_holds_no_key_is_refused(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "",
        "\n",
        "AAAA",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=",
        "00000000000000000000000000000000000000000000000000000000000000000000"};
    mt_arena a = {0};
    const char *path = mt_strf(&a, "%s/bad", dir).ptr;
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        mt_buf why = {0};
        mt_sign_key got;
        FILE *f = fopen(path, "w");
        fputs(TEXTS[i], f);
        fclose(f);
        chmod(path, 0600);
        assert_int_equal(os_key_read(path, &got, &why), MT_E_SYNTAX);
        mt_buf_free(&why);
    }
    mt_arena_free(&a);
}

static int make_dir(void **state)
{
    (void)state;
    unsigned char seed[MT_SIGN_SEED] = {9};
    mt_sign_from_seed(seed, &key);
    return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"k.secret", "k.pub", "half.pub", "bad"};
    mt_arena a = {0};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        unlink(mt_strf(&a, "%s/%s", dir, NAMES[i]).ptr);
    }
    mt_arena_free(&a);
    return rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(E18_an_attestation_verifies_without_the_executor),
        cmocka_unit_test(E18_the_attestation_is_about_the_bundle_used),
        cmocka_unit_test(E18_every_changed_byte_of_the_bundle_is_found),
        cmocka_unit_test(E18_problems_are_told_in_order),
        cmocka_unit_test(E18_another_signer_is_refused),
        cmocka_unit_test(E18_an_unattested_manifest_has_no_trust_section),
        cmocka_unit_test(keys_are_created_for_their_owner_only),
        cmocka_unit_test(a_pair_is_made_whole_or_not_at_all),
        cmocka_unit_test(what_holds_no_key_is_refused),
    };
    return cmocka_run_group_tests(tests, make_dir, drop_dir);
}

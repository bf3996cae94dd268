/* E19: which keys may sign, as a table of stories. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ledger/verify.h"

enum { KEYS = 3 };
static mt_sign_key keys[KEYS];

/* A story is a word per line: "o" a record; "+b", "-b" a record that adds or revokes
 * key b; "b" a checkpoint by key b. */
static void tell(mt_buf *out, const char *story)
{
    lg_chain chain = {0};
    for (const char *p = story; *p; p++) {
        mt_buf body = {0};
        if (*p == ' ') {
            continue;
        }
        if (*p >= 'a' && *p < 'a' + KEYS) {
            lg_checkpoint c = lg_chain_checkpoint(&chain, MT_STR("d"));
            lg_checkpoint_sign(&c, &keys[*p - 'a']);
            lg_checkpoint_write(out, &c);
            continue;
        }
        if (*p == 'o') {
            mt_buf_addz(&body, "{\"kind\":\"o\",\"trust_domain\":\"d\"}");
        } else {
            lg_key_event(&body, *p == '-', &keys[p[1] - 'a'].open, MT_STR("now"),
                         MT_STR("d"), MT_STR("because"));
            p++;
        }
        lg_entry e = lg_chain_append(&chain, mt_buf_str(&body));
        lg_entry_write(out, &e);
        mt_buf_free(&body);
    }
}

static const struct {
    const char *story;
    const char *given; /* keys of --key */
    const char *problem;
    uint64_t attested;
} STORIES[] = {
    {"o", "", NULL, 0},
    {"o a o a", "", NULL, 2},
    {"o a o", "a", NULL, 1},
    {"o a", "b", "a checkpoint is signed by another key", 0},
    {"o a b", "", "a checkpoint is signed by another key", 1},
    {"o a b", "ab", NULL, 1},
    {"o", "a", "no checkpoint is signed by a trusted key", 0},
    /* rotation */
    {"+a o a +b a o b -a o b", "a", NULL, 6},
    {"+a o a +b a o b -a o b", "b", NULL, 6},
    {"+a o a +b a o b -a o b", "", NULL, 6},
    {"+a o a +b a o b -a o b", "c",
     "a checkpoint is signed by a key that no trusted key vouches for", 0},
    /* a new key counts only after an old one vouched for it */
    {"o a +b b", "a", "a checkpoint is signed by a key that no trusted key vouches for",
     1},
    {"o a +b b a b", "a", NULL, 2},
    {"o a +b b", "ab", NULL, 2},
    /* revocation acts at once and for ever, not backwards */
    {"o a -a a", "a", "a checkpoint is signed by a key that was revoked before", 1},
    {"o a +b a -a b", "a", NULL, 3},
    {"o a +b a -a o a", "a", "a checkpoint is signed by a key that was revoked before",
     2},
    {"o a -a +a", "a", "a revoked key is added again", 1},
    {"o a -b b", "ab", "a checkpoint is signed by a key that was revoked before", 1},
    {"-b o a", "a", NULL, 2},
    /* a chain of three */
    {"+a a +b a -a b +c b -b c o c", "a", NULL, 6},
    {"+a a +b a -a b +c b -b c o c", "c", NULL, 6},
    /* repeated statements change nothing */
    {"+a +a a +b +b a -a -a b", "a", NULL, 6},
};

static void E19_keys_come_and_go(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof STORIES / sizeof *STORIES; i++) {
        mt_buf text = {0};
        mt_sign_public given[KEYS];
        lg_finding found;
        lg_expectation expect = {.keys = given};
        for (const char *p = STORIES[i].given; *p; p++) {
            given[expect.key_count++] = keys[*p - 'a'].open;
        }
        tell(&text, STORIES[i].story);
        lg_verify(mt_buf_str(&text), &expect, &found);
        if (STORIES[i].problem) {
            assert_non_null(found.problem);
            assert_string_equal(found.problem, STORIES[i].problem);
        } else {
            assert_null(found.problem);
        }
        assert_int_equal(found.attested, STORIES[i].attested);
        mt_buf_free(&text);
    }
}

/* Somebody adds records behind what was kept, a key of his own among them, and signs.
 */
static void a_checkpoint_from_elsewhere_vouches_for_nothing_behind_it(void **state)
{
    (void)state;
    static const struct {
        const char *kept, *story; /* the story goes on from what was kept */
        bool given;               /* is the signer's key given, too? */
        const char *problem;
    } ROWS[] = {
        {"o a", "o a o +b b", false,
         "a checkpoint is signed by a key that no trusted key vouches for"},
        {"o a", "o a o +b b", true,
         "a checkpoint is signed by a key that no trusted key vouches for"},
        {"o", "o o +b b", false,
         "a checkpoint is signed by a key that no trusted key vouches for"},
        {"", "+b b", false,
         "a checkpoint is signed by a key that no trusted key vouches for"},
        {"", "+b b", true,
         "a checkpoint is signed by a key that no trusted key vouches for"},
        {"o +b", "o +b b o b", false, NULL}, /* the kept one vouches for key b */
        {"o +b", "o +b o b", true, NULL},
        {"o", "o a +b a o b", false, NULL},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        mt_buf before = {0}, text = {0};
        lg_finding found;
        tell(&before, ROWS[i].kept);
        lg_verify(mt_buf_str(&before), NULL, &found);
        lg_checkpoint kept = lg_chain_checkpoint(&found.end, MT_STR("d"));
        lg_checkpoint_sign(&kept, &keys[0]);
        tell(&text, ROWS[i].story);
        lg_expectation expect = {.trusted = &kept,
                                 .keys = &keys[0].open,
                                 .key_count = ROWS[i].given ? 1 : 0};
        mt_err err = lg_verify(mt_buf_str(&text), &expect, &found);
        assert_int_equal(err, ROWS[i].problem ? MT_E_CORRUPT : MT_OK);
        if (ROWS[i].problem) {
            assert_string_equal(found.problem, ROWS[i].problem);
        }
        mt_buf_free(&before);
        mt_buf_free(&text);
    }
}

static void a_checkpoint_from_elsewhere_is_a_root_of_trust(void **state)
{
    (void)state;
    mt_buf text = {0};
    mt_arena a = {0};
    lg_finding found;
    lg_checkpoint kept;
    tell(&text, "+a o a +b a o b -a o b");
    mt_str all = mt_buf_str(&text);
    /* Line 3 is by a, the last one by b: either is enough. */
    mt_str line = all;
    for (int n = 0; n < 2; n++) {
        line = mt_str_skip(line, mt_str_find(line, '\n') + 1);
    }
    line.len = mt_str_find(line, '\n');
    assert_int_equal(lg_checkpoint_read(&a, line, &kept), MT_OK);
    lg_expectation expect = {.trusted = &kept};
    assert_int_equal(lg_verify(all, &expect, &found), MT_OK);
    assert_false(found.believed);
    expect = (lg_expectation){.trusted = &kept, .keys = &keys[2].open, .key_count = 1};
    assert_int_equal(lg_verify(all, &expect, &found), MT_E_CORRUPT);
    mt_arena_free(&a);
    mt_buf_free(&text);
}

static void a_ledger_cannot_have_too_many_keys(void **state)
{
    (void)state;
    lg_keyring ring = {0};
    const char *fault = NULL;
    for (unsigned i = 0; i <= LG_KEYS_MOST && !fault; i++) {
        char hex[67];
        snprintf(hex, sizeof hex, "\"%064x\"", i + 1);
        lg_body body = {.kind = MT_STR("\"key_added\""), .key = mt_str_z(hex)};
        fault = lg_keyring_record(&ring, i, &body);
    }
    assert_string_equal(fault, "the ledger has too many keys");
    lg_keyring_free(&ring);
}

int main(void)
{
    for (unsigned char i = 0; i < KEYS; i++) {
        unsigned char seed[MT_SIGN_SEED] = {i};
        mt_sign_from_seed(seed, &keys[i]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(E19_keys_come_and_go),
        cmocka_unit_test(a_checkpoint_from_elsewhere_vouches_for_nothing_behind_it),
        cmocka_unit_test(a_checkpoint_from_elsewhere_is_a_root_of_trust),
        cmocka_unit_test(a_ledger_cannot_have_too_many_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

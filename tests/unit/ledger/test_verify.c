/* Verification finds every change, removal, reordering and truncation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ledger/verify.h"

enum { RECORDS = 8 };

static mt_sign_key key;

/* RECORDS records, a checkpoint after the fifth and one at the end. */
static void make_ledger(mt_buf *out, lg_checkpoint *last, char salt)
{
    lg_chain chain = {0};
    for (int i = 0; i < RECORDS; i++) {
        char body[] = "{\"kind\":\"test\",\"n\":00,\"trust_domain\":\"here\"}";
        body[19] = (char)('1' + i);
        body[20] = salt;
        lg_entry e = lg_chain_append(&chain, mt_str_z(body));
        lg_entry_write(out, &e);
        if (i == 4 || i == RECORDS - 1) {
            *last = lg_chain_checkpoint(&chain, MT_STR("here"));
            lg_checkpoint_sign(last, &key);
            lg_checkpoint_write(out, last);
        }
    }
}

static void E19_a_good_ledger_verifies(void **state)
{
    (void)state;
    mt_buf text = {0};
    lg_checkpoint last;
    lg_finding found;
    make_ledger(&text, &last, '0');
    lg_expectation all = {.trusted = &last, .keys = &key.open, .key_count = 1};
    assert_int_equal(lg_verify(mt_buf_str(&text), &all, &found), MT_OK);
    assert_int_equal(found.records, RECORDS);
    assert_int_equal(found.checkpoints, 2);
    assert_int_equal(lg_verify((mt_str){0}, NULL, &found), MT_OK);
    mt_buf_free(&text);
}

/* Every bit of every byte, the file's and nothing else's word for it. */
static void E19_every_flipped_bit_is_found(void **state)
{
    (void)state;
    mt_buf text = {0};
    lg_checkpoint last;
    lg_finding found;
    make_ledger(&text, &last, '0');
    lg_expectation trusted = {.trusted = &last, .keys = &key.open, .key_count = 1};
    for (size_t i = 0; i < 8 * text.len; i++) {
        char *at = &text.ptr[i / 8], was = *at;
        *at = (char)(was ^ 1 << i % 8);
        assert_int_equal(lg_verify(mt_buf_str(&text), &trusted, &found), MT_E_CORRUPT);
        *at = was;
    }
    mt_buf_free(&text);
}

/* Calls lg_verify on the text with lines [from, to) left out. */
static mt_err without_lines(mt_str text, size_t from, size_t to,
                            const lg_expectation *expect)
{
    mt_buf rest = {0};
    for (size_t n = 0; text.len; n++) {
        mt_str line = mt_str_from(text.ptr, mt_str_find(text, '\n') + 1);
        if (n < from || n >= to) {
            mt_buf_adds(&rest, line);
        }
        text = mt_str_skip(text, line.len);
    }
    lg_finding found;
    mt_err err = lg_verify(mt_buf_str(&rest), expect, &found);
    mt_buf_free(&rest);
    return err;
}

static void E19_removed_records_are_found(void **state)
{
    (void)state;
    mt_buf text = {0};
    lg_checkpoint last;
    make_ledger(&text, &last, '0');
    lg_expectation trusted = {.trusted = &last};
    const size_t lines = RECORDS + 2;
    for (size_t i = 0; i < lines; i++) {
        bool checkpoint = i == 5 || i == lines - 1;
        assert_int_equal(without_lines(mt_buf_str(&text), i, i + 1, &trusted),
                         checkpoint ? MT_OK : MT_E_CORRUPT);
        /* Cut off behind line i: only the trusted checkpoint can tell. */
        bool whole = i >= lines - 1;
        assert_int_equal(without_lines(mt_buf_str(&text), i, lines, &trusted),
                         whole ? MT_OK : MT_E_CORRUPT);
    }
    mt_buf_free(&text);
}

static void E19_a_ledger_made_anew_is_found(void **state)
{
    (void)state;
    mt_buf mine = {0}, forged = {0};
    lg_checkpoint trusted, other;
    lg_finding found;
    make_ledger(&mine, &trusted, '0');
    make_ledger(&forged, &other, '1');
    lg_expectation expect = {.trusted = &trusted};
    assert_int_equal(lg_verify(mt_buf_str(&forged), NULL, &found), MT_OK);
    assert_int_equal(lg_verify(mt_buf_str(&forged), &expect, &found), MT_E_CORRUPT);
    assert_string_equal(found.problem,
                        "the records do not agree with the trusted checkpoint");
    mt_buf_free(&mine);
    mt_buf_free(&forged);
}

static void E19_another_key_is_found(void **state)
{
    (void)state;
    mt_buf text = {0};
    lg_checkpoint last;
    lg_finding found;
    mt_sign_key stranger;
    make_ledger(&text, &last, '0');
    mt_sign_generate(&stranger);
    lg_expectation expect = {.keys = &stranger.open, .key_count = 1};
    assert_int_equal(lg_verify(mt_buf_str(&text), &expect, &found), MT_E_CORRUPT);
    assert_string_equal(found.problem, "a checkpoint is signed by another key");
    mt_buf_free(&text);
}

/* The same lines as a file, whatever pieces it is read in. */
static void a_file_is_read_in_pieces(void **state)
{
    (void)state;
    mt_buf text = {0};
    lg_checkpoint last;
    make_ledger(&text, &last, '0');
    for (size_t piece = 1; piece < text.len; piece += 97) {
        lg_finding found;
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            for (size_t at = 0; at < text.len; at += piece) {
                size_t len = text.len - at < piece ? text.len - at : piece;
                if (write(ends[1], text.ptr + at, len) < 0) {
                    _exit(1);
                }
            }
            _exit(0);
        }
        close(ends[1]);
        lg_file *file = lg_file_new(ends[0], 4096);
        lg_source source = lg_file_source(file);
        assert_int_equal(lg_verify_source(&source, NULL, &found), MT_OK);
        assert_int_equal(found.records, RECORDS);
        assert_int_equal(found.bytes, text.len);
        lg_file_free(file);
        close(ends[0]);
        assert_int_equal(waitpid(child, NULL, 0), child);
    }
    mt_buf_free(&text);
}

static void a_chain_is_kept_as_text(void **state)
{
    (void)state;
    lg_chain chain = {0};
    for (int i = 0; i < 70; i++) {
        mt_buf text = {0}, again = {0};
        lg_chain back;
        lg_chain_write(&text, &chain);
        assert_int_equal(lg_chain_read(mt_buf_str(&text), (uint64_t)i, &back), MT_OK);
        lg_chain_write(&again, &back);
        assert_true(mt_str_eq(mt_buf_str(&text), mt_buf_str(&again)));
        mt_sha256 a = lg_frontier_root(&chain.tree), b = lg_frontier_root(&back.tree);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(&chain.head, &back.head, sizeof a);
        for (size_t cut = 0; cut < text.len; cut += 7) {
            assert_int_not_equal(
                lg_chain_read(mt_str_from(text.ptr, cut), (uint64_t)i, &back), MT_OK);
        }
        mt_buf_free(&text);
        mt_buf_free(&again);
        lg_chain_append(&chain, MT_STR("{}"));
    }
}

int main(void)
{
    unsigned char seed[MT_SIGN_SEED] = {7};
    mt_sign_from_seed(seed, &key);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(E19_a_good_ledger_verifies),
        cmocka_unit_test(E19_every_flipped_bit_is_found),
        cmocka_unit_test(E19_removed_records_are_found),
        cmocka_unit_test(E19_a_ledger_made_anew_is_found),
        cmocka_unit_test(E19_another_key_is_found),
        cmocka_unit_test(a_file_is_read_in_pieces),
        cmocka_unit_test(a_chain_is_kept_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

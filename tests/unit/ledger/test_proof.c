/* E19: proofs as documents, for every record and every pair of sizes of small ledgers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ledger/chain.h"
#include "ledger/proof.h"

enum { MOST = 20 };

static lg_entry records[MOST];
static mt_sha256 leaves[MOST];
static lg_checkpoint points[MOST + 1];

static void make(void)
{
    static char bodies[MOST][16];
    lg_chain chain = {0};
    for (int i = 0; i < MOST; i++) {
        snprintf(bodies[i], sizeof bodies[i], "{\"n\":%d}", i);
        points[i] = lg_chain_checkpoint(&chain, MT_STR(""));
        records[i] = lg_chain_append(&chain, mt_str_z(bodies[i]));
        leaves[i] = lg_leaf(&records[i].hash);
    }
    points[MOST] = lg_chain_checkpoint(&chain, MT_STR(""));
}

/* Through the document and back. */
static const char *travel(const lg_statement *s, const lg_checkpoint *earlier,
                          const lg_checkpoint *later)
{
    mt_arena a = {0};
    mt_buf text = {0};
    lg_statement back;
    lg_statement_write(&text, s);
    assert_int_equal(lg_statement_read(&a, mt_buf_str(&text), &back), MT_OK);
    const char *fault = lg_statement_fault(&back, earlier, later);
    mt_buf_free(&text);
    mt_arena_free(&a);
    return fault;
}

static void E19_every_record_is_proven(void **state)
{
    (void)state;
    for (uint64_t size = 1; size <= MOST; size++) {
        for (uint64_t i = 0; i < size; i++) {
            lg_proof path;
            lg_prove_inclusion(leaves, size, i, &path);
            lg_statement s = {
                .inclusion = true, .record = records[i], .size = size, .path = &path};
            assert_null(travel(&s, NULL, &points[size]));
            assert_non_null(travel(&s, NULL, &points[size - 1]));
            s.record = records[(i + 1) % MOST];
            assert_non_null(travel(&s, NULL, &points[size]));
            s.record = records[i];
            s.record.body = MT_STR("{\"n\":100}");
            assert_string_equal(travel(&s, NULL, &points[size]),
                                "the record was changed");
        }
    }
}

static void E19_every_pair_of_sizes_is_proven(void **state)
{
    (void)state;
    for (uint64_t to = 0; to <= MOST; to++) {
        for (uint64_t from = 0; from <= to; from++) {
            lg_proof path;
            lg_prove_consistency(leaves, from, to, &path);
            lg_statement s = {.from = from, .size = to, .path = &path};
            assert_null(travel(&s, &points[from], &points[to]));
            assert_non_null(travel(&s, NULL, &points[to]));
            lg_checkpoint forged = points[from];
            forged.root.bytes[3] ^= 1;
            if (from) {
                assert_non_null(travel(&s, &forged, &points[to]));
            }
        }
    }
}

static void what_is_no_proof_is_refused(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "",
        "{}",
        "[]",
        "{\"proof\":\"inclusion\"}",
        "{\"from\":1,\"hashes\":[],\"proof\":\"consistency\",\"to\":-1}",
        "{\"from\":1,\"hashes\":[1],\"proof\":\"consistency\",\"to\":2}",
        "{\"from\":1,\"hashes\":{},\"proof\":\"consistency\",\"to\":2}",
        "{\"from\":1,\"hashes\":[],\"more\":1,\"proof\":\"consistency\",\"to\":1}",
        "{\"hashes\":[],\"proof\":\"inclusion\",\"record\":{},\"size\":1}",
        "{\"hashes\":[],\"proof\":\"inclusion\",\"record\":7,\"size\":1}",
    };
    mt_arena a = {0};
    lg_statement s;
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        assert_int_equal(lg_statement_read(&a, mt_str_z(TEXTS[i]), &s), MT_E_CORRUPT);
    }
    assert_int_equal(
        lg_statement_read(&a,
                          MT_STR("{\"proof\": \"consistency\", \"to\": 1,\n \"from\": "
                                 "1, \"hashes\": []}"),
                          &s),
        MT_OK);
    mt_arena_free(&a);
}

int main(void)
{
    make();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(E19_every_record_is_proven),
        cmocka_unit_test(E19_every_pair_of_sizes_is_proven),
        cmocka_unit_test(what_is_no_proof_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

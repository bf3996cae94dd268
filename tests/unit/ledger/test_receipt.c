/* Receipts: promises and complete ones, read back, and everything that must not hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ledger/chain.h"
#include "ledger/note.h"
#include "ledger/receipt.h"

enum { MOST = 24 };

/* A small ledger, its key, and a receipt for each record at each size. */
static mt_sign_key key, other_key;
static lg_entry records[MOST];
static mt_sha256 leaves[MOST];
static lg_checkpoint points[MOST + 1];
static char bodies[MOST][24];
static const char DECISION[] =
    "{\"caller\":{\"id\":\"t\\u0001\"},\"kind\":\"refusal\"}";

static void make(const mt_sign_key *by, const char *domain, int salt)
{
    lg_chain chain = {0};
    for (int i = 0; i <= MOST; i++) {
        points[i] = lg_chain_checkpoint(&chain, mt_str_z(domain));
        lg_checkpoint_sign(&points[i], by);
        if (i < MOST) {
            snprintf(bodies[i], sizeof bodies[i], "{\"n\":%d}", i + salt);
            records[i] = lg_chain_append(&chain, mt_str_z(bodies[i]));
            leaves[i] = lg_leaf(&records[i].hash);
        }
    }
}

static int set_up(void **state)
{
    (void)state;
    mt_sign_generate(&key);
    mt_sign_generate(&other_key);
    make(&key, "acme", 0);
    return 0;
}

/* `size` 0: a promise. The proof lives until the next call. */
static lg_receipt receipt_for(uint64_t seq, uint64_t size)
{
    static lg_proof path;
    lg_receipt r = {.decision = mt_str_z(DECISION),
                    .domain = MT_STR("acme"),
                    .ledger = records[0].hash,
                    .seq = seq,
                    .hash = records[seq].hash};
    lg_receipt_sign(&r, &key);
    if (size) {
        lg_prove_inclusion(leaves, size, seq, &path);
        r.complete = true;
        r.checkpoint = points[size];
        r.path = &path;
    }
    return r;
}

/* Through the document and back; "" when it is not even one. */
static const char *fault_of(mt_str text, const lg_receipt_demand *demand)
{
    mt_arena a = {0};
    lg_receipt back;
    const char *fault = lg_receipt_read(&a, text, &back)
                            ? "unreadable"
                            : lg_receipt_fault(&back, demand);
    mt_arena_free(&a);
    return fault;
}

static const char *travel(const lg_receipt *r)
{
    mt_buf text = {0};
    lg_receipt_demand demand = {.keys = &key.open, .key_count = 1};
    lg_receipt_write(&text, r);
    const char *fault = fault_of(mt_buf_str(&text), &demand);
    mt_buf_free(&text);
    return fault;
}

static void promises_and_complete_receipts_hold(void **state)
{
    (void)state;
    for (uint64_t seq = 0; seq < MOST; seq++) {
        lg_receipt r = receipt_for(seq, 0);
        assert_null(travel(&r));
        for (uint64_t size = seq + 1; size <= MOST; size++) {
            r = receipt_for(seq, size);
            assert_null(travel(&r));
        }
    }
}

static void witnesses_are_carried(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf text = {0};
    static const mt_str LINES[] = {MT_STR_INIT("\xe2\x80\x94 w.example AAAA"),
                                   MT_STR_INIT("\xe2\x80\x94 v.example BBBB")};
    lg_receipt r = receipt_for(3, 9), back;
    r.witnesses = LINES;
    r.witness_count = 2;
    r.origin = MT_STR("log.example/one");
    lg_receipt_write(&text, &r);
    assert_int_equal(lg_receipt_read(&a, mt_buf_str(&text), &back), MT_OK);
    assert_int_equal(back.witness_count, 2);
    assert_true(mt_str_eq(back.witnesses[1], LINES[1]));
    assert_true(mt_str_eq(back.origin, r.origin));
    mt_buf_free(&text);
    mt_arena_free(&a);
}

static void every_changed_byte_is_found(void **state)
{
    (void)state;
    lg_receipt_demand demand = {.keys = &key.open, .key_count = 1};
    for (int complete = 0; complete < 3; complete++) {
        mt_buf text = {0};
        lg_receipt r = receipt_for(5, complete ? 17 : 0);
        if (complete == 2) {
            r.log = MT_STR("acme.example/log");
            lg_receipt_sign(&r, &key);
        }
        lg_receipt_write(&text, &r);
        assert_null(fault_of(mt_buf_str(&text), &demand));
        for (size_t i = 0; i < text.len; i++) {
            for (int bit = 0; bit < 8; bit++) {
                text.ptr[i] = (char)(text.ptr[i] ^ (1 << bit));
                if (!fault_of(mt_buf_str(&text), &demand)) {
                    fail_msg("byte %zu, bit %d of %.*s", i, bit,
                             MT_ARG(mt_buf_str(&text)));
                }
                text.ptr[i] = (char)(text.ptr[i] ^ (1 << bit));
            }
        }
        for (size_t len = 0; len < text.len; len++) { /* cut off anywhere */
            assert_non_null(fault_of(mt_str_from(text.ptr, len), &demand));
        }
        mt_buf_free(&text);
    }
}

static void any_layout_is_read(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf text = {0}, pretty = {0};
    mt_json tree;
    lg_receipt_demand demand = {.keys = &key.open, .key_count = 1};
    lg_receipt r = receipt_for(5, 17);
    lg_receipt_write(&text, &r);
    assert_int_equal(mt_json_read(&a, mt_buf_str(&text), NULL, &tree, NULL), MT_OK);
    mt_json_write(&pretty, &tree, true);
    assert_true(pretty.len > text.len);
    assert_null(fault_of(mt_buf_str(&pretty), &demand));
    mt_buf_free(&text);
    mt_buf_free(&pretty);
    mt_arena_free(&a);
}

static void assert_fault(const lg_receipt *r, const char *words)
{
    const char *fault = travel(r);
    if (!fault || !strstr(fault, words)) {
        fail_msg("found '%s', not '%s'", fault ? fault : "nothing", words);
    }
}

static void a_forged_key_fails(void **state)
{
    (void)state;
    lg_receipt r = receipt_for(4, 9);
    lg_receipt_sign(&r, &other_key);
    assert_fault(&r, "signed by another key");
    r.key = key.open; /* says it is by the good one */
    assert_fault(&r, "the signature is wrong");
    r = receipt_for(4, 9);
    lg_checkpoint_sign(&r.checkpoint, &other_key);
    assert_fault(&r, "its checkpoint is signed by another key");
    r.checkpoint.key = key.open;
    assert_fault(&r, "the signature of its checkpoint is wrong");
}

static void a_checkpoint_at_or_before_the_record_fails(void **state)
{
    (void)state;
    for (uint64_t size = 1; size <= 8; size++) {
        lg_receipt r = receipt_for(8, 9);
        r.checkpoint = points[size];
        assert_fault(&r, "does not reach the record");
    }
    lg_receipt r = receipt_for(8, 9); /* the first that does */
    assert_null(travel(&r));
    r = receipt_for(8, 10);
    r.checkpoint = points[9]; /* the proof is for another size */
    assert_fault(&r, "not in the ledger of its checkpoint");
}

static void a_receipt_of_another_ledger_fails(void **state)
{
    (void)state;
    static lg_proof path;
    lg_receipt r = receipt_for(4, 0);
    make(&key, "acme", 100); /* another ledger, by the same key */
    r.complete = true;
    r.checkpoint = points[9];
    lg_prove_inclusion(leaves, 9, 4, &path);
    r.path = &path;
    assert_fault(&r, "not in the ledger of its checkpoint");
    lg_receipt_demand demand = {
        .keys = &key.open, .key_count = 1, .ledger = &records[0].hash};
    r.complete = false;
    assert_non_null(lg_receipt_fault(&r, &demand));
    make(&key, "other", 0); /* the same records, elsewhere */
    r = receipt_for(4, 9);
    assert_fault(&r, "another trust domain");
    make(&key, "acme", 0);
    assert_null(lg_receipt_fault(&(lg_receipt){0}, &demand) ? NULL
                                                            : "an empty one holds");
}

static void demands_are_met(void **state)
{
    (void)state;
    lg_receipt r = receipt_for(4, 9);
    mt_sign_public both[] = {other_key.open, key.open};
    lg_receipt_demand demand = {.keys = both, .key_count = 2};
    assert_null(lg_receipt_fault(&r, &demand));
    demand.key_count = 1;
    assert_non_null(lg_receipt_fault(&r, &demand));
    demand = (lg_receipt_demand){.keys = both, .key_count = 0};
    assert_non_null(lg_receipt_fault(&r, &demand));
    demand =
        (lg_receipt_demand){.keys = both, .key_count = 2, .domain = MT_STR("acme")};
    assert_null(lg_receipt_fault(&r, &demand));
    demand.domain = MT_STR("");
    assert_string_equal(lg_receipt_fault(&r, &demand),
                        "it is of another trust domain than expected");
}

/* The name is signed with the promise; without one it is made of the first record. */
static void a_receipt_names_its_log(void **state)
{
    (void)state;
    char made[LG_MADE_NAME];
    lg_receipt r = receipt_for(2, 7);
    lg_receipt_demand demand = {.keys = &key.open,
                                .key_count = 1,
                                .origin = lg_made_name(&records[0].hash, made)};
    assert_null(lg_receipt_fault(&r, &demand));
    demand.origin = MT_STR("acme.example/log");
    assert_non_null(lg_receipt_fault(&r, &demand));
    r.origin = demand.origin; /* what only stands beside it proves nothing */
    assert_non_null(lg_receipt_fault(&r, &demand));
    r.log = demand.origin;
    assert_string_equal(lg_receipt_fault(&r, &demand), "the signature is wrong");
    lg_receipt_sign(&r, &key);
    assert_null(lg_receipt_fault(&r, &demand));
    r.origin = MT_STR("acme.example/other");
    assert_non_null(lg_receipt_fault(&r, &demand));
    r.origin = MT_STR("");
    demand.origin = MT_STR("acme.example/other");
    assert_non_null(lg_receipt_fault(&r, &demand));
}

static void what_is_no_receipt_is_refused(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "", "{}", "null", "[]", "{\"key\":1}", "{\"promise\":{}}",
    };
    lg_receipt_demand demand = {.keys = &key.open, .key_count = 1};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        assert_string_equal(fault_of(mt_str_z(TEXTS[i]), &demand), "unreadable");
    }
    /* A complete one that lacks a part, or a promise with something more. */
    mt_buf text = {0};
    lg_receipt r = receipt_for(4, 9);
    lg_receipt_write(&text, &r);
    text.len -= sizeof(",\"witnesses\":[]}") - 1;
    mt_buf_addz(&text, "}");
    assert_string_equal(fault_of(mt_buf_str(&text), &demand), "unreadable");
    mt_buf_clear(&text);
    r = receipt_for(4, 0);
    lg_receipt_write(&text, &r);
    text.len--;
    mt_buf_addz(&text, ",\"zeal\":1}");
    assert_string_equal(fault_of(mt_buf_str(&text), &demand), "unreadable");
    mt_buf_free(&text);
}

/* As many hashes and witnesses as are allowed are read, one more is not. */
static void lists_are_bounded(void **state)
{
    (void)state;
    static mt_str lines[LG_WITNESSES_MOST + 1];
    mt_arena a = {0};
    for (size_t i = 0; i <= LG_WITNESSES_MOST; i++) {
        lines[i] = MT_STR("w");
    }
    for (size_t n = LG_WITNESSES_MOST; n <= LG_WITNESSES_MOST + 1; n++) {
        mt_buf text = {0};
        lg_receipt r = receipt_for(4, 9), back;
        r.witnesses = lines;
        r.witness_count = n;
        lg_receipt_write(&text, &r);
        assert_int_equal(lg_receipt_read(&a, mt_buf_str(&text), &back),
                         n <= LG_WITNESSES_MOST ? MT_OK : MT_E_CORRUPT);
        mt_buf_free(&text);
    }
    mt_arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promises_and_complete_receipts_hold),
        cmocka_unit_test(witnesses_are_carried),
        cmocka_unit_test(every_changed_byte_is_found),
        cmocka_unit_test(any_layout_is_read),
        cmocka_unit_test(a_forged_key_fails),
        cmocka_unit_test(a_checkpoint_at_or_before_the_record_fails),
        cmocka_unit_test(a_receipt_of_another_ledger_fails),
        cmocka_unit_test(demands_are_met),
        cmocka_unit_test(a_receipt_names_its_log),
        cmocka_unit_test(what_is_no_receipt_is_refused),
        cmocka_unit_test(lists_are_bounded),
    };
    return cmocka_run_group_tests_name("ledger/receipt", tests, set_up, NULL);
}

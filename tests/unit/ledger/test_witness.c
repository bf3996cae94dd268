/* What a witness decides: it signs what extends what it has seen, and nothing else. */
#include "../rows.h"
#include "ledger/witness.h"

enum { MOST = 20 };
#define ORIGIN MT_STR("log.example")

static mt_sha256 leaves[MOST];
static mt_sign_key log_key, stranger;
static lg_note_key logs[1];

static lg_head head_of(const mt_sha256 *from, uint64_t size)
{
    return (lg_head){ORIGIN, size, lg_root(from, size)};
}

static void note_of(mt_buf *out, const lg_head *head, const mt_sign_key *key)
{
    mt_buf text = {0};
    lg_head_write(&text, head);
    mt_buf_adds(out, mt_buf_str(&text));
    mt_buf_addc(out, '\n');
    lg_note_sign(out, head->origin, mt_buf_str(&text), key);
    mt_buf_free(&text);
}

/* Through the wire: what is written is what is read. */
static lg_verdict decide(uint64_t old, const lg_proof *proof, const lg_head *next,
                         const mt_sign_key *key, const lg_head *seen, bool *suspects)
{
    mt_buf note = {0}, body = {0};
    lg_witness_request r;
    const char *why;
    note_of(&note, next, key);
    lg_witness_request_write(&body, old, proof, mt_buf_str(&note));
    assert_int_equal(lg_witness_request_read(mt_buf_str(&body), &r), MT_OK);
    assert_true(r.old == old && r.proof.count == proof->count);
    lg_verdict verdict = lg_witness_decide(&r, logs, 1, seen, &why);
    assert_int_equal(verdict == LG_COSIGN, why == NULL);
    if (suspects) {
        *suspects = lg_witness_suspects(&r, verdict, seen);
    }
    mt_buf_free(&note);
    mt_buf_free(&body);
    return verdict;
}

/* Every pair of sizes: signed with the right proof, and not with any other. */
static void what_extends_is_signed_and_nothing_else(void **state)
{
    (void)state;
    for (uint64_t old = 0; old <= MOST; old++) {
        for (uint64_t size = old; size <= MOST; size++) {
            lg_head seen = head_of(leaves, old), next = head_of(leaves, size);
            lg_proof proof;
            lg_prove_consistency(leaves, old, size, &proof);
            const lg_head *known = old ? &seen : NULL;
            assert_int_equal(decide(old, &proof, &next, &log_key, known, NULL),
                             LG_COSIGN);
            proof.hashes[proof.count++] = next.root; /* a hash too many */
            assert_int_equal(decide(old, &proof, &next, &log_key, known, NULL),
                             LG_NOT_EXTENDING);
            if (proof.count > 1) {
                proof.count -= 2;
                assert_int_equal(decide(old, &proof, &next, &log_key, known, NULL),
                                 LG_NOT_EXTENDING);
            }
        }
    }
}

/* A log with another record at its beginning. */
static void a_fork_is_never_signed(void **state)
{
    (void)state;
    mt_sha256 other[MOST];
    memcpy(other, leaves, sizeof other);
    other[0].bytes[0] ^= 1;
    for (uint64_t old = 1; old <= MOST; old++) {
        for (uint64_t size = old; size <= MOST; size++) {
            lg_head seen = head_of(leaves, old), next = head_of(other, size);
            lg_proof proof;
            bool suspects;
            lg_prove_consistency(other, old, size, &proof);
            assert_int_equal(decide(old, &proof, &next, &log_key, &seen, &suspects),
                             size == old ? LG_CONFLICT : LG_NOT_EXTENDING);
            assert_true(suspects);
        }
    }
}

static void another_size_is_a_conflict(void **state)
{
    (void)state;
    lg_head seen = head_of(leaves, 8), next = head_of(leaves, 12);
    lg_proof none = {0}, proof;
    bool suspects;
    assert_int_equal(decide(0, &none, &next, &log_key, &seen, &suspects), LG_CONFLICT);
    assert_false(suspects);
    lg_prove_consistency(leaves, 9, 12, &proof);
    assert_int_equal(decide(9, &proof, &next, &log_key, &seen, NULL), LG_CONFLICT);
    lg_prove_consistency(leaves, 7, 12, &proof);
    assert_int_equal(decide(7, &proof, &next, &log_key, NULL, NULL), LG_CONFLICT);
    next = head_of(leaves, 7); /* it has shrunk */
    assert_int_equal(decide(7, &none, &next, &log_key, &seen, NULL), LG_CONFLICT);
    assert_int_equal(decide(8, &none, &next, &log_key, &seen, NULL), LG_BAD_REQUEST);
}

static void only_known_logs_with_their_keys(void **state)
{
    (void)state;
    lg_head next = head_of(leaves, 3), foreign = next;
    lg_proof none = {0};
    assert_int_equal(decide(0, &none, &next, &stranger, NULL, NULL), LG_NOT_TRUSTED);
    foreign.origin = MT_STR("other.example");
    assert_int_equal(decide(0, &none, &foreign, &log_key, NULL, NULL), LG_UNKNOWN_LOG);
}

static void a_root_of_nothing_is_known(void **state)
{
    (void)state;
    lg_head next = head_of(leaves, 0);
    lg_proof none = {0};
    assert_int_equal(decide(0, &none, &next, &log_key, NULL, NULL), LG_COSIGN);
    next.root.bytes[0] ^= 1;
    assert_int_equal(decide(0, &none, &next, &log_key, NULL, NULL), LG_CONFLICT);
}

#define HASH "SBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=\n"

static void requests_are_read_strictly(void **state)
{
    (void)state;
    static const char *const BEGINNINGS[] = {
        "",
        "\n",
        "old\n",
        "old 01\n\n",
        "old -1\n\n",
        "old 1 ",
        "old 1\nx\n\n",
        "Old 1\n\n",
        "old 1\n" HASH,
        "old 18446744073709551616\n\n",
    };
    lg_head next = head_of(leaves, 3);
    for (size_t i = 0; i < rows_count(BEGINNINGS); i++) {
        mt_buf body = {0};
        lg_witness_request r;
        mt_buf_addz(&body, BEGINNINGS[i]);
        note_of(&body, &next, &log_key);
        mt_str text = fenced(mt_buf_str(&body));
        assert_int_equal(lg_witness_request_read(text, &r), MT_E_SYNTAX);
        fenced_free(text);
        mt_buf_free(&body);
    }
}

static void as_many_hashes_as_the_limit_and_no_more(void **state)
{
    (void)state;
    lg_head next = head_of(leaves, 3);
    for (int count = LG_WITNESS_HASHES; count <= LG_WITNESS_HASHES + 1; count++) {
        mt_buf body = {0};
        lg_witness_request r;
        mt_buf_addz(&body, "old 1\n");
        for (int i = 0; i < count; i++) {
            mt_buf_addz(&body, HASH);
        }
        mt_buf_addc(&body, '\n');
        note_of(&body, &next, &log_key);
        assert_int_equal(lg_witness_request_read(mt_buf_str(&body), &r),
                         count == LG_WITNESS_HASHES ? MT_OK : MT_E_SYNTAX);
        mt_buf_free(&body);
    }
}

int main(void)
{
    rows_list list = {0};
    mt_sign_generate(&log_key);
    mt_sign_generate(&stranger);
    logs[0] = (lg_note_key){ORIGIN, LG_LOG_KEY, log_key.open};
    for (int i = 0; i < MOST; i++) {
        mt_sha256 record = mt_sha256_of(mt_str_from((const char *)&i, sizeof i));
        leaves[i] = lg_leaf(&record);
    }
    rows_test(&list, what_extends_is_signed_and_nothing_else);
    rows_test(&list, a_fork_is_never_signed);
    rows_test(&list, another_size_is_a_conflict);
    rows_test(&list, only_known_logs_with_their_keys);
    rows_test(&list, a_root_of_nothing_is_known);
    rows_test(&list, requests_are_read_strictly);
    rows_test(&list, as_many_hashes_as_the_limit_and_no_more);
    return rows_run(&list, "ledger/witness");
}

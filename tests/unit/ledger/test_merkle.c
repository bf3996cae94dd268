/* The Merkle tree against a naive one, and every proof of small trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ledger/merkle.h"

enum { MOST = 33 };

static void make_leaves(mt_sha256 leaves[MOST])
{
    for (int i = 0; i < MOST; i++) {
        char text[2] = {'r', (char)i};
        mt_sha256 record = mt_sha256_of(mt_str_from(text, 2));
        leaves[i] = lg_leaf(&record);
    }
}

/* Straight from the definition. */
static mt_sha256 naive_root(const mt_sha256 *leaves, size_t n)
{
    if (n == 0) {
        return mt_sha256_of((mt_str){"", 0});
    }
    if (n == 1) {
        return leaves[0];
    }
    size_t k = 1;
    while (k * 2 < n) {
        k *= 2;
    }
    mt_sha256 left = naive_root(leaves, k), right = naive_root(leaves + k, n - k);
    char bytes[65] = {1};
    memcpy(bytes + 1, left.bytes, 32);
    memcpy(bytes + 33, right.bytes, 32);
    return mt_sha256_of(mt_str_from(bytes, 65));
}

static void roots_equal_the_definition(void **state)
{
    (void)state;
    mt_sha256 leaves[MOST];
    make_leaves(leaves);
    for (size_t n = 0; n <= MOST; n++) {
        mt_sha256 want = naive_root(leaves, n), got = lg_root(leaves, n);
        assert_memory_equal(want.bytes, got.bytes, 32);
    }
}

static void every_inclusion_proof_holds_and_no_other(void **state)
{
    (void)state;
    mt_sha256 leaves[MOST];
    make_leaves(leaves);
    for (size_t n = 1; n <= MOST; n++) {
        mt_sha256 root = lg_root(leaves, n);
        for (size_t i = 0; i < n; i++) {
            lg_proof p;
            lg_prove_inclusion(leaves, n, i, &p);
            assert_true(lg_check_inclusion(&root, n, i, &leaves[i], &p));
            assert_false(lg_check_inclusion(&root, n, i, &leaves[(i + 1) % MOST], &p));
            assert_false(lg_check_inclusion(&root, n, n, &leaves[i], &p));
            if (p.count) {
                p.hashes[p.count - 1].bytes[0] ^= 1;
                assert_false(lg_check_inclusion(&root, n, i, &leaves[i], &p));
                p.hashes[p.count - 1].bytes[0] ^= 1;
                p.count--;
                assert_false(lg_check_inclusion(&root, n, i, &leaves[i], &p));
            }
        }
    }
}

static void every_consistency_proof_holds_and_no_other(void **state)
{
    (void)state;
    mt_sha256 leaves[MOST];
    make_leaves(leaves);
    for (size_t n = 1; n <= MOST; n++) {
        mt_sha256 root = lg_root(leaves, n);
        for (size_t m = 0; m <= n; m++) {
            lg_proof p;
            mt_sha256 earlier = lg_root(leaves, m);
            lg_prove_consistency(leaves, m, n, &p);
            assert_true(lg_check_consistency(&earlier, m, &root, n, &p));
            if (m == 0) {
                continue;
            }
            mt_sha256 forged = earlier;
            forged.bytes[5] ^= 1;
            assert_false(lg_check_consistency(&forged, m, &root, n, &p));
            forged = root;
            forged.bytes[5] ^= 1;
            assert_false(lg_check_consistency(&earlier, m, &forged, n, &p));
            if (p.count) {
                p.hashes[0].bytes[0] ^= 1;
                assert_false(lg_check_consistency(&earlier, m, &root, n, &p));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_equal_the_definition),
        cmocka_unit_test(every_inclusion_proof_holds_and_no_other),
        cmocka_unit_test(every_consistency_proof_holds_and_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

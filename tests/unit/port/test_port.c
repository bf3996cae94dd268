/* What stands in for libcrypto and glibc in WebAssembly, against libcrypto and glibc.
 */
#include "../rows.h"

#include "base/hash.h"
#include "port/sha256.h"
#include "port/sort.h"

enum { LONGEST = 300, ROUNDS = 400, MOST_ITEMS = 200 };

static uint32_t draw(uint32_t below)
{
    static uint32_t state = 17;
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static void a_hash_is_that_of_libcrypto_at_every_length(void **state)
{
    (void)state;
    char text[LONGEST];
    for (size_t len = 0; len < LONGEST; len++) {
        unsigned char ours[PT_SHA256_BYTES];
        pt_sha256 s;
        text[len] = (char)draw(256);
        pt_sha256_start(&s);
        pt_sha256_add(&s, text, len);
        pt_sha256_end(&s, ours);
        assert_memory_equal(ours, mt_sha256_of(mt_str_from(text, len)).bytes,
                            sizeof ours);
    }
}

static void a_hash_in_pieces_is_that_of_the_whole(void **state)
{
    (void)state;
    char text[8 * LONGEST];
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (char)draw(256);
    }
    for (int round = 0; round < ROUNDS; round++) {
        unsigned char ours[PT_SHA256_BYTES];
        pt_sha256 s;
        pt_sha256_start(&s);
        for (size_t at = 0, part; at < sizeof text; at += part) {
            part = draw(200);
            part = part < sizeof text - at ? part : sizeof text - at;
            pt_sha256_add(&s, text + at, part);
        }
        pt_sha256_end(&s, ours);
        assert_memory_equal(ours, mt_sha256_of(mt_str_from(text, sizeof text)).bytes,
                            sizeof ours);
    }
}

typedef struct item {
    uint32_t key, place;
} item;

static int by_key(const void *a, const void *b, void *user)
{
    const item *x = a, *y = b;
    ++*(size_t *)user;
    return (x->key > y->key) - (x->key < y->key);
}

static void equals_stay_in_order_as_with_glibc(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        item ours[MOST_ITEMS], theirs[MOST_ITEMS];
        uint32_t count = draw(MOST_ITEMS);
        size_t calls = 0;
        for (uint32_t i = 0; i < count; i++) {
            ours[i] = theirs[i] = (item){draw(9), i};
        }
        pt_sort(ours, count, sizeof *ours, by_key, &calls);
        qsort_r(theirs, count, sizeof *theirs, by_key, &calls);
        assert_memory_equal(ours, theirs, count * sizeof *ours);
        assert_true(count < 2 || calls > 0);
    }
}

int main(void)
{
    static rows_list list;
    rows_test(&list, a_hash_is_that_of_libcrypto_at_every_length);
    rows_test(&list, a_hash_in_pieces_is_that_of_the_whole);
    rows_test(&list, equals_stay_in_order_as_with_glibc);
    return rows_run(&list, "port/port");
}

/* Maps find every key, keep insertion order and tell similar keys apart. */
#include "../rows.h"

#include "base/map.h"

static void every_key_is_found_in_insertion_order(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_map m = {0};
    enum { COUNT = 20000 };
    for (uintptr_t i = 0; i < COUNT; i++) {
        mt_map_put(&a, &m, mt_strf(&a, "key_%u", (unsigned)(i * 7919)), i);
    }
    assert_int_equal(m.len, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(m.entries[i].value, i);
        assert_int_equal(mt_map_get(&m, m.entries[i].key, UINTPTR_MAX), i);
    }
    assert_null(mt_map_find(&m, MT_STR("key_1")));
    mt_arena_free(&a);
}

static void an_empty_map_finds_nothing(void **state)
{
    (void)state;
    mt_map m = {0};
    assert_null(mt_map_find(&m, MT_STR("")));
    assert_int_equal(mt_map_get(&m, MT_STR("x"), 7), 7);
}

static void adding_again_finds_the_first(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_map m = {0};
    bool added;
    mt_map_add(&a, &m, MT_STR("x"), &added)->value = 5;
    assert_true(added);
    assert_int_equal(mt_map_add(&a, &m, MT_STR("x"), &added)->value, 5);
    assert_false(added);
    mt_map_put(&a, &m, MT_STR("x"), 6);
    assert_int_equal(mt_map_get(&m, MT_STR("x"), 0), 6);
    assert_int_equal(m.len, 1);
    mt_arena_free(&a);
}

/* Keys that differ only in length or in NUL bytes; every length around the words of
 * the hash. */
static void similar_keys_are_different(void **state)
{
    (void)state;
    static const char ZEROS[64] = {0};
    mt_arena a = {0};
    mt_map m = {0};
    for (uintptr_t len = 0; len <= sizeof ZEROS; len++) {
        mt_map_put(&a, &m, mt_str_from(ZEROS, len), len);
    }
    assert_int_equal(m.len, sizeof ZEROS + 1);
    for (uintptr_t len = 0; len <= sizeof ZEROS; len++) {
        assert_int_equal(mt_map_get(&m, mt_str_from(ZEROS, len), 999), len);
    }
    mt_arena_free(&a);
}

static void reserve_keeps_what_is_there(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_map m = {0};
    mt_map_put(&a, &m, MT_STR("a"), 1);
    mt_map_reserve(&a, &m, 100000);
    assert_int_equal(mt_map_get(&m, MT_STR("a"), 0), 1);
    mt_map_reserve(&a, &m, 1);
    assert_true(m.cap >= 100000);
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list list;
    rows_test(&list, every_key_is_found_in_insertion_order);
    rows_test(&list, an_empty_map_finds_nothing);
    rows_test(&list, adding_again_finds_the_first);
    rows_test(&list, similar_keys_are_different);
    rows_test(&list, reserve_keeps_what_is_there);
    return rows_run(&list, "base/map");
}

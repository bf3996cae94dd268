/* Arenas hand out aligned memory, rewind exactly and reuse what they hold. */
#include "../rows.h"

#include "base/vec.h"

static void memory_is_aligned_and_separate(void **state)
{
    (void)state;
    mt_arena a = {0};
    char *last = NULL;
    for (size_t size = 0; size < 2000; size++) {
        char *p = mt_alloc(&a, size);
        assert_int_equal((uintptr_t)p % MT_ALIGN, 0);
        assert_true(size < 2 || p != last); /* an empty one takes no room */
        memset(p, (int)(size & 0xFF), size);
        last = p;
    }
    mt_arena_free(&a);
}

static void an_empty_allocation_is_not_null(void **state)
{
    (void)state;
    mt_arena a = {0};
    assert_non_null(mt_alloc(&a, 0));
    mt_arena_free(&a);
}

static void rewind_gives_the_same_place_again(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_alloc(&a, 100);
    mt_mark m = mt_arena_mark(&a);
    char *first = mt_alloc(&a, 50);
    mt_alloc(&a, 10 << 20);
    mt_arena_rewind(&a, m);
    assert_ptr_equal(mt_alloc(&a, 50), first);
    mt_arena_free(&a);
}

static void rewind_to_an_empty_arena_empties_it(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_mark m = mt_arena_mark(&a);
    mt_alloc(&a, 100);
    mt_arena_rewind(&a, m);
    assert_null(a.block);
    assert_non_null(mt_alloc(&a, 1));
    mt_arena_free(&a);
}

static void what_was_before_the_mark_survives(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_str kept = mt_str_dup(&a, MT_STR("kept"));
    mt_mark m = mt_arena_mark(&a);
    for (int i = 0; i < 100; i++) {
        memset(mt_alloc(&a, 5000), 0xEE, 5000);
    }
    mt_arena_rewind(&a, m);
    memset(mt_alloc(&a, 1000), 0xEE, 1000);
    assert_true(mt_str_is(kept, "kept"));
    mt_arena_free(&a);
}

static void reset_keeps_the_memory_for_the_next_use(void **state)
{
    (void)state;
    mt_arena a = {0};
    for (int i = 0; i < 1000; i++) {
        mt_alloc(&a, 4096);
    }
    size_t held = a.reserved;
    for (int round = 0; round < 50; round++) {
        mt_arena_reset(&a);
        for (int i = 0; i < 1000; i++) {
            mt_alloc(&a, 4096);
        }
    }
    assert_true(a.reserved <= 2 * held);
    mt_arena_free(&a);
    assert_int_equal(a.reserved, 0);
}

static void one_large_allocation_has_its_own_block(void **state)
{
    (void)state;
    mt_arena a = {0};
    char *p = mt_alloc(&a, 20 << 20);
    p[0] = p[(20 << 20) - 1] = 1;
    assert_true(a.reserved >= 20 << 20);
    mt_arena_free(&a);
}

static void a_vector_grows_and_keeps_its_items(void **state)
{
    (void)state;
    mt_arena a = {0};
    MT_VEC(uint32_t) v = {0};
    for (uint32_t i = 0; i < 10000; i++) {
        mt_vec_push(&a, &v, i * i);
    }
    assert_int_equal(v.len, 10000);
    for (uint32_t i = 0; i < 10000; i++) {
        assert_int_equal(v.items[i], i * i);
    }
    mt_arena_free(&a);
}

#if MT_FENCE
/* Only a sanitized build knows: behind every allocation, behind the items of a vector,
 * and everywhere after a rewind. */
static void what_was_not_handed_out_is_fenced(void **state)
{
    (void)state;
    mt_arena a = {0};
    char *first = mt_alloc(&a, 13), *second = mt_alloc(&a, 16);
    assert_false(__asan_address_is_poisoned(first + 12));
    assert_true(__asan_address_is_poisoned(first + 13));
    assert_true(__asan_address_is_poisoned(second - 1));
    assert_true(__asan_address_is_poisoned(second + 16));
    MT_VEC(uint64_t) v = {0};
    for (uint64_t i = 0; i < 20; i++) {
        mt_vec_push(&a, &v, i);
        assert_false(__asan_address_is_poisoned(&v.items[i]));
        assert_true(__asan_address_is_poisoned(&v.items[i + 1]));
    }
    mt_mark mark = mt_arena_mark(&a);
    char *third = mt_alloc(&a, 8);
    mt_alloc(&a, 1 << 20); /* in a block of its own */
    char *fourth = mt_alloc(&a, 8);
    mt_arena_rewind(&a, mark);
    assert_true(__asan_address_is_poisoned(third));
    assert_true(__asan_address_is_poisoned(fourth));
    assert_false(__asan_address_is_poisoned(second));
    third = mt_alloc(&a, 8);
    mt_arena_rewind(&a, mark);
    assert_true(__asan_address_is_poisoned(third));
    mt_arena_reset(&a);
    assert_true(__asan_address_is_poisoned(first));
    mt_arena_free(&a);
}
#endif

int main(void)
{
    static rows_list list;
#if MT_FENCE
    rows_test(&list, what_was_not_handed_out_is_fenced);
#endif
    rows_test(&list, memory_is_aligned_and_separate);
    rows_test(&list, an_empty_allocation_is_not_null);
    rows_test(&list, rewind_gives_the_same_place_again);
    rows_test(&list, rewind_to_an_empty_arena_empties_it);
    rows_test(&list, what_was_before_the_mark_survives);
    rows_test(&list, reset_keeps_the_memory_for_the_next_use);
    rows_test(&list, one_large_allocation_has_its_own_block);
    rows_test(&list, a_vector_grows_and_keeps_its_items);
    return rows_run(&list, "base/arena");
}

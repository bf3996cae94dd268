/* Values of earlier fetches: how old they may be, which one stays, how many there are.
 */
#include "../rows.h"

#include <stdio.h>

#include "adapter/impl.h"

enum { ENTRIES = 4096, MOST_ENTRY = 1 << 20 };

static mt_arena arena;

static void put(ad_cache *c, const char *key, const char *value, int64_t at)
{
    ad_fact_answer answer = {.value = mt_str_z(value),
                             .response = MT_STR("r"),
                             .digest = MT_STR("d"),
                             .fetched_at = at};
    ad_cache_put(c, mt_str_z(key), &answer);
}

/* What is there at the moment `now` if it may be `age` old; NULL: nothing. */
static const char *get(ad_cache *c, const char *key, int64_t now, uint64_t age)
{
    ad_fact_answer answer = {0};
    bool there = ad_cache_get(c, &arena, mt_str_z(key), now, age, &answer);
    assert_int_equal(there, answer.value.ptr != NULL);
    if (there) {
        assert_text(answer.response, MT_STR("r"));
        assert_text(answer.digest, MT_STR("d"));
    }
    return answer.value.ptr;
}

static void a_value_has_an_age(void **state)
{
    (void)state;
    ad_cache *c = ad_cache_new();
    put(c, "k", "v", 1000);
    assert_string_equal(get(c, "k", 1000, 0), "v");
    assert_null(get(c, "k", 1001, 0));
    assert_string_equal(get(c, "k", 1500, 500), "v");
    assert_null(get(c, "k", 1501, 500));
    assert_null(get(c, "k", 999, 500)); /* a clock that was put back */
    assert_null(get(c, "other", 1000, 500));
    ad_cache_free(c);
    ad_cache_free(NULL);
}

static void an_earlier_answer_replaces_no_later_one(void **state)
{
    (void)state;
    ad_cache *c = ad_cache_new();
    put(c, "k", "first", 1000);
    put(c, "k", "late", 999);
    assert_string_equal(get(c, "k", 1000, 500), "first");
    put(c, "k", "same moment", 1000);
    assert_string_equal(get(c, "k", 1000, 500), "same moment");
    put(c, "k", "newest", 1001);
    assert_string_equal(get(c, "k", 1001, 0), "newest");
    assert_null(get(c, "k", 1000, 500)); /* it comes from the future */
    ad_cache_free(c);
}

static void the_oldest_entry_gives_way(void **state)
{
    (void)state;
    ad_cache *c = ad_cache_new();
    char key[24];
    for (int i = 0; i < ENTRIES; i++) {
        snprintf(key, sizeof key, "k%d", i);
        put(c, key, key, 1);
    }
    put(c, "k0", "again", 2); /* where it is, it stays the oldest */
    assert_string_equal(get(c, "k0", 2, 9), "again");
    put(c, "one more", "x", 2);
    assert_null(get(c, "k0", 2, 9));
    for (int i = 1; i < ENTRIES; i++) {
        snprintf(key, sizeof key, "k%d", i);
        assert_string_equal(get(c, key, 2, 9), key);
    }
    assert_string_equal(get(c, "one more", 2, 9), "x");
    for (int i = 0; i < 3 * ENTRIES; i++) { /* round and round */
        snprintf(key, sizeof key, "n%d", i);
        put(c, key, key, 3);
        assert_string_equal(get(c, key, 3, 0), key);
    }
    assert_null(get(c, "one more", 3, 9));
    snprintf(key, sizeof key, "n%d", 2 * ENTRIES);
    assert_string_equal(get(c, key, 3, 0), key);
    snprintf(key, sizeof key, "n%d", 2 * ENTRIES - 1);
    assert_null(get(c, key, 3, 0));
    ad_cache_free(c);
}

/* With its key, answer and digest an entry has so many bytes. */
static void put_large(ad_cache *c, const char *key, size_t bytes)
{
    char *text = mt_xmalloc(bytes);
    memset(text, 'x', bytes);
    ad_fact_answer answer = {.value = mt_str_from(text, bytes - strlen(key) - 2),
                             .response = MT_STR("r"),
                             .digest = MT_STR("d"),
                             .fetched_at = 1};
    ad_cache_put(c, mt_str_z(key), &answer);
    free(text);
}

static void what_is_too_large_is_not_kept(void **state)
{
    (void)state;
    ad_cache *c = ad_cache_new();
    put_large(c, "fits", MOST_ENTRY);
    put_large(c, "does not", MOST_ENTRY + 1);
    assert_non_null(get(c, "fits", 1, 0));
    assert_null(get(c, "does not", 1, 0));
    ad_cache_free(c);
}

static void bytes_are_bounded_too(void **state)
{
    (void)state;
    ad_cache *c = ad_cache_new();
    char key[24];
    for (int i = 0; i < 33; i++) { /* the one that goes over the bound is kept */
        snprintf(key, sizeof key, "k%d", i);
        put_large(c, key, MOST_ENTRY);
    }
    assert_non_null(get(c, "k0", 1, 0));
    put_large(c, "one more", MOST_ENTRY);
    assert_null(get(c, "k0", 1, 0));
    assert_non_null(get(c, "k1", 1, 0));
    for (int i = 0; i < 9; i++) { /* what is replaced gives its bytes back */
        put_large(c, "k32", MOST_ENTRY);
    }
    put_large(c, "two more", 100);
    assert_null(get(c, "k1", 1, 0));
    assert_non_null(get(c, "k2", 1, 0));
    ad_cache_free(c);
}

int main(void)
{
    rows_list list = {0};
    rows_test(&list, a_value_has_an_age);
    rows_test(&list, an_earlier_answer_replaces_no_later_one);
    rows_test(&list, the_oldest_entry_gives_way);
    rows_test(&list, what_is_too_large_is_not_kept);
    rows_test(&list, bytes_are_bounded_too);
    int failed = rows_run(&list, "adapter/cache");
    mt_arena_free(&arena);
    return failed;
}

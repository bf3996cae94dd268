/* Strings compare by bytes; buffers grow, print and respect their ceiling. */
#include "../rows.h"

static const struct order {
    const char *name, *a, *b;
    int want;
} ORDERS[] = {
    {"equal strings are equal", "abc", "abc", 0},
    {"a prefix comes first", "ab", "abc", -1},
    {"the empty string comes first", "", "a", -1},
    {"bytes decide, not letters", "Z", "a", -1},
    {"bytes are unsigned", "a", "\xC3\xA9", -1},
    {"later bytes decide too", "abd", "abc", 1},
};

static void orders(void **state)
{
    const struct order *r = *state;
    int order = mt_str_cmp(mt_str_z(r->a), mt_str_z(r->b));
    assert_int_equal((order > 0) - (order < 0), r->want);
    assert_int_equal(mt_str_eq(mt_str_z(r->a), mt_str_z(r->b)), r->want == 0);
}

static const struct path {
    const char *name, *path, *base, *stem;
} PATHS[] = {
    {"a plain name is its own base", "a.tenor", "a.tenor", "a"},
    {"directories are left out", "x/y.z/a.tenor", "a.tenor", "a"},
    {"only the last extension goes", "a.b.c", "a.b.c", "a.b"},
    {"a leading dot is no extension", ".profile", ".profile", ".profile"},
    {"a name without extension is its stem", "x/README", "README", "README"},
    {"a trailing slash has an empty base", "x/", "", ""},
    {"nothing has an empty base", "", "", ""},
};

static void splits_paths(void **state)
{
    const struct path *r = *state;
    assert_text(mt_str_basename(mt_str_z(r->path)), mt_str_z(r->base));
    assert_text(mt_str_stem(mt_str_z(r->path)), mt_str_z(r->stem));
}

static void starts_ends_and_finds(void **state)
{
    (void)state;
    mt_str s = MT_STR("hello");
    assert_true(mt_str_starts(s, MT_STR("he")) && mt_str_starts(s, MT_STR("")));
    assert_false(mt_str_starts(s, MT_STR("hello!")));
    assert_true(mt_str_ends(s, MT_STR("lo")) && mt_str_ends(s, MT_STR("hello")));
    assert_false(mt_str_ends(s, MT_STR("xhello")));
    assert_int_equal(mt_str_find(s, 'l'), 2);
    assert_int_equal(mt_str_find(s, 'x'), 5);
    assert_int_equal(mt_str_find(MT_STR(""), 'x'), 0);
    assert_text(mt_str_skip(s, 2), MT_STR("llo"));
    assert_int_equal(mt_str_skip(s, 9).len, 0);
}

static void trims_only_the_given_bytes_at_both_ends(void **state)
{
    (void)state;
    assert_text(mt_str_trim(MT_STR(" \t a b\t "), MT_STR(" \t")), MT_STR("a b"));
    assert_text(mt_str_trim(MT_STR("\ta "), MT_STR(" ")), MT_STR("\ta"));
    assert_text(mt_str_trim(MT_STR("\0a\0"), MT_STR(" \0")), MT_STR("a"));
    assert_int_equal(mt_str_trim(MT_STR("   "), MT_STR(" ")).len, 0);
    assert_int_equal(mt_str_trim((mt_str){0}, MT_STR(" ")).len, 0);
}

static void strings_may_contain_nul(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_str s = mt_str_dup(&a, mt_str_from("a\0b", 3));
    assert_int_equal(s.len, 3);
    assert_false(mt_str_eq(s, MT_STR("a")));
    assert_int_equal(s.ptr[3], '\0');
    mt_arena_free(&a);
}

static void formats_into_the_arena(void **state)
{
    (void)state;
    mt_arena a = {0};
    assert_text(mt_strf(&a, "%d %.*s", 42, MT_ARG(MT_STR("xy"))), MT_STR("42 xy"));
    mt_arena_free(&a);
}

static const struct number {
    const char *name;
    int64_t value;
    const char *want;
} NUMBERS[] = {
    {"zero prints", 0, "0"},
    {"a digit prints", 7, "7"},
    {"tens print", 10, "10"},
    {"negative numbers print", -1234567, "-1234567"},
    {"the largest prints", INT64_MAX, "9223372036854775807"},
    {"the smallest prints", INT64_MIN, "-9223372036854775808"},
};

static void prints_integers(void **state)
{
    const struct number *r = *state;
    mt_buf b = {0};
    mt_buf_add_i64(&b, r->value);
    assert_text(mt_buf_str(&b), mt_str_z(r->want));
    mt_buf_free(&b);
}

static void unsigned_integers_print_in_full(void **state)
{
    (void)state;
    mt_buf b = {0};
    mt_buf_add_u64(&b, UINT64_MAX);
    assert_text(mt_buf_str(&b), MT_STR("18446744073709551615"));
    mt_buf_free(&b);
}

static void a_buffer_grows_by_any_amount(void **state)
{
    (void)state;
    mt_buf b = {0};
    for (int i = 0; i < 1000; i++) {
        mt_buf_addc(&b, 'x');
        mt_buf_addf(&b, "%d,", i);
        mt_buf_adds(&b, MT_STR("yz"));
    }
    assert_false(b.full);
    assert_int_equal(b.len, 1000 * 4 + 2890);
    mt_buf_clear(&b);
    assert_int_equal(b.len, 0);
    mt_buf_free(&b);
}

static void a_ceiling_is_never_passed(void **state)
{
    (void)state;
    mt_buf b = {.ceiling = 10};
    mt_buf_addz(&b, "12345678");
    assert_false(b.full);
    mt_buf_addz(&b, "abc");
    assert_true(b.full);
    assert_text(mt_buf_str(&b), MT_STR("12345678"));
    mt_buf_clear(&b);
    for (int i = 0; i < 100; i++) {
        mt_buf_addc(&b, 'x');
    }
    assert_true(b.full);
    assert_int_equal(b.len, 10);
    mt_buf_free(&b);
    assert_int_equal(b.ceiling, 10);
}

static void a_formatted_text_may_fill_the_ceiling(void **state)
{
    (void)state;
    mt_buf b = {.ceiling = 5};
    mt_buf_addf(&b, "%s", "12345");
    assert_false(b.full);
    assert_text(mt_buf_str(&b), MT_STR("12345"));
    mt_buf_addf(&b, "%s", "6");
    assert_true(b.full);
    assert_int_equal(b.len, 5);
    mt_buf_free(&b);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ORDERS, orders);
    rows_add(&list, PATHS, splits_paths);
    rows_add(&list, NUMBERS, prints_integers);
    rows_test(&list, unsigned_integers_print_in_full);
    rows_test(&list, starts_ends_and_finds);
    rows_test(&list, trims_only_the_given_bytes_at_both_ends);
    rows_test(&list, strings_may_contain_nul);
    rows_test(&list, formats_into_the_arena);
    rows_test(&list, a_buffer_grows_by_any_amount);
    rows_test(&list, a_ceiling_is_never_passed);
    rows_test(&list, a_formatted_text_may_fill_the_ceiling);
    return rows_run(&list, "base/str");
}

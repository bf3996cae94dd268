/* Diagnostics are counted, limited and sorted by place. */
#include "../rows.h"

#include "base/diag.h"

static void add(mt_diags *ds, mt_severity s, const char *file, uint32_t line,
                uint32_t column, const char *message)
{
    mt_diag_add(ds, &(mt_diag){.severity = s,
                               .code = "T001",
                               .pass = -1,
                               .file = mt_str_z(file),
                               .line = line,
                               .column = column,
                               .message = mt_str_z(message)});
}

static void sorting_follows_files_as_seen_then_places(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    add(&ds, MT_ERROR, "z", 9, 1, "4");
    add(&ds, MT_ERROR, "a", 2, 1, "5");
    add(&ds, MT_WARNING, "z", 3, 8, "2");
    add(&ds, MT_ERROR, "z", 3, 8, "3");
    add(&ds, MT_NOTE, "z", 3, 2, "1");
    mt_diags_sort(&ds);
    for (size_t i = 0; i < ds.len; i++) {
        char want[] = {(char)('1' + i), '\0'};
        assert_text(ds.items[i].message, mt_str_z(want));
    }
    assert_int_equal(ds.errors, 3);
    assert_int_equal(ds.warnings, 1);
    mt_arena_free(&a);
}

static void beyond_the_limit_they_are_counted_only(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_diags ds = {.arena = &a, .limit = 10};
    for (uint32_t i = 0; i < 1000; i++) {
        add(&ds, MT_ERROR, "f", i, 1, "m");
    }
    assert_int_equal(ds.len, 10);
    assert_int_equal(ds.errors, 1000);
    mt_arena_free(&a);
}

static void an_empty_list_can_be_sorted(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    mt_diags_sort(&ds);
    assert_int_equal(ds.len, 0);
    mt_arena_free(&a);
}

static void severities_have_names(void **state)
{
    (void)state;
    assert_string_equal(mt_severity_name(MT_ERROR), "error");
    assert_string_equal(mt_severity_name(MT_WARNING), "warning");
    assert_string_equal(mt_severity_name(MT_NOTE), "note");
}

int main(void)
{
    static rows_list list;
    rows_test(&list, sorting_follows_files_as_seen_then_places);
    rows_test(&list, beyond_the_limit_they_are_counted_only);
    rows_test(&list, an_empty_list_can_be_sorted);
    rows_test(&list, severities_have_names);
    return rows_run(&list, "base/diag");
}

/* Repeated event ids are found, however many there are, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "host/graph_ids.h"

static void add(ho_id_notes *n, size_t number, bool excused)
{
    char id[32];
    int len = snprintf(id, sizeof id, "e%zu", number);
    assert_int_equal(ho_id_notes_add(n, mt_str_from(id, (size_t)len), excused), MT_OK);
}

static size_t suspect(ho_id_notes *n, size_t from)
{
    size_t index;
    assert_int_equal(ho_id_notes_suspect(n, from, &index), MT_OK);
    return index;
}

static void none_of_none(void **state)
{
    (void)state;
    ho_id_notes *n = ho_id_notes_new();
    assert_true(suspect(n, 0) == SIZE_MAX);
    ho_id_notes_free(n);
}

static void the_first_that_is_not_excused(void **state)
{
    (void)state;
    ho_id_notes *n = ho_id_notes_new();
    static const struct {
        size_t number;
        bool excused;
    } ROWS[] = {{1, true}, {2, false}, {2, true}, {3, false}, {1, false}, {2, false}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        add(n, ROWS[i].number, ROWS[i].excused);
    }
    assert_int_equal(suspect(n, 0), 4);
    assert_int_equal(suspect(n, 5), 5);
    assert_true(suspect(n, 6) == SIZE_MAX);
    ho_id_notes_free(n);
}

/* More than the table holds: the file is used, part by part. */
static void one_among_many(void **state)
{
    (void)state;
    enum { MANY = 2500000, REPEATED = 17 };
    ho_id_notes *n = ho_id_notes_new();
    for (size_t i = 0; i < MANY; i++) {
        add(n, i, false);
    }
    assert_true(suspect(n, 0) == SIZE_MAX);
    add(n, REPEATED, true);
    add(n, REPEATED, false);
    assert_int_equal(suspect(n, 0), MANY + 1);
    ho_id_notes_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_of_none),
        cmocka_unit_test(the_first_that_is_not_excused),
        cmocka_unit_test(one_among_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

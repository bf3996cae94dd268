/* Libraries that are loaded when they are needed: there, absent, too old. */
#include "../rows.h"

#include "base/late.h"

static double (*slot)(double);
static const mt_late_symbol COS[] = {{"cos", (void **)&slot}};
static const mt_late_symbol TWO[] = {{"cos", (void **)&slot},
                                     {"motet_has_no_such_name", (void **)&slot}};

static void a_library_that_is_there_can_be_used(void **state)
{
    (void)state;
    mt_late_library m = {.file = "libm.so.6",
                         .package = "libc6",
                         .symbols = COS,
                         .count = 1,
                         .lock = PTHREAD_MUTEX_INITIALIZER};
    slot = NULL;
    assert_true(mt_late_possible());
    assert_null(mt_late_load(&m));
    assert_true(slot(0.0) == 1.0);
    assert_null(mt_late_load(&m));
}

static void one_that_is_absent_is_named_with_its_package(void **state)
{
    (void)state;
    mt_late_library none = {.file = "libmotet-none.so.9",
                            .package = "libmotet-none9",
                            .symbols = COS,
                            .count = 1,
                            .lock = PTHREAD_MUTEX_INITIALIZER};
    slot = NULL;
    const char *why = mt_late_load(&none);
    assert_non_null(why);
    assert_non_null(strstr(why, "libmotet-none.so.9"));
    assert_non_null(strstr(why, "install package libmotet-none9"));
    assert_null(slot);
}

static void one_without_a_function_is_not_used_at_all(void **state)
{
    (void)state;
    mt_late_library old = {.file = "libm.so.6",
                           .package = "libc6",
                           .symbols = TWO,
                           .count = 2,
                           .lock = PTHREAD_MUTEX_INITIALIZER};
    slot = NULL;
    const char *why = mt_late_load(&old);
    assert_non_null(why);
    assert_non_null(strstr(why, "motet_has_no_such_name"));
    assert_null(slot);
}

/* Whoever asked before may be reading it. */
static void a_reason_that_was_given_stays_and_the_library_is_tried_again(void **state)
{
    (void)state;
    mt_late_library l = {.file = "libmotet-none.so.9",
                         .package = "libmotet-none9",
                         .symbols = COS,
                         .count = 1,
                         .lock = PTHREAD_MUTEX_INITIALIZER};
    char said[sizeof l.why];
    const char *why = mt_late_load(&l);
    assert_non_null(why);
    strcpy(said, why);
    l.file = "libmotet-other.so.9";
    assert_ptr_equal(mt_late_load(&l), why);
    assert_string_equal(why, said);
    l.file = "libm.so.6";
    slot = NULL;
    assert_null(mt_late_load(&l));
    assert_non_null(slot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_that_is_there_can_be_used),
        cmocka_unit_test(one_that_is_absent_is_named_with_its_package),
        cmocka_unit_test(one_without_a_function_is_not_used_at_all),
        cmocka_unit_test(a_reason_that_was_given_stays_and_the_library_is_tried_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

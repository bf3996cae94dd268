/* What fails and works again: one line when it begins, changes and ends. */
#include "os/trouble.h"

#include <unistd.h>

#include "../rows.h"

static void FS8_many_failures_are_one_line(void **state)
{
    (void)state;
    os_trouble t;
    os_trouble_make(&t);
    assert_int_equal(os_trouble_note(&t, 0).turn, OS_AS_BEFORE);
    assert_int_equal(os_trouble_note(&t, 5).turn, OS_BEGAN);
    for (int i = 0; i < 4911; i++) {
        assert_int_equal(os_trouble_note(&t, 5).turn, OS_AS_BEFORE);
    }
    t.since_ms -= 1000000;
    os_told end = os_trouble_note(&t, 0);
    assert_in_range(end.lasted_ms, 1000000, 1900000);
    assert_int_equal(end.turn, OS_ENDED);
    assert_int_equal(end.failures, 4912);
    assert_int_equal(os_trouble_note(&t, 0).turn, OS_AS_BEFORE);
    assert_int_equal(os_trouble_note(&t, 5).failures, 1);
    os_trouble_drop(&t);
}

static void FS8_another_reason_is_told_once_a_second(void **state)
{
    (void)state;
    os_trouble t;
    os_trouble_make(&t);
    assert_int_equal(os_trouble_note(&t, 5).turn, OS_BEGAN);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(os_trouble_note(&t, 6).turn, OS_AS_BEFORE);
    }
    t.said_ms -= 1000;
    os_told changed = os_trouble_note(&t, 6);
    assert_int_equal(changed.turn, OS_CHANGED);
    assert_int_equal(changed.failures, 102);
    assert_int_equal(os_trouble_note(&t, 6).turn, OS_AS_BEFORE);
    os_trouble_drop(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(FS8_many_failures_are_one_line),
        cmocka_unit_test(FS8_another_reason_is_told_once_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

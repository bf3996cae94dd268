/* Quarantine and rate limits, with the time given by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "net/guard.h"

#define BAD MT_STR("10.0.0.9")

static void the_last_strike_leads_to_quarantine_and_time_ends_it(void **state)
{
    (void)state;
    nt_guard g = {.strikes = 3, .cooldown_ms = 5000};
    assert_false(nt_guard_strike(&g, BAD, 1000));
    assert_false(nt_guard_strike(&g, BAD, 2000));
    assert_false(nt_guard_is_out(&g, BAD, 2000));
    assert_true(nt_guard_strike(&g, BAD, 3000));
    assert_true(nt_guard_is_out(&g, BAD, 7999));
    assert_int_equal(nt_guard_sweep(&g, 7999), 1);
    assert_false(nt_guard_is_out(&g, BAD, 8000));
    assert_int_equal(nt_guard_sweep(&g, 8000), 0);
    assert_false(nt_guard_is_out(&g, MT_STR("10.0.0.8"), 3000));
    nt_guard_free(&g);
}

static void strikes_far_apart_are_forgiven(void **state)
{
    (void)state;
    nt_guard g = {.strikes = 2, .cooldown_ms = 5000};
    for (int64_t t = 100000; t < 1000000; t += NT_STRIKE_WINDOW_MS + 1) {
        assert_false(nt_guard_strike(&g, BAD, t));
    }
    nt_guard_sweep(&g, 5000000);
    assert_int_equal(g.len, 0);
    nt_guard_free(&g);
}

static void the_machine_itself_is_never_out(void **state)
{
    (void)state;
    nt_guard g = {.strikes = 1, .cooldown_ms = 5000};
    assert_false(nt_guard_strike(&g, MT_STR("127.0.0.1"), 1));
    assert_false(nt_guard_strike(&g, MT_STR("::1"), 1));
    assert_int_equal(g.len, 0);
    nt_guard_free(&g);
}

static void the_table_is_bounded_and_keeps_the_newest(void **state)
{
    (void)state;
    nt_guard g = {.strikes = 1, .cooldown_ms = 1000000};
    char host[32];
    for (int i = 0; i < 3 * NT_GUARD_ENTRIES; i++) {
        int len = snprintf(host, sizeof host, "10.0.%d.%d", i / 256, i % 256);
        assert_true(nt_guard_strike(&g, mt_str_from(host, (size_t)len), 1000 + i));
    }
    assert_int_equal(g.len, NT_GUARD_ENTRIES);
    assert_true(nt_guard_is_out(&g, mt_str_z(host), 10000));
    assert_false(nt_guard_is_out(&g, MT_STR("10.0.0.0"), 10000));
    nt_guard_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_strike_leads_to_quarantine_and_time_ends_it),
        cmocka_unit_test(strikes_far_apart_are_forgiven),
        cmocka_unit_test(the_machine_itself_is_never_out),
        cmocka_unit_test(the_table_is_bounded_and_keeps_the_newest),
    };
    return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}

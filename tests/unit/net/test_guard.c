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

/* A quarantine longer than the window strikes are remembered for. */
static void a_quarantine_is_forgotten_at_its_very_end(void **state)
{
    (void)state;
    nt_guard g = {.strikes = 1, .cooldown_ms = 2 * NT_STRIKE_WINDOW_MS};
    assert_true(nt_guard_strike(&g, BAD, 1000));
    assert_false(nt_guard_strike(&g, BAD, 1001)); /* it is out already */
    assert_int_equal(nt_guard_sweep(&g, 999 + 2 * NT_STRIKE_WINDOW_MS), 1);
    assert_int_equal(g.len, 1);
    assert_int_equal(nt_guard_sweep(&g, 1000 + 2 * NT_STRIKE_WINDOW_MS), 0);
    assert_int_equal(g.len, 0);
    nt_guard_free(&g);
}

/* At the end of the window a strike still counts; a moment later it does not. */
static void the_window_has_an_end(void **state)
{
    (void)state;
    nt_guard g = {.strikes = 2, .cooldown_ms = 5000};
    assert_false(nt_guard_strike(&g, BAD, 1000));
    assert_int_equal(nt_guard_sweep(&g, 1000 + NT_STRIKE_WINDOW_MS), 0);
    assert_int_equal(g.len, 1);
    assert_true(nt_guard_strike(&g, BAD, 1000 + NT_STRIKE_WINDOW_MS));
    nt_guard_free(&g);
    g = (nt_guard){.strikes = 2, .cooldown_ms = 5000};
    assert_false(nt_guard_strike(&g, BAD, 1000));
    assert_false(nt_guard_strike(&g, BAD, 1001 + NT_STRIKE_WINDOW_MS));
    nt_guard_free(&g);
    g = (nt_guard){.strikes = 1}; /* no time, no quarantine */
    assert_false(nt_guard_strike(&g, BAD, 1000));
    assert_int_equal(g.len, 0);
    nt_guard_free(&g);
}

static void who_is_swept_takes_nobody_along(void **state)
{
    (void)state;
    nt_guard g = {.strikes = 1, .cooldown_ms = 5000};
    assert_true(nt_guard_strike(&g, MT_STR("10.0.0.1"), 1000));
    assert_true(nt_guard_strike(&g, MT_STR("10.0.0.2"), 70000));
    assert_true(nt_guard_strike(&g, MT_STR("10.0.0.3"), 70000));
    assert_int_equal(nt_guard_sweep(&g, 70001), 2);
    assert_int_equal(g.len, 2);
    assert_true(nt_guard_is_out(&g, MT_STR("10.0.0.2"), 70001));
    assert_true(nt_guard_is_out(&g, MT_STR("10.0.0.3"), 70001));
    nt_guard_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_strike_leads_to_quarantine_and_time_ends_it),
        cmocka_unit_test(strikes_far_apart_are_forgiven),
        cmocka_unit_test(the_machine_itself_is_never_out),
        cmocka_unit_test(a_quarantine_is_forgotten_at_its_very_end),
        cmocka_unit_test(the_window_has_an_end),
        cmocka_unit_test(who_is_swept_takes_nobody_along),
        cmocka_unit_test(the_table_is_bounded_and_keeps_the_newest),
    };
    return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}

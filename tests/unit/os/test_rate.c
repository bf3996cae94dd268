/* How often somebody may do something. */
#include "os/rate.h"

#include "../rows.h"

static void a_bucket_gives_its_burst_then_an_even_rate(void **state)
{
    (void)state;
    os_rate r;
    os_rate_start(&r, 60, 0);
    int given = 0;
    while (os_rate_take(&r, 60, 0)) {
        given++;
    }
    assert_int_equal(given, 60);
    /* One a second from now on, however often one asks. */
    for (int64_t t = 1; t <= 10000; t++) {
        given += os_rate_take(&r, 60, t);
    }
    assert_in_range(given, 69, 70);
    /* A long pause does not save up more than one burst. */
    given = 0;
    while (os_rate_take(&r, 60, 100000000)) {
        given++;
    }
    assert_int_equal(given, 60);
}

/* A minute is as long as any pause; a clock that goes back gives nothing and takes
 * nothing. */
static void a_minute_fills_the_bucket(void **state)
{
    (void)state;
    os_rate r;
    os_rate_start(&r, 2, 1000);
    assert_true(os_rate_take(&r, 2, 1000));
    assert_true(os_rate_take(&r, 2, 1000));
    assert_false(os_rate_take(&r, 2, 1000));
    assert_false(os_rate_take(&r, 2, 0));
    assert_false(os_rate_take(&r, 2, 30999));
    assert_true(os_rate_take(&r, 2, 31030));
    assert_false(os_rate_take(&r, 2, 31030));
    assert_true(os_rate_take(&r, 2, 91030));
    assert_true(os_rate_take(&r, 2, 91030));
    assert_false(os_rate_take(&r, 2, 91030));
}

static void no_limit_always_gives(void **state)
{
    (void)state;
    os_rate r;
    os_rate_start(&r, 0, 0);
    for (int i = 0; i < 100000; i++) {
        assert_true(os_rate_take(&r, 0, 0));
    }
}

int main(void)
{
    rows_list list = {0};
    rows_test(&list, a_bucket_gives_its_burst_then_an_even_rate);
    rows_test(&list, a_minute_fills_the_bucket);
    rows_test(&list, no_limit_always_gives);
    return rows_run(&list, "os/rate");
}

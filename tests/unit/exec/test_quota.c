/* Quotas with more identities than are remembered: who is quiet is forgotten, who is
 * not is kept, and when all are busy further ones share. */
#include <stdio.h>

#include "../rows.h"
#include "exec/call/call.h"
#include "exec/settings.h"

enum { REMEMBERED = 65536 };

static ex_executor x;
static mt_arena arena;

static void no_fault(void *state, mt_str key, size_t offset, mt_str reason)
{
    (void)state;
    (void)offset;
    fail_msg("%.*s: %.*s", MT_ARG(key), MT_ARG(reason));
}

static void with_quotas(const char *text)
{
    mt_json settings;
    assert_int_equal(mt_json_read(&arena, mt_str_z(text), NULL, &settings, NULL),
                     MT_OK);
    assert_int_equal(ex_quotas_read(&settings, no_fault, NULL, &x.quotas), 0);
}

static int end(void **state)
{
    (void)state;
    ex_quotas_free(x.quotas);
    mt_arena_free(&arena);
    return 0;
}

static bool takes(const char *id, unsigned *seconds)
{
    ex_caller who = {.id = mt_str_z(id)};
    return ex_quota_take(&x, &who, EX_QUOTA_REQUESTS, seconds);
}

static bool streams(const char *id)
{
    ex_caller who = {.id = mt_str_z(id)};
    return ex_quota_open_stream(&x, &who);
}

/* Each takes one; they must not be refused. */
static void many_take(int from, int to)
{
    char id[16];
    unsigned seconds;
    for (int i = from; i < to; i++) {
        snprintf(id, sizeof id, "n%d", i);
        assert_true(takes(id, &seconds));
    }
}

static void those_who_are_quiet_are_forgotten(void **state)
{
    (void)state;
    unsigned seconds;
    with_quotas("{\"quotas\":{\"requests_per_minute\":1000000000,\"streams\":1,"
                "\"identities\":{\"busy\":{\"requests_per_minute\":1}}}}");
    assert_true(takes("busy", &seconds));
    assert_true(streams("open"));
    for (int round = 0; round < 3; round++) {
        many_take(round * REMEMBERED, (round + 1) * REMEMBERED);
        assert_false(takes("busy", &seconds));
        assert_in_range(seconds, 1, 60);
        assert_false(streams("open"));
    }
    ex_caller who = {.id = MT_STR("open")};
    ex_quota_close_stream(&x, &who);
    assert_true(streams("open"));
}

/* With room for all but one of them no bucket is shared. */
static void when_all_are_busy_further_ones_share(void **state)
{
    (void)state;
    unsigned seconds;
    with_quotas("{\"quotas\":{\"requests_per_minute\":1}}");
    many_take(0, REMEMBERED);
    assert_true(takes("first", &seconds)); /* of the shared bucket */
    assert_false(takes("second", &seconds));
    assert_in_range(seconds, 1, 60);
    assert_false(takes("n7", &seconds)); /* has its own, and used it */
}

static void the_last_one_has_a_bucket_of_its_own(void **state)
{
    (void)state;
    unsigned seconds;
    with_quotas("{\"quotas\":{\"requests_per_minute\":1}}");
    many_take(0, REMEMBERED - 1);
    assert_true(takes("last", &seconds));
    assert_true(takes("first", &seconds)); /* nobody took of the shared one */
    assert_false(takes("second", &seconds));
}

static void what_is_given_back_may_be_taken_again(void **state)
{
    (void)state;
    unsigned seconds;
    ex_caller who = {.id = MT_STR("a")}, anyone = {.anyone = true};
    with_quotas("{\"quotas\":{\"requests_per_minute\":2}}");
    assert_true(takes("a", &seconds));
    assert_true(takes("a", &seconds));
    assert_false(takes("a", &seconds));
    assert_in_range(seconds, 1, 30);
    ex_quota_give_back(&x, &who, EX_QUOTA_REQUESTS);
    assert_true(takes("a", &seconds));
    assert_int_equal(seconds, 0);
    assert_false(takes("a", &seconds));
    assert_true(ex_quota_take(&x, &anyone, EX_QUOTA_REQUESTS, &seconds));
    assert_true(ex_quota_take(&x, NULL, EX_QUOTA_REQUESTS, &seconds));
}

/* So many at once, and one more each time its share of the period has passed. */
static void who_has_used_it_up_learns_when_there_is_more(void **state)
{
    static const struct {
        ex_quota what;
        unsigned seconds;
    } CASES[] = {{EX_QUOTA_REQUESTS, 20},
                 {EX_QUOTA_INSTANCES, 43200},
                 {EX_QUOTA_ANSWERS, 86400},
                 {EX_QUOTA_REFUSALS, 21600}};
    static const int MOST[] = {3, 2, 1, 4};
    (void)state;
    ex_caller who = {.id = MT_STR("a")};
    with_quotas("{\"quotas\":{\"requests_per_minute\":3,\"instances_per_day\":2,"
                "\"answers_per_day\":1,\"refusals_per_day\":4}}");
    for (size_t i = 0; i < rows_count(CASES); i++) {
        unsigned seconds = 7;
        for (int n = 0; n < MOST[i]; n++) {
            assert_true(ex_quota_take(&x, &who, CASES[i].what, &seconds));
            assert_int_equal(seconds, 0);
        }
        assert_false(ex_quota_take(&x, &who, CASES[i].what, &seconds));
        assert_in_range(seconds, CASES[i].seconds - 5, CASES[i].seconds);
    }
    for (int i = 0; i < 3; i++) {
        assert_true(streams("a")); /* of these nothing was said */
    }
}

static void without_quotas_nobody_is_counted(void **state)
{
    (void)state;
    unsigned seconds;
    ex_caller who = {.id = MT_STR("a")}, anyone = {.anyone = true};
    with_quotas("{}");
    ex_quota_give_back(&x, &who, EX_QUOTA_REQUESTS);
    ex_quota_close_stream(&x, &who);
    assert_true(takes("a", &seconds));
    assert_true(streams("a"));
    ex_quotas_free(x.quotas);
    with_quotas("{\"quotas\":{\"streams\":1,\"identities\":{\"b\":{\"streams\":2}}}}");
    for (int i = 0; i < 3; i++) {
        assert_true(ex_quota_open_stream(&x, &anyone));
        ex_quota_close_stream(&x, &who); /* none is open: no more may be later */
        ex_quota_close_stream(&x, &anyone);
    }
    assert_true(streams("a"));
    assert_false(streams("a"));
    assert_true(streams("b"));
    assert_true(streams("b"));
    assert_false(streams("b"));
    ex_quota_close_stream(&x, &who);
    assert_true(streams("a"));
}

int main(void)
{
#define ROW(test) cmocka_unit_test_teardown(test, end)
    const struct CMUnitTest tests[] = {
        ROW(those_who_are_quiet_are_forgotten),
        ROW(when_all_are_busy_further_ones_share),
        ROW(the_last_one_has_a_bucket_of_its_own),
        ROW(what_is_given_back_may_be_taken_again),
        ROW(who_has_used_it_up_learns_when_there_is_more),
        ROW(without_quotas_nobody_is_counted),
    };
    return cmocka_run_group_tests_name("exec/quota", tests, NULL, NULL);
}

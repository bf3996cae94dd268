/* Logins and sessions: each login is good once and for who began it, both end, and a
 * full table loses what would have ended first. The clock is the test's. */
#include <time.h>

#include "../rows.h"
#include "http/sessions.h"

int __wrap_clock_gettime(clockid_t clock, struct timespec *out);

static int64_t now_ms = 1000;

int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
    (void)clock;
    *out = (struct timespec){now_ms / 1000, now_ms % 1000 * 1000000};
    return 0;
}

static ht_login begun(ht_sessions *s)
{
    ht_login l;
    assert_true(ht_login_begin(s, MT_STR("idp"), MT_STR("/a"), &l));
    return l;
}

static bool is_taken(ht_sessions *s, const ht_login *l)
{
    ht_login got;
    return ht_login_take(s, mt_str_z(l->state.text), mt_str_z(l->cookie.text), &got);
}

static void a_login_is_good_once_and_for_who_began_it(void **state)
{
    (void)state;
    ht_sessions *s = ht_sessions_new();
    ht_login l = begun(s), other = begun(s), got;
    assert_false(
        ht_login_take(s, mt_str_z(l.state.text), mt_str_z(other.cookie.text), &got));
    assert_false(ht_login_take(s, mt_str_z(l.state.text), MT_STR(""), &got));
    assert_false(ht_login_take(s, MT_STR("x"), mt_str_z(l.cookie.text), &got));
    assert_true(
        ht_login_take(s, mt_str_z(l.state.text), mt_str_z(l.cookie.text), &got));
    assert_string_equal(got.provider, "idp");
    assert_string_equal(got.back, "/a");
    assert_false(is_taken(s, &l));
    assert_true(is_taken(s, &other));
    ht_sessions_free(s);
}

static void a_login_ends_after_ten_minutes(void **state)
{
    (void)state;
    ht_sessions *s = ht_sessions_new();
    ht_login early = begun(s), late = begun(s);
    now_ms += HT_LOGIN_SECONDS * 1000 - 1;
    assert_true(is_taken(s, &early));
    now_ms += 1;
    assert_false(is_taken(s, &late));
    now_ms -= 1; /* it is gone, not only over */
    assert_false(is_taken(s, &late));
    ht_sessions_free(s);
}

static void names_that_are_too_long_are_refused(void **state)
{
    (void)state;
    ht_sessions *s = ht_sessions_new();
    ht_login l;
    char text[HT_RETURN_MOST];
    memset(text, 'x', sizeof text);
    assert_true(ht_login_begin(s, mt_str_from(text, 63), MT_STR("/"), &l));
    assert_int_equal(strlen(l.provider), 63);
    assert_false(ht_login_begin(s, mt_str_from(text, 64), MT_STR("/"), &l));
    assert_true(
        ht_login_begin(s, MT_STR("p"), mt_str_from(text, HT_RETURN_MOST - 1), &l));
    assert_int_equal(strlen(l.back), HT_RETURN_MOST - 1);
    assert_false(ht_login_begin(s, MT_STR("p"), mt_str_from(text, HT_RETURN_MOST), &l));
    ht_sessions_free(s);
}

/* The one in the middle was begun first, by the clock. */
static void a_full_table_loses_what_would_end_first(void **state)
{
    (void)state;
    ht_sessions *s = ht_sessions_new();
    static ht_login all[HT_LOGINS_MOST];
    enum { OLD = HT_LOGINS_MOST / 2, NEXT = 17 };
    for (size_t i = 0; i < HT_LOGINS_MOST; i++) {
        now_ms += i == OLD ? -20 : i == NEXT ? -10 : 0;
        all[i] = begun(s);
        now_ms += i == OLD ? 20 : i == NEXT ? 10 : 0;
    }
    ht_login further = begun(s);
    assert_false(is_taken(s, &all[OLD]));
    ht_login again = begun(s);
    assert_false(is_taken(s, &all[NEXT]));
    assert_true(is_taken(s, &further));
    assert_true(is_taken(s, &again));
    for (size_t i = 0; i < HT_LOGINS_MOST; i++) {
        assert_true(i == OLD || i == NEXT || is_taken(s, &all[i]));
    }
    ht_sessions_free(s);
}

static void a_session_ends_by_itself_or_by_a_word(void **state)
{
    (void)state;
    ht_sessions *s = ht_sessions_new();
    au_identity person = {.id = MT_STR("ann")};
    ht_identity *who = ht_identity_new(&person, EX_BY_TOKEN);
    ht_text one, two, csrf, again;
    ht_session_begin(s, who, &one);
    ht_session_begin(s, who, &two);
    assert_false(ht_text_is(&one, mt_str_z(two.text)));
    ht_identity *found = ht_session_find(s, mt_str_z(one.text), &csrf);
    assert_ptr_equal(found, who);
    ht_identity_drop(found);
    found = ht_session_find(s, mt_str_z(one.text), &again);
    assert_true(ht_text_is(&csrf, mt_str_z(again.text)));
    ht_identity_drop(found);
    assert_null(ht_session_find(s, MT_STR("x"), &csrf));
    ht_session_end(s, mt_str_z(one.text));
    ht_session_end(s, MT_STR("x"));
    assert_null(ht_session_find(s, mt_str_z(one.text), &csrf));
    now_ms += (int64_t)HT_SESSION_SECONDS * 1000 - 1;
    found = ht_session_find(s, mt_str_z(two.text), &csrf);
    assert_ptr_equal(found, who);
    ht_identity_drop(found);
    now_ms += 1;
    assert_null(ht_session_find(s, mt_str_z(two.text), &csrf));
    ht_identity_drop(who);
    ht_sessions_free(s);
}

int main(void)
{
    rows_list l = {0};
    rows_test(&l, a_login_is_good_once_and_for_who_began_it);
    rows_test(&l, a_login_ends_after_ten_minutes);
    rows_test(&l, names_that_are_too_long_are_refused);
    rows_test(&l, a_full_table_loses_what_would_end_first);
    rows_test(&l, a_session_ends_by_itself_or_by_a_word);
    return rows_run(&l, "http/sessions");
}

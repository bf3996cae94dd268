/* What one member of a durable stream has heard, acknowledged and said. */
#include "../rows.h"

#include <stdio.h>

#include "net/durable_member.h"

static mt_str reply_of(uint64_t times, uint64_t seq, uint64_t count)
{
    static char text[160];
    snprintf(text, sizeof text, "$JS.ACK.stream.consumer.%llu.%llu.%llu.17.0",
             (unsigned long long)times, (unsigned long long)seq,
             (unsigned long long)count);
    return mt_str_z(text);
}

static nt_verdict deliver(nt_member *m, bool skip, uint64_t seq, uint64_t count)
{
    mt_str reply = reply_of(1, seq, count);
    nt_delivery at;
    assert_true(nt_delivery_read(reply, &at));
    return nt_member_hear(m, skip, reply, &at);
}

static void a_delivery_says_where_it_stands(void **state)
{
    (void)state;
    nt_delivery at;
    assert_true(nt_delivery_read(MT_STR("$JS.ACK.s.c-1.2.30.40.5.6"), &at));
    assert_text(at.consumer, MT_STR("c-1"));
    assert_true(at.times == 2 && at.seq == 30 && at.count == 40);
    assert_true(nt_delivery_read(MT_STR("$JS.ACK.hub.acc.s.c-1.2.30.40.5.6.x"), &at));
    assert_text(at.consumer, MT_STR("c-1"));
    assert_true(at.times == 2 && at.seq == 30 && at.count == 40);
    assert_true(nt_delivery_read(MT_STR("$JS.ACK.hub.acc.s.c-2.3.31.41.5.6"), &at));
    assert_text(at.consumer, MT_STR("c-2"));
    assert_true(at.times == 3 && at.seq == 31 && at.count == 41);
    const char *const none[] = {"",
                                "$JS.ACK.",
                                "$JS.ACK.s.c.2.30.40.5",
                                "$JS.ACK.s.c.2.x.40.5.6",
                                "$JS.ACK.s.c.2.0.40.5.6",
                                "$JS.ACK.s.c.x.30.40.5.6",
                                "$JS.ACK.s.c.2.30.x.5.6",
                                "$JS.ACK.s.c.2.30.0.5.6",
                                "$JS.ACK.s.c.2.30.40.5.6.7",
                                "$JS.FC.s.c.2.30.40.5.6",
                                "$JS.ACK.a.b.c.d.e.f.g.h.i.j.k.l.m"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_false(nt_delivery_read(mt_str_z(none[i]), &at));
    }
}

static void what_is_missing_is_noticed(void **state)
{
    (void)state;
    nt_member m = {.heard = 4, .passed = 4, .acked = 4};
    assert_int_equal(deliver(&m, false, 5, 1), NT_PASS);
    assert_int_equal(deliver(&m, false, 9, 2), NT_PASS); /* some were deleted */
    assert_int_equal(deliver(&m, false, 11, 4), NT_GAP);
    assert_int_equal(m.heard, 9);
    nt_member_new_consumer(&m);
    assert_int_equal(deliver(&m, false, 10, 1), NT_PASS);
}

static void what_is_acknowledged_is_not_handed_over_again(void **state)
{
    (void)state;
    nt_member m = {0};
    assert_int_equal(deliver(&m, false, 1, 1), NT_PASS);
    assert_int_equal(deliver(&m, false, 2, 2), NT_PASS);
    m.acked = 1;
    assert_int_equal(deliver(&m, false, 1, 3), NT_SKIP);
    assert_int_equal(deliver(&m, false, 2, 4), NT_PASS);
    assert_int_equal(m.heard, 2);
}

static uint64_t due(nt_member *m)
{
    const nt_mark *mark = nt_member_due(m);
    nt_delivery at = {0};
    assert_true(!mark || nt_delivery_read(mt_str_z(mark->reply), &at));
    return mark ? at.seq : 0;
}

static void the_server_is_told_in_steps_and_of_the_last(void **state)
{
    (void)state;
    nt_member m = {0};
    for (uint64_t i = 1; i <= NT_DURABLE_WINDOW; i++) {
        assert_int_equal(deliver(&m, false, i, i), NT_PASS);
    }
    assert_int_equal(due(&m), 0);
    m.acked = NT_MARK_EVERY - 1;
    assert_int_equal(due(&m), 0);
    m.acked = NT_MARK_EVERY;
    assert_int_equal(due(&m), NT_MARK_EVERY);
    assert_int_equal(due(&m), 0);
    m.acked = NT_DURABLE_WINDOW - 1;
    assert_int_equal(due(&m), NT_DURABLE_WINDOW - NT_MARK_EVERY);
    m.acked = NT_DURABLE_WINDOW;
    assert_int_equal(due(&m), NT_DURABLE_WINDOW);
    assert_int_equal(m.mark_count, 0);
}

/* Otherwise one who says much would never hear again. */
static void what_is_not_for_it_needs_no_acknowledgement(void **state)
{
    (void)state;
    nt_member m = {0};
    for (uint64_t i = 1; i <= 3 * NT_DURABLE_WINDOW; i++) {
        assert_int_equal(deliver(&m, true, i, i), NT_SKIP);
        assert_int_equal(due(&m), i);
    }
    assert_int_equal(deliver(&m, false, 4000, 3 * NT_DURABLE_WINDOW + 1), NT_PASS);
    assert_int_equal(deliver(&m, true, 4001, 3 * NT_DURABLE_WINDOW + 2), NT_SKIP);
    assert_int_equal(due(&m), 0);
    m.acked = 4000;
    assert_int_equal(due(&m), 4001);
}

static void publish(nt_member *m, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; i++) {
        mt_buf_addf(&m->backlog.text, "m %u x\n", i);
        nt_backlog_done(&m->backlog);
    }
}

static void lines_are_stored_one_after_the_other(void **state)
{
    (void)state;
    nt_member m = {0};
    publish(&m, 1, 4);
    assert_true(nt_member_stored(&m, 1));
    assert_false(nt_member_stored(&m, 1));
    assert_false(nt_member_stored(&m, 3)); /* 2 was refused: both come again */
    nt_member_again(&m, 2, 0);
    assert_true(m.careful);
    assert_false(nt_member_stored(&m, 2)); /* a late word on what is not on its way */
    assert_text(nt_backlog_next(&m.backlog), MT_STR("m 2 x"));
    nt_backlog_done(&m.backlog);
    assert_true(nt_member_stored(&m, 2));
    assert_false(m.careful);
    assert_int_equal(m.kept, 2);
    assert_text(nt_backlog_next(&m.backlog), MT_STR("m 3 x"));
    nt_backlog_free(&m.backlog);
}

static void what_the_stream_has_is_not_published_again(void **state)
{
    (void)state;
    nt_member m = {0};
    publish(&m, 5, 9);
    nt_member_again(&m, 1, 0);
    nt_member_settle(&m, 7);
    assert_int_equal(m.kept, 7);
    assert_text(nt_backlog_next(&m.backlog), MT_STR("m 8 x"));
    nt_member_settle(&m, 99);
    assert_int_equal(m.kept, 9);
    assert_int_equal(nt_backlog_next(&m.backlog).len, 0);
    nt_backlog_free(&m.backlog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_delivery_says_where_it_stands),
        cmocka_unit_test(what_is_missing_is_noticed),
        cmocka_unit_test(what_is_acknowledged_is_not_handed_over_again),
        cmocka_unit_test(the_server_is_told_in_steps_and_of_the_last),
        cmocka_unit_test(what_is_not_for_it_needs_no_acknowledgement),
        cmocka_unit_test(lines_are_stored_one_after_the_other),
        cmocka_unit_test(what_the_stream_has_is_not_published_again),
    };
    return cmocka_run_group_tests_name("durable_member", tests, NULL, NULL);
}

/* What was sent on the bus and may be asked for again. */
#include "../rows.h"

#include "net/backlog.h"

/* Lines of 10 bytes with their newline: "m 1 xxxxx". */
static void add(nt_backlog *b, unsigned from, unsigned to)
{
    for (unsigned i = from; i <= to; i++) {
        mt_buf line = {0};
        mt_buf_addf(&line, "m %u xxxxx\n", i);
        nt_backlog_add(b, mt_buf_str(&line));
        mt_buf_free(&line);
    }
}

static void do_next(nt_backlog *b, const char *want)
{
    assert_text(nt_backlog_next(b), mt_str_z(want));
    nt_backlog_done(b);
}

static void lines_come_once_and_in_order(void **state)
{
    (void)state;
    nt_backlog b = {0};
    assert_int_equal(nt_backlog_first(&b), 1); /* nothing yet: the next to come */
    add(&b, 1, 3);
    assert_int_equal(nt_backlog_first(&b), 1);
    do_next(&b, "m 1 xxxxx");
    do_next(&b, "m 2 xxxxx");
    do_next(&b, "m 3 xxxxx");
    assert_int_equal(nt_backlog_next(&b).len, 0);
    add(&b, 14, 14); /* numbers may have more digits and leave some out */
    do_next(&b, "m 14 xxxxx");
    nt_backlog_free(&b);
}

static void what_is_asked_for_comes_again(void **state)
{
    (void)state;
    nt_backlog b = {0};
    add(&b, 1, 4);
    for (int i = 0; i < 3; i++) {
        nt_backlog_done(&b);
    }
    assert_int_equal(nt_backlog_rewind(&b, 2), 2); /* 2 and 3; 4 was not done */
    do_next(&b, "m 2 xxxxx");
    do_next(&b, "m 3 xxxxx");
    do_next(&b, "m 4 xxxxx");
    assert_int_equal(nt_backlog_rewind(&b, 5), 0); /* nothing of that is known */
    assert_int_equal(nt_backlog_next(&b).len, 0);
    assert_int_equal(nt_backlog_rewind(&b, 0), 4);
    do_next(&b, "m 1 xxxxx");
    nt_backlog_free(&b);
}

/* As many whole lines as fit into so many bytes, the newest. */
static void only_the_newest_are_kept(void **state)
{
    (void)state;
    nt_backlog b = {0};
    add(&b, 1, 5);
    for (int i = 0; i < 4; i++) {
        nt_backlog_done(&b);
    }
    nt_backlog_trim(&b, 40);
    assert_int_equal(nt_backlog_first(&b), 1);
    nt_backlog_trim(&b, 39);
    assert_int_equal(nt_backlog_first(&b), 2);
    assert_text(nt_backlog_next(&b), MT_STR("m 5 xxxxx")); /* what was not done stays */
    nt_backlog_trim(&b, 15);
    assert_int_equal(nt_backlog_first(&b), 4);
    assert_int_equal(nt_backlog_rewind(&b, 1), 1);
    do_next(&b, "m 4 xxxxx");
    do_next(&b, "m 5 xxxxx");
    nt_backlog_trim(&b, 5); /* less than a line */
    assert_int_equal(nt_backlog_first(&b), 6);
    add(&b, 6, 6);
    assert_int_equal(nt_backlog_first(&b), 6);
    do_next(&b, "m 6 xxxxx");
    nt_backlog_free(&b);
}

/* However much goes through, little is held. */
static void memory_is_used_again(void **state)
{
    (void)state;
    nt_backlog b = {0};
    for (unsigned i = 1; i <= 9000; i++) {
        add(&b, i, i);
        nt_backlog_done(&b);
        nt_backlog_trim(&b, 100);
        assert_true(b.text.len <= 250);
        assert_true(nt_backlog_first(&b) + 11 > i);
    }
    nt_backlog_free(&b);
}

int main(void)
{
    rows_list list = {0};
    rows_test(&list, lines_come_once_and_in_order);
    rows_test(&list, what_is_asked_for_comes_again);
    rows_test(&list, only_the_newest_are_kept);
    rows_test(&list, memory_is_used_again);
    return rows_run(&list, "net/backlog");
}

/* Who is on the bus, how far each was heard, and what is published again; with the time
 * given by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "net/backlog.h"
#include "net/peers.h"

#define SELF "5555555555555555"
#define A    "aaaaaaaaaaaaaaaa"
#define B    "bbbbbbbbbbbbbbbb"

static nt_peers *peers;

static int start(void **state)
{
    (void)state;
    peers = mt_xmalloc(sizeof *peers);
    *peers = (nt_peers){0};
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(peers);
    return 0;
}

static uint64_t lost;

static nt_heard line(const char *name, uint64_t number, int64_t now)
{
    return nt_peers_line(peers, name, number, now, &lost);
}

static nt_presence presence(const char *text, int64_t now)
{
    nt_presence said;
    assert_true(nt_peers_presence(peers, SELF, mt_str_z(text), now, &said));
    return said;
}

static void lines_come_once_and_gaps_are_counted(void **state)
{
    (void)state;
    assert_int_equal(line(A, 7, 1), NT_LINE_NEW);
    assert_int_equal(lost, 0); /* where it was before we came is none of our business */
    assert_int_equal(line(A, 7, 1), NT_LINE_AGAIN);
    assert_int_equal(line(A, 8, 1), NT_LINE_NEW);
    assert_int_equal(line(A, 11, 1), NT_LINE_NEW);
    assert_int_equal(lost, 2);
    assert_int_equal(line(B, 1, 1), NT_LINE_NEW);
    assert_int_equal(lost, 0);
}

static void what_is_missing_before_the_first_line_is_counted_too(void **state)
{
    (void)state;
    presence(A " here 10 11 0", 1);
    assert_int_equal(line(A, 14, 1), NT_LINE_NEW);
    assert_int_equal(lost, 3);
    /* A line that was on its way when its relay spoke. */
    presence(B " here 10 11 0", 1);
    assert_int_equal(line(B, 10, 1), NT_LINE_NEW);
    assert_int_equal(lost, 0);
}

static void after_the_bus_was_away_lines_wait_for_those_before_them(void **state)
{
    (void)state;
    presence(A " here 0 1 0", 1000);
    assert_int_equal(line(A, 1, 1000), NT_LINE_NEW);
    nt_peers_cut_off(peers, 2000);
    nt_peers_back(peers, 60000);
    assert_int_equal(line(A, 5, 60001), NT_LINE_EARLY);
    assert_int_equal(line(A, 2, 60002), NT_LINE_NEW);
    assert_int_equal(line(A, 3, 60002), NT_LINE_NEW);
    assert_int_equal(line(A, 5, 60000 + NT_PEER_CATCH_UP_MS - 1), NT_LINE_EARLY);
    assert_int_equal(line(A, 5, 60000 + NT_PEER_CATCH_UP_MS), NT_LINE_NEW);
    assert_int_equal(lost, 1);
}

static void what_is_no_longer_kept_is_not_waited_for(void **state)
{
    (void)state;
    presence(A " here 1 1 0", 1000);
    nt_peers_cut_off(peers, 1000);
    nt_peers_back(peers, 2000);
    presence(A " here 9 2 0", 2000);
    assert_int_equal(line(A, 5, 2000), NT_LINE_EARLY);
    presence(A " here 9 5 0", 2000);
    assert_int_equal(line(A, 5, 2000), NT_LINE_NEW);
    assert_int_equal(lost, 3);
}

static void all_who_were_there_are_waited_for(void **state)
{
    (void)state;
    presence(A " ask 0 1 0", 1000);
    presence(B " here 0 1 0", 1000);
    assert_true(nt_peers_all_there(peers));
    nt_peers_cut_off(peers, 1500);
    nt_peers_back(peers, 90000); /* however long that took */
    assert_false(nt_peers_all_there(peers));
    nt_peers_sweep(peers, 90000 + NT_PEER_SILENT_MS);
    presence(A " here 0 1 0", 90100);
    assert_false(nt_peers_all_there(peers));
    assert_int_equal(nt_peers_give_up(peers), 1);
    assert_true(nt_peers_all_there(peers));
}

static void the_silent_and_those_who_left_are_not(void **state)
{
    (void)state;
    presence(A " here 0 1 0", 1000);
    presence(B " gone 0 1 0", 1000);
    line("cccccccccccccccc", 1, 1000); /* speaks as relays of before do */
    nt_peers_sweep(peers, 1000 + NT_PEER_SILENT_MS);
    nt_peers_cut_off(peers, 1000 + NT_PEER_SILENT_MS);
    assert_false(nt_peers_all_there(peers)); /* A, just */
    nt_peers_sweep(peers, 1001 + NT_PEER_SILENT_MS);
    assert_true(nt_peers_all_there(peers));
}

static void who_left_or_was_silent_is_not_waited_for_when_the_bus_is_back(void **state)
{
    (void)state;
    presence(A " here 0 1 0", 1000);
    presence(B " here 0 1 0", 1000 + NT_PEER_SILENT_MS);
    presence(B " gone 0 1 0", 1000 + NT_PEER_SILENT_MS);
    nt_peers_cut_off(peers, 1001 + NT_PEER_SILENT_MS);
    nt_peers_back(peers, 2000 + NT_PEER_SILENT_MS);
    assert_true(nt_peers_all_there(peers));
}

static void says(nt_presence_kind kind, const char *text)
{
    mt_buf out = {0};
    nt_peers_announce(peers, kind, SELF, (nt_standing){4, 2, 1}, &out);
    assert_true(mt_str_eq(mt_buf_str(&out), mt_str_z(text)));
    mt_buf_free(&out);
}

/* Between subscribing and asking lines come in; more of them are on their way. */
static void who_asks_for_the_first_time_wants_nothing_again(void **state)
{
    (void)state;
    line(A, 3, 1);
    says(NT_ASK, SELF " ask 4 2 1");
    says(NT_HERE, SELF " here 4 2 1 " A " 3");
    nt_peers_cut_off(peers, 1);
    says(NT_ASK, SELF " ask 4 2 1 " A " 3");
}

static void relays_say_how_far_they_have_heard(void **state)
{
    (void)state;
    line(A, 3, 1);
    presence(B " here 9 10 0", 1);
    says(NT_HERE, SELF " here 4 2 1 " A " 3 " B " 9");
    nt_peers_cut_off(peers, 1);
    says(NT_ASK, SELF " ask 4 2 1 " A " 3 " B " 9");
    nt_presence said = presence(A " ask 1 1 0 " B " 2 " SELF " 4", 1);
    assert_int_equal(said.kind, NT_ASK);
    assert_true(said.heard_us);
    assert_int_equal(said.number, 4);
    assert_false(presence(A " here 1 1 0 " B " 2", 1).heard_us);
}

static void lines_that_found_no_room_are_counted_once(void **state)
{
    (void)state;
    assert_int_equal(presence(A " here 0 1 5", 1).lost, 0); /* before our time */
    assert_int_equal(presence(A " here 0 1 8", 1).lost, 3);
    assert_int_equal(presence(A " here 0 1 8", 1).lost, 0);
}

static void nonsense_is_no_presence(void **state)
{
    (void)state;
    static const char *const BAD[] = {"",
                                      "x",
                                      A,
                                      A " here",
                                      A " here 1",
                                      A " here 1 2",
                                      A " here 1 2 x",
                                      A "  1 2 3",
                                      A " what 1 2 3",
                                      "aa here 1 2 3",
                                      A " here 1 2 3 " B,
                                      A " here 1 2 3 b 4",
                                      A " here 1 2 3 " B " -4",
                                      A " here 1 2 99999999999999999999"};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        nt_presence said;
        assert_false(nt_peers_presence(peers, SELF, mt_str_z(BAD[i]), 1, &said));
    }
    assert_int_equal(peers->count, 0);
}

static void the_longest_unheard_is_forgotten(void **state)
{
    (void)state;
    char name[NT_NODE_TEXT + 1];
    line(A, 1, 1);
    for (int i = 0; i < NT_PEERS_MOST - 1; i++) {
        snprintf(name, sizeof name, "%016d", i);
        line(name, 1, 1);
    }
    assert_int_equal(line(A, 1, 1), NT_LINE_AGAIN);
    line(B, 1, 1); /* one too many: the first of the others goes */
    assert_int_equal(peers->count, NT_PEERS_MOST);
    assert_int_equal(line(A, 1, 1), NT_LINE_AGAIN);
    assert_int_equal(line("0000000000000000", 1, 1), NT_LINE_NEW);
}

/* ---- the backlog ---- */

static uint64_t publish(nt_backlog *b)
{
    uint64_t count = 0;
    while (nt_backlog_next(b).len) {
        nt_backlog_done(b);
        count++;
    }
    return count;
}

static void lines_are_published_in_order_and_again_from_any_of_them(void **state)
{
    (void)state;
    nt_backlog b = {0};
    assert_int_equal(nt_backlog_first(&b), 1);
    nt_backlog_add(&b, MT_STR("n 1 {a}\nn 2 {b}\n"));
    nt_backlog_add(&b, MT_STR("n 3 {c}\n"));
    assert_true(mt_str_is(nt_backlog_next(&b), "n 1 {a}"));
    nt_backlog_done(&b);
    assert_int_equal(b.last, 1);
    assert_int_equal(publish(&b), 2);
    assert_int_equal(b.last, 3);
    assert_int_equal(nt_backlog_rewind(&b, 4), 0);
    assert_int_equal(nt_backlog_rewind(&b, 2), 2);
    assert_true(mt_str_is(nt_backlog_next(&b), "n 2 {b}"));
    nt_backlog_done(&b);
    assert_int_equal(b.last, 3); /* what was published stays so */
    assert_int_equal(nt_backlog_rewind(&b, 2), 1);
    assert_int_equal(b.last, 3); /* it was published, if not heard */
    assert_int_equal(nt_backlog_rewind(&b, 0), 1);
    assert_int_equal(publish(&b), 3);
    nt_backlog_free(&b);
}

static void only_so_much_of_what_was_published_is_kept(void **state)
{
    (void)state;
    nt_backlog b = {0};
    char text[40];
    for (unsigned i = 1; i <= 1000; i++) {
        snprintf(text, sizeof text, "n %u {%06u}\n", i, i);
        nt_backlog_add(&b, mt_str_z(text));
        if (i % 10 == 0) {
            publish(&b);
            nt_backlog_trim(&b, 100);
        }
    }
    assert_true(b.text.len < 400);
    uint64_t first = nt_backlog_first(&b);
    assert_in_range(first, 992, 996); /* 100 bytes, from where a line begins */
    assert_int_equal(nt_backlog_rewind(&b, 1), 1001 - first);
    nt_backlog_trim(&b, 100); /* what is to be published stays */
    assert_int_equal(publish(&b), 1001 - first);
    nt_backlog_free(&b);
}

int main(void)
{
#define PEERS(f) cmocka_unit_test_setup_teardown(f, start, end)
    const struct CMUnitTest tests[] = {
        PEERS(lines_come_once_and_gaps_are_counted),
        PEERS(what_is_missing_before_the_first_line_is_counted_too),
        PEERS(after_the_bus_was_away_lines_wait_for_those_before_them),
        PEERS(what_is_no_longer_kept_is_not_waited_for),
        PEERS(all_who_were_there_are_waited_for),
        PEERS(the_silent_and_those_who_left_are_not),
        PEERS(who_left_or_was_silent_is_not_waited_for_when_the_bus_is_back),
        PEERS(who_asks_for_the_first_time_wants_nothing_again),
        PEERS(relays_say_how_far_they_have_heard),
        PEERS(lines_that_found_no_room_are_counted_once),
        PEERS(nonsense_is_no_presence),
        PEERS(the_longest_unheard_is_forgotten),
        cmocka_unit_test(lines_are_published_in_order_and_again_from_any_of_them),
        cmocka_unit_test(only_so_much_of_what_was_published_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

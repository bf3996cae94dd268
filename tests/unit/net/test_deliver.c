/* Delivery without a relay around it: who hears what, marks of queues at their edges,
 * credit, and the message log; the time is given by hand, sockets are pairs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../rows.h"
#include "net/relay_state.h"

enum { AGENTS = 3, QUEUE = 400 };

static nt_relay *r;
static nt_conn agents[AGENTS];
static int ends[AGENTS]; /* where the agents read */
static char reported[4096];

static void report(void *state, const char *text)
{
    (void)state;
    size_t len = strlen(reported);
    snprintf(reported + len, sizeof reported - len, "%s\n", text);
}

static int start(void **state)
{
    (void)state;
    r = mt_xmalloc(sizeof *r);
    *r = (nt_relay){.log_fd = -1, .now_ms = 1000000};
    r->config.queue_bytes = QUEUE;
    r->config.memory_bytes = 100000;
    r->config.hold_ms = 200;
    r->config.report = report;
    reported[0] = '\0';
    for (int i = 0; i < AGENTS; i++) {
        int pair[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
        agents[i] = (nt_conn){.stream.fd = pair[0], .joined = true};
        snprintf(agents[i].address, sizeof agents[i].address, "agent%d", i);
        ends[i] = pair[1];
        mt_vec_push(&r->arena, &r->conns, &agents[i]);
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (int i = 0; i < AGENTS; i++) {
        close(agents[i].stream.fd);
        close(ends[i]);
        mt_buf_free(&agents[i].out);
    }
    mt_buf_free(&r->batch);
    mt_buf_free(&r->log_text);
    mt_arena_free(&r->arena);
    free(r);
    return 0;
}

/* One agent's lines in the batch; -1: from the bus. */
static void say(int from, const char *lines)
{
    size_t start_of = r->batch.len;
    uint64_t count = 0;
    mt_buf_addz(&r->batch, lines);
    for (const char *at = lines; *at; at++) {
        count += *at == '\n';
    }
    nt_segment s = {from < 0 ? NULL : &agents[from], start_of, r->batch.len, count};
    mt_vec_push(&r->arena, &r->segments, s);
    if (from >= 0) {
        agents[from].segment = r->segments.len;
    }
}

static char heard_text[1 << 20];

static const char *heard(int agent)
{
    size_t len = 0;
    ssize_t n;
    while ((n = read(ends[agent], heard_text + len, sizeof heard_text - 1 - len)) > 0) {
        len += (size_t)n;
    }
    heard_text[len] = '\0';
    return heard_text;
}

/* Nothing more goes into its socket: everything that follows is queued. Returns how
 * much went in. */
static size_t stuff(int agent)
{
    static const char ZEROS[4096] = {0};
    size_t total = 0;
    ssize_t n;
    for (size_t size = sizeof ZEROS; size; size /= 2) {
        while ((n = write(agents[agent].stream.fd, ZEROS, size)) > 0) {
            total += (size_t)n;
        }
    }
    return total;
}

static size_t waiting(int agent)
{
    return agents[agent].out.len - agents[agent].out_head;
}

static void tell(int agent, size_t bytes)
{
    static char text[2 * QUEUE];
    memset(text, 'x', sizeof text);
    nt_relay_tell(r, &agents[agent], mt_str_from(text, bytes));
}

/* ---- Who hears what ---- */

static void everybody_but_the_speaker_hears_a_line(void **state)
{
    (void)state;
    say(1, "b1\n");
    nt_relay_deliver(r);
    assert_string_equal(heard(0), "b1\n");
    assert_string_equal(heard(1), "");
    assert_string_equal(heard(2), "b1\n");
    assert_int_equal(r->stats.lines_out, 2);
    assert_int_equal(r->stats.bytes_out, 6);
    assert_int_equal(r->batch.len, 0);
    assert_int_equal(r->segments.len, 0);
    assert_int_equal(agents[1].segment, 0);
}

static void speakers_hear_what_came_before_and_after_them(void **state)
{
    (void)state;
    say(0, "a1\na2\n");
    say(1, "b1\n");
    say(-1, "bus\n");
    nt_relay_deliver(r);
    assert_string_equal(heard(0), "b1\nbus\n");
    assert_string_equal(heard(1), "a1\na2\nbus\n");
    assert_string_equal(heard(2), "a1\na2\nb1\nbus\n");
    assert_int_equal(r->stats.lines_out, 2 + 3 + 4);
}

static void who_has_not_joined_or_is_gone_hears_nothing(void **state)
{
    (void)state;
    agents[1].joined = false;
    agents[2].dead = true;
    say(-1, "x\n");
    nt_relay_deliver(r);
    assert_string_equal(heard(0), "x\n");
    assert_string_equal(heard(1), "");
    assert_string_equal(heard(2), "");
    assert_int_equal(r->stats.lines_out, 1);
}

static void who_hung_up_is_buried(void **state)
{
    (void)state;
    close(ends[0]);
    ends[0] = -1;
    say(-1, "x\n");
    nt_relay_deliver(r);
    assert_true(agents[0].dead);
    assert_int_equal(r->dead.len, 1);
    nt_relay_kill(r, &agents[0]);
    assert_int_equal(r->dead.len, 1); /* once */
}

static void what_does_not_fit_the_socket_waits_and_comes_later(void **state)
{
    (void)state;
    size_t before = stuff(0);
    say(-1, "first\n");
    nt_relay_deliver(r);
    say(1, "second\n");
    say(2, "third\n");
    nt_relay_deliver(r);
    assert_int_equal(waiting(0), strlen("first\nsecond\nthird\n"));
    assert_int_equal(r->stats.queued_bytes, waiting(0));
    assert_int_equal(r->busy_count, 1);
    heard(0);
    r->now_ms += 7;
    nt_relay_flush(r, &agents[0]);
    assert_string_equal(heard(0), "first\nsecond\nthird\n");
    assert_int_equal(r->stats.queued_bytes, 0);
    assert_int_equal(r->busy_count, 0);
    assert_int_equal(agents[0].progress_ms, r->now_ms);
    assert_true(before > 0);
}

/* ---- Marks ---- */

static void a_queue_is_full_above_its_half(void **state)
{
    (void)state;
    stuff(0);
    tell(0, QUEUE / 2);
    assert_false(agents[0].full);
    tell(0, 1);
    assert_true(agents[0].full);
    assert_int_equal(r->full.len, 1);
    tell(0, 1);
    assert_int_equal(r->full.len, 1);
}

static void only_what_is_slow_loses_lines_and_is_told(void **state)
{
    (void)state;
    stuff(0);
    tell(0, QUEUE);
    say(-1, "kept\n"); /* full, but nobody is slow yet */
    nt_relay_deliver(r);
    assert_int_equal(waiting(0), QUEUE + 5);
    agents[0].slow = true;
    r->stats.slow_readers = 1;
    say(-1, "gone\n");
    say(1, "too\n");
    nt_relay_deliver(r);
    assert_int_equal(waiting(0), QUEUE + 5);
    assert_int_equal(agents[0].missed, 2);
    assert_int_equal(r->stats.lines_dropped, 2);
    heard(0);
    nt_relay_flush(r, &agents[0]);
    const char *text = heard(0);
    assert_non_null(strstr(text, "kept\nWarning: 2 messages were not delivered because "
                                 "you read too slowly.\n"));
    assert_false(agents[0].slow);
    assert_false(agents[0].full);
    assert_int_equal(r->full.len, 0);
    assert_int_equal(r->stats.slow_readers, 0);
    assert_int_equal(agents[0].missed, 0);
    assert_non_null(strstr(reported, "agent0 missed 2 lines\n"));
}

static void a_slow_agent_still_has_its_queue(void **state)
{
    (void)state;
    stuff(0);
    agents[0].slow = true;
    tell(0, QUEUE - 2);
    say(-1, "x\n"); /* exactly full */
    nt_relay_deliver(r);
    assert_int_equal(waiting(0), QUEUE);
    say(-1, "\n"); /* one more */
    nt_relay_deliver(r);
    assert_int_equal(waiting(0), QUEUE);
    assert_int_equal(agents[0].missed, 1);
}

static void memory_for_all_queues_is_bounded(void **state)
{
    (void)state;
    r->config.memory_bytes = QUEUE;
    stuff(0);
    stuff(1);
    tell(0, QUEUE - 10);
    tell(1, 5);
    say(2, "1234\n"); /* fits exactly, into the first */
    agents[1].dead = true;
    nt_relay_deliver(r);
    assert_int_equal(r->stats.queued_bytes, QUEUE);
    assert_false(agents[0].slow);
    say(2, "\n");
    nt_relay_deliver(r);
    assert_true(agents[0].slow);
    assert_int_equal(r->stats.slow_readers, 1);
    assert_int_equal(agents[0].missed, 1);
    assert_string_equal(reported, "agent0 reads too slowly; it may lose lines\n");
}

static void an_agent_recovers_at_a_quarter(void **state)
{
    (void)state;
    size_t room = stuff(0);
    tell(0, QUEUE);
    assert_true(agents[0].full);
    /* Read so much that all but a little can be written, then little by little. */
    for (size_t got = 0; got < room + QUEUE;) {
        ssize_t n = read(ends[0], heard_text, 64);
        assert_true(n > 0);
        got += (size_t)n;
        nt_relay_flush(r, &agents[0]);
        assert_int_equal(agents[0].full, waiting(0) > QUEUE / 4);
    }
    assert_int_equal(waiting(0), 0);
}

/* ---- Holding back ---- */

static void fill(int agent)
{
    stuff(agent);
    tell(agent, QUEUE / 2 + 1);
    agents[agent].credit_at_ms = r->now_ms;
    agents[agent].credit_us = 200000;
}

static void a_full_agent_holds_the_others_while_it_makes_progress(void **state)
{
    (void)state;
    assert_false(nt_relay_held(r));
    fill(0);
    assert_true(nt_relay_held(r));
    assert_int_equal(r->stats.holds, 1);
    r->now_ms += 200; /* exactly as long as it may */
    agents[0].credit_us = 400000;
    assert_true(nt_relay_held(r) || agents[0].credit_us <= 0);
    assert_int_equal(r->stats.holds, 1);
}

static void without_progress_it_is_slow_after_the_hold(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        fill(0);
        agents[0].slow = false;
        agents[0].progress_ms = r->now_ms - 200 - late;
        assert_int_equal(nt_relay_held(r), !late);
        assert_int_equal(agents[0].slow, late);
    }
}

static void holding_costs_credit_while_others_wait(void **state)
{
    (void)state;
    fill(0);
    assert_true(nt_relay_held(r)); /* the first time costs nothing */
    assert_int_equal(agents[0].credit_us, 200000);
    r->now_ms += 100;
    agents[0].progress_ms = r->now_ms;
    assert_true(nt_relay_held(r)); /* a hundredth comes back, but not above the full */
    assert_int_equal(agents[0].credit_us, 200000 - 100000);
    r->now_ms += 100;
    agents[0].progress_ms = r->now_ms;
    assert_true(nt_relay_held(r));
    assert_int_equal(agents[0].credit_us, 1000);
    r->now_ms += 1;
    agents[0].progress_ms = r->now_ms;
    assert_true(nt_relay_held(r));
    assert_int_equal(agents[0].credit_us, 10);
    r->now_ms += 1;
    agents[0].progress_ms = r->now_ms;
    assert_false(nt_relay_held(r));
    assert_true(agents[0].slow);
}

static void it_costs_nothing_when_nobody_waits(void **state)
{
    (void)state;
    fill(0);
    r->ready_count = 2; /* the two others speak */
    assert_true(nt_relay_held(r));
    r->now_ms += 150;
    assert_true(nt_relay_held(r));
    assert_int_equal(agents[0].credit_us, 200000);
    r->ready_count = 1;
    r->now_ms += 10;
    assert_true(nt_relay_held(r));
    assert_int_equal(agents[0].credit_us, 200000 - 10000);
}

/* ---- Reports and the log ---- */

static void reports_are_counted_when_there_are_too_many(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        nt_relay_say(r, "n%d", i);
    }
    size_t shown = 0;
    for (const char *at = reported; *at; at++) {
        shown += *at == '\n';
    }
    assert_int_equal(shown, 20);
    reported[0] = '\0';
    r->now_ms += 999;
    nt_relay_say(r, "still");
    assert_string_equal(reported, "");
    r->now_ms += 1;
    nt_relay_say(r, "again");
    char want[100];
    snprintf(want, sizeof want, "%zu more events not shown\nagain\n", 1001 - shown);
    assert_string_equal(reported, want);
}

static void assert_logged(const char *text, const char *const *members, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        /* {"at":"2026-01-31T12:00:00.000Z", and what was said without its brace */
        assert_memory_equal(text, "{\"at\":\"", 7);
        assert_int_equal(text[30], 'Z');
        assert_memory_equal(text + 31, "\",", 2);
        assert_memory_equal(text + 33, members[i], strlen(members[i]));
        text += 33 + strlen(members[i]);
    }
    assert_string_equal(text, "");
}

static void lines_are_logged_with_their_time(void **state)
{
    (void)state;
    static const char *const MEMBERS[] = {"\"a\":1}\n", "\"b\":2}\n"};
    FILE *f = tmpfile();
    assert_non_null(f);
    r->log_fd = fileno(f);
    say(0, "{\"a\":1}\n");
    say(1, "{\"b\":2}\n");
    nt_relay_log(r);
    rewind(f);
    heard_text[fread(heard_text, 1, sizeof heard_text - 1, f)] = '\0';
    assert_logged(heard_text, MEMBERS, 2);
    assert_int_equal(r->stats.log_errors, 0);
    fclose(f);
}

static void a_log_that_broke_inside_a_line_goes_on_with_a_new_one(void **state)
{
    (void)state;
    static const char *const MEMBERS[] = {"\"b\":2}\n"};
    int fd = open("/dev/full", O_WRONLY);
    r->log_fd = fd;
    say(0, "{\"a\":1}\n");
    nt_relay_log(r);
    close(fd);
    assert_int_equal(r->stats.log_errors, 1);
    assert_string_equal(reported,
                        "cannot write the message log: No space left on device\n");
    nt_relay_deliver(r);
    FILE *f = tmpfile();
    r->log_fd = fileno(f);
    r->log_torn = true;
    say(1, "{\"b\":2}\n");
    nt_relay_log(r);
    rewind(f);
    heard_text[fread(heard_text, 1, sizeof heard_text - 1, f)] = '\0';
    assert_int_equal(heard_text[0], '\n');
    assert_logged(heard_text + 1, MEMBERS, 1);
    assert_false(r->log_torn);
    fclose(f);
}

static void every_number_has_its_metric(void **state)
{
    (void)state;
    mt_buf out = {0};
    nt_stats stats = {.connections = 7, .accepted = 8, .bus_absent = 9};
    nt_stats_print(&out, &stats);
    mt_buf_addc(&out, '\0');
    assert_non_null(strstr(out.ptr, "# TYPE motet_relay_connections gauge\n"
                                    "motet_relay_connections 7\n"));
    assert_non_null(strstr(out.ptr, "# TYPE motet_relay_accepted_total counter\n"
                                    "motet_relay_accepted_total 8\n"));
    assert_non_null(strstr(out.ptr, "motet_relay_bus_absent_total 9\n"));
    mt_buf_free(&out);
}

int main(void)
{
#define RELAY(f) cmocka_unit_test_setup_teardown(f, start, end)
    const struct CMUnitTest tests[] = {
        RELAY(everybody_but_the_speaker_hears_a_line),
        RELAY(speakers_hear_what_came_before_and_after_them),
        RELAY(who_has_not_joined_or_is_gone_hears_nothing),
        RELAY(who_hung_up_is_buried),
        RELAY(what_does_not_fit_the_socket_waits_and_comes_later),
        RELAY(a_queue_is_full_above_its_half),
        RELAY(only_what_is_slow_loses_lines_and_is_told),
        RELAY(a_slow_agent_still_has_its_queue),
        RELAY(memory_for_all_queues_is_bounded),
        RELAY(an_agent_recovers_at_a_quarter),
        RELAY(a_full_agent_holds_the_others_while_it_makes_progress),
        RELAY(without_progress_it_is_slow_after_the_hold),
        RELAY(holding_costs_credit_while_others_wait),
        RELAY(it_costs_nothing_when_nobody_waits),
        RELAY(reports_are_counted_when_there_are_too_many),
        RELAY(lines_are_logged_with_their_time),
        RELAY(a_log_that_broke_inside_a_line_goes_on_with_a_new_one),
        RELAY(every_number_has_its_metric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The log: bounded, in order, never in the way. */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../rows.h"
#include "http/log.h"

enum { THREADS = 4, LINES = 1000 };

/* A log that writes to a pipe, and what came out of it. */
typedef struct stage {
    ht_log log;
    int reader;
    pthread_t thread;
    mt_buf heard;
} stage;

static void *read_all(void *state)
{
    stage *s = state;
    char piece[4096];
    for (ssize_t n; (n = read(s->reader, piece, sizeof piece)) > 0;) {
        mt_buf_add(&s->heard, piece, (size_t)n);
    }
    return NULL;
}

static void set_up(stage *s, bool json, size_t most)
{
    int ends[2];
    *s = (stage){.log = {.json = json}};
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    s->reader = ends[0];
    s->log.fd = ends[1];
    assert_int_equal(pthread_create(&s->thread, NULL, read_all, s), 0);
    assert_int_equal(ht_log_open(&s->log, most), MT_OK);
}

/* Closes the log and waits for the last that is heard of it; its dropped lines. */
static uint64_t tear_down(stage *s)
{
    ht_log_flush(&s->log);
    uint64_t dropped = ht_log_dropped(&s->log);
    ht_log_close(&s->log);
    close(s->log.fd);
    pthread_join(s->thread, NULL);
    close(s->reader);
    return dropped;
}

static size_t count_of(const stage *s, const char *word)
{
    size_t count = 0;
    mt_str rest = mt_buf_str(&s->heard);
    for (size_t len = strlen(word); rest.len >= len; rest = mt_str_skip(rest, 1)) {
        count += memcmp(rest.ptr, word, len) == 0;
    }
    return count;
}

static size_t line_length(void)
{
    mt_buf line = {0};
    ht_log_line(&line, false, HT_INFO, MT_STR("x"), MT_STR("{\"a\":\"b\"}"));
    size_t len = line.len;
    mt_buf_free(&line);
    return len;
}

static void a_line_that_fits_gets_out(void **state)
{
    (void)state;
    stage s;
    set_up(&s, false, line_length());
    ht_log_text(&s.log, HT_INFO, "x", "a", MT_STR("b"));
    assert_int_equal(tear_down(&s), 0);
    assert_int_equal(s.heard.len, line_length());
    assert_int_equal(count_of(&s, " info x a=b\n"), 1);
    mt_buf_free(&s.heard);
}

static void a_line_that_does_not_is_counted_and_told(void **state)
{
    (void)state;
    stage s;
    set_up(&s, false, line_length() - 1);
    ht_log_text(&s.log, HT_INFO, "x", "a", MT_STR("b"));
    assert_int_equal(tear_down(&s), 1);
    assert_int_equal(count_of(&s, " info x"), 0);
    assert_int_equal(count_of(&s, " warn log_dropped count=1 "), 1);
    mt_buf_free(&s.heard);
}

static void what_is_below_the_level_is_not_said(void **state)
{
    (void)state;
    stage s;
    set_up(&s, true, 1 << 16);
    s.log.least = HT_WARN;
    ht_log_text(&s.log, HT_INFO, "x", "a", MT_STR("b"));
    ht_log_text(&s.log, HT_ERROR, "y", "a", MT_STR("b"));
    assert_int_equal(tear_down(&s), 0);
    assert_int_equal(count_of(&s, "\n"), 1);
    assert_int_equal(count_of(&s, "\"level\":\"error\",\"event\":\"y\",\"a\":\"b\"}\n"),
                     1);
    mt_buf_free(&s.heard);
}

typedef struct speaker {
    const ht_log *log;
    int number;
} speaker;

static void *speak(void *state)
{
    const speaker *who = state;
    for (int i = 0; i < LINES; i++) {
        char text[64];
        int len = snprintf(text, sizeof text, "%d-%d", who->number, i);
        ht_log_text(who->log, HT_INFO, "said", "what", mt_str_from(text, (size_t)len));
    }
    return NULL;
}

/* Each speaker's lines are there once and in order, or counted. */
static void everyone_is_heard_in_order_or_counted(void **state)
{
    (void)state;
    stage s;
    pthread_t threads[THREADS];
    speaker speakers[THREADS];
    set_up(&s, false, 8192);
    for (int i = 0; i < THREADS; i++) {
        speakers[i] = (speaker){&s.log, i};
        assert_int_equal(pthread_create(&threads[i], NULL, speak, &speakers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    uint64_t dropped = tear_down(&s);
    int last[THREADS] = {-1, -1, -1, -1};
    uint64_t heard = 0, told = 0;
    for (mt_str rest = mt_buf_str(&s.heard); rest.len;) {
        size_t end = mt_str_find(rest, '\n');
        char line[256];
        unsigned long long lost = 0;
        int who = 0, what = 0;
        assert_true(end < rest.len && end < sizeof line);
        snprintf(line, sizeof line, "%.*s", (int)end, rest.ptr);
        const char *said = strstr(line, "what="), *missing = strstr(line, "count=");
        if (said && sscanf(said, "what=%d-%d", &who, &what) == 2) {
            assert_true(who >= 0 && who < THREADS && what > last[who]);
            last[who] = what;
            heard++;
        } else {
            assert_true(missing && sscanf(missing, "count=%llu", &lost) == 1);
            told += lost;
        }
        rest = mt_str_skip(rest, end + 1);
    }
    assert_int_equal(heard + dropped, THREADS * LINES);
    assert_int_equal(told, dropped);
    mt_buf_free(&s.heard);
}

static void a_log_that_cannot_be_written_drops_and_ends(void **state)
{
    (void)state;
    ht_log log = {.fd = -1};
    assert_int_equal(ht_log_open(&log, 1 << 16), MT_OK);
    for (int i = 0; i < 10; i++) {
        ht_log_text(&log, HT_INFO, "x", "a", MT_STR("b"));
    }
    ht_log_flush(&log);
    assert_int_equal(ht_log_dropped(&log), 10);
    ht_log_close(&log);
    ht_log_close(&log); /* twice is once */
}

/* The reader never reads: whatever is logged, nobody waits for it. */
static void a_full_pipe_holds_nobody_up(void **state)
{
    (void)state;
    int ends[2];
    ht_log log = {0};
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    log.fd = ends[1];
    assert_int_equal(ht_log_open(&log, 4096), MT_OK);
    for (int i = 0; i < 20000; i++) {
        ht_log_text(&log, HT_INFO, "x", "a", MT_STR("b"));
    }
    assert_true(ht_log_dropped(&log) > 0);
    ht_log_close(&log);
    close(ends[0]);
    close(ends[1]);
}

/* A socket that keeps packets apart shows what is written at once: whole lines, as many
 * as a pipe takes whole, or pieces of one that is longer. */
static void lines_are_written_whole(void **state)
{
    (void)state;
    int ends[2];
    static char text[3 * PIPE_BUF], packet[4 * PIPE_BUF];
    ht_log log = {0};
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    log.fd = ends[1];
    assert_int_equal(ht_log_open(&log, 1 << 20), MT_OK);
    /* Few enough for the socket, should each be a packet: nobody reads meanwhile. */
    for (int i = 0; i < 20; i++) {
        ht_log_text(&log, HT_INFO, "x", "a", mt_str_from(text, 0));
        memset(text, 'y', 301);
        ht_log_text(&log, HT_INFO, "x", "a", mt_str_from(text, 301));
    }
    ht_log_flush(&log);
    size_t lines = 0;
    for (ssize_t n; (n = recv(ends[0], packet, sizeof packet, MSG_DONTWAIT)) > 0;) {
        assert_true(n <= PIPE_BUF && packet[n - 1] == '\n');
        for (ssize_t i = 0; i < n; i++) {
            lines += packet[i] == '\n';
        }
    }
    assert_int_equal(lines, 40);
    memset(text, 'z', sizeof text);
    ht_log_text(&log, HT_INFO, "x", "a", mt_str_from(text, sizeof text));
    ht_log_flush(&log);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(recv(ends[0], packet, sizeof packet, MSG_DONTWAIT), PIPE_BUF);
    }
    ssize_t rest = recv(ends[0], packet, sizeof packet, MSG_DONTWAIT);
    assert_true(rest > 0 && rest < PIPE_BUF && packet[rest - 1] == '\n');
    assert_int_equal(ht_log_dropped(&log), 0);
    ht_log_close(&log);
    close(ends[0]);
    close(ends[1]);
}

/* Packets that are in the way, until no more fit. */
static void stop_up(int fd)
{
    while (send(fd, "-", 1, MSG_DONTWAIT) == 1) {
    }
}

/* Whatever waits while there is no room is written in as few pieces as a pipe takes
 * whole: those of the batch that the writer had, and those of all the rest. */
static void lines_that_waited_are_written_together(void **state)
{
    (void)state;
    enum { WAITING = 40, LONGEST = 400 };
    int ends[2];
    static char text[301], packet[4 * PIPE_BUF];
    struct timeval patience = {.tv_sec = 10};
    ht_log log = {0};
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    stop_up(ends[1]);
    log.fd = ends[1];
    assert_int_equal(ht_log_open(&log, 1 << 20), MT_OK);
    memset(text, 'y', sizeof text);
    for (int i = 0; i < WAITING; i++) {
        ht_log_text(&log, HT_INFO, "x", "a", mt_str_from(text, i % 2 ? 301 : 1));
    }
    size_t lines = 0, pieces = 0, bytes = 0;
    while (lines < WAITING) {
        ssize_t n = recv(ends[0], packet, sizeof packet, 0);
        assert_true(n > 0);
        if (n == 1) {
            continue; /* what was in the way */
        }
        assert_true(n <= PIPE_BUF && packet[n - 1] == '\n');
        pieces++;
        bytes += (size_t)n;
        for (ssize_t i = 0; i < n; i++) {
            lines += packet[i] == '\n';
        }
    }
    assert_int_equal(lines, WAITING);
    assert_true(bytes < WAITING * LONGEST);
    assert_true(pieces <= bytes / (PIPE_BUF - LONGEST) + 2);
    assert_int_equal(ht_log_dropped(&log), 0);
    ht_log_close(&log);
    close(ends[0]);
    close(ends[1]);
}

static void who_stops_reading_costs_lines_that_are_counted(void **state)
{
    (void)state;
    int ends[2];
    ht_log log = {0};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    log.fd = ends[1];
    assert_int_equal(ht_log_open(&log, 1 << 16), MT_OK);
    close(ends[0]);
    for (int i = 0; i < 3; i++) {
        ht_log_text(&log, HT_INFO, "x", "a", MT_STR("b"));
        ht_log_flush(&log);
        assert_int_equal(ht_log_dropped(&log), i + 1);
    }
    ht_log_close(&log);
    assert_int_equal(ht_log_dropped(&log), 0);
    ht_log_text(&log, HT_INFO, "x", "a", MT_STR("b")); /* silent from here on */
    ht_log_write(NULL, HT_INFO, MT_STR("x"), MT_STR(""));
    close(ends[1]);
}

static void levels_have_names_and_ends(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"debug", "info", "warn", "error"};
    ht_level level;
    for (size_t i = 0; i < rows_count(NAMES); i++) {
        assert_true(ht_level_read(mt_str_z(NAMES[i]), &level));
        assert_int_equal(level, i);
    }
    assert_false(ht_level_read(MT_STR("loud"), &level));
    stage s;
    set_up(&s, false, 1 << 16);
    ht_log_write(&s.log, HT_ERROR + 1, MT_STR("beyond"), MT_STR(""));
    ht_log_write(&s.log, HT_DEBUG, MT_STR("least"), MT_STR(""));
    ht_log_write(&s.log, HT_ERROR, MT_STR("most"), MT_STR("[]"));
    s.log.json = true;
    ht_log_write(&s.log, HT_ERROR, MT_STR("bare"), MT_STR("{}"));
    assert_int_equal(tear_down(&s), 0);
    assert_int_equal(count_of(&s, "beyond"), 0);
    assert_int_equal(count_of(&s, " debug least\n"), 1);
    assert_int_equal(count_of(&s, " error most\n"), 1);
    assert_int_equal(count_of(&s, "\"level\":\"error\",\"event\":\"bare\"}\n"), 1);
    mt_buf_free(&s.heard);
}

/* Milliseconds of "2026-11-17T01:56:54.572Z". */
static int64_t moment_of(const char *text)
{
    struct tm parts = {0};
    int ms, end = 0;
    assert_int_equal(sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ%n", &parts.tm_year,
                            &parts.tm_mon, &parts.tm_mday, &parts.tm_hour,
                            &parts.tm_min, &parts.tm_sec, &ms, &end),
                     7);
    assert_int_equal(end, 24);
    parts.tm_year -= 1900;
    parts.tm_mon -= 1;
    return (int64_t)timegm(&parts) * 1000 + ms;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void a_line_says_when_and_what(void **state)
{
    (void)state;
    static const char FIELDS[] =
        "{\"a\":\"b "
        "c\",\"d\":\"e=f\",\"g\":\"\",\"h\":\"i\",\"j\":1,\"k\":\"l\\u007f\"}";
    for (int json = 0; json < 2; json++) {
        mt_buf line = {0};
        int64_t before = now_ms();
        ht_log_line(&line, json, HT_WARN, MT_STR("some\"thing"), mt_str_z(FIELDS));
        int64_t after = now_ms();
        mt_buf_addc(&line, 0);
        int64_t said = moment_of(line.ptr + (json ? strlen("{\"time\":\"") : 0));
        assert_true(before <= said && said <= after);
        mt_str rest = mt_str_skip(mt_str_z(line.ptr), json ? 33 : 24);
        assert_text(
            rest, json ? MT_STR("\",\"level\":\"warn\",\"event\":\"some\\\"thing\","
                                "\"a\":\"b c\",\"d\":\"e=f\",\"g\":\"\",\"h\":\"i\","
                                "\"j\":1,\"k\":\"l\\u007f\"}\n")
                       : MT_STR(" warn some\"thing a=\"b c\" d=\"e=f\" g=\"\" h=i j=1 "
                                "k=\"l\x7f\"\n"));
        mt_buf_free(&line);
    }
}

int main(void)
{
    rows_list list = {0};
    rows_test(&list, a_line_says_when_and_what);
    rows_test(&list, a_line_that_fits_gets_out);
    rows_test(&list, a_line_that_does_not_is_counted_and_told);
    rows_test(&list, what_is_below_the_level_is_not_said);
    rows_test(&list, everyone_is_heard_in_order_or_counted);
    rows_test(&list, a_log_that_cannot_be_written_drops_and_ends);
    rows_test(&list, a_full_pipe_holds_nobody_up);
    rows_test(&list, lines_are_written_whole);
    rows_test(&list, lines_that_waited_are_written_together);
    rows_test(&list, who_stops_reading_costs_lines_that_are_counted);
    rows_test(&list, levels_have_names_and_ends);
    return rows_run(&list, "http/log");
}

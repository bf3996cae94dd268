/* A child that behaves, hangs, floods, dies, speaks without end. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/process.h"

static os_child *shell(const char *script, bool wants_stdin, size_t max_line)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    os_child_options o = {
        .argv = argv, .wants_stdin = wants_stdin, .max_line = max_line};
    os_child *c = NULL;
    assert_int_equal(os_child_start(&o, &c), MT_OK);
    return c;
}

static void reads_lines_then_the_end(void **state)
{
    (void)state;
    os_child *c = shell("printf 'one\\ntwo\\nrest'", false, 0);
    mt_str line;
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_OK);
    assert_true(mt_str_is(line, "one"));
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_OK);
    assert_true(mt_str_is(line, "two"));
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_E_CLOSED);
    assert_true(mt_str_is(os_child_rest(c), "rest"));
    int status = -1;
    assert_true(os_child_stop(c, 5000, &status));
    assert_int_equal(status, 0);
    os_child_free(c);
}

static void answers_what_it_is_asked(void **state)
{
    (void)state;
    os_child *c = shell("while read x; do echo got $x; done", true, 0);
    mt_str line;
    assert_int_equal(os_child_write(c, MT_STR("a\nb\n"), 5000), MT_OK);
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_OK);
    assert_true(mt_str_is(line, "got a"));
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_OK);
    assert_true(mt_str_is(line, "got b"));
    os_child_close_stdin(c);
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_E_CLOSED);
    os_child_free(c);
}

static void begins_in_the_directory_it_is_given(void **state)
{
    (void)state;
    const char *const argv[] = {"pwd", NULL};
    os_child_options o = {.argv = argv, .directory = "/"};
    os_child *c = NULL;
    mt_str line;
    assert_int_equal(os_child_start(&o, &c), MT_OK);
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_OK);
    assert_true(mt_str_is(line, "/"));
    os_child_free(c);
    o.directory = "/nowhere/at/all";
    assert_int_equal(os_child_start(&o, &c), MT_E_NOTFOUND);
}

static void gives_up_on_a_silent_child(void **state)
{
    (void)state;
    os_child *c = shell("sleep 600", false, 0);
    mt_str line;
    assert_int_equal(os_child_read_line(c, 20, &line), MT_E_TIMEOUT);
    assert_false(os_child_stop(c, 20, NULL));
    os_child_free(c);
}

static void kills_grandchildren_too(void **state)
{
    (void)state;
    os_child *c = shell("sleep 600 & echo $!; wait", false, 0);
    mt_str line;
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_OK);
    char digits[32];
    snprintf(digits, sizeof digits, "%.*s", MT_ARG(line));
    pid_t grandchild = (pid_t)atoi(digits);
    os_child_kill(c);
    /* Until init has reaped it, a zombie still answers kill(0); look at its state. The
     * kill is delivered when the kernel next schedules the victim, so wait a little. */
    char path[64], state_letter = 'R';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)grandchild);
    for (int i = 0; i < 2000 && state_letter != 'X' && state_letter != 'Z'; i++) {
        FILE *f = fopen(path, "r");
        state_letter = 'X';
        if (f) {
            assert_int_equal(fscanf(f, "%*d %*s %c", &state_letter), 1);
            fclose(f);
        }
        usleep(1000);
    }
    assert_true(state_letter == 'X' || state_letter == 'Z');
    os_child_free(c);
}

static void bounds_a_line_without_end(void **state)
{
    (void)state;
    os_child *c = shell("exec head -c 3000000 /dev/zero", false, 1 << 20);
    mt_str line;
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_E_LIMIT);
    os_child_free(c);
}

static void a_line_may_have_just_as_many_bytes_as_are_allowed(void **state)
{
    (void)state;
    os_child *c = shell("printf 'abc\\nabcd\\n'", false, 3);
    mt_str line;
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_OK);
    assert_true(mt_str_is(line, "abc"));
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_E_LIMIT);
    os_child_free(c);
}

static void a_line_that_has_not_ended_counts_as_well(void **state)
{
    (void)state;
    os_child *c = shell(
        "printf abc; read x; printf 'd\\nabc'; read x; printf d; read x", true, 4);
    mt_str line;
    assert_int_equal(os_child_read_line(c, 20, &line), MT_E_TIMEOUT);
    assert_int_equal(os_child_write(c, MT_STR("\n"), 5000), MT_OK);
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_OK);
    assert_true(mt_str_is(line, "abcd"));
    c = (os_child_free(c), shell("printf abc; read x; printf d; read x", true, 3));
    assert_int_equal(os_child_read_line(c, 20, &line), MT_E_TIMEOUT);
    assert_int_equal(os_child_write(c, MT_STR("\n"), 5000), MT_OK);
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_E_LIMIT);
    os_child_free(c);
}

static void waits_as_long_as_it_is_told(void **state)
{
    (void)state;
    os_child *c = shell("read x; sleep 0.02; echo one; read x", true, 0);
    mt_str line;
    assert_int_equal(os_child_read_line(c, 0, &line), MT_E_TIMEOUT);
    assert_int_equal(os_child_write(c, MT_STR("\n"), 5000), MT_OK);
    assert_int_equal(os_child_read_line(c, -1, &line), MT_OK);
    assert_true(mt_str_is(line, "one"));
    os_child_free(c);
}

static void has_an_empty_input_where_none_is_wanted(void **state)
{
    (void)state;
    const char *const argv[] = {"sh", "-c", "cat; echo $OWN$HOME", NULL};
    const char *const environment[] = {"OWN=mine", "PATH=/usr/bin:/bin", NULL};
    os_child_options o = {.argv = argv, .environment = environment};
    os_child *c = NULL;
    mt_str line;
    size_t put = 1;
    assert_int_equal(os_child_start(&o, &c), MT_OK);
    assert_int_equal(os_child_stdin_fd(c), -1);
    assert_int_equal(os_child_write(c, MT_STR("x"), 0), MT_E_CLOSED);
    assert_int_equal(os_child_write_some(c, MT_STR("x"), &put), MT_E_CLOSED);
    assert_int_equal(put, 0);
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_OK);
    assert_true(mt_str_is(line, "mine"));
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_E_CLOSED);
    assert_int_equal(os_child_fd(c), -1);
    assert_int_equal(os_child_stderr_fd(c), -1);
    os_child_free(c);
}

/* What this process ignores or holds back is none of the child's affair. */
static void signals_reach_it_as_usual(void **state)
{
    (void)state;
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    assert_int_equal(sigprocmask(SIG_BLOCK, &blocked, &before), 0);
    static const struct {
        const char *script;
        int status;
    } ENDS[] = {{"kill -PIPE $$", 128 + SIGPIPE}, {"kill -TERM $$", 128 + SIGTERM}};
    for (size_t i = 0; i < 2; i++) {
        os_child *c = shell(ENDS[i].script, false, 0);
        int status = 0;
        assert_true(os_child_stop(c, 5000, &status));
        assert_int_equal(status, ENDS[i].status);
        os_child_kill(c); /* it is not there any more */
        assert_true(os_child_stop(c, 0, NULL));
        os_child_free(c);
    }
    assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
}

/* More than a pipe holds, in both directions at once. */
static void takes_what_it_says_while_it_is_written_to(void **state)
{
    (void)state;
    enum { MUCH = 300000 };
    static char bytes[MUCH];
    os_child *c = shell("yes | head -c 300000 >&2; wc -c; read x", true, 0);
    mt_str line;
    assert_int_equal(os_child_write(c, mt_str_from(bytes, MUCH), 5000), MT_OK);
    os_child_close_stdin(c);
    assert_int_equal(os_child_stdin_fd(c), -1);
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_OK);
    assert_int_equal(strtoul(line.ptr, NULL, 10), MUCH);
    c = (os_child_free(c), shell("exec sleep 600", true, 0));
    assert_int_equal(os_child_write(c, mt_str_from(bytes, MUCH), 20), MT_E_TIMEOUT);
    size_t put = 1;
    assert_int_equal(os_child_write_some(c, mt_str_from(bytes, MUCH), &put), MT_OK);
    assert_int_equal(put, 0);
    os_child_free(c);
}

/* 3000 bytes twice: all of the second and what there is room for of the first. */
static void a_complaint_is_its_last_4096_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        size_t a, b;
    } ROWS[] = {{"3000", "3000", 1096, 3000},
                {"1096", "3000", 1096, 3000},
                {"5", "3", 5, 3},
                {"5", "4096", 0, 4096},
                {"5", "4097", 0, 4096}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char script[200];
        snprintf(script, sizeof script,
                 "head -c %s /dev/zero | tr '\\0' a >&2; echo; read x; "
                 "head -c %s /dev/zero | tr '\\0' b >&2",
                 ROWS[i].first, ROWS[i].second);
        os_child *c = shell(script, true, 0);
        mt_str line;
        assert_int_equal(os_child_read_line(c, 5000, &line), MT_OK);
        assert_int_equal(os_child_write(c, MT_STR("\n"), 5000), MT_OK);
        assert_int_equal(os_child_read_line(c, 5000, &line), MT_E_CLOSED);
        mt_str said = os_child_complaint(c);
        assert_int_equal(said.len, ROWS[i].a + ROWS[i].b);
        for (size_t k = 0; k < said.len; k++) {
            assert_int_equal(said.ptr[k], k < ROWS[i].a ? 'a' : 'b');
        }
        os_child_free(c);
    }
}

static void keeps_the_last_complaint(void **state)
{
    (void)state;
    os_child *c = shell(
        "yes complain | head -c 300000 >&2; echo last >&2; echo out; exit 3", false, 0);
    mt_str line;
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_OK);
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_E_CLOSED);
    int status = 0;
    assert_true(os_child_stop(c, 5000, &status));
    assert_int_equal(status, 3);
    assert_true(mt_str_ends(os_child_complaint(c), MT_STR("last\n")));
    os_child_free(c);
}

static void names_a_missing_program(void **state)
{
    (void)state;
    const char *const argv[] = {"/nonexistent/program", NULL};
    os_child_options o = {.argv = argv};
    os_child *c = NULL;
    assert_int_equal(os_child_start(&o, &c), MT_E_NOTFOUND);
    assert_int_equal(errno, ENOENT);
    assert_null(c);
    assert_int_equal(os_detach(argv), MT_E_NOTFOUND);
    assert_int_equal(errno, ENOENT);
    const char *const folder[] = {"/", NULL};
    o.argv = folder;
    assert_int_equal(os_child_start(&o, &c), MT_E_IO);
    assert_int_equal(errno, EACCES);
    assert_null(c);
    assert_int_equal(os_detach(folder), MT_E_IO);
    assert_int_equal(errno, EACCES);
}

/* In a session of its own, and with nothing of ours to read or write. */
static void what_is_detached_is_on_its_own(void **state)
{
    (void)state;
    char path[64], script[512], said[128] = "";
    snprintf(path, sizeof path, "/tmp/motet-process-%d", (int)getpid());
    snprintf(script, sizeof script,
             "a=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2; "
             "cut -d' ' -f6 /proc/$$/stat); echo \"$a\" > %s.part; mv %s.part %s",
             path, path, path);
    const char *const argv[] = {"sh", "-c", script, NULL};
    assert_int_equal(os_detach(argv), MT_OK);
    FILE *f = NULL;
    for (int i = 0; i < 5000 && !f; i++) {
        f = fopen(path, "r");
        usleep(1000);
    }
    assert_non_null(f);
    said[fread(said, 1, sizeof said - 1, f)] = '\0';
    fclose(f);
    unlink(path);
    static const char NOWHERE[] = "/dev/null\n/dev/null\n/dev/null\n";
    assert_memory_equal(said, NOWHERE, sizeof NOWHERE - 1);
    assert_int_not_equal(atoi(said + sizeof NOWHERE - 1), getsid(0));
}

static int open_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 1024; fd++) {
        count += fcntl(fd, F_GETFD) != -1;
    }
    return count;
}

static void leaves_no_descriptor_open(void **state)
{
    (void)state;
    int before = open_descriptors();
    reads_lines_then_the_end(NULL);
    gives_up_on_a_silent_child(NULL);
    names_a_missing_program(NULL);
    answers_what_it_is_asked(NULL);
    assert_int_equal(open_descriptors(), before);
}

static void sees_that_nobody_reads(void **state)
{
    (void)state;
    os_child *c = shell("exec <&-; echo closed; sleep 600", true, 0);
    mt_str line;
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_OK);
    mt_err err = os_child_write(c, MT_STR("x\n"), 5000);
    assert_int_equal(err, MT_E_CLOSED);
    os_child_free(c);
}

/* What `ulimit -v` says in a child that may have `memory` bytes. */
static unsigned long long kilobytes(size_t memory)
{
    const char *const argv[] = {"sh", "-c", "ulimit -v", NULL};
    os_child_options o = {.argv = argv, .memory = memory};
    os_child *c;
    mt_str line;
    assert_int_equal(os_child_start(&o, &c), MT_OK);
    assert_int_equal(os_child_read_line(c, 5000, &line), MT_OK);
    unsigned long long said = strtoull(line.ptr, NULL, 10);
    os_child_free(c);
    return said;
}

/* More than there are addresses, so this process does not feel it. */
static void memory_is_bounded_and_never_above_the_hosts(void **state)
{
    struct rlimit before, host;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    rlim_t addresses = (rlim_t)1 << 48, hard = before.rlim_max;
    host = (struct rlimit){hard < addresses ? hard : addresses, hard};
    assert_int_equal(setrlimit(RLIMIT_AS, &host), 0);
    assert_int_equal(kilobytes((size_t)1 << 30), 1 << 20);
    assert_int_equal(kilobytes(host.rlim_cur), host.rlim_cur >> 10);
    assert_int_equal(kilobytes(host.rlim_cur << 2), host.rlim_cur >> 10);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_lines_then_the_end),
        cmocka_unit_test(answers_what_it_is_asked),
        cmocka_unit_test(begins_in_the_directory_it_is_given),
        cmocka_unit_test(gives_up_on_a_silent_child),
        cmocka_unit_test(kills_grandchildren_too),
        cmocka_unit_test(bounds_a_line_without_end),
        cmocka_unit_test(a_line_may_have_just_as_many_bytes_as_are_allowed),
        cmocka_unit_test(a_line_that_has_not_ended_counts_as_well),
        cmocka_unit_test(waits_as_long_as_it_is_told),
        cmocka_unit_test(has_an_empty_input_where_none_is_wanted),
        cmocka_unit_test(signals_reach_it_as_usual),
        cmocka_unit_test(takes_what_it_says_while_it_is_written_to),
        cmocka_unit_test(a_complaint_is_its_last_4096_bytes),
        cmocka_unit_test(what_is_detached_is_on_its_own),
        cmocka_unit_test(keeps_the_last_complaint),
        cmocka_unit_test(names_a_missing_program),
        cmocka_unit_test(leaves_no_descriptor_open),
        cmocka_unit_test(sees_that_nobody_reads),
        cmocka_unit_test(memory_is_bounded_and_never_above_the_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

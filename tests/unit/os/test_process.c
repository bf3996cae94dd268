/* A child that behaves, hangs, floods, dies, speaks without end. */
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
    assert_null(c);
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
        cmocka_unit_test(keeps_the_last_complaint),
        cmocka_unit_test(names_a_missing_program),
        cmocka_unit_test(leaves_no_descriptor_open),
        cmocka_unit_test(sees_that_nobody_reads),
        cmocka_unit_test(memory_is_bounded_and_never_above_the_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

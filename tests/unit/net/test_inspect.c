/* A running agent that is looked at, with the sockets moved by hand. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../rows.h"
#include "net/inspect.h"

enum { ANSWER = 4 << 20 }; /* more than a socket holds */

static void much(void *state, mt_buf *out)
{
    (void)state;
    for (size_t i = 0; i < ANSWER; i++) {
        mt_buf_addc(out, 'x');
    }
}

static void little(void *state, mt_buf *out)
{
    (void)state;
    mt_buf_addz(out, "x");
}

static int visitor_at(const struct sockaddr_un *at)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)at, sizeof *at), 0);
    return fd;
}

/* As if poll() had found a visitor at the door and `room` for the answer, and nothing
 * had failed before. */
static void turn_with(nt_inspect *x, short room)
{
    struct pollfd fds[2];
    nt_inspect_poll(x, fds);
    fds[0].revents = POLLIN;
    fds[1].revents = room;
    errno = 0;
    nt_inspect_react(x, fds);
}

static void turn(nt_inspect *x)
{
    turn_with(x, POLLOUT);
}

/* What is there; `over`: the other side has ended. */
static size_t taken(int fd, bool *over)
{
    static char bytes[65536];
    size_t sum = 0;
    ssize_t n;
    while ((n = read(fd, bytes, sizeof bytes)) > 0) {
        sum += (size_t)n;
    }
    *over = n == 0;
    return sum;
}

static void who_takes_a_large_answer_in_parts_gets_all_of_it(void **state)
{
    (void)state;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "/tmp/motet-inspect-%d", (int)getpid());
    mt_buf why = {0};
    nt_inspect *x;
    assert_int_equal(nt_inspect_open(at.sun_path, much, NULL, &x, &why), MT_OK);
    int fd = visitor_at(&at);
    bool over = false;
    size_t sum = 0;
    turn(x);
    for (int i = 0; i < ANSWER && !over; i++) {
        turn(x);
        turn(x); /* there is no room now: that is no reason to part */
        sum += taken(fd, &over);
    }
    assert_true(over);
    assert_int_equal(sum, ANSWER);
    close(fd);
    nt_inspect_close(x);
    mt_buf_free(&why);
}

static void nothing_is_sent_before_there_is_room(void **state)
{
    (void)state;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "/tmp/motet-inspect-%d", (int)getpid());
    mt_buf why = {0};
    nt_inspect *x;
    assert_int_equal(nt_inspect_open(at.sun_path, little, NULL, &x, &why), MT_OK);
    int fd = visitor_at(&at);
    bool over;
    turn_with(x, 0); /* he is let in */
    turn_with(x, 0);
    assert_int_equal(taken(fd, &over), 0);
    assert_false(over);
    turn(x);
    assert_int_equal(taken(fd, &over), 1);
    assert_true(over);
    close(fd);
    nt_inspect_close(x);
    mt_buf_free(&why);
}

static void opens(const char *path, mt_err want, const char *why)
{
    mt_buf said = {0};
    nt_inspect *x;
    assert_int_equal(nt_inspect_open(path, little, NULL, &x, &said), want);
    assert_text(mt_buf_str(&said), mt_str_z(why));
    assert_int_equal(x != NULL, !want);
    nt_inspect_close(x);
    mt_buf_free(&said);
}

/* A file that is there is never removed, nor a socket that somebody listens at. */
static void only_a_socket_that_was_left_makes_room(void **state)
{
    (void)state;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char path[sizeof at.sun_path + 1], why[200];
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    opens(path, MT_E_USAGE, "the path of a socket has 1 to 107 bytes");
    opens("", MT_E_USAGE, "the path of a socket has 1 to 107 bytes");
    snprintf(at.sun_path, sizeof at.sun_path, "/tmp/motet-inspect-%d", (int)getpid());
    snprintf(why, sizeof why, "cannot listen at %s: Address already in use",
             at.sun_path);
    struct stat info;
    mode_t mask = umask(022);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 1), 0);
    opens(at.sun_path, MT_E_IO, why); /* somebody listens */
    close(fd);
    mt_buf said = {0};
    nt_inspect *x;
    assert_int_equal(nt_inspect_open(at.sun_path, little, NULL, &x, &said), MT_OK);
    assert_int_equal(stat(at.sun_path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(umask(mask), 022);
    nt_inspect_close(x);
    assert_int_equal(access(at.sun_path, F_OK), -1);
    fclose(fopen(at.sun_path, "w"));
    opens(at.sun_path, MT_E_IO, why); /* a file */
    assert_int_equal(unlink(at.sun_path), 0);
    snprintf(why, sizeof why, "cannot ask the agent at %s: No such file or directory",
             at.sun_path);
    mt_buf answer = {0};
    assert_int_equal(nt_inspect_ask(at.sun_path, &answer, &said), MT_E_IO);
    assert_text(mt_buf_str(&said), mt_str_z(why));
    mt_buf_free(&answer);
    mt_buf_free(&said);
}

/* One after the other, and nobody is let in while there is one. */
static void a_visitor_waits_for_the_one_before(void **state)
{
    (void)state;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "/tmp/motet-inspect-%d", (int)getpid());
    mt_buf why = {0};
    nt_inspect *x;
    struct pollfd fds[2];
    nt_inspect_poll(NULL, fds);
    assert_int_equal(fds[0].fd, -1);
    assert_int_equal(fds[1].fd, -1);
    nt_inspect_react(NULL, fds);
    assert_int_equal(nt_inspect_open(at.sun_path, little, NULL, &x, &why), MT_OK);
    int first = visitor_at(&at), second = visitor_at(&at);
    bool over;
    nt_inspect_poll(x, fds);
    assert_true(fds[0].fd >= 0);
    assert_int_equal(fds[1].fd, -1);
    turn_with(x, 0);
    nt_inspect_poll(x, fds);
    assert_int_equal(fds[0].fd, -1);
    assert_true(fds[1].fd >= 0);
    turn(x);
    assert_int_equal(taken(first, &over), 1);
    assert_true(over);
    for (int i = 0; i < 3; i++) {
        turn(x);
    }
    assert_int_equal(taken(second, &over), 1); /* an answer of his own */
    assert_true(over);
    close(first);
    close(second);
    nt_inspect_close(x);
    mt_buf_free(&why);
}

int main(void)
{
    static rows_list list;
    rows_test(&list, who_takes_a_large_answer_in_parts_gets_all_of_it);
    rows_test(&list, nothing_is_sent_before_there_is_room);
    rows_test(&list, only_a_socket_that_was_left_makes_room);
    rows_test(&list, a_visitor_waits_for_the_one_before);
    return rows_run(&list, "net/inspect");
}

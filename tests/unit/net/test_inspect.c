/* A running agent that is looked at, with the sockets moved by hand. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
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

int main(void)
{
    static rows_list list;
    rows_test(&list, who_takes_a_large_answer_in_parts_gets_all_of_it);
    rows_test(&list, nothing_is_sent_before_there_is_room);
    return rows_run(&list, "net/inspect");
}

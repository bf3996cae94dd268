/* net/inspect.c - see inspect.h.
 *
 * One visitor at a time: the answer is written when he comes and sent as he takes it;
 * others wait in the socket's queue. A visitor who has not taken all within PATIENCE_MS
 * is given up when the next comes or the loop turns.
 *
 * The socket's file is made with mode 0600. What may fail: opening (with a sentence).
 * Afterwards nothing of it can harm the agent. */
#include "net/inspect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "os/clock.h"

/* PATIENCE_MS: a visitor is a program on this machine. ANSWER_MOST: beyond it
 * whoever answers is not an agent. WAIT_S: a handler may keep the agent busy for a
 * while. */
enum { PATIENCE_MS = 2000, ANSWER_MOST = 256 << 20, WAIT_S = 5 };

struct nt_inspect {
    int listening, visitor; /* visitor -1: none */
    int64_t since_ms;       /* the visitor came */
    mt_buf answer;
    size_t sent;
    nt_inspect_write *write;
    void *state;
    struct sockaddr_un at;
};

static mt_err local_address(const char *path, struct sockaddr_un *out, mt_buf *why)
{
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    size_t len = strlen(path);
    if (!len || len >= sizeof out->sun_path) {
        mt_buf_addf(why, "the path of a socket has 1 to %zu bytes",
                    sizeof out->sun_path - 1);
        return MT_E_USAGE;
    }
    memcpy(out->sun_path, path, len);
    return MT_OK;
}

static mt_err world(mt_buf *why, const char *what, const char *path)
{
    mt_buf_addf(why, "cannot %s %s: %s", what, path, strerror(errno));
    return MT_E_IO;
}

/* True: there is a socket, and nobody listens at it. */
static bool is_left_over(const struct sockaddr_un *at)
{
    struct stat info;
    if (lstat(at->sun_path, &info) != 0 || !S_ISSOCK(info.st_mode)) {
        return false;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool alone = fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof *at) != 0 &&
                 errno == ECONNREFUSED;
    if (fd >= 0) {
        close(fd);
    }
    return alone;
}

static int listen_at(const struct sockaddr_un *at)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    mode_t mask = umask(0177); /* the file must never be anybody else's to open */
    bool good = fd >= 0 && bind(fd, (const struct sockaddr *)at, sizeof *at) == 0 &&
                listen(fd, 4) == 0;
    int fault = errno;
    umask(mask);
    if (!good && fd >= 0) {
        close(fd);
    }
    errno = fault;
    return good ? fd : -1;
}

mt_err nt_inspect_open(const char *path, nt_inspect_write *write, void *state,
                       nt_inspect **out, mt_buf *why)
{
    struct sockaddr_un at;
    *out = NULL;
    mt_err err = local_address(path, &at, why);
    if (err) {
        return err;
    }
    /* Only a socket nobody listens at is removed, never a file that happens to be
     * there. */
    if (is_left_over(&at)) {
        unlink(path);
    }
    int fd = listen_at(&at);
    if (fd < 0) {
        return world(why, "listen at", path);
    }
    *out = mt_xmalloc(sizeof **out);
    **out = (nt_inspect){
        .listening = fd, .visitor = -1, .write = write, .state = state, .at = at};
    return MT_OK;
}

void nt_inspect_poll(const nt_inspect *x, struct pollfd fds[2])
{
    fds[0] = (struct pollfd){.fd = x && x->visitor < 0 ? x->listening : -1,
                             .events = POLLIN};
    fds[1] = (struct pollfd){.fd = x ? x->visitor : -1, .events = POLLOUT};
}

static void part(nt_inspect *x)
{
    close(x->visitor);
    x->visitor = -1;
    mt_buf_clear(&x->answer);
}

static void greet(nt_inspect *x)
{
    x->visitor = accept4(x->listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (x->visitor >= 0) {
        x->sent = 0;
        x->since_ms = os_now_ms();
        x->write(x->state, &x->answer);
    }
}

static void send_on(nt_inspect *x)
{
    mt_str rest = mt_str_skip(mt_buf_str(&x->answer), x->sent);
    ssize_t n = send(x->visitor, rest.ptr, rest.len, MSG_NOSIGNAL);
    if (n > 0) {
        x->sent += (size_t)n;
    }
    if (x->sent == x->answer.len || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        part(x);
    }
}

void nt_inspect_react(nt_inspect *x, const struct pollfd fds[2])
{
    if (!x) {
        return;
    }
    if (x->visitor >= 0 && fds[1].revents) {
        send_on(x);
    } else if (x->visitor >= 0 && os_now_ms() - x->since_ms > PATIENCE_MS) {
        part(x);
    }
    if (x->visitor < 0 && (fds[0].revents & POLLIN)) {
        greet(x);
    }
}

void nt_inspect_close(nt_inspect *x)
{
    if (x) {
        if (x->visitor >= 0) {
            part(x);
        }
        close(x->listening);
        unlink(x->at.sun_path);
        mt_buf_free(&x->answer);
        free(x);
    }
}

mt_err nt_inspect_ask(const char *path, mt_buf *answer, mt_buf *why)
{
    struct sockaddr_un at;
    struct timeval wait = {.tv_sec = WAIT_S};
    char bytes[65536];
    mt_err err = local_address(path, &at, why);
    int fd = err ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (err) {
        return err;
    }
    ssize_t n = -1;
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) == 0 &&
        connect(fd, (const struct sockaddr *)&at, sizeof at) == 0) {
        while ((n = read(fd, bytes, sizeof bytes)) > 0 && answer->len < ANSWER_MOST) {
            mt_buf_add(answer, bytes, (size_t)n);
        }
    }
    err = n == 0 ? MT_OK : world(why, "ask the agent at", path);
    if (fd >= 0) {
        close(fd);
    }
    return err;
}

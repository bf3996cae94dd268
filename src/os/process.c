/* os/process.c - child processes: started, spoken to by lines, ended for sure.
 *
 * A child gets three pipes and a process group of its own. Between fork and exec only
 * async-signal-safe calls are made; what fails there comes back as errno through a
 * fourth pipe that exec closes, so os_child_start() knows whether the program runs.
 * The child dies with us (PR_SET_PDEATHSIG), and everything it started dies with its
 * group.
 *
 * Reading and writing wait by poll() with one deadline for the whole call. Standard
 * error is drained whenever we wait, so a child that complains a lot cannot block; the
 * last few kilobytes are kept as its complaint. A line longer than max_line is
 * MT_E_LIMIT, not memory.
 *
 * Ending: os_child_stop() gives it a while to end by itself, then kills the group. A
 * pid is used only until the child is reaped; it is 0 afterwards, so nobody else is
 * ever signalled.
 *
 * What may fail: MT_E_NOTFOUND (no such program), MT_E_IO, MT_E_CLOSED (it is gone),
 * MT_E_TIMEOUT, MT_E_LIMIT. A child belongs to one thread at a time. */
#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/clock.h"

enum { COMPLAINT_BYTES = 4096, READ_BYTES = 64 * 1024, DEFAULT_MAX_LINE = 1 << 20 };

struct os_child {
    pid_t pid; /* 0: reaped */
    int in, out, err;
    int exit_status;
    size_t max_line;
    mt_buf text;     /* bytes of stdout not yet handed out */
    size_t consumed; /* of them, the part that was */
    size_t scanned;  /* searched for a newline already */
    char complaint[COMPLAINT_BYTES];
    size_t complaint_len;
};

/* Milliseconds left until `deadline`; -1 stays "for ever". */
static int left_ms(int timeout_ms, int64_t deadline)
{
    if (timeout_ms < 0) {
        return -1;
    }
    int64_t now = os_now_ms();
    return now >= deadline ? 0 : (int)(deadline - now);
}

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

/* ---- start ---- */

typedef struct pipes {
    int in[2], out[2], err[2], fault[2];
} pipes;

static void close_pipes(pipes *p)
{
    int *all[] = {p->in, p->out, p->err, p->fault};
    for (size_t i = 0; i < 4; i++) {
        close_fd(&all[i][0]);
        close_fd(&all[i][1]);
    }
}

static bool open_pipes(pipes *p, bool wants_stdin)
{
    *p = (pipes){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    bool ok = pipe2(p->out, O_CLOEXEC) == 0 && pipe2(p->err, O_CLOEXEC) == 0 &&
              pipe2(p->fault, O_CLOEXEC) == 0;
    if (ok && wants_stdin) {
        ok = pipe2(p->in, O_CLOEXEC) == 0;
    } else if (ok) {
        p->in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
        ok = p->in[0] >= 0;
    }
    return ok;
}

/* What is bounded more tightly stays so: nobody may raise it again. */
static bool bound_memory(size_t bytes)
{
    struct rlimit now;
    if (getrlimit(RLIMIT_AS, &now) != 0) {
        return false;
    }
    struct rlimit most = {bytes, bytes};
    return now.rlim_cur <= bytes || setrlimit(RLIMIT_AS, &most) == 0;
}

/* In the child, between fork and exec: only async-signal-safe calls. */
_Noreturn static void become(const os_child_options *o, const pipes *p, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    bool ok = getppid() == parent && (!o->memory || bound_memory(o->memory)) &&
              dup2(p->in[0], 0) == 0 && dup2(p->out[1], 1) == 1 &&
              dup2(p->err[1], 2) == 2 && (!o->directory || chdir(o->directory) == 0);
    if (ok) {
        /* exec takes char *const[] for historical reasons and does not write. */
        char *const *argv = (char *const *)(uintptr_t)o->argv;
        char *const *own = (char *const *)(uintptr_t)o->environment;
        execvpe(argv[0], argv, own ? own : environ);
    }
    int why = errno;
    ssize_t ignored = write(p->fault[1], &why, sizeof why);
    (void)ignored;
    _exit(127);
}

/* 0 when exec succeeded, else the child's errno: the fault pipe closes on exec. */
static int exec_fault(int fd)
{
    int why = 0;
    ssize_t got;
    do {
        got = read(fd, &why, sizeof why);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof why ? why : 0;
}

static int take_fd(int *fd)
{
    int taken = *fd;
    *fd = -1;
    return taken;
}

mt_err os_child_start(const os_child_options *options, os_child **out)
{
    *out = NULL;
    pipes p;
    if (!open_pipes(&p, options->wants_stdin)) {
        int why = errno;
        close_pipes(&p);
        errno = why;
        return MT_E_IO;
    }
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        become(options, &p, parent);
    }
    close_fd(&p.fault[1]);
    int why = pid < 0 ? errno : exec_fault(p.fault[0]);
    if (why) {
        if (pid > 0) {
            waitpid(pid, NULL, 0);
        }
        close_pipes(&p);
        errno = why;
        return why == ENOENT ? MT_E_NOTFOUND : MT_E_IO;
    }
    os_child *c = mt_xmalloc(sizeof *c);
    *c = (os_child){
        .pid = pid,
        .in = take_fd(&p.in[1]),
        .out = take_fd(&p.out[0]),
        .err = take_fd(&p.err[0]),
        .max_line = options->max_line ? options->max_line : DEFAULT_MAX_LINE,
    };
    close_pipes(&p);
    fcntl(c->out, F_SETFL, O_NONBLOCK);
    fcntl(c->err, F_SETFL, O_NONBLOCK);
    if (c->in >= 0) {
        fcntl(c->in, F_SETFL, O_NONBLOCK);
    }
    *out = c;
    return MT_OK;
}

/* The second fork leaves nobody to wait for it; it ends at once, and the program is a
 * child of the system's first process. */
static pid_t become_detached(const char *const *argv, int fault)
{
    pid_t between = fork();
    if (between != 0) {
        return between;
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    setsid();
    pid_t pid = fork();
    if (pid == 0) {
        int nothing = open("/dev/null", O_RDWR);
        char *const *words = (char *const *)(uintptr_t)argv; /* exec does not write */
        if (nothing >= 0 && dup2(nothing, 0) == 0 && dup2(nothing, 1) == 1 &&
            dup2(nothing, 2) == 2) {
            execvp(words[0], words);
        }
    }
    if (pid <= 0) {
        int why = errno;
        ssize_t ignored = write(fault, &why, sizeof why);
        (void)ignored;
    }
    _exit(pid <= 0);
}

mt_err os_detach(const char *const *argv)
{
    int fault[2];
    if (pipe2(fault, O_CLOEXEC) != 0) {
        return MT_E_IO;
    }
    pid_t between = become_detached(argv, fault[1]);
    close(fault[1]);
    int why = between < 0 ? errno : exec_fault(fault[0]);
    close(fault[0]);
    if (between > 0) {
        waitpid(between, NULL, 0);
    }
    errno = why;
    return !why ? MT_OK : why == ENOENT ? MT_E_NOTFOUND : MT_E_IO;
}

/* ---- reading ---- */

/* The end of it: the last words are mostly the reason. */
static void keep_complaint(os_child *c, const char *bytes, size_t len)
{
    if (len >= COMPLAINT_BYTES) {
        bytes += len - COMPLAINT_BYTES;
        len = COMPLAINT_BYTES;
    }
    size_t keep = COMPLAINT_BYTES - len;
    keep = c->complaint_len < keep ? c->complaint_len : keep;
    memmove(c->complaint, c->complaint + c->complaint_len - keep, keep);
    memcpy(c->complaint + keep, bytes, len);
    c->complaint_len = keep + len;
}

/* Never waits: the descriptor does not block. */
static void drain_stderr(os_child *c)
{
    char bytes[4096];
    while (c->err >= 0) {
        ssize_t got = read(c->err, bytes, sizeof bytes);
        if (got > 0) {
            keep_complaint(c, bytes, (size_t)got);
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            close_fd(&c->err);
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

/* Drops what was handed out, so that the buffer stays as small as one line. */
static void compact(os_child *c)
{
    if (c->consumed) {
        memmove(c->text.ptr, c->text.ptr + c->consumed, c->text.len - c->consumed);
        c->text.len -= c->consumed;
        c->scanned = 0;
        c->consumed = 0;
    }
}

static bool take_line(os_child *c, mt_str *line)
{
    size_t from = c->consumed + c->scanned;
    char *end = from < c->text.len
                    ? memchr(c->text.ptr + from, '\n', c->text.len - from)
                    : NULL;
    if (!end) {
        c->scanned = c->text.len - c->consumed;
        return false;
    }
    char *start = c->text.ptr + c->consumed;
    *line = mt_str_from(start, (size_t)(end - start));
    c->consumed += line->len + 1;
    c->scanned = 0;
    return true;
}

/* Reads once what stdout has. MT_E_CLOSED at its end. */
static mt_err read_some(os_child *c)
{
    compact(c);
    mt_buf_room(&c->text, READ_BYTES);
    ssize_t got = read(c->out, c->text.ptr + c->text.len, READ_BYTES);
    if (got > 0) {
        c->text.len += (size_t)got;
        return MT_OK;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return MT_OK;
    }
    close_fd(&c->out);
    return MT_E_CLOSED;
}

mt_err os_child_read_line(os_child *c, int timeout_ms, mt_str *line)
{
    int64_t deadline = os_now_ms() + (timeout_ms > 0 ? timeout_ms : 0);
    for (;;) {
        if (take_line(c, line)) {
            return line->len > c->max_line ? MT_E_LIMIT : MT_OK;
        }
        if (c->text.len - c->consumed > c->max_line) {
            return MT_E_LIMIT;
        }
        if (c->out < 0) {
            drain_stderr(c);
            return MT_E_CLOSED;
        }
        struct pollfd fds[] = {{c->out, POLLIN, 0}, {c->err, POLLIN, 0}};
        int ready = poll(fds, 2, left_ms(timeout_ms, deadline));
        if (ready == 0) {
            return MT_E_TIMEOUT;
        }
        if (fds[1].revents) {
            drain_stderr(c);
        }
        if (ready > 0 && fds[0].revents) {
            (void)read_some(c); /* the end shows as out < 0 in the next round */
        }
    }
}

mt_str os_child_rest(const os_child *c)
{
    return mt_str_skip(mt_buf_str(&c->text), c->consumed);
}

/* ---- writing ---- */

mt_err os_child_write_some(os_child *c, mt_str bytes, size_t *put)
{
    *put = 0;
    if (c->in < 0) {
        return MT_E_CLOSED;
    }
    ssize_t n = write(c->in, bytes.ptr, bytes.len);
    if (n < 0 && errno == EPIPE) {
        close_fd(&c->in);
        return MT_E_CLOSED;
    }
    if (n < 0 && errno != EAGAIN && errno != EINTR) {
        return MT_E_IO;
    }
    *put = n > 0 ? (size_t)n : 0;
    return MT_OK;
}

mt_err os_child_write(os_child *c, mt_str bytes, int timeout_ms)
{
    int64_t deadline = os_now_ms() + (timeout_ms > 0 ? timeout_ms : 0);
    while (bytes.len) {
        size_t put;
        mt_err err = os_child_write_some(c, bytes, &put);
        if (err) {
            return err;
        }
        bytes = mt_str_skip(bytes, put);
        if (put) {
            continue;
        }
        struct pollfd fds[] = {{c->in, POLLOUT, 0}, {c->err, POLLIN, 0}};
        if (poll(fds, 2, left_ms(timeout_ms, deadline)) == 0) {
            return MT_E_TIMEOUT;
        }
        if (fds[1].revents) {
            drain_stderr(c);
        }
    }
    return MT_OK;
}

void os_child_close_stdin(os_child *c)
{
    close_fd(&c->in);
}

/* ---- the end ---- */

static void note_exit(os_child *c, int status)
{
    c->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    c->pid = 0;
}

void os_child_kill(os_child *c)
{
    if (!c->pid) {
        return;
    }
    pid_t group = c->pid;
    int status = 0;
    kill(-group, SIGKILL);
    kill(group, SIGKILL); /* in case it has not reached setpgid() yet */
    while (waitpid(group, &status, 0) < 0 && errno == EINTR) {
    }
    note_exit(c, status);
}

bool os_child_stop(os_child *c, int grace_ms, int *exit_status)
{
    int64_t deadline = os_now_ms() + (grace_ms > 0 ? grace_ms : 0);
    pid_t group = c->pid;
    bool by_itself = group == 0;
    while (!by_itself) {
        int status;
        drain_stderr(c);
        if (waitpid(c->pid, &status, WNOHANG) == c->pid) {
            note_exit(c, status);
            by_itself = true;
            kill(-group, SIGKILL); /* grandchildren it left behind */
        } else if (os_now_ms() >= deadline) {
            os_child_kill(c);
            break;
        } else {
            poll(NULL, 0, 2);
        }
    }
    if (exit_status) {
        *exit_status = c->exit_status;
    }
    return by_itself;
}

int os_child_fd(const os_child *c)
{
    return c->out;
}

int os_child_stdin_fd(const os_child *c)
{
    return c->in;
}

int os_child_stderr_fd(const os_child *c)
{
    return c->err;
}

mt_str os_child_complaint(const os_child *c)
{
    return mt_str_from(c->complaint, c->complaint_len);
}

void os_child_free(os_child *c)
{
    if (c) {
        os_child_kill(c);
        close_fd(&c->in);
        close_fd(&c->out);
        close_fd(&c->err);
        mt_buf_free(&c->text);
        free(c);
    }
}

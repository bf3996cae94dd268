/* bench/bench_relay.c - messages a second and latency through the relay, one sender to
 * 1, 10 and 100 readers on loopback.
 * The baseline is the least a relay of this protocol can do: epoll, read a block, wrap
 * each line, send the lot to every other socket; no queues, limits, checks or turns. A
 * second one only moves blocks of bytes, without lines; it has no target. All run as
 * child processes, in turns, and the best of the rounds counts. Every message must
 * arrive. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "relay_process.h"

enum { MOST = 101, BLOCK = 65536, ROUNDS = 4, PINGS = 2000, LINE_MAX_BYTES = 512 };

static const char LINE[] =
    "{\"_version\": \"1.3.0\", \"_payload\": {\"to\": null, \"intent\": \"register\", "
    "\"from\": \"3e1c26d3-23ef-423e-a848-f808f54d35bf\"}, \"_type\": {\"to\": "
    "\"null\", "
    "\"intent\": \"str\", \"from\": \"str\"}}\n";

/* ---- the bare relay ---- */

/* Wraps the lines of `block`, which starts with what was left of the last one. Returns
 * the bytes written; *left bytes of an unfinished line move to the front. */
static size_t wrap_lines(char *block, size_t len, size_t *left, char *out)
{
    static const char HEAD[] = "{\"content\":\"",
                      TAIL[] = "\",\"remote_addr\":\"127.0.0.1:12345\"}\n";
    char *to = out, *line = block, *end;
    while ((end = memchr(line, '\n', len - (size_t)(line - block)))) {
        to = (char *)memcpy(to, HEAD, sizeof HEAD - 1) + sizeof HEAD - 1;
        for (; line < end; line++) {
            if (*line == '"' || *line == '\\') {
                *to++ = '\\';
            }
            *to++ = *line;
        }
        to = (char *)memcpy(to, TAIL, sizeof TAIL - 1) + sizeof TAIL - 1;
        line = end + 1;
    }
    *left = len - (size_t)(line - block);
    memmove(block, line, *left);
    return (size_t)(to - out);
}

/* One sender at a time, so one remainder is enough. */
static void bare_event(int epoll, int listener, int *fds, int *count, int fd,
                       bool lines)
{
    static char block[2 * BLOCK], wrapped[4 * BLOCK];
    static size_t left;
    if (fd == listener) {
        int got = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = got};
        epoll_ctl(epoll, EPOLL_CTL_ADD, got, &event);
        fds[(*count)++] = got;
        return;
    }
    ssize_t n = recv(fd, block + left, BLOCK, 0);
    if (n <= 0) {
        exit(0);
    }
    const char *out = lines ? wrapped : block;
    size_t size =
        lines ? wrap_lines(block, left + (size_t)n, &left, wrapped) : (size_t)n;
    for (int i = 0; i < *count; i++) {
        if (fds[i] != fd) {
            (void)bench_send_all(fds[i], out, size);
        }
    }
}

static void run_bare(int listener, bool lines)
{
    int fds[MOST], count = 0, epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        struct epoll_event events[64];
        int n = epoll_wait(epoll, events, 64, -1);
        for (int i = 0; i < n; i++) {
            bare_event(epoll, listener, fds, &count, events[i].data.fd, lines);
        }
    }
}

/* ---- starting one of them ---- */

typedef enum which { OURS, BARE, BLOCKS } which;

static pid_t start_bare(os_address *at, bool lines)
{
    os_address_find("127.0.0.1:0", at);
    int listener = os_listen(at, 256);
    if (listener < 0 || os_address_of(listener, at)) {
        bench_die("listen");
    }
    pid_t pid = fork();
    if (pid == 0) {
        run_bare(listener, lines);
    }
    close(listener);
    return pid;
}

/* ---- one room: a sender and its readers ---- */

typedef struct room {
    pid_t relay;
    int sender, readers[MOST], count, epoll;
} room;

static int connect_to(const os_address *at)
{
    int fd = os_connect(at);
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    if (fd < 0 || poll(&wait, 1, 2000) != 1) {
        bench_die("connect");
    }
    return fd;
}

/* Everybody is in when a probe has reached everybody. */
static uint64_t take(room *r, uint64_t most)
{
    static char block[4 * BLOCK];
    struct epoll_event events[MOST];
    uint64_t lines = 0;
    while (lines < most) {
        int n = epoll_wait(r->epoll, events, MOST, 3000);
        if (n <= 0) {
            break;
        }
        for (int i = 0; i < n; i++) {
            ssize_t got = recv(events[i].data.fd, block, sizeof block, 0);
            for (char *p = block;
                 got > 0 && (p = memchr(p, '\n', (size_t)(block + got - p))); p++) {
                lines++;
            }
        }
    }
    return lines;
}

static void enter(room *r, which relay, int readers)
{
    os_address at;
    *r = (room){.count = readers, .epoll = epoll_create1(0)};
    r->relay = relay == OURS ? bench_relay_start(&NT_RELAY_DEFAULT, &at)
                             : start_bare(&at, relay == BARE);
    for (int i = 0; i < readers; i++) {
        r->readers[i] = connect_to(&at);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = r->readers[i]};
        epoll_ctl(r->epoll, EPOLL_CTL_ADD, r->readers[i], &event);
    }
    usleep(50000);
    r->sender = connect_to(&at);
    usleep(50000);
    (void)bench_send_all(r->sender, "probe\n", 6);
    if (take(r, (uint64_t)readers) != (uint64_t)readers) {
        bench_die("probe");
    }
}

static void leave(room *r)
{
    kill(r->relay, SIGKILL);
    waitpid(r->relay, NULL, 0);
    close(r->sender);
    close(r->epoll);
    for (int i = 0; i < r->count; i++) {
        close(r->readers[i]);
    }
}

static void flood(int fd, uint64_t count)
{
    static char block[BLOCK];
    size_t each = sizeof LINE - 1, fit = BLOCK / each;
    for (size_t i = 0; i < fit; i++) {
        memcpy(block + i * each, LINE, each);
    }
    for (uint64_t sent = 0; sent < count;) {
        uint64_t now = count - sent < fit ? count - sent : fit;
        (void)bench_send_all(fd, block, now * each);
        sent += now;
    }
}

/* Messages a second, all readers having everything. */
static double throughput(which relay, int readers, uint64_t count)
{
    room r;
    enter(&r, relay, readers);
    uint64_t start = bench_now();
    pid_t sender = fork();
    if (sender == 0) {
        flood(r.sender, count);
        _exit(0);
    }
    uint64_t want = count * (uint64_t)readers, got = take(&r, want);
    double seconds = (double)(bench_now() - start) / 1e9;
    waitpid(sender, NULL, 0);
    leave(&r);
    if (got != want) {
        fprintf(stderr, "%llu of %llu lines arrived\n", (unsigned long long)got,
                (unsigned long long)want);
        exit(1);
    }
    return (double)count / seconds;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Microseconds from one message's sending until the last reader has it: 99 of 100. */
static double latency(which relay, int readers)
{
    static double times[PINGS];
    room r;
    enter(&r, relay, readers);
    for (int i = 0; i < PINGS; i++) {
        uint64_t start = bench_now();
        (void)bench_send_all(r.sender, LINE, sizeof LINE - 1);
        if (take(&r, (uint64_t)readers) < (uint64_t)readers) {
            bench_die("ping");
        }
        times[i] = (double)(bench_now() - start) / 1e3;
    }
    leave(&r);
    qsort(times, PINGS, sizeof *times, by_value);
    return times[PINGS * 99 / 100];
}

static void report(int readers, const char *suffix, double ours, const char *unit,
                   const char *against, double baseline, double target,
                   bench_better better)
{
    char name[64];
    snprintf(name, sizeof name, "agent.relay_1_%d%s", readers, suffix);
    bench_report(name, ours, unit, against, baseline, target, better);
}

static void compare(int readers, uint64_t count)
{
    double rate[3] = {0}, p99[2] = {INFINITY, INFINITY};
    for (int i = 0; i < ROUNDS * 3; i++) {
        rate[i % 3] = fmax(rate[i % 3], throughput((which)(i % 3), readers, count));
    }
    for (int i = 0; i < 4; i++) {
        p99[i % 2] = fmin(p99[i % 2], latency((which)(i % 2), readers));
    }
    report(readers, "", rate[OURS], "messages/s", "bare epoll relay", rate[BARE],
           0.7 * rate[BARE], BENCH_HIGHER);
    report(readers, "_p99", p99[OURS], "us", "bare epoll relay", p99[BARE], NAN,
           BENCH_LOWER);
    report(readers, "_blocks", rate[OURS], "messages/s", "moving blocks, no lines",
           rate[BLOCKS], NAN, BENCH_HIGHER);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    compare(1, 400000);
    compare(10, 100000);
    compare(100, 12000);
    return 0;
}

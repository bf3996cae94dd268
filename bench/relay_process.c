/* bench/relay_process.c - see relay_process.h. */
#include "relay_process.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void bench_die(const char *what)
{
    perror(what);
    exit(1);
}

/* In the child; the parent waits for the address. */
static _Noreturn void run(const nt_relay_config *settings, int tell)
{
    nt_relay_config config = *settings;
    nt_relay *relay;
    mt_buf why = {0};
    config.listen = "127.0.0.1:0";
    if (nt_relay_open(&config, &relay, &why)) {
        fprintf(stderr, "%.*s\n", (int)why.len, why.ptr);
        exit(1);
    }
    const char *where = nt_relay_address(relay);
    if (write(tell, where, strlen(where) + 1) < 0) {
        exit(1);
    }
    nt_relay_run(relay);
    exit(0);
}

pid_t bench_relay_start(const nt_relay_config *config, os_address *at)
{
    int pipes[2];
    char where[OS_ADDRESS_TEXT];
    if (pipe(pipes) != 0) {
        bench_die("pipe");
    }
    pid_t pid = fork();
    if (pid == 0) {
        run(config, pipes[1]);
    }
    close(pipes[1]); /* so that a relay that fails is noticed */
    if (read(pipes[0], where, sizeof where) <= 0 || os_address_find(where, at)) {
        bench_die("relay");
    }
    close(pipes[0]);
    return pid;
}

bool bench_send_all(int fd, const char *from, size_t len)
{
    while (len) {
        ssize_t n = send(fd, from, len, MSG_NOSIGNAL);
        if (n < 0 && errno == EAGAIN) {
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
        } else if (n < 0) {
            return false;
        }
        from += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

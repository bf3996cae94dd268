/* os/address.c - host and port as text, and the sockets behind them.
 * Room: os. Every socket is non-blocking and closed on exec: the loops never wait in
 * a call, and a program that is started inherits none. os_address_find() may ask a
 * name server, and then it blocks. Sockets answer -1 with the errno of the call that
 * failed, whatever closing did to it. */
#include "os/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool os_address_split(const char *text, char host[OS_HOST_TEXT], char port[8])
{
    const char *colon = strrchr(text, ':');
    /* Five digits at most, so that atoi() below cannot overflow. */
    if (!colon || strlen(colon + 1) > 5 || !colon[1]) {
        return false;
    }
    for (const char *p = colon + 1; *p; p++) {
        if (*p < '0' || *p > '9') {
            return false;
        }
    }
    mt_str name = mt_str_from(text, (size_t)(colon - text));
    bool bracketed = name.len >= 2 && name.ptr[0] == '[';
    if (bracketed) {
        if (name.ptr[name.len - 1] != ']') {
            return false;
        }
        name = mt_str_from(name.ptr + 1, name.len - 2);
    }
    /* An IPv6 address without brackets is refused: where its port begins is a guess. */
    if (!name.len || name.len >= OS_HOST_TEXT || atoi(colon + 1) > 65535 ||
        (!bracketed && mt_str_find(name, ':') < name.len)) {
        return false;
    }
    memcpy(host, name.ptr, name.len);
    host[name.len] = '\0';
    snprintf(port, 8, "%s", colon + 1);
    return true;
}

mt_err os_address_find(const char *text, os_address *out)
{
    char host[OS_HOST_TEXT], port[8];
    if (!os_address_split(text, host, port)) {
        return MT_E_USAGE;
    }
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, port, &hints, &found) != 0 || !found) {
        return MT_E_NOTFOUND;
    }
    /* The first address alone. A name with several is listened on, or connected to,
     * at the one the system prefers. */
    memcpy(&out->at, found->ai_addr, found->ai_addrlen);
    out->len = found->ai_addrlen;
    freeaddrinfo(found);
    return MT_OK;
}

size_t os_address_print_host(const os_address *a, char out[OS_ADDRESS_TEXT])
{
    const void *raw = &((const struct sockaddr_in *)&a->at)->sin_addr;
    if (a->at.ss_family == AF_INET6) {
        raw = &((const struct sockaddr_in6 *)&a->at)->sin6_addr;
    }
    if (!inet_ntop(a->at.ss_family, raw, out, OS_ADDRESS_TEXT)) {
        snprintf(out, OS_ADDRESS_TEXT, "unknown");
    }
    return strlen(out);
}

size_t os_address_print(const os_address *a, char out[OS_ADDRESS_TEXT])
{
    char host[OS_ADDRESS_TEXT];
    os_address_print_host(a, host);
    bool six = a->at.ss_family == AF_INET6;
    unsigned port = ntohs(six ? ((const struct sockaddr_in6 *)&a->at)->sin6_port
                              : ((const struct sockaddr_in *)&a->at)->sin_port);
    return (size_t)snprintf(out, OS_ADDRESS_TEXT, six ? "[%.60s]:%u" : "%.60s:%u", host,
                            port);
}

static int stream_socket(const os_address *a)
{
    int fd = socket(a->at.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int on = 1;
    if (fd >= 0) {
        /* Answers are written whole; waiting to fill a packet would only delay them. */
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    return fd;
}

static int close_failed(int fd)
{
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

int os_listen(const os_address *a, int backlog)
{
    int fd = stream_socket(a), on = 1;
    if (fd < 0) {
        return -1;
    }
    /* A server that is started again finds connections of the one before in
     * TIME_WAIT. */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (const struct sockaddr *)&a->at, a->len) != 0 ||
        listen(fd, backlog) != 0) {
        return close_failed(fd);
    }
    return fd;
}

int os_connect(const os_address *a)
{
    int fd = stream_socket(a);
    if (fd < 0) {
        return -1;
    }
    if (connect(fd, (const struct sockaddr *)&a->at, a->len) != 0 &&
        errno != EINPROGRESS) {
        return close_failed(fd);
    }
    return fd;
}

/* Best effort: what a system does not know, it refuses, and the rest still helps. */
void os_keep_alive(int fd, unsigned unread_ms)
{
    int on = 1, idle = 15, pause = 5, probes = 3;
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &pause, sizeof pause);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
    if (unread_ms) {
        setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unread_ms, sizeof unread_ms);
    }
}

mt_err os_address_of(int fd, os_address *out)
{
    out->len = sizeof out->at;
    return getsockname(fd, (struct sockaddr *)&out->at, &out->len) == 0 ? MT_OK
                                                                        : MT_E_IO;
}

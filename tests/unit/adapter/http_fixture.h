/* tests/unit/adapter/http_fixture.h - a small HTTP server on the loopback, with manners
 * good and bad. One thread listens, each connection has a thread of its own.
 * What it was asked is kept, so that a test can see what really went over the wire. */
#ifndef TEST_HTTP_FIXTURE_H
#define TEST_HTTP_FIXTURE_H

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"

enum { HTTP_CONNECTIONS = 256, HTTP_REQUEST = 16384 };

typedef struct http_server {
    int listener, port;
    atomic_bool stop;
    atomic_int connections, requests;
    atomic_int slow, most_slow; /* answers under way, and how many there were at once */
    atomic_int failing;         /* answer everything with this status; 0: do not */
    pthread_t thread, workers[HTTP_CONNECTIONS];
    int worker_count;
    pthread_mutex_t lock;
    char last[HTTP_REQUEST]; /* the last request, whole */
} http_server;

typedef struct http_peer {
    http_server *server;
    int fd;
} http_peer;

static void http_send(int fd, const char *text)
{
    size_t left = strlen(text);
    while (left) {
        ssize_t put = send(fd, text, left, MSG_NOSIGNAL);
        if (put <= 0) {
            return;
        }
        text += put;
        left -= (size_t)put;
    }
}

static void http_answer(int fd, const char *status, const char *header,
                        const char *body)
{
    char head[2048];
    snprintf(head, sizeof head, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n", status,
             header, strlen(body));
    http_send(fd, head);
    http_send(fd, body);
}

/* Sends `piece` again and again until the peer or the test has enough. */
static void http_flood(http_peer *p, const char *piece, unsigned pause_us)
{
    while (!atomic_load(&p->server->stop)) {
        if (send(p->fd, piece, strlen(piece), MSG_NOSIGNAL) <= 0) {
            return;
        }
        usleep(pause_us);
    }
}

static void http_wait(http_peer *p)
{
    char byte;
    while (!atomic_load(&p->server->stop)) {
        struct pollfd ready = {p->fd, POLLIN, 0};
        if (poll(&ready, 1, 20) > 0 && recv(p->fd, &byte, 1, 0) <= 0) {
            return;
        }
    }
}

/* Target and Authorization come back as they were sent. */
static void http_echo(int fd, const char *request, const char *target)
{
    char body[HTTP_REQUEST], auth[1024] = "", key[1024] = "";
    const char *line = strstr(request, "\r\nAuthorization: ");
    if (line) {
        sscanf(line + 2, "Authorization: %1000[^\r]", auth);
    }
    line = strstr(request, "\r\nX-Api-Key: ");
    if (line) {
        sscanf(line + 2, "X-Api-Key: %1000[^\r]", key);
    }
    snprintf(body, sizeof body, "{\"target\":\"%s\",\"auth\":\"%s\",\"key\":\"%s\"}",
             target, auth, key);
    http_answer(fd, "200 OK", "", body);
}

static const struct http_page {
    const char *target, *status, *header, *body;
} HTTP_PAGES[] = {
    {"/orders/7", "200 OK", "",
     "{\"balance\":120.50,\"state\":\"open\",\"open\":true,\"count\":3,"
     "\"none\":null,\"lines\":[{\"sku\":\"a\"},{\"sku\":\"b\"}],"
     "\"price\":{\"amount\":\"9.99\",\"currency\":\"USD\"},\"wait\":5,"
     "\"due\":\"2026-01-31T23:59:00+02:00\"}"},
    {"/status/500", "500 Oops", "", "{\"balance\":1}"},
    {"/status/404", "404 Gone", "", "{}"},
    {"/status/401", "401 Who", "", "{}"},
    {"/garbage", "200 OK", "", "<html>hello</html>"},
    {"/empty", "200 OK", "", ""},
    {"/twice", "200 OK", "", "{\"v\":1,\"v\":2}"},
    {"/scalar", "200 OK", "", "42"},
    {"/moved", "302 Found", "Location: /orders/7\r\n", ""},
    {"/loop", "302 Found", "Location: /loop\r\n", ""},
    {"/file", "302 Found", "Location: file:///etc/hostname\r\n", ""},
    {"/away", "302 Found", "Location: http://localhost:1/orders/7\r\n", ""},
    {"/graphql-error", "200 OK", "",
     "{\"data\":null,\"errors\":[{\"message\":\"no such field\"}]}"},
};

static bool http_misbehave(http_peer *p, const char *target)
{
    const char *ok = "HTTP/1.1 200 OK\r\n";
    if (!strcmp(target, "/silent")) {
        http_wait(p);
    } else if (!strcmp(target, "/drip")) {
        http_send(p->fd, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        http_flood(p, " ", 20000);
    } else if (!strcmp(target, "/huge")) {
        http_send(p->fd, "HTTP/1.1 200 OK\r\nContent-Length: 900000000\r\n\r\n");
        http_flood(p, "                                                  ", 0);
    } else if (!strcmp(target, "/endless")) {
        http_send(p->fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        char chunk[6 + 4096 + 3];
        memset(chunk, ' ', sizeof chunk);
        memcpy(chunk, "1000\r\n", 6);
        memcpy(chunk + 6 + 4096, "\r\n", 3);
        http_flood(p, chunk, 0);
    } else if (!strcmp(target, "/headers")) {
        http_send(p->fd, ok);
        http_flood(p, "X-More: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n", 0);
    } else if (!strcmp(target, "/truncated")) {
        http_send(p->fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"v\":1}");
    } else if (!strcmp(target, "/hangup")) {
        return false;
    } else {
        return true;
    }
    return false;
}

/* GraphQL: the variable `id` decides, if there is one. */
static void http_graphql(int fd, const char *body)
{
    char answer[512], id[64] = "none";
    const char *at = strstr(body, "\"variables\":{\"id\":\"");
    if (at) {
        sscanf(at, "\"variables\":{\"id\":\"%60[^\"]", id);
    }
    snprintf(answer, sizeof answer,
             "{\"data\":{\"order\":{\"id\":\"%s\",\"total\":7}}}", id);
    http_answer(fd, "200 OK", "", answer);
}

/* False: the connection ends. */
static bool http_serve(http_peer *p, const char *request)
{
    char target[HTTP_REQUEST] = "";
    http_server *s = p->server;
    sscanf(request, "%*s %16000s", target);
    atomic_fetch_add(&s->requests, 1);
    pthread_mutex_lock(&s->lock);
    snprintf(s->last, sizeof s->last, "%s", request);
    pthread_mutex_unlock(&s->lock);
    if (atomic_load(&s->failing)) {
        char status[32];
        snprintf(status, sizeof status, "%d No", atomic_load(&s->failing));
        http_answer(p->fd, status, "", "{}");
        return true;
    }
    if (!http_misbehave(p, target)) {
        return false;
    }
    if (!strncmp(target, "/slow", 5)) {
        int now = atomic_fetch_add(&s->slow, 1) + 1, most = atomic_load(&s->most_slow);
        while (now > most && !atomic_compare_exchange_weak(&s->most_slow, &most, now)) {
        }
        usleep(200000);
        atomic_fetch_sub(&s->slow, 1);
        http_answer(p->fd, "200 OK", "", "{\"v\":1}");
        return true;
    }
    if (!strcmp(target, "/graphql")) {
        http_graphql(p->fd, strstr(request, "\r\n\r\n"));
        return true;
    }
    for (size_t i = 0; i < sizeof HTTP_PAGES / sizeof *HTTP_PAGES; i++) {
        const struct http_page *page = &HTTP_PAGES[i];
        if (!strcmp(page->target, target)) {
            http_answer(p->fd, page->status, page->header, page->body);
            return true;
        }
    }
    http_echo(p->fd, request, target);
    return true;
}

/* Length of the first whole request, 0 while it is not. */
static size_t http_whole(const char *text, size_t len)
{
    const char *end = strstr(text, "\r\n\r\n");
    const char *length = end ? strcasestr(text, "\r\nContent-Length: ") : NULL;
    size_t body = 0;
    if (length && length < end) {
        body = strtoul(length + 18, NULL, 10);
    }
    size_t whole = end ? (size_t)(end - text) + 4 + body : 0;
    return whole <= len ? whole : 0;
}

static void *http_connection(void *state)
{
    http_peer *p = state;
    char text[HTTP_REQUEST];
    size_t len = 0;
    bool open = true;
    while (open && !atomic_load(&p->server->stop)) {
        struct pollfd ready = {p->fd, POLLIN, 0};
        if (poll(&ready, 1, 20) <= 0) {
            continue;
        }
        ssize_t got = recv(p->fd, text + len, sizeof text - 1 - len, 0);
        if (got <= 0) {
            break;
        }
        len += (size_t)got;
        text[len] = 0;
        size_t whole = http_whole(text, len);
        if (whole) {
            open = http_serve(p, text);
            len = 0;
        }
    }
    close(p->fd);
    free(p);
    return NULL;
}

static void *http_listen(void *state)
{
    http_server *s = state;
    while (!atomic_load(&s->stop)) {
        struct pollfd ready = {s->listener, POLLIN, 0};
        if (poll(&ready, 1, 20) <= 0 || s->worker_count == HTTP_CONNECTIONS) {
            continue;
        }
        http_peer *p = malloc(sizeof *p);
        *p = (http_peer){s, accept(s->listener, NULL, NULL)};
        setsockopt(p->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        atomic_fetch_add(&s->connections, 1);
        pthread_create(&s->workers[s->worker_count++], NULL, http_connection, p);
    }
    return NULL;
}

static void http_start(http_server *s)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    memset(s, 0, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(s->listener, (struct sockaddr *)&address, size) ||
        listen(s->listener, 128) ||
        getsockname(s->listener, (struct sockaddr *)&address, &size)) {
        MT_BUG("the test server cannot listen");
    }
    s->port = ntohs(address.sin_port);
    pthread_create(&s->thread, NULL, http_listen, s);
}

static void http_stop(http_server *s)
{
    atomic_store(&s->stop, true);
    pthread_join(s->thread, NULL);
    for (int i = 0; i < s->worker_count; i++) {
        pthread_join(s->workers[i], NULL);
    }
    close(s->listener);
    pthread_mutex_destroy(&s->lock);
}

#endif

/* net/relay_scrape.c - metrics for whoever watches: a small HTTP answer, or a file.
 * Room: net. Only GET /metrics and GET /healthz, one request per connection, a bounded
 * number of connections: the eldest makes room.
 *
 * Not a server: a scraper asks every few seconds and a person now and then.
 * Everything happens on the relay's one thread and nothing waits, so whoever
 * connects here can never delay a message. What cannot be answered at once is
 * closed. */
#include "net/relay_state.h"

#include <sys/epoll.h>
#include <unistd.h>

#include "os/file.h"

static void scrape_close(nt_scrape *s)
{
    if (s->open) {
        close(s->fd);
    }
    s->open = false;
}

void nt_scrape_close_all(nt_relay *r)
{
    for (size_t i = 0; i < NT_SCRAPES_MAX; i++) {
        scrape_close(&r->scrape[i]);
    }
}

/* A connection that sends nothing would hold its place for ever; so the eldest goes,
 * and a real scraper always gets in. */
static nt_scrape *free_place(nt_relay *r)
{
    nt_scrape *eldest = &r->scrape[0];
    for (size_t i = 0; i < NT_SCRAPES_MAX; i++) {
        if (!r->scrape[i].open) {
            return &r->scrape[i];
        }
        if (r->scrape[i].number < eldest->number) {
            eldest = &r->scrape[i];
        }
    }
    scrape_close(eldest);
    return eldest;
}

void nt_scrape_accept(nt_relay *r)
{
    int fd = accept4(r->scrapes.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
        return;
    }
    nt_scrape *s = free_place(r);
    *s = (nt_scrape){
        .source = NT_SCRAPE, .open = true, .fd = fd, .number = ++r->scrape_count};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = s};
    if (epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        scrape_close(s);
    }
}

static void answer(nt_scrape *s, const char *status, mt_str body)
{
    mt_buf out = {0};
    mt_buf_addf(&out,
                "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4\r\n"
                "Content-Length: %zu\r\nConnection: close\r\n\r\n",
                status, body.len);
    mt_buf_adds(&out, body);
    /* A few kilobytes fit the buffer of a fresh socket; a peer whose does not loses. */
    ssize_t n = send(s->fd, out.ptr, out.len, MSG_NOSIGNAL);
    (void)n;
    mt_buf_free(&out);
}

static void answer_request(nt_relay *r, nt_scrape *s)
{
    mt_str request = {s->request, s->len};
    mt_buf body = {0};
    const char *status = "200 OK";
    if (mt_str_starts(request, MT_STR("GET /metrics "))) {
        nt_stats_print(&body, &r->stats);
    } else if (mt_str_starts(request, MT_STR("GET /healthz "))) {
        mt_buf_addz(&body, "ok\n");
    } else {
        status = "404 Not Found";
        mt_buf_addz(&body, "only GET /metrics and GET /healthz\n");
    }
    answer(s, status, mt_buf_str(&body));
    mt_buf_free(&body);
}

void nt_scrape_event(nt_relay *r, nt_scrape *s)
{
    if (!s->open) {
        return;
    }
    ssize_t n = recv(s->fd, s->request + s->len, sizeof s->request - s->len, 0);
    if (n > 0) {
        s->len += (size_t)n;
        /* A request larger than the room is judged by its first line, which is in
         * it. */
        if (!memmem(s->request, s->len, "\r\n\r\n", 4) && s->len < sizeof s->request) {
            return;
        }
        answer_request(r, s);
    }
    scrape_close(s);
}

void nt_scrape_write_file(nt_relay *r)
{
    mt_buf text = {0};
    nt_stats_print(&text, &r->stats);
    if (os_write_file(r->config.metrics_file, mt_buf_str(&text), 0644)) {
        nt_relay_say(r, "cannot write %s", r->config.metrics_file);
    }
    mt_buf_free(&text);
}

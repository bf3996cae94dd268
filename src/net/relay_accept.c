/* net/relay_accept.c - new agents at the door.
 * Room: net. A storm of connections is taken in portions, so those who are in already
 * are served meanwhile. */
#include "net/relay_state.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { PORTION = 64, AGAIN_MS = 100 };

#define RELAY_FULL  "Warning: The relay is full. Try again later.\n"
#define QUARANTINED "Warning: Your address is in quarantine. Try again later.\n"

static void turn_away(int fd, mt_str text)
{
    /* Best effort: a new socket's buffer takes a line, or the peer is gone. */
    ssize_t n = send(fd, text.ptr, text.len, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)n;
    close(fd);
}

/* Out of descriptors: give one up to take the peer off the backlog and refuse it. */
static void refuse_with_spare(nt_relay *r)
{
    close(r->spare_fd);
    int fd = accept4(r->agents.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
        r->stats.refused_full++;
        turn_away(fd, MT_STR(RELAY_FULL));
    }
    r->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* False when accepting has to wait. */
static bool accept_failed(nt_relay *r)
{
    if (errno == EAGAIN) { /* EWOULDBLOCK on Linux */
        return false;
    }
    if (errno == EINTR || errno == ECONNABORTED || errno == EPROTO) {
        return true;
    }
    r->stats.accept_errors++;
    if ((errno == EMFILE || errno == ENFILE) && r->spare_fd >= 0) {
        refuse_with_spare(r);
        return true;
    }
    nt_relay_say(r, "accepting failed: %s", strerror(errno));
    epoll_ctl(r->epoll, EPOLL_CTL_DEL, r->agents.fd, NULL);
    r->accept_again_ms = r->now_ms + AGAIN_MS;
    return false;
}

static nt_conn *conn_new(nt_relay *r, const os_address *peer)
{
    nt_conn *c = mt_xmalloc(sizeof *c);
    *c = (nt_conn){.source = NT_AGENT, .index = r->conns.len};
    c->address_len = os_address_print(peer, c->address);
    os_address_print_host(peer, c->host);
    c->framer.limit = r->config.max_line;
    c->credit_us = (int64_t)r->config.hold_ms * 1000;
    c->credit_at_ms = c->heard_ms = c->progress_ms = r->now_ms;
    c->warned_ms = r->now_ms - 60000;
    os_rate_start(&c->rate, r->config.rate_per_minute, r->now_ms);
    mt_vec_push(&r->arena, &r->conns, c);
    r->stats.connections++;
    return c;
}

void nt_relay_greet(nt_relay *r, nt_conn *c)
{
    mt_err err = nt_stream_handshake(&c->stream);
    if (err == MT_E_BUSY) {
        return;
    }
    if (err) {
        char why[200];
        nt_tls_complaint(why, sizeof why);
        r->stats.tls_failures++;
        nt_relay_say(r, "%s failed to open TLS: %s", c->address, why);
        nt_relay_offence(r, c, "failed TLS handshakes");
        nt_relay_kill(r, c);
        return;
    }
    c->joined = true;
}

/* The relay itself ends who does not read, and says so; the machine does it later. */
static unsigned unread_ms(const nt_relay_config *c)
{
    const unsigned most = 24 * 3600;
    unsigned seconds = c->stall_seconds < most ? c->stall_seconds : most;
    return seconds ? seconds * 1000 + 10000 : 0;
}

static void admit(nt_relay *r, int fd, const os_address *peer)
{
    char host[OS_ADDRESS_TEXT];
    size_t len = os_address_print_host(peer, host);
    if (nt_guard_is_out(&r->guard, mt_str_from(host, len), r->now_ms)) {
        r->stats.refused_quarantine++;
        turn_away(fd, MT_STR(QUARANTINED));
        return;
    }
    if (r->conns.len >= r->config.max_clients) {
        r->stats.refused_full++;
        turn_away(fd, MT_STR(RELAY_FULL));
        return;
    }
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    os_keep_alive(fd, unread_ms(&r->config));
    nt_conn *c = conn_new(r, peer);
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                                .data.ptr = c};
    if (!nt_stream_open(&c->stream, fd, r->tls, NULL) ||
        epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        nt_relay_kill(r, c);
        return;
    }
    r->stats.accepted++;
    nt_relay_greet(r, c);
}

void nt_relay_accept(nt_relay *r)
{
    for (int i = 0; i < PORTION; i++) {
        os_address peer = {.len = sizeof peer.at};
        int fd = accept4(r->agents.fd, (struct sockaddr *)&peer.at, &peer.len,
                         SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            admit(r, fd, &peer);
        } else if (!accept_failed(r)) {
            return;
        }
    }
}

/* net/relay.c - the relay's loop, its opening and its end.
 *
 * One thread, one epoll. A turn: wait, note who has something to say, read in turns
 * into one batch (relay_read.c), hand the batch to everybody else (relay_deliver.c),
 * bury who is dead; once a second sweep: handshakes that take too long, agents that
 * are silent or do not read, counters, metrics, news of the bus.
 *
 * Invariants: a connection is marked dead at once and freed only at the end of the
 * turn, so nobody in the turn holds a pointer to nothing; when agents are held back
 * nothing more is read. Reports are limited per second, a misbehaving crowd must not
 * flood the log.
 *
 * What may fail: opening, with a sentence. While running nothing ends the relay but
 * nt_relay_stop(), which may be called from a signal handler. A spare descriptor lets
 * it accept and refuse when there are none left. */
#include "net/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "net/relay_state.h"
#include "os/clock.h"

/* EVENTS: of one turn; the rest comes with the next. SCRATCH_BYTES: read at once
 * from one agent, so that one who talks much does not keep the others waiting.
 * HOLD_POLL_MS: while agents are held back nothing wakes the loop when their queues
 * drain. GOODBYE_MS: what a shutdown may take. */
enum {
    BACKLOG = 1024,
    EVENTS = 256,
    SCRATCH_BYTES = 65536,
    HOLD_POLL_MS = 5,
    SWEEP_MS = 1000,
    HANDSHAKE_MS = 10000,
    GOODBYE_MS = 500
};

/* docs/reference/relay.md lists these texts: agents match them. */
#define SHUTTING_DOWN "Warning: Server is shutting down.\n"
#define INACTIVE      "Warning: You have been disconnected due to inactivity.\n"

const nt_relay_config NT_RELAY_DEFAULT = {
    .listen = "127.0.0.1:8888",
    .room = "default",
    .keep_seconds = 7 * 86400,
    .bus_pending = 65536,
    .max_line = 65536,
    .queue_bytes = 1u << 20,
    .memory_bytes = 256u << 20,
    .max_clients = 10000,
    .idle_seconds = 3600,
    .idle_both_ways = true,
    .stall_seconds = 30,
    .strikes = 5,
    .quarantine_seconds = 300,
    .hold_ms = 200,
};

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- once a second ---- */

/* Somebody who listens where others talk is not idle, unless the operator says so. */
static int64_t last_alive(const nt_relay *r, const nt_conn *c)
{
    return r->config.idle_both_ways ? max64(c->heard_ms, c->progress_ms) : c->heard_ms;
}

static void sweep_agent(nt_relay *r, nt_conn *c)
{
    int64_t silent = r->now_ms - c->heard_ms;
    /* ORDER: a handshake that never ends is an offence; somebody who does not read
     * is slow, and only after that can somebody be idle. */
    if (!c->joined && silent > HANDSHAKE_MS) {
        r->stats.tls_failures++;
        nt_relay_offence(r, c, "TLS handshakes that never end");
        nt_relay_kill(r, c);
    } else if (r->config.stall_seconds && c->out.len > c->out_head &&
               r->now_ms - c->progress_ms > (int64_t)r->config.stall_seconds * 1000) {
        r->stats.closed_stalled++;
        nt_relay_say(r, "%s disconnected: it has not read for %u s", c->address,
                     r->config.stall_seconds);
        nt_relay_kill(r, c);
    } else if (r->config.idle_seconds &&
               r->now_ms - last_alive(r, c) > (int64_t)r->config.idle_seconds * 1000) {
        r->stats.closed_idle++;
        nt_relay_tell(r, c, MT_STR(INACTIVE));
        nt_relay_kill(r, c);
    }
}

/* The bus tells of each arrival once (edge): its lines may have to wait. */
static void add_to_epoll(nt_relay *r, nt_listener *l)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = l};
    if (l->source == NT_BUS) {
        event.events |= EPOLLET;
    }
    epoll_ctl(r->epoll, EPOLL_CTL_ADD, l->fd, &event);
}

static void tell_all(nt_relay *r, const char *text)
{
    for (size_t i = 0; i < r->conns.len; i++) {
        if (r->conns.items[i]->joined && !r->conns.items[i]->dead) {
            nt_relay_tell(r, r->conns.items[i], mt_str_z(text));
        }
    }
}

/* Who is on this relay cannot know what the bus did not bring, or take, unless told. */
static void tell_of_losses(nt_relay *r)
{
    uint64_t lost = r->stats.bus_lost - r->told.bus_lost;
    uint64_t kept = r->stats.bus_errors - r->told.bus_errors;
    char text[120];
    /* Before telling: what is lost by telling it is told the next time. */
    r->told = r->stats;
    if (lost) {
        snprintf(text, sizeof text,
                 "Warning: %llu messages from other relays were lost.\n",
                 (unsigned long long)lost);
        tell_all(r, text);
    }
    if (kept) {
        snprintf(text, sizeof text,
                 "Warning: %llu messages from this relay did not reach the others.\n",
                 (unsigned long long)kept);
        tell_all(r, text);
    }
}

static void hear_bus_news(nt_relay *r)
{
    mt_buf news = {0};
    if (r->bus ? nt_bus_news(r->bus, &r->stats, &news)
               : nt_durable_news(r->durable, &r->stats, &news)) {
        mt_buf_addc(&news, 0);
        nt_relay_say(r, "%s", news.ptr);
    }
    mt_buf_free(&news);
    tell_of_losses(r);
}

static void sweep(nt_relay *r)
{
    if (r->accept_again_ms && r->now_ms >= r->accept_again_ms) {
        r->accept_again_ms = 0;
        add_to_epoll(r, &r->agents);
    }
    if (r->now_ms - r->sweep_ms < SWEEP_MS) {
        return;
    }
    r->sweep_ms = r->now_ms;
    for (size_t i = 0; i < r->conns.len; i++) {
        sweep_agent(r, r->conns.items[i]);
    }
    r->stats.quarantined = nt_guard_sweep(&r->guard, r->now_ms);
    if (r->bus || r->durable) {
        hear_bus_news(r);
    }
    if (r->config.metrics_file) {
        nt_scrape_write_file(r);
    }
}

/* ---- the loop ---- */

static void agent_event(nt_relay *r, nt_conn *c, uint32_t events)
{
    if (c->dead) {
        return;
    }
    if (!c->joined) {
        nt_relay_greet(r, c);
    }
    /* Not dead yet: what it said before it left is still read and delivered. */
    if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) {
        c->hung_up = true;
    }
    if ((events & (EPOLLOUT | EPOLLIN)) && c->out.len > c->out_head) {
        nt_relay_flush(r, c);
    }
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) {
        nt_relay_wants_turn(r, c);
    }
}

static void drain_wake(nt_relay *r)
{
    uint64_t count;
    if (read(r->wake.fd, &count, sizeof count) > 0) {
        r->stopping = true;
    }
}

static void handle(nt_relay *r, const struct epoll_event *event)
{
    switch (*(nt_source *)event->data.ptr) {
    case NT_AGENTS: nt_relay_accept(r); return;
    case NT_SCRAPES: nt_scrape_accept(r); return;
    case NT_SCRAPE: nt_scrape_event(r, event->data.ptr); return;
    case NT_WAKE: drain_wake(r); return;
    case NT_BUS: return; /* taken in the turn, unless reading is held back */
    case NT_AGENT: agent_event(r, event->data.ptr, event->events); return;
    }
}

static void wait_for_events(nt_relay *r, int timeout_ms)
{
    struct epoll_event events[EVENTS];
    int n = epoll_wait(r->epoll, events, EVENTS, timeout_ms);
    r->now_ms = os_now_ms();
    for (int i = 0; i < n; i++) {
        handle(r, &events[i]);
    }
}

static int timeout_ms(const nt_relay *r)
{
    if (r->holding) {
        return HOLD_POLL_MS;
    }
    if (r->ready_count) {
        return 0;
    }
    int64_t until = r->accept_again_ms ? r->accept_again_ms : r->sweep_ms + SWEEP_MS;
    return (int)max64(0, until - r->now_ms < SWEEP_MS ? until - r->now_ms : SWEEP_MS);
}

static void turn(nt_relay *r)
{
    wait_for_events(r, timeout_ms(r));
    if (!nt_relay_held(r)) {
        if (r->bus) {
            nt_relay_bus_turn(r);
        } else if (r->durable) {
            nt_relay_durable_turn(r);
        }
        nt_relay_read_turn(r);
        if (r->log_fd >= 0 && r->batch.len) {
            nt_relay_log(r);
        }
        nt_relay_deliver(r);
    }
    sweep(r);
    nt_relay_bury(r);
}

/* Tells everybody and gives the slow ones a moment to hear it. */
static void say_goodbye(nt_relay *r)
{
    tell_all(r, SHUTTING_DOWN);
    int64_t end = r->now_ms + GOODBYE_MS;
    while (r->busy_count && r->now_ms < end) {
        wait_for_events(r, HOLD_POLL_MS);
        nt_relay_bury(r);
    }
}

mt_err nt_relay_run(nt_relay *r)
{
    r->now_ms = os_now_ms();
    while (!r->stopping) {
        turn(r);
    }
    say_goodbye(r);
    if (r->bus || r->durable) {
        hear_bus_news(r);
    }
    if (r->config.metrics_file) {
        nt_scrape_write_file(r);
    }
    return MT_OK;
}

void nt_relay_stop(nt_relay *r)
{
    uint64_t one = 1;
    ssize_t n = write(r->wake.fd, &one, sizeof one);
    (void)n; /* a full eventfd is a wake-up already */
}

/* ---- opening ---- */

static mt_err open_listener(nt_relay *r, nt_listener *l, const char *where, mt_buf *why)
{
    os_address address;
    mt_err err = os_address_find(where, &address);
    if (err) {
        mt_buf_addf(why, "'%s' is not an address; write HOST:PORT", where);
        return err;
    }
    l->fd = os_listen(&address, BACKLOG);
    if (l->fd < 0 || os_address_of(l->fd, &address)) {
        mt_buf_addf(why, "cannot listen on %s: %s", where, strerror(errno));
        return MT_E_IO;
    }
    os_address_print(&address, l->address);
    add_to_epoll(r, l);
    return MT_OK;
}

static mt_err open_log(nt_relay *r, mt_buf *why)
{
    r->log_fd = open(r->config.log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (r->log_fd < 0) {
        mt_buf_addf(why, "cannot open %s: %s", r->config.log, strerror(errno));
        return MT_E_IO;
    }
    return MT_OK;
}

static mt_err open_durable(nt_relay *r, mt_buf *why)
{
    nt_durable_config config = {.url = r->config.bus,
                                .room = r->config.room,
                                .keep_seconds = r->config.keep_seconds,
                                .line_limit = r->config.max_line};
    return nt_durable_open(&config, &r->durable, why);
}

static mt_err open_bus(nt_relay *r, mt_buf *why)
{
    const nt_relay_config *c = &r->config;
    mt_err err = c->durable ? open_durable(r, why)
                            : nt_bus_open(c->bus, c->room, c->bus_pending, c->max_line,
                                          &r->bus, why);
    if (!err) {
        int fd = r->bus ? nt_bus_fd(r->bus) : nt_durable_fd(r->durable);
        r->bus_wake = (nt_listener){.source = NT_BUS, .fd = fd};
        add_to_epoll(r, &r->bus_wake);
    }
    return err;
}

/* Whoever gave the numbers, the command line or a file: a relay that could take no
 * line, no agent or no byte is a mistake. */
static mt_err check_sizes(const nt_relay_config *c, mt_buf *why)
{
    const struct {
        const char *name;
        size_t value, most;
    } rows[] = {
        {"max-line", c->max_line, (size_t)1 << 28},
        {"queue", c->queue_bytes, (size_t)1 << 40},
        {"memory", c->memory_bytes, (size_t)1 << 40},
        {"max-clients", c->max_clients, (size_t)1 << 24},
        {"bus-pending", c->bus_pending, (size_t)1 << 30},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].value || rows[i].value > rows[i].most) {
            mt_buf_addf(why, "%s is a number from 1 to %zu, not %zu", rows[i].name,
                        rows[i].most, rows[i].value);
            return MT_E_USAGE;
        }
    }
    return MT_OK;
}

static mt_err open_parts(nt_relay *r, mt_buf *why)
{
    const nt_relay_config *c = &r->config;
    mt_err err = check_sizes(c, why);
    if (err) {
        return err;
    }
    if (c->cert || c->key) {
        if (!c->cert || !c->key) {
            mt_buf_addz(why, "TLS needs both a certificate and its key");
            return MT_E_USAGE;
        }
        r->tls = nt_tls_server(c->cert, c->key, c->client_ca, why);
        err = r->tls ? MT_OK : MT_E_IO;
    }
    if (!err && c->durable && !c->bus) {
        mt_buf_addz(why, "--durable needs --bus, a NATS server with JetStream");
        return MT_E_USAGE;
    }
    if (!err && c->log) {
        err = open_log(r, why);
    }
    if (!err && c->bus) {
        err = open_bus(r, why);
    }
    if (!err && c->metrics) {
        err = open_listener(r, &r->scrapes, c->metrics, why);
    }
    /* Last: nobody gets in before everything else is open. */
    return err ? err : open_listener(r, &r->agents, c->listen, why);
}

/* A thousand agents need a thousand descriptors. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

mt_err nt_relay_open(const nt_relay_config *config, nt_relay **out, mt_buf *why)
{
    *out = NULL;
    raise_descriptor_limit();
    nt_relay *r = mt_xmalloc(sizeof *r);
    *r = (nt_relay){.config = *config, .log_fd = -1};
    r->agents = (nt_listener){.source = NT_AGENTS, .fd = -1};
    r->scrapes = (nt_listener){.source = NT_SCRAPES, .fd = -1};
    r->wake =
        (nt_listener){.source = NT_WAKE, .fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    r->epoll = epoll_create1(EPOLL_CLOEXEC);
    r->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    r->scratch = mt_xmalloc(SCRATCH_BYTES);
    r->guard.strikes = config->strikes;
    r->guard.cooldown_ms = (int64_t)config->quarantine_seconds * 1000;
    r->sweep_ms = r->now_ms = os_now_ms();
    mt_err err = MT_E_IO;
    if (r->epoll < 0 || r->wake.fd < 0) {
        mt_buf_addf(why, "cannot wait for events: %s", strerror(errno));
    } else {
        add_to_epoll(r, &r->wake);
        err = open_parts(r, why);
    }
    if (err) {
        nt_relay_free(r);
        return err;
    }
    *out = r;
    return MT_OK;
}

const char *nt_relay_address(const nt_relay *r)
{
    return r->agents.address;
}

const char *nt_relay_metrics_address(const nt_relay *r)
{
    return r->scrapes.address;
}

static void close_fd(int fd)
{
    if (fd >= 0) {
        close(fd);
    }
}

void nt_relay_free(nt_relay *r)
{
    if (!r) {
        return;
    }
    for (size_t i = 0; i < r->conns.len; i++) {
        nt_relay_kill(r, r->conns.items[i]);
    }
    nt_relay_bury(r);
    nt_scrape_close_all(r);
    nt_bus_close(r->bus);
    nt_durable_close(r->durable);
    close_fd(r->agents.fd);
    close_fd(r->scrapes.fd);
    close_fd(r->wake.fd);
    close_fd(r->log_fd);
    close_fd(r->spare_fd);
    close_fd(r->epoll);
    nt_tls_free(r->tls);
    nt_guard_free(&r->guard);
    mt_buf_free(&r->batch);
    mt_buf_free(&r->wrapped);
    mt_buf_free(&r->log_text);
    mt_arena_free(&r->arena);
    free(r->scratch);
    free(r);
}

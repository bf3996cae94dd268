/* net/runner.c - keeps one agent connected, and its lines going in and out.
 *
 * Phases: AWAY, CONNECTING, OPENING (TLS), TOGETHER. When a connection is lost the
 * runner tries again after a pause that grows, with a part left to chance, going
 * through the relays that were given; one that held for a while forgives the failures
 * before. A wish to travel leads to another relay, and back home after some attempts.
 *
 * Lines in go to the agent while it is not full; commits are made when reading pauses,
 * or often enough while many lines wait, so a large state does not cost a commit per
 * line. Only what is committed is written out, and a line counts as sent when the
 * relay has all of its bytes, or, if it is a durable one, says that it is kept.
 *
 * What may fail: committing (`fault`, which ends the run), giving up after so many
 * failures (MT_E_CLOSED). nt_runner_stop() may be called from a signal handler; all
 * else from one thread. */
#include "net/runner.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/frame.h"
#include "net/inspect.h"
#include "net/runner_durable.h"
#include "net/stream.h"
#include "os/address.h"
#include "os/clock.h"

enum {
    READ_BYTES = 65536,
    CONNECT_MS = 10000,
    FLUSH_MS = 1000,      /* for the last messages before leaving a relay */
    COMMIT_EVERY_MS = 20, /* while many lines are waiting */
    COMMIT_SHARE = 4,     /* working time to the time a commit takes */
    STABLE_MS = 5000,     /* a connection that held so long was a good one */
    TRAVEL_ATTEMPTS = 3,  /* before going home again */
    POLL_MOST_MS = 60000,
    UNREAD_MS = 30000 /* what a relay does not take for so long */
};

typedef enum nt_phase { AWAY, CONNECTING, OPENING, TOGETHER } nt_phase;

struct nt_runner {
    nt_runner_config config;
    ho_agent *agent;
    nt_tls *tls;
    nt_phase phase;
    nt_stream stream;
    ag_framer framer; /* cuts what was read into lines */
    char *scratch;
    size_t relay;         /* index of the one to try */
    char travel[256];     /* where the agent went; "": it is at home */
    char target[256];     /* whom we talk to, or try to */
    unsigned failures;    /* in a row */
    int64_t since_ms;     /* of this phase */
    int64_t attempt_ms;   /* when to try next */
    int64_t committed_ms; /* when last */
    int64_t commit_cost_ms;
    size_t written;      /* bytes of the first unsent lines the relay has */
    size_t reads;        /* that brought something */
    mt_err fault;        /* the state could not be kept */
    nt_inspect *inspect; /* NULL: nobody may look */
    nt_pledge pledge;    /* used with config.durable */
    int wake;
    atomic_bool stop;
};

const nt_runner_config NT_RUNNER_DEFAULT = {
    .pause_ms = 100, .pause_most_ms = 10000, .max_line = 1u << 20};

#define SAY(r, ...) os_say((r)->config.report, (r)->config.report_state, __VA_ARGS__)

/* ---- coming and going ---- */

static void go_away(nt_runner *r)
{
    nt_stream_close(&r->stream);
    ag_framer_free(&r->framer);
    r->framer = (ag_framer){.limit = r->config.max_line};
    r->written = 0;
    r->phase = AWAY;
}

/* Grows from pause_ms to pause_most_ms; a part of it is left to chance, so that a
 * thousand agents do not come back in one instant. */
static int64_t pause_ms(const nt_runner *r)
{
    unsigned shift = r->failures ? r->failures - 1 : 0;
    uint64_t pause = (uint64_t)r->config.pause_ms << (shift < 20 ? shift : 20);
    if (pause > r->config.pause_most_ms) {
        pause = r->config.pause_most_ms;
    }
    uint32_t half = (uint32_t)(pause / 2);
    return (int64_t)(pause - half + arc4random_uniform(half + 1));
}

static void choose_next_relay(nt_runner *r)
{
    if (r->travel[0] && r->failures >= TRAVEL_ATTEMPTS) {
        SAY(r, "cannot reach %s; going home", r->travel);
        r->travel[0] = '\0';
        r->relay = 0;
    } else if (!r->travel[0]) {
        r->relay = r->config.relays[r->relay + 1] ? r->relay + 1 : 0;
    }
}

static void lost(nt_runner *r, const char *why)
{
    int64_t now = os_now_ms();
    if (r->phase == TOGETHER && now - r->since_ms >= STABLE_MS) {
        r->failures = 0;
    }
    r->failures++;
    go_away(r);
    choose_next_relay(r);
    r->attempt_ms = now + pause_ms(r);
    SAY(r, "%s: %s; next attempt in %lld ms", r->target, why,
        (long long)(r->attempt_ms - now));
}

static void attempt(nt_runner *r)
{
    os_address address;
    snprintf(r->target, sizeof r->target, "%s",
             r->travel[0] ? r->travel : r->config.relays[r->relay]);
    r->since_ms = os_now_ms();
    if (os_address_find(r->target, &address)) {
        lost(r, "no such host");
        return;
    }
    int fd = os_connect(&address);
    if (fd < 0) {
        lost(r, strerror(errno));
        return;
    }
    os_keep_alive(fd, UNREAD_MS);
    char host[OS_HOST_TEXT], port[8];
    os_address_split(r->target, host, port);
    if (!nt_stream_open(&r->stream, fd, r->tls, host)) {
        lost(r, "TLS cannot be started");
        return;
    }
    r->phase = CONNECTING;
}

static void together(nt_runner *r)
{
    r->phase = TOGETHER;
    r->since_ms = os_now_ms();
    if (r->config.durable) {
        nt_pledge_begin(&r->pledge, r->agent);
    }
    SAY(r, "connected to %s", r->target);
}

/* The socket has news while connecting or opening TLS. */
static void advance(nt_runner *r)
{
    if (r->phase == CONNECTING) {
        int error = 0;
        socklen_t len = sizeof error;
        getsockopt(r->stream.fd, SOL_SOCKET, SO_ERROR, &error, &len);
        if (error) {
            lost(r, strerror(error));
            return;
        }
        r->phase = OPENING;
    }
    mt_err err = nt_stream_handshake(&r->stream);
    if (err == MT_OK) {
        together(r);
    } else if (err != MT_E_BUSY) {
        char why[200];
        nt_tls_complaint(why, sizeof why);
        lost(r, why[0] ? why : "TLS failed");
    }
}

/* ---- lines out ---- */

static bool commit(nt_runner *r)
{
    int64_t start = os_now_ms();
    r->fault = ho_agent_commit(r->agent);
    r->committed_ms = os_now_ms();
    r->commit_cost_ms = r->committed_ms - start;
    if (r->fault) {
        SAY(r, "the agent's state cannot be kept: %s", strerror(errno));
    }
    return !r->fault;
}

/* While many lines wait, not each has its own commit: a large state takes its time. */
static bool commit_is_due(const nt_runner *r)
{
    int64_t pause = r->commit_cost_ms * COMMIT_SHARE;
    return os_now_ms() - r->committed_ms >
           (pause > COMMIT_EVERY_MS ? pause : COMMIT_EVERY_MS);
}

/* The relay has `written` bytes: whole lines among them are sent. */
static void note_sent(nt_runner *r)
{
    mt_str unsent = ho_agent_unsent(r->agent);
    size_t lines = 0, done = 0;
    for (;;) {
        mt_str rest = {unsent.ptr + done, r->written - done};
        size_t end = mt_str_find(rest, '\n');
        if (end == rest.len) {
            break;
        }
        done += end + 1;
        lines++;
    }
    ho_agent_sent(r->agent, lines);
    r->written -= done;
}

static mt_str unwritten(nt_runner *r)
{
    return r->config.durable ? nt_pledge_unwritten(&r->pledge, r->agent)
                             : mt_str_skip(ho_agent_unsent(r->agent), r->written);
}

static void note_written(nt_runner *r, size_t bytes)
{
    if (r->config.durable) {
        nt_pledge_wrote(&r->pledge, bytes);
        return;
    }
    r->written += bytes;
    note_sent(r);
}

static void write_out(nt_runner *r)
{
    while (r->phase == TOGETHER) {
        mt_str rest = unwritten(r);
        if (!rest.len) {
            return;
        }
        ssize_t n = nt_stream_write(&r->stream, rest.ptr, rest.len);
        if (n == NT_STREAM_WAIT) {
            return;
        }
        if (n <= 0) {
            lost(r, "the relay is gone");
            return;
        }
        note_written(r, (size_t)n);
    }
}

/* ---- lines in ---- */

static bool wishes(const nt_runner *r)
{
    const ho_wish *wish = ho_agent_wish(r->agent);
    return wish->quit || wish->travel[0];
}

static bool leaving(nt_runner *r)
{
    return r->fault || wishes(r) || atomic_load(&r->stop);
}

/* What a durable relay says itself is not the agent's. */
static void take_line(nt_runner *r, mt_str line)
{
    const char *why = NULL;
    if (!r->config.durable) {
        ho_agent_receive(r->agent, line);
    } else if (nt_is_relay_line(line)) {
        why = nt_pledge_hear(&r->pledge, r->agent, line);
    } else {
        nt_pledge_message(&r->pledge, r->agent, line);
    }
    if (why) {
        lost(r, why);
    }
}

static void take_lines(nt_runner *r)
{
    mt_str line;
    ag_frame_kind kind;
    while (!leaving(r) && r->phase == TOGETHER &&
           (kind = ag_framer_next(&r->framer, &line)) != AG_FRAME_MORE) {
        if (kind == AG_FRAME_TOO_LONG) {
            SAY(r, "a line longer than %zu bytes was skipped", r->config.max_line);
            continue;
        }
        take_line(r, line);
        if (commit_is_due(r) && commit(r)) {
            write_out(r);
        }
    }
}

static void read_once(nt_runner *r)
{
    ssize_t n = nt_stream_read(&r->stream, r->scratch, READ_BYTES);
    if (n == NT_STREAM_WAIT) {
        return;
    }
    if (n <= 0) {
        lost(r, "the relay closed the connection");
        return;
    }
    r->reads++;
    ag_framer_feed(&r->framer, mt_str_from(r->scratch, (size_t)n));
    take_lines(r);
    if (!r->fault && commit(r)) {
        write_out(r);
    }
}

/* TLS may hold more than poll() can see: read until it has no more. */
static void read_in(nt_runner *r)
{
    size_t before;
    do {
        before = r->reads;
        read_once(r);
    } while (r->stream.ssl && r->reads > before && r->phase == TOGETHER && !leaving(r));
}

/* ---- the loop ---- */

/* Only what the relay says itself: messages that are not taken come again. */
static void hear_last_words(nt_runner *r)
{
    mt_str line;
    ag_frame_kind kind;
    ssize_t n = 0;
    do {
        while (r->phase == TOGETHER &&
               (kind = ag_framer_next(&r->framer, &line)) != AG_FRAME_MORE) {
            if (kind == AG_FRAME_LINE && nt_is_relay_line(line)) {
                take_line(r, line);
            }
        }
        n = r->phase == TOGETHER ? nt_stream_read(&r->stream, r->scratch, READ_BYTES)
                                 : 0;
        if (n > 0) {
            ag_framer_feed(&r->framer, mt_str_from(r->scratch, (size_t)n));
        }
    } while (n > 0);
}

static bool all_sent(nt_runner *r)
{
    return r->config.durable ? !ho_agent_unsent(r->agent).len && !unwritten(r).len
                             : ho_agent_unsent(r->agent).len <= r->written;
}

/* What is committed should still reach this relay; a moment for that. */
static void flush_before_leaving(nt_runner *r)
{
    int64_t end = os_now_ms() + FLUSH_MS;
    if (!r->fault) {
        commit(r);
    }
    while (r->phase == TOGETHER && !r->fault && os_now_ms() < end) {
        write_out(r);
        if (r->config.durable) {
            hear_last_words(r);
        }
        if (r->phase != TOGETHER || all_sent(r)) {
            break;
        }
        bool to_write = unwritten(r).len > 0;
        struct pollfd wait = {.fd = r->stream.fd,
                              .events = to_write ? POLLOUT : POLLIN};
        poll(&wait, 1, 50);
    }
}

static void travel(nt_runner *r)
{
    ho_wish *wish = ho_agent_wish(r->agent);
    char host[OS_HOST_TEXT], port[8];
    if (!os_address_split(wish->travel, host, port)) {
        SAY(r, "cannot travel to '%s'; write HOST:PORT", wish->travel);
        wish->travel[0] = '\0';
        take_lines(r); /* what came with the bad wish is still waiting */
        return;
    }
    flush_before_leaving(r);
    snprintf(r->travel, sizeof r->travel, "%s", wish->travel);
    wish->travel[0] = '\0';
    SAY(r, "travelling to %s", r->travel);
    r->failures = 0;
    r->attempt_ms = 0;
    go_away(r);
}

static int64_t timeout_ms(nt_runner *r)
{
    int64_t now = os_now_ms(), wait = POLL_MOST_MS;
    switch (r->phase) {
    case AWAY: wait = r->attempt_ms - now; break;
    case CONNECTING:
    case OPENING: wait = r->since_ms + CONNECT_MS - now; break;
    case TOGETHER: {
        int64_t tick = ho_agent_tick(r->agent, now);
        wait = tick >= 0 && tick < wait ? tick : wait;
        if (r->config.durable && !r->pledge.welcomed) {
            int64_t left = r->since_ms + CONNECT_MS - now;
            wait = left < wait ? left : wait;
        }
        if (commit(r)) {
            write_out(r);
        }
        break;
    }
    }
    return wait > 0 ? wait : 0;
}

static short events_wanted(nt_runner *r)
{
    if (r->phase == CONNECTING) {
        return POLLOUT;
    }
    if (r->phase == OPENING) {
        return POLLIN; /* the answer of a handshake's peer */
    }
    bool to_write = unwritten(r).len > 0;
    bool to_read = r->config.durable || !ho_agent_is_full(r->agent);
    return (short)((to_write ? POLLOUT : 0) | (to_read ? POLLIN : 0));
}

static void react(nt_runner *r, short events)
{
    if (r->phase == CONNECTING || r->phase == OPENING) {
        if (events) {
            advance(r);
        } else if (os_now_ms() - r->since_ms >= CONNECT_MS) {
            lost(r, "no answer");
        }
        return;
    }
    if (events & POLLOUT) {
        write_out(r);
    }
    if (r->phase == TOGETHER && r->config.durable && !r->pledge.welcomed &&
        os_now_ms() - r->since_ms >= CONNECT_MS) {
        lost(r, "no welcome: the relay is not durable, or its server is away");
    }
    if (r->phase == TOGETHER && (events & (POLLIN | POLLHUP | POLLERR))) {
        read_in(r);
    }
}

static void turn(nt_runner *r)
{
    if (r->phase == AWAY && os_now_ms() >= r->attempt_ms) {
        attempt(r);
    }
    int wait = (int)timeout_ms(r);
    if (leaving(r)) {
        return;
    }
    struct pollfd fds[4] = {{.fd = r->wake, .events = POLLIN},
                            {.fd = r->phase == AWAY ? -1 : r->stream.fd,
                             .events = r->phase == AWAY ? 0 : events_wanted(r)}};
    nt_inspect_poll(r->inspect, fds + 2);
    if (poll(fds, 4, wait) < 0 && errno != EINTR) {
        MT_BUG("poll failed");
    }
    nt_inspect_react(r->inspect, fds + 2);
    if (r->phase != AWAY && !atomic_load(&r->stop)) {
        react(r, fds[1].revents);
    }
}

static bool gave_up(const nt_runner *r)
{
    return r->config.retries && !r->travel[0] && r->failures >= r->config.retries;
}

mt_err nt_runner_run(nt_runner *r)
{
    ho_wish *wish = ho_agent_wish(r->agent);
    while (!r->fault && !atomic_load(&r->stop) && !wish->quit) {
        if (gave_up(r)) {
            SAY(r, "giving up after %u failures", r->failures);
            return MT_E_CLOSED;
        }
        turn(r);
        if (wish->travel[0] && !wish->quit) {
            travel(r);
        }
    }
    flush_before_leaving(r);
    go_away(r);
    return r->fault;
}

void nt_runner_stop(nt_runner *r)
{
    uint64_t one = 1;
    atomic_store(&r->stop, true);
    ssize_t n = write(r->wake, &one, sizeof one);
    (void)n; /* a full eventfd is a wake-up already */
}

static mt_err check_config(const nt_runner_config *c, mt_buf *why)
{
    char host[OS_HOST_TEXT], port[8];
    for (const char *const *p = c->relays; *p; p++) {
        if (!os_address_split(*p, host, port)) {
            mt_buf_addf(why, "'%s' is not an address; write HOST:PORT", *p);
            return MT_E_USAGE;
        }
    }
    if (!c->cert != !c->key) {
        mt_buf_addz(why, "a certificate and its key belong together");
        return MT_E_USAGE;
    }
    return MT_OK;
}

/* What is shown: the agent, and where it is. Keys ascend. */
static void show(void *state, mt_buf *out)
{
    static const char *const PHASES[] = {[AWAY] = "away",
                                         [CONNECTING] = "connecting",
                                         [OPENING] = "opening",
                                         [TOGETHER] = "connected"};
    MT_TABLE_COVERS(PHASES, TOGETHER + 1);
    nt_runner *r = state;
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "agent");
    ho_agent_snapshot(r->agent, &w);
    mt_jw_key_i64(&w, "failures", r->failures);
    mt_jw_key_str(&w, "phase", mt_str_z(PHASES[r->phase]));
    mt_jw_key_str(&w, "relay", mt_str_z(r->target));
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

mt_err nt_runner_open(const nt_runner_config *config, ho_agent *agent, nt_runner **out,
                      mt_buf *why)
{
    *out = NULL;
    mt_err err = check_config(config, why);
    if (err) {
        return err;
    }
    nt_tls *tls = NULL;
    if (config->tls) {
        tls = nt_tls_client(config->ca, config->cert, config->key, why);
        if (!tls) {
            return MT_E_IO;
        }
    }
    nt_runner *r = mt_xmalloc(sizeof *r);
    *r = (nt_runner){.config = *config,
                     .agent = agent,
                     .tls = tls,
                     .stream = {.fd = -1},
                     .framer = {.limit = config->max_line},
                     .scratch = mt_xmalloc(READ_BYTES),
                     .wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    if (config->durable) {
        r->pledge = (nt_pledge){.hello = *config->durable,
                                .report = config->report,
                                .report_state = config->report_state};
        err = nt_pledge_open(&r->pledge, agent);
    }
    if (err) {
        mt_buf_addz(why, "the agent's state cannot be kept");
        nt_runner_free(r);
        return err;
    }
    err = config->inspect ? nt_inspect_open(config->inspect, show, r, &r->inspect, why)
                          : MT_OK;
    if (err) {
        nt_runner_free(r);
        return err;
    }
    *out = r;
    return MT_OK;
}

void nt_runner_free(nt_runner *r)
{
    if (r) {
        go_away(r);
        nt_inspect_close(r->inspect);
        ag_framer_free(&r->framer);
        nt_tls_free(r->tls);
        nt_pledge_free(&r->pledge);
        close(r->wake);
        free(r->scratch);
        free(r);
    }
}

/* bench_serve.c - the server under load, over HTTP on loopback.
 * The load generator (one thread, epoll, keep-alive, one request in flight for each
 * connection) shares the machine with server and ceiling alike. The ceiling of what
 * only reads is a bare libmicrohttpd daemon that takes the same POST and gives an
 * answer of the same size; all run as child processes.
 *
 *   serve.evaluate    requests/s, at least 70 % of the bare POST
 *   serve.dry_run     the same, at least 60 %
 *   serve.sqlite_N    durable operations/s with N connections
 *   serve.refused     recorded refusals/s, SQLite, 64 connections, at least 20,000
 *   serve.p99         ms, at half the rate of serve.sqlite_64
 *   serve.traced      as serve.sqlite_64, every operation traced and sent to a
 *                     collector that discards: at least 90 % of without; evaluate is
 *                     printed beside it
 *   serve.pg_N        the same on PostgreSQL, at least 70 % (N = 1) or 80 % of the same
 *                     rows written bare in groups as large
 *   serve.growth      as serve.sqlite_64 in a store of a million instances and two
 *                     million records: at least 80 % of an empty store.
 *                     serve.growth_spread: on instances chosen at random, printed
 *                     beside it. serve.growth_load: how long writing the store took
 *   serve.instances   bytes of memory for each of many instances
 *   serve.start       seconds until a server with that ledger answers
 *   mcp.call          tools/call of the operation of serve.sqlite_64, revision
 *                     2026-07-28: at least 70 % of the same over /v1.
 *                     mcp.call_dry_run: a dry run of it, which writes nothing
 *   authzen.evaluate  decisions/s that leave no record, at least 80 % of evaluate
 *   authzen.recorded  the same, each recorded before it is told; printed beside it
 *
 * An argument picks one part: reads, authzen, sqlite, traced, pg, growth, many, mcp.
 * MOTET_BENCH_ROWS sets the number of instances; 1,000,000 if not set. */
#include <errno.h>
#include <math.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bare_postgres.h"
#include "bench.h"
#include "grown_store.h"
#include "http/server.h"
#include "os/address.h"

#ifndef EXAMPLES
#define EXAMPLES "examples"
#endif
#ifndef WITH_POSTGRES
#define WITH_POSTGRES "tests/e2e/postgres.py"
#endif

enum { MOST = 64, ANSWER = 1 << 17, LATENCIES = 1 << 20 };

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* ---- Children that serve ---- */

typedef struct child {
    pid_t pid;
    int port;
    int hold; /* the child ends when this is closed */
} child;

static const char WHEEL[] =
    "persona driver\nfact go { type: Bool source: \"road.go\" default: true }\n"
    "entity Wheel { states: [n, e] initial: n transitions: [(n, e), (e, n)] }\n"
    "operation turn { allowed_personas: [driver] precondition: go = true\n"
    "  effects: [(Wheel, n, e), (Wheel, e, n)] }\n";

static char dir[64] = "/tmp/motet-bench-XXXXXX";
static char wheel[128];

typedef struct service {
    st_store *store;
    ex_executor *x;
    ht_server *http;
} service;

static void must(mt_err err, const mt_buf *why)
{
    if (err) {
        fprintf(stderr, "bench_serve: %.*s\n", (int)why->len, why->ptr);
        exit(1);
    }
}

/* Of the configuration; NULL: none. */
static const mt_json *configuration;

/* Where a server sends its traces; NULL: nowhere. */
static const tr_settings *collector;

static service serve(const char *store, const char *file)
{
    service s;
    mt_buf why = {0};
    const char *files[] = {file, NULL};
    static const ht_log silent = {.fd = -1};
    must(st_open(store, NULL, &s.store, &why), &why);
    ex_executor_options options = {
        .store = s.store, .files = files, .settings = configuration};
    must(ex_executor_open(&options, &s.x, &why), &why);
    ht_options http = HT_OPTIONS_DEFAULT;
    http.executor = s.x;
    http.store = s.store;
    http.log = &silent;
    http.listen = "127.0.0.1:0";
    http.otlp = collector;
    http.version = MT_STR("bench");
    must(ht_server_open(&http, &s.http, &why), &why);
    return s;
}

static void stop(service *s)
{
    (void)ht_server_drain(s->http, 5);
    ht_server_free(s->http);
    ex_executor_close(s->x);
    st_close(s->store);
}

/* The bare daemon: takes the body, answers with `bare_bytes` bytes. */
static size_t bare_bytes;
static char bare_body[ANSWER];

static enum MHD_Result bare(void *state, struct MHD_Connection *c, const char *url,
                            const char *method, const char *version, const char *data,
                            size_t *size, void **seen)
{
    (void)state, (void)url, (void)method, (void)version, (void)data;
    static int first;
    if (!*seen) {
        *seen = &first;
        return MHD_YES;
    }
    if (*size) {
        *size = 0;
        return MHD_YES;
    }
    struct MHD_Response *answer =
        MHD_create_response_from_buffer(bare_bytes, bare_body, MHD_RESPMEM_PERSISTENT);
    MHD_add_response_header(answer, "Content-Type", "application/json");
    enum MHD_Result result = MHD_queue_response(c, MHD_HTTP_OK, answer);
    MHD_destroy_response(answer);
    return result;
}

static int port_of(const char *address)
{
    return atoi(strrchr(address, ':') + 1);
}

static void run_bare(int tell, int hold)
{
    struct MHD_Daemon *d =
        MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, bare, NULL,
                         MHD_OPTION_CONNECTION_LIMIT, 1000u, MHD_OPTION_END);
    if (!d) {
        die("bare daemon");
    }
    int port = MHD_get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT)->port;
    char byte;
    if (write(tell, &port, sizeof port) < 0 || read(hold, &byte, 1) < 0) {
        die("pipe");
    }
    MHD_stop_daemon(d);
}

static void run_server(int tell, int hold, const char *store, const char *file)
{
    service s = serve(store, file);
    int port = port_of(ht_server_address(s.http));
    char byte;
    if (write(tell, &port, sizeof port) < 0 || read(hold, &byte, 1) < 0) {
        die("pipe");
    }
    stop(&s);
}

/* `store` NULL: the bare daemon. */
static child start(const char *store, const char *file)
{
    int tell[2], hold[2];
    if (pipe(tell) || pipe(hold)) {
        die("pipe");
    }
    child c = {.pid = fork(), .hold = hold[1]};
    if (c.pid == 0) {
        close(hold[1]);
        if (store) {
            run_server(tell[1], hold[0], store, file);
        } else {
            run_bare(tell[1], hold[0]);
        }
        exit(0);
    }
    close(tell[1]);
    close(hold[0]);
    if (read(tell[0], &c.port, sizeof c.port) != sizeof c.port) {
        die("the child did not start");
    }
    close(tell[0]);
    return c;
}

static void end(child *c)
{
    close(c->hold);
    waitpid(c->pid, NULL, 0);
}

/* ---- The load ---- */

typedef struct line {
    int fd;
    char request[2048];
    size_t request_len;
    char heard[ANSWER];
    size_t len;
    uint64_t sent_ns;
    bool busy;
} line;

typedef struct load {
    line lines[MOST];
    unsigned count;
    int epoll;
    uint64_t done;
    size_t body;        /* bytes of the last answer's body */
    const char *wanted; /* how its status begins; NULL: as it should be */
    const char *says;   /* what stands in it; NULL: anything */
    size_t population;  /* each request is about one of so many; 0: as it is set */
    bool wanders;       /* each time another one */
    uint64_t luck;
    float *latencies;
    size_t latency_count;
} load;

static void dial(load *l, line *c, int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int on = 1;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(c->fd, (const struct sockaddr *)&at, sizeof at)) {
        die("connect");
    }
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(l->epoll, EPOLL_CTL_ADD, c->fd, &event);
}

static void ask(line *c)
{
    c->len = 0;
    c->busy = true;
    c->sent_ns = bench_now();
    if (send(c->fd, c->request, c->request_len, MSG_NOSIGNAL) !=
        (ssize_t)c->request_len) {
        die("send");
    }
}

/* Has the whole answer come? */
static bool whole(load *l, line *c)
{
    c->heard[c->len] = '\0';
    char *end_of_head = strstr(c->heard, "\r\n\r\n");
    if (!end_of_head) {
        return false;
    }
    const char *length = strstr(c->heard, "Content-Length: ");
    size_t body = length ? (size_t)atol(length + 16) : 0;
    if (c->len < (size_t)(end_of_head + 4 - c->heard) + body) {
        return false;
    }
    if (memcmp(c->heard + 9, l->wanted ? l->wanted : "20", 2) != 0 ||
        (l->says && !strstr(end_of_head, l->says))) {
        fprintf(stderr, "bench_serve: %s\n", c->heard);
        exit(1);
    }
    l->body = body;
    return true;
}

static void hear(load *l, line *c)
{
    ssize_t n = recv(c->fd, c->heard + c->len, ANSWER - 1 - c->len, 0);
    if (n <= 0) {
        die("recv");
    }
    c->len += (size_t)n;
    if (whole(l, c)) {
        c->busy = false;
        l->done++;
        if (l->latencies && l->latency_count < LATENCIES) {
            l->latencies[l->latency_count++] = (float)(bench_now() - c->sent_ns);
        }
    }
}

static void listen_once(load *l, int wait_ms)
{
    struct epoll_event events[MOST];
    int n = epoll_wait(l->epoll, events, MOST, wait_ms);
    for (int i = 0; i < n; i++) {
        hear(l, events[i].data.ptr);
    }
}

/* `more`: header lines. */
static void set_request_with(line *c, const char *path, const char *more,
                             const char *body)
{
    c->request_len = (size_t)snprintf(
        c->request, sizeof c->request,
        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s"
        "Content-Length: %zu\r\n\r\n%s",
        path, more, strlen(body), body);
}

static void set_request(line *c, const char *path, const char *body)
{
    set_request_with(c, path, "", body);
}

/* About the connection's own instance, all of them spread over the population; or about
 * one that is chosen at random. */
static void choose(load *l, unsigned i)
{
    char body[128];
    l->luck = l->luck * 6364136223846793005u + 1442695040888963407u;
    size_t which =
        l->wanders ? (l->luck >> 33) % l->population : i * (l->population / l->count);
    snprintf(body, sizeof body,
             "{\"persona\":\"driver\",\"bindings\":{\"Wheel\":\"" GROWN_ID "\"}}",
             which);
    set_request(&l->lines[i], "/v1/contracts/wheel/operations/turn", body);
}

/* Everyone asks again as soon as answered; requests a second. */
static double closed_loop(load *l, double seconds)
{
    uint64_t began = bench_now(), until = began + (uint64_t)(seconds * 1e9);
    l->done = 0;
    while (bench_now() < until) {
        for (unsigned i = 0; i < l->count; i++) {
            if (!l->lines[i].busy) {
                if (l->population) {
                    choose(l, i);
                }
                ask(&l->lines[i]);
            }
        }
        listen_once(l, 100);
    }
    double rate = (double)l->done / ((double)(bench_now() - began) / 1e9);
    for (unsigned i = 0; i < l->count; i++) {
        while (l->lines[i].busy) {
            listen_once(l, 100);
        }
    }
    return rate;
}

/* Asks at an even rate, whoever is free; latencies are kept. */
static void open_loop(load *l, double per_second, double seconds)
{
    uint64_t began = bench_now(), until = began + (uint64_t)(seconds * 1e9);
    double sent = 0;
    for (uint64_t now; (now = bench_now()) < until;) {
        double due = (double)(now - began) / 1e9 * per_second;
        for (unsigned i = 0; i < l->count && sent < due; i++) {
            if (!l->lines[i].busy) {
                ask(&l->lines[i]);
                sent++;
            }
        }
        listen_once(l, 0);
    }
    for (unsigned i = 0; i < l->count; i++) {
        while (l->lines[i].busy) {
            listen_once(l, 100);
        }
    }
}

#define FACT_LIST                                                                      \
    "\"escrow_amount\":{\"amount\":\"500.00\",\"currency\":\"USD\"},"                  \
    "\"delivery_status\":\"confirmed\",\"line_items\":[{\"id\":\"a\",\"description\":" \
    "\"b\",\"amount\":{\"amount\":\"500.00\",\"currency\":\"USD\"},\"valid\":true}]"
#define FACTS "\"facts\":{" FACT_LIST "}"

static load *open_load(int port, unsigned count)
{
    load *l = calloc(1, sizeof *l);
    l->count = count;
    l->epoll = epoll_create1(0);
    for (unsigned i = 0; i < count; i++) {
        dial(l, &l->lines[i], port);
    }
    return l;
}

static void close_load(load *l)
{
    for (unsigned i = 0; i < l->count; i++) {
        close(l->lines[i].fd);
    }
    close(l->epoll);
    free(l->latencies);
    free(l);
}

/* One request by itself. */
static void once(int port, const char *path, const char *body)
{
    load *l = open_load(port, 1);
    set_request(&l->lines[0], path, body);
    ask(&l->lines[0]);
    while (l->lines[0].busy) {
        listen_once(l, 1000);
    }
    close_load(l);
}

/* ---- Figures ---- */

static double rate_of(int port, const char *path, const char *body, size_t *bytes)
{
    load *l = open_load(port, 32);
    for (unsigned i = 0; i < l->count; i++) {
        set_request(&l->lines[i], path, body);
    }
    closed_loop(l, 0.3);
    double rate = closed_loop(l, 1.5);
    *bytes = l->body;
    close_load(l);
    return rate;
}

/* In turns, so that a noisy moment hits both; the best of each counts. */
static void measure_reads(const char *name, child *server, const char *path,
                          const char *body, double part)
{
    double own = 0, ceiling = 0;
    size_t bytes;
    for (int round = 0; round < 3; round++) {
        double rate = rate_of(server->port, path, body, &bytes);
        own = rate > own ? rate : own;
        bare_bytes = bytes;
        child daemon = start(NULL, NULL);
        rate = rate_of(daemon.port, path, body, &bytes);
        ceiling = rate > ceiling ? rate : ceiling;
        end(&daemon);
    }
    bench_report(name, own, "requests/s", "bare libmicrohttpd POST", ceiling,
                 part * ceiling, BENCH_HIGHER);
}

static void bench_reads(void)
{
    char url[128];
    snprintf(url, sizeof url, "sqlite:%s/reads.db", dir);
    child server = start(url, EXAMPLES "/escrow/escrow.tenor");
    once(server.port, "/v1/contracts/escrow/instances/EscrowAccount", "{\"id\":\"a\"}");
    measure_reads("serve.evaluate", &server, "/v1/contracts/escrow/evaluate",
                  "{" FACTS "}", 0.7);
    measure_reads("serve.dry_run", &server,
                  "/v1/contracts/escrow/operations/release_escrow",
                  "{\"persona\":\"escrow_agent\",\"dry_run\":true,\"bindings\":{"
                  "\"EscrowAccount\":\"a\"}," FACTS "}",
                  0.6);
    end(&server);
}

#define ASK                                                                            \
    "{\"subject\":{\"type\":\"persona\",\"id\":\"escrow_agent\"},\"action\":{"         \
    "\"name\":"                                                                        \
    "\"release_escrow\"},\"resource\":{\"type\":\"EscrowAccount\",\"id\":\"a\"},"      \
    "\"context\":{" FACT_LIST "}}"

/* In turns, as above; the best of each counts. */
static void measure_decisions(const char *name, child *server, const char *what,
                              double part)
{
    double own = 0, verdicts = 0;
    size_t bytes;
    for (int round = 0; round < 3; round++) {
        double rate = rate_of(server->port, "/access/v1/evaluation", ASK, &bytes);
        own = rate > own ? rate : own;
        rate = rate_of(server->port, "/v1/contracts/escrow/evaluate", "{" FACTS "}",
                       &bytes);
        verdicts = rate > verdicts ? rate : verdicts;
    }
    bench_report(name, own, "decisions/s", what, verdicts, part * verdicts,
                 BENCH_HIGHER);
}

static void bench_authzen_with(const char *name, const char *what, const char *text,
                               double part)
{
    char url[128];
    mt_arena a = {0};
    mt_json tree;
    snprintf(url, sizeof url, "sqlite:%s/%s.db", dir, name);
    if (mt_json_read(&a, mt_str_z(text), NULL, &tree, NULL)) {
        die("settings");
    }
    configuration = &tree;
    child server = start(url, EXAMPLES "/escrow/escrow.tenor");
    once(server.port, "/v1/contracts/escrow/instances/EscrowAccount", "{\"id\":\"a\"}");
    measure_decisions(name, &server, what, part);
    end(&server);
    configuration = NULL;
    mt_arena_free(&a);
}

static void bench_authzen(void)
{
    bench_authzen_with("authzen.evaluate", "serve.evaluate, both unrecorded",
                       "{\"executor\":{\"decisions\":\"none\"}}", 0.8);
    bench_authzen_with("authzen.recorded", "serve.evaluate, which records nothing",
                       "{}", NAN);
}

static load *turning_with(int port, unsigned count, const char *facts)
{
    load *l = open_load(port, count);
    for (unsigned i = 0; i < count; i++) {
        char body[256];
        snprintf(
            body, sizeof body,
            "{\"persona\":\"driver\",\"facts\":%s,\"bindings\":{\"Wheel\":\"w%u\"}}",
            facts, i);
        set_request(&l->lines[i], "/v1/contracts/wheel/operations/turn", body);
    }
    return l;
}

static load *turning(int port, unsigned count)
{
    return turning_with(port, count, "{}");
}

static double best_of_three(load *l)
{
    double best = 0;
    closed_loop(l, 0.3);
    for (int round = 0; round < 3; round++) {
        double rate = closed_loop(l, 1);
        best = rate > best ? rate : best;
    }
    return best;
}

/* Refused without a look at a state, and recorded. */
static void bench_refused(int port)
{
    load *l = turning_with(port, MOST, "{\"go\":false}");
    l->wanted = "42";
    bench_report("serve.refused", best_of_three(l), "refusals/s", NULL, NAN, 20000,
                 BENCH_HIGHER);
    close_load(l);
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void bench_p99(int port, double half)
{
    load *l = turning(port, MOST);
    l->latencies = malloc(LATENCIES * sizeof *l->latencies);
    open_loop(l, half, 3);
    qsort(l->latencies, l->latency_count, sizeof *l->latencies, by_value);
    double p99 = l->latencies[l->latency_count * 99 / 100];
    bench_report("serve.p99", p99 / 1e6, "ms", NULL, NAN, NAN, BENCH_LOWER);
    close_load(l);
}

static void make_wheels(int port)
{
    for (int i = 0; i < MOST; i++) {
        char body[32];
        snprintf(body, sizeof body, "{\"id\":\"w%d\"}", i);
        once(port, "/v1/contracts/wheel/instances/Wheel", body);
    }
}

static const unsigned COUNTS[] = {1, 8, 64};

static void bench_writes(void)
{
    char url[128], name[32];
    double best = 0;
    snprintf(url, sizeof url, "sqlite:%s/writes.db", dir);
    child server = start(url, wheel);
    make_wheels(server.port);
    for (size_t i = 0; i < 3; i++) {
        load *l = turning(server.port, COUNTS[i]);
        best = best_of_three(l);
        close_load(l);
        snprintf(name, sizeof name, "serve.sqlite_%u", COUNTS[i]);
        bench_report(name, best, "operations/s", NULL, NAN,
                     COUNTS[i] == 64 ? 20000 : NAN, BENCH_HIGHER);
    }
    bench_p99(server.port, best / 2);
    bench_refused(server.port);
    end(&server);
}

/* ---- Tools ---- */

static void set_tool_call(line *c, const char *tool, const char *arguments)
{
    char head[256], body[1024];
    snprintf(head, sizeof head,
             "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: "
             "2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: %s\r\n",
             tool);
    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
             "\"name\":\"%s\",\"arguments\":%s,\"_meta\":{"
             "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
             "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
             tool, arguments);
    set_request_with(c, "/mcp/wheel/driver", head, body);
}

/* The same operation on the same instances, over /v1 or as a tool. */
static load *turning_as(int port, bool tool, bool dry)
{
    load *l = open_load(port, MOST);
    for (unsigned i = 0; i < MOST; i++) {
        char body[256];
        const char *before = tool ? "" : "\"persona\":\"driver\",";
        const char *try = dry && !tool ? "\"dry_run\":true," : "";
        int n = snprintf(body, sizeof body, "{%s%s\"bindings\":{\"Wheel\":\"w%u\"}}",
                         before, try, i);
        if (dry && tool) {
            char inner[128];
            memcpy(inner, body, (size_t)n + 1);
            snprintf(body, sizeof body, "{\"tool\":\"turn\",\"arguments\":%s}", inner);
        }
        if (tool) {
            set_tool_call(&l->lines[i], dry ? "dry_run" : "turn", body);
        } else {
            set_request(&l->lines[i], "/v1/contracts/wheel/operations/turn", body);
        }
    }
    l->says = tool ? "\"isError\":false" : "\"outcome\":\"success\"";
    return l;
}

/* In turns, so that a noisy moment hits both; the best of each counts. */
static void measure_tool(const char *name, int port, bool dry, double part)
{
    double best[2] = {0, 0};
    for (int round = 0; round < 3; round++) {
        for (int tool = 0; tool < 2; tool++) {
            load *l = turning_as(port, tool, dry);
            closed_loop(l, 0.3);
            double rate = closed_loop(l, 1);
            best[tool] = rate > best[tool] ? rate : best[tool];
            close_load(l);
        }
    }
    bench_report(name, best[1], "calls/s", "the same over /v1", best[0], part * best[0],
                 BENCH_HIGHER);
}

static void bench_mcp(void)
{
    char url[128];
    snprintf(url, sizeof url, "sqlite:%s/mcp.db", dir);
    child server = start(url, wheel);
    make_wheels(server.port);
    measure_tool("mcp.call", server.port, false, 0.7);
    measure_tool("mcp.call_dry_run", server.port, true, NAN);
    end(&server);
}

/* One counter of the server's. */
static double counted(int port, const char *name)
{
    load *l = open_load(port, 1);
    line *c = &l->lines[0];
    c->request_len =
        (size_t)snprintf(c->request, sizeof c->request,
                         "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ask(c);
    while (c->busy) {
        listen_once(l, 1000);
    }
    const char *at = strstr(c->heard, name);
    if (!at) {
        die(name);
    }
    double value = atof(at + strlen(name));
    close_load(l);
    return value;
}

static double turns_of(int port)
{
    load *l = turning(port, MOST);
    closed_loop(l, 0.2);
    double rate = closed_loop(l, 1);
    close_load(l);
    return rate;
}

/* What both servers do best, in turns. */
static void in_turns(double (*rate)(int port), const child *plain, const child *traced,
                     double best[2])
{
    best[0] = best[1] = 0;
    for (int round = 0; round < 5; round++) {
        double a = rate(plain->port), b = rate(traced->port);
        best[0] = a > best[0] ? a : best[0];
        best[1] = b > best[1] ? b : best[1];
    }
}

static double evaluations_of(int port)
{
    size_t bytes;
    return rate_of(port, "/v1/contracts/wheel/evaluate", "{}", &bytes);
}

/* The collector is the bare daemon: it takes what comes and says 200. */
static void bench_traced(void)
{
    char url[2][128], endpoint[64];
    double best[2];
    bare_bytes = 0;
    child discards = start(NULL, NULL);
    snprintf(endpoint, sizeof endpoint, "http://127.0.0.1:%d", discards.port);
    static tr_settings settings = {.service = "bench",
                                   .sample = 1,
                                   .queue = 65536,
                                   .timeout_ms = 10000,
                                   .every_ms = 1000,
                                   .metrics_ms = 15000};
    settings.endpoint = endpoint;
    snprintf(url[0], sizeof url[0], "sqlite:%s/plain.db", dir);
    snprintf(url[1], sizeof url[1], "sqlite:%s/traced.db", dir);
    child plain = start(url[0], wheel);
    collector = &settings;
    child traced = start(url[1], wheel);
    collector = NULL;
    make_wheels(plain.port);
    make_wheels(traced.port);
    in_turns(turns_of, &plain, &traced, best);
    bench_report("serve.traced", best[1], "operations/s", "without traces", best[0],
                 0.9 * best[0], BENCH_HIGHER);
    in_turns(evaluations_of, &plain, &traced, best);
    bench_report("serve.traced_evaluate", best[1], "requests/s", "without traces",
                 best[0], NAN, BENCH_HIGHER);
    double dropped = counted(traced.port, "\nmotet_otlp_traces_dropped_total ");
    bench_report("serve.traced_dropped", dropped, "traces", NULL, NAN, NAN,
                 BENCH_LOWER);
    end(&traced);
    end(&plain);
    end(&discards);
}

/* In turns, as above; the bare groups are as large as the server's just were. */
static void measure_pg(int port, unsigned count)
{
    char name[32];
    double own = 0, ceiling = 0;
    for (int round = 0; round < 3; round++) {
        load *l = turning(port, count);
        double groups = counted(port, "\nmotet_groups_total ");
        double grouped = counted(port, "\nmotet_grouped_calls_total ");
        double rate = closed_loop(l, 0.6);
        groups = counted(port, "\nmotet_groups_total ") - groups;
        grouped = counted(port, "\nmotet_grouped_calls_total ") - grouped;
        own = rate > own ? rate : own;
        close_load(l);
        usleep(100000); /* the last records are chained */
        rate = bare_postgres_rate(grouped / groups, 0.4);
        ceiling = rate > ceiling ? rate : ceiling;
    }
    snprintf(name, sizeof name, "serve.pg_%u", count);
    bench_report(name, own, "operations/s", "bare PostgreSQL", ceiling,
                 (count == 1 ? 0.7 : 0.8) * ceiling, BENCH_HIGHER);
}

static void bench_pg(const char *url)
{
    child server = start(url, wheel);
    make_wheels(server.port);
    load *l = turning(server.port, MOST);
    closed_loop(l, 0.2);
    close_load(l);
    usleep(200000); /* a record must be chained to be copied */
    bare_postgres_open(url);
    for (size_t i = 0; i < 3; i++) {
        measure_pg(server.port, COUNTS[i]);
    }
    bare_postgres_close();
    end(&server);
}

/* ---- Many instances ---- */

static size_t wanted_rows(void)
{
    const char *wanted = getenv("MOTET_BENCH_ROWS");
    return wanted ? (size_t)atol(wanted) : 1000000;
}

typedef struct crowd {
    pthread_mutex_t lock;
    pthread_cond_t some;
    unsigned in_flight;
} crowd;

static void created(void *state, ex_reply *reply)
{
    crowd *c = state;
    if (reply->status != 201) {
        fprintf(stderr, "bench_serve: %.*s\n", (int)reply->body.len, reply->body.ptr);
        exit(1);
    }
    pthread_mutex_lock(&c->lock);
    c->in_flight--;
    pthread_cond_signal(&c->some);
    pthread_mutex_unlock(&c->lock);
}

/* Calls and their bodies are borrowed until the answer, so they are kept in a ring that
 * is longer than what may be in flight; answers come in order. */
static void create_all(ex_executor *x, size_t rows)
{
    enum { FLIGHT = 512, RING = 1024 };
    static const ex_caller anyone = {.anyone = true};
    static ex_call calls[RING];
    static char bodies[RING][32];
    crowd c = {.in_flight = 0};
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.some, NULL);
    for (size_t i = 0; i <= rows; i++) {
        pthread_mutex_lock(&c.lock);
        while (c.in_flight > (i < rows ? FLIGHT : 0)) {
            pthread_cond_wait(&c.some, &c.lock);
        }
        c.in_flight++;
        pthread_mutex_unlock(&c.lock);
        if (i == rows) {
            break;
        }
        int len = snprintf(bodies[i % RING], sizeof *bodies, "{\"id\":\"i%zu\"}", i);
        calls[i % RING] = (ex_call){.action = EX_INSTANCE_CREATE,
                                    .caller = &anyone,
                                    .contract = MT_STR("wheel"),
                                    .name = MT_STR("Wheel"),
                                    .body = {bodies[i % RING], (size_t)len}};
        ex_executor_call(x, &calls[i % RING], created, &c);
    }
}

static double resident(void)
{
    long pages = 0, all = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &all, &pages) != 2) {
        die("statm");
    }
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* A server of its own, so that nothing else has grown its memory before. */
static double bytes_for_each(const char *url, size_t rows)
{
    int tell[2];
    double bytes = 0;
    if (pipe(tell)) {
        die("pipe");
    }
    pid_t pid = fork();
    if (pid == 0) {
        service s = serve(url, wheel);
        double before = resident();
        create_all(s.x, rows);
        bytes = (resident() - before) / (double)rows;
        if (write(tell[1], &bytes, sizeof bytes) < 0) {
            die("write");
        }
        stop(&s);
        exit(0);
    }
    if (read(tell[0], &bytes, sizeof bytes) != sizeof bytes) {
        die("the child did not count");
    }
    waitpid(pid, NULL, 0);
    close(tell[0]);
    close(tell[1]);
    return bytes;
}

static void bench_many(void)
{
    size_t rows = wanted_rows();
    char url[128];
    snprintf(url, sizeof url, "sqlite:%s/many.db", dir);
    bench_report("serve.instances", bytes_for_each(url, rows), "bytes", NULL, NAN, 300,
                 BENCH_LOWER);
    double best = INFINITY;
    for (int round = 0; round < 3; round++) {
        uint64_t began = bench_now();
        child server = start(url, wheel);
        once(server.port, "/v1/contracts/wheel/evaluate", "{}");
        double seconds = (double)(bench_now() - began) / 1e9;
        best = seconds < best ? seconds : best;
        end(&server);
    }
    bench_report("serve.start", best, "s", NULL, NAN, 1, BENCH_LOWER);
}

/* ---- Growth ---- */

static void make_numbered(int port, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char body[32];
        snprintf(body, sizeof body, "{\"id\":\"" GROWN_ID "\"}", i);
        once(port, "/v1/contracts/wheel/instances/Wheel", body);
    }
}

/* One instance, changed once, by a server; the others after its model. */
static void make_grown(const char *url, size_t rows)
{
    child server = start(url, wheel);
    make_numbered(server.port, 1);
    once(server.port, "/v1/contracts/wheel/operations/turn",
         "{\"persona\":\"driver\",\"bindings\":{\"Wheel\":\"i0000000\"}}");
    end(&server);
    uint64_t began = bench_now();
    grown_store(url, "wheel", "Wheel", rows);
    bench_report("serve.growth_load", (double)(bench_now() - began) / 1e9, "s", NULL,
                 NAN, NAN, BENCH_LOWER);
}

static double growth_rate(const child *c, size_t population, bool wanders)
{
    load *l = open_load(c->port, MOST);
    l->population = population;
    l->wanders = wanders;
    l->luck = bench_now();
    closed_loop(l, 0.3);
    double rate = closed_loop(l, 1);
    close_load(l);
    return rate;
}

static void keep_best(double *best, double rate)
{
    *best = rate > *best ? rate : *best;
}

/* In turns. The same load on both: one instance for each connection, in the large store
 * spread over all of it; and on instances chosen at random, where every operation is
 * about other pages of the file. */
static void bench_growth(void)
{
    char url[2][128];
    double plain = 0, large = 0, spread = 0;
    size_t rows = wanted_rows();
    snprintf(url[0], sizeof url[0], "sqlite:%s/empty.db", dir);
    snprintf(url[1], sizeof url[1], "sqlite:%s/grown.db", dir);
    make_grown(url[1], rows);
    child empty = start(url[0], wheel), grown = start(url[1], wheel);
    make_numbered(empty.port, MOST);
    for (int round = 0; round < 5; round++) {
        keep_best(&plain, growth_rate(&empty, MOST, false));
        keep_best(&large, growth_rate(&grown, rows, false));
        keep_best(&spread, growth_rate(&grown, rows, true));
    }
    bench_report("serve.growth", large, "operations/s", "an empty store", plain,
                 0.8 * plain, BENCH_HIGHER);
    bench_report("serve.growth_spread", spread, "operations/s", "an empty store", plain,
                 NAN, BENCH_HIGHER);
    end(&grown);
    end(&empty);
}

static void remove_all(void)
{
    static const char *const NAMES[] = {"reads.db",  "writes.db", "many.db", "plain.db",
                                        "traced.db", "empty.db",  "grown.db"};
    static const char *const ENDS[] = {"", "-wal", "-shm", ".lock"};
    char path[160];
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        for (size_t j = 0; j < 4; j++) {
            snprintf(path, sizeof path, "%s/%s%s", dir, NAMES[i], ENDS[j]);
            unlink(path);
        }
    }
    unlink(wheel);
    rmdir(dir);
}

static bool wanted(const char *only, const char *part)
{
    return !only || strcmp(only, part) == 0;
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : NULL;
    const char *postgres = getenv("MOTET_TEST_POSTGRES");
    if (!postgres) { /* once more, with a server around us */
        execlp("python3", "python3", WITH_POSTGRES, "--durable", argv[0], only, NULL);
        die("starting PostgreSQL");
    }
    if (!mkdtemp(dir)) {
        die("mkdtemp");
    }
    snprintf(wheel, sizeof wheel, "%s/wheel.tenor", dir);
    FILE *f = fopen(wheel, "w");
    if (!f || fputs(WHEEL, f) < 0 || fclose(f)) {
        die(wheel);
    }
    signal(SIGPIPE, SIG_IGN);
    if (wanted(only, "reads")) {
        bench_reads();
    }
    if (wanted(only, "authzen")) {
        bench_authzen();
    }
    if (wanted(only, "sqlite")) {
        bench_writes();
    }
    if (wanted(only, "traced")) {
        bench_traced();
    }
    if (wanted(only, "pg")) {
        bench_pg(postgres);
    }
    if (wanted(only, "growth")) {
        bench_growth();
    }
    if (wanted(only, "many")) {
        bench_many();
    }
    if (wanted(only, "mcp")) {
        bench_mcp();
    }
    remove_all();
    return 0;
}

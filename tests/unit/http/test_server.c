/* The server on a real socket, with an executor that only writes down what it is asked.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../rows.h"
#include "fake_executor.h"
#include "http/server.h"

static ht_server *server;
static ht_log silent = {.fd = -1};

static ht_options options(void)
{
    ht_options o = HT_OPTIONS_DEFAULT;
    o.executor = &fake;
    o.store = (st_store *)&fake;
    o.log = &silent;
    o.listen = "127.0.0.1:0";
    o.max_body = 1000;
    return o;
}

static void open_with(const ht_options *o)
{
    mt_buf why = {0};
    mt_err err = ht_server_open(o, &server, &why);
    if (err) {
        fail_msg("%.*s", MT_ARG(mt_buf_str(&why)));
    }
}

static int open_server(void **state)
{
    (void)state;
    fake_reset();
    ht_options o = options();
    open_with(&o);
    return 0;
}

static int close_server(void **state)
{
    (void)state;
    bool all = ht_server_drain(server, 5);
    ht_server_free(server);
    return all && !fake_transactions ? 0 : -1; /* whatever was begun was ended */
}

static int dial(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    at.sin_port = htons((uint16_t)atoi(strrchr(ht_server_address(server), ':') + 1));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

static void say(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Reads until `mark` has come, the other side closes, or two seconds are over. */
static void hear(int fd, char *to, size_t room, const char *mark)
{
    size_t len = 0;
    to[0] = '\0';
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int patience = mark ? 10000 : 2000; // what is sure to come may come late
    while (len < room - 1 && !(mark && strstr(to, mark)) && poll(&p, 1, patience) > 0) {
        ssize_t n = recv(fd, to + len, room - 1 - len, 0);
        if (n <= 0) {
            break;
        }
        len += (size_t)n;
        to[len] = '\0';
    }
}

static char heard[65536];

/* One request on a connection of its own. */
static void ask(const char *request)
{
    int fd = dial();
    say(fd, request);
    hear(fd, heard, sizeof heard, NULL);
    close(fd);
}

#define HOST  "Host: localhost\r\n"
#define CLOSE "Connection: close\r\n"
#define JSON  "Content-Type: application/json\r\n"

static const struct row {
    const char *name, *request;
    int status;
    const char *asked; /* what the executor heard; NULL: nothing */
    const char *holds; /* part of the answer; NULL: anything */
} ROWS[] = {
    {"health needs nothing", "GET /healthz HTTP/1.1\r\n" HOST CLOSE "\r\n", 200, NULL,
     "{\"status\":\"alive\"}"},
    {"readiness is the executor's", "GET /readyz HTTP/1.1\r\n" HOST CLOSE "\r\n", 200,
     NULL, "\"ready\""},
    {"metrics are joined", "GET /metrics HTTP/1.1\r\n" HOST CLOSE "\r\n", 200, NULL,
     "motet_fake 1"},
    {"the API is described", "GET /openapi.json HTTP/1.1\r\n" HOST CLOSE "\r\n", 200,
     NULL, "{\"components\":{\"headers\":"},
    {"discovery has its etag", "GET /.well-known/tenor HTTP/1.1\r\n" HOST CLOSE "\r\n",
     200, NULL, "ETag: \"abc\""},
    {"discovery of one contract",
     "GET /v1/contracts/escrow/.well-known/tenor HTTP/1.1\r\n" HOST CLOSE "\r\n", 200,
     NULL, "{\"etag\":\"abc\"}"},
    {"discovery of no contract",
     "GET /v1/contracts/none/.well-known/tenor HTTP/1.1\r\n" HOST CLOSE "\r\n", 404,
     NULL, "\"code\":\"not_found\""},
    {"a known etag needs no second look",
     "GET /.well-known/tenor HTTP/1.1\r\n" HOST CLOSE "If-None-Match: \"abc\"\r\n\r\n",
     304, NULL, NULL},
    {"a session is told in one line", "GET /session HTTP/1.1\r\n" HOST CLOSE "\r\n",
     200, NULL,
     "\r\n\r\n{\"actor\":\"unknown\",\"id\":\"anonymous\",\"known_by\":\"none\","
     "\"name\":\"anyone\",\"personas\":[],\"rights\":[]}"},
    {"HEAD has no body", "HEAD /healthz HTTP/1.1\r\n" HOST CLOSE "\r\n", 200, NULL,
     "Content-Length: 18"},
    {"OPTIONS tells the methods",
     "OPTIONS /v1/contracts HTTP/1.1\r\n" HOST CLOSE "\r\n", 204, NULL,
     "Allow: GET, HEAD, POST, OPTIONS"},
    {"a wrong method is told the right ones",
     "DELETE /v1/contracts HTTP/1.1\r\n" HOST CLOSE "\r\n", 405, NULL,
     "Allow: GET, HEAD, POST, OPTIONS"},
    {"an unknown path is a problem", "GET /nothing HTTP/1.1\r\n" HOST CLOSE "\r\n", 404,
     NULL, "application/problem+json"},
    {"a call has its parts",
     "POST /v1/contracts/escrow/operations/re%20lease HTTP/1.1\r\n" HOST CLOSE JSON
     "Idempotency-Key: k1\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
     200, "OPERATION [escrow] [re lease] [] {\"a\":1}|k1|anyone", "{\"ok\":true}"},
    {"a chunked body is put together",
     "POST /v1/contracts/c/evaluate HTTP/1.1\r\n" HOST CLOSE JSON
     "Transfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n",
     200, "EVALUATE [c] [] [] {\"a\":1}||anyone", NULL},
    {"a request id is repeated",
     "GET /healthz HTTP/1.1\r\n" HOST CLOSE "X-Request-Id: abc-1\r\n\r\n", 200, NULL,
     "X-Request-Id: abc-1\r\n"},
    {"a strange request id is not",
     "GET /healthz HTTP/1.1\r\n" HOST CLOSE "X-Request-Id: a b\r\n\r\n", 200, NULL,
     "X-Request-Id: "},
    {"another type is refused",
     "POST /v1/contracts/c/evaluate HTTP/1.1\r\n" HOST CLOSE
     "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}",
     415, NULL, "unsupported_media_type"},
    {"a body where none belongs is refused",
     "GET /v1/ledger HTTP/1.1\r\n" HOST CLOSE JSON "Content-Length: 2\r\n\r\n{}", 400,
     NULL, "takes no body"},
    {"a body too large is refused by its head",
     "POST /v1/contracts/c/evaluate HTTP/1.1\r\n" HOST CLOSE JSON
     "Content-Length: 1001\r\n\r\n",
     413, NULL, "too_large"},
    {"another host is refused", "GET /v1/ledger HTTP/1.1\r\nHost: evil.example\r\n\r\n",
     421, NULL, "wrong_host"},
    {"dot-dot is refused", "GET /v1/../ledger HTTP/1.1\r\n" HOST "\r\n", 400, NULL,
     NULL},
    {"FS16 escaped dots are only text",
     "GET /v1/%2e%2e/ledger HTTP/1.1\r\n" HOST "\r\n", 404, NULL, NULL},
    {"an escaped NUL is refused", "GET /v1/ledger%00 HTTP/1.1\r\n" HOST "\r\n", 400,
     NULL, NULL},
    {"length and coding are refused",
     "POST /v1/contracts/c/evaluate HTTP/1.1\r\n" HOST JSON
     "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
     "GET /v1/ledger HTTP/1.1\r\n" HOST "\r\n",
     400, NULL, NULL},
    {"two lengths are refused",
     "POST /v1/contracts/c/evaluate HTTP/1.1\r\n" HOST JSON
     "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
     400, NULL, NULL},
    {"two authorizations are refused",
     "GET /v1/ledger HTTP/1.1\r\n" HOST "Authorization: Bearer a\r\n"
     "Authorization: Bearer b\r\n\r\n",
     400, NULL, NULL},
    {"what is got is not kept by anybody",
     "GET /healthz HTTP/1.1\r\n" HOST CLOSE "\r\n", 200, NULL,
     "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"},
    {"what has an etag is asked about again",
     "GET /.well-known/tenor HTTP/1.1\r\n" HOST CLOSE "\r\n", 200, NULL,
     "Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n"},
    {"HEAD says the same", "HEAD /healthz HTTP/1.1\r\n" HOST CLOSE "\r\n", 200, NULL,
     "Cache-Control: no-store\r\n"},
    {"a problem says everything",
     "GET /nothing HTTP/1.1\r\n" HOST CLOSE "X-Request-Id: r-1\r\n\r\n", 404, NULL,
     "{\"code\":\"not_found\",\"detail\":\"there is nothing at this path\","
     "\"request_id\":\"r-1\",\"status\":404,\"title\":\"Not Found\","
     "\"type\":\"urn:motet:problem:not_found\"}"},
    {"a page of another origin writes nothing",
     "POST /v1/contracts/c/evaluate HTTP/1.1\r\n" HOST CLOSE JSON
     "Origin: http://evil.example\r\nContent-Length: 2\r\n\r\n{}",
     403, NULL, "cross_origin"},
    {"it may read",
     "GET /v1/flows HTTP/1.1\r\n" HOST CLOSE "Origin: http://evil.example\r\n\r\n", 200,
     "FLOW_LIST [] [] [] ||anyone", NULL},
    {"the page of this server writes",
     "POST /v1/contracts/c/evaluate HTTP/1.1\r\n" HOST CLOSE JSON
     "Origin: http://localhost\r\nContent-Length: 2\r\n\r\n{}",
     200, "EVALUATE [c] [] [] {}||anyone", NULL},
    {"a bad request ends the connection", "GET /v1/ledger%00 HTTP/1.1\r\n" HOST "\r\n",
     400, NULL, "Connection: close"},
    {"a target that is too long has a status of its own",
     "GET /1/2/3/4/5/6/7/8/9/10/11/12/13 HTTP/1.1\r\n" HOST CLOSE "\r\n", 414, NULL,
     "the path has too many segments"},
    {"an event id is a number", "GET /v1/events?from=x HTTP/1.1\r\n" HOST CLOSE "\r\n",
     400, NULL, "an event id is the number of a ledger record"},
    {"an event id has digits only",
     "GET /v1/events HTTP/1.1\r\n" HOST CLOSE "Last-Event-ID: 1/\r\n\r\n", 400, NULL,
     "an event id is the number of a ledger record"},
    {"an event id is not empty", "GET /v1/events?from= HTTP/1.1\r\n" HOST CLOSE "\r\n",
     400, NULL, NULL},
    {"an event id has 18 digits at most",
     "GET /v1/events?from=1000000000000000000 HTTP/1.1\r\n" HOST CLOSE "\r\n", 400,
     NULL, NULL},
    {"a malformed field says which",
     "GET /healthz HTTP/1.1\r\n" HOST "Content-Encoding: gzip\r\n\r\n", 400, NULL,
     "bodies are taken as they are, without a content coding"},
    {"no host is refused", "GET /v1/ledger HTTP/1.1\r\n\r\n", 400, NULL, NULL},
};

static void is_answered(void **state)
{
    const struct row *row = *state;
    fake.last[0] = '\0';
    ask(row->request);
    int status = 0;
    sscanf(heard, "HTTP/1.1 %d", &status);
    if (status != row->status || (row->holds && !strstr(heard, row->holds))) {
        fail_msg("heard %s", heard);
    }
    assert_null(strstr(heard + 4, "HTTP/1.1 2")); /* one answer, not two */
    assert_string_equal(fake.last, row->asked ? row->asked : "");
}

static void a_reply_that_comes_later_is_waited_for(void **state)
{
    (void)state;
    fake_later(50);
    fake.status = 201;
    fake.location = "/v1/flows/7";
    int fd = dial();
    for (int i = 0; i < 3; i++) { /* on one connection */
        say(fd, "POST /v1/contracts/c/flows/f HTTP/1.1\r\n" HOST JSON
                "Content-Length: 2\r\n\r\n{}");
        hear(fd, heard, sizeof heard, "{\"ok\":true}");
        assert_non_null(strstr(heard, "HTTP/1.1 201"));
        assert_non_null(strstr(heard, "Location: /v1/flows/7\r\n"));
    }
    close(fd);
}

static void who_leaves_before_the_reply_harms_nobody(void **state)
{
    (void)state;
    fake_later(30);
    for (int i = 0; i < 20; i++) {
        int fd = dial();
        say(fd, "POST /v1/contracts/c/flows/f HTTP/1.1\r\n" HOST JSON
                "Content-Length: 2\r\n\r\n{}");
        struct linger now = {1, 0};
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        close(fd);
    }
    usleep(100000);
    fake_later(0);
    ask("GET /healthz HTTP/1.1\r\n" HOST CLOSE "\r\n");
    assert_non_null(strstr(heard, "200 OK"));
}

static void a_body_at_the_limit_is_taken_and_one_beyond_is_not(void **state)
{
    (void)state;
    for (size_t len = 1000; len <= 1001; len++) {
        char body[1002] = "", request[1300];
        memset(body, ' ', len);
        snprintf(request, sizeof request,
                 "POST /v1/contracts/c/evaluate HTTP/1.1\r\n" HOST CLOSE JSON
                 "Content-Length: %zu\r\n\r\n%s",
                 len, body);
        ask(request);
        assert_non_null(strstr(heard, len > 1000 ? "HTTP/1.1 413" : "HTTP/1.1 200"));
        snprintf(request, sizeof request,
                 "POST /v1/contracts/c/evaluate HTTP/1.1\r\n" HOST CLOSE JSON
                 "Transfer-Encoding: chunked\r\n\r\n%zx\r\n%s\r\n0\r\n\r\n",
                 len, body);
        ask(request);
        assert_non_null(strstr(heard, len > 1000 ? "HTTP/1.1 413" : "HTTP/1.1 200"));
    }
    assert_int_equal(fake.calls, 2);
    assert_non_null(strstr(heard, "Connection: close"));
}

/* One connection, many requests: nothing of one is left in the next. */
static void a_request_has_nothing_of_the_one_before(void **state)
{
    (void)state;
    int fd = dial();
    say(fd, "POST /v1/contracts/c/operations/o HTTP/1.1\r\n" HOST JSON
            "Idempotency-Key: k1\r\nContent-Length: 7\r\n\r\n{\"a\":1}");
    hear(fd, heard, sizeof heard, "{\"ok\":true}");
    assert_string_equal(fake.last, "OPERATION [c] [o] [] {\"a\":1}|k1|anyone");
    say(fd, "GET /v1/flows HTTP/1.1\r\n" HOST "\r\n");
    hear(fd, heard, sizeof heard, "{\"ok\":true}");
    assert_string_equal(fake.last, "FLOW_LIST [] [] [] ||anyone");
    assert_string_equal(fake.digest, "");
    close(fd);
}

static void keyed(const char *target, const char *body)
{
    char request[512];
    snprintf(request, sizeof request,
             "POST %s HTTP/1.1\r\n" HOST CLOSE JSON
             "Idempotency-Key: k\r\nContent-Length: %zu\r\n\r\n%s",
             target, strlen(body), body);
    ask(request);
}

static void a_key_is_bound_to_target_and_body(void **state)
{
    (void)state;
    char first[65];
    keyed("/v1/contracts/c/operations/o", "{\"a\":1}");
    snprintf(first, sizeof first, "%s", fake.digest);
    assert_int_equal(strlen(first), 64);
    keyed("/v1/contracts/c/operations/o", "{\"a\":1}");
    assert_string_equal(fake.digest, first);
    keyed("/v1/contracts/c/operations/o", "{\"a\":2}");
    assert_string_not_equal(fake.digest, first);
    keyed("/v1/contracts/c/operations/p", "{\"a\":1}");
    assert_string_not_equal(fake.digest, first);
    assert_null(strstr(heard, "Idempotency-Replayed"));
    fake.replayed = true;
    keyed("/v1/contracts/c/operations/o", "{\"a\":1}");
    assert_non_null(strstr(heard, "Idempotency-Replayed: true\r\n"));
}

/* Only a GET whose answer is good and has this etag needs no body. */
static void an_answer_is_left_out_only_where_it_is_known(void **state)
{
    (void)state;
    fake.etag = "e1";
    ask("GET /v1/flows HTTP/1.1\r\n" HOST CLOSE "If-None-Match: \"e1\"\r\n\r\n");
    assert_non_null(strstr(heard, "HTTP/1.1 304"));
    assert_null(strstr(heard, "{\"ok\":true}"));
    ask("GET /v1/flows HTTP/1.1\r\n" HOST CLOSE "If-None-Match: \"e2\"\r\n\r\n");
    assert_non_null(strstr(heard, "HTTP/1.1 200"));
    assert_non_null(strstr(heard, "ETag: \"e1\"\r\n"));
    ask("POST /v1/contracts/c/evaluate HTTP/1.1\r\n" HOST CLOSE JSON
        "If-None-Match: \"e1\"\r\nContent-Length: 2\r\n\r\n{}");
    assert_non_null(strstr(heard, "HTTP/1.1 200"));
    assert_null(strstr(heard, "Cache-Control"));
    fake.status = 404;
    ask("GET /v1/flows HTTP/1.1\r\n" HOST CLOSE "If-None-Match: \"e1\"\r\n\r\n");
    assert_non_null(strstr(heard, "HTTP/1.1 404"));
    assert_non_null(strstr(heard, "application/problem+json"));
}

static void a_server_that_is_not_ready_says_why(void **state)
{
    (void)state;
    fake.ready = false;
    ask("GET /readyz HTTP/1.1\r\n" HOST CLOSE "\r\n");
    fake.ready = true;
    assert_non_null(strstr(heard, "HTTP/1.1 503"));
    assert_non_null(strstr(heard, "Retry-After: 1\r\n"));
    assert_non_null(
        strstr(heard, "{\"reason\":\"the store is gone\",\"status\":\"unavailable\"}"));
}

static unsigned long long figure(const char *name)
{
    char line[128];
    snprintf(line, sizeof line, "\nmotet_http_%s ", name);
    const char *at = strstr(heard, line);
    assert_non_null(at);
    return strtoull(at + strlen(line), NULL, 10);
}

/* Figures of what is over are exact; an answer is counted when it was sent. */
static void requests_and_answers_are_counted(void **state)
{
    (void)state;
    ask("GET /healthz HTTP/1.1\r\n" HOST CLOSE "\r\n");
    ask("GET /nothing HTTP/1.1\r\n" HOST CLOSE "\r\n");
    ask("GET /nothing HTTP/1.1\r\n" HOST CLOSE "\r\n");
    fake.status = 503;
    ask("GET /v1/flows HTTP/1.1\r\n" HOST CLOSE "\r\n");
    usleep(50000);
    ask("GET /metrics HTTP/1.1\r\n" HOST CLOSE "\r\n");
    assert_int_equal(figure("requests_total"), 5);
    assert_int_equal(figure("answers_total{class=\"2xx\"}"), 1);
    assert_int_equal(figure("answers_total{class=\"3xx\"}"), 0);
    assert_int_equal(figure("answers_total{class=\"4xx\"}"), 2);
    assert_int_equal(figure("answers_total{class=\"5xx\"}"), 1);
    assert_int_equal(figure("calls_under_way"), 0);
    assert_int_equal(figure("connections"), 1);
    assert_int_equal(figure("connections_total"), 5);
    assert_int_equal(figure("connections_refused_total"), 0);
    assert_int_equal(figure("connections_expired_total"), 0);
    assert_int_equal(figure("connections_evicted_total"), 0);
    assert_int_equal(figure("requests_limited_total"), 0);
    assert_int_equal(figure("event_streams"), 0);
    assert_int_equal(figure("log_lines_dropped_total"), 0);
    assert_non_null(strstr(heard, "text/plain; version=0.0.4; charset=utf-8"));
    assert_non_null(strstr(heard, "# TYPE motet_http_connections gauge\n"));
    assert_non_null(strstr(heard, "# HELP motet_http_connections open connections\n"));
}

static void a_chunked_body_too_large_is_refused(void **state)
{
    (void)state;
    char piece[700];
    memset(piece, ' ', sizeof piece);
    memcpy(piece, "2a0\r\n", 5);
    snprintf(piece + 5 + 0x2a0, 3, "\r\n");
    int fd = dial();
    say(fd, "POST /v1/contracts/c/evaluate HTTP/1.1\r\n" HOST JSON
            "Transfer-Encoding: chunked\r\n\r\n");
    say(fd, piece);
    say(fd, piece);
    say(fd, "0\r\n\r\n");
    hear(fd, heard, sizeof heard, NULL);
    close(fd);
    assert_non_null(strstr(heard, "HTTP/1.1 413"));
    assert_int_equal(fake.calls, 0);
}

static void events_come_as_they_happen_and_again(void **state)
{
    (void)state;
    fake_record("operation", "Order/o-1", "{\"n\":0}");
    int fd = dial();
    say(fd, "GET /v1/events HTTP/1.1\r\n" HOST "\r\n");
    hear(fd, heard, sizeof heard, "retry");
    fake_record("operation", "Order/o-1", "{\"n\":1}");
    fake_record("flow", "Order/o-2", "{\"n\":2}");
    hear(fd, heard, sizeof heard, "{\"n\":2}\n\n");
    assert_non_null(strstr(heard, "id: 1\nevent: operation\ndata: {\"n\":1}\n\n"));
    assert_non_null(strstr(heard, "id: 2\nevent: flow\ndata: {\"n\":2}\n\n"));
    assert_null(strstr(heard, "{\"n\":0}"));
    close(fd);
    fd = dial();
    say(fd, "GET /v1/events?entity=Order&instance=o-2 HTTP/1.1\r\n" HOST
            "Last-Event-ID: 0\r\n\r\n");
    hear(fd, heard, sizeof heard, "{\"n\":2}\n\n");
    assert_null(strstr(heard, "{\"n\":1}"));
    assert_non_null(strstr(heard, "id: 2\n"));
    close(fd);
}

/* What a filter leaves out is seen by what comes behind it. */
static const struct filter {
    const char *query, *has, *lacks;
} FILTERS[] = {
    {"kind=flow", "{\"n\":2}", "{\"n\":1}"},
    {"kind=operation", "{\"n\":1}", "{\"n\":2}"},
    {"contract=escrow", "{\"n\":1}", "nothing"},
    {"contract=other&kind=last", NULL, "{\"n\""},
    {"entity=Order", "{\"n\":1}", "{\"n\":2}"},
    {"entity=Item", "{\"n\":2}", "{\"n\":1}"},
    {"instance=i-2", "{\"n\":2}", "{\"n\":1}"},
    {"entity=Item&instance=o-1", NULL, "{\"n\""},
};

static void a_stream_has_what_its_filters_let_through(void **state)
{
    (void)state;
    fake_record("operation", "Order/o-1", "{\"n\":1}");
    fake_record("flow", "Stock/s-1 Item/i-2", "{\"n\":2}");
    for (size_t i = 0; i < rows_count(FILTERS); i++) {
        const struct filter *row = &FILTERS[i];
        char request[256];
        int fd = dial();
        snprintf(request, sizeof request,
                 "GET /v1/events?from=0&%s HTTP/1.1\r\n" HOST "\r\n", row->query);
        say(fd, request);
        hear(fd, heard, sizeof heard, row->has ? row->has : "retry: 1000\n\n");
        if (!row->has) { /* nothing may follow; it has had the time to */
            struct pollfd p = {.fd = fd, .events = POLLIN};
            assert_int_equal(poll(&p, 1, 400), 0);
        }
        assert_true(!row->has || strstr(heard, row->has));
        assert_null(strstr(heard, row->lacks));
        close(fd);
    }
}

static void a_stream_is_not_kept_on_its_way(void **state)
{
    (void)state;
    int fd = dial();
    say(fd, "GET /v1/events?from=999999999999999999 HTTP/1.1\r\n" HOST "\r\n");
    hear(fd, heard, sizeof heard, "retry: 1000\n\n");
    assert_non_null(strstr(heard, "Content-Type: text/event-stream\r\n"));
    assert_non_null(strstr(heard, "Cache-Control: no-store\r\n"));
    assert_non_null(strstr(heard, "X-Accel-Buffering: no\r\n"));
    assert_non_null(strstr(heard, "Connection: close\r\n"));
    close(fd);
}

static void one_stream_more_than_allowed_is_refused(void **state)
{
    (void)state;
    fake_reset();
    ht_options o = options();
    o.max_streams = 2;
    open_with(&o);
    int fds[2];
    for (int i = 0; i < 2; i++) {
        fds[i] = dial();
        say(fds[i], "GET /v1/events HTTP/1.1\r\n" HOST "\r\n");
        hear(fds[i], heard, sizeof heard, "retry");
        assert_non_null(strstr(heard, "HTTP/1.1 200"));
    }
    ask("GET /v1/events HTTP/1.1\r\n" HOST CLOSE "\r\n");
    assert_non_null(strstr(heard, "HTTP/1.1 503"));
    assert_non_null(strstr(heard, "too_many_streams"));
    ask("GET /metrics HTTP/1.1\r\n" HOST CLOSE "\r\n");
    assert_int_equal(figure("event_streams"), 2);
    fake_record("operation", "Order/o-1", "{\"n\":1}");
    for (int i = 0; i < 2; i++) { /* each of them hears it */
        hear(fds[i], heard, sizeof heard, "{\"n\":1}\n\n");
        assert_non_null(strstr(heard, "{\"n\":1}\n\n"));
    }
    assert_true(ht_server_drain(server, 5)); /* which ends them */
    for (int i = 0; i < 2; i++) {
        char byte;
        struct pollfd p = {.fd = fds[i], .events = POLLIN};
        assert_int_equal(poll(&p, 1, 5000), 1);
        while (recv(fds[i], &byte, 1, 0) > 0) {
        }
        close(fds[i]);
    }
    ht_server_free(server);
}

static void a_long_ledger_is_streamed_in_order(void **state)
{
    (void)state;
    for (int i = 0; i < 900; i++) {
        fake_record("operation", "Order/o", "{\"padding\":\"0123456789012345\"}");
    }
    int fd = dial();
    say(fd, "GET /v1/events?from=0 HTTP/1.1\r\n" HOST "\r\n");
    hear(fd, heard, sizeof heard, "id: 899\n");
    int next = 0;
    for (char *at = heard; (at = strstr(at, "id: ")); at += 4) {
        assert_int_equal(atoi(at + 4), next++);
    }
    assert_int_equal(next, 900);
    close(fd);
}

static void a_silent_stream_has_a_heartbeat(void **state)
{
    (void)state;
    fake_reset();
    ht_options o = options();
    o.heartbeat_seconds = 1;
    open_with(&o);
    int fd = dial();
    say(fd, "GET /v1/events HTTP/1.1\r\n" HOST "\r\n");
    hear(fd, heard, sizeof heard, "\n:\n\n");
    assert_non_null(strstr(heard, "\n:\n\n"));
    close(fd);
    assert_int_equal(close_server(NULL), 0);
}

static void workers_answer_too(void **state)
{
    (void)state;
    fake_reset();
    ht_options o = options();
    o.workers = 3;
    o.threads = 2;
    open_with(&o);
    for (unsigned i = 0; i < 50; i++) {
        fake_later(i % 2);
        ask("POST /v1/contracts/c/evaluate HTTP/1.1\r\n" HOST CLOSE JSON
            "Content-Length: 2\r\n\r\n{}");
        assert_non_null(strstr(heard, "200 OK"));
    }
    assert_int_equal(close_server(NULL), 0);
}

/* One byte now and then keeps nobody's place. */
static void who_trickles_is_sent_away(void **state)
{
    (void)state;
    fake_reset();
    ht_options o = options();
    o.peers.seconds[HT_WAITING] = o.peers.seconds[HT_SENDING] = 1;
    open_with(&o);
    int head = dial(), body = dial();
    say(body, "POST /v1/contracts/c/evaluate HTTP/1.1\r\n" HOST JSON
              "Content-Length: 900\r\n\r\n");
    int rounds = 0;
    for (; rounds < 40; rounds++) {
        bool one = send(head, "G", 1, MSG_NOSIGNAL) == 1;
        bool two = send(body, " ", 1, MSG_NOSIGNAL) == 1;
        if (!one && !two) {
            break;
        }
        ask("GET /healthz HTTP/1.1\r\n" HOST CLOSE "\r\n");
        assert_non_null(strstr(heard, "200 OK"));
        usleep(100000);
    }
    assert_true(rounds < 40);
    close(head);
    close(body);
    assert_int_equal(close_server(NULL), 0);
}

static void who_is_idle_keeps_nobody_out(void **state)
{
    (void)state;
    fake_reset();
    ht_options o = options();
    o.peers.connections = 64;
    open_with(&o);
    int idle[300];
    for (int i = 0; i < 300; i++) {
        idle[i] = dial();
    }
    ask("GET /healthz HTTP/1.1\r\n" HOST CLOSE "\r\n");
    assert_non_null(strstr(heard, "200 OK"));
    for (int i = 0; i < 300; i++) {
        close(idle[i]);
    }
    assert_int_equal(close_server(NULL), 0);
}

static void others_may_not_reach_an_open_server(void **state)
{
    (void)state;
    fake_reset();
    ht_options o = options();
    mt_buf why = {0};
    o.listen = "0.0.0.0:0";
    assert_int_equal(ht_server_open(&o, &server, &why), MT_E_DENIED);
    assert_true(why.len > 0);
    mt_buf_free(&why);
}

static void a_token_is_needed_once_there_is_one(void **state)
{
    (void)state;
    fake_reset();
    ht_options o = options();
    open_with(&o);
    mt_arena a = {0};
    mt_buf body = {0};
    char text[HT_TOKEN_TEXT + 1], request[512];
    ht_token t = {.name = MT_STR("Sam")};
    ht_token_make(&a, &t, text);
    ht_token_write(&body, &t);
    pthread_mutex_lock(&fake.lock);
    fake_tokens[0] = (fake_token){t.id, mt_buf_str(&body)};
    fake_token_count = 1;
    fake_stamp++;
    pthread_mutex_unlock(&fake.lock);
    usleep(700000);
    ask("GET /v1/flows HTTP/1.1\r\n" HOST CLOSE "\r\n");
    assert_non_null(strstr(heard, "HTTP/1.1 401"));
    assert_non_null(strstr(heard, "WWW-Authenticate: Bearer"));
    snprintf(request, sizeof request,
             "GET /v1/flows HTTP/1.1\r\n" HOST CLOSE "Authorization: Bearer %s\r\n\r\n",
             text);
    ask(request);
    assert_non_null(strstr(heard, "HTTP/1.1 200"));
    assert_string_equal(fake.last, "FLOW_LIST [] [] [] ||Sam");
    snprintf(request, sizeof request,
             "GET /metrics HTTP/1.1\r\n" HOST CLOSE "Authorization: Bearer %s\r\n\r\n",
             text);
    ask(request);
    assert_non_null(strstr(heard, "HTTP/1.1 403"));
    ask("GET /.well-known/tenor HTTP/1.1\r\n" HOST CLOSE "\r\n");
    assert_non_null(strstr(heard, "HTTP/1.1 200"));
    assert_int_equal(close_server(NULL), 0);
    mt_buf_free(&body);
    mt_arena_free(&a);
}

/* A token of the store with these rights; the server knows it after a moment. */
static void give_token(mt_arena *a, mt_str right, char text[HT_TOKEN_TEXT + 1])
{
    mt_buf body = {0};
    mt_str *rights = mt_new(a, mt_str);
    *rights = right;
    ht_token t = {.name = MT_STR("Sam"), .rights = rights, .right_count = 1};
    ht_token_make(a, &t, text);
    ht_token_write(&body, &t);
    pthread_mutex_lock(&fake.lock);
    fake_tokens[fake_token_count++] =
        (fake_token){t.id, mt_str_dup(a, mt_buf_str(&body))};
    fake_stamp++;
    pthread_mutex_unlock(&fake.lock);
    mt_buf_free(&body);
}

static void ask_as(const char *token, const char *target, const char *more)
{
    char request[512];
    snprintf(request, sizeof request,
             "GET %s HTTP/1.1\r\n" HOST "%sAuthorization: Bearer %s\r\n\r\n", target,
             more, token);
    ask(request);
}

static void rights_open_figures_and_events(void **state)
{
    (void)state;
    static const struct {
        const char *right;
        bool metrics, events;
    } RIGHTS[] = {{"metrics:read", true, false},
                  {"ledger:read", false, true},
                  {"admin", true, true},
                  {"deploy", false, false}};
    mt_arena a = {0};
    char texts[rows_count(RIGHTS)][HT_TOKEN_TEXT + 1];
    fake_reset();
    for (size_t i = 0; i < rows_count(RIGHTS); i++) {
        give_token(&a, mt_str_z(RIGHTS[i].right), texts[i]);
    }
    ht_options o = options();
    o.private_manifest = true;
    open_with(&o);
    for (size_t i = 0; i < rows_count(RIGHTS); i++) {
        ask_as(texts[i], "/metrics", CLOSE);
        assert_non_null(
            strstr(heard, RIGHTS[i].metrics ? "HTTP/1.1 200" : "HTTP/1.1 403"));
        ask_as(texts[i], "/v1/events?from=x", CLOSE); /* rights come first */
        assert_non_null(
            strstr(heard, RIGHTS[i].events ? "HTTP/1.1 400" : "HTTP/1.1 403"));
    }
    assert_non_null(strstr(heard, "\"needs\":[\"ledger:read\"]"));
    ask("GET /.well-known/tenor HTTP/1.1\r\n" HOST CLOSE "\r\n");
    assert_non_null(strstr(heard, "HTTP/1.1 401"));
    assert_non_null(strstr(heard, "Bearer realm=\"motet\"\r\n"));
    assert_non_null(strstr(heard, "a bearer token is needed"));
    ask("GET /openapi.json HTTP/1.1\r\n" HOST CLOSE "\r\n");
    assert_non_null(strstr(heard, "HTTP/1.1 401"));
    ask_as(texts[0], "/openapi.json", CLOSE);
    assert_non_null(strstr(heard, "HTTP/1.1 200"));
    ask_as("mt_0", "/v1/flows", CLOSE);
    assert_non_null(strstr(heard, "Bearer realm=\"motet\", error=\"invalid_token\""));
    assert_non_null(strstr(heard, "the token is not valid"));
    ask("GET /healthz HTTP/1.1\r\nHost: any.example\r\n" CLOSE "\r\n");
    assert_non_null(strstr(heard, "HTTP/1.1 200")); /* with tokens, any name will do */
    assert_int_equal(close_server(NULL), 0);
    mt_arena_free(&a);
}

static void a_token_that_is_gone_ends_its_stream(void **state)
{
    (void)state;
    mt_arena a = {0};
    char text[HT_TOKEN_TEXT + 1], request[256];
    fake_reset();
    give_token(&a, MT_STR("ledger:read"), text);
    ht_options o = options();
    open_with(&o);
    int fd = dial();
    snprintf(request, sizeof request,
             "GET /v1/events HTTP/1.1\r\n" HOST "Authorization: Bearer %s\r\n\r\n",
             text);
    say(fd, request);
    hear(fd, heard, sizeof heard, "retry: 1000\n\n");
    struct pollfd p = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&p, 1, 600), 0); /* a good one keeps its stream */
    pthread_mutex_lock(&fake.lock);
    fake_token_count = 0;
    fake_stamp++;
    pthread_mutex_unlock(&fake.lock);
    hear(fd, heard, sizeof heard, "\r\n0\r\n");
    char byte;
    assert_int_equal(recv(fd, &byte, 1, MSG_DONTWAIT) > 0, 0);
    assert_int_equal(poll(&p, 1, 5000), 1);
    close(fd);
    assert_int_equal(close_server(NULL), 0);
    mt_arena_free(&a);
}

/* Others are let in by --insecure: a program under any name, a page only by address. */
static void an_open_server_for_others_still_knows_pages(void **state)
{
    (void)state;
    fake_reset();
    ht_options o = options();
    o.insecure = true;
    open_with(&o);
    ask("GET /v1/flows HTTP/1.1\r\nHost: any.example\r\n" CLOSE "\r\n");
    assert_non_null(strstr(heard, "HTTP/1.1 200"));
    ask("POST /v1/contracts/c/evaluate HTTP/1.1\r\nHost: any.example\r\n" CLOSE JSON
        "Content-Length: 2\r\n\r\n{}");
    assert_non_null(strstr(heard, "HTTP/1.1 200"));
    ask("POST /v1/contracts/c/evaluate HTTP/1.1\r\nHost: any.example\r\n" CLOSE JSON
        "Origin: http://any.example\r\nContent-Length: 2\r\n\r\n{}");
    assert_non_null(strstr(heard, "HTTP/1.1 421"));
    ask("POST /v1/contracts/c/evaluate HTTP/1.1\r\nHost: 10.0.0.1\r\n" CLOSE JSON
        "Origin: http://10.0.0.1\r\nContent-Length: 2\r\n\r\n{}");
    assert_non_null(strstr(heard, "HTTP/1.1 200"));
    assert_int_equal(close_server(NULL), 0);
}

static void who_asks_too_often_is_told_to_wait(void **state)
{
    (void)state;
    fake_reset();
    ht_options o = options();
    o.peers.rate_per_minute = 2;
    o.peers.rate_local = true;
    open_with(&o);
    for (int i = 0; i < 3; i++) {
        ask("GET /healthz HTTP/1.1\r\n" HOST CLOSE "\r\n");
        assert_non_null(strstr(heard, i < 2 ? "HTTP/1.1 200" : "HTTP/1.1 429"));
    }
    assert_non_null(strstr(heard, "Retry-After: 1\r\n"));
    assert_non_null(strstr(heard, "rate_limited"));
    assert_int_equal(close_server(NULL), 0);
}

/* A pipe that keeps the log; what is in it comes after the server has ended. */
static void the_log_of_requests_says_who_and_what(void **state)
{
    (void)state;
    int ends[2];
    ht_log log = {.json = true};
    fake_reset();
    assert_int_equal(pipe(ends), 0);
    log.fd = ends[1];
    assert_int_equal(ht_log_open(&log, 1 << 16), MT_OK);
    ht_options o = options();
    o.log = &log;
    o.access_log = true;
    open_with(&o);
    fake_later(30);
    ask("GET /v1/flows?secret=1 HTTP/1.1\r\n" HOST CLOSE "X-Request-Id: r-1\r\n\r\n");
    ask("GET /v1/flows HTTP/1.1\r\n" HOST CLOSE "\r\n");
    assert_int_equal(close_server(NULL), 0);
    ht_log_close(&log);
    close(ends[1]);
    ssize_t len = read(ends[0], heard, sizeof heard - 1);
    assert_true(len > 0);
    heard[len] = '\0';
    close(ends[0]);
    const char *line = strstr(heard, "\"event\":\"request\",\"request_id\":\"r-1\","
                                     "\"method\":\"GET\",\"path\":\"/v1/flows\","
                                     "\"status\":200,\"token\":\"\",\"micros\":");
    assert_non_null(line);
    long micros = strtol(strstr(line, "micros\":") + 8, NULL, 10);
    assert_true(micros >= 30000 && micros < 60000000);
    const char *second = strstr(line, "\"request_id\":\"");
    second = strstr(second + 1, "\"request_id\":\"");
    assert_non_null(second); /* an id of ours: 24 hex digits */
    assert_int_equal(strspn(second + 14, "0123456789abcdef"), 24);
    assert_null(strstr(heard, "secret"));
}

/* Who is connected already hears that the server stops. */
static void a_request_while_it_stops_is_refused(void **state)
{
    (void)state;
    fake_reset();
    ht_options o = options();
    open_with(&o);
    int fd = dial(), busy = dial();
    say(fd, "GET /healthz HTTP/1.1\r\n" HOST "\r\n");
    hear(fd, heard, sizeof heard, "alive");
    fake_later(1000);
    say(busy, "GET /v1/flows HTTP/1.1\r\n" HOST "\r\n");
    usleep(100000);
    assert_false(ht_server_drain(server, 0)); /* one is under way */
    say(fd, "GET /healthz HTTP/1.1\r\n" HOST "\r\n");
    hear(fd, heard, sizeof heard, "stopping\"}");
    assert_non_null(strstr(heard, "HTTP/1.1 503"));
    assert_non_null(strstr(heard, "Retry-After: 1\r\n"));
    close(fd);
    hear(busy, heard, sizeof heard, "{\"ok\":true}");
    assert_non_null(strstr(heard, "HTTP/1.1 200"));
    close(busy);
    assert_int_equal(close_server(NULL), 0);
}

/* Ids are of this process and of this request. */
static void no_two_requests_have_one_id(void **state)
{
    (void)state;
    char ids[2][25];
    for (int round = 0; round < 2; round++) { /* two servers */
        fake_reset();
        ht_options o = options();
        open_with(&o);
        for (int i = 0; i < 2; i++) {
            ask("GET /healthz HTTP/1.1\r\n" HOST CLOSE "\r\n");
            snprintf(ids[i], sizeof ids[i], "%.24s",
                     strstr(heard, "X-Request-Id: ") + 14);
        }
        assert_int_equal(close_server(NULL), 0);
        assert_memory_equal(ids[0], ids[1], 16);
        assert_string_equal(ids[0] + 16, "00000000");
        assert_string_equal(ids[1] + 16, "00000001");
        static char before[17];
        assert_memory_not_equal(ids[0], before, 16);
        memcpy(before, ids[0], 16);
    }
}

static void what_runs_is_finished_before_the_end(void **state)
{
    (void)state;
    fake_reset();
    ht_options o = options();
    open_with(&o);
    fake_later(300);
    int fd = dial();
    say(fd, "POST /v1/contracts/c/flows/f HTTP/1.1\r\n" HOST JSON
            "Content-Length: 2\r\n\r\n{}");
    usleep(100000);
    assert_true(ht_server_drain(server, 5));
    hear(fd, heard, sizeof heard, "{\"ok\":true}");
    assert_non_null(strstr(heard, "HTTP/1.1 200"));
    ht_server_free(server);
    close(fd);
}

static void hear_elsewhere(void *state, int64_t seq)
{
    (void)state, (void)seq;
}

/* The executor may be gone by the time the server is freed. */
static void after_the_drain_the_executor_is_left_alone(void **state)
{
    (void)state;
    fake_reset();
    ht_options o = options();
    open_with(&o);
    assert_true(ht_server_drain(server, 5));
    assert_null(fake.news);
    fake.news = hear_elsewhere;
    ht_server_free(server);
    assert_ptr_equal(fake.news, hear_elsewhere);
    fake.news = NULL;
}

#define ON_ITS_OWN(test) cmocka_unit_test(test)
#define WITH_SERVER(test)                                                              \
    cmocka_unit_test_setup_teardown(test, open_server, close_server)

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ROWS, is_answered);
    for (size_t i = 0; i < list.count; i++) {
        list.tests[i].setup_func = open_server;
        list.tests[i].teardown_func = close_server;
    }
    /* Setup functions replace the state, so rows are given as initial state. */
    const struct CMUnitTest others[] = {
        WITH_SERVER(a_reply_that_comes_later_is_waited_for),
        WITH_SERVER(who_leaves_before_the_reply_harms_nobody),
        WITH_SERVER(a_body_at_the_limit_is_taken_and_one_beyond_is_not),
        WITH_SERVER(a_request_has_nothing_of_the_one_before),
        WITH_SERVER(a_key_is_bound_to_target_and_body),
        WITH_SERVER(an_answer_is_left_out_only_where_it_is_known),
        WITH_SERVER(a_server_that_is_not_ready_says_why),
        WITH_SERVER(requests_and_answers_are_counted),
        WITH_SERVER(a_stream_has_what_its_filters_let_through),
        WITH_SERVER(a_stream_is_not_kept_on_its_way),
        ON_ITS_OWN(one_stream_more_than_allowed_is_refused),
        ON_ITS_OWN(rights_open_figures_and_events),
        ON_ITS_OWN(a_token_that_is_gone_ends_its_stream),
        ON_ITS_OWN(an_open_server_for_others_still_knows_pages),
        ON_ITS_OWN(who_asks_too_often_is_told_to_wait),
        ON_ITS_OWN(the_log_of_requests_says_who_and_what),
        ON_ITS_OWN(a_request_while_it_stops_is_refused),
        ON_ITS_OWN(no_two_requests_have_one_id),
        WITH_SERVER(a_chunked_body_too_large_is_refused),
        WITH_SERVER(events_come_as_they_happen_and_again),
        WITH_SERVER(a_long_ledger_is_streamed_in_order),
        ON_ITS_OWN(a_silent_stream_has_a_heartbeat),
        ON_ITS_OWN(workers_answer_too),
        ON_ITS_OWN(who_trickles_is_sent_away),
        ON_ITS_OWN(who_is_idle_keeps_nobody_out),
        ON_ITS_OWN(others_may_not_reach_an_open_server),
        ON_ITS_OWN(a_token_is_needed_once_there_is_one),
        ON_ITS_OWN(what_runs_is_finished_before_the_end),
        ON_ITS_OWN(after_the_drain_the_executor_is_left_alone),
    };
    for (size_t i = 0; i < rows_count(others); i++) {
        list.tests[list.count++] = others[i];
    }
    return rows_run(&list, "http/server");
}

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
    return all ? 0 : -1;
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
    };
    for (size_t i = 0; i < rows_count(others); i++) {
        list.tests[list.count++] = others[i];
    }
    return rows_run(&list, "http/server");
}

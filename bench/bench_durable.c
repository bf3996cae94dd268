/* bench/bench_durable.c - messages a second over a durable relay: one sender and one
 * reader that say hello, number and acknowledge, as docs/adr/0027 has it.
 * The baseline is JetStream alone, in the same run on the same server: a publisher that
 * waits for no answer before the next message but for all at the end, and a consumer
 * with the same window and steps of acknowledgement. Both store the same lines in a
 * file. They run in turns, and the best of the rounds counts; every message must be
 * stored, and come. */
#include <errno.h>
#include <math.h>
#include <nats/nats.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "relay_process.h"

enum { MESSAGES = 60000, ROUNDS = 5, BLOCK = 65536, STEP = 64, WINDOW = 1024 };

static const char LINE[] =
    "{\"_payload\":{\"from\":\"3e1c26d3-23ef-423e-a848-f808f54d35bf\",\"intent\":"
    "\"register\",\"to\":null},\"_type\":{\"from\":\"str\",\"intent\":\"str\",\"to\":"
    "\"null\"},\"_version\":\"1.3.0\"}";

static char directory[] = "/tmp/motet-bench-XXXXXX", url[64];

static void need(natsStatus s, const char *what)
{
    if (s != NATS_OK) {
        fprintf(stderr, "%s: %s\n", what, natsStatus_GetText(s));
        exit(1);
    }
}

/* ---- a server of this run ---- */

static int free_port(void)
{
    os_address at;
    char text[OS_ADDRESS_TEXT];
    os_address_find("127.0.0.1:0", &at);
    int fd = os_listen(&at, 1);
    if (fd < 0 || os_address_of(fd, &at)) {
        bench_die("listen");
    }
    os_address_print(&at, text);
    close(fd);
    return atoi(strrchr(text, ':') + 1);
}

static bool answers(const char *port)
{
    char where[32];
    int error = 1;
    socklen_t len = sizeof error;
    os_address at;
    snprintf(where, sizeof where, "127.0.0.1:%s", port);
    int fd = os_address_find(where, &at) ? -1 : os_connect(&at);
    if (fd >= 0 && poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, 2000) == 1) {
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
    }
    close(fd);
    return !error;
}

static pid_t start_server(void)
{
    char port[8];
    snprintf(port, sizeof port, "%d", free_port());
    snprintf(url, sizeof url, "nats://127.0.0.1:%s", port);
    if (!mkdtemp(directory)) {
        bench_die("mkdtemp");
    }
    pid_t pid = fork();
    if (pid == 0) {
        execlp("nats-server", "nats-server", "-a", "127.0.0.1", "-p", port, "-js",
               "-sd", directory, "-l", "/dev/null", (char *)NULL);
        bench_die("nats-server");
    }
    for (int i = 0; i < 100; i++) { /* not by the library, whose threads no child has */
        if (answers(port)) {
            return pid;
        }
        usleep(50000);
    }
    errno = ETIMEDOUT;
    bench_die("nats-server");
    return pid;
}

static void stop_server(pid_t pid)
{
    char command[128];
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    snprintf(command, sizeof command, "rm -rf %s", directory);
    if (system(command) != 0) {
        bench_die("rm");
    }
}

/* ---- JetStream alone ---- */

static jsCtx *bare_connect(natsConnection **c)
{
    jsCtx *js = NULL;
    jsOptions o;
    jsOptions_Init(&o);
    o.PublishAsync.MaxPending = 16384;
    need(natsConnection_ConnectTo(c, url), "connect");
    need(natsConnection_JetStream(&js, *c, &o), "JetStream");
    return js;
}

static void bare_publish(const char *subject, const char *body, int len)
{
    natsConnection *c = NULL;
    jsCtx *js = bare_connect(&c);
    jsPubOptions o;
    jsPubOptions_Init(&o);
    o.MaxWait = 60000;
    for (int i = 0; i < MESSAGES; i++) {
        need(js_PublishAsync(js, subject, body, len, NULL), "publish");
    }
    need(js_PublishAsyncComplete(js, &o), "answers");
    _exit(0);
}

static void bare_consume(jsCtx *js, natsSubscription *sub)
{
    (void)js;
    for (int i = 1; i <= MESSAGES; i++) {
        natsMsg *m = NULL;
        need(natsSubscription_NextMsg(&m, sub, 60000), "message");
        if (i % STEP == 0) {
            need(natsMsg_Ack(m, NULL), "ack");
        }
        natsMsg_Destroy(m);
    }
}

/* The line as a relay would wrap it, so that both store as much. */
static int wrap_line(char *out, size_t size)
{
    char escaped[2 * sizeof LINE];
    size_t n = 0;
    for (const char *p = LINE; *p; p++) {
        if (*p == '"') {
            escaped[n++] = '\\';
        }
        escaped[n++] = *p;
    }
    return snprintf(out, size,
                    "sender 12345 {\"content\":\"%.*s\",\"remote_addr\":"
                    "\"127.0.0.1:12345\"}",
                    (int)n, escaped);
}

static natsSubscription *bare_subscribe(jsCtx *js, const char *name,
                                        const char *subject)
{
    natsSubscription *sub = NULL;
    jsStreamConfig stream;
    jsSubOptions o;
    jsStreamConfig_Init(&stream);
    stream.Name = name;
    stream.Subjects = &subject;
    stream.SubjectsLen = 1;
    stream.Storage = js_FileStorage;
    need(js_AddStream(NULL, js, &stream, NULL, NULL), "stream");
    jsSubOptions_Init(&o);
    o.ManualAck = true;
    o.Config.AckPolicy = js_AckAll;
    o.Config.MaxAckPending = WINDOW;
    o.Config.MemoryStorage = true;
    need(js_SubscribeSync(&sub, js, subject, NULL, &o, NULL), "subscribe");
    return sub;
}

static double bare(int round)
{
    char name[32], subject[32], body[1024];
    natsConnection *c = NULL;
    int len = wrap_line(body, sizeof body);
    snprintf(name, sizeof name, "bare%d", round);
    snprintf(subject, sizeof subject, "bare.%d", round);
    pid_t publisher = fork();
    if (publisher == 0) {
        usleep(300000); /* until there is a consumer */
        bare_publish(subject, body, len);
    }
    jsCtx *js = bare_connect(&c);
    natsSubscription *sub = bare_subscribe(js, name, subject);
    usleep(400000);
    uint64_t start = bench_now() - 100000000u;
    bare_consume(js, sub);
    int status;
    waitpid(publisher, &status, 0);
    double seconds = (double)(bench_now() - start) / 1e9;
    need(status ? NATS_ERR : NATS_OK, "publisher");
    natsSubscription_Destroy(sub);
    js_DeleteStream(js, name, NULL, NULL);
    jsCtx_Destroy(js);
    natsConnection_Destroy(c);
    return MESSAGES / seconds;
}

/* ---- over a relay ---- */

static pid_t start_relay(const char *room, os_address *at)
{
    nt_relay_config config = NT_RELAY_DEFAULT;
    config.bus = url;
    config.room = room;
    config.durable = true;
    return bench_relay_start(&config, at);
}

static void send_all(int fd, const char *from, size_t len)
{
    if (!bench_send_all(fd, from, len)) {
        bench_die("send");
    }
}

static size_t receive(int fd, char *block, size_t size)
{
    poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 60000);
    ssize_t n = recv(fd, block, size, 0);
    if (n <= 0) {
        bench_die("receive");
    }
    return (size_t)n;
}

static int member(const os_address *at, const char *name, const char *from)
{
    char hello[160], block[1024];
    int fd = os_connect(at);
    if (fd < 0 || poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, 2000) != 1) {
        bench_die("connect");
    }
    int len = snprintf(hello, sizeof hello,
                       "{\"_relay\":\"hello\",\"from\":\"%s\",\"id\":\"1\",\"name\":"
                       "\"%s\"}\n",
                       from, name);
    send_all(fd, hello, (size_t)len);
    size_t n = receive(fd, block, sizeof block);
    if (!memmem(block, n, "\"welcome\"", 9)) {
        bench_die("welcome");
    }
    return fd;
}

/* All lines, then what is kept up to the last. */
static void flood(int fd)
{
    static char block[BLOCK];
    size_t len = 0;
    for (int i = 1; i <= MESSAGES; i++) {
        len += (size_t)snprintf(block + len, sizeof block - len, "%d %s\n", i, LINE);
        if (len > sizeof block - 2 * sizeof LINE || i == MESSAGES) {
            send_all(fd, block, len);
            len = 0;
        }
    }
    char last[32];
    int want = snprintf(last, sizeof last, "\"number\":%d}", MESSAGES);
    for (size_t kept = 0; !memmem(block, kept, last, (size_t)want);) {
        size_t n = receive(fd, block + kept, sizeof block - kept);
        kept += n;
        if (kept > sizeof block / 2) { /* a word may lie across two reads */
            memmove(block, block + kept - 64, 64);
            kept = 64;
        }
    }
    _exit(0);
}

static void read_all(int fd)
{
    static char block[BLOCK];
    char ack[32];
    for (int lines = 0, acked = 0; lines < MESSAGES;) {
        size_t n = receive(fd, block, sizeof block);
        for (char *p = block; (p = memchr(p, '\n', (size_t)(block + n - p))); p++) {
            lines++;
        }
        if (lines - acked >= STEP) {
            acked = lines;
            send_all(fd, ack, (size_t)snprintf(ack, sizeof ack, "ack %d\n", acked));
        }
    }
}

static double durable(int round)
{
    os_address at;
    char room[32];
    snprintf(room, sizeof room, "round%d", round);
    pid_t relay = start_relay(room, &at);
    int reader = member(&at, "reader", "new"), sender = member(&at, "sender", "none");
    usleep(200000); /* until consumers are there */
    uint64_t start = bench_now();
    pid_t flooding = fork();
    if (flooding == 0) {
        flood(sender);
    }
    read_all(reader);
    int status;
    waitpid(flooding, &status, 0);
    double seconds = (double)(bench_now() - start) / 1e9;
    need(status ? NATS_ERR : NATS_OK, "sender");
    kill(relay, SIGKILL);
    waitpid(relay, NULL, 0);
    close(reader);
    close(sender);
    return MESSAGES / seconds;
}

/* Each measurement is a child: threads of a library do not survive a fork. */
static double apart(double (*measure)(int), int round)
{
    int pipes[2];
    double rate = 0;
    if (pipe(pipes) != 0) {
        bench_die("pipe");
    }
    pid_t pid = fork();
    if (pid == 0) {
        rate = measure(round);
        _exit(write(pipes[1], &rate, sizeof rate) != sizeof rate);
    }
    close(pipes[1]);
    if (read(pipes[0], &rate, sizeof rate) != sizeof rate) {
        bench_die("a measurement failed");
    }
    close(pipes[0]);
    waitpid(pid, NULL, 0);
    return rate;
}

int main(void)
{
    double ours = 0, alone = 0;
    signal(SIGPIPE, SIG_IGN);
    pid_t server = start_server();
    for (int i = 0; i < ROUNDS; i++) {
        alone = fmax(alone, apart(bare, i));
        ours = fmax(ours, apart(durable, i));
    }
    stop_server(server);
    bench_report("agent.durable", ours, "messages/s", "JetStream alone", alone,
                 0.6 * alone, BENCH_HIGHER);
    return 0;
}

#include "net/bus.h"

#include <openssl/rand.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/late_nats.h"
#include "base/utf8.h"

enum {
    NODE_BYTES = 8,
    NODE_TEXT = 2 * NODE_BYTES,
    NODES = 256,          /* other relays remembered */
    IN_BYTES = 4 << 20,   /* lines taken from the library, not yet by the relay */
    OUT_BYTES = 16 << 20, /* lines of our agents for the library to take */
    PENDING_BYTES = 64 << 20,
    RECONNECT_BYTES = 8 << 20,
    RECONNECT_MS = 250,
    CONNECT_MS = 3000,
    FLUSH_MS = 1000
};

/* How far we have heard another relay. */
typedef struct node {
    char name[NODE_TEXT];
    uint64_t number;
    uint64_t used; /* for choosing whom to forget */
} node;

struct nt_bus {
    natsConnection *connection;
    natsSubscription *subscription;
    char subject[128];
    char name[NODE_TEXT + 1];
    size_t line_limit;
    int wake;

    pthread_mutex_t lock; /* guards everything down to the next blank line */
    pthread_cond_t room_in, work_out, gone;
    mt_buf in, out;
    uint64_t in_lines;
    bool closing;
    bool hears, talks; /* the library may still call us: messages, events */
    nt_stats counted;  /* since the last nt_bus_news() */

    pthread_t publisher;
    bool publishing;  /* the thread runs */
    uint64_t number;  /* of our last line; the relay's thread only */
    uint64_t dropped; /* as the library last said; the relay's thread only */

    node nodes[NODES]; /* the library's thread only */
    size_t node_count;
    uint64_t clock;
};

/* ---- in: on the library's thread ---- */

static node *find_node(nt_bus *b, const char *name, bool *added)
{
    node *oldest = NULL;
    *added = false;
    for (size_t i = 0; i < b->node_count; i++) {
        node *n = &b->nodes[i];
        if (memcmp(n->name, name, NODE_TEXT) == 0) {
            return n;
        }
        oldest = !oldest || n->used < oldest->used ? n : oldest;
    }
    node *n = b->node_count < NODES ? &b->nodes[b->node_count++] : oldest;
    memcpy(n->name, name, NODE_TEXT);
    *added = true;
    return n;
}

typedef struct parcel {
    const char *node;
    uint64_t number;
    mt_str line;
} parcel;

static bool read_parcel(const nt_bus *b, mt_str data, parcel *out)
{
    if (data.len < NODE_TEXT + 3 || data.ptr[NODE_TEXT] != ' ') {
        return false;
    }
    mt_str rest = mt_str_skip(data, NODE_TEXT + 1);
    size_t digits = mt_str_find(rest, ' ');
    if (!digits || digits > 19 || digits == rest.len) {
        return false;
    }
    *out = (parcel){.node = data.ptr, .line = mt_str_skip(rest, digits + 1)};
    for (size_t i = 0; i < digits; i++) {
        if (rest.ptr[i] < '0' || rest.ptr[i] > '9') {
            return false;
        }
        out->number = out->number * 10 + (uint64_t)(rest.ptr[i] - '0');
    }
    return out->number && out->line.len && out->line.ptr[0] == '{' &&
           out->line.len < b->line_limit &&
           mt_str_find(out->line, '\n') == out->line.len &&
           mt_utf8_check(out->line) == out->line.len;
}

/* New, or heard before? Counts what is missing in between. */
static bool is_new(nt_bus *b, const parcel *p)
{
    bool added;
    node *n = find_node(b, p->node, &added);
    n->used = ++b->clock;
    if (!added && p->number <= n->number) {
        b->counted.bus_duplicates++;
        return false;
    }
    if (!added) {
        b->counted.bus_lost += p->number - n->number - 1;
    }
    n->number = p->number;
    return true;
}

static void wake_relay(const nt_bus *b)
{
    uint64_t one = 1;
    ssize_t n = write(b->wake, &one, sizeof one);
    (void)n; /* a full eventfd is a wake-up already */
}

static void keep_line(nt_bus *b, mt_str line)
{
    while (b->in.len + line.len > IN_BYTES && !b->closing) {
        pthread_cond_wait(&b->room_in, &b->lock);
    }
    if (!b->in_lines) {
        wake_relay(b);
    }
    mt_buf_adds(&b->in, line);
    mt_buf_addc(&b->in, '\n');
    b->in_lines++;
}

static void on_message(natsConnection *connection, natsSubscription *subscription,
                       natsMsg *message, void *closure)
{
    (void)connection;
    (void)subscription;
    nt_bus *b = closure;
    mt_str data = {natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message)};
    parcel p;
    pthread_mutex_lock(&b->lock);
    if (!read_parcel(b, data, &p)) {
        b->counted.bus_malformed++;
    } else if (is_new(b, &p)) {
        keep_line(b, p.line);
    }
    pthread_mutex_unlock(&b->lock);
    natsMsg_Destroy(message);
}

static void on_error(natsConnection *connection, natsSubscription *subscription,
                     natsStatus status, void *closure)
{
    (void)connection;
    (void)subscription;
    nt_bus *b = closure;
    pthread_mutex_lock(&b->lock);
    if (status == NATS_SLOW_CONSUMER) {
        b->counted.bus_slow_consumer++;
    }
    pthread_mutex_unlock(&b->lock);
}

static void on_disconnect(natsConnection *connection, void *closure)
{
    (void)connection;
    nt_bus *b = closure;
    pthread_mutex_lock(&b->lock);
    b->counted.bus_disconnects++;
    pthread_mutex_unlock(&b->lock);
}

/* The library's last words: after them it calls us no more. */
static void on_last_message(void *closure)
{
    nt_bus *b = closure;
    pthread_mutex_lock(&b->lock);
    b->hears = false;
    pthread_cond_broadcast(&b->gone);
    pthread_mutex_unlock(&b->lock);
}

static void on_closed(natsConnection *connection, void *closure)
{
    (void)connection;
    nt_bus *b = closure;
    pthread_mutex_lock(&b->lock);
    b->talks = false;
    pthread_cond_broadcast(&b->gone);
    pthread_mutex_unlock(&b->lock);
}

/* ---- out: on a thread of our own, because the library may block ---- */

static uint64_t publish_all(nt_bus *b, mt_str lines)
{
    uint64_t failed = 0;
    while (lines.len) {
        size_t end = mt_str_find(lines, '\n');
        failed += natsConnection_Publish(b->connection, b->subject, lines.ptr,
                                         (int)end) != NATS_OK;
        lines = mt_str_skip(lines, end + 1);
    }
    return failed;
}

static void *publish_loop(void *closure)
{
    nt_bus *b = closure;
    mt_buf work = {0};
    pthread_mutex_lock(&b->lock);
    while (!b->closing || b->out.len) {
        if (!b->out.len) {
            pthread_cond_wait(&b->work_out, &b->lock);
            continue;
        }
        mt_buf swap = work;
        work = b->out;
        b->out = swap;
        pthread_mutex_unlock(&b->lock);
        uint64_t failed = publish_all(b, mt_buf_str(&work));
        mt_buf_clear(&work);
        pthread_mutex_lock(&b->lock);
        b->counted.bus_errors += failed;
    }
    pthread_mutex_unlock(&b->lock);
    mt_buf_free(&work);
    return NULL;
}

uint64_t nt_bus_publish(nt_bus *b, mt_str lines)
{
    uint64_t failed = 0;
    pthread_mutex_lock(&b->lock);
    while (lines.len) {
        size_t end = mt_str_find(lines, '\n') + 1;
        b->number++; /* a line that finds no room leaves a gap the others can see */
        if (b->out.len + end > OUT_BYTES) {
            failed++;
        } else {
            mt_buf_add(&b->out, b->name, NODE_TEXT);
            mt_buf_addc(&b->out, ' ');
            mt_buf_add_u64(&b->out, b->number);
            mt_buf_addc(&b->out, ' ');
            mt_buf_add(&b->out, lines.ptr, end);
        }
        lines = mt_str_skip(lines, end);
    }
    pthread_mutex_unlock(&b->lock);
    return failed;
}

void nt_bus_flush(nt_bus *b)
{
    pthread_mutex_lock(&b->lock);
    if (b->out.len) {
        pthread_cond_signal(&b->work_out);
    }
    pthread_mutex_unlock(&b->lock);
}

/* ---- the relay's side ---- */

int nt_bus_fd(const nt_bus *b)
{
    return b->wake;
}

uint64_t nt_bus_take(nt_bus *b, mt_buf *out, size_t room)
{
    pthread_mutex_lock(&b->lock);
    size_t take = b->in.len;
    uint64_t lines = b->in_lines;
    if (take > room) {
        take = 0;
        for (lines = 0; take < room; lines++) {
            take += mt_str_find(mt_str_skip(mt_buf_str(&b->in), take), '\n') + 1;
        }
    }
    mt_buf_add(out, b->in.ptr, take);
    b->in.len -= take;
    if (b->in.len) {
        memmove(b->in.ptr, b->in.ptr + take, b->in.len);
        wake_relay(b);
    }
    b->in_lines -= lines;
    if (take) {
        pthread_cond_signal(&b->room_in);
    }
    pthread_mutex_unlock(&b->lock);
    return lines;
}

bool nt_bus_news(nt_bus *b, nt_stats *stats, mt_buf *why)
{
    int64_t dropped = 0;
    natsSubscription_GetDropped(b->subscription, &dropped);
    pthread_mutex_lock(&b->lock);
    nt_stats news = b->counted;
    b->counted = (nt_stats){0};
    pthread_mutex_unlock(&b->lock);
    if (dropped > 0 && (uint64_t)dropped > b->dropped) {
        news.bus_dropped = (uint64_t)dropped - b->dropped;
        b->dropped = (uint64_t)dropped;
    }
    const struct {
        uint64_t count, *total;
        const char *text;
    } rows[] = {
        {news.bus_slow_consumer, &stats->bus_slow_consumer, "times a slow consumer"},
        {news.bus_dropped, &stats->bus_dropped, "lines dropped"},
        {news.bus_lost, &stats->bus_lost, "lines of other relays lost"},
        {news.bus_duplicates, &stats->bus_duplicates, "lines came twice"},
        {news.bus_malformed, &stats->bus_malformed, "messages are no relay's"},
        {news.bus_errors, &stats->bus_errors, "lines could not be published"},
        {news.bus_disconnects, &stats->bus_disconnects, "times disconnected"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *rows[i].total += rows[i].count;
        if (rows[i].count) {
            mt_buf_addf(why, "%s%llu %s",
                        why->len ? ", " : "bus: ", (unsigned long long)rows[i].count,
                        rows[i].text);
        }
    }
    return why->len > 0;
}

/* ---- opening and closing ---- */

static natsStatus set_options(nt_bus *b, natsOptions *options, const char *url)
{
    natsStatus s = natsOptions_SetURL(options, url);
    s = s ? s : natsOptions_SetNoEcho(options, true);
    s = s ? s : natsOptions_SetTimeout(options, CONNECT_MS);
    s = s ? s : natsOptions_SetMaxReconnect(options, -1);
    s = s ? s : natsOptions_SetReconnectWait(options, RECONNECT_MS);
    s = s ? s : natsOptions_SetReconnectBufSize(options, RECONNECT_BYTES);
    s = s ? s : natsOptions_SetErrorHandler(options, on_error, b);
    s = s ? s : natsOptions_SetDisconnectedCB(options, on_disconnect, b);
    s = s ? s : natsOptions_SetClosedCB(options, on_closed, b);
    if (!s && strncmp(url, "tls://", 6) == 0) {
        s = natsOptions_SetSecure(options, true);
    }
    return s;
}

static natsStatus connect_and_listen(nt_bus *b, const char *url, size_t pending)
{
    natsOptions *options = NULL;
    natsStatus s = natsOptions_Create(&options);
    s = s ? s : set_options(b, options, url);
    s = s ? s : natsConnection_Connect(&b->connection, options);
    b->talks = s == NATS_OK;
    s = s ? s
          : natsConnection_Subscribe(&b->subscription, b->connection, b->subject,
                                     on_message, b);
    s = s ? s : natsSubscription_SetOnCompleteCB(b->subscription, on_last_message, b);
    b->hears = s == NATS_OK;
    s = s ? s
          : natsSubscription_SetPendingLimits(
                b->subscription, (int)(pending < INT32_MAX ? pending : INT32_MAX),
                PENDING_BYTES);
    /* So that what is published from now on is heard. */
    s = s ? s : natsConnection_FlushTimeout(b->connection, CONNECT_MS);
    natsOptions_Destroy(options);
    return s;
}

static bool is_room_name(const char *room)
{
    size_t len = strlen(room);
    return len && len <= 64 &&
           strspn(room, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789_-") == len;
}

static void name_self(nt_bus *b)
{
    unsigned char bytes[NODE_BYTES];
    if (RAND_bytes(bytes, sizeof bytes) != 1) {
        MT_BUG("no random numbers");
    }
    mt_hex(bytes, sizeof bytes, b->name);
}

mt_err nt_bus_open(const char *url, const char *room, size_t pending, size_t line_limit,
                   nt_bus **out, mt_buf *why)
{
    *out = NULL;
    if (!is_room_name(room)) {
        mt_buf_addz(why, "a room is named with letters, digits, '_' and '-'");
        return MT_E_USAGE;
    }
    const char *missing = mt_late_load(&mt_late_nats);
    if (missing) {
        mt_buf_addz(why, missing);
        return MT_E_IO;
    }
    nt_bus *b = mt_xmalloc(sizeof *b);
    *b = (nt_bus){.line_limit = line_limit,
                  .wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    snprintf(b->subject, sizeof b->subject, "motet.relay.%s", room);
    name_self(b);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->room_in, NULL);
    pthread_cond_init(&b->work_out, NULL);
    pthread_cond_init(&b->gone, NULL);
    natsStatus s = connect_and_listen(b, url, pending);
    if (s != NATS_OK || pthread_create(&b->publisher, NULL, publish_loop, b) != 0) {
        /* Never the URL: it may hold a password. */
        mt_buf_addf(why, "cannot join the bus: %s", natsStatus_GetText(s));
        nt_bus_close(b);
        return MT_E_IO;
    }
    b->publishing = true;
    *out = b;
    return MT_OK;
}

static void end_threads(nt_bus *b)
{
    pthread_mutex_lock(&b->lock);
    b->closing = true;
    pthread_cond_broadcast(&b->room_in);
    pthread_cond_broadcast(&b->work_out);
    pthread_mutex_unlock(&b->lock);
    if (b->publishing) {
        pthread_join(b->publisher, NULL);
    }
    if (natsConnection_Status(b->connection) == NATS_CONN_STATUS_CONNECTED) {
        natsConnection_FlushTimeout(b->connection, FLUSH_MS);
    }
}

void nt_bus_close(nt_bus *b)
{
    if (!b) {
        return;
    }
    end_threads(b);
    natsSubscription_Unsubscribe(b->subscription);
    natsConnection_Close(b->connection);
    pthread_mutex_lock(&b->lock);
    while (b->hears || b->talks) {
        pthread_cond_wait(&b->gone, &b->lock);
    }
    pthread_mutex_unlock(&b->lock);
    natsSubscription_Destroy(b->subscription);
    natsConnection_Destroy(b->connection);
    close(b->wake);
    mt_buf_free(&b->in);
    mt_buf_free(&b->out);
    pthread_cond_destroy(&b->room_in);
    pthread_cond_destroy(&b->work_out);
    pthread_cond_destroy(&b->gone);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

/* net/durable_stream.c - what is asked of the server about a durable stream.
 * Room: net. All of it on the speaker's thread, or before there is one: each question
 * waits for its answer, for REQUEST_MS at most. */
#include "net/durable_state.h"
#include "net/nats.h"

#include <stdio.h>
#include <time.h>

#include "base/json_read.h"

enum { REQUEST_MS = 3000 };
#define SECOND_NS     ((int64_t)1000000000)
#define ACK_WAIT_NS   (30 * SECOND_NS)
#define INACTIVE_NS   (30 * SECOND_NS)
#define DUPLICATES_NS (120 * SECOND_NS)

static jsOptions options(void)
{
    jsOptions o;
    jsOptions_Init(&o);
    o.Wait = REQUEST_MS;
    return o;
}

static natsStatus make_stream(nt_durable *d, jsStreamInfo **info)
{
    char subjects[160];
    const char *list[] = {subjects};
    jsStreamConfig config;
    jsOptions o = options();
    jsErrCode code = 0;
    snprintf(subjects, sizeof subjects, "%s.>", d->prefix);
    jsStreamConfig_Init(&config);
    config.Name = d->stream;
    config.Subjects = list;
    config.SubjectsLen = 1;
    config.Storage = js_FileStorage;
    config.MaxAge = (int64_t)d->config.keep_seconds * SECOND_NS;
    config.Duplicates = DUPLICATES_NS;
    if (config.MaxAge && config.MaxAge < config.Duplicates) {
        config.Duplicates = config.MaxAge; /* the server wants it so */
    }
    return js_AddStream(info, d->js, &config, &o, &code);
}

natsStatus nt_js_extent(nt_durable *d, nt_extent *out)
{
    jsStreamInfo *info = NULL;
    jsOptions o = options();
    jsErrCode code = 0;
    natsStatus s = js_GetStreamInfo(&info, d->js, d->stream, &o, &code);
    if (s == NATS_NOT_FOUND) {
        s = make_stream(d, &info);
    }
    if (s == NATS_OK) {
        snprintf(out->made, sizeof out->made, "%lld", (long long)info->Created);
        out->first = info->State.FirstSeq;
        out->last = info->State.LastSeq;
    }
    jsStreamInfo_Destroy(info);
    return s;
}

/* The number of the sender's last line that is stored; 0: none is. */
natsStatus nt_js_kept(nt_durable *d, const nt_member *m, uint64_t *kept)
{
    natsMsg *message = NULL;
    jsOptions o = options();
    jsErrCode code = 0;
    natsStatus s = js_GetLastMsg(&message, d->js, d->stream, m->subject, &o, &code);
    *kept = 0;
    if (s == NATS_OK) {
        mt_str data = {natsMsg_GetData(message),
                       (size_t)natsMsg_GetDataLength(message)},
               line;
        nt_numbered_read(mt_str_skip(data, mt_str_find(data, ' ') + 1), kept, &line);
    }
    natsMsg_Destroy(message);
    return s == NATS_NOT_FOUND ? NATS_OK : s;
}

static void consumer_config(jsConsumerConfig *c, uint64_t start)
{
    jsConsumerConfig_Init(c);
    c->DeliverPolicy = js_DeliverByStartSequence;
    c->OptStartSeq = start;
    c->AckPolicy = js_AckAll;
    c->AckWait = ACK_WAIT_NS;
    c->MaxAckPending = NT_DURABLE_WINDOW;
    c->Heartbeat = NT_HEARTBEAT_MS * (SECOND_NS / 1000);
    c->InactiveThreshold = INACTIVE_NS;
    c->Replicas = 1;
    c->MemoryStorage = true;
}

/* A consumer sends only where somebody listens to that very subject: a pattern is not
 * enough. */
natsStatus nt_js_consume(nt_durable *d, nt_member *m, const char *name)
{
    char deliver[160];
    jsConsumerConfig config;
    jsOptions o = options();
    jsErrCode code = 0;
    snprintf(deliver, sizeof deliver, "%s.d.%llu-0", d->inbox_prefix,
             (unsigned long long)m->who);
    natsStatus s = m->inbox ? NATS_OK : nt_durable_listen(d, &m->inbox, deliver);
    consumer_config(&config, m->heard + 1);
    config.Name = name;
    config.DeliverSubject = deliver;
    return s ? s : js_AddConsumer(NULL, d->js, d->stream, &config, &o, &code);
}

void nt_js_forget(nt_durable *d, const char *name)
{
    jsOptions o = options();
    jsErrCode code = 0;
    if (name[0]) { /* one that is gone already is as good */
        (void)js_DeleteConsumer(d->js, d->stream, name, &o, &code);
    }
}

/* The library loses zeros behind the point of a second, so this one is written here. */
static void write_since(nt_durable *d, int64_t since_ms, mt_buf *out)
{
    struct tm t;
    time_t seconds = (time_t)(since_ms / 1000);
    char text[32];
    gmtime_r(&seconds, &t);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &t);
    mt_buf_addf(out,
                "{\"stream_name\":\"%s\",\"config\":{\"ack_policy\":\"none\","
                "\"deliver_policy\":\"by_start_time\",\"deliver_subject\":"
                "\"%s.nobody\",\"inactive_threshold\":%lld,\"mem_storage\":true,"
                "\"num_replicas\":1,\"opt_start_time\":\"%s.%03dZ\"}}",
                d->stream, d->inbox_prefix, (long long)INACTIVE_NS, text,
                (int)(since_ms % 1000));
    mt_buf_addc(out, 0);
}

static natsStatus read_since(nt_durable *d, natsMsg *answer, uint64_t *after)
{
    mt_arena a = {0};
    mt_json tree;
    int64_t seq = -1;
    mt_str data = {natsMsg_GetData(answer), (size_t)natsMsg_GetDataLength(answer)};
    mt_err err = mt_json_read(&a, data, NULL, &tree, NULL);
    const mt_json *delivered = err ? NULL : mt_json_at(&tree, "delivered");
    if (delivered && !mt_json_i64(mt_json_at(delivered, "stream_seq"), &seq)) {
        *after = (uint64_t)seq;
        nt_js_forget(d, mt_str_dup(&a, mt_json_text(mt_json_at(&tree, "name"))).ptr);
    }
    mt_arena_free(&a);
    return seq < 0 ? NATS_ERR : NATS_OK;
}

/* As a consumer that nobody hears finds it. */
natsStatus nt_js_since(nt_durable *d, int64_t since_ms, uint64_t *after)
{
    mt_buf request = {0};
    char subject[192];
    natsMsg *answer = NULL;
    snprintf(subject, sizeof subject, "$JS.API.CONSUMER.CREATE.%s", d->stream);
    write_since(d, since_ms, &request);
    natsStatus s = natsConnection_RequestString(&answer, d->connection, subject,
                                                request.ptr, REQUEST_MS);
    s = s ? s : read_since(d, answer, after);
    natsMsg_Destroy(answer);
    mt_buf_free(&request);
    return s;
}

/* ---- the connection ---- */

void nt_js_shut(nt_durable *d)
{
    pthread_mutex_lock(&d->lock);
    natsConnection *connection = d->connection;
    d->connection = NULL;
    pthread_mutex_unlock(&d->lock);
    natsSubscription_Destroy(d->inbox);
    jsCtx_Destroy(d->js);
    natsConnection_Destroy(connection);
    d->inbox = NULL;
    d->js = NULL;
}

static natsStatus open_parts(nt_durable *d)
{
    char answers[80];
    nt_extent now;
    jsOptions o = options();
    int64_t most = natsConnection_GetMaxPayload(d->connection);
    snprintf(answers, sizeof answers, "%s.p.*", d->inbox_prefix);
    pthread_mutex_lock(&d->lock);
    d->payload_most = most > 0 ? (size_t)most : SIZE_MAX; /* some do not say */
    pthread_mutex_unlock(&d->lock);
    natsStatus s = natsConnection_JetStream(&d->js, d->connection, &o);
    s = s ? s : nt_durable_listen(d, &d->inbox, answers);
    return s ? s : nt_js_extent(d, &now);
}

natsStatus nt_js_open(nt_durable *d)
{
    natsOptions *o = NULL;
    natsConnection *connection = NULL;
    natsStatus s = natsOptions_Create(&o);
    s = s ? s : nt_nats_options(o, d->config.url);
    s = s ? s : nt_durable_callbacks(d, o);
    s = s ? s : natsConnection_Connect(&connection, o);
    natsOptions_Destroy(o);
    pthread_mutex_lock(&d->lock);
    d->connection = connection;
    d->talks += s == NATS_OK;
    pthread_mutex_unlock(&d->lock);
    return s ? s : open_parts(d);
}

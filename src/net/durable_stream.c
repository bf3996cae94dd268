/* net/durable_stream.c - what is asked of the server about a durable stream.
 * Room: net. All of it on the speaker's thread, or before there is one: each question
 * waits for its answer, for REQUEST_MS at most. */
#include "net/durable_state.h"
#include "net/nats.h"

#include <stdio.h>

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

/* The sequence before the first line since a moment: as a consumer that nobody hears
 * finds it. */
natsStatus nt_js_since(nt_durable *d, int64_t since_ms, uint64_t *after)
{
    char deliver[160];
    jsConsumerInfo *info = NULL;
    jsConsumerConfig config;
    jsOptions o = options();
    jsErrCode code = 0;
    snprintf(deliver, sizeof deliver, "%s.nobody", d->prefix + strlen("motet."));
    consumer_config(&config, 0);
    config.DeliverPolicy = js_DeliverByStartTime;
    config.OptStartTime = since_ms * 1000000;
    config.DeliverSubject = deliver;
    natsStatus s = js_AddConsumer(&info, d->js, d->stream, &config, &o, &code);
    if (s == NATS_OK) {
        *after = info->Delivered.Stream;
        nt_js_forget(d, info->Name);
    }
    jsConsumerInfo_Destroy(info);
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

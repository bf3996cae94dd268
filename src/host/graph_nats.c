/* host/graph_nats.c - see graph_nats.h.
 *
 * One connection, opened for one purpose. The library reconnects by itself; while it is
 * away publishing fails at once (there is no buffer that would pretend otherwise) and
 * listening waits. A stream is read by a durable pull consumer, one message at a time,
 * and a message is acknowledged by a round trip, so that what we say is settled is.
 *
 * And the channel `nats` of an egress, which is a connection and a subject. */
#include "host/graph_nats.h"

#include <stdlib.h>

#include "base/late_nats.h"
#include "host/graph_channel.h"

enum {
    CONNECT_MS = 3000,
    RECONNECT_MS = 250,
    LIBRARY_BYTES = 1,
    AGAIN_MS = 5000 /* a message that nobody settled is sent again after so long */
};

struct ho_nats {
    natsConnection *connection;
    jsCtx *stream; /* NULL: none */
    natsSubscription *subscription;
    natsMsg *message; /* taken, not settled */
    mt_buf name;      /* of its stream */
};

static mt_err closed(mt_buf *why, const char *what, natsStatus s)
{
    mt_buf_addf(why, "%s: %s", what, natsStatus_GetText(s));
    return s == NATS_TIMEOUT ? MT_E_TIMEOUT : MT_E_CLOSED;
}

static natsStatus connect_to(ho_nats *n, const char *url)
{
    natsOptions *options = NULL;
    natsStatus s = natsOptions_Create(&options);
    s = s ? s : natsOptions_SetURL(options, url);
    s = s ? s : natsOptions_SetTimeout(options, CONNECT_MS);
    s = s ? s : natsOptions_SetMaxReconnect(options, -1);
    s = s ? s : natsOptions_SetReconnectWait(options, RECONNECT_MS);
    s = s ? s : natsOptions_SetReconnectBufSize(options, LIBRARY_BYTES);
    if (!s && strncmp(url, "tls://", 6) == 0) {
        s = natsOptions_SetSecure(options, true);
    }
    s = s ? s : natsConnection_Connect(&n->connection, options);
    natsOptions_Destroy(options);
    return s;
}

ho_nats *ho_nats_open(const char *url, bool stream, mt_buf *why)
{
    const char *missing = mt_late_load(&mt_late_nats);
    if (missing) {
        mt_buf_addz(why, missing);
        return NULL;
    }
    ho_nats *n = mt_xmalloc(sizeof *n);
    *n = (ho_nats){0};
    natsStatus s = connect_to(n, url);
    s = s || !stream ? s : natsConnection_JetStream(&n->stream, n->connection, NULL);
    if (s) {
        (void)closed(why, "cannot connect to the NATS server", s);
        ho_nats_close(n);
        n = NULL;
    }
    return n;
}

void ho_nats_close(ho_nats *n)
{
    if (!n) {
        return;
    }
    if (n->message) {
        (void)ho_nats_settle(n, HO_SETTLE_LATER);
    }
    natsSubscription_Destroy(n->subscription); /* a durable consumer stays */
    jsCtx_Destroy(n->stream);
    natsConnection_Destroy(n->connection);
    mt_buf_free(&n->name);
    free(n);
}

/* ---- out ---- */

static mt_err publish_kept(ho_nats *n, mt_arena *a, const char *subject, const char *id,
                           mt_str body, int64_t timeout_ms, mt_str *reference,
                           mt_buf *why)
{
    jsPubOptions options;
    jsPubAck *ack = NULL;
    jsPubOptions_Init(&options);
    options.MsgId = id;
    options.MaxWait = timeout_ms;
    natsStatus s =
        js_Publish(&ack, n->stream, subject, body.ptr, (int)body.len, &options, NULL);
    if (s == NATS_NO_RESPONDERS) {
        mt_buf_addf(why, "no stream keeps the subject '%s'", subject);
        return MT_E_CLOSED;
    }
    if (s) {
        return closed(why, "the stream did not take it", s);
    }
    *reference = mt_strf(a, "%s:%llu", ack->Stream, (unsigned long long)ack->Sequence);
    jsPubAck_Destroy(ack);
    return MT_OK;
}

mt_err ho_nats_publish(ho_nats *n, mt_arena *a, const char *subject, const char *id,
                       mt_str body, int64_t timeout_ms, mt_str *reference, mt_buf *why)
{
    int64_t most = natsConnection_GetMaxPayload(n->connection);
    *reference = (mt_str){0};
    if (body.len > INT32_MAX || (most > 0 && body.len > (uint64_t)most)) {
        mt_buf_addz(why, "it is larger than the NATS server takes");
        return MT_E_LIMIT;
    }
    if (n->stream) {
        return publish_kept(n, a, subject, id, body, timeout_ms, reference, why);
    }
    natsStatus s =
        natsConnection_Publish(n->connection, subject, body.ptr, (int)body.len);
    s = s ? s : natsConnection_FlushTimeout(n->connection, timeout_ms);
    return s ? closed(why, "the NATS server did not take it", s) : MT_OK;
}

/* ---- in ---- */

mt_err ho_nats_listen(ho_nats *n, const char *subject, const char *durable, mt_buf *why)
{
    natsStatus s;
    if (n->stream) {
        jsSubOptions options;
        jsSubOptions_Init(&options);
        /* One at a time: what a killed run had in hand comes again before the next. */
        options.Config.MaxAckPending = 1;
        options.Config.AckWait = AGAIN_MS * INT64_C(1000000);
        s = js_PullSubscribe(&n->subscription, n->stream, subject, durable, NULL,
                             &options, NULL);
    } else {
        s = natsConnection_SubscribeSync(&n->subscription, n->connection, subject);
        /* So that what is published from now on is heard. */
        s = s ? s : natsConnection_FlushTimeout(n->connection, CONNECT_MS);
    }
    return s ? closed(why, "cannot listen to the subject", s) : MT_OK;
}

static natsStatus fetch(ho_nats *n, int64_t timeout_ms)
{
    natsMsgList list = {0};
    natsStatus s = natsSubscription_Fetch(&list, n->subscription, 1, timeout_ms, NULL);
    if (!s && list.Count) {
        n->message = list.Msgs[0];
        list.Msgs[0] = NULL;
    }
    natsMsgList_Destroy(&list);
    return s;
}

/* Which stream, and where in it. False: it does not say. */
static bool place(ho_nats *n, ho_nats_message *out)
{
    jsMsgMetaData *meta = NULL;
    if (natsMsg_GetMetaData(&meta, n->message)) {
        return false;
    }
    mt_buf_clear(&n->name);
    mt_buf_addz(&n->name, meta->Stream);
    out->number = meta->Sequence.Stream;
    out->stored = meta->Timestamp > 0 ? (uint64_t)meta->Timestamp : 0;
    jsMsgMetaData_Destroy(meta);
    return true;
}

/* While the connection is away the library tries; nothing comes meanwhile. */
static bool only_away(const ho_nats *n, natsStatus s)
{
    natsConnStatus now = natsConnection_Status(n->connection);
    return s == NATS_TIMEOUT || now == NATS_CONN_STATUS_RECONNECTING ||
           now == NATS_CONN_STATUS_DISCONNECTED || now == NATS_CONN_STATUS_CONNECTING;
}

mt_err ho_nats_next(ho_nats *n, int64_t timeout_ms, ho_nats_message *out, mt_buf *why)
{
    *out = (ho_nats_message){0};
    natsStatus s =
        n->stream ? fetch(n, timeout_ms)
                  : natsSubscription_NextMsg(&n->message, n->subscription, timeout_ms);
    if (s && only_away(n, s)) {
        return MT_E_TIMEOUT;
    }
    if (s || !n->message) {
        return s           ? closed(why, "cannot take the next message", s),
               MT_E_CLOSED : MT_E_TIMEOUT;
    }
    if (n->stream && !place(n, out)) {
        mt_buf_addz(why, "a message of the stream does not say where it stands");
        return MT_E_CLOSED;
    }
    out->stream = mt_buf_str(&n->name);
    out->body = mt_str_from(natsMsg_GetData(n->message),
                            (size_t)natsMsg_GetDataLength(n->message));
    return MT_OK;
}

mt_err ho_nats_settle(ho_nats *n, ho_settling how)
{
    natsStatus s = NATS_OK;
    if (n->stream && n->message) {
        s = how == HO_SETTLE_DONE    ? natsMsg_AckSync(n->message, NULL, NULL)
            : how == HO_SETTLE_NEVER ? natsMsg_Term(n->message, NULL)
                                     : natsMsg_Nak(n->message, NULL);
    }
    natsMsg_Destroy(n->message);
    n->message = NULL;
    return s ? MT_E_CLOSED : MT_OK;
}

/* ---- the channel ---- */

static const mt_form_row ROWS[] = {
    MT_FORM_WORD(ho_channel, url, "url", MT_FORM_REQUIRED),
    MT_FORM_WORD(ho_channel, subject, "subject", MT_FORM_REQUIRED),
    MT_FORM_FLAG(ho_channel, stream, "stream", 0),
};

static void check_subject(ho_channel *c, mt_form *f, const mt_json *at)
{
    if (!c->subject[0] || strpbrk(c->subject, " \t\r\n*>")) {
        mt_form_say(f, MT_FORM_OUT_OF_RANGE, at, "subject",
                    "must be one subject, without spaces and wildcards");
    }
}

static void identity(const ho_channel *c, mt_jw *w)
{
    mt_jw_key_str(w, "url", mt_str_z(c->url));
    mt_jw_key_str(w, "subject", mt_str_z(c->subject));
    mt_jw_key_bool(w, "stream", c->stream);
}

static mt_err start(ho_channel *c, mt_arena *a, ho_answer *out)
{
    mt_buf why = {0};
    c->state = ho_nats_open(c->url, c->stream, &why);
    if (!c->state) {
        *out = ho_broke("egress_io", mt_str_dup(a, mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    return c->state ? MT_OK : MT_E_CLOSED;
}

static ho_answer publish(ho_channel *c, mt_arena *a, const ho_letter *letter,
                         uint64_t timeout_ms)
{
    mt_buf body = {0}, why = {0};
    mt_str reference;
    mt_buf_addc(&body, '{');
    ho_letter_members(&body, letter);
    int64_t most = timeout_ms > INT32_MAX ? INT32_MAX : (int64_t)timeout_ms;
    mt_err err = ho_nats_publish(c->state, a, c->subject, mt_str_dup(a, letter->id).ptr,
                                 mt_buf_str(&body), most, &reference, &why);
    ho_answer answer = ho_accepted(c->stream ? "durable" : "written");
    answer.reference = reference;
    if (err) {
        answer = ho_not_sent(err == MT_E_LIMIT ? HO_REFUSED : HO_FAILED,
                             err == MT_E_LIMIT     ? "egress_refused"
                             : err == MT_E_TIMEOUT ? "egress_ack_timeout"
                                                   : "egress_io",
                             mt_strf(a, "could not publish: %.*s", MT_ARG(why)));
    }
    mt_buf_free(&body);
    mt_buf_free(&why);
    return answer;
}

static void drop(ho_channel *c)
{
    ho_nats_close(c->state);
    c->state = NULL;
}

static mt_err stop(ho_channel *c, mt_arena *a, ho_answer *out)
{
    (void)a, (void)out;
    drop(c);
    return MT_OK;
}

const ho_channel_kind HO_NATS_CHANNEL = {
    .name = "nats",
    .rows = ROWS,
    .row_count = mt_form_count(ROWS),
    .attempts = 5,
    .check = check_subject,
    .identity = identity,
    .start = start,
    .send = publish,
    .stop = stop,
    .drop = drop,
};

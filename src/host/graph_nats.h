/* host/graph_nats.h - events from a NATS subject, intents to one.
 * Room: host. With a stream (JetStream) nothing is lost: what is published is kept
 * before it counts, and a message comes again until its event is committed. Without one
 * a message that nobody hears at the time is gone.
 * libnats is loaded when the first connection is opened. Never the URL in a message: it
 * may hold a password. Threads: a connection belongs to one thread. */
#ifndef HO_GRAPH_NATS_H
#define HO_GRAPH_NATS_H

#include "base/str.h"

typedef struct ho_nats ho_nats;

/* NULL, and `why` has one sentence. */
ho_nats *ho_nats_open(const char *url, bool stream, mt_buf *why);
/* Accepts NULL. What was taken and not settled comes again, if a stream has it. */
void ho_nats_close(ho_nats *n);

/* MT_OK: the stream has it (*reference, in `a`, is STREAM:SEQUENCE), or without one the
 * server. `id`: a stream keeps a message once for each. Otherwise `why` has a sentence:
 * MT_E_LIMIT (too large, never to be taken), MT_E_TIMEOUT, MT_E_CLOSED. */
mt_err ho_nats_publish(ho_nats *n, mt_arena *a, const char *subject, const char *id,
                       mt_str body, int64_t timeout_ms, mt_str *reference, mt_buf *why);

/* Begins to listen; `durable` names the consumer of a stream, which remembers what was
 * settled. */
mt_err ho_nats_listen(ho_nats *n, const char *subject, const char *durable,
                      mt_buf *why);

typedef struct ho_nats_message {
    mt_str body;     /* good until it is settled */
    mt_str stream;   /* of a stream: its name, and where in it */
    uint64_t number; /* 0: no stream */
    uint64_t stored; /* when the stream got it, in nanoseconds since 1970 */
} ho_nats_message;

/* The next one; the one before must be settled. MT_E_TIMEOUT: nothing came in time.
 * MT_E_CLOSED: `why` says what is broken. */
mt_err ho_nats_next(ho_nats *n, int64_t timeout_ms, ho_nats_message *out, mt_buf *why);

typedef enum ho_settling {
    HO_SETTLE_DONE,  /* committed: never again */
    HO_SETTLE_LATER, /* not taken: it comes again */
    HO_SETTLE_NEVER  /* it can never be taken: the stream need not send it again */
} ho_settling;
/* Of a message without a stream it only lets go. MT_E_CLOSED: the server did not hear
 * it, so the message comes again. */
mt_err ho_nats_settle(ho_nats *n, ho_settling how);

#endif

/* net/durable_state.h - what the parts of durable delivery share.
 * Room: net; private to durable*.c. The parts: durable.c (members, the relay's side,
 * opening and closing), durable_hear.c (the library's thread), durable_speak.c (the
 * speaker's thread) and durable_stream.c (what it asks of the server). */
#ifndef NT_DURABLE_STATE_H
#define NT_DURABLE_STATE_H

#include <pthread.h>

#include "base/late_nats.h"
#include "net/durable_member.h"

enum {
    NT_KEEPER_BYTES = 8,
    NT_KEEPER_TEXT = 2 * NT_KEEPER_BYTES,
    NT_SPEAK_AGAIN_MS = 250, /* after a fault */
    NT_HEARTBEAT_MS = 2000,
    NT_SLOT_BITS = 24
};

/* An event as it waits; the bytes of its line, or its nt_said, follow. */
typedef struct nt_note {
    nt_event_kind kind;
    bool stale;  /* its member is gone; as `owner`, found out when it is taken */
    void *owner; /* of its member */
    uint64_t who, number;
    size_t len;
} nt_note;

struct nt_durable {
    nt_durable_config config;
    natsConnection *connection;
    jsCtx *js;
    natsSubscription *inbox;
    char node[NT_KEEPER_TEXT + 1], stream[128], prefix[128], inbox_prefix[64];
    int wake;

    pthread_mutex_t lock; /* guards everything down to the next blank line */
    pthread_cond_t work, gone;
    nt_member **slots;
    size_t slot_count;
    uint64_t serial; /* of members, ever */
    nt_member *first, *last;
    mt_buf in; /* notes for the relay */
    bool connected, closing;
    size_t talks; /* connections of which the library may still tell us */
    size_t hears; /* subscriptions for which the library may still call us */
    size_t payload_most;
    nt_stats counted;

    pthread_t speaker;
    bool speaking;
    mt_buf taken; /* the relay's thread only */
};

/* ---- durable.c; all with the lock ---- */

nt_member *nt_durable_member(const nt_durable *d, uint64_t who);
void nt_durable_enlist(nt_durable *d, nt_member *m);
void nt_durable_free_member(nt_durable *d, nt_member *m);

/* ---- durable_hear.c ---- */

/* An event for the relay; with the lock. */
void nt_durable_note(nt_durable *d, const nt_member *m, nt_event_kind kind,
                     uint64_t number, mt_str bytes);
void nt_durable_note_kept(nt_durable *d, nt_member *m);
natsStatus nt_durable_listen(nt_durable *d, natsSubscription **to, const char *subject);
natsStatus nt_durable_callbacks(nt_durable *d, natsOptions *options);

/* ---- durable_stream.c; without the lock, each may take REQUEST_MS ---- */

/* What the stream is now. */
typedef struct nt_extent {
    char made[HO_STREAM_TEXT + 1];
    uint64_t first, last;
} nt_extent;

/* The stream is made where it is not there. */
natsStatus nt_js_extent(nt_durable *d, nt_extent *out);
/* The number of the member's last line that is stored; 0: none is. */
natsStatus nt_js_kept(nt_durable *d, const nt_member *m, uint64_t *kept);
/* The sequence before the first line since a moment. */
natsStatus nt_js_since(nt_durable *d, int64_t since_ms, uint64_t *after);
natsStatus nt_js_consume(nt_durable *d, nt_member *m, const char *name);
void nt_js_forget(nt_durable *d, const char *consumer);
/* Connects, and makes sure that there is a stream; what was opened is shut by the
 * other, also after a fault. */
natsStatus nt_js_open(nt_durable *d);
void nt_js_shut(nt_durable *d);

/* ---- durable_speak.c ---- */

void *nt_durable_speak(void *durable);

#endif

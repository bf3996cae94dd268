/* net/durable.h - the lines of a room in a JetStream stream, for relays that forget
 * none. Room: net. Members are the agents that said hello, and one for all the others
 * of this relay (NT_DURABLE_SELF). What members send is stored once and told to be
 * kept; what others have stored comes to each member in the order of the stream, at
 * most NT_DURABLE_WINDOW lines ahead of what it has acknowledged. docs/adr/0027 says
 * why.
 *
 * Subjects: motet.durable.ROOM.a.NAME.ID for an agent, motet.durable.ROOM.n.NODE for
 * those of a relay that said no hello. Message: SENDER SP NUMBER SP LINE, where SENDER
 * is NAME or NODE and LINE is as agents get it, without newline.
 *
 * Threads: everything here from the relay's; what is said to the server is said by a
 * thread of its own, because that may block. */
#ifndef NT_DURABLE_H
#define NT_DURABLE_H

#include "net/durable_wire.h"
#include "net/stats.h"

typedef struct nt_durable nt_durable;

enum { NT_DURABLE_SELF = 0, NT_DURABLE_WINDOW = 1024 };

typedef struct nt_durable_config {
    const char *url, *room;
    uint64_t keep_seconds; /* of a stream that is made; 0: for ever */
    size_t line_limit;     /* the longest line taken from the stream */
} nt_durable_config;

typedef enum nt_event_kind {
    NT_EVENT_WELCOME, /* `said` is what the member is to be told */
    NT_EVENT_LINE,    /* `line` has the sequence `number` */
    NT_EVENT_KEPT,    /* all up to `number` is stored */
    NT_EVENT_END      /* its place in the stream is gone: it must say hello again */
} nt_event_kind;

typedef struct nt_event {
    nt_event_kind kind;
    void *owner;
    uint64_t number;
    mt_str line;
    const nt_said *said;
} nt_event;

typedef void nt_durable_hear(void *state, const nt_event *event);

/* MT_E_IO with `why` when the server cannot be reached or has no JetStream. */
mt_err nt_durable_open(const nt_durable_config *config, nt_durable **out, mt_buf *why);
/* Readable when nt_durable_take() has something. */
int nt_durable_fd(const nt_durable *d);

/* A new member; `owner` (not NULL) is in its events. Never NT_DURABLE_SELF. */
uint64_t nt_durable_join(nt_durable *d, const nt_hello *hello, void *owner);
/* No more events of it will come. */
void nt_durable_leave(nt_durable *d, uint64_t who);
/* Stores a line. False: it is too long for the server, or (of NT_DURABLE_SELF, whose
 * lines have no numbers of their own) there is no more room. */
bool nt_durable_send(nt_durable *d, uint64_t who, uint64_t number, mt_str line);
/* Is there anybody to hear what comes for NT_DURABLE_SELF? What is sent for it after
 * this, and what is answered to that, is heard. */
void nt_durable_self_hears(nt_durable *d, bool hears);
/* Bytes of a member that are not known to be stored. */
size_t nt_durable_waiting(nt_durable *d, uint64_t who);
/* Its effects are safe; everything before counts as acknowledged, too. */
void nt_durable_ack(nt_durable *d, uint64_t who, uint64_t seq);
/* Hands over what has come. Of NT_DURABLE_SELF only lines, with owner NULL; they are
 * acknowledged by it. */
void nt_durable_take(nt_durable *d, nt_durable_hear *hear, void *state);
/* As nt_bus_news(). */
bool nt_durable_news(nt_durable *d, nt_stats *stats, mt_buf *why);
void nt_durable_close(nt_durable *d);

#endif

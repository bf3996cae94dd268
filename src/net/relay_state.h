/* net/relay_state.h - what the parts of the relay share.
 * Room: net; private to relay*.c.
 * One turn of the loop: wait; write what can be written; read from agents whose turn it
 * is into `batch`; deliver the batch to everybody but its senders; bury the dead. */
#ifndef NT_RELAY_STATE_H
#define NT_RELAY_STATE_H

#include "agent/frame.h"
#include "base/vec.h"
#include "net/bus.h"
#include "net/durable.h"
#include "net/guard.h"
#include "net/relay.h"
#include "net/stream.h"
#include "os/address.h"
#include "os/rate.h"

/* What an epoll event is about; first member of whatever it points at. */
typedef enum nt_source {
    NT_AGENTS,  /* the listening socket */
    NT_SCRAPES, /* the listening socket for metrics */
    NT_SCRAPE,  /* one HTTP connection */
    NT_WAKE,    /* nt_relay_stop() */
    NT_BUS,     /* the bus has lines */
    NT_AGENT    /* one agent */
} nt_source;

typedef struct nt_conn nt_conn;

struct nt_conn {
    nt_source source;
    nt_stream stream;
    size_t index; /* in relay->conns */
    char address[OS_ADDRESS_TEXT], host[OS_ADDRESS_TEXT];
    size_t address_len;
    ag_framer framer;

    bool joined;  /* takes part: TLS is done */
    bool ready;   /* in the queue of those who have something to say */
    bool hung_up; /* the peer will send no more; read up to the end */
    bool dead;    /* to be buried at the end of the turn */
    nt_conn *next_ready;

    mt_buf out; /* bytes it has not read; out_head of them are written */
    size_t out_head;
    bool full;         /* over the high-water mark, in relay->full */
    bool slow;         /* may not hold back the others any more */
    int64_t credit_us; /* how long it may still hold back others */
    int64_t credit_at_ms;
    int64_t progress_ms; /* when it last took a byte, or its queue began */
    uint64_t missed;     /* lines dropped since the last warning */

    int64_t heard_ms;  /* when a line last came from it */
    int64_t warned_ms; /* when it was last warned of its rate */
    os_rate rate;
    size_t segment; /* first of its segments in this batch, + 1; 0: none */

    uint64_t who;            /* a member of the durable stream; 0: it said no hello */
    bool welcomed;           /* and was answered */
    bool counted;            /* its lines have numbers, and the first has come */
    bool paused;             /* not read from until the stream has its lines */
    uint64_t number, stored; /* of its last line; of the last that is to be stored */
};

/* A run of lines in the batch that came from one agent (NULL: from the bus). */
typedef struct nt_segment {
    nt_conn *from;
    size_t start, end;
    uint64_t lines;
} nt_segment;

typedef struct nt_listener {
    nt_source source;
    int fd;
    char address[OS_ADDRESS_TEXT];
} nt_listener;

enum { NT_SCRAPES_MAX = 16, NT_REQUEST_BYTES = 2048 };

/* One HTTP connection that asks for metrics. */
typedef struct nt_scrape {
    nt_source source;
    bool open;
    int fd;
    uint64_t number; /* in order of arrival */
    size_t len;
    char request[NT_REQUEST_BYTES];
} nt_scrape;

struct nt_relay {
    nt_relay_config config;
    nt_stats stats;
    nt_stats told; /* as they were when agents were last told of losses */
    int epoll;
    nt_listener agents, scrapes, wake, bus_wake;
    nt_tls *tls;
    nt_bus *bus;
    nt_durable *durable; /* instead of a bus */
    bool self_hears;     /* the stream is heard for agents without hello */
    nt_conn *flush_next; /* has lines of this turn that are not written yet */
    mt_buf wrapped;      /* a line of an agent that said hello */
    int log_fd;
    bool log_torn; /* the log ends inside a line */
    mt_buf log_text;
    int spare_fd; /* given up to accept and refuse when descriptors run out */
    bool stopping;
    int64_t now_ms;

    MT_VEC(nt_conn *) conns;
    MT_VEC(nt_conn *) full;
    MT_VEC(nt_conn *) dead;
    MT_VEC(nt_segment) segments;
    mt_arena arena; /* of the vectors */
    nt_conn *ready_first, *ready_last;
    size_t ready_count, busy_count; /* agents with something to say; to be told */

    mt_buf batch;
    char *scratch; /* where sockets are read into */
    bool holding;
    int64_t hold_ms; /* when the hold was last charged */
    int64_t accept_again_ms, sweep_ms;
    int64_t report_ms;
    unsigned reports, suppressed;
    nt_guard guard;
    nt_scrape scrape[NT_SCRAPES_MAX];
    uint64_t scrape_count;
};

/* relay_deliver.c */
void nt_relay_deliver(nt_relay *r);
void nt_relay_flush(nt_relay *r, nt_conn *c);
void nt_relay_tell(nt_relay *r, nt_conn *c, mt_str text);
/* As nt_relay_tell(), but written with the next nt_relay_flush(). */
void nt_relay_queue(nt_relay *r, nt_conn *c, mt_str text);
/* Is reading to be held back now, for an agent that needs a moment? */
bool nt_relay_held(nt_relay *r);

/* relay_read.c */
void nt_relay_wants_turn(nt_relay *r, nt_conn *c);
void nt_relay_read_turn(nt_relay *r);
void nt_relay_bus_turn(nt_relay *r);
void nt_relay_offence(nt_relay *r, nt_conn *c, const char *what);
void nt_relay_too_long(nt_relay *r, nt_conn *c);

/* relay_durable.c */
/* A line that is the relay's affair, or of an agent that said hello. */
void nt_relay_private_line(nt_relay *r, nt_conn *c, mt_str line);
/* Its line was too long to be taken: it counts, and that is all. */
void nt_relay_skip_number(nt_relay *r, nt_conn *c);
/* May more be read from it? If not, it will have its turn later. */
bool nt_relay_may_read(nt_relay *r, nt_conn *c);
/* Lines of agents without hello, for the stream. Returns how many found no room. */
uint64_t nt_relay_store(nt_relay *r, mt_str lines);
void nt_relay_durable_turn(nt_relay *r);

/* relay_end.c */
void nt_relay_kill(nt_relay *r, nt_conn *c);
void nt_relay_bury(nt_relay *r);

/* relay_say.c */
void nt_relay_say(nt_relay *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* relay_accept.c */
void nt_relay_accept(nt_relay *r);
void nt_relay_greet(nt_relay *r, nt_conn *c);

/* relay_log.c */
void nt_relay_log(nt_relay *r);

/* relay_scrape.c */
void nt_scrape_accept(nt_relay *r);
void nt_scrape_event(nt_relay *r, nt_scrape *s);
void nt_scrape_close_all(nt_relay *r);
void nt_scrape_write_file(nt_relay *r);

#endif

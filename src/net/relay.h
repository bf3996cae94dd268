/* net/relay.h - the relay: what one agent says, all the others hear.
 * Room: net. One thread, epoll; agents speak lines (agent/frame.h).
 * Promises: lines of one sender keep their order; a reader that is slow or stalled
 * costs the others at most `hold_ms` now and one part in a hundred after that; memory
 * is bounded by `queue_bytes` per agent and `memory_bytes` in all; whatever is not
 * delivered is counted and said. docs/reference/relay.md explains the rules.
 * Threads: everything from the thread that runs it, except nt_relay_stop(). */
#ifndef NT_RELAY_H
#define NT_RELAY_H

#include "net/stats.h"

typedef struct nt_relay nt_relay;

typedef struct nt_relay_config {
    const char *listen;       /* "127.0.0.1:8888"; port 0: any free one */
    const char *metrics;      /* where to answer GET /metrics; NULL: nowhere */
    const char *metrics_file; /* the same text, rewritten every second; NULL: none */
    const char *log;          /* append-only message log; NULL: none */
    const char *cert, *key;   /* TLS when both are set */
    const char *client_ca;    /* agents must show a certificate of it */
    const char *bus;          /* URL of a NATS server; NULL: this relay is alone */
    const char *room;         /* relays of one bus and room hear each other */
    bool durable;             /* what is said there is kept (docs/adr/0027) */
    size_t keep_seconds;      /* for so long, if the stream is made; 0: for ever */
    size_t bus_pending;       /* lines that may wait for us in the bus client */
    size_t max_line;          /* bytes of a line after wrapping, newline included */
    size_t queue_bytes;       /* waiting for one agent */
    size_t memory_bytes;      /* waiting for all agents together */
    size_t max_clients;
    unsigned rate_per_minute;    /* lines of one agent; 0: no limit */
    unsigned idle_seconds;       /* silence that ends a connection; 0: none does */
    bool idle_both_ways;         /* silence is that nothing was delivered either */
    unsigned stall_seconds;      /* not reading for so long ends one; 0: never */
    unsigned strikes;            /* offences within a minute that lead to quarantine */
    unsigned quarantine_seconds; /* 0: no quarantine */
    unsigned hold_ms;            /* how long a full agent may hold back the others */
    void (*report)(void *state, const char *text); /* one event, no newline */
    void *report_state;
} nt_relay_config;

extern const nt_relay_config NT_RELAY_DEFAULT;

/* Opens every socket and file. On failure *out is NULL and `why` says why. The texts
 * of the configuration must outlive the relay. */
mt_err nt_relay_open(const nt_relay_config *config, nt_relay **out, mt_buf *why);
/* Where agents connect, and where metrics are read ("" when nowhere). */
const char *nt_relay_address(const nt_relay *r);
const char *nt_relay_metrics_address(const nt_relay *r);
/* Works until nt_relay_stop(), then says goodbye to the agents. */
mt_err nt_relay_run(nt_relay *r);
/* From any thread or signal handler. */
void nt_relay_stop(nt_relay *r);
void nt_relay_free(nt_relay *r);

#endif

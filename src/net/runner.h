/* net/runner.h - keeps an agent connected to a relay.
 * Room: net. Carries lines between a relay and an ho_agent: connects, reconnects with
 * growing pauses, travels where the agent wishes, fires its timed senders, and stops
 * when it wishes or is told to. Nothing is sent before it is committed.
 * Threads: one, except nt_runner_stop(). */
#ifndef NT_RUNNER_H
#define NT_RUNNER_H

#include "host/agent_host.h"
#include "net/durable_wire.h"

typedef struct nt_runner nt_runner;

typedef struct nt_runner_config {
    const char *const *relays; /* "HOST:PORT", ends with NULL; the first is home */
    bool tls;
    const char *ca, *cert, *key; /* as for nt_tls_client() */
    unsigned retries;            /* failures in a row before it gives up; 0: never */
    unsigned pause_ms, pause_most_ms; /* between attempts: first, longest */
    size_t max_line;
    const nt_hello *durable; /* its name and from where it hears; NULL: not durable */
    const char *inspect;     /* path of a socket that shows the agent; NULL: none */
    os_report *report;
    void *report_state;
} nt_runner_config;

extern const nt_runner_config NT_RUNNER_DEFAULT;

/* The agent is borrowed. On failure *out is NULL and `why` says why. */
mt_err nt_runner_open(const nt_runner_config *config, ho_agent *agent, nt_runner **out,
                      mt_buf *why);
/* MT_OK: it was told to stop, or the agent wished to quit. MT_E_CLOSED: no relay could
 * be reached. MT_E_IO: the agent's state could not be made durable. */
mt_err nt_runner_run(nt_runner *r);
/* From any thread or signal handler. */
void nt_runner_stop(nt_runner *r);
void nt_runner_free(nt_runner *r);

#endif

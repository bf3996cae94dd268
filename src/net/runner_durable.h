/* net/runner_durable.h - an agent's side of durable delivery (docs/adr/0027).
 * Room: net; private to runner.c, which carries the bytes. Threads: one. */
#ifndef NT_RUNNER_DURABLE_H
#define NT_RUNNER_DURABLE_H

#include "host/agent_host.h"
#include "net/durable_wire.h"

typedef struct nt_pledge {
    nt_hello hello;  /* as given; from where an agent hears that has no place yet */
    bool welcomed;   /* on this connection */
    mt_buf out;      /* lines for the relay; `written` bytes of them it has */
    size_t written;  /* of `out` */
    size_t framed;   /* bytes of the unsent lines that are, or were, in `out` */
    uint64_t number; /* of the last of them */
    uint64_t acked;  /* the last sequence the relay was told of */
    mt_buf held;     /* messages that came while the agent is full */
    os_report *report;
    void *report_state;
} nt_pledge;

/* The agent gets a name for its numbers, if it has none, and keeps it. */
mt_err nt_pledge_open(nt_pledge *p, ho_agent *agent);
/* A new connection: what is on its way is not, and hello is said. */
void nt_pledge_begin(nt_pledge *p, const ho_agent *agent);
/* One of the relay's own lines. NULL, or why the connection is of no use. */
const char *nt_pledge_hear(nt_pledge *p, ho_agent *agent, mt_str line);
/* A message: given to the agent, or held while it is full. */
void nt_pledge_message(nt_pledge *p, ho_agent *agent, mt_str line);
/* What is to be written, from what is committed; empty: nothing. */
mt_str nt_pledge_unwritten(nt_pledge *p, const ho_agent *agent);
void nt_pledge_wrote(nt_pledge *p, size_t bytes);
void nt_pledge_free(nt_pledge *p);

#endif

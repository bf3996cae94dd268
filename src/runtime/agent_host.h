/* runtime/agent_host.h - an agent file at work: engine, handlers, durable state.
 * Room: runtime. The host takes lines as a relay sends them and gives lines to send;
 * who carries them is no concern of his (net/runner.h does).
 * Durable: after rt_agent_commit() the tape, the memory and the messages they want sent
 * are safe together; only then may messages be sent. Threads: one. */
#ifndef RT_AGENT_HOST_H
#define RT_AGENT_HOST_H

#include "agent/agent_file.h"
#include "runtime/handlers.h"
#include "runtime/keep.h"

typedef struct rt_agent rt_agent;

typedef struct rt_agent_options {
    const ag_file *file;
    const mt_limits *limits; /* NULL: the defaults */
    const char *directory;   /* where handlers run; NULL: here */
    rt_keep *keep;           /* taken over */
    const mt_json *upload;   /* a tape that replaces the kept one; NULL: none */
    const char *download;    /* the tape is written there after each change; NULL */
    const char *quit_on;     /* a trigger that ends the agent; NULL: none */
    const char *const *travel_on; /* pairs trigger, "HOST:PORT"; ends with NULL */
    rt_report *report;
    void *report_state;
} rt_agent_options;

/* What the agent has done so far. */
typedef struct rt_agent_counts {
    uint64_t received, dropped, unreadable, sent, failed, commits;
} rt_agent_counts;

/* MT_E_CORRUPT when the kept state is not this agent's; `why` says more. */
mt_err rt_agent_open(const rt_agent_options *options, rt_agent **out, mt_buf *why);
/* One line from the relay, without newline. */
void rt_agent_receive(rt_agent *x, mt_str line);
/* Fires the timed senders that are due; returns the milliseconds until the next (-1:
 * there are none). */
int64_t rt_agent_tick(rt_agent *x, int64_t now_ms);
/* Makes durable what happened since the last call. MT_E_IO: it is not, and nothing of
 * it may be sent. */
mt_err rt_agent_commit(rt_agent *x);
/* What is committed and not sent, each line with its newline. */
mt_str rt_agent_unsent(const rt_agent *x);
void rt_agent_sent(rt_agent *x, size_t lines);
/* Is there so much unsent that the agent should wait before it takes more? */
bool rt_agent_is_full(const rt_agent *x);
/* Where the agent wants to go, or whether it wants to end. The caller clears it. */
rt_wish *rt_agent_wish(rt_agent *x);
rt_agent_counts rt_agent_count(const rt_agent *x);
ag_actor *rt_agent_actor(rt_agent *x);
void rt_agent_free(rt_agent *x);

#endif

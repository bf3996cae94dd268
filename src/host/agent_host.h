/* host/agent_host.h - an agent file at work: engine, handlers, durable state.
 * Room: host. The host takes lines as a relay sends them and gives lines to send;
 * who carries them is not its concern (net/runner.h does).
 * Durable: after ho_agent_commit() the tape, the memory and the messages they want sent
 * are safe together; only then may messages be sent. With a durable relay so is the
 * sequence of the last message, and one that is not above it is dropped unseen.
 * Threads: one. */
#ifndef HO_AGENT_HOST_H
#define HO_AGENT_HOST_H

#include "agent/agent_file.h"
#include "host/agent_watch.h"
#include "host/handlers.h"
#include "host/keep.h"

typedef struct ho_agent ho_agent;

typedef struct ho_agent_options {
    const ag_file *file;
    const mt_limits *limits; /* NULL: the defaults */
    const char *directory;   /* where handlers run; NULL: here */
    ho_keep *keep;           /* taken over */
    const mt_json *upload;   /* a tape that replaces the kept one; NULL: none */
    const char *download;    /* the tape is written there after each change; NULL */
    const char *quit_on;     /* a trigger that ends the agent; NULL: none */
    const char *const *travel_on; /* pairs trigger, "HOST:PORT"; ends with NULL */
    const mt_sign_key *sign_key; /* what is sent is signed; borrowed; NULL: it is not */
    ho_guard *guard; /* asked before a handler's program is started; NULL: nobody is */
    void *guard_state;
    ho_watch *watch; /* borrowed; NULL: nobody watches */
    os_report *report;
    void *report_state;
} ho_agent_options;

/* What the agent has done so far. */
typedef struct ho_agent_counts {
    uint64_t received, dropped, unreadable, refused, sent, failed, commits;
    uint64_t again; /* came a second time, from a durable relay */
} ho_agent_counts;

/* MT_E_CORRUPT when the kept state is not this agent's; `why` says more. */
mt_err ho_agent_open(const ho_agent_options *options, ho_agent **out, mt_buf *why);
/* One line from the relay, without newline. */
void ho_agent_receive(ho_agent *x, mt_str line);
/* Fires the timed senders that are due; returns the milliseconds until the next (-1:
 * there are none). */
int64_t ho_agent_tick(ho_agent *x, int64_t now_ms);
/* Makes durable what happened since the last call. MT_E_IO: it is not, and nothing of
 * it may be sent. */
mt_err ho_agent_commit(ho_agent *x);
/* What is committed and not sent, each line with its newline. */
mt_str ho_agent_unsent(const ho_agent *x);
/* The number of the first of them is one more. */
uint64_t ho_agent_sent_ever(const ho_agent *x);
/* Where it stands with a durable relay, as committed. */
const ho_stand *ho_agent_stand(const ho_agent *x);
/* Where it stands from now on; kept with the next commit. */
void ho_agent_stand_at(ho_agent *x, const ho_stand *stand);
/* So many of the first unsent lines have reached the relay. */
void ho_agent_sent(ho_agent *x, size_t lines);
/* Is there so much unsent that the agent should wait before it takes more? */
bool ho_agent_is_full(const ho_agent *x);
/* Where the agent wants to go, or whether it wants to end. The caller clears it. */
ho_wish *ho_agent_wish(ho_agent *x);
ho_agent_counts ho_agent_count(const ho_agent *x);
ag_actor *ho_agent_actor(ho_agent *x);
/* What it is at this moment: the state as it would be kept and the counts, one JSON
 * object. */
void ho_agent_snapshot(const ho_agent *x, mt_jw *w);
void ho_agent_free(ho_agent *x);

#endif

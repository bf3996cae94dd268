/* host/agent_watch.h - what an agent does, for those who watch it at work.
 * Room: host. Two ways to see it: the trace of agent/trace.h, line by line as it
 * happens, and a few words per message for people. Neither changes what the agent does,
 * and neither may stop it. Threads: the agent's. */
#ifndef HO_AGENT_WATCH_H
#define HO_AGENT_WATCH_H

#include "agent/agent_file.h"
#include "os/report.h"

typedef struct ho_watch ho_watch;

typedef struct ho_watch_options {
    const ag_file *file;
    int trace; /* a file descriptor that is borrowed; -1: no trace */
    bool words;
    os_report *report; /* words, and that the trace cannot be written */
    void *report_state;
} ho_watch_options;

/* Writes the trace's header. */
ho_watch *ho_watch_new(const ho_watch_options *options);
/* Writes the trace's end; `actor` may be NULL when there was none. */
void ho_watch_free(ho_watch *w, ag_actor *actor);

/* All of these do nothing for NULL. Before the calls of a message, after them, and for
 * each message of a timed sender. */
void ho_watch_before(ho_watch *w, ag_actor *actor);
void ho_watch_message(ho_watch *w, ag_actor *actor, const mt_json *payload);
void ho_watch_tick(ho_watch *w, mt_str sender, const mt_json *sent);

#endif

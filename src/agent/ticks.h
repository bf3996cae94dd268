/* agent/ticks.h - timed senders at work: whose clock runs, what is due, what they say.
 * Room: agent. May include base/ only; pure: the time is given.
 * Ownership: borrows the file and the actor. One thread. */
#ifndef AG_TICKS_H
#define AG_TICKS_H

#include "agent/agent_file.h"

/* What a tick asks of its host. */
typedef struct ag_tick_host {
    void *state;
    void (*begin)(void *state); /* before each call: what the last answered may go */
    ag_handler *call;           /* answers what is external */
    /* One message, after the hooks. */
    void (*emit)(void *state, const ag_sender *sender, const mt_json *out);
    /* `what` failed: "a timed sender", "a send hook"; `why` NULL: no more is known. */
    void (*failed)(void *state, const char *what, const char *why);
    bool (*full)(void *state); /* is there no room for more? NULL: never */
} ag_tick_host;

typedef struct ag_ticks ag_ticks;
ag_ticks *ag_ticks_new(const ag_file *file, ag_actor *actor);
void ag_ticks_free(ag_ticks *t); /* accepts NULL */

/* Fires what is due; the milliseconds until the next (-1: there is none). Missed ticks
 * are not caught up. *fired: something was. `scratch` is for one call. */
int64_t ag_ticks_run(ag_ticks *t, int64_t now_ms, mt_arena *scratch,
                     const ag_tick_host *host, bool *fired);

#endif

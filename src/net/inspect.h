/* net/inspect.h - a running agent shown to whoever asks on its machine.
 * Room: net. A local socket, readable by its owner alone; one who connects is sent one
 * JSON object and the connection ends. Nothing is read from it, and one who does not
 * take the answer is given up: the agent never waits. Threads: the agent's. */
#ifndef NT_INSPECT_H
#define NT_INSPECT_H

#include <poll.h>

#include "base/str.h"

typedef struct nt_inspect nt_inspect;

/* Writes the answer. */
typedef void nt_inspect_write(void *state, mt_buf *out);

/* Listens at `path`. A socket that nobody listens at any more is replaced; anything
 * else that is there is left alone and refused. */
mt_err nt_inspect_open(const char *path, nt_inspect_write *write, void *state,
                       nt_inspect **out, mt_buf *why);
/* What to poll for: fills two entries. NULL: they are never ready. */
void nt_inspect_poll(const nt_inspect *x, struct pollfd fds[2]);
/* After poll(): takes who came and sends what can be sent. */
void nt_inspect_react(nt_inspect *x, const struct pollfd fds[2]);
/* Removes the socket. */
void nt_inspect_close(nt_inspect *x);

/* The other side: the answer of the agent at `path`. */
mt_err nt_inspect_ask(const char *path, mt_buf *answer, mt_buf *why);

#endif

/* runtime/process.h - a child process that speaks lines.
 * Room: runtime. Used for graph drivers, egress channels and agent handlers.
 * A child runs in its own process group, which is killed as a whole, and dies with the
 * host. Its stdout is read line by line with a ceiling; its stderr is drained while we
 * read and the last part kept for diagnostics, so a chatty child never blocks.
 * Threads: one thread uses a child at a time. */
#ifndef RT_PROCESS_H
#define RT_PROCESS_H

#include "base/str.h"

typedef struct rt_child rt_child;

typedef struct rt_child_options {
    const char *const *argv; /* ends with NULL; argv[0] is looked up in PATH */
    const char *directory;   /* NULL: the host's */
    const char *const
        *environment; /* NAME=VALUE each, ends with NULL; NULL: the host's */
    bool wants_stdin; /* false: it gets /dev/null */
    size_t max_line;  /* bytes in one line of its stdout; 0: 1 MiB */
} rt_child_options;

/* MT_E_NOTFOUND when the program does not exist, MT_E_IO otherwise; errno says why. */
mt_err rt_child_start(const rt_child_options *options, rt_child **out);

/* The next line of its stdout, without the newline; valid until the next call.
 * MT_E_TIMEOUT after `timeout_ms` (0: only what is there, negative: for ever),
 * MT_E_CLOSED at the end, MT_E_LIMIT when a line is too long. */
mt_err rt_child_read_line(rt_child *c, int timeout_ms, mt_str *line);
/* At the end of its stdout: what came after the last newline (usually nothing). */
mt_str rt_child_rest(const rt_child *c);

/* Writes all bytes to its stdin, draining its stderr meanwhile. MT_E_TIMEOUT,
 * MT_E_CLOSED when it no longer reads. */
mt_err rt_child_write(rt_child *c, mt_str bytes, int timeout_ms);
void rt_child_close_stdin(rt_child *c);

/* For event loops: the descriptor to wait on before rt_child_read_line(c, 0, ...). */
int rt_child_fd(const rt_child *c);
int rt_child_pid(const rt_child *c);

/* Waits up to `grace_ms` for its end, then kills the group. True when it ended by
 * itself; *exit_status is then its exit code, or 128 + signal. */
bool rt_child_stop(rt_child *c, int grace_ms, int *exit_status);
/* Kills the whole group at once and reaps the child. */
void rt_child_kill(rt_child *c);

/* The last bytes it wrote to stderr. */
mt_str rt_child_complaint(const rt_child *c);

/* Kills it if it still runs. Accepts NULL. */
void rt_child_free(rt_child *c);

#endif

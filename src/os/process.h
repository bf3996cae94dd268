/* os/process.h - a child process that speaks lines.
 * Room: os. Used for graph drivers, egress channels and agent handlers.
 * A child runs in its own process group, which is killed as a whole, and dies with the
 * host. Its stdout is read line by line with a ceiling; its stderr is drained while we
 * read and the last part kept for diagnostics, so a chatty child never blocks.
 * Threads: one thread uses a child at a time. */
#ifndef OS_PROCESS_H
#define OS_PROCESS_H

#include "base/str.h"

typedef struct os_child os_child;

typedef struct os_child_options {
    const char *const *argv; /* ends with NULL; argv[0] is looked up in PATH */
    const char *directory;   /* NULL: the host's */
    const char *const
        *environment; /* NAME=VALUE each, ends with NULL; NULL: the host's */
    bool wants_stdin; /* false: it gets /dev/null */
    size_t max_line;  /* bytes in one line of its stdout; 0: 1 MiB */
    size_t memory;    /* bytes it may have, or less if the host has; 0: as the host */
} os_child_options;

/* MT_E_NOTFOUND when the program does not exist, MT_E_IO otherwise; errno says why. */
mt_err os_child_start(const os_child_options *options, os_child **out);

/* The next line of its stdout, without the newline; valid until the next call.
 * MT_E_TIMEOUT after `timeout_ms` (0: only what is there, negative: for ever),
 * MT_E_CLOSED at the end, MT_E_LIMIT when a line is too long. */
mt_err os_child_read_line(os_child *c, int timeout_ms, mt_str *line);
/* At the end of its stdout: what came after the last newline (usually nothing). */
mt_str os_child_rest(const os_child *c);

/* Writes all bytes to its stdin, draining its stderr meanwhile. MT_E_TIMEOUT,
 * MT_E_CLOSED when it no longer reads. */
mt_err os_child_write(os_child *c, mt_str bytes, int timeout_ms);
void os_child_close_stdin(os_child *c);

/* For event loops: the descriptor to wait on before os_child_read_line(c, 0, ...);
 * those of its stdin and stderr (which that call drains); -1: closed. */
int os_child_fd(const os_child *c);
int os_child_stdin_fd(const os_child *c);
int os_child_stderr_fd(const os_child *c);
/* Writes as much as it takes now, which may be nothing. MT_E_CLOSED, MT_E_IO. */
mt_err os_child_write_some(os_child *c, mt_str bytes, size_t *put);

/* Waits up to `grace_ms` for its end, then kills the group. True when it ended by
 * itself; *exit_status is then its exit code, or 128 + signal. */
bool os_child_stop(os_child *c, int grace_ms, int *exit_status);
/* Kills the whole group at once and reaps the child. */
void os_child_kill(os_child *c);

/* Starts a program that is on its own from then on: it outlives us, says nothing here,
 * and is not waited for. MT_E_NOTFOUND, MT_E_IO as above. */
mt_err os_detach(const char *const *argv);

/* The last bytes it wrote to stderr. */
mt_str os_child_complaint(const os_child *c);

/* Kills it if it still runs. Accepts NULL. */
void os_child_free(os_child *c);

#endif

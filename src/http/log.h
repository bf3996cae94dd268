/* http/log.h - what a running server says about itself, one line each.
 * Room: http. Text:  2026-11-16T00:20:20.123Z info listening address=127.0.0.1:8440
 * JSON: {"time":"…","level":"info","event":"listening","address":"…"}
 * Secrets are never given to it.
 *
 * Logging never waits: a line is put into a queue of at most `log_bytes`, and one
 * thread writes what is there. A line that finds the queue full, or that cannot be
 * written, is dropped and counted, and the next line that gets out says how many were.
 * Threads: any; lines are whole and keep their order. */
#ifndef HT_LOG_H
#define HT_LOG_H

#include <stdatomic.h>

#include "base/json_write.h"

typedef enum ht_level { HT_DEBUG, HT_INFO, HT_WARN, HT_ERROR } ht_level;

typedef struct ht_log {
    int fd; /* -1: it cannot be written, every line is dropped */
    bool json;
    atomic_int least;             /* ht_level; may change while it is used */
    struct ht_log_writer *writer; /* NULL: silent */
} ht_log;

/* Starts writing to log->fd, with at most `most` bytes waiting. MT_E_BUSY: no thread
 * can be had. */
mt_err ht_log_open(ht_log *log, size_t most);
/* Waits until all lines so far are written, but not for long. */
void ht_log_flush(const ht_log *log);
/* Flushes and ends. Nobody may use the log any more. Accepts one that is not open. */
void ht_log_close(ht_log *log);
/* Lines dropped since it was opened. */
uint64_t ht_log_dropped(const ht_log *log);

/* `fields` is a JSON object, or empty. The type fits ex_executor_options.log. */
void ht_log_write(void *log, int level, mt_str event, mt_str fields);
/* One field. */
void ht_log_text(const ht_log *log, ht_level level, const char *event, const char *key,
                 mt_str value);
/* Appends a line, with its newline. */
void ht_log_line(mt_buf *out, bool json, int level, mt_str event, mt_str fields);
/* "debug" … "error"; false when it is none. */
bool ht_level_read(mt_str name, ht_level *out);
const char *ht_level_name(ht_level level);

#endif

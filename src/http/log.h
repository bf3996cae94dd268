/* http/log.h - what a running server says about itself, one line each.
 * Room: http. Text:  2026-11-16T00:20:20.123Z info listening address=127.0.0.1:8440
 * JSON: {"time":"…","level":"info","event":"listening","address":"…"}
 * Secrets are never given to it. Threads: any; a line is written whole. */
#ifndef HT_LOG_H
#define HT_LOG_H

#include "base/json_write.h"

typedef enum ht_level { HT_DEBUG, HT_INFO, HT_WARN, HT_ERROR } ht_level;

typedef struct ht_log {
    int fd; /* -1: silent */
    bool json;
    ht_level least;
} ht_log;

/* `fields` is a JSON object, or empty. The type fits rt_executor_options.log. */
void ht_log_write(void *log, int level, mt_str event, mt_str fields);
/* One field. */
void ht_log_text(const ht_log *log, ht_level level, const char *event, const char *key,
                 mt_str value);
/* "debug" … "error"; false when it is none. */
bool ht_level_read(mt_str name, ht_level *out);

#endif

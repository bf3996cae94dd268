/* net/backlog.h - the lines a relay has published and may have to publish again, and
 * those it has yet to publish: one text, in order.
 * Room: net. A line is "NODE NUMBER TEXT\n", numbers growing. Threads: one. */
#ifndef NT_BACKLOG_H
#define NT_BACKLOG_H

#include "base/str.h"

typedef struct nt_backlog {
    mt_buf text; /* lines published and not yet known to be heard, and those to come */
    size_t head, next; /* oldest line kept; first that is to be published */
    uint64_t last;     /* number of the last one published ever */
} nt_backlog;

void nt_backlog_add(nt_backlog *b, mt_str lines);
/* The next line to be published, without newline; empty: there is none. */
mt_str nt_backlog_next(const nt_backlog *b);
/* It was published, or will never be. */
void nt_backlog_done(nt_backlog *b);
/* Everything from this number on is to be published again, as far as it is kept.
 * Returns how many lines that are. */
uint64_t nt_backlog_rewind(nt_backlog *b, uint64_t number);
/* The oldest line kept, which was published, need not be published again. */
void nt_backlog_confirm(nt_backlog *b);
/* Number of the oldest line kept; the next one's when there is none. */
uint64_t nt_backlog_first(const nt_backlog *b);
/* Keeps at most about `most` bytes of what was published. */
void nt_backlog_trim(nt_backlog *b, size_t most);
void nt_backlog_free(nt_backlog *b);

#endif

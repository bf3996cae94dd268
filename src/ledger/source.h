/* ledger/source.h - where the lines of a ledger come from: text, a file, a store.
 * Room: ledger. May include base/ only.
 * A ledger is a sequence of lines, records and checkpoints, each ending in a newline.
 * Everything that reads one reads it through this, line by line in constant memory. */
#ifndef LG_SOURCE_H
#define LG_SOURCE_H

#include "base/str.h"

typedef struct lg_source {
    void *state;
    /* The next line without its newline; it lives until the next call. MT_E_NOTFOUND:
     * there is none. MT_E_CORRUPT: the last line is cut off. MT_E_LIMIT: a line is
     * longer than allowed. MT_E_IO and others: the world failed, errno says why. */
    mt_err (*next)(void *state, mt_str *line);
} lg_source;

/* Lines of text in memory. */
typedef struct lg_text {
    mt_str rest;
} lg_text;
lg_source lg_text_source(lg_text *text);

/* Lines of an open file, pipe or socket. */
typedef struct lg_file lg_file;
/* `line_limit` is the longest line allowed. The descriptor is borrowed. */
lg_file *lg_file_new(int fd, size_t line_limit);
/* Lines are good until the next one is asked for. */
lg_source lg_file_source(lg_file *file);
void lg_file_free(lg_file *file);

#endif

/* store/copy.h - reads the copy of a store (st_dump), line after line.
 * Room: store. Form, order and digest are checked on the way; what the rows mean is the
 * reader's business:
 *     st_copy c;
 *     mt_err err = st_copy_begin(&c, read, state);
 *     for (mt_json line; !err && !(err = st_copy_next(&c, &line));) { … }
 *     // MT_E_NOTFOUND: that was all of it, and it holds
 *     st_copy_end(&c);
 * Ownership: a line lives until the next call. */
#ifndef ST_COPY_H
#define ST_COPY_H

#include "base/hash.h"
#include "base/json_read.h"

enum { ST_COPY_FORMAT = 1 };

typedef struct st_copy {
    mt_err (*read)(void *state, mt_str *line); /* as st_load() has it */
    void *state;
    mt_sha256_stream *digest;
    int64_t schema, rows; /* rows: given so far */
    size_t line;          /* the one given last, from 1 */
    const char *fault;    /* what is wrong with that line */
    mt_arena arena;       /* of that line */
} st_copy;

/* Reads the head. MT_E_CORRUPT, MT_E_VERSION or what `read` said, with `fault`. To be
 * ended in any case. */
mt_err st_copy_begin(st_copy *c, mt_err (*read)(void *state, mt_str *line),
                     void *state);
/* The next row: {"row":[…],"table":"…"}. MT_E_NOTFOUND after the last. */
mt_err st_copy_next(st_copy *c, mt_json *line);
void st_copy_end(st_copy *c);

#endif

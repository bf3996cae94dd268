#include "ledger/source.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* A last line without a newline was cut off. */
static mt_err next_of_text(void *state, mt_str *line)
{
    lg_text *t = state;
    if (!t->rest.len) {
        return MT_E_NOTFOUND;
    }
    *line = mt_str_from(t->rest.ptr, mt_str_find(t->rest, '\n'));
    if (line->len == t->rest.len) {
        return MT_E_CORRUPT;
    }
    t->rest = mt_str_skip(t->rest, line->len + 1);
    return MT_OK;
}

lg_source lg_text_source(lg_text *text)
{
    return (lg_source){text, next_of_text};
}

/* ---- files ---- */

enum { FIRST_ROOM = 1 << 18 };

struct lg_file {
    int fd;
    size_t line_limit; /* a longer line is MT_E_LIMIT */
    char *room;
    size_t cap;
    size_t start, len; /* what is read and not given out: room[start, len) */
    bool ended;
};

lg_file *lg_file_new(int fd, size_t line_limit)
{
    lg_file *f = mt_xmalloc(sizeof *f);
    *f = (lg_file){.fd = fd, .line_limit = line_limit, .cap = FIRST_ROOM};
    f->room = mt_xmalloc(f->cap);
    return f;
}

void lg_file_free(lg_file *f)
{
    if (f) {
        free(f->room);
        free(f);
    }
}

/* Makes room behind what is there, first by moving it to the front. */
static mt_err make_room(lg_file *f)
{
    memmove(f->room, f->room + f->start, f->len - f->start);
    f->len -= f->start;
    f->start = 0;
    if (f->len < f->cap) {
        return MT_OK;
    }
    if (f->len > f->line_limit) {
        errno = 0;
        return MT_E_LIMIT;
    }
    f->cap *= 2;
    f->room = mt_xrealloc(f->room, f->cap);
    return MT_OK;
}

/* Room is made first, so a long line can grow up to its limit; what was read before
 * stays in place. */
static mt_err read_more(lg_file *f)
{
    mt_err err = f->len == f->cap ? make_room(f) : MT_OK;
    ssize_t got;
    if (err) {
        return err;
    }
    do {
        got = read(f->fd, f->room + f->len, f->cap - f->len);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return MT_E_IO;
    }
    f->ended = got == 0;
    f->len += (size_t)got;
    return MT_OK;
}

/* Bytes are searched for the newline once, however often more have to be read. */
static mt_err next_of_file(void *state, mt_str *line)
{
    lg_file *f = state;
    size_t seen = 0; /* bytes of the line without a newline in them */
    for (;;) {
        mt_str there = mt_str_from(f->room + f->start, f->len - f->start);
        const char *end =
            there.len > seen ? memchr(there.ptr + seen, '\n', there.len - seen) : NULL;
        if (end) {
            *line = mt_str_from(there.ptr, (size_t)(end - there.ptr));
            f->start += line->len + 1;
            errno = 0;
            return line->len > f->line_limit ? MT_E_LIMIT : MT_OK;
        }
        if (f->ended) {
            return there.len ? MT_E_CORRUPT : MT_E_NOTFOUND;
        }
        seen = there.len;
        mt_err err = read_more(f);
        if (err) {
            return err;
        }
    }
}

lg_source lg_file_source(lg_file *file)
{
    return (lg_source){file, next_of_file};
}

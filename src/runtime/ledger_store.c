#include "runtime/ledger_store.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "ledger/checkpoint.h"
#include "ledger/entry.h"

enum { PAGE = 1000 };

typedef MT_VEC(mt_str) lines_of_page;

struct rt_ledger {
    st_tx *tx;
    mt_arena page;       /* the lines of this page */
    lines_of_page lines; /* in order, without newlines */
    size_t given;        /* of them */
    uint64_t next;       /* the first record of the next page */
    mt_sha256 head;      /* hash of the record before it */
    mt_buf room;         /* one line being written */
    bool ended;
};

/* The hash of the record before the first one wanted. */
static mt_err find_head(rt_ledger *l)
{
    mt_arena a = {0};
    st_record before;
    if (!l->next) {
        return MT_OK;
    }
    mt_err err = st_record_at(l->tx, &a, (int64_t)l->next - 1, &before);
    if (!err && before.hash.len == MT_SHA256_BYTES) {
        memcpy(l->head.bytes, before.hash.ptr, MT_SHA256_BYTES);
    }
    mt_arena_free(&a);
    /* Past the end there is nothing to show, which is no failure. */
    l->ended = err == MT_E_NOTFOUND;
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

mt_err rt_ledger_open(st_store *store, uint64_t from, rt_ledger **out)
{
    rt_ledger *l = mt_xmalloc(sizeof *l);
    *l = (rt_ledger){.next = from};
    *out = l;
    mt_err err = st_begin(store, ST_READ, &l->tx);
    return err ? err : find_head(l);
}

void rt_ledger_close(rt_ledger *l)
{
    if (l) {
        if (l->tx) {
            st_rollback(l->tx);
        }
        mt_arena_free(&l->page);
        mt_buf_free(&l->room);
        free(l);
    }
}

/* ---- a page ---- */

static void keep_line(rt_ledger *l, mt_str line)
{
    line.len -= line.len && line.ptr[line.len - 1] == '\n';
    mt_vec_push(&l->page, &l->lines, mt_str_dup(&l->page, line));
}

static mt_err add_record(void *state, const st_record *row)
{
    rt_ledger *l = state;
    lg_entry e = {.seq = (uint64_t)row->seq, .prev = l->head, .body = row->body};
    if (row->hash.len != MT_SHA256_BYTES) {
        return MT_E_CORRUPT;
    }
    memcpy(e.hash.bytes, row->hash.ptr, MT_SHA256_BYTES);
    mt_buf_clear(&l->room);
    lg_entry_write(&l->room, &e);
    keep_line(l, mt_buf_str(&l->room));
    l->head = e.hash;
    l->next = e.seq + 1;
    return MT_OK;
}

/* The checkpoints over more than `from` and at most l->next records, newest first. */
static mt_err read_checkpoints(rt_ledger *l, uint64_t from, lines_of_page *out)
{
    uint64_t size = l->next;
    while (size > from) {
        mt_str text;
        lg_checkpoint c;
        mt_err err = st_checkpoint_get(l->tx, &l->page, (int64_t)size, &text);
        if (err) {
            return err == MT_E_NOTFOUND ? MT_OK : err;
        }
        text.len -= text.len && text.ptr[text.len - 1] == '\n';
        if (lg_checkpoint_read(&l->page, text, &c) || c.size > size) {
            return MT_E_CORRUPT;
        }
        if (c.size <= from) {
            return MT_OK;
        }
        mt_vec_push(&l->page, out, text);
        size = c.size - 1;
    }
    return MT_OK;
}

/* Puts each checkpoint behind its last record: record n of the page ends size
 * from + n + 1. */
static mt_err weave(rt_ledger *l, uint64_t from)
{
    lines_of_page points = {0}, all = {0};
    mt_err err = read_checkpoints(l, from, &points);
    if (err) {
        return err;
    }
    for (size_t i = 0; i < l->lines.len; i++) {
        lg_checkpoint c = {0};
        mt_vec_push(&l->page, &all, l->lines.items[i]);
        bool any = points.len &&
                   !lg_checkpoint_read(&l->page, points.items[points.len - 1], &c);
        if (any && c.size == from + i + 1) {
            mt_vec_push(&l->page, &all, points.items[--points.len]);
        }
    }
    l->lines = all;
    return MT_OK;
}

static mt_err next_page(rt_ledger *l)
{
    uint64_t from = l->next;
    st_record_filter filter = {.from_seq = (int64_t)from,
                               .to_seq = (int64_t)(from + PAGE)};
    mt_arena_reset(&l->page);
    l->lines = (lines_of_page){0};
    l->given = 0;
    mt_err err =
        st_record_walk(l->tx, &filter, (st_page){.limit = PAGE}, add_record, l);
    l->ended = l->next == from;
    return err ? err : weave(l, from);
}

static mt_err next_line(void *state, mt_str *line)
{
    rt_ledger *l = state;
    while (l->given == l->lines.len) {
        if (l->ended) {
            return MT_E_NOTFOUND;
        }
        errno = 0;
        mt_err err = next_page(l);
        if (err) {
            /* A record that cannot be written as a line is not a line cut off. */
            return err == MT_E_CORRUPT || err == MT_E_NOTFOUND ? MT_E_IO : err;
        }
    }
    *line = l->lines.items[l->given++];
    return MT_OK;
}

lg_source rt_ledger_source(rt_ledger *l)
{
    return (lg_source){l, next_line};
}

/* exec/evidence/ledger_store.c - see ledger_store.h.
 *
 * Records and checkpoints are read in pages, in the order in which an exported file has
 * them: a checkpoint stands behind the last record it covers. Every line is made from
 * stored bytes, never from what they should be, so that a verifier sees what is there.
 * May fail: the store. */
#include "exec/evidence/ledger_store.h"

#include <errno.h>
#include <stdlib.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/vec.h"
#include "ledger/checkpoint.h"
#include "ledger/entry.h"

enum { PAGE = 1000 };

typedef MT_VEC(mt_str) lines_of_page;

struct ex_ledger {
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
static mt_err find_head(ex_ledger *l)
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
    /* Past the end there is nothing to show, which is not a failure. */
    l->ended = err == MT_E_NOTFOUND;
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

mt_err ex_ledger_open(st_store *store, uint64_t from, ex_ledger **out)
{
    ex_ledger *l = mt_xmalloc(sizeof *l);
    *l = (ex_ledger){.next = from};
    *out = l;
    mt_err err = st_begin(store, ST_READ, &l->tx);
    return err ? err : find_head(l);
}

void ex_ledger_close(ex_ledger *l)
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

static void keep_line(ex_ledger *l, mt_str line)
{
    line.len -= line.len && line.ptr[line.len - 1] == '\n';
    mt_vec_push(&l->page, &l->lines, mt_str_dup(&l->page, line));
}

static mt_err add_record(void *state, const st_record *row)
{
    ex_ledger *l = state;
    lg_entry e = {.seq = (uint64_t)row->seq, .prev = l->head, .body = row->body};
    if (row->hash.len == MT_SHA256_BYTES) { /* or it is not a hash, as will be found */
        memcpy(e.hash.bytes, row->hash.ptr, MT_SHA256_BYTES);
    }
    mt_buf_clear(&l->room);
    lg_entry_write(&l->room, &e);
    keep_line(l, mt_buf_str(&l->room));
    l->head = e.hash;
    l->next = e.seq + 1;
    return MT_OK;
}

typedef struct weaving {
    ex_ledger *l;
    uint64_t from;     /* the page's first record */
    size_t taken;      /* records put into `all` */
    lines_of_page all; /* records and checkpoints */
} weaving;

static void take_records(weaving *w, size_t upto)
{
    for (; w->taken < upto; w->taken++) {
        mt_vec_push(&w->l->page, &w->all, w->l->lines.items[w->taken]);
    }
}

/* Behind the record its row says; whether its text says the same is for the verifier,
 * and so is a row that stands where records are missing. */
static mt_err add_checkpoint(void *state, int64_t size, mt_str text)
{
    weaving *w = state;
    size_t covered = (size_t)((uint64_t)size - w->from);
    take_records(w, covered < w->l->lines.len ? covered : w->l->lines.len);
    text.len -= text.len && text.ptr[text.len - 1] == '\n';
    mt_vec_push(&w->l->page, &w->all, mt_str_dup(&w->l->page, text));
    return MT_OK;
}

/* Puts each checkpoint behind its last record: record n of the page ends size
 * from + n + 1. */
static mt_err weave(ex_ledger *l, uint64_t from)
{
    weaving w = {.l = l, .from = from};
    mt_err err =
        st_checkpoint_walk(l->tx, (int64_t)from, (int64_t)l->next, add_checkpoint, &w);
    take_records(&w, l->lines.len);
    l->lines = w.all;
    return err;
}

static mt_err next_page(ex_ledger *l)
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
    ex_ledger *l = state;
    while (l->given == l->lines.len) {
        if (l->ended) {
            return MT_E_NOTFOUND;
        }
        errno = 0;
        mt_err err = next_page(l);
        if (err) {
            return err == MT_E_CORRUPT || err == MT_E_NOTFOUND ? MT_E_IO : err;
        }
    }
    *line = l->lines.items[l->given++];
    return MT_OK;
}

lg_source ex_ledger_source(ex_ledger *l)
{
    return (lg_source){l, next_line};
}

/* ---- the rest of the store ---- */

static const char *bounds_fault(const st_ledger_bounds *b, const lg_chain *end)
{
    int64_t size = (int64_t)end->tree.size;
    if (b->first < 0) {
        return "a record stands before the first one";
    }
    if (b->end != size) {
        return "records are missing before this one";
    }
    if (b->smallest < 1) {
        return "a checkpoint is over no record at all";
    }
    if (b->largest > size) {
        return "records are missing at the end: a checkpoint is over more than there "
               "are";
    }
    return b->counted >= 0 && b->counted != b->checkpoints
               ? "a checkpoint was removed or put in"
               : NULL;
}

static const char *head_fault(int64_t size, mt_str head, const lg_chain *end)
{
    mt_buf due = {0};
    lg_chain_write(&due, end);
    bool same = mt_str_eq(head, mt_buf_str(&due));
    mt_buf_free(&due);
    return size > (int64_t)end->tree.size
               ? "records are missing at the end: the head of the chain is beyond them"
           : size < (int64_t)end->tree.size
               ? "there are records behind the head of the chain"
           : !same ? "the head of the chain does not agree with the records"
                   : NULL;
}

mt_err ex_ledger_compare(ex_ledger *l, const lg_chain *end, const char **fault)
{
    mt_arena a = {0};
    st_ledger_bounds b;
    int64_t size = 0;
    mt_str head = {0};
    *fault = NULL;
    mt_err err = st_ledger_bounds_get(l->tx, &b);
    err = err ? err : st_ledger_tail(l->tx, &a, &size, &head);
    if (!err) {
        *fault = bounds_fault(&b, end);
        *fault = *fault ? *fault : head_fault(size, head, end);
    }
    mt_arena_free(&a);
    return err;
}

/* ---- Contracts ---- */

/* Documents of kind "contract" (exec/contract/contracts.c). */
mt_err ex_ledger_bundle(ex_ledger *l, mt_arena *a, mt_str contract, mt_str etag,
                        mt_str *out)
{
    st_doc doc;
    mt_json tree;
    mt_buf text = {0};
    mt_err err =
        st_doc_get(l->tx, a, MT_STR("contract"),
                   mt_strf(a, "%.*s/%.*s", MT_ARG(contract), MT_ARG(etag)), &doc);
    if (!err && mt_json_read(a, doc.body, NULL, &tree, NULL)) {
        err = MT_E_CORRUPT;
    }
    const mt_json *bundle = err ? NULL : mt_json_at(&tree, "bundle");
    if (bundle) {
        mt_json_write(&text, bundle, false);
    }
    *out = mt_str_dup(a, mt_buf_str(&text));
    mt_buf_free(&text);
    bool same = mt_str_eq(mt_sha256_hex(a, mt_sha256_of(*out)), etag);
    return err ? err : same ? MT_OK : MT_E_CORRUPT;
}

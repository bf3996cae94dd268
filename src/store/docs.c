/* store/docs.c - documents: one text under one name.
 * Room: store. What has no table of its own is kept here by kind and id, tokens and
 * signed notes for instance. Three ways to write: put with version 0 inserts and
 * says MT_E_EXISTS; put with another version replaces exactly the one before it and
 * says MT_E_CONFLICT otherwise, so two writers never undo each other; set replaces
 * whatever is there.
 * INVARIANT: a write that was accepted is noted by its kind, and the stamp of the
 * kind grows with the same commit. Caches on every node compare stamps, so a change
 * that is not noted would stay unseen. */
#include "store/driver.h"

/* ORDER of the columns in statements.h. */
static void doc_read(mt_arena *a, const st_value *c, void *out)
{
    *(st_doc *)out = (st_doc){
        .kind = st_keep(a, c[0].text),
        .id = st_keep(a, c[1].text),
        .tag = st_keep(a, c[2].text),
        .body = st_keep(a, c[3].text),
        .version = c[4].number,
        .updated_ms = c[5].number,
    };
}

/* The stamps grow when the transaction commits. */
static void note_change(st_tx *tx, mt_str kind)
{
    for (size_t i = 0; i < tx->kinds.len; i++) {
        if (mt_str_eq(tx->kinds.items[i], kind)) {
            return;
        }
    }
    mt_vec_push(&tx->scratch, &tx->kinds, mt_str_dup(&tx->scratch, kind));
}

static mt_err noted(st_tx *tx, mt_str kind, mt_err err)
{
    if (!err) {
        note_change(tx, kind);
    }
    return err;
}

static mt_err doc_insert(st_tx *tx, const st_doc *row, bool replace)
{
    st_value params[] = {
        ST_T(row->kind), ST_T(row->id), ST_T(row->tag),
        ST_T(row->body), ST_I(0),       ST_I(row->updated_ms),
    };
    return replace ? st_send(tx, ST_SQL_DOC_SET, params, MT_E_CONFLICT)
                   : st_write(tx, ST_SQL_DOC_ADD, params, MT_E_EXISTS);
}

/* Adding waits for its answer, MT_E_EXISTS is at once. Replacing is sent: its
 * conflict may come with a later call, or with the commit. */
mt_err st_doc_put(st_tx *tx, const st_doc *row)
{
    if (row->version == 0) {
        return noted(tx, row->kind, doc_insert(tx, row, false));
    }
    st_value params[] = {
        ST_T(row->tag),        ST_T(row->body), ST_I(row->version),
        ST_I(row->updated_ms), ST_T(row->kind), ST_T(row->id),
    };
    return noted(tx, row->kind, st_send(tx, ST_SQL_DOC_PUT, params, MT_E_CONFLICT));
}

mt_err st_doc_set(st_tx *tx, const st_doc *row)
{
    return noted(tx, row->kind, doc_insert(tx, row, true));
}

mt_err st_doc_get(st_tx *tx, mt_arena *a, mt_str kind, mt_str id, st_doc *out)
{
    st_value key[] = {ST_T(kind), ST_T(id)};
    return st_get(tx, ST_SQL_DOC_GET, key, doc_read, a, out);
}

mt_err st_doc_lock(st_tx *tx, mt_arena *a, mt_str kind, mt_str id, st_doc *out)
{
    st_value key[] = {ST_T(kind), ST_T(id)};
    /* The lock may have waited for another node; a record number drawn before it
     * would be older than what that node wrote meanwhile. */
    st_ids_forget(tx);
    return st_get(tx, ST_SQL_DOC_LOCK, key, doc_read, a, out);
}

mt_err st_doc_delete(st_tx *tx, mt_str kind, mt_str id)
{
    st_value key[] = {ST_T(kind), ST_T(id)};
    return noted(tx, kind, st_write(tx, ST_SQL_DOC_DELETE, key, MT_E_NOTFOUND));
}

typedef struct walking {
    st_doc_walker *each;
    void *state;
} walking;

static mt_err walk_row(void *state, const st_value *cells)
{
    walking *w = state;
    st_doc row;
    /* Without an arena nothing is copied: the row is good until the walker returns. */
    doc_read(NULL, cells, &row);
    return w->each(w->state, &row);
}

mt_err st_doc_walk(st_tx *tx, mt_str kind, mt_str tag, st_page page,
                   st_doc_walker *each, void *state)
{
    st_value all[] = {ST_T(kind), ST_T(page.after), ST_I(0)};
    st_value tagged[] = {ST_T(kind), ST_T(tag), ST_T(page.after), ST_I(0)};
    size_t after = tag.len ? 2 : 1;
    st_walk walk = {.id = tag.len ? ST_SQL_DOC_WALK_TAG : ST_SQL_DOC_WALK,
                    .params = tag.len ? tagged : all,
                    .limit_param = after + 1,
                    .key_count = 1,
                    .key_cell = {1},
                    .key_param = {after}};
    walking w = {each, state};
    uint64_t left = st_page_limit(page);
    return st_walk_run(tx, &walk, walk_row, &w, &left);
}

static void stamp_read(mt_arena *a, const st_value *c, void *out)
{
    (void)a;
    *(int64_t *)out = c[0].number;
}

mt_err st_doc_stamp(st_tx *tx, mt_str kind, int64_t *stamp)
{
    st_value key[] = {ST_T(kind)};
    *stamp = 0;
    mt_err err = st_get(tx, ST_SQL_STAMP_GET, key, stamp_read, NULL, stamp);
    /* A kind that never changed has no row, and 0 is older than every stamp. */
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

static mt_err note_pair(void *state, const st_value *c)
{
    int64_t *stamps = state;
    stamps[0] = c[0].number;
    stamps[1] = c[1].number;
    return MT_OK;
}

mt_err st_doc_stamps_soon(st_tx *tx, mt_str first, mt_str second, int64_t stamps[2])
{
    st_value keys[] = {ST_T(first), ST_T(second)};
    return st_ask(tx, ST_SQL_STAMP_PAIR, keys, 1, note_pair, stamps);
}

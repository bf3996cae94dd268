/* host/graph_service_read.c - what the store has of served graphs: histories of keys,
 * journals, contexts, captures. Nothing of a running host is looked at, so any thread
 * may, in a transaction of its own. */
#include "host/graph_service_internal.h"

/* ---- names ---- */

/* A key's history has a name of fixed length, since a key may be long. */
enum { DIGITS = 32 };

static mt_str history_of_key(mt_arena *a, mt_str name, mt_str key)
{
    mt_str digest = mt_sha256_hex(a, mt_sha256_of(key));
    return mt_strf(a, "%.*s~%.*s", MT_ARG(name), DIGITS, digest.ptr);
}

mt_str ho_graph_service_history(const ho_graph_service *g, mt_arena *a, mt_str key)
{
    return ho_graph_service_key(g).len ? history_of_key(a, g->name, key) : g->name;
}

/* ---- keys ---- */

typedef struct key_walk {
    const ho_graph_service *g;
    st_tx *tx;
    ho_key_walker *each;
    void *state;
    bool passes;    /* damaged ones come with no key, instead of being an error */
    mt_arena arena; /* one row */
    mt_str key;     /* of the row */
    bool read;      /* the row has a first line */
    uint32_t rows;  /* of this page */
    uint32_t given; /* of all pages */
    mt_buf last;    /* row */
} key_walk;

/* Is it the name of a history of this graph's key? */
static bool is_history(const ho_graph_service *g, mt_str id)
{
    return id.len == g->name.len + 1 + DIGITS && mt_str_starts(id, g->name) &&
           id.ptr[g->name.len] == '~';
}

/* The first line of a capture has a payload with the key: every event has it, and so
 * has a pump. Without it, it is a history of when the adapter had another key. */
static mt_err read_key(void *state, const st_doc *row)
{
    key_walk *w = state;
    mt_arena tree = {0};
    gr_journal_record r;
    gr_capture_fault fault;
    mt_json payload;
    mt_str line = mt_str_dup(&w->arena, mt_str_trim(row->body, MT_STR("\n")));
    mt_err err = gr_journal_read(&w->arena, &tree, line, &r, &fault);
    if (!err && (r.kind != GR_JOURNAL_STEP ||
                 mt_json_read(&w->arena, r.event.payload, NULL, &payload, NULL))) {
        err = MT_E_CORRUPT;
    }
    if (!err && !ho_graph_key_of(&payload, ho_graph_service_key(w->g), &w->key)) {
        w->key = (mt_str){0};
    }
    w->read = true;
    mt_arena_free(&tree);
    return err;
}

/* What a history is called says of which value it is: under another key of the adapter
 * its events may have a value of this one, too. */
static bool is_of_key(key_walk *w, mt_str history)
{
    return w->key.len &&
           mt_str_eq(history_of_key(&w->arena, w->g->name, w->key), history);
}

/* The key's value, and the capture that is open. MT_E_CORRUPT. */
static mt_err read_history(key_walk *w, const st_doc *row, mt_str history,
                           mt_str *capture)
{
    st_page first = {.limit = 1};
    mt_json body;
    int64_t number;
    if (mt_json_read(&w->arena, row->body, NULL, &body, NULL) ||
        mt_json_i64(mt_json_at(&body, "capture"), &number)) {
        return MT_E_CORRUPT;
    }
    *capture = mt_strf(&w->arena, "%.*s.%06lld", MT_ARG(history), (long long)number);
    mt_err err =
        st_doc_walk(w->tx, MT_STR("capture_line"), *capture, first, read_key, w);
    return err || w->read ? err : MT_E_CORRUPT;
}

static mt_err walk_history(void *state, const st_doc *row)
{
    key_walk *w = state;
    mt_str capture = {0};
    mt_arena_reset(&w->arena);
    w->key = (mt_str){0};
    w->read = false;
    w->rows++;
    mt_buf_clear(&w->last);
    mt_buf_adds(&w->last, row->id);
    if (!is_history(w->g, row->id)) {
        return MT_OK; /* of another graph */
    }
    mt_str history = mt_str_dup(&w->arena, row->id);
    mt_err err = read_history(w, row, history, &capture);
    if (err && !(w->passes && err == MT_E_CORRUPT)) {
        return err;
    }
    mt_str key = !err && is_of_key(w, history) ? w->key : (mt_str){0};
    w->given++;
    return w->each(w->state, history, key, capture);
}

/* Histories of a key lie together, behind NAME and a tilde; what follows is passed
 * over. Other graphs whose names begin like that lie among them, so one look may find
 * fewer than it may give. */
static mt_err walk_keys(key_walk *w, st_page page)
{
    mt_arena a = {0};
    mt_str prefix = mt_strf(&a, "%.*s~", MT_ARG(w->g->name));
    uint32_t most = page.limit;
    mt_err err = MT_OK;
    if (page.after.len && !is_history(w->g, page.after)) {
        err = MT_E_RANGE;
    }
    page.after = page.after.len ? page.after : prefix;
    do {
        w->rows = 0;
        page.limit = most - w->given;
        err = err ? err
                  : st_doc_walk(w->tx, MT_STR("graph"), (mt_str){0}, page, walk_history,
                                w);
        page.after = mt_str_dup(&a, mt_buf_str(&w->last));
    } while (!err && w->given < most && w->rows == page.limit &&
             mt_str_starts(page.after, prefix));
    mt_arena_free(&w->arena);
    mt_buf_free(&w->last);
    mt_arena_free(&a);
    return err;
}

mt_err ho_graph_service_keys(const ho_graph_service *g, st_tx *tx, st_page page,
                             ho_key_walker *each, void *state)
{
    key_walk w = {.g = g, .tx = tx, .each = each, .state = state};
    return walk_keys(&w, page);
}

mt_err ho_graph_service_whole_keys(const ho_graph_service *g, st_tx *tx, st_page page,
                                   ho_key_walker *each, void *state)
{
    key_walk w = {.g = g, .tx = tx, .each = each, .state = state, .passes = true};
    return walk_keys(&w, page);
}

/* ---- journals ---- */

static mt_err append_line(void *state, const st_doc *row)
{
    mt_buf_adds(state, row->body);
    return MT_OK;
}

mt_err ho_graph_journal(mt_str history, st_tx *tx, mt_arena *a, mt_str id, bool lines,
                        mt_buf *out)
{
    st_doc doc;
    st_page all = {.limit = UINT32_MAX};
    mt_err err = st_doc_get(tx, a, MT_STR("capture"), id, &doc);
    if (err || !mt_str_eq(history, doc.tag)) {
        return err ? err : MT_E_NOTFOUND;
    }
    mt_buf_adds(out, doc.body);
    err = st_doc_walk(tx, MT_STR("capture_carried"), id, all, append_line, out);
    return err || !lines
               ? err
               : st_doc_walk(tx, MT_STR("capture_line"), id, all, append_line, out);
}

/* ---- for others ---- */

typedef struct listing {
    size_t skip; /* bytes of the history before a context key */
    mt_jw *w;
} listing;

static mt_err list_context(void *state, const st_doc *row)
{
    listing *l = state;
    mt_jw_key(l->w, mt_str_skip(row->id, l->skip));
    mt_jw_raw(l->w, row->body);
    return MT_OK;
}

mt_err ho_graph_service_context(st_tx *tx, mt_str history, mt_jw *w)
{
    listing l = {.skip = history.len + 1, .w = w};
    st_page all = {.limit = UINT32_MAX};
    mt_jw_begin_object(w);
    mt_err err =
        st_doc_walk(tx, MT_STR("graph_context"), history, all, list_context, &l);
    mt_jw_end_object(w);
    return err;
}

/* The history whose capture has this id, if this graph may have it: one that is called
 * NAME~OTHER is another graph. */
static mt_str history_of_capture(const ho_graph_service *g, mt_str id)
{
    unsigned char digest[DIGITS / 2];
    size_t keyed = g->name.len + 1 + DIGITS;
    bool of_key = id.len > keyed && mt_str_starts(id, g->name) &&
                  id.ptr[g->name.len] == '~' &&
                  mt_unhex_lower(mt_str_from(id.ptr + g->name.len + 1, DIGITS), digest,
                                 sizeof digest);
    return of_key ? mt_str_from(id.ptr, keyed) : g->name;
}

mt_err ho_graph_service_capture(const ho_graph_service *g, st_tx *tx, mt_str id,
                                mt_buf *out)
{
    mt_arena a = {0};
    mt_buf journal = {0};
    gr_capture capture;
    gr_capture_fault fault;
    mt_err err =
        ho_graph_journal(history_of_capture(g, id), tx, &a, id, true, &journal);
    err = err ? err : gr_capture_read(&a, mt_buf_str(&journal), &capture, &fault);
    if (!err) {
        gr_capture_write(out, &capture, false);
    }
    mt_buf_free(&journal);
    mt_arena_free(&a);
    return err;
}

mt_err ho_graph_service_captures(st_tx *tx, mt_str history, st_page page,
                                 st_doc_walker *each, void *state)
{
    return st_doc_walk(tx, MT_STR("capture"), history, page, each, state);
}

static mt_err note_last(void *state, const st_doc *row)
{
    mt_buf *id = state;
    mt_buf_clear(id);
    mt_buf_adds(id, row->id);
    return MT_OK;
}

mt_err ho_graph_stored_journal(st_tx *tx, mt_str name, mt_str key, int64_t number,
                               mt_buf *out)
{
    mt_arena a = {0};
    mt_buf id = {0};
    mt_str history = key.ptr ? history_of_key(&a, name, key) : name;
    st_page all = {.limit = UINT32_MAX};
    mt_err err = MT_OK;
    if (number) {
        mt_buf_addf(&id, "%.*s.%06lld", MT_ARG(history), (long long)number);
    } else {
        err = st_doc_walk(tx, MT_STR("capture"), history, all, note_last, &id);
    }
    err = err || id.len ? err : MT_E_NOTFOUND;
    err = err ? err : ho_graph_journal(history, tx, &a, mt_buf_str(&id), true, out);
    mt_buf_free(&id);
    mt_arena_free(&a);
    return err;
}

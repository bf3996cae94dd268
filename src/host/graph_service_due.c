/* host/graph_service_due.c - when what waits in a served graph may run.
 *
 * A history in which something waits has one row: kind graph_due, id TIME '/' HISTORY
 * (milliseconds, 16 digits, so rows lie in the order they come due), the tag says of
 * which graph and key, the body is the key's value. It is written in the transaction of
 * the step that changed the time, so it is there after a crash and other nodes see it;
 * which histories are due is one look at the first rows, however many there are.
 *
 * INVARIANT: a row names the time its history's supervisor says. One that does not (a
 * version that knew no rows wrote last) is put right by the pump that finds it, and
 * one that lacks by the next event of the history.
 * A store of such a version has no rows: they are noted once, before the first pump.
 * May fail: the store. */
#include "host/graph_service_internal.h"

static const mt_str KIND = MT_STR_INIT("graph_due");
enum { DIGITS = 16 };

/* ---- rows ---- */

/* Names may hold any character; with its length in front none is the other's. */
static mt_str tag_of(mt_arena *a, const ho_graph_service *g)
{
    return mt_strf(a, "%zu:%.*s/%.*s", g->name.len, MT_ARG(g->name),
                   MT_ARG(ho_graph_service_key(g)));
}

static mt_str row_id(mt_arena *a, mt_str history, int64_t due_ms)
{
    return mt_strf(a, "%0*lld/%.*s", DIGITS, (long long)due_ms, MT_ARG(history));
}

static mt_err drop_row(st_tx *tx, mt_str id)
{
    mt_err err = st_doc_delete(tx, KIND, id);
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

static mt_err put_row(ho_graph_service *g, st_tx *tx, int64_t due_ms, int64_t now_ms)
{
    mt_buf_clear(&g->text);
    mt_json_quote(&g->text, g->lane->key);
    return st_doc_set(tx, &(st_doc){.kind = KIND,
                                    .id = row_id(&g->scratch, g->lane->history, due_ms),
                                    .tag = tag_of(&g->scratch, g),
                                    .body = mt_buf_str(&g->text),
                                    .updated_ms = now_ms});
}

/* ---- times ---- */

/* Times that no clock reaches are never. */
int64_t ho_lane_due(const ho_graph_service *g)
{
    ho_graph_event pump;
    if (!g->lane->host ||
        !ho_graph_host_due(g->lane->host, HO_DUE_EVER, (gr_time){0}, &pump) ||
        pump.at.secs > INT64_MAX / 2000000) {
        return HO_NEVER_DUE;
    }
    return (int64_t)pump.at.secs * 1000 + (pump.at.nanos + 999999) / 1000000;
}

mt_err ho_lane_due_changed(ho_graph_service *g, st_tx *tx, int64_t before, bool unsure,
                           int64_t now_ms)
{
    int64_t due = ho_lane_due(g);
    mt_err err = MT_OK;
    if (due == before && !unsure) {
        return MT_OK;
    }
    if (due != before && before != HO_NEVER_DUE) {
        err = drop_row(tx, row_id(&g->scratch, g->lane->history, before));
    }
    return err || due == HO_NEVER_DUE ? err : put_row(g, tx, due, now_ms);
}

mt_err ho_lane_due_mend(ho_graph_service *g, st_tx *tx, mt_str row, int64_t now_ms)
{
    int64_t due = ho_lane_due(g);
    if (due != HO_NEVER_DUE &&
        mt_str_eq(row, row_id(&g->scratch, g->lane->history, due))) {
        return MT_OK;
    }
    mt_err err = drop_row(tx, row);
    return err || due == HO_NEVER_DUE ? err : put_row(g, tx, due, now_ms);
}

mt_err ho_due_key(ho_graph_service *g, st_tx *tx, mt_str row, mt_str *key)
{
    st_doc doc;
    mt_json body;
    mt_err err = st_doc_get(tx, &g->scratch, KIND, row, &doc);
    if (err || !mt_str_eq(doc.tag, tag_of(&g->scratch, g))) {
        return err ? err : MT_E_NOTFOUND;
    }
    if (mt_json_read(&g->scratch, doc.body, NULL, &body, NULL) ||
        !mt_json_is(&body, MT_JSON_STRING)) {
        return MT_E_CORRUPT;
    }
    *key = mt_json_text(&body);
    return !key->len == !ho_graph_service_key(g).len ? MT_OK : MT_E_CORRUPT;
}

/* ---- which are due ---- */

typedef struct due_walk {
    mt_str until; /* ids from here on are later */
    ho_due_walker *each;
    void *state;
} due_walk;

static mt_err walk_row(void *state, const st_doc *row)
{
    due_walk *w = state;
    return mt_str_cmp(row->id, w->until) < 0 ? w->each(w->state, row->id) : MT_OK;
}

mt_err ho_graph_service_dues(const ho_graph_service *g, st_tx *tx, int64_t now_ms,
                             st_page page, ho_due_walker *each, void *state)
{
    mt_arena a = {0};
    due_walk w = {row_id(&a, MT_STR(""), now_ms + 1), each, state};
    mt_err err = st_doc_walk(tx, KIND, tag_of(&a, g), page, walk_row, &w);
    mt_arena_free(&a);
    return err;
}

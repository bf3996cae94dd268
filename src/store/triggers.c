/* store/triggers.c - the outbox of triggers. */
#include "store/driver.h"

/* ORDER of the columns in statements.h. */
static void trigger_read(mt_arena *a, const st_value *c, void *out)
{
    *(st_trigger *)out = (st_trigger){
        .id = st_keep(a, c[0].text),
        .status = st_keep(a, c[1].text),
        .body = st_keep(a, c[2].text),
        .attempts = (int32_t)c[3].number,
        .due_ms = c[4].number,
        .created_ms = c[5].number,
    };
}

mt_err st_trigger_add(st_tx *tx, const st_trigger *row)
{
    st_value params[] = {
        ST_T(row->id),       ST_T(row->status), ST_T(row->body),
        ST_I(row->attempts), ST_I(row->due_ms), ST_I(row->created_ms),
    };
    return st_write(tx, ST_SQL_TRIGGER_ADD, params, MT_E_EXISTS);
}

static mt_err list_due(st_tx *tx, st_statement_id statement, int64_t now_ms,
                       uint32_t limit, mt_arena *a, st_trigger **rows, size_t *count)
{
    st_value params[] = {ST_I(now_ms), ST_I(limit)};
    void *list = NULL;
    mt_err err = st_list(tx, statement, params, trigger_read, a, sizeof(st_trigger),
                         &list, count);
    *rows = list;
    return err;
}

mt_err st_trigger_take(st_tx *tx, int64_t now_ms, uint32_t limit, mt_arena *a,
                       st_trigger **rows, size_t *count)
{
    return list_due(tx, ST_SQL_TRIGGER_TAKE, now_ms, limit, a, rows, count);
}

mt_err st_trigger_due(st_tx *tx, int64_t now_ms, uint32_t limit, mt_arena *a,
                      st_trigger **rows, size_t *count)
{
    return list_due(tx, ST_SQL_TRIGGER_DUE, now_ms, limit, a, rows, count);
}

mt_err st_trigger_lock(st_tx *tx, mt_arena *a, mt_str id, st_trigger *out)
{
    st_value key[] = {ST_T(id)};
    return st_get(tx, ST_SQL_TRIGGER_LOCK, key, trigger_read, a, out);
}

mt_err st_trigger_put(st_tx *tx, const st_trigger *row)
{
    st_value params[] = {
        ST_T(row->status), ST_T(row->body), ST_I(row->attempts),
        ST_I(row->due_ms), ST_T(row->id),
    };
    return st_write(tx, ST_SQL_TRIGGER_PUT, params, MT_E_NOTFOUND);
}

typedef struct walking {
    st_trigger_walker *each;
    void *state;
} walking;

static mt_err walk_row(void *state, const st_value *cells)
{
    walking *w = state;
    st_trigger row;
    trigger_read(NULL, cells, &row);
    return w->each(w->state, &row);
}

mt_err st_trigger_walk(st_tx *tx, mt_str status, st_page page, st_trigger_walker *each,
                       void *state)
{
    st_value params[] = {ST_T(page.after), ST_T(status), ST_I(0)};
    st_walk walk = {
        .id = ST_SQL_TRIGGER_WALK, .params = params, .limit_param = 2, .key_count = 1};
    walking w = {each, state};
    uint64_t left = st_page_limit(page);
    return st_walk_run(tx, &walk, walk_row, &w, &left);
}

/* store/answers.c - what was answered to requests that may come again. */
#include "store/driver.h"

/* ORDER of the columns in statements.h. */
static void answer_read(mt_arena *a, const st_value *c, void *out)
{
    *(st_answer *)out = (st_answer){
        .caller = st_keep(a, c[0].text),
        .key = st_keep(a, c[1].text),
        .request = st_keep(a, c[2].text),
        .status = (int32_t)c[3].number,
        .body = st_keep(a, c[4].text),
        .created_ms = c[5].number,
    };
}

mt_err st_answer_get(st_tx *tx, mt_arena *a, mt_str caller, mt_str key, st_answer *out)
{
    st_value params[] = {ST_T(caller), ST_T(key)};
    return st_get(tx, ST_SQL_ANSWER_GET, params, answer_read, a, out);
}

mt_err st_answer_get_soon(st_tx *tx, mt_arena *a, mt_str caller, mt_str key,
                          st_answer *out, bool *found)
{
    st_value params[] = {ST_T(caller), ST_T(key)};
    return st_get_soon(tx, ST_SQL_ANSWER_GET, params, answer_read, a, out, found);
}

mt_err st_answers_add(st_tx *tx, const st_answer *rows, size_t count)
{
    enum { COLUMNS = 6 };
    st_value *params = mt_new_array(&tx->scratch, st_value, COLUMNS * count);
    for (size_t i = 0; i < count; i++) {
        const st_answer *row = &rows[i];
        const st_value cells[COLUMNS] = {
            ST_T(row->caller), ST_T(row->key),  ST_T(row->request),
            ST_I(row->status), ST_T(row->body), ST_I(row->created_ms),
        };
        memcpy(params + COLUMNS * i, cells, sizeof cells);
    }
    return st_send_many(tx, ST_SQL_ANSWER_ADD, params, count, MT_E_CONFLICT);
}

mt_err st_answers_forget(st_tx *tx, int64_t older_than_ms)
{
    st_value params[] = {ST_I(older_than_ms)};
    return st_run(tx, ST_SQL_ANSWERS_FORGET, params, NULL, NULL, NULL);
}

/* http/token_store.c - tokens as documents of the store. Room: http. */
#include "http/token_store.h"

mt_err ht_token_find(st_tx *tx, mt_arena *a, mt_str id, ht_token *out, int64_t *version)
{
    st_doc row;
    mt_err err = st_doc_get(tx, a, HT_TOKEN_KIND, id, &row);
    *version = err ? 0 : row.version;
    return err ? err : ht_token_read(a, id, row.body, out);
}

mt_err ht_token_put(st_tx *tx, const ht_token *t, int64_t version, int64_t now_ms)
{
    mt_buf body = {0};
    ht_token_write(&body, t);
    st_doc row = {.kind = HT_TOKEN_KIND,
                  .id = t->id,
                  .tag = MT_STR(""),
                  .body = mt_buf_str(&body),
                  .version = version,
                  .updated_ms = now_ms};
    mt_err err = st_doc_put(tx, &row);
    mt_buf_free(&body);
    return err;
}

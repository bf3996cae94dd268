/* exec/evidence/record.c - see record.h. */
#include "exec/evidence/record.h"

#include "base/hash.h"
#include "contract/wire/value.h"

void ex_time_json(mt_jw *w, int64_t ms)
{
    char text[CT_TIME_TEXT];
    ct_time t = {ms / 1000, (uint32_t)(ms % 1000) * 1000000u};
    mt_jw_str(w, mt_str_from(text, ct_time_print(t, text)));
}

mt_str ex_subject(mt_arena *a, mt_str entity, mt_str id)
{
    return mt_strf(a, "%.*s/%.*s", MT_ARG(entity), MT_ARG(id));
}

bool ex_subject_is_kept(mt_str entity, mt_str id)
{
    enum { MOST = 800 }; /* bytes that the store takes of a name */
    return entity.len && entity.len <= MOST && id.len && id.len <= MOST &&
           !memchr(id.ptr, 0, id.len);
}

size_t ex_block_id(uint64_t block, char out[24])
{
    char *end = out + 12;
    char *start = mt_put_digits(block, end);
    while (start > out) {
        *--start = '0';
    }
    return 12;
}

mt_err ex_block_keep(st_tx *tx, const lg_chain *c, const mt_sha256 *hash)
{
    char id[24], hex[MT_SHA256_HEX];
    if ((c->tree.size + 1) % EX_BLOCK) {
        return MT_OK;
    }
    mt_sha256 root = lg_frontier_subtree(&c->tree, lg_leaf(hash), EX_BLOCK_LEVELS);
    mt_hex(root.bytes, MT_SHA256_BYTES, hex);
    size_t n = ex_block_id(c->tree.size / EX_BLOCK, id);
    st_doc doc = {.kind = EX_KIND_BLOCK,
                  .id = {id, n},
                  .body = {hex, MT_SHA256_HEX},
                  .updated_ms = 0};
    return st_doc_set(tx, &doc);
}

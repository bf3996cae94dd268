/* exec/evidence/forest.c - see forest.h. */
#include "exec/evidence/forest.h"

#include "exec/evidence/record.h"

/* Bounded by `room`: a walk that gives more rows than records exist means a damaged
 * store, not a longer proof. */
static mt_err take_leaf(void *state, const st_record *r)
{
    ex_hashes *h = state;
    if (h->len == h->room || r->hash.len != MT_SHA256_BYTES) {
        return MT_E_CORRUPT;
    }
    mt_sha256 hash;
    memcpy(hash.bytes, r->hash.ptr, MT_SHA256_BYTES);
    h->items[h->len++] = lg_leaf(&hash);
    return MT_OK;
}

/* Never more than `room`, whatever the walk gives. */
static mt_err take_block(void *state, const st_doc *row)
{
    ex_hashes *h = state;
    if (h->len == h->room) {
        return MT_OK;
    }
    return mt_unhex(row->body, h->items[h->len++].bytes, MT_SHA256_BYTES)
               ? MT_OK
               : MT_E_CORRUPT;
}

/* Leaves of one block, at most EX_BLOCK of them. A gap is damage and never papered
 * over: a proof from fewer leaves would be wrong. */
static mt_err read_leaves(mt_arena *a, st_tx *tx, uint64_t block, uint64_t size,
                          ex_hashes *out)
{
    uint64_t from = block * EX_BLOCK;
    uint64_t to = from + EX_BLOCK < size ? from + EX_BLOCK : size;
    *out = (ex_hashes){.room = to - from};
    out->items = mt_new_array(a, mt_sha256, out->room + 1);
    st_record_filter f = {.from_seq = (int64_t)from, .to_seq = (int64_t)to};
    mt_err err = from < to ? st_record_walk(tx, &f, (st_page){.limit = UINT32_MAX},
                                            take_leaf, out)
                           : MT_OK;
    return !err && out->len != out->room ? MT_E_CORRUPT : err;
}

/* O(blocks) hashes are read, not O(records). The last, short block has no stored root,
 * so it is computed from its leaves. */
mt_err ex_forest_read(mt_arena *a, st_tx *tx, uint64_t size, uint64_t block,
                      ex_forest *out)
{
    uint64_t full = size / EX_BLOCK;
    *out = (ex_forest){.size = size, .block = block, .roots = {.room = full}};
    out->roots.items = mt_new_array(a, mt_sha256, full + 1);
    mt_err err =
        full ? st_doc_walk(tx, EX_KIND_BLOCK, MT_STR(""),
                           (st_page){.limit = (uint32_t)full}, take_block, &out->roots)
             : MT_OK;
    if (!err && out->roots.len != full) {
        err = MT_E_CORRUPT;
    }
    err = err ? err : read_leaves(a, tx, block, size, &out->leaves);
    if (!err && size % EX_BLOCK) {
        ex_hashes last = out->leaves;
        err = block == full ? MT_OK : read_leaves(a, tx, full, size, &last);
        out->roots.items[out->roots.len++] = lg_root(last.items, last.len);
    }
    return err;
}

static void append(lg_proof *to, const lg_proof *more)
{
    for (size_t i = 0; i < more->count; i++) {
        to->hashes[to->count++] = more->hashes[i];
    }
}

/* Inside the block, then the block among the blocks; the head of the file says why the
 * two join. */
void ex_forest_record(const ex_forest *f, uint64_t seq, lg_proof *out)
{
    lg_proof above = {0};
    *out = (lg_proof){0};
    lg_prove_inclusion(f->leaves.items, f->leaves.len, seq % EX_BLOCK, out);
    lg_prove_inclusion(f->roots.items, f->roots.len, f->block, &above);
    append(out, &above);
}

/* Inside a block that is not the first, the part of it that both logs have is named
 * too, unless the path turns right inside. */
void ex_forest_growth(const ex_forest *f, uint64_t earlier, lg_proof *out)
{
    uint64_t inside = earlier % EX_BLOCK;
    lg_proof part = {0};
    *out = (lg_proof){0};
    if (!inside) {
        lg_prove_consistency(f->roots.items, earlier / EX_BLOCK, f->roots.len, out);
        return;
    }
    bool left_edge = (inside & (inside - 1)) == 0;
    if (f->block && left_edge) {
        out->hashes[out->count++] = lg_root(f->leaves.items, inside);
    }
    lg_prove_consistency(f->leaves.items, inside, f->leaves.len, &part);
    append(out, &part);
    part = (lg_proof){0};
    lg_prove_inclusion(f->roots.items, f->roots.len, f->block, &part);
    append(out, &part);
}

mt_sha256 ex_forest_root(const ex_forest *f)
{
    return lg_root(f->roots.items, f->roots.len);
}

/* exec/kinds/ledger.c - the ledger, read: records, proofs, checkpoints.
 * Room: exec. Proofs are made from stored hashes: the leaves of one block of 256 and
 * the roots of all blocks (kind "ledger.block"). A tree over blocks with the last,
 * short one as it is splits at the same places as the tree over records (RFC 6962
 * splits at the largest power of two, and a block is one), so a proof inside the block
 * followed by a proof of the block is the proof. */
#include "exec/kinds/ledger.h"

#include "ledger/proof.h"

/* ---- Records ---- */

static bool refused_unless_reader(ex_job *job)
{
    return ex_refused_without_anywhere(job, MT_STR("ledger:read"));
}

/* Bounds of 0 stand for absent; what the caller may see of each record is decided when
 * it is written into the answer. */
bool ex_ledger_list(ex_job *job)
{
    st_record_filter f = {.kind = ex_query(job, "kind"),
                          .contract = ex_query(job, "contract"),
                          .flow = ex_query(job, "flow"),
                          .subject = ex_query(job, "subject")};
    if (refused_unless_reader(job) ||
        ex_refused_choice(job, "order", "asc", "desc", &f.newest_first) ||
        ex_refused_choice(job, "pending", "false", "true", &f.pending) ||
        ex_refused_number(job, "from", 0, INT64_MAX, 0, &f.from_seq) ||
        ex_refused_number(job, "to", 0, INT64_MAX, 0, &f.to_seq) ||
        ex_refused_number(job, "from_ms", 0, INT64_MAX, 0, &f.from_ms) ||
        ex_refused_number(job, "to_ms", 0, INT64_MAX, 0, &f.to_ms)) {
        return true;
    }
    return ex_list_ledger(job, &f);
}

/* Digits only and without overflow; what is not a number names no record (404), instead
 * of being a bad request. */
static bool read_id(ex_job *job, int64_t *id)
{
    mt_str text = job->call->id;
    *id = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = (unsigned)(text.ptr[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(*id, 10, id) ||
            __builtin_add_overflow(*id, (int)digit, id)) {
            return false;
        }
    }
    return text.len > 0;
}

/* Refused, and nothing is open; or a transaction is, and the record was found. */
static bool refused_record(ex_job *job, st_tx **tx, st_record *out)
{
    int64_t id;
    if (refused_unless_reader(job)) {
        return true;
    }
    mt_err err = read_id(job, &id) ? st_begin(job->x->store, ST_READ, tx) : MT_OK;
    if (err) {
        return ex_refuse_store(job, err);
    }
    err = read_id(job, &id) ? st_record_get(*tx, &job->arena, id, out) : MT_E_NOTFOUND;
    if (!err && !ex_may_read_ledger(job, out->contract)) {
        err = MT_E_NOTFOUND; /* that it exists is told to those it concerns */
    }
    if (err && read_id(job, &id)) {
        st_rollback(*tx);
    }
    if (err == MT_E_NOTFOUND) {
        return ex_refuse(job, EX_UNKNOWN_RECORD, "the ledger has no record '%.*s'",
                         MT_ARG(job->call->id));
    }
    return err ? ex_refuse_store(job, err) : false;
}

/* The body was copied into the job's arena, so the transaction can end before the reply
 * is written. */
bool ex_ledger_get(ex_job *job)
{
    st_tx *tx;
    st_record r;
    if (refused_record(job, &tx, &r)) {
        return true;
    }
    st_rollback(tx);
    (void)ex_reply_body(job, 200);
    mt_jw w = mt_jw_start(&job->reply.body, false);
    ex_record_json(&w, job, &r);
    return true;
}

/* ---- Hashes ---- */

typedef struct hashes {
    mt_sha256 *items;
    size_t len, room;
} hashes;

/* Bounded by `room`: a walk that gives more rows than records exist means a damaged
 * store, not a longer proof. */
static mt_err take_leaf(void *state, const st_record *r)
{
    hashes *h = state;
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
    hashes *h = state;
    if (h->len == h->room) {
        return MT_OK;
    }
    return mt_unhex(row->body, h->items[h->len++].bytes, MT_SHA256_BYTES)
               ? MT_OK
               : MT_E_CORRUPT;
}

/* The tree of the first `size` records: leaves of one block and roots of all. */
typedef struct forest {
    hashes leaves, roots;
    uint64_t size, block; /* whose leaves they are */
} forest;

/* Leaves of one block, at most EX_BLOCK of them. A gap is damage and never papered
 * over: a proof from fewer leaves would be wrong. */
static mt_err read_leaves(ex_job *job, st_tx *tx, uint64_t block, uint64_t size,
                          hashes *out)
{
    uint64_t from = block * EX_BLOCK;
    uint64_t to = from + EX_BLOCK < size ? from + EX_BLOCK : size;
    *out = (hashes){.room = to - from};
    out->items = mt_new_array(&job->arena, mt_sha256, out->room + 1);
    st_record_filter f = {.from_seq = (int64_t)from, .to_seq = (int64_t)to};
    mt_err err = from < to ? st_record_walk(tx, &f, (st_page){.limit = UINT32_MAX},
                                            take_leaf, out)
                           : MT_OK;
    return !err && out->len != out->room ? MT_E_CORRUPT : err;
}

/* O(blocks) hashes are read, not O(records). The last, short block has no stored root,
 * so it is computed from its leaves. */
static mt_err read_forest(ex_job *job, st_tx *tx, uint64_t size, uint64_t block,
                          forest *out)
{
    uint64_t full = size / EX_BLOCK;
    *out = (forest){.size = size, .block = block, .roots = {.room = full}};
    out->roots.items = mt_new_array(&job->arena, mt_sha256, full + 1);
    mt_err err =
        full ? st_doc_walk(tx, EX_KIND_BLOCK, MT_STR(""),
                           (st_page){.limit = (uint32_t)full}, take_block, &out->roots)
             : MT_OK;
    if (!err && out->roots.len != full) {
        err = MT_E_CORRUPT;
    }
    err = err ? err : read_leaves(job, tx, block, size, &out->leaves);
    if (!err && size % EX_BLOCK) {
        hashes last = out->leaves;
        err = block == full ? MT_OK : read_leaves(job, tx, full, size, &last);
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
static void prove_record(const forest *f, uint64_t seq, lg_proof *out)
{
    lg_proof above = {0};
    *out = (lg_proof){0};
    lg_prove_inclusion(f->leaves.items, f->leaves.len, seq % EX_BLOCK, out);
    lg_prove_inclusion(f->roots.items, f->roots.len, f->block, &above);
    append(out, &above);
}

/* Inside a block that is not the first, the part of it that both logs have is named
 * too, unless the path turns right inside. */
static void prove_growth(const forest *f, uint64_t earlier, lg_proof *out)
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

/* ---- Proofs -----------------------------------------------------------------------
 * Answers are the documents of ledger/proof.h: `motet ledger verify --proof` takes them
 * as they are. */

static void reply_statement(ex_job *job, const lg_statement *s)
{
    (void)ex_reply_body(job, 200);
    lg_statement_write(&job->reply.body, s);
}

/* The record with the hash before it. */
static mt_err read_entry(ex_job *job, st_tx *tx, const st_record *r, lg_entry *out)
{
    st_record before = {0};
    *out = (lg_entry){.seq = (uint64_t)r->seq, .body = r->body};
    mt_err err = r->seq ? st_record_at(tx, &job->arena, r->seq - 1, &before) : MT_OK;
    if (err || r->hash.len != MT_SHA256_BYTES ||
        (r->seq && before.hash.len != MT_SHA256_BYTES)) {
        return err ? err : MT_E_CORRUPT;
    }
    memcpy(out->hash.bytes, r->hash.ptr, MT_SHA256_BYTES);
    if (r->seq) {
        memcpy(out->prev.bytes, before.hash.ptr, MT_SHA256_BYTES);
    }
    return MT_OK;
}

static bool refuse_read(ex_job *job, mt_err err)
{
    return err == MT_E_CORRUPT
               ? ex_refuse(job, EX_NOT_FOUND, "the ledger lacks hashes for this proof")
               : ex_refuse_store(job, err);
}

/* A proof for an older size may be asked for, as long as the record was in it: so that
 * a client can check against the checkpoint it holds. Everything is read in one
 * transaction, so size, leaves and roots belong together. */
bool ex_ledger_proof(ex_job *job)
{
    st_tx *tx;
    st_record r;
    int64_t size;
    mt_str tail;
    forest f;
    if (refused_record(job, &tx, &r)) {
        return true;
    }
    if (r.seq < 0) {
        st_rollback(tx);
        return ex_refuse(job, EX_NOT_CHAINED,
                         "record %lld is durable and will be "
                         "chained shortly; ask again",
                         (long long)r.id);
    }
    mt_err err = st_ledger_tail(tx, &job->arena, &size, &tail);
    int64_t wanted = size;
    if (!err && ex_refused_number(job, "size", r.seq + 1, size, size, &wanted)) {
        st_rollback(tx);
        return true;
    }
    uint64_t seq = (uint64_t)r.seq;
    lg_statement s = {.inclusion = true, .size = (uint64_t)wanted};
    err = err ? err : read_forest(job, tx, s.size, seq / EX_BLOCK, &f);
    err = err ? err : read_entry(job, tx, &r, &s.record);
    st_rollback(tx);
    if (err) {
        return refuse_read(job, err);
    }
    lg_proof p;
    prove_record(&f, seq, &p);
    s.path = &p;
    reply_statement(job, &s);
    return true;
}

/* Growth from nothing, and to the same size, has an empty proof (RFC 6962). */
bool ex_ledger_consistency(ex_job *job)
{
    st_tx *tx;
    int64_t size, from = 0, to = 0;
    mt_str tail;
    forest f = {0};
    if (refused_unless_reader(job)) {
        return true;
    }
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (err) {
        return ex_refuse_store(job, err);
    }
    err = st_ledger_tail(tx, &job->arena, &size, &tail);
    bool refused = !err && (ex_refused_number(job, "to", 0, size, size, &to) ||
                            ex_refused_number(job, "from", 0, to, 0, &from));
    lg_proof p = {0};
    if (!err && !refused && from && from < to) {
        err = read_forest(job, tx, (uint64_t)to, (uint64_t)from / EX_BLOCK, &f);
        if (!err) {
            prove_growth(&f, (uint64_t)from, &p);
        }
    }
    st_rollback(tx);
    if (err || refused) {
        return refused || refuse_read(job, err);
    }
    lg_statement s = {.from = (uint64_t)from, .size = (uint64_t)to, .path = &p};
    reply_statement(job, &s);
    return true;
}

/* The newest signed checkpoint, and where the ledger stands now. */
bool ex_ledger_checkpoint(ex_job *job)
{
    st_tx *tx;
    int64_t size;
    mt_str tail, text = {0};
    forest f;
    if (refused_unless_reader(job)) {
        return true;
    }
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (err) {
        return ex_refuse_store(job, err);
    }
    err = st_ledger_tail(tx, &job->arena, &size, &tail);
    err = err ? err : read_forest(job, tx, (uint64_t)size, 0, &f);
    if (!err) {
        err = st_checkpoint_get(tx, &job->arena, -1, &text);
        err = err == MT_E_NOTFOUND ? MT_OK : err;
    }
    st_rollback(tx);
    if (err) {
        return refuse_read(job, err);
    }
    mt_sha256 root = lg_root(f.roots.items, f.roots.len);
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_key_str(&w, "root", mt_sha256_hex(&job->arena, root));
    if (text.len) {
        mt_jw_keyz(&w, "signed");
        mt_jw_raw(&w, mt_str_trim(text, MT_STR("\n")));
    }
    mt_jw_key_i64(&w, "size", size);
    ex_reply_end(&w);
    return true;
}

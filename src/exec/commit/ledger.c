/* exec/commit/ledger.c - records are written and chained.
 * Room: exec.
 * On a store of its own the committer chains each record in the transaction that
 * writes its effects. On a shared one the record is queued in that transaction, and
 * whichever process holds the lock "sequencer" chains what is queued, in batches
 * (sequencer.c); a record is found by its id from the moment it is acknowledged.
 * The tail kept with the chain (ledger/chain.h) makes opening cost the same however
 * long the ledger is.
 * Every 256 records the root of their subtree is kept as a document of kind
 * "ledger.block", so a proof reads a few hundred hashes, not all. */
#include "exec/commit/ledger.h"

#include "base/json_write.h"
#include "exec/call/rights.h"
#include "exec/machine.h"

/* Records that wait to be written together. */
enum { AT_ONCE = 512 };

/* ---- The end of the chain ---- */

static mt_err load_tail(ex_executor *x, st_tx *tx, mt_arena *a)
{
    int64_t size = 0;
    mt_str tail = {0};
    mt_err err = st_ledger_tail(tx, a, &size, &tail);
    err = err == MT_E_NOTFOUND ? MT_OK : err;
    return err ? err : lg_chain_read(tail, (uint64_t)size, &x->chain);
}

mt_err ex_chain_load(ex_executor *x, st_tx *tx, mt_arena *a)
{
    if (x->chain_known || x->shared) {
        return MT_OK;
    }
    mt_err err = load_tail(x, tx, a);
    x->chain_known = !err;
    return err;
}

mt_err ex_chain_claim(ex_executor *x, st_tx *tx, mt_arena *a)
{
    if (x->shared && !st_try_lock(tx, EX_SEQUENCER)) {
        return MT_E_BUSY;
    }
    return load_tail(x, tx, a);
}

static mt_err save_tail(ex_executor *x, st_tx *tx)
{
    mt_buf tail = {0};
    lg_chain_write(&tail, &x->chain);
    mt_err err = st_ledger_set_tail(tx, (int64_t)x->chain.tree.size, mt_buf_str(&tail));
    mt_buf_free(&tail);
    return err;
}

mt_err ex_chain_save(ex_executor *x, st_tx *tx, size_t added)
{
    return added && !x->shared ? save_tail(x, tx) : MT_OK;
}

mt_err ex_last_checkpoint(st_tx *tx, mt_arena *a, lg_checkpoint *out)
{
    mt_str text;
    *out = (lg_checkpoint){0};
    mt_err err = st_checkpoint_get(tx, a, -1, &text);
    return err ? err : lg_checkpoint_read(a, mt_str_trim(text, MT_STR("\n")), out);
}

/* ---- Appending ---- */

/* The hash is made once more, for one record in many. */
static mt_err keep_block(st_tx *tx, const lg_chain *c, mt_str body)
{
    if ((c->tree.size + 1) % EX_BLOCK) {
        return MT_OK;
    }
    mt_sha256 hash = lg_hash(&c->head, body);
    return ex_block_keep(tx, c, &hash);
}

/* Gives the record its place. Its hash is in the arena. */
static mt_err chain(ex_executor *x, st_tx *tx, mt_arena *a, st_record *row)
{
    mt_err err = keep_block(tx, &x->chain, row->body);
    lg_entry e = lg_chain_append(&x->chain, row->body);
    row->seq = (int64_t)e.seq;
    row->hash = mt_str_dup(a, mt_str_from((const char *)e.hash.bytes, MT_SHA256_BYTES));
    return err;
}

/* A contract whose entities are out of order makes objects whose keys are. */
static void make_canonical(mt_buf *body)
{
    mt_arena a = {0};
    mt_json tree;
    if (!mt_json_read(&a, mt_str_dup(&a, mt_buf_str(body)), NULL, &tree, NULL)) {
        mt_buf_clear(body);
        mt_json_write(body, &tree, false);
    }
    mt_arena_free(&a);
}

/* ---- Times that never go back ---- */

/* The body with another time; every record has one. */
static mt_str with_time(mt_arena *a, mt_str body, int64_t ms)
{
    mt_json tree;
    mt_buf out = {0};
    if (mt_json_read(a, mt_str_dup(a, body), NULL, &tree, NULL) ||
        !mt_json_is(&tree, MT_JSON_OBJECT)) {
        return body;
    }
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_object(&w);
    for (uint32_t i = 0; i < tree.count; i++) {
        const mt_json_member *m = &tree.as.members[i];
        mt_jw_key(&w, m->key);
        if (mt_str_is(m->key, "time")) {
            ex_time_json(&w, ms);
        } else {
            mt_jw_json(&w, &m->value);
        }
    }
    mt_jw_end_object(&w);
    body = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return body;
}

/* Nodes that commit at the same moment are chained in the order of their numbers, and
 * one may have looked at the clock a little earlier: it has the time of the record
 * before it, then. */
static void lift_time(mt_arena *a, st_record *row, int64_t *last_ms)
{
    if (row->time_ms < *last_ms) {
        row->time_ms = *last_ms;
        row->body = with_time(a, row->body, *last_ms);
    }
    *last_ms = row->time_ms;
}

static mt_err last_time(const ex_executor *x, st_tx *tx, mt_arena *a, int64_t *out)
{
    st_record last;
    *out = INT64_MIN;
    if (!x->chain.tree.size) {
        return MT_OK;
    }
    mt_err err = st_record_at(tx, a, (int64_t)x->chain.tree.size - 1, &last);
    *out = err ? *out : last.time_ms;
    return err;
}

mt_err ex_chain_put(ex_executor *x, st_tx *tx, const char *kind, int64_t now_ms,
                    mt_str body)
{
    st_record row = {
        .seq = -1, .kind = mt_str_z(kind), .time_ms = now_ms, .body = body};
    mt_arena a = {0};
    int64_t last_ms;
    mt_err err = last_time(x, tx, &a, &last_ms);
    if (!err) {
        lift_time(&a, &row, &last_ms);
        err = chain(x, tx, &a, &row);
    }
    err = err ? err : st_ledger_add(tx, &row, 1);
    err = err ? err : save_tail(x, tx);
    mt_arena_free(&a);
    return err;
}

mt_err ex_record_put(ex_group *g, const ex_record *r, int64_t *id)
{
    ex_executor *x = g->x;
    if (r->unsorted) {
        make_canonical(&g->body);
    }
    st_record row = {.seq = -1,
                     .kind = mt_str_z(r->kind),
                     .contract = mt_str_dup(g->arena, r->contract),
                     .flow = mt_str_dup(g->arena, r->flow),
                     .subject = mt_str_dup(g->arena, r->subject),
                     .also = r->also,
                     .also_count = r->also_count,
                     .time_ms = g->now_ms,
                     .body = mt_str_dup(g->arena, mt_buf_str(&g->body))};
    g->records++;
    mt_err err = x->shared ? MT_OK : chain(x, g->tx, g->arena, &row);
    err = err ? err : st_record_id(g->tx, &row.id);
    *id = x->shared ? row.id : row.seq;
    mt_vec_push(g->arena, &g->unwritten, row);
    return !err && g->unwritten.len == AT_ONCE ? ex_write_records(g) : err;
}

/* Times do not go back: what was queued before the last record has that one's, and the
 * group is not before what was queued. */
static void fit_time(ex_group *g, st_record *row, int64_t *last_ms)
{
    lift_time(g->arena, row, last_ms);
    if (row->time_ms > g->now_ms) {
        ex_now_at_least(g->x, row->time_ms);
        g->now_ms = row->time_ms;
    }
}

mt_err ex_chain_queued(ex_group *g)
{
    enum { MOST = 256 }; /* the rest with the next group */
    st_record *rows = NULL;
    size_t count = 0;
    int64_t last_ms;
    mt_err err =
        g->x->shared ? MT_OK : st_pending_take(g->tx, MOST, g->arena, &rows, &count);
    if (err || !count) {
        return err;
    }
    err = last_time(g->x, g->tx, g->arena, &last_ms);
    for (size_t i = 0; i < count && !err; i++) {
        fit_time(g, &rows[i], &last_ms);
        err = chain(g->x, g->tx, g->arena, &rows[i]);
        g->records++;
        mt_vec_push(g->arena, &g->unwritten, rows[i]);
    }
    /* At once: the next number is drawn from what is written. */
    return err ? err : ex_write_records(g);
}

mt_err ex_write_records(ex_group *g)
{
    st_record *rows = g->unwritten.items;
    size_t n = g->unwritten.len;
    g->unwritten.len = 0;
    return n == 0         ? MT_OK
           : g->x->shared ? st_pending_add(g->tx, rows, n)
                          : st_ledger_add(g->tx, rows, n);
}

mt_err ex_chain_add(ex_executor *x, st_tx *tx, mt_arena *a, st_record *rows, size_t n)
{
    int64_t last_ms;
    mt_err err = load_tail(x, tx, a);
    err = err ? err : last_time(x, tx, a, &last_ms);
    for (size_t i = 0; !err && i < n; i++) {
        lift_time(a, &rows[i], &last_ms);
        err = chain(x, tx, a, &rows[i]);
    }
    err = err ? err : st_ledger_add(tx, rows, n);
    return err ? err : save_tail(x, tx);
}

void ex_tell_news(ex_executor *x, int64_t size)
{
    pthread_mutex_lock(&x->news_lock);
    if (x->news && size > 0) {
        x->news(x->news_state, size - 1);
    }
    pthread_mutex_unlock(&x->news_lock);
}

/* ---- What records have in common ---- */

mt_jw ex_record_begin(ex_group *g)
{
    mt_buf_clear(&g->body);
    mt_jw w = mt_jw_start(&g->body, false);
    mt_jw_begin_object(&w);
    return w;
}

void ex_record_time(mt_jw *w, const ex_group *g)
{
    mt_jw_keyz(w, "time");
    ex_time_json(w, g->now_ms);
    if (g->trace && g->trace->known) {
        char id[2 * TR_ID_BYTES];
        tr_trace_id(g->trace, id);
        mt_jw_key_str(w, "trace_id", mt_str_from(id, sizeof id));
    }
    if (g->x->trust_domain.len) {
        mt_jw_key_str(w, "trust_domain", g->x->trust_domain);
    }
}

void ex_caller_json(mt_jw *w, const ex_job *job)
{
    mt_jw_keyz(w, "caller");
    ex_identity_json(w, ex_actor_of(job));
}

/* exec/ledger.c - records are written and chained.
 * Room: exec.
 * On a store of its own the committer chains each record in the transaction that
 * writes its effects. On a shared one the record is queued in that transaction, and
 * whichever process holds the lock "sequencer" chains what is queued, in batches; a
 * record is found by its id from the moment it is acknowledged.
 * The tail kept with the chain (ledger/chain.h) makes opening cost the same however
 * long the ledger is.
 * Every 256 records the root of their subtree is kept as a document of kind
 * "ledger.block", so a proof reads a few hundred hashes, not all. */

#include "contract/wire/value.h"
#include "exec/exec.h"

#define KIND_BLOCK MT_STR("ledger.block")

/* Records that wait to be written together. */
enum { AT_ONCE = 512 };

/* ---- The end of the chain ---------------------------------------------------------
 */

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

/* ---- Appending --------------------------------------------------------------------
 */

mt_err ex_block_keep(st_tx *tx, const lg_chain *c, const mt_sha256 *hash)
{
    char id[24], hex[MT_SHA256_HEX];
    if ((c->tree.size + 1) % EX_BLOCK) {
        return MT_OK;
    }
    mt_sha256 root = lg_frontier_subtree(&c->tree, lg_leaf(hash), EX_BLOCK_LEVELS);
    mt_hex(root.bytes, MT_SHA256_BYTES, hex);
    size_t n = ex_block_id(c->tree.size / EX_BLOCK, id);
    st_doc doc = {.kind = KIND_BLOCK,
                  .id = {id, n},
                  .body = {hex, MT_SHA256_HEX},
                  .updated_ms = 0};
    return st_doc_set(tx, &doc);
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

static mt_err save_tail(ex_executor *x, st_tx *tx)
{
    mt_buf tail = {0};
    lg_chain_write(&tail, &x->chain);
    mt_err err = st_ledger_set_tail(tx, (int64_t)x->chain.tree.size, mt_buf_str(&tail));
    mt_buf_free(&tail);
    return err;
}

mt_err ex_chain_put(ex_executor *x, st_tx *tx, const char *kind, int64_t now_ms,
                    mt_str body)
{
    st_record row = {
        .seq = -1, .kind = mt_str_z(kind), .time_ms = now_ms, .body = body};
    mt_arena a = {0};
    mt_err err = chain(x, tx, &a, &row);
    err = err ? err : st_ledger_add(tx, &row, 1);
    err = err ? err : save_tail(x, tx);
    mt_arena_free(&a);
    return err;
}

mt_err ex_record_add(ex_group *g, const ex_record *r, int64_t *id)
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
                     .time_ms = g->now_ms,
                     .body = mt_str_dup(g->arena, mt_buf_str(&g->body))};
    g->records++;
    mt_err err = x->shared ? MT_OK : chain(x, g->tx, g->arena, &row);
    err = err ? err : st_record_id(g->tx, &row.id);
    *id = row.id;
    mt_vec_push(g->arena, &g->unwritten, row);
    if (!err && g->unwritten.len == AT_ONCE) {
        err = ex_write_records(g);
    }
    return !err && x->shadow ? ex_shadow_record(g, r, *id) : err;
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

mt_err ex_last_checkpoint(st_tx *tx, mt_arena *a, lg_checkpoint *out)
{
    mt_str text;
    *out = (lg_checkpoint){0};
    mt_err err = st_checkpoint_get(tx, a, -1, &text);
    return err ? err : lg_checkpoint_read(a, mt_str_trim(text, MT_STR("\n")), out);
}

mt_err ex_chain_save(ex_executor *x, st_tx *tx, size_t added)
{
    return added && !x->shared ? save_tail(x, tx) : MT_OK;
}

/* ---- What records have in common --------------------------------------------------
 */

void ex_time_json(mt_jw *w, int64_t ms)
{
    char text[CT_TIME_TEXT];
    ct_time t = {ms / 1000, (uint32_t)(ms % 1000) * 1000000u};
    mt_jw_str(w, mt_str_from(text, ct_time_print(t, text)));
}

void ex_record_time(mt_jw *w, const ex_group *g)
{
    mt_jw_keyz(w, "time");
    ex_time_json(w, g->now_ms);
    if (g->x->trust_domain.len) {
        mt_jw_key_str(w, "trust_domain", g->x->trust_domain);
    }
}

void ex_caller_json(mt_jw *w, const ex_job *job)
{
    const ex_caller *c = job->call->caller;
    mt_jw_keyz(w, "caller");
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "id", ex_caller_id(job));
    if (c && c->name.len) {
        mt_jw_key_str(w, "name", c->name);
    }
    mt_jw_end_object(w);
}

/* ---- The sequencer ----------------------------------------------------------------
 */

enum { BATCH = 1000, PAUSE_MS = 50, GATHER_MS = 25, SWEEP_MS = 5000, IDLE_MS = 10000 };

/* Chains one batch. *count is what it chained; MT_E_BUSY: another process does it. */
static mt_err chain_batch(ex_executor *x, size_t *count)
{
    mt_arena a = {0};
    st_tx *tx;
    st_record *rows = NULL;
    *count = 0;
    mt_err err = st_begin(x->store, ST_WRITE, &tx);
    if (err) {
        return err;
    }
    if (!st_try_lock(tx, EX_SEQUENCER)) {
        st_rollback(tx);
        return MT_E_BUSY;
    }
    err = st_pending_take(tx, BATCH, &a, &rows, count);
    if (!err && *count) {
        err = load_tail(x, tx, &a);
        for (size_t i = 0; !err && i < *count; i++) {
            err = chain(x, tx, &a, &rows[i]);
        }
        err = err ? err : st_ledger_add(tx, rows, *count);
        err = err ? err : save_tail(x, tx);
    }
    if (err || !*count) {
        st_rollback(tx);
    } else {
        err = st_commit(tx);
    }
    mt_arena_free(&a);
    return err;
}

void ex_tell_news(ex_executor *x, int64_t size)
{
    pthread_mutex_lock(&x->news_lock);
    if (x->news && size > 0) {
        x->news(x->news_state, size - 1);
    }
    pthread_mutex_unlock(&x->news_lock);
}

/* What other processes chained and deployed meanwhile. */
static int64_t look_around(ex_executor *x)
{
    mt_arena a = {0};
    st_tx *tx;
    int64_t size = 0;
    mt_str tail;
    if (!st_begin(x->store, ST_READ, &tx)) {
        if (st_ledger_tail(tx, &a, &size, &tail)) {
            size = 0;
        }
        ex_contracts_refresh(x, tx);
        st_rollback(tx);
    }
    mt_arena_free(&a);
    return size;
}

static bool wait_for_work(ex_executor *x)
{
    int64_t end = mt_wait_end(PAUSE_MS);
    pthread_mutex_lock(&x->queue_lock);
    while (!x->pending && !x->stopped &&
           mt_cond_wait(&x->pending_more, &x->queue_lock, end)) {
    }
    x->pending = false;
    bool stop = x->stopped;
    pthread_mutex_unlock(&x->queue_lock);
    return !stop;
}

/* A batch costs a commit, which those who write then have to share the disk with. */
static void let_gather(void)
{
    struct timespec moment = {.tv_nsec = GATHER_MS * 1000000L};
    nanosleep(&moment, NULL);
}

/* Chains what is queued. How long the chain is then; -1: there was nothing to do, or
 * another process does it. */
static int64_t chain_queued(ex_executor *x)
{
    size_t count;
    int64_t size = -1;
    while (!chain_batch(x, &count) && count) {
        size = (int64_t)x->chain.tree.size;
        ex_sign_note(x, size, true);
        if (count < BATCH) {
            break;
        }
    }
    return size;
}

void *ex_sequencer(void *executor)
{
    ex_executor *x = executor;
    int64_t told = 0, swept = ex_now(x), looked = 0;
    bool more = true;
    while (more) {
        more = wait_for_work(x);
        int64_t now = ex_now(x);
        if (more && now - swept > SWEEP_MS) {
            swept = now;
            ex_recover_flows(x, IDLE_MS); /* of processes that died */
        }
        int64_t chained = chain_queued(x), size = chained;
        if (chained < 0 || now - looked >= PAUSE_MS) {
            looked = now;
            size = look_around(x);
            ex_sign_note(x, size, false);
        }
        if (size != told) {
            told = size;
            ex_tell_news(x, size);
        }
        if (more && chained >= 0) {
            let_gather();
        }
    }
    return NULL;
}

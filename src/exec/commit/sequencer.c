/* exec/commit/sequencer.c - on a shared store: the thread that chains what is queued.
 * Room: exec. Whichever process holds the lock chains for all. The thread also takes up
 * what other processes chained and deployed, and flows of processes that died. May
 * fail: the store; then it is tried again after the next pause, since everything that
 * waits to be chained is durable already. BATCH bounds a transaction, GATHER_MS lets
 * records come together, SWEEP_MS is how often abandoned flows are looked for. */
#include <time.h>

#include "exec/commit/ledger.h"
#include "exec/commit/sign.h"
#include "exec/machine.h"

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
        err = ex_chain_add(x, tx, &a, rows, *count);
    }
    if (err || !*count) {
        st_rollback(tx);
    } else {
        err = st_commit(tx);
    }
    mt_arena_free(&a);
    return err;
}

/* What other processes chained and deployed meanwhile. How long the chain is; 0 when
 * that cannot be read. */
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

/* False: it is time to stop. What is queued then is still chained once. */
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
            (void)ex_clock_sync(x);
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

/* exec/commit/outbox.c - what was promised in a transaction is done after it.
 * Room: exec.
 * A flow that ends, or an episode with intents, leaves rows in the outbox in the very
 * transaction that ends it. This thread looks for rows that are due, starts what each
 * of them asks for, and the row is settled in the transaction that does it: so nothing
 * is done twice, whoever of several processes is faster, and nothing is forgotten.
 * What fails for a reason that may pass (a source, the store, a channel) is tried again
 * after a pause that doubles; after `trigger_attempts`, or at once for any other
 * reason, it has failed for good, and a record says so.
 *
 * It sleeps until a commit promises something, or a row is due again. Only where other
 * processes write to the same store, and something here could keep their promises for
 * them, does it look without being asked. */
#include <stdlib.h>

#include "exec/commit/outbox.h"

#include "exec/machine.h"

enum { BATCH = 64, LOOK_EVERY_MS = 1000 };
#define NEVER MT_WAIT_FOREVER

typedef struct batch {
    ex_executor *x;
    pthread_mutex_t lock;
    pthread_cond_t less;
    size_t running;
    bool failed; /* one of them could not even be settled */
    mt_arena arena;
    st_trigger *rows;
    size_t count;
    int64_t wait_ms; /* until the next look, or NEVER */
} batch;

/* ---- Looking ---- */

static void one_less(void *state, ex_reply *reply)
{
    batch *b = state;
    pthread_mutex_lock(&b->lock);
    b->running--;
    b->failed |= reply->status >= 500;
    pthread_cond_signal(&b->less);
    pthread_mutex_unlock(&b->lock);
}

/* Could somebody else's promise be kept here? */
static bool looks_for_others(ex_executor *x)
{
    pthread_rwlock_rdlock(&x->contracts_lock);
    bool any = x->systems.len || x->graphs.len;
    pthread_rwlock_unlock(&x->contracts_lock);
    return any && x->shared;
}

/* The rows that are due, and how long to wait when there are none. The clock may jump,
 * so nobody waits long for a row that is to be tried again. */
static size_t look(batch *b)
{
    st_tx *tx;
    mt_arena_reset(&b->arena);
    b->wait_ms = LOOK_EVERY_MS;
    if (st_begin(b->x->store, ST_READ, &tx)) {
        return 0;
    }
    size_t pending;
    mt_err err = st_trigger_due(tx, NEVER, BATCH, &b->arena, &b->rows, &pending);
    st_rollback(tx);
    atomic_store(&b->x->metrics.outbox, err ? 0 : (long long)pending);
    int64_t now = ex_now(b->x);
    b->count = 0;
    while (!err && b->count < pending && b->rows[b->count].due_ms <= now) {
        b->count++;
    }
    if (!err && b->count < pending) {
        int64_t left = b->rows[b->count].due_ms - now;
        b->wait_ms = left < LOOK_EVERY_MS ? left : LOOK_EVERY_MS;
    } else if (!err && !looks_for_others(b->x)) {
        b->wait_ms = NEVER;
    }
    return b->count;
}

/* Counted as running before it is begun: it may be done before this returns. */
static void start(batch *b, const st_trigger *row)
{
    ex_job *job = ex_delivery_job(b->x, row, one_less, b);
    const ex_delivery *d = job->work;
    pthread_mutex_lock(&b->lock);
    b->running++;
    pthread_mutex_unlock(&b->lock);
    if (mt_str_is(mt_json_text(mt_json_at(d->body, "type")), "intent")) {
        ex_intent_send(job);
    } else {
        ex_trigger_fire(job);
    }
}

/* All of them, side by side; the next look comes when the last is settled. False: the
 * store took not all of it, and asking again at once would only be in its way. */
static bool deliver(batch *b)
{
    b->failed = false;
    for (size_t i = 0; i < b->count; i++) {
        start(b, &b->rows[i]);
    }
    pthread_mutex_lock(&b->lock);
    while (b->running) {
        pthread_cond_wait(&b->less, &b->lock);
    }
    bool settled = !b->failed;
    pthread_mutex_unlock(&b->lock);
    return settled;
}

/* Until there is news or it is time to look anyway; false: stop. */
static bool wait_for_news(ex_executor *x, int64_t wait_ms)
{
    int64_t end = mt_wait_end(wait_ms);
    pthread_mutex_lock(&x->queue_lock);
    while (!x->outbox_news && !x->outbox_stop &&
           mt_cond_wait(&x->outbox_more, &x->queue_lock, end)) {
    }
    x->outbox_news = false;
    bool go_on = !x->outbox_stop;
    pthread_mutex_unlock(&x->queue_lock);
    return go_on;
}

static bool told_to_stop(ex_executor *x)
{
    pthread_mutex_lock(&x->queue_lock);
    bool stop = x->outbox_stop;
    pthread_mutex_unlock(&x->queue_lock);
    return stop;
}

void *ex_outbox(void *executor)
{
    batch b = {.x = executor,
               .lock = PTHREAD_MUTEX_INITIALIZER,
               .less = PTHREAD_COND_INITIALIZER};
    do {
        while (look(&b) && !told_to_stop(b.x)) {
            if (!deliver(&b)) {
                b.wait_ms = LOOK_EVERY_MS;
                break;
            }
        }
    } while (wait_for_news(b.x, b.wait_ms));
    mt_arena_free(&b.arena);
    return NULL;
}

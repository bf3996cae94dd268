/* exec/commit/receipts.c - receipts that go out with an answer.
 * Room: exec.
 * An answer that was asked for with a receipt comes here when it is durable, never
 * before: a promise about a record that a crash takes back could not be kept. A thread
 * of its own reads the record back and signs, so that the committer waits for nobody's
 * signature. On a shared store the record has neither number nor hash until the
 * sequencer has chained it; the answer waits for that, but not for ever: after WAIT_MS
 * it goes out with "receipt":null, and the receipt is to be fetched later
 * (docs/reference/receipts.md). A program that signs has as long for one promise as the
 * configuration says; those behind it wait no longer than WAIT_MS for their turn.
 * What is promised is made from the record alone, and signatures have one spelling: an
 * answer that is given again has the same receipt.
 * INVARIANT: while the key must not sign the ledger (sign.c), it promises nothing. May
 * fail: the store; then there is no receipt, and the answer stays what it is. */
#include "exec/commit/answers.h"
#include "exec/commit/sign.h"
#include "exec/evidence/decision.h"

enum { WAIT_MS = 2000, PAUSE_MS = 5 };

/* ---- A promise ---- */

static bool take_hash(mt_str bytes, mt_sha256 *out)
{
    if (bytes.len != MT_SHA256_BYTES) {
        return false;
    }
    memcpy(out->bytes, bytes.ptr, MT_SHA256_BYTES);
    return true;
}

mt_err ex_promise_make(ex_executor *x, st_tx *tx, mt_arena *a, const st_record *r,
                       lg_receipt *out)
{
    st_record first;
    *out = (lg_receipt){
        .domain = x->trust_domain, .log = x->origin, .seq = (uint64_t)r->seq};
    mt_err err = st_record_at(tx, a, 0, &first);
    if (!err &&
        !(take_hash(r->hash, &out->hash) && take_hash(first.hash, &out->ledger))) {
        err = MT_E_CORRUPT;
    }
    return err ? err : ex_decision_for_asker(a, r->body, &out->decision);
}

/* A key that is elsewhere may have failed. */
static bool is_signed(const ex_executor *x, const lg_receipt *r)
{
    lg_receipt_demand own = {.keys = &x->key.open, .key_count = 1};
    return !lg_receipt_fault(r, &own);
}

mt_err ex_promise_sign(ex_executor *x, lg_receipt *r)
{
    bool complete = r->complete;
    if (!ex_sign_may(x)) {
        return MT_E_DENIED;
    }
    lg_receipt_sign(r, &x->key);
    r->complete = false; /* of the promise alone */
    bool good = !x->key.elsewhere || is_signed(x, r);
    r->complete = complete;
    return good ? MT_OK : MT_E_DENIED;
}

/* ---- The place in an answer ---- */

/* Where an answer names its record. */
typedef struct place {
    size_t start, end; /* of the member, key and value */
    int64_t number;
    bool queued;
} place;

static bool find_member(mt_str body, const mt_json *tree, const char *name, place *out)
{
    const mt_json *value = mt_json_get(tree, mt_str_z(name));
    size_t key = strlen(name) + 3; /* two quotes and the colon */
    if (!value || mt_json_i64(value, &out->number) || value->offset < key ||
        body.ptr[value->offset - key] != '"') {
        return false;
    }
    out->start = value->offset - key;
    out->end = value->offset + value->count;
    return true;
}

static bool find_place(mt_arena *a, mt_str body, place *out)
{
    mt_json tree;
    *out = (place){0};
    if (mt_json_read(a, mt_str_dup(a, body), NULL, &tree, NULL)) {
        return false;
    }
    /* A decision that was asked for has it beside its reasons. */
    const mt_json *context = mt_json_at(&tree, "context");
    const mt_json *in = mt_json_is(context, MT_JSON_OBJECT) ? context : &tree;
    out->queued = find_member(body, in, "queued", out);
    return out->queued || find_member(body, in, "record", out);
}

/* Keys stay in their order: "receipt" comes right before "record". */
static void put_receipt(mt_buf *body, const place *at, mt_str receipt, int64_t seq)
{
    mt_buf out = {0};
    mt_str old = mt_buf_str(body);
    mt_buf_adds(&out, mt_str_from(old.ptr, at->start));
    mt_buf_addz(&out, "\"receipt\":");
    mt_buf_adds(&out, receipt);
    mt_buf_addc(&out, ',');
    if (at->queued && seq >= 0) {
        mt_buf_addf(&out, "\"record\":%lld", (long long)seq);
    } else {
        mt_buf_adds(&out, mt_str_from(old.ptr + at->start, at->end - at->start));
    }
    mt_buf_adds(&out, mt_str_skip(old, at->end));
    mt_buf_free(body);
    *body = out;
}

/* ---- One answer ---- */

/* A program that signs may take long; nothing is held of the store meanwhile. */
static void give_promise(ex_job *job, st_tx **tx, const st_record *r, const place *at)
{
    ex_executor *x = job->x;
    lg_receipt promise;
    mt_buf text = {0};
    mt_err err = ex_promise_make(x, *tx, &job->arena, r, &promise);
    if (x->elsewhere) {
        st_rollback(*tx);
        *tx = NULL;
    }
    err = err ? err : ex_promise_sign(x, &promise);
    if (!err) {
        lg_receipt_write(&text, &promise);
    }
    put_receipt(&job->reply.body, at, err ? MT_STR("null") : mt_buf_str(&text), r->seq);
    mt_buf_free(&text);
    atomic_fetch_add_explicit(err ? &x->metrics.receipts_late : &x->metrics.receipts, 1,
                              memory_order_relaxed);
    ex_answer(job);
}

static void give_without(ex_job *job, const place *at)
{
    put_receipt(&job->reply.body, at, MT_STR("null"), -1);
    atomic_fetch_add_explicit(&job->x->metrics.receipts_late, 1, memory_order_relaxed);
    ex_answer(job);
}

/* True: the job is answered. `last`: it must be. Who has waited behind a program that
 * did not sign in time waits no longer. */
static bool settle(ex_job *job, st_tx **tx, bool last)
{
    place at;
    st_record r;
    bool late = last || os_now_ms() >= job->give_up_ms;
    if (!find_place(&job->arena, mt_buf_str(&job->reply.body), &at)) {
        ex_answer(job); /* nothing was written: there is nothing to promise */
        return true;
    }
    mt_err err = !*tx        ? MT_E_IO
                 : at.queued ? st_record_get(*tx, &job->arena, at.number, &r)
                             : st_record_at(*tx, &job->arena, at.number, &r);
    if (!err && r.seq >= 0 && !(late && job->x->elsewhere)) {
        give_promise(job, tx, &r, &at);
        return true;
    }
    if (late || err) {
        give_without(job, &at);
        return true;
    }
    return false;
}

/* ---- The thread ---- */

/* All that came; appended to those that still wait. False: it is time to stop. */
static bool take_jobs(ex_executor *x, ex_job **waiting)
{
    ex_receipting *q = &x->receipting;
    int64_t end = *waiting ? mt_wait_end(PAUSE_MS) : MT_WAIT_FOREVER;
    pthread_mutex_lock(&q->lock);
    while (!q->first && !q->stop && mt_cond_wait(&q->more, &q->lock, end)) {
    }
    ex_job **tail = waiting;
    while (*tail) {
        tail = &(*tail)->next;
    }
    *tail = q->first;
    q->first = q->last = NULL;
    bool stop = q->stop;
    pthread_mutex_unlock(&q->lock);
    return !stop;
}

static void settle_all(ex_executor *x, ex_job **waiting, bool last)
{
    st_tx *tx = NULL;
    for (ex_job **at = waiting; *at;) {
        ex_job *job = *at, *next = job->next;
        if (!tx && st_begin(x->store, ST_READ, &tx)) {
            tx = NULL;
        }
        if (settle(job, &tx, last)) {
            *at = next;
        } else {
            at = &job->next;
        }
    }
    st_rollback(tx);
}

void *ex_receipts(void *executor)
{
    ex_executor *x = executor;
    ex_job *waiting = NULL;
    bool more = true;
    while (more) {
        more = take_jobs(x, &waiting);
        settle_all(x, &waiting, !more);
    }
    return NULL;
}

void ex_give(ex_job *job)
{
    ex_receipting *q = &job->x->receipting;
    if (!job->request.receipt || job->simulation || !q->has_thread) {
        ex_answer(job);
        return;
    }
    job->next = NULL;
    job->give_up_ms = os_now_ms() + WAIT_MS;
    pthread_mutex_lock(&q->lock);
    *(q->last ? &q->last->next : &q->first) = job;
    q->last = job;
    pthread_cond_signal(&q->more);
    pthread_mutex_unlock(&q->lock);
}

/* exec/commit/sign.c - when the ledger is signed, and what is said when it may not be.
 * Room: exec.
 * One thread signs, beside the committer and the sequencer: after so many records, and
 * at the latest so long after the first unsigned one, so that none stays unsigned. On a
 * shared store every node has such a thread; the one that chained the records signs
 * them, and the others only what nobody has signed in time.
 * When the ledger does not go on from what was signed (signer.h) nothing is signed,
 * readiness says why, and the thread looks again every few seconds: an operator may
 * have decided meanwhile (motet ledger accept). Calls go on, their records are chained
 * and stay unsigned.
 * May fail: the store and the disk; then it is tried again. */
#include "exec/commit/sign.h"

#include "base/wait.h"
#include "exec/machine.h"
#include "os/clock.h"

enum { AGAIN_MS = 2000 };

void ex_signing_make(ex_signing *s)
{
    pthread_mutex_init(&s->lock, NULL);
    mt_cond_init(&s->more);
}

void ex_signing_drop(ex_signing *s)
{
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->more);
    mt_buf_free(&s->fault);
    mt_buf_free(&s->told);
}

/* ---- One look ---- */

void ex_sign_why(ex_executor *x, mt_buf *why)
{
    mt_buf_addz(why, "the signer did not sign");
    if (x->elsewhere) {
        mt_buf_addz(why, ": ");
        os_sign_command_why(x->elsewhere, why);
    }
}

static mt_err put_back(ex_executor *x, const ex_signer *s, const ex_sight *seen,
                       mt_buf *why)
{
    mt_err err = ex_signer_put_back(s, &seen->memory, why);
    if (!err) {
        ex_log(x, 2, "checkpoint_put_back",
               "the checkpoint over %llu records was not in the store, though its "
               "records are; it was put back",
               (unsigned long long)seen->memory.point.size);
    }
    return err;
}

/* Another node signed what this one waited for. */
static bool others_did(ex_executor *x, const ex_sight *seen, int64_t covered)
{
    return (int64_t)seen->signed_to > covered &&
           seen->end.tree.size - seen->signed_to < x->checkpoint_every;
}

/* Is there a note of this checkpoint under this name? */
static mt_err has_note(ex_executor *x, mt_arena *a, uint64_t size, mt_str *origin,
                       bool *there)
{
    st_tx *tx;
    lg_note read;
    mt_str note;
    mt_err err = st_begin(x->store, ST_READ, &tx);
    if (err) {
        return err;
    }
    err = ex_log_origin(tx, a, x->origin, origin);
    mt_err found = err ? err : ex_note_get(tx, a, size, &note);
    *there =
        !found && !lg_note_read(note, &read) && mt_str_eq(read.head.origin, *origin);
    st_rollback(tx);
    return found == MT_E_NOTFOUND ? err : found;
}

/* The same head once more in the form that others read. After a crash between the two
 * the next look makes up for it. */
static mt_err keep_note(ex_executor *x, const ex_signer *s, const ex_memory *m,
                        mt_buf *why)
{
    mt_arena a = {0};
    mt_buf note = {0};
    mt_str origin;
    st_tx *tx;
    bool there = !m->point.size;
    mt_err err = there ? MT_OK : has_note(x, &a, m->point.size, &origin, &there);
    if (!err && !there && !ex_note_make(&note, origin, &m->point, s->key)) {
        ex_sign_why(x, why);
        err = MT_E_IO;
    }
    if (!err && !there && !(err = st_begin(x->store, ST_WRITE, &tx))) {
        err = ex_note_put(tx, &a, m->point.size, mt_buf_str(&note));
        if (err) {
            st_rollback(tx);
        } else {
            err = st_commit(tx);
        }
    }
    if (!err && !there) {
        ex_watches_wake(x);
    }
    mt_buf_free(&note);
    mt_arena_free(&a);
    return err;
}

/* What a crash took between a checkpoint and its note is made up for before the next
 * one: every checkpoint but the newest has its note (motet store check). */
static mt_err sign_next(ex_executor *x, const ex_signer *s, ex_sight *seen, mt_buf *why)
{
    mt_err err = keep_note(x, s, &seen->memory, why);
    err = err ? err : ex_signer_sign(s, seen, why);
    if (err == MT_E_TIMEOUT) {
        ex_sign_why(x, why);
    }
    return err;
}

static mt_err act(ex_executor *x, const ex_signer *s, ex_sight *seen, bool sign,
                  mt_buf *why)
{
    if (seen->revoked) {
        return MT_OK;
    }
    mt_err err = seen->missing ? put_back(x, s, seen, why) : MT_OK;
    if (!err && sign && seen->signed_to < seen->end.tree.size) {
        err = sign_next(x, s, seen, why);
    } else if (!err && seen->behind) {
        err = ex_memory_write(s->memory, &seen->memory, why);
    }
    return err ? err : keep_note(x, s, &seen->memory, why);
}

static ex_signer signer_of(ex_executor *x, const mt_sign_key *key, const char *memory)
{
    return (ex_signer){.store = x->store,
                       .key = key,
                       .memory = memory,
                       .domain = x->trust_domain,
                       .heir = &x->key.open};
}

mt_err ex_sign_with(ex_executor *x, const mt_sign_key *key, const char *memory,
                    mt_buf *why)
{
    mt_arena a = {0};
    ex_sight seen;
    ex_signer s = signer_of(x, key, memory);
    mt_err err = ex_signer_look(&s, true, &a, &seen, why);
    err = err ? err : act(x, &s, &seen, true, why);
    mt_arena_free(&a);
    return err;
}

/* ---- What is known of it ---- */

/* What was looked at is good again: an earlier fault is forgotten, and said to be. */
static void note_seen(ex_executor *x, const ex_sight *seen)
{
    ex_signing *s = &x->signing;
    int64_t size = (int64_t)seen->end.tree.size;
    pthread_mutex_lock(&s->lock);
    bool mended = s->fault.len != 0, replaced = seen->revoked && !s->replaced;
    mt_buf_clear(&s->fault);
    mt_buf_clear(&s->told);
    s->due = false;
    s->again_ms = 0;
    if ((int64_t)seen->signed_to > s->covered) {
        atomic_store(&x->metrics.signed_ms, os_now_ms());
    }
    s->covered = (int64_t)seen->signed_to;
    s->size = size > s->size ? size : s->size;
    s->since_ms = s->size > s->covered ? os_now_ms() : 0;
    s->replaced = seen->revoked;
    pthread_mutex_unlock(&s->lock);
    if (mended) {
        ex_log(x, 1, "signing_again", "the ledger goes on from what was signed");
    }
    if (replaced) {
        ex_log(x, 2, "key_replaced", "the ledger is signed with a newer key");
    }
}

/* Why nothing is signed, for readiness. True: it was not known. */
static bool note_fault(ex_signing *s, mt_str why, const char *advice)
{
    pthread_mutex_lock(&s->lock);
    bool news = !mt_str_starts(mt_buf_str(&s->fault), why);
    mt_buf_clear(&s->fault);
    mt_buf_adds(&s->fault, why);
    mt_buf_addz(&s->fault, advice);
    pthread_mutex_unlock(&s->lock);
    return news;
}

static void note_refused(ex_executor *x, mt_str why)
{
    static const char ADVICE[] = "; nothing is signed until an operator decides (motet "
                                 "ledger accept, see docs/reference/ledger.md)";
    if (note_fault(&x->signing, why, ADVICE)) {
        ex_log(x, 3, "signing_refused", "%.*s (memory: %s)%s", MT_ARG(why), x->memory,
               ADVICE);
    }
}

/* The disk, the store or the signer: that may pass. The log says each reason once; when
 * it lasts, readiness says so, too. */
static void note_failed(ex_executor *x, mt_err err, mt_str why)
{
    ex_signing *s = &x->signing;
    mt_str reason = why.len ? why : mt_str_z(mt_err_text(err));
    pthread_mutex_lock(&s->lock);
    bool lasts = s->again_ms != 0, news = !mt_str_eq(mt_buf_str(&s->told), reason);
    s->again_ms = os_now_ms() + AGAIN_MS;
    mt_buf_clear(&s->told);
    mt_buf_adds(&s->told, reason);
    pthread_mutex_unlock(&s->lock);
    if (err == MT_E_DENIED) {
        note_refused(x, why);
        return;
    }
    if (news) {
        ex_log(x, 3, "checkpoint_failed", "%.*s", MT_ARG(reason));
    }
    if (lasts) { /* anyone may ask for readiness: no file names */
        (void)note_fault(s, MT_STR("the ledger cannot be signed"),
                         ": the memory or the store cannot be written, or the "
                         "signer does not sign; see the log");
    }
}

bool ex_sign_may(ex_executor *x)
{
    ex_signing *s = &x->signing;
    pthread_mutex_lock(&s->lock);
    bool may = x->has_key && !s->fault.len && !s->replaced;
    pthread_mutex_unlock(&s->lock);
    return may;
}

bool ex_sign_fault(ex_executor *x, mt_buf *why, const char *before)
{
    ex_signing *s = &x->signing;
    pthread_mutex_lock(&s->lock);
    bool any = s->fault.len != 0;
    mt_buf_addz(why, any ? before : "");
    mt_buf_adds(why, mt_buf_str(&s->fault));
    pthread_mutex_unlock(&s->lock);
    return any;
}

/* Looks, signs if it may, and keeps what came of it. */
static void look_once(ex_executor *x, bool sign, bool whole)
{
    mt_arena a = {0};
    mt_buf why = {0};
    ex_sight seen;
    ex_signer s = signer_of(x, &x->key, x->memory);
    mt_err err = ex_signer_look(&s, whole, &a, &seen, &why);
    sign = sign && !err && !others_did(x, &seen, x->signing.covered);
    err = err ? err : act(x, &s, &seen, sign, &why);
    if (err) {
        note_failed(x, err, mt_buf_str(&why));
    } else {
        note_seen(x, &seen);
    }
    mt_buf_free(&why);
    mt_arena_free(&a);
}

void ex_sign_open(ex_executor *x)
{
    look_once(x, false, true);
}

/* ---- When ---- */

void ex_sign_note(ex_executor *x, int64_t size, bool here)
{
    ex_signing *s = &x->signing;
    int64_t every = x->checkpoint_every;
    if (!x->has_key) {
        return;
    }
    pthread_mutex_lock(&s->lock);
    s->size = size > s->size ? size : s->size;
    bool first = !s->since_ms && s->size > s->covered;
    bool many = here && !s->due && s->size / every > s->covered / every;
    if (first) {
        s->since_ms = os_now_ms();
    }
    s->due = s->due || many;
    if (first || many) {
        pthread_cond_signal(&s->more);
    }
    pthread_mutex_unlock(&s->lock);
}

/* 0: there is nothing to wait for. */
static int64_t deadline(const ex_executor *x)
{
    const ex_signing *s = &x->signing;
    int64_t patience = (int64_t)x->checkpoint_seconds * 1000;
    return s->replaced   ? 0
           : s->again_ms ? s->again_ms
           : s->due      ? 1
           : s->since_ms ? s->since_ms + patience
                         : 0;
}

/* False: it is time to stop. */
static bool wait_for_work(ex_executor *x)
{
    ex_signing *s = &x->signing;
    pthread_mutex_lock(&s->lock);
    for (int64_t at; !s->stop && (!(at = deadline(x)) || at > os_now_ms());) {
        mt_cond_wait(&s->more, &s->lock, at ? at : MT_WAIT_FOREVER);
    }
    bool stop = s->stop;
    pthread_mutex_unlock(&s->lock);
    return !stop;
}

static void *signer_thread(void *executor)
{
    ex_executor *x = executor;
    while (wait_for_work(x)) {
        look_once(x, true, x->signing.fault.len != 0);
    }
    return NULL;
}

mt_err ex_sign_start(ex_executor *x)
{
    ex_signing *s = &x->signing;
    pthread_mutex_lock(&s->lock); /* the sequencer runs already */
    s->since_ms = os_now_ms();    /* opening may have written records */
    pthread_mutex_unlock(&s->lock);
    s->has_thread = !pthread_create(&s->thread, NULL, signer_thread, x);
    return s->has_thread ? MT_OK : MT_E_BUSY;
}

void ex_sign_close(ex_executor *x)
{
    ex_signing *s = &x->signing;
    if (!s->has_thread) {
        return;
    }
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_signal(&s->more);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    if (!s->replaced) {
        s->covered = INT64_MAX; /* whoever signed meanwhile: for all of it, now */
        look_once(x, true, false);
    }
}

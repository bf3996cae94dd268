/* exec/commit/witnesses.c - asks witnesses to co-sign what this ledger has signed.
 * Room: exec.
 * One thread for each witness of the configuration, so that one that hangs delays
 * nobody: it waits until there is a newer note than the witness has signed, proves that
 * the log only grew since, asks, verifies the answer and keeps it in the store. Nothing
 * of the executor waits for it.
 *
 * Order of a turn: look (newest checkpoint, its note, what the witness signed last),
 * prove, ask, judge. A witness that has seen another size says which (409), and is
 * asked again from there, for what is the newest checkpoint by then: on a shared store
 * every node asks, and another one may have been faster. The answer that is
 * kept last is as good as the first.
 *
 * INVARIANT: only a line that verifies with the configured key, over our own note, is
 * kept. What a witness says against us is told with words of its own: it is ahead, it
 * has signed another root, or it says that we did not only grow. These are alarms; a
 * network that fails is a nuisance. Both are told when they begin and when they end.
 * May fail: the store and the network; then it is tried again, later and later. */
#include "adapter/post.h"
#include "base/form.h"
#include "exec/commit/ledger.h"
#include "exec/commit/sign.h"
#include "exec/evidence/forest.h"
#include "exec/evidence/notes.h"
#include "exec/machine.h"
#include "exec/settings.h"
#include "ledger/witness.h"
#include "os/key_file.h"

enum {
    FIRST_PAUSE_MS = 1000,
    MOST_PAUSE_MS = 60000,
    LOOK_MS = 15000, /* another node may have signed */
    TIMEOUT_MS = 10000,
    ANSWER_BYTES = 1 << 16,
    ATTEMPTS = 3, /* of one turn */
    URL_BYTES = 2000,
    WITNESSES_MOST = 64,
};

/* ---- The configuration ---- */

typedef struct row {
    mt_str name, url, key;
    const char *ca;
    int64_t timeout_ms;
} row;

static const row USUAL = {.timeout_ms = TIMEOUT_MS};
static const mt_form_row ROWS[] = {
    MT_FORM_NAME(row, name, "name", LG_NAME_BYTES, MT_FORM_REQUIRED),
    MT_FORM_NAME(row, url, "url", URL_BYTES, MT_FORM_REQUIRED),
    MT_FORM_NAME(row, key, "key", 4096, MT_FORM_REQUIRED),
    MT_FORM_WORD(row, ca, "ca", 0),
    MT_FORM_INT(row, timeout_ms, "timeout_ms", 1, 600000, 0),
};

typedef struct reading {
    mt_arena *arena;
    ex_config_fault *fault;
    void *state;
    size_t count;
} reading;

static void tell(void *state, const mt_form_fault *f)
{
    reading *r = state;
    mt_buf said = {0};
    mt_form_write_said(&said, f);
    r->count++;
    r->fault(r->state, f->path, f->offset, mt_buf_str(&said));
    mt_buf_free(&said);
}

static void refuse(reading *r, size_t i, const mt_json *at, const char *why)
{
    r->count++;
    r->fault(r->state, mt_strf(r->arena, "witnesses[%zu]", i), at->offset,
             mt_str_z(why));
}

/* NAME+ID+KEY, whose name is the row's; or a bare public key. */
static const char *read_key(mt_arena *a, const row *from, lg_note_key *out)
{
    mt_buf ignored = {0};
    if (!lg_name_is_good(from->name)) {
        return "`name` is text without spaces, plus signs and control characters";
    }
    if (!lg_note_key_read(from->key, out)) {
        return out->type != LG_WITNESS_KEY         ? "`key` is the key of a log"
               : !mt_str_eq(out->name, from->name) ? "`name` is not the name in `key`"
                                                   : NULL;
    }
    *out = (lg_note_key){.name = from->name, .type = LG_WITNESS_KEY};
    mt_err err = os_key_public(mt_str_dup(a, from->key).ptr, &out->key, &ignored);
    mt_buf_free(&ignored);
    return err ? "`key` is NAME+ID+KEY (motet witness key), a public key, or a file "
                 "with one"
               : NULL;
}

static void read_row(reading *r, size_t i, const mt_json *at, ex_witness_of *out)
{
    row from = USUAL;
    ad_url url;
    mt_form form = {.arena = r->arena,
                    .path = mt_strf(r->arena, "witnesses[%zu]", i),
                    .what = "a witness",
                    .report = tell,
                    .state = r};
    if (!mt_form_read(&form, at, ROWS, mt_form_count(ROWS), &from)) {
        return;
    }
    const char *why = read_key(r->arena, &from, &out->key);
    if (!why && (!ad_url_read(r->arena, from.url, &url) || url.has_user)) {
        why = "`url` is a plain http or https address";
    }
    if (why) {
        refuse(r, i, at, why);
        return;
    }
    mt_str base = from.url;
    base.len -= base.ptr[base.len - 1] == '/';
    out->key.name = mt_str_dup(r->arena, out->key.name);
    out->url = mt_strf(r->arena, "%.*s/add-checkpoint", MT_ARG(base));
    out->ca = from.ca;
    out->timeout_ms = (unsigned)from.timeout_ms;
}

/* One who signs under two names would count twice; what is signed has no name in it. */
static const char *same_witness(const ex_witness_of *a, const ex_witness_of *b)
{
    bool key = memcmp(&a->key.key, &b->key.key, sizeof a->key.key) == 0;
    return mt_str_eq(a->key.name, b->key.name) ? "another witness has this `name`"
           : key                               ? "another witness has this `key`"
                                               : NULL;
}

size_t ex_witnesses_read(mt_arena *a, const ex_executor_options *o, ex_witness_of **out,
                         size_t *count, ex_config_fault *fault, void *state)
{
    const mt_json *all = mt_json_at(o->settings, "witnesses");
    reading r = {a, fault, state, 0};
    *count = mt_json_is(all, MT_JSON_ARRAY) ? all->count : 0;
    if (*count > WITNESSES_MOST) {
        fault(state, MT_STR("witnesses"), all->offset,
              mt_strf(a, "there are at most %d", WITNESSES_MOST));
        return 1;
    }
    *out = mt_new_array(a, ex_witness_of, *count + 1);
    for (size_t i = 0; i < *count; i++) {
        (*out)[i] = (ex_witness_of){0};
        read_row(&r, i, &all->as.items[i], &(*out)[i]);
        for (size_t k = 0; k < i && (*out)[i].url.len; k++) {
            const char *why = same_witness(&(*out)[k], &(*out)[i]);
            if (why) {
                refuse(&r, i, &all->as.items[i], why);
            }
        }
    }
    if (o->witness_quorum > *count) {
        r.count++;
        fault(state, MT_STR("witness_quorum"), EX_NO_PLACE,
              mt_strf(a, "there are %zu witnesses", *count));
    }
    if (*count && !o->signing_key && !mt_json_at(o->settings, "signer")) {
        r.count++;
        fault(state, MT_STR("witnesses"), all->offset,
              MT_STR("nothing is signed without a signing key, so nothing can be "
                     "co-signed"));
    }
    return r.count;
}

/* ---- One turn ---- */

typedef struct turn {
    ex_executor *x;
    ex_watch *w;
    mt_arena a;
    lg_note note;
    mt_str text;  /* of the whole note */
    uint64_t old; /* what the witness has seen, as far as is known */
    mt_buf body, answer, why;
    bool alarm; /* the fault is one between us and the witness */
} turn;

static void note_seen(ex_watch *w, const ex_witnessed *last, uint64_t wanted)
{
    pthread_mutex_lock(&w->lock);
    w->size = last->size;
    w->time = last->time;
    w->wanted = wanted;
    pthread_mutex_unlock(&w->lock);
}

/* The newest checkpoint, which others may have made since the last look. */
static mt_err look_at_ledger(turn *t, st_tx *tx)
{
    lg_checkpoint point;
    mt_err err = ex_last_checkpoint(tx, &t->a, &point);
    err = err ? err : ex_note_get(tx, &t->a, point.size, &t->text);
    return err ? err : lg_note_read(t->text, &t->note) ? MT_E_CORRUPT : MT_OK;
}

/* MT_E_NOTFOUND: there is nothing to ask for. */
static mt_err look(turn *t, st_tx *tx)
{
    ex_witnessed last;
    mt_err err = look_at_ledger(t, tx);
    if (err) {
        return err;
    }
    err = ex_witnessed_get(tx, &t->a, t->w->of.key.name, &last);
    if (err && err != MT_E_NOTFOUND) {
        return err;
    }
    t->old = last.size;
    note_seen(t->w, &last, t->note.head.size);
    return last.size >= t->note.head.size ? MT_E_NOTFOUND : MT_OK;
}

static mt_err prove(turn *t, st_tx *tx)
{
    ex_forest f;
    lg_proof p = {0};
    uint64_t size = t->note.head.size;
    if (t->old && t->old < size) {
        mt_err err = ex_forest_read(&t->a, tx, size, t->old / EX_BLOCK, &f);
        if (err) {
            return err;
        }
        ex_forest_growth(&f, t->old, &p);
    }
    mt_buf_clear(&t->body);
    lg_witness_request_write(&t->body, t->old, &p, t->text);
    return MT_OK;
}

static mt_err ask(turn *t, long *status)
{
    ad_post post = {.gate = &t->x->outside.gate,
                    .url = t->w->of.url,
                    .type = "text/plain; charset=utf-8",
                    .body = mt_buf_str(&t->body),
                    .ca_file = t->w->of.ca,
                    .timeout_ms = t->w->of.timeout_ms,
                    .max_bytes = ANSWER_BYTES,
                    .stop = &t->w->stop};
    mt_buf_clear(&t->answer);
    return ad_post_send(&post, status, &t->answer, &t->why);
}

static mt_err keep(turn *t, mt_str line, int64_t time)
{
    st_tx *tx;
    mt_err err = st_begin(t->x->store, ST_WRITE, &tx);
    if (err) {
        return err;
    }
    err =
        ex_cosignature_put(tx, &t->a, t->w->of.key.name, t->note.head.size, time, line);
    if (err) {
        st_rollback(tx);
        return err;
    }
    return st_commit(tx);
}

static mt_err complain(turn *t, bool alarm, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static mt_err complain(turn *t, bool alarm, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mt_buf_addfv(&t->why, format, args);
    va_end(args);
    t->alarm = alarm;
    return MT_E_DENIED;
}

/* Of its lines the one by its key is kept and no other: in the name of another witness,
 * or of the log, a line would spoil theirs. One that is not its signature is a lie,
 * whoever told it. */
static mt_err take_cosignature(turn *t)
{
    mt_str lines = mt_buf_str(&t->answer);
    int64_t time = 0, now = ex_now(t->x) / 1000;
    bool good = lines.len && lg_note_lines_are_good(lines);
    mt_str own = good ? lg_note_line_of(lines, &t->w->of.key) : (mt_str){0};
    lg_signed s = good ? lg_note_cosigned(t->note.text, own, &t->w->of.key, now, &time)
                       : LG_FORGED;
    if (s == LG_AHEAD) { /* nobody would count it, and the next one may be good */
        return complain(t, false,
                        "it signed at a time that has not come: its clock, or "
                        "this one, is wrong");
    }
    if (s != LG_SIGNED) {
        return complain(t, true,
                        s == LG_FORGED
                            ? "its answer is not a signature over what it was asked to "
                              "sign"
                            : "its answer is not signed by the configured key");
    }
    mt_err err = keep(t, own, time);
    if (!err) {
        ex_witnessed seen = {t->note.head.size, time};
        note_seen(t->w, &seen, seen.size);
    }
    return err;
}

/* What 409 says. MT_E_BUSY: asked from there it may sign. Other nodes ask it, too, so
 * it may have gone on since we looked; only what our store says then is a
 * contradiction. */
static mt_err judge_conflict(turn *t)
{
    uint64_t seen = 0;
    mt_str said = mt_str_trim(mt_buf_str(&t->answer), MT_STR("\n"));
    if (!lg_size_read(said, &seen)) {
        return complain(t, false, "its answer is not a size");
    }
    if (seen == t->old) {
        return complain(t, true,
                        "it has signed another root for %llu records: this ledger has "
                        "two histories",
                        (unsigned long long)seen);
    }
    t->old = seen;
    return MT_E_BUSY;
}

static mt_err judge_status(turn *t, long status)
{
    switch (status) {
    case LG_COSIGN: return take_cosignature(t);
    case LG_CONFLICT: return judge_conflict(t);
    case LG_NOT_EXTENDING:
        return complain(t, true,
                        "it says that %llu records do not extend the %llu it has "
                        "signed for: this ledger has two histories",
                        (unsigned long long)t->note.head.size,
                        (unsigned long long)t->old);
    case LG_UNKNOWN_LOG:
        return complain(t, false, "it does not know the log '%.*s'",
                        MT_ARG(t->note.head.origin));
    case LG_NOT_TRUSTED:
        return complain(t, false, "it does not trust the key of the log '%.*s'",
                        MT_ARG(t->note.head.origin));
    default: return complain(t, false, "it answered with status %ld", status);
    }
}

/* After it said what it has signed: is that more than there is? */
static mt_err look_again(turn *t, st_tx *tx)
{
    mt_err err = look_at_ledger(t, tx);
    if (!err && t->old > t->note.head.size) {
        err =
            complain(t, true,
                     "it has signed for %llu records of this ledger, which has a "
                     "checkpoint over %llu: records are missing here, or the ledger "
                     "was put back",
                     (unsigned long long)t->old, (unsigned long long)t->note.head.size);
    }
    return err;
}

/* Nobody waits for the network with a transaction open. */
static mt_err prepare(turn *t, bool first)
{
    st_tx *tx;
    mt_err err = st_begin(t->x->store, ST_READ, &tx);
    if (err) {
        return err;
    }
    err = first ? look(t, tx) : look_again(t, tx);
    err = err ? err : prove(t, tx);
    st_rollback(tx);
    return err;
}

/* Once from what is known, then from what the witness says it has seen. */
static mt_err go_through(turn *t)
{
    mt_err err = MT_E_BUSY;
    for (int i = 0; i < ATTEMPTS && err == MT_E_BUSY; i++) {
        long status;
        err = prepare(t, i == 0);
        err = err ? err : ask(t, &status);
        err = err ? err : judge_status(t, status);
    }
    return err == MT_E_NOTFOUND ? MT_OK
           : err == MT_E_BUSY
               ? complain(t, false, "it says another size each time it is asked")
               : err;
}

/* ---- What is said ---- */

static void note_good(ex_executor *x, ex_watch *w)
{
    pthread_mutex_lock(&w->lock);
    bool mended = w->fault.len != 0;
    mt_buf_clear(&w->fault);
    w->alarm = false;
    w->pause_ms = 0;
    pthread_mutex_unlock(&w->lock);
    if (mended) {
        ex_log(x, 1, "witness_again", "witness '%.*s' signs again",
               MT_ARG(w->of.key.name));
    }
}

static void note_bad(ex_executor *x, ex_watch *w, mt_err err, turn *t)
{
    mt_str why = t->why.len ? mt_buf_str(&t->why) : mt_str_z(mt_err_text(err));
    pthread_mutex_lock(&w->lock);
    bool news = !mt_str_eq(mt_buf_str(&w->fault), why);
    mt_buf_clear(&w->fault);
    mt_buf_adds(&w->fault, why);
    w->alarm = t->alarm;
    w->failures++;
    w->pause_ms = w->pause_ms ? w->pause_ms * 2 : FIRST_PAUSE_MS;
    w->pause_ms = w->pause_ms > MOST_PAUSE_MS ? MOST_PAUSE_MS : w->pause_ms;
    pthread_mutex_unlock(&w->lock);
    if (news) {
        ex_log(x, t->alarm ? 3 : 2, t->alarm ? "witness_contradicts" : "witness_failed",
               "witness '%.*s': %.*s", MT_ARG(w->of.key.name), MT_ARG(why));
    }
}

static void take_turn(ex_executor *x, ex_watch *w)
{
    turn t = {.x = x, .w = w};
    mt_err err = go_through(&t);
    if (!err) {
        note_good(x, w);
    } else if (!atomic_load(&w->stop)) {
        note_bad(x, w, err, &t);
    }
    mt_buf_free(&t.body);
    mt_buf_free(&t.answer);
    mt_buf_free(&t.why);
    mt_arena_free(&t.a);
}

/* ---- Threads ---- */

/* After a failure it waits, whatever is signed meanwhile; otherwise until something
 * is, or until it is time to see what another node did. */
static bool wait_for_work(ex_watch *w)
{
    pthread_mutex_lock(&w->lock);
    int64_t end = mt_wait_end(w->pause_ms ? w->pause_ms : LOOK_MS);
    while (!atomic_load(&w->stop) && (w->pause_ms || !w->news) &&
           mt_cond_wait(&w->more, &w->lock, end)) {
    }
    w->news = false;
    pthread_mutex_unlock(&w->lock);
    return !atomic_load(&w->stop);
}

static void *watch_thread(void *state)
{
    ex_watch *w = state;
    do {
        take_turn(w->x, w);
    } while (wait_for_work(w));
    return NULL;
}

mt_err ex_watches_open(ex_executor *x, const ex_executor_options *o, mt_buf *why)
{
    ex_witness_of *rows;
    size_t count;
    if (ex_witnesses_read(&x->arena, o, &rows, &count, ex_say_first, why)) {
        return MT_E_REJECTED;
    }
    if (x->origin.len && !lg_name_is_good(x->origin)) {
        mt_buf_addz(why, "origin: it is text without spaces, plus signs and control "
                         "characters");
        return MT_E_REJECTED;
    }
    x->witness_quorum = o->witness_quorum;
    x->watches = mt_new_array(&x->arena, ex_watch, count + 1);
    for (size_t i = 0; i < count; i++) {
        ex_watch *w = &x->watches[i];
        *w = (ex_watch){.x = x, .of = rows[i]};
        pthread_mutex_init(&w->lock, NULL);
        mt_cond_init(&w->more);
    }
    x->watch_count = count;
    return MT_OK;
}

mt_err ex_watches_start(ex_executor *x)
{
    for (size_t i = 0; i < x->watch_count; i++) {
        ex_watch *w = &x->watches[i];
        w->running = !pthread_create(&w->thread, NULL, watch_thread, w);
        if (!w->running) {
            return MT_E_BUSY;
        }
    }
    return MT_OK;
}

static void wake(ex_watch *w, bool stop)
{
    pthread_mutex_lock(&w->lock);
    w->news = true;
    if (stop) {
        atomic_store(&w->stop, true);
    }
    pthread_cond_signal(&w->more);
    pthread_mutex_unlock(&w->lock);
}

void ex_watches_wake(ex_executor *x)
{
    for (size_t i = 0; i < x->watch_count; i++) {
        wake(&x->watches[i], false);
    }
}

/* All are told before any is waited for. */
void ex_watches_close(ex_executor *x)
{
    for (size_t i = 0; i < x->watch_count; i++) {
        wake(&x->watches[i], true);
    }
    for (size_t i = 0; i < x->watch_count; i++) {
        ex_watch *w = &x->watches[i];
        if (w->running) {
            pthread_join(w->thread, NULL);
        }
        pthread_cond_destroy(&w->more);
        pthread_mutex_destroy(&w->lock);
        mt_buf_free(&w->fault);
    }
    x->watch_count = 0;
}

/* ---- For others ---- */

mt_err ex_cosigned_for(ex_executor *x, st_tx *tx, mt_arena *a, int64_t seq,
                       size_t quorum, lg_cosigned_note *out)
{
    lg_note_key *keys = mt_new_array(a, lg_note_key, x->watch_count + 1);
    lg_cosigners by = {keys, x->watch_count, quorum, ex_now(x) / 1000};
    for (size_t i = 0; i < x->watch_count; i++) {
        keys[i] = x->watches[i].of.key;
    }
    return ex_cosigned_find(tx, a, seq, false, &by, out);
}

size_t ex_witness_states(ex_executor *x, int64_t now_s, ex_witness_state *out,
                         size_t most)
{
    size_t count = x->watch_count < most ? x->watch_count : most;
    for (size_t i = 0; i < count; i++) {
        ex_watch *w = &x->watches[i];
        pthread_mutex_lock(&w->lock);
        out[i] = (ex_witness_state){
            .name = w->of.key.name,
            .size = w->size,
            .behind = w->wanted > w->size ? w->wanted - w->size : 0,
            .age_s = w->time ? (now_s > w->time ? now_s - w->time : 0) : -1,
            .failures = w->failures,
            .failing = w->fault.len != 0,
            .contradicts = w->alarm};
        pthread_mutex_unlock(&w->lock);
    }
    return count;
}

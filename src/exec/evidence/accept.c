/* exec/evidence/accept.c - an operator decides that the ledger is to be signed as it
 * is. Room: exec. For a ledger that does not go on from what its key signed (signer.h):
 * restored from an older copy, taken over from a standby that lagged behind, or known
 * to a key whose memory was lost. What is accepted is a whole chain: every record is
 * read and hashed again, and one that is not as it was written cannot be accepted.
 * Checkpoints that the records contradict are dropped, the head of the chain and the
 * roots of blocks are made anew, and a record says what was remembered, what was found,
 * what was dropped, and why. A key that a record adds and that no signature covers is
 * revoked. All of that is one transaction; then it is signed and remembered. After a
 * crash in between it is refused as before, and can be accepted again. May fail:
 * MT_E_DENIED and why, or the world. */
#include <time.h>

#include "base/vec.h"
#include "contract/wire/value.h"
#include "exec/evidence/record.h"
#include "exec/evidence/signer.h"
#include "ledger/keyring.h"

typedef struct point {
    int64_t size; /* of its row */
    mt_str text;
    bool good;
} point;

typedef struct accepting {
    const ex_signer *s;
    mt_str reason, found;
    mt_arena *a;
    mt_buf *why;
    ex_acceptance *out;
    st_tx *tx;
    lg_chain chain;
    lg_keyring ring;
    MT_VEC(point) points;
    size_t next; /* the first of them that was not reached */
    int64_t last_ms;
    mt_str domain; /* of the last record, as written in JSON */
    mt_str remembered;
} accepting;

static mt_err refuse(accepting *x, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static mt_err refuse(accepting *x, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mt_buf_addfv(x->why, format, args);
    va_end(args);
    return MT_E_DENIED;
}

/* ---- What is there ---- */

static mt_err take_point(void *state, int64_t size, mt_str text)
{
    accepting *x = state;
    text = mt_str_trim(text, MT_STR("\n"));
    point p = {.size = size, .text = mt_str_dup(x->a, text)};
    mt_vec_push(x->a, &x->points, p);
    return MT_OK;
}

/* Those over exactly the records so far. */
static void judge_points(accepting *x)
{
    for (; x->next < x->points.len; x->next++) {
        point *p = &x->points.items[x->next];
        lg_checkpoint c;
        if (p->size > (int64_t)x->chain.tree.size) {
            return;
        }
        p->good = p->size == (int64_t)x->chain.tree.size &&
                  !lg_checkpoint_read(x->a, p->text, &c) && lg_checkpoint_verify(&c) &&
                  lg_chain_agrees(&x->chain, &c) &&
                  !lg_keyring_checkpoint(&x->ring, &c, 0);
    }
}

/* A ledger with one bad record cannot be accepted at all: what it says behind that
 * record is nobody's word. */
static mt_err take_record(void *state, const st_record *row)
{
    accepting *x = state;
    unsigned long long due = x->chain.tree.size;
    lg_body body;
    lg_entry e = {.seq = (uint64_t)row->seq, .prev = x->chain.head, .body = row->body};
    if (row->hash.len == MT_SHA256_BYTES) {
        memcpy(e.hash.bytes, row->hash.ptr, MT_SHA256_BYTES);
    }
    /* Before it is known whether it is good: if not, nothing is committed. */
    mt_err err = ex_block_keep(x->tx, &x->chain, &e.hash);
    if (lg_chain_accept(&x->chain, &e) || !lg_body_check(row->body, &body) ||
        lg_keyring_record(&x->ring, e.seq, &body)) {
        return refuse(x,
                      "record %llu is missing or not as it was written: such a ledger "
                      "cannot be accepted; restore a copy of it",
                      due);
    }
    x->last_ms = row->time_ms;
    if (!mt_str_eq(x->domain, body.domain)) {
        x->domain = mt_str_dup(x->a, body.domain);
    }
    judge_points(x);
    return err;
}

/* The key must be one that signs this ledger. */
static mt_err check_key(accepting *x)
{
    const unsigned char *own = x->s->key->open.bytes;
    for (size_t i = 0; i < x->ring.len; i++) {
        const lg_key *k = &x->ring.items[i];
        if (memcmp(k->key.bytes, own, MT_SIGN_PUBLIC) == 0 && k->added) {
            return !k->revoked
                       ? MT_OK
                       : refuse(x,
                                "record %llu revokes this key; if nobody handed "
                                "over, restore a copy from before it",
                                (unsigned long long)k->revoked_at);
        }
    }
    return refuse(x, "this key does not sign this ledger, as its records say; a new "
                     "ledger begins with a key of its own, or with a memory of its own "
                     "(--signer-memory)");
}

/* Checkpoints before records, so that each record can be held against them on the way.
 */
static mt_err read_all(accepting *x)
{
    st_record_filter all = {0};
    st_ledger_bounds b;
    lg_keyring_give(&x->ring, &x->s->key->open);
    mt_err err = st_ledger_bounds_get(x->tx, &b);
    if (!err && b.first < 0) {
        err = refuse(x, "a record stands before the first one");
    }
    err = err ? err : st_checkpoint_walk(x->tx, INT64_MIN, INT64_MAX, take_point, x);
    err = err ? err : st_record_walk(x->tx, &all, (st_page){0}, take_record, x);
    if (!err && (uint64_t)b.end != x->chain.tree.size) {
        err = refuse(x, "a record stands far behind the last one");
    }
    return err ? err : check_key(x);
}

/* ---- What becomes of it ---- */

static void write_hash(mt_jw *w, const char *key, const mt_sha256 *hash)
{
    char hex[MT_SHA256_HEX];
    mt_hex(hash->bytes, MT_SHA256_BYTES, hex);
    mt_jw_key(w, mt_str_z(key));
    mt_jw_str(w, mt_str_from(hex, sizeof hex));
}

static void write_accepted(mt_jw *w, const lg_chain *c)
{
    mt_sha256 root = lg_frontier_root(&c->tree);
    mt_jw_keyz(w, "accepted");
    mt_jw_begin_object(w);
    write_hash(w, "head", &c->head);
    write_hash(w, "root", &root);
    mt_jw_key_i64(w, "size", (int64_t)c->tree.size);
    mt_jw_end_object(w);
}

/* Their number, and the text of the newest: the rest it covers. */
static void write_dropped(mt_jw *w, accepting *x)
{
    enum { TEXT_MOST = 2000 };
    const point *newest = NULL;
    for (size_t i = 0; i < x->points.len; i++) {
        newest = x->points.items[i].good ? newest : &x->points.items[i];
        x->out->dropped += !x->points.items[i].good;
    }
    mt_jw_keyz(w, "dropped");
    mt_jw_begin_object(w);
    mt_jw_key_i64(w, "count", (int64_t)x->out->dropped);
    if (newest && newest->text.len <= TEXT_MOST) {
        mt_jw_key_str(w, "newest", newest->text);
    }
    mt_jw_end_object(w);
}

/* The record of the decision: what is accepted, what was dropped, found and
 * remembered, and the operator's reason. */
static mt_buf write_body(accepting *x, int64_t now)
{
    mt_buf body = {0};
    char name[2 * MT_SIGN_PUBLIC];
    mt_hex(x->s->key->open.bytes, MT_SIGN_PUBLIC, name);
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    write_accepted(&w, &x->chain);
    write_dropped(&w, x);
    mt_jw_key_str(&w, "found", x->found);
    mt_jw_key_str(&w, "key", mt_str_from(name, sizeof name));
    mt_jw_key_str(&w, "kind", MT_STR("ledger_accepted"));
    mt_jw_key_str(&w, "reason", x->reason);
    if (x->remembered.len) {
        mt_jw_keyz(&w, "remembered");
        mt_jw_raw(&w, x->remembered);
    }
    mt_jw_keyz(&w, "time");
    ex_time_json(&w, now);
    if (x->domain.len) {
        mt_jw_keyz(&w, "trust_domain");
        mt_jw_raw(&w, x->domain);
    }
    mt_jw_end_object(&w);
    return body;
}

static int64_t time_now(const accepting *x)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    int64_t now = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
    return now > x->last_ms ? now : x->last_ms;
}

/* Frees the body. */
static mt_err append(accepting *x, const char *kind, int64_t now, mt_buf *body)
{
    mt_buf tail = {0};
    lg_chain before = x->chain;
    lg_entry e = lg_chain_append(&x->chain, mt_buf_str(body));
    st_record row = {.seq = (int64_t)e.seq,
                     .kind = mt_str_z(kind),
                     .time_ms = now,
                     .body = e.body,
                     .hash = {(const char *)e.hash.bytes, MT_SHA256_BYTES}};
    mt_err err = st_ledger_add(x->tx, &row, 1);
    err = err ? err : ex_block_keep(x->tx, &before, &e.hash);
    lg_chain_write(&tail, &x->chain);
    err = err ? err : st_ledger_set_tail(x->tx, row.seq + 1, mt_buf_str(&tail));
    x->out->record = row.seq;
    mt_buf_free(&tail);
    mt_buf_free(body);
    return err;
}

static mt_str plain_text(mt_arena *a, mt_str raw)
{
    mt_json text;
    return raw.len && !mt_json_read(a, raw, NULL, &text, NULL) ? mt_json_text(&text)
                                                               : MT_STR("");
}

/* Who signs for a record that adds a key vouches for it. Of those that nobody signed
 * for, nobody knows who added them. */
static mt_err revoke_strangers(accepting *x)
{
    int64_t now = time_now(x);
    char time[CT_TIME_TEXT];
    ct_time t = {now / 1000, (uint32_t)(now % 1000) * 1000000u};
    mt_str at = mt_str_from(time, ct_time_print(t, time));
    mt_err err = MT_OK;
    for (size_t i = 0; i < x->ring.len && !err; i++) {
        const lg_key *k = &x->ring.items[i];
        if (k->added && !k->trusted && !k->revoked) {
            mt_buf body = {0};
            lg_key_event(&body, true, &k->key, at, plain_text(x->a, x->domain),
                         MT_STR("nobody handed over to it"));
            err = append(x, "key_revoked", now, &body);
            x->out->revoked++;
        }
    }
    return err;
}

static mt_err append_decision(accepting *x)
{
    int64_t now = time_now(x);
    mt_buf body = write_body(x, now);
    return append(x, "ledger_accepted", now, &body);
}

static mt_err drop_points(accepting *x)
{
    mt_err err = MT_OK;
    for (size_t i = 0; i < x->points.len && !err; i++) {
        if (!x->points.items[i].good) {
            err = st_checkpoint_drop(x->tx, x->points.items[i].size);
        }
    }
    return err ? err : st_checkpoint_recount(x->tx);
}

/* ---- All of it ---- */

/* On a shared store only who could chain may do this; MT_E_BUSY while somebody else
 * does. */
static mt_err try_once(accepting *x)
{
    mt_err err = st_begin(x->s->store, ST_WRITE, &x->tx);
    if (err) {
        return err;
    }
    if (st_is_shared(x->s->store) && !st_try_lock(x->tx, EX_SEQUENCER)) {
        st_rollback(x->tx);
        return MT_E_BUSY;
    }
    err = read_all(x);
    err = err ? err : revoke_strangers(x);
    err = err ? err : append_decision(x);
    err = err ? err : drop_points(x);
    if (err) {
        st_rollback(x->tx);
        return err;
    }
    return st_commit(x->tx);
}

/* Another process may be chaining records just now. */
static mt_err accept_ledger(accepting *x)
{
    enum { TRIES = 500, PAUSE_NS = 20000000 };
    mt_err err = MT_E_BUSY;
    for (int i = 0; i < TRIES && (err == MT_E_BUSY || err == MT_E_CONFLICT); i++) {
        if (i) {
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
        }
        lg_keyring_free(&x->ring);
        x->chain = (lg_chain){0};
        x->points.len = x->next = x->out->dropped = x->out->revoked = 0;
        err = try_once(x);
    }
    return err;
}

static mt_str text_of(mt_arena *a, const lg_checkpoint *c)
{
    mt_buf text = {0};
    lg_checkpoint_write(&text, c);
    mt_str kept = mt_str_dup(a, mt_str_trim(mt_buf_str(&text), MT_STR("\n")));
    mt_buf_free(&text);
    return kept;
}

/* ORDER: first durable, then signed. Broken off in between, it is refused as before
 * and can be accepted again. */
static mt_err accept_and_sign(accepting *x)
{
    mt_err err = accept_ledger(x);
    if (!err) {
        ex_signer s = *x->s;
        ex_sight seen = {.end = x->chain};
        s.domain = plain_text(x->a, x->domain);
        err = ex_signer_sign(&s, &seen, x->why);
    }
    if (err && !x->why->len) {
        mt_buf_addf(x->why, "the ledger could not be accepted: %s", mt_err_text(err));
    }
    x->out->records = (int64_t)x->chain.tree.size - 1;
    lg_keyring_free(&x->ring);
    return err;
}

/* The memory will be replaced, so it must be one, and this key's: not the key's own
 * file, the store's, or another key's memory, named by mistake. */
static mt_err check_memory(const ex_signer *s, mt_arena *a, mt_buf *why)
{
    ex_memory m;
    mt_buf fault = {0};
    mt_err err = ex_memory_read(a, s->memory, &s->key->open, &m, &fault);
    bool good = !err || err == MT_E_NOTFOUND;
    if (!good) {
        mt_buf_addf(
            why,
            "%.*s: %s is not replaced; if it is a memory that was damaged, move "
            "it away, otherwise say where the memory is (--signer-memory)",
            MT_ARG(mt_buf_str(&fault)), s->memory);
    }
    mt_buf_free(&fault);
    return good ? MT_OK : MT_E_DENIED;
}

mt_err ex_ledger_accept(const ex_signer *s, mt_str reason, mt_arena *a,
                        ex_acceptance *out, mt_buf *why)
{
    mt_buf found = {0};
    ex_sight seen;
    *out = (ex_acceptance){0};
    mt_err err = check_memory(s, a, why);
    if (err) {
        return err;
    }
    err = ex_signer_look(s, true, a, &seen, &found);
    out->found = mt_str_dup(a, mt_buf_str(&found));
    mt_buf_free(&found);
    if (err != MT_E_DENIED) {
        out->nothing = !err;
        out->records = (int64_t)seen.end.tree.size;
        mt_buf_adds(why, out->found);
        return err;
    }
    accepting x = {
        .s = s, .reason = reason, .a = a, .why = why, .out = out, .found = out->found};
    if (seen.memory.point.size) {
        x.remembered = text_of(a, &seen.memory.point);
    }
    return accept_and_sign(&x);
}

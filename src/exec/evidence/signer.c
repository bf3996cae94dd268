/* exec/evidence/signer.c - see signer.h.
 *
 * Order of a look: the memory; the newest checkpoint in the store; the record the
 * memory ends with; every record behind it, hashed anew; the head of the chain. All of
 * the store in one reading transaction. When somebody else signed last, everything is
 * read: the key must have been handed on by this one, or it is a stranger's.
 *
 * INVARIANT: what is signed is computed from the memory and from records read here,
 * never taken from the store's own account of its end.
 *
 * May fail: the world (the store, the disk of the memory), or MT_E_DENIED when the
 * ledger is not the one that was signed. */
#include "exec/evidence/signer.h"

#include "base/vec.h"
#include "ledger/keyring.h"

typedef struct look {
    const ex_signer *s;
    st_tx *tx;
    mt_arena *a;
    mt_buf *why;
    ex_sight *out;
    lg_checkpoint newest; /* in the store */
    bool has_newest;
    bool whole;         /* every record is read */
    lg_chain at_newest; /* the chain there, when it was reached */
    lg_keyring ring;    /* of the records read */
    MT_VEC(lg_checkpoint)
    since;          /* the memory, in order, when another key signed last */
    size_t reached; /* of them */
} look;

static mt_err deny(look *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static mt_err deny(look *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mt_buf_addfv(l->why, format, args);
    va_end(args);
    return MT_E_DENIED;
}

static bool is_key(const mt_sign_public *a, const mt_sign_public *b)
{
    return b && memcmp(a->bytes, b->bytes, MT_SIGN_PUBLIC) == 0;
}

static bool is_own(const look *l, const lg_checkpoint *c)
{
    return is_key(&c->key, &l->s->key->open);
}

/* ---- Checkpoints ---- */

static mt_err read_memory(look *l)
{
    mt_err err =
        ex_memory_read(l->a, l->s->memory, &l->s->key->open, &l->out->memory, l->why);
    if (err == MT_E_NOTFOUND) {
        return deny(l, "this key is known to the ledger, but its memory is not there "
                       "(as after an upgrade, on a new node, or when a disk was lost): "
                       "what it signed cannot be compared");
    }
    return err ? MT_E_DENIED : MT_OK;
}

static mt_err refuse_point(void *state, int64_t size, mt_str text)
{
    (void)size;
    (void)text;
    return deny(state, "the newest checkpoint stands in the place of another");
}

/* The newest must be the one that stands at its own size: two rows that disagree are a
 * hint that one was put in. */
static mt_err read_newest(look *l)
{
    mt_str text;
    mt_err err = st_checkpoint_get(l->tx, l->a, -1, &text);
    l->has_newest = !err;
    if (err) {
        return err == MT_E_NOTFOUND ? MT_OK : err;
    }
    if (lg_checkpoint_read(l->a, mt_str_trim(text, MT_STR("\n")), &l->newest) ||
        !lg_checkpoint_verify(&l->newest)) {
        return deny(l, "the newest checkpoint is not one that was signed");
    }
    mt_str there = {0};
    err = st_checkpoint_get(l->tx, l->a, (int64_t)l->newest.size, &there);
    if (err == MT_E_NOTFOUND || (!err && !mt_str_eq(there, text))) {
        return refuse_point(l, 0, text);
    }
    return err ? err
               : st_checkpoint_walk(l->tx, (int64_t)l->newest.size, INT64_MAX,
                                    refuse_point, l);
}

static mt_err take_point(void *state, int64_t size, mt_str text)
{
    look *l = state;
    lg_checkpoint c;
    (void)size; /* its text says it, too, and is signed */
    if (!lg_checkpoint_read(l->a, mt_str_trim(text, MT_STR("\n")), &c) &&
        lg_checkpoint_verify(&c)) {
        mt_vec_push(l->a, &l->since, c);
    }
    return MT_OK;
}

/* This key has signed, and another one did since. */
static bool others_sign(const look *l)
{
    return l->has_newest && l->out->memory.point.size && !is_own(l, &l->newest);
}

/* Who signed since: one key may have handed on to the next. */
static mt_err read_since(look *l)
{
    return others_sign(l)
               ? st_checkpoint_walk(l->tx, (int64_t)l->out->memory.point.size,
                                    INT64_MAX, take_point, l)
               : MT_OK;
}

/* What can be said before any record is read. */
static mt_err compare_points(look *l)
{
    const lg_checkpoint *m = &l->out->memory.point, *n = &l->newest;
    bool own = l->has_newest && is_own(l, n);
    if (!m->size && own) {
        return deny(
            l,
            "the signer's memory says that this key has signed nothing, but the "
            "ledger has a checkpoint by it over %llu records",
            (unsigned long long)n->size);
    }
    l->out->signed_to = own && n->size > m->size ? n->size : m->size;
    l->out->missing = m->size && (!l->has_newest || n->size < m->size);
    bool same = memcmp(&n->root, &m->root, sizeof n->root) == 0 &&
                memcmp(&n->head, &m->head, sizeof n->head) == 0;
    if (m->size && l->has_newest && n->size == m->size && !same) {
        return deny(l,
                    "the checkpoint over %llu records is not the one this key signed",
                    (unsigned long long)m->size);
    }
    return MT_OK;
}

/* ---- Records ---- */

/* Whom the checkpoints behind the memory vouch for. */
static void take_since(look *l)
{
    const lg_chain *c = &l->out->end;
    for (; l->reached < l->since.len; l->reached++) {
        const lg_checkpoint *p = &l->since.items[l->reached];
        if (p->size > c->tree.size) {
            return;
        }
        if (lg_chain_agrees(c, p)) {
            (void)lg_keyring_checkpoint(&l->ring, p, 0);
        }
    }
}

/* When a checkpoint has just been reached. */
static mt_err compare_here(look *l)
{
    const lg_chain *c = &l->out->end;
    const lg_checkpoint *m = &l->out->memory.point;
    unsigned long long size = c->tree.size;
    if (m->size == c->tree.size && !lg_chain_agrees(c, m)) {
        return deny(l, "the first %llu records are not those this key signed", size);
    }
    if (m->size == c->tree.size) {
        (void)lg_keyring_checkpoint(&l->ring, m, 0);
    }
    take_since(l);
    if (!l->has_newest || l->newest.size != c->tree.size) {
        return MT_OK;
    }
    l->at_newest = *c;
    return lg_chain_agrees(c, &l->newest)
               ? MT_OK
               : deny(l, "the first %llu records do not agree with their checkpoint",
                      size);
}

/* Whoever signs for a record that adds a key vouches for that key, and with the key for
 * whatever it signs. So anyone who can write to the store could have a key of his own
 * vouched for, if it were signed like other records. */
static bool adds_stranger(const look *l, uint64_t seq, const lg_body *body)
{
    const ex_sight *out = l->out;
    uint64_t newest = l->has_newest ? l->newest.size : 0;
    if (!mt_str_is(body->kind, "\"key_added\"") || seq < out->memory.point.size ||
        seq < newest) {
        return false;
    }
    for (size_t i = 0; i < l->ring.len; i++) {
        const lg_key *k = &l->ring.items[i];
        if (k->added && k->added_at == seq) {
            return !is_key(&k->key, &l->s->key->open) && !is_key(&k->key, l->s->heir);
        }
    }
    return false;
}

/* Number, hash, form, keys: in this order, so that the sentence names the first thing
 * wrong. */
static mt_err take_record(void *state, const st_record *row)
{
    look *l = state;
    lg_chain *c = &l->out->end;
    unsigned long long due = c->tree.size;
    lg_body body;
    lg_entry e = {.seq = (uint64_t)row->seq, .prev = c->head, .body = row->body};
    if ((uint64_t)row->seq != due) {
        return deny(l, "record %llu is missing", due);
    }
    if (row->hash.len == MT_SHA256_BYTES) {
        memcpy(e.hash.bytes, row->hash.ptr, MT_SHA256_BYTES);
    }
    if (lg_chain_accept(c, &e) || !lg_body_check(row->body, &body) ||
        lg_keyring_record(&l->ring, e.seq, &body)) {
        return deny(l, "record %llu is not as it was written", due);
    }
    if (adds_stranger(l, e.seq, &body)) {
        return deny(
            l,
            "record %llu adds a key that nobody hands over to: whoever signs for "
            "it vouches for that key",
            due);
    }
    return compare_here(l);
}

/* The record the memory ends with, by its hash: it stands for all before it. */
static mt_err check_link(look *l)
{
    const lg_checkpoint *m = &l->out->memory.point;
    unsigned long long size = m->size;
    st_record last;
    mt_err err = st_record_at(l->tx, l->a, (int64_t)m->size - 1, &last);
    if (err == MT_E_NOTFOUND) {
        return deny(l,
                    "this key has signed for %llu records, and record %llu is missing",
                    size, size - 1);
    }
    bool same = !err && last.hash.len == MT_SHA256_BYTES &&
                memcmp(last.hash.ptr, m->head.bytes, MT_SHA256_BYTES) == 0;
    return err || same
               ? err
               : deny(l, "the first %llu records are not those this key signed", size);
}

/* From the memory's end if that is enough. From the beginning when the memory has no
 * chain, when others signed, or when it is short enough to be read whole for good
 * measure. */
static mt_err read_records(look *l, bool whole)
{
    const ex_memory *m = &l->out->memory;
    st_record_filter f = {0};
    int64_t size = 0;
    mt_str tail;
    mt_err err = st_ledger_tail(l->tx, l->a, &size, &tail);
    err = !err && m->point.size ? check_link(l) : err;
    whole = !m->has_chain || others_sign(l) || (whole && size <= EX_SIGNER_WHOLE);
    l->whole = whole;
    l->out->end = whole ? (lg_chain){0} : m->chain;
    f.from_seq = (int64_t)l->out->end.tree.size;
    return err ? err : st_record_walk(l->tx, &f, (st_page){0}, take_record, l);
}

/* ---- The end ---- */

static const lg_key *find_key(const look *l, const mt_sign_public *key)
{
    for (size_t i = 0; i < l->ring.len; i++) {
        if (is_key(&l->ring.items[i].key, key)) {
            return &l->ring.items[i];
        }
    }
    return NULL;
}

/* Another key may sign only after this one vouched for it (or for one that did) and a
 * record revoked this one. A record that does, though nobody signs since, is not a
 * hand-over, and a checkpoint by a stranger does not make it one: anyone who writes to
 * the store could add both. */
static mt_err compare_signer(look *l)
{
    ex_sight *out = l->out;
    bool begun = l->has_newest && out->memory.point.size;
    bool own = l->has_newest && is_own(l, &l->newest);
    const lg_key *mine = find_key(l, &l->s->key->open);
    const lg_key *heir = own || !begun ? NULL : find_key(l, &l->newest.key);
    out->revoked = mine && mine->revoked;
    if (begun && own && out->revoked) {
        return deny(l, "a record revokes this key, and no other key has signed since");
    }
    bool handed = out->revoked && heir && heir->trusted;
    return begun && !own && !handed
               ? deny(
                     l,
                     "the checkpoint over %llu records is signed by another key, which "
                     "this one did not hand over to",
                     (unsigned long long)l->newest.size)
               : MT_OK;
}

/* Of records that a walk from the first one on does not come to. */
static mt_err compare_bounds(look *l)
{
    st_ledger_bounds b;
    mt_err err = l->whole ? st_ledger_bounds_get(l->tx, &b) : MT_OK;
    if (err || !l->whole) {
        return err;
    }
    return b.first < 0 ? deny(l, "a record stands before the first one")
           : (uint64_t)b.end != l->out->end.tree.size
               ? deny(l, "a record stands far behind the last one")
               : MT_OK;
}

/* The store's own account of its end must be what the records add up to. */
static mt_err compare_end(look *l)
{
    ex_sight *out = l->out;
    mt_buf due = {0};
    int64_t size = 0;
    mt_str tail = {0};
    mt_err err = st_ledger_tail(l->tx, l->a, &size, &tail);
    unsigned long long end = out->end.tree.size;
    if (err) {
        return err;
    }
    if (l->has_newest && l->newest.size > end) {
        return deny(l, "a checkpoint is over %llu records, the ledger has %llu",
                    (unsigned long long)l->newest.size, end);
    }
    lg_chain_write(&due, &out->end);
    bool same = (uint64_t)size == end && mt_str_eq(tail, mt_buf_str(&due));
    mt_buf_free(&due);
    if (!same) {
        return deny(l, "the head of the chain says %lld records, and there are %llu%s",
                    (long long)size, end, (uint64_t)size == end ? " others" : "");
    }
    return compare_signer(l);
}

/* Another node with this key signed since: what it signed was compared, and from there
 * on the next look may begin. */
static void catch_up(look *l)
{
    ex_sight *out = l->out;
    bool behind = l->has_newest && is_own(l, &l->newest) &&
                  l->newest.size > out->memory.point.size;
    if (behind) {
        out->memory = (ex_memory){l->newest, l->at_newest, true};
    }
    out->behind = behind;
}

mt_err ex_signer_look(const ex_signer *s, bool whole, mt_arena *a, ex_sight *out,
                      mt_buf *why)
{
    *out = (ex_sight){0};
    look l = {.s = s, .a = a, .why = why, .out = out};
    lg_keyring_give(&l.ring, &s->key->open);
    mt_err err = read_memory(&l);
    err = err ? err : st_begin(s->store, ST_READ, &l.tx);
    err = err ? err : read_newest(&l);
    err = err ? err : compare_points(&l);
    err = err ? err : read_since(&l);
    err = err ? err : read_records(&l, whole);
    err = err ? err : compare_bounds(&l);
    err = err ? err : compare_end(&l);
    if (!err) {
        catch_up(&l);
    }
    st_rollback(l.tx);
    lg_keyring_free(&l.ring);
    return err;
}

/* ---- Signing ---- */

/* `again`: the count of checkpoints is taken anew, after some were dropped. */
static mt_err publish(const ex_signer *s, const ex_memory *m, bool again, mt_buf *why)
{
    mt_buf text = {0};
    st_tx *tx;
    lg_checkpoint_write(&text, &m->point);
    mt_err err = st_begin(s->store, ST_WRITE, &tx);
    if (!err) {
        err = st_checkpoint_add(tx, (int64_t)m->point.size, mt_buf_str(&text));
        err = !err && again ? st_checkpoint_recount(tx) : err;
        if (err) {
            st_rollback(tx);
        } else {
            err = st_commit(tx);
        }
    }
    mt_buf_free(&text);
    err = err == MT_E_EXISTS ? MT_OK : err; /* another node's; the next look compares */
    if (err) {
        mt_buf_addf(why, "the checkpoint cannot be stored: %s", mt_err_text(err));
    }
    return err;
}

mt_err ex_signer_put_back(const ex_signer *s, const ex_memory *m, mt_buf *why)
{
    return publish(s, m, true, why);
}

mt_err ex_signer_sign(const ex_signer *s, ex_sight *seen, mt_buf *why)
{
    ex_memory *m = &seen->memory;
    lg_checkpoint point = lg_chain_checkpoint(&seen->end, s->domain);
    lg_checkpoint_sign(&point, s->key);
    if (s->key->elsewhere && !lg_checkpoint_verify(&point)) {
        return MT_E_TIMEOUT; /* the memory stays */
    }
    *m = (ex_memory){.point = point, .chain = seen->end, .has_chain = true};
    mt_err err = ex_memory_write(s->memory, m, why);
    seen->signed_to = err ? seen->signed_to : m->point.size;
    return err ? err : publish(s, m, false, why);
}

/* exec/commit/keys.c - the ledger's trust domain and its keys, when a service starts.
 * Room: exec.
 * The key that signs is announced in the ledger (key_added) before it signs anything.
 * Another key takes over only with the help of the one before: that one signs for the
 * record that adds the new key and is then revoked, so whoever trusts the old key can
 * follow (ledger/keyring.h). Only durable records are signed, so this takes several
 * transactions; one that was interrupted goes on where it stopped when the service is
 * started again with the same two keys.
 * INVARIANT: a key has a memory (signer_memory.h) before the ledger knows the key. So a
 * memory that is missing for a known key was lost, and nothing is signed. */
#include <string.h>
#include <time.h>

#include "contract/wire/value.h"
#include "exec/commit/ledger.h"
#include "exec/commit/sign.h"
#include "exec/machine.h"
#include "ledger/keyring.h"
#include "os/key_file.h"

typedef struct opening {
    ex_executor *x;
    const ex_executor_options *options;
    st_tx *tx;
    mt_arena arena;
    lg_keyring ring;
    mt_sign_public signer; /* who signs now; see has_signer */
    bool has_signer;
    mt_buf *why;
} opening;

/* ---- The trust domain ---- */

/* A record without a domain was written before one was declared, and decides nothing.
 */
static mt_err take_domain(void *state, const st_record *row)
{
    opening *o = state;
    ex_executor *x = o->x;
    mt_json body;
    mt_str text = mt_str_dup(&o->arena, row->body);
    if (mt_json_read(&o->arena, text, NULL, &body, NULL)) {
        return MT_E_CORRUPT;
    }
    mt_str domain = mt_json_text(mt_json_at(&body, "trust_domain"));
    if (!domain.len || mt_str_eq(domain, x->trust_domain)) {
        return MT_OK;
    }
    mt_buf_addf(
        o->why,
        "the ledger is of trust domain '%.*s' and cannot go on as '%.*s': another "
        "domain is another deployment, with a store of its own",
        MT_ARG(domain), MT_ARG(x->trust_domain));
    return MT_E_DENIED;
}

/* What the newest record says. A domain may be declared later, never changed (E20). */
static mt_err check_domain(opening *o)
{
    st_record_filter newest = {.newest_first = true};
    return st_record_walk(o->tx, &newest, (st_page){.limit = 1}, take_domain, o);
}

/* ---- Keys ---- */

static mt_err take_event(void *state, const st_record *row)
{
    opening *o = state;
    lg_body body;
    return !lg_body_check(row->body, &body) ||
                   lg_keyring_record(&o->ring, (uint64_t)row->seq, &body)
               ? MT_E_CORRUPT
               : MT_OK;
}

/* Revoked keys never come back, so what was added can be read before what was revoked.
 */
static mt_err read_keys(opening *o)
{
    lg_keyring_free(&o->ring);
    st_record_filter added = {.kind = MT_STR("key_added")};
    st_record_filter revoked = {.kind = MT_STR("key_revoked")};
    st_page all = {.limit = UINT32_MAX};
    mt_err err = st_record_walk(o->tx, &added, all, take_event, o);
    return err ? err : st_record_walk(o->tx, &revoked, all, take_event, o);
}

static bool is_same(const mt_sign_public *a, const mt_sign_public *b)
{
    return memcmp(a->bytes, b->bytes, MT_SIGN_PUBLIC) == 0;
}

static const lg_key *find(const opening *o, const mt_sign_public *key)
{
    for (size_t i = 0; i < o->ring.len; i++) {
        if (is_same(&o->ring.items[i].key, key)) {
            return &o->ring.items[i];
        }
    }
    return NULL;
}

/* The key that signs now: the newest checkpoint's, else one that was announced. */
static void find_signer(opening *o)
{
    lg_checkpoint last;
    o->has_signer = !ex_last_checkpoint(o->tx, &o->arena, &last);
    o->signer = last.key;
    for (size_t i = o->ring.len; i > 0 && !o->has_signer; i--) {
        o->has_signer = !o->ring.items[i - 1].revoked;
        o->signer = o->ring.items[i - 1].key;
    }
}

/* Inside the transaction that is open; the record has its own time, not the group's,
 * since there is no group yet. */
static mt_err put_event(opening *o, bool revoked, const mt_sign_public *key,
                        mt_str reason)
{
    ex_executor *x = o->x;
    int64_t now = ex_now(x);
    char time[CT_TIME_TEXT];
    ct_time t = {now / 1000, (uint32_t)(now % 1000) * 1000000u};
    mt_buf body = {0};
    lg_key_event(&body, revoked, key, mt_str_from(time, ct_time_print(t, time)),
                 x->trust_domain, reason);
    mt_err err = ex_chain_put(x, o->tx, revoked ? "key_revoked" : "key_added", now,
                              mt_buf_str(&body));
    mt_buf_free(&body);
    return err;
}

/* One attempt, under the sequencer's lock: another process may have written it. */
static mt_err try_event(opening *o, bool revoked, const mt_sign_public *key,
                        mt_str reason)
{
    ex_executor *x = o->x;
    mt_err err = st_begin(x->store, ST_WRITE, &o->tx);
    if (err) {
        return err;
    }
    err = ex_chain_claim(x, o->tx, &o->arena);
    err = err ? err : read_keys(o);
    const lg_key *known = err ? NULL : find(o, key);
    bool there = known && (revoked ? known->revoked : known->added);
    err = err || there ? err : put_event(o, revoked, key, reason);
    if (err || there) {
        st_rollback(o->tx);
        return err;
    }
    return st_commit(o->tx);
}

static mt_err write_event(opening *o, bool revoked, const mt_sign_public *key,
                          mt_str reason)
{
    enum { TRIES = 500, PAUSE_NS = 20000000 };
    mt_err err = MT_E_BUSY;
    for (int i = 0; i < TRIES && (err == MT_E_BUSY || err == MT_E_CONFLICT); i++) {
        if (i) {
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
        }
        err = try_event(o, revoked, key, reason);
    }
    o->x->chain_known = false; /* what a failed attempt left of it */
    return err;
}

/* ---- Memories ---- */

/* Does the key remember that it signed something, or is there no telling? When the
 * memory's place was named, the key before it may still have its own there. */
static bool remembers(opening *o)
{
    ex_memory m = {0};
    mt_buf ignored = {0};
    bool handed = o->options->signer_memory && o->options->previous_key;
    mt_err err = ex_memory_read(&o->arena, o->x->memory, &o->x->key.open, &m, &ignored);
    mt_buf_free(&ignored);
    bool none = err == MT_E_NOTFOUND || (err == MT_E_CONFLICT && handed);
    return err ? !none : m.point.size != 0;
}

/* A key begins to be used. `replace`: a memory that is there is the key's before it. */
static mt_err begin_memory(opening *o, bool replace)
{
    ex_executor *x = o->x;
    ex_memory m = ex_memory_new(&x->key, x->trust_domain);
    if (!lg_checkpoint_verify(&m.point)) {
        ex_sign_why(x, o->why);
        return MT_E_IO;
    }
    return ex_memory_begin(x->memory, &m, replace, o->why);
}

/* ---- One key, or one after the other ---- */

/* Signs for what was just written. That the ledger is not the one this key signed does
 * not keep the service from starting: ex_sign_open() finds it again and says so. */
static mt_err sign_first(opening *o)
{
    mt_buf why = {0};
    ex_executor *x = o->x;
    mt_err err = ex_sign_with(x, &x->key, x->memory, &why);
    err = err == MT_E_DENIED ? MT_OK : err;
    mt_buf_adds(o->why, err ? mt_buf_str(&why) : (mt_str){0});
    mt_buf_free(&why);
    return err;
}

static mt_err first_key(opening *o)
{
    mt_err err = begin_memory(o, false);
    err = err ? err : write_event(o, false, &o->x->key.open, MT_STR("first key"));
    return err ? err : sign_first(o);
}

static mt_err sign_old(opening *o, const mt_sign_key *old, const char *memory)
{
    mt_buf why = {0};
    mt_err err = ex_sign_with(o->x, old, memory, &why);
    if (err) {
        mt_str reason = why.len ? mt_buf_str(&why) : mt_str_z(mt_err_text(err));
        mt_buf_addf(o->why, "the previous key signs no more: %.*s", MT_ARG(reason));
    }
    mt_buf_free(&why);
    return err;
}

/* The old key signs for the record that adds the new one, as its own memory lets it:
 * which is tried before anything is written. */
static mt_err vouch(opening *o, const mt_sign_key *old, const char *memory)
{
    mt_err err = sign_old(o, old, memory);
    err = err ? err : write_event(o, false, &o->x->key.open, MT_STR("handed over"));
    return err ? err : sign_old(o, old, memory);
}

/* ORDER: the old key vouches, the new one gets its memory, the old one is revoked, the
 * new one signs. Interrupted anywhere, the next start finds what is done and goes on.
 */
static mt_err hand_over(opening *o, const mt_sign_key *old)
{
    ex_executor *x = o->x;
    const ex_executor_options *options = o->options;
    const char *memory =
        ex_memory_path(&o->arena, options->signer_memory, options->previous_key);
    const lg_key *known = find(o, &old->open);
    mt_err err = known && known->revoked ? MT_OK : vouch(o, old, memory);
    err = err ? err : begin_memory(o, strcmp(memory, x->memory) == 0);
    err = err ? err : write_event(o, true, &old->open, MT_STR("handed over"));
    err = err ? err : sign_first(o);
    if (!err) {
        char name[MT_SIGN_NAME];
        mt_sign_name(&x->key.open, name);
        ex_log(x, 1, "key_handed_over", "the ledger is signed with key %s from now on",
               name);
    }
    return err;
}

/* Another key has signed until now. */
static mt_err take_over(opening *o)
{
    char name[MT_SIGN_NAME];
    mt_sign_key previous;
    const char *path = o->options->previous_key;
    mt_sign_name(&o->signer, name);
    if (!path) {
        mt_buf_addf(
            o->why,
            "the ledger is signed with another key (%s): start once with that key "
            "as the previous one to hand over",
            name);
        return MT_E_DENIED;
    }
    mt_err err = os_key_read(path, &previous, o->why);
    if (err) {
        return err;
    }
    if (!is_same(&previous.open, &o->signer)) {
        mt_buf_addf(o->why, "%s is not the key the ledger is signed with (%s)", path,
                    name);
        err = MT_E_DENIED;
    }
    err = err ? err : hand_over(o, &previous);
    mt_sign_wipe(&previous);
    return err;
}

/* Announces the key unless the ledger knows it. A key that remembers more than the
 * ledger says is left to ex_sign_open(). */
static mt_err settle_key(opening *o)
{
    const mt_sign_public *own = &o->x->key.open;
    const lg_key *known = find(o, own);
    if (known && known->revoked) {
        mt_buf_addf(o->why, "the signing key was revoked by record %llu",
                    (unsigned long long)known->revoked_at);
        return MT_E_DENIED;
    }
    bool taken = o->has_signer && !is_same(&o->signer, own);
    const lg_key *other = taken ? find(o, &o->signer) : NULL;
    bool unfinished = known && taken && !(other && other->revoked);
    if ((known && !unfinished) || remembers(o)) {
        return MT_OK;
    }
    return taken ? take_over(o) : first_key(o);
}

/* ---- Opening ---- */

/* Domain first: with another domain nothing else about the ledger matters. */
static mt_err look(opening *o)
{
    ex_executor *x = o->x;
    mt_err err = st_begin(x->store, ST_READ, &o->tx);
    if (err) {
        return err;
    }
    err = check_domain(o);
    err = err || !x->has_key ? err : read_keys(o);
    if (!err && x->has_key) {
        find_signer(o);
    }
    st_rollback(o->tx);
    return err;
}

/* Almost always there is nothing to write, and nobody is kept waiting. */
mt_err ex_keys_open(ex_executor *x, const ex_executor_options *options, mt_buf *why)
{
    opening o = {.x = x, .options = options, .why = why};
    mt_err err = look(&o);
    err = err || !x->has_key ? err : settle_key(&o);
    lg_keyring_free(&o.ring);
    mt_arena_free(&o.arena);
    if (err && !why->len) {
        mt_buf_addf(why, "the ledger cannot be opened: %s", mt_err_text(err));
    }
    if (!err && x->has_key) {
        ex_sign_open(x);
    }
    return err;
}

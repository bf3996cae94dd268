/* runtime/exec_keys.c - the ledger's trust domain and its keys, when a service starts.
 * Room: runtime.
 * The key that signs is announced in the ledger (key_added) before it signs anything.
 * Another key takes over only with the help of the one before: that one signs for the
 * record that adds the new key and is then revoked, all in one transaction, so whoever
 * trusts the old key can follow (ledger/keyring.h). */
#include <time.h>

#include "contract/wire/value.h"
#include "ledger/keyring.h"
#include "runtime/exec.h"
#include "runtime/key_file.h"

typedef struct opening {
    rt_executor *x;
    st_tx *tx;
    mt_arena arena;
    lg_keyring ring;
    const char *previous;
    mt_buf *why;
    bool may_write; /* otherwise it only looks whether it would */
    bool writes;
} opening;

/* ---- The trust domain -------------------------------------------------------------
 */

static mt_err take_domain(void *state, const st_record *row)
{
    opening *o = state;
    rt_executor *x = o->x;
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

/* ---- Keys -------------------------------------------------------------------------
 */

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
    st_record_filter added = {.kind = MT_STR("key_added")};
    st_record_filter revoked = {.kind = MT_STR("key_revoked")};
    st_page all = {.limit = UINT32_MAX};
    mt_err err = st_record_walk(o->tx, &added, all, take_event, o);
    return err ? err : st_record_walk(o->tx, &revoked, all, take_event, o);
}

static const lg_key *find(const opening *o, const mt_sign_public *key)
{
    for (size_t i = 0; i < o->ring.len; i++) {
        if (memcmp(o->ring.items[i].key.bytes, key->bytes, MT_SIGN_PUBLIC) == 0) {
            return &o->ring.items[i];
        }
    }
    return NULL;
}

/* The key that signs now: the newest checkpoint's, else one that was announced. */
static bool find_signer(opening *o, mt_sign_public *out)
{
    lg_checkpoint last;
    if (!rx_last_checkpoint(o->tx, &o->arena, &last)) {
        *out = last.key;
        return true;
    }
    for (size_t i = o->ring.len; i > 0; i--) {
        if (!o->ring.items[i - 1].revoked) {
            *out = o->ring.items[i - 1].key;
            return true;
        }
    }
    return false;
}

static mt_err put_event(opening *o, bool revoked, const mt_sign_public *key,
                        mt_str reason)
{
    rt_executor *x = o->x;
    int64_t now = rx_now(x);
    char time[CT_TIME_TEXT];
    ct_time t = {now / 1000, (uint32_t)(now % 1000) * 1000000u};
    mt_buf body = {0};
    lg_key_event(&body, revoked, key, mt_str_from(time, ct_time_print(t, time)),
                 x->trust_domain, reason);
    mt_err err = rx_chain_put(x, o->tx, revoked ? "key_revoked" : "key_added", now,
                              mt_buf_str(&body));
    mt_buf_free(&body);
    return err;
}

static mt_err first_key(opening *o)
{
    rt_executor *x = o->x;
    mt_err err = put_event(o, false, &x->key.open, MT_STR("first key"));
    return err ? err : rx_chain_sign(x, o->tx, &x->key);
}

static mt_err hand_over(opening *o, const mt_sign_key *previous)
{
    rt_executor *x = o->x;
    static const mt_str REASON = MT_STR_INIT("handed over");
    mt_err err = put_event(o, false, &x->key.open, REASON);
    err = err ? err : rx_chain_sign(x, o->tx, previous);
    err = err ? err : put_event(o, true, &previous->open, REASON);
    err = err ? err : rx_chain_sign(x, o->tx, &x->key);
    if (!err) {
        char name[RT_KEY_NAME];
        rt_key_name(&x->key.open, name);
        rx_log(x, 1, "key_handed_over", "the ledger is signed with key %s from now on",
               name);
    }
    return err;
}

/* Another key has signed until now. */
static mt_err take_over(opening *o, const mt_sign_public *signer)
{
    char name[RT_KEY_NAME];
    mt_sign_key previous;
    rt_key_name(signer, name);
    if (!o->previous) {
        mt_buf_addf(
            o->why,
            "the ledger is signed with another key (%s): start once with that key "
            "as the previous one to hand over",
            name);
        return MT_E_DENIED;
    }
    mt_err err = rt_key_read(o->previous, &previous, o->why);
    if (err) {
        return err;
    }
    if (memcmp(previous.open.bytes, signer->bytes, MT_SIGN_PUBLIC) != 0) {
        mt_buf_addf(o->why, "%s is not the key the ledger is signed with (%s)",
                    o->previous, name);
        err = MT_E_DENIED;
    }
    err = err ? err : hand_over(o, &previous);
    mt_sign_wipe(&previous);
    return err;
}

static mt_err check_keys(opening *o)
{
    const mt_sign_public *own = &o->x->key.open;
    mt_sign_public signer;
    mt_err err = read_keys(o);
    if (err) {
        return err;
    }
    const lg_key *known = find(o, own);
    if (known && known->revoked) {
        mt_buf_addf(o->why, "the signing key was revoked by record %llu",
                    (unsigned long long)known->revoked_at);
        return MT_E_DENIED;
    }
    if (known) {
        return MT_OK;
    }
    bool taken = find_signer(o, &signer) &&
                 memcmp(signer.bytes, own->bytes, MT_SIGN_PUBLIC) != 0;
    o->writes = true;
    return !o->may_write ? MT_OK : taken ? take_over(o, &signer) : first_key(o);
}

/* ---- Opening ----------------------------------------------------------------------
 */

/* One attempt. MT_E_BUSY: another process chains records just now. */
static mt_err attempt(opening *o)
{
    rt_executor *x = o->x;
    mt_err err = st_begin(x->store, o->may_write ? ST_WRITE : ST_READ, &o->tx);
    if (err) {
        return err;
    }
    err = o->may_write ? rx_chain_claim(x, o->tx, &o->arena) : MT_OK;
    err = err ? err : check_domain(o);
    err = err || !x->has_key ? err : check_keys(o);
    if (!err && o->may_write && o->writes) {
        return st_commit(o->tx);
    }
    st_rollback(o->tx);
    return err;
}

/* *writes: is there anything to write? Then it was, if it might be. */
static mt_err open_keys(rt_executor *x, const char *previous, mt_buf *why,
                        bool may_write, bool *writes)
{
    opening o = {.x = x, .previous = previous, .why = why, .may_write = may_write};
    mt_err err = attempt(&o);
    *writes = o.writes;
    lg_keyring_free(&o.ring);
    mt_arena_free(&o.arena);
    return err;
}

/* Almost always there is nothing to write, and nobody is kept waiting. */
mt_err rx_keys_open(rt_executor *x, const char *previous, mt_buf *why)
{
    enum { TRIES = 500, PAUSE_NS = 20000000 };
    bool writes;
    mt_err err = open_keys(x, previous, why, false, &writes);
    for (int i = 0; !err && writes && i < TRIES; i++) {
        err = open_keys(x, previous, why, true, &writes);
        bool again = (err == MT_E_BUSY || err == MT_E_CONFLICT) && i + 1 < TRIES;
        if (again) {
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
        }
        writes = again;
        err = again ? MT_OK : err;
    }
    x->chain_known = false; /* what a failed attempt left of it */
    if (err && !why->len) {
        mt_buf_addf(why, "the ledger cannot be opened: %s", mt_err_text(err));
    }
    return err;
}

/* ledger/keyring.c - which keys may sign checkpoints, as far as the records say so.
 *
 * A key is trusted because somebody outside gave it (lg_keyring_give()), or because a
 * record added it and a checkpoint by a trusted key covers that record. Records only
 * say that a key was added or revoked; they count when a signature vouches for them.
 * So the order is: records come in by lg_keyring_record() as they are verified, and
 * each checkpoint by lg_keyring_checkpoint() at the place where it stands.
 *
 * Without any key from outside the first checkpoint's key is believed, and the verdict
 * says so (`believed`): the file then agrees with itself, and with nothing else.
 *
 * Invariants: a key revoked at record n may sign up to n records and no further; a
 * revoked key stays revoked; there are at most LG_KEYS_MOST keys, so a hostile ledger
 * cannot make the ring large. Faults are static sentences, NULL for none. The list is
 * on the heap, freed by lg_keyring_free(). */
#include "ledger/keyring.h"

#include <stdlib.h>

#include "base/json_write.h"

void lg_keyring_free(lg_keyring *r)
{
    free(r->items);
    *r = (lg_keyring){0};
}

static lg_key *find(const lg_keyring *r, const mt_sign_public *key)
{
    for (size_t i = 0; i < r->len; i++) {
        if (memcmp(r->items[i].key.bytes, key->bytes, MT_SIGN_PUBLIC) == 0) {
            return &r->items[i];
        }
    }
    return NULL;
}

/* The key's entry, a new one if need be; NULL when there are too many. */
static lg_key *entry_of(lg_keyring *r, const mt_sign_public *key)
{
    lg_key *known = find(r, key);
    if (known || r->len == LG_KEYS_MOST) {
        return known;
    }
    if (r->len == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 8;
        r->items = mt_xrealloc(r->items, mt_array_bytes(r->cap, sizeof *r->items));
    }
    r->items[r->len] = (lg_key){.key = *key};
    return &r->items[r->len++];
}

void lg_keyring_give(lg_keyring *r, const mt_sign_public *key)
{
    lg_key *k = entry_of(r, key);
    if (k) {
        k->trusted = true;
    }
}

/* ---- records ---- */

static bool read_key(mt_str raw, mt_sign_public *out)
{
    if (raw.len != 2 * MT_SIGN_PUBLIC + 2 || raw.ptr[0] != '"') {
        return false;
    }
    return mt_unhex_lower(mt_str_from(raw.ptr + 1, raw.len - 2), out->bytes,
                          MT_SIGN_PUBLIC);
}

static const char *add(lg_key *k, uint64_t seq)
{
    if (k->revoked) {
        return "a revoked key is added again";
    }
    k->added_at = k->added ? k->added_at : seq;
    k->added = true;
    return NULL;
}

static const char *revoke(lg_key *k, uint64_t seq)
{
    k->revoked_at = k->revoked ? k->revoked_at : seq;
    k->revoked = true;
    return NULL;
}

const char *lg_keyring_record(lg_keyring *r, uint64_t seq, const lg_body *body)
{
    bool added = mt_str_is(body->kind, "\"key_added\"");
    mt_sign_public key;
    if (!added && !mt_str_is(body->kind, "\"key_revoked\"")) {
        return NULL;
    }
    if (!read_key(body->key, &key)) {
        return "a key record names no key";
    }
    lg_key *k = entry_of(r, &key);
    if (!k) {
        return "the ledger has too many keys";
    }
    return added ? add(k, seq) : revoke(k, seq);
}

void lg_key_event(mt_buf *out, bool revoked, const mt_sign_public *key, mt_str time,
                  mt_str domain, mt_str reason)
{
    char hex[2 * MT_SIGN_PUBLIC];
    mt_hex(key->bytes, MT_SIGN_PUBLIC, hex);
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "key", mt_str_from(hex, sizeof hex));
    mt_jw_key_str(&w, "kind", revoked ? MT_STR("key_revoked") : MT_STR("key_added"));
    if (reason.len) {
        mt_jw_key_str(&w, "reason", reason);
    }
    mt_jw_key_str(&w, "time", time);
    if (domain.len) {
        mt_jw_key_str(&w, "trust_domain", domain);
    }
    mt_jw_end_object(&w);
}

/* ---- checkpoints ---- */

/* Is any key trusted yet? If not, the first one that signs is believed. */
static bool has_root(const lg_keyring *r)
{
    for (size_t i = 0; i < r->len; i++) {
        if (r->items[i].trusted) {
            return true;
        }
    }
    return false;
}

/* A trusted key spoke for the first `size` records: what they add is trusted too. */
static void attest(lg_keyring *r, uint64_t size)
{
    r->any = true;
    r->attested = size > r->attested ? size : r->attested;
    r->unvouched = 0;
    for (size_t i = 0; i < r->len; i++) {
        lg_key *k = &r->items[i];
        k->trusted = k->trusted || (k->added && k->added_at < size);
    }
}

const char *lg_keyring_checkpoint(lg_keyring *r, const lg_checkpoint *c, uint64_t line)
{
    if (!has_root(r)) {
        r->believed = true;
        lg_keyring_give(r, &c->key);
    }
    const lg_key *k = find(r, &c->key);
    if (!k || !(k->trusted || k->added)) {
        return "a checkpoint is signed by another key";
    }
    if (k->revoked && k->revoked_at < c->size) {
        return "a checkpoint is signed by a key that was revoked before";
    }
    if (k->trusted) {
        attest(r, c->size);
    } else if (!r->unvouched) {
        r->unvouched = line;
    }
    return NULL;
}

const char *lg_keyring_end(const lg_keyring *r)
{
    if (r->unvouched) {
        return "a checkpoint is signed by a key that no trusted key vouches for";
    }
    return has_root(r) && !r->any ? "no checkpoint is signed by a trusted key" : NULL;
}

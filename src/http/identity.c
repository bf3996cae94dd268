/* http/identity.c - somebody whom another vouches for, and the tokens that are
 * believed.
 * Room: http. An identity is copied once and never changes but for `ended`, so
 * threads read it without a lock; whoever drops it last frees it. Whoever holds one
 * for long asks again whether it still lives: so the end of a session also reaches
 * streams that were admitted before.
 * The memory of tokens is keyed by their SHA-256: a dump of the process must not
 * yield tokens that are good. One lock, held for a look-up only; signatures are
 * checked outside of it. Nothing here can fail. */
#include "http/identity.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"

/* What one node remembers. Whoever sends more good tokens than that makes us check
 * signatures again, which costs time and nothing else. */
enum { MOST = 4096 };

struct ht_identity {
    atomic_uint holders;
    atomic_bool ended;
    mt_arena arena;
    ex_caller caller;
    int64_t until_ms;
};

static const mt_str *copy(mt_arena *a, const mt_str *list, size_t count)
{
    mt_str *to = mt_new_array(a, mt_str, count);
    for (size_t i = 0; i < count; i++) {
        to[i] = mt_str_dup(a, list[i]);
    }
    return to;
}

ht_identity *ht_identity_new(const au_identity *who, ex_known_by by)
{
    ht_identity *i = mt_xmalloc(sizeof *i);
    const au_grants *g = &who->grants;
    *i = (ht_identity){.until_ms = who->until_ms};
    atomic_init(&i->holders, 1);
    atomic_init(&i->ended, false);
    i->caller = (ex_caller){.id = mt_str_dup(&i->arena, who->id),
                            .name = mt_str_dup(&i->arena, who->name),
                            .by = by,
                            .actor = who->human ? EX_ACTOR_HUMAN : EX_ACTOR_MACHINE,
                            .personas = copy(&i->arena, g->personas, g->persona_count),
                            .persona_count = g->persona_count,
                            .rights = copy(&i->arena, g->rights, g->right_count),
                            .right_count = g->right_count};
    return i;
}

ht_identity *ht_identity_hold(ht_identity *i)
{
    atomic_fetch_add(&i->holders, 1);
    return i;
}

void ht_identity_drop(ht_identity *i)
{
    if (i && atomic_fetch_sub(&i->holders, 1) == 1) {
        mt_arena_free(&i->arena);
        free(i);
    }
}

const ex_caller *ht_identity_caller(const ht_identity *i)
{
    return &i->caller;
}

bool ht_identity_lives(const ht_identity *i, int64_t now_ms)
{
    return now_ms < i->until_ms && !atomic_load(&i->ended);
}

void ht_identity_end(ht_identity *i)
{
    atomic_store(&i->ended, true);
}

/* ---- Tokens that are believed ---- */

struct ht_believed {
    pthread_mutex_t lock;
    mt_arena arena;
    mt_map known; /* digest -> ht_identity */
};

ht_believed *ht_believed_new(void)
{
    ht_believed *b = mt_xmalloc(sizeof *b);
    *b = (ht_believed){0};
    pthread_mutex_init(&b->lock, NULL);
    return b;
}

static void forget(ht_believed *b)
{
    for (uint32_t i = 0; i < b->known.len; i++) {
        ht_identity_drop((ht_identity *)b->known.entries[i].value);
    }
    b->known = (mt_map){0};
    mt_arena_reset(&b->arena);
}

void ht_believed_forget(ht_believed *b)
{
    pthread_mutex_lock(&b->lock);
    forget(b);
    pthread_mutex_unlock(&b->lock);
}

void ht_believed_free(ht_believed *b)
{
    if (b) {
        forget(b);
        mt_arena_free(&b->arena);
        pthread_mutex_destroy(&b->lock);
        free(b);
    }
}

static mt_str digest_of(mt_str token, mt_sha256 *room)
{
    *room = mt_sha256_of(token);
    return mt_str_from((const char *)room->bytes, MT_SHA256_BYTES);
}

ht_identity *ht_believed_find(ht_believed *b, mt_str token, int64_t now_ms)
{
    mt_sha256 room;
    mt_str key = digest_of(token, &room);
    pthread_mutex_lock(&b->lock);
    ht_identity *i = (ht_identity *)mt_map_get(&b->known, key, 0);
    i = i && ht_identity_lives(i, now_ms) ? ht_identity_hold(i) : NULL;
    pthread_mutex_unlock(&b->lock);
    return i;
}

void ht_believed_add(ht_believed *b, mt_str token, ht_identity *i)
{
    mt_sha256 room;
    mt_str key = digest_of(token, &room);
    bool added;
    pthread_mutex_lock(&b->lock);
    /* All at once: an arena cannot give back one entry. Identities in use are held
     * by their requests and outlive this. */
    if (b->known.len >= MOST) {
        forget(b);
    }
    mt_map_entry *e =
        mt_map_add(&b->arena, &b->known, mt_str_dup(&b->arena, key), &added);
    /* Two requests with one new token checked it at the same time; the later stays. */
    if (!added) {
        ht_identity_drop((ht_identity *)e->value);
    }
    e->value = (uintptr_t)ht_identity_hold(i);
    pthread_mutex_unlock(&b->lock);
}

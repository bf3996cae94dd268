/* base/map.c - texts to values, in the order they were added.
 * Room: base. Entries stand in a row, as they came, so walking a map gives the same
 * order in every run though the hash differs; slots have the number of an entry + 1
 * and are probed one after the other. At most three quarters of them are used, so a
 * probe ends soon. Nothing is ever taken out.
 * The hash is keyed: whoever chooses names cannot choose which of them collide.
 * INVARIANT: no result may depend on a hash value. Pointers to entries are good
 * until the next one is added. Memory is the arena's; an old table stays there until
 * the arena ends. */
#include "base/map.h"

#include <sys/random.h>

/* A multiply-and-fold hash (64x64 -> 128 bits, halves xored) over 8-byte words with two
 * secret words. Short identifiers, our usual key, cost two multiplications. */

__extension__ typedef unsigned __int128 u128;

/* Without entropy the hash still works, it is only predictable. */
static uint64_t secret[2] = {0x9e3779b97f4a7c15u, 0xd1b54a32d192ed03u};

/* Before main(), so that no call has to ask whether it was done. */
__attribute__((constructor)) static void draw_secret(void)
{
    uint64_t drawn[2];
    if (getrandom(drawn, sizeof drawn, GRND_NONBLOCK) == (ssize_t)sizeof drawn) {
        /* A multiplication by zero would hash everything to one value. */
        secret[0] = drawn[0] | 1;
        secret[1] = drawn[1] | 1;
    }
}

static uint64_t fold(uint64_t a, uint64_t b)
{
    u128 product = (u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load64(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

static uint64_t load32(const char *p)
{
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* The last 0..8 bytes as one word, different for different bytes of one length; `len`
 * enters the hash separately. The loads overlap, which is cheaper than a loop. */
static uint64_t load_tail(const char *p, size_t len)
{
    if (len >= 4) {
        return load32(p) << 32 | load32(p + len - 4);
    }
    if (!len) {
        return 0;
    }
    const unsigned char *u = (const unsigned char *)p;
    return (uint64_t)u[0] << 16 | (uint64_t)u[len / 2] << 8 | u[len - 1];
}

uint64_t mt_hash(mt_str s)
{
    uint64_t h = secret[0] ^ s.len;
    const char *p = s.ptr;
    size_t left = s.len;
    for (; left > 8; p += 8, left -= 8) {
        h = fold(h ^ load64(p), secret[1]);
    }
    h = fold(h ^ load_tail(p, left), secret[1]);
    return fold(h, secret[0]);
}

/* The slot of `key`, or the free slot where it belongs. */
static uint32_t *slot_of(const mt_map *m, mt_str key, uint32_t hash)
{
    for (uint32_t at = hash & m->mask;; at = (at + 1) & m->mask) {
        uint32_t *slot = &m->slots[at];
        if (!*slot) {
            return slot;
        }
        const mt_map_entry *e = &m->entries[*slot - 1];
        if (e->hash == hash && mt_str_eq(e->key, key)) {
            return slot;
        }
    }
}

void mt_map_reserve(mt_arena *a, mt_map *m, uint32_t count)
{
    if (count <= m->cap) {
        return;
    }
    MT_ASSERT(count <= UINT32_MAX / 4);
    uint32_t slots = 16;
    while (slots / 4 * 3 < count) {
        slots *= 2;
    }
    uint32_t cap = slots / 4 * 3;
    mt_map_entry *entries = mt_alloc(a, mt_array_bytes(cap, sizeof *entries));
    if (m->len) {
        memcpy(entries, m->entries, m->len * sizeof *entries);
    }
    m->entries = entries;
    m->slots = mt_new_array(a, uint32_t, slots);
    m->cap = cap;
    m->mask = slots - 1;
    for (uint32_t i = 0; i < m->len; i++) {
        *slot_of(m, entries[i].key, entries[i].hash) = i + 1;
    }
}

mt_map_entry *mt_map_find(const mt_map *m, mt_str key)
{
    if (!m->len) {
        return NULL;
    }
    uint32_t slot = *slot_of(m, key, (uint32_t)mt_hash(key));
    return slot ? &m->entries[slot - 1] : NULL;
}

mt_map_entry *mt_map_add(mt_arena *a, mt_map *m, mt_str key, bool *added)
{
    if (m->len == m->cap) {
        mt_map_reserve(a, m, m->cap ? m->cap * 2 : 12);
    }
    uint32_t hash = (uint32_t)mt_hash(key);
    uint32_t *slot = slot_of(m, key, hash);
    *added = !*slot;
    if (*added) {
        m->entries[m->len] = (mt_map_entry){.key = key, .hash = hash};
        *slot = ++m->len;
    }
    return &m->entries[*slot - 1];
}

void mt_map_put(mt_arena *a, mt_map *m, mt_str key, uintptr_t value)
{
    bool added;
    mt_map_add(a, m, key, &added)->value = value;
}

uintptr_t mt_map_get(const mt_map *m, mt_str key, uintptr_t otherwise)
{
    const mt_map_entry *e = mt_map_find(m, key);
    return e ? e->value : otherwise;
}

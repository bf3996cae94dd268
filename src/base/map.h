/* base/map.h - string keys to a word, iterated in insertion order.
 * Room: base. May include base/ only.
 * The hash is keyed per process, so hostile keys cannot be made to collide; no output
 * may depend on it, and none can, because iteration follows insertion.
 * Ownership: keys are borrowed; entries and table live in the arena given to put. */
#ifndef MT_BASE_MAP_H
#define MT_BASE_MAP_H

#include "base/str.h"

typedef struct mt_map_entry {
    mt_str key;
    uint32_t hash; /* keyed, so that nobody can make them collide */
    uintptr_t value;
} mt_map_entry;

/* An all-zero mt_map is empty. Walk entries[0 .. len). */
typedef struct mt_map {
    mt_map_entry *entries; /* in the order they were added */
    uint32_t *slots;       /* entry index + 1, 0 when free; open addressing */
    uint32_t len, cap, mask;
} mt_map;

/* The process-keyed hash. */
uint64_t mt_hash(mt_str s);

/* The entry for `key`, NULL if absent. */
mt_map_entry *mt_map_find(const mt_map *m, mt_str key);
/* Finds or adds; *added says which. A new entry has value 0. */
mt_map_entry *mt_map_add(mt_arena *a, mt_map *m, mt_str key, bool *added);
/* Adds or replaces. */
void mt_map_put(mt_arena *a, mt_map *m, mt_str key, uintptr_t value);
/* The value for `key`, or `otherwise`. */
uintptr_t mt_map_get(const mt_map *m, mt_str key, uintptr_t otherwise);
/* Makes room for `count` entries at once. */
void mt_map_reserve(mt_arena *a, mt_map *m, uint32_t count);

#endif

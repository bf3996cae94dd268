/* host/graph_lanes.c - lanes in a table of pointers.
 *
 * Open addressing over the keyed hash, grown by half full; names of context keys are
 * kept once for all lanes and told apart by number. Values are looked for one by one: a
 * graph writes few keys. Lanes in which something waits are a heap, too, so that which
 * is due is known without a look at a million. Nothing can fail. */
#include "host/graph_lanes.h"

#include <stdlib.h>

#include "base/map.h"

typedef struct ho_lane_slot {
    gr_value value; /* text and series are the slot's own */
    uint32_t name;  /* index into `names` */
} ho_lane_slot;

typedef struct waiting {
    gr_time due;
    ho_lane *lane; /* whose `waits` is this place */
} waiting;

struct ho_lanes {
    mt_arena arena; /* names */
    mt_map names;
    ho_lane **table;
    size_t mask, count; /* mask + 1 places, 0: none */
    waiting *heap;      /* the first at 0 */
    uint32_t waiting, heap_cap;
};

ho_lanes *ho_lanes_new(void)
{
    ho_lanes *all = mt_xmalloc(sizeof *all);
    *all = (ho_lanes){0};
    return all;
}

/* ---- the table ---- */

static mt_str key_of(const ho_lane *lane)
{
    return mt_str_from(lane->key, lane->key_len);
}

/* Where the lane stands, or the free place for it. */
static ho_lane **place_of(const ho_lanes *all, mt_str key)
{
    size_t i = mt_hash(key) & all->mask;
    while (all->table[i] && !mt_str_eq(key_of(all->table[i]), key)) {
        i = (i + 1) & all->mask;
    }
    return &all->table[i];
}

static void grow(ho_lanes *all)
{
    ho_lanes old = *all;
    size_t places = old.table ? (old.mask + 1) * 2 : 16;
    all->table = mt_xmalloc(mt_array_bytes(places, sizeof *all->table));
    memset(all->table, 0, places * sizeof *all->table);
    all->mask = places - 1;
    for (size_t i = 0; old.table && i <= old.mask; i++) {
        if (old.table[i]) {
            *place_of(all, key_of(old.table[i])) = old.table[i];
        }
    }
    free(old.table);
}

ho_lane *ho_lane_of(ho_lanes *all, mt_str key)
{
    if (!all->table || all->count * 2 > all->mask) {
        grow(all);
    }
    ho_lane **place = place_of(all, key);
    if (!*place) {
        ho_lane *lane = mt_xmalloc(sizeof *lane + key.len);
        *lane = (ho_lane){.all = all, .key_len = (uint32_t)key.len};
        memcpy(lane->key, key.ptr, key.len);
        *place = lane;
        all->count++;
    }
    return *place;
}

size_t ho_lanes_count(const ho_lanes *all)
{
    return all->count;
}

static void *block_of(const gr_value *v)
{
    return v->type == GR_SERIES   ? (void *)(uintptr_t)v->as.series
           : v->type == GR_STRING ? (void *)(uintptr_t)v->as.text
                                  : NULL;
}

static void free_lane(ho_lane *lane)
{
    for (uint32_t i = 0; i < lane->slot_count; i++) {
        free(block_of(&lane->slots[i].value));
    }
    gr_supervisor_free(lane->supervisor);
    ho_windows_free(lane->windows);
    free(lane->slots);
    free(lane);
}

void ho_lanes_free(ho_lanes *all)
{
    if (all) {
        for (size_t i = 0; all->table && i <= all->mask; i++) {
            if (all->table[i]) {
                free_lane(all->table[i]);
            }
        }
        free(all->table);
        free(all->heap);
        mt_arena_free(&all->arena);
        free(all);
    }
}

/* ---- which waits ---- */

static bool before(const waiting *a, const waiting *b)
{
    int order = gr_time_cmp(a->due, b->due);
    return order ? order < 0 : mt_str_cmp(key_of(a->lane), key_of(b->lane)) < 0;
}

static void set_place(ho_lanes *all, uint32_t at, waiting w)
{
    all->heap[at] = w;
    w.lane->waits = at + 1;
}

/* Puts it where it belongs: up from there, or else down. */
static void settle(ho_lanes *all, uint32_t at, waiting w)
{
    while (at && before(&w, &all->heap[(at - 1) / 2])) {
        set_place(all, at, all->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    for (uint32_t child; (child = 2 * at + 1) < all->waiting; at = child) {
        child += child + 1 < all->waiting &&
                 before(&all->heap[child + 1], &all->heap[child]);
        if (!before(&all->heap[child], &w)) {
            break;
        }
        set_place(all, at, all->heap[child]);
    }
    set_place(all, at, w);
}

static void leave(ho_lane *lane)
{
    ho_lanes *all = lane->all;
    uint32_t at = lane->waits - 1;
    waiting last = all->heap[--all->waiting];
    lane->waits = 0;
    if (last.lane != lane) {
        settle(all, at, last);
    }
}

static void join(ho_lane *lane)
{
    ho_lanes *all = lane->all;
    if (all->waiting == all->heap_cap) {
        all->heap_cap = all->heap_cap ? all->heap_cap * 2 : 16;
        all->heap =
            mt_xrealloc(all->heap, mt_array_bytes(all->heap_cap, sizeof *all->heap));
    }
    lane->waits = ++all->waiting;
}

void ho_lane_waits(ho_lane *lane)
{
    gr_next_release next;
    if (!lane->supervisor || !gr_supervisor_next(lane->supervisor, &next)) {
        if (lane->waits) {
            leave(lane);
        }
        return;
    }
    if (!lane->waits) {
        join(lane);
    }
    settle(lane->all, lane->waits - 1, (waiting){next.may_run_at, lane});
}

ho_lane *ho_lanes_first(const ho_lanes *all)
{
    return all->waiting ? all->heap[0].lane : NULL;
}

/* ---- the context of one ---- */

static ho_lane_slot *slot_of(const ho_lane *lane, uint32_t name)
{
    for (uint32_t i = 0; i < lane->slot_count; i++) {
        if (lane->slots[i].name == name) {
            return &lane->slots[i];
        }
    }
    return NULL;
}

static const gr_value *lane_get(void *state, mt_str key)
{
    const ho_lane *lane = state;
    const mt_map_entry *e = mt_map_find(&lane->all->names, key);
    const ho_lane_slot *slot = e ? slot_of(lane, (uint32_t)e->value) : NULL;
    return slot ? &slot->value : NULL;
}

static uint32_t name_of(ho_lanes *all, mt_str key)
{
    bool added;
    mt_map_entry *e = mt_map_find(&all->names, key);
    if (!e) {
        e = mt_map_add(&all->arena, &all->names, mt_str_dup(&all->arena, key), &added);
        e->value = all->names.len - 1;
    }
    return (uint32_t)e->value;
}

/* The copy is made before the old one goes: it may be made from it. */
static gr_value own_copy(const gr_value *v)
{
    gr_value copy = *v;
    size_t bytes = v->type == GR_SERIES   ? v->len * sizeof(double)
                   : v->type == GR_STRING ? v->len
                                          : 0;
    void *block = bytes ? mt_xmalloc(bytes) : NULL;
    if (bytes) {
        memcpy(block, block_of(v), bytes);
    }
    if (v->type == GR_SERIES) {
        copy.as.series = block;
    } else if (v->type == GR_STRING) {
        copy.as.text = block;
    }
    return copy;
}

static mt_err lane_apply(void *state, const gr_effect_write *writes, size_t count)
{
    ho_lane *lane = state;
    for (size_t i = 0; i < count; i++) {
        uint32_t name = name_of(lane->all, writes[i].key);
        gr_value value = own_copy(&writes[i].value);
        ho_lane_slot *slot = slot_of(lane, name);
        if (!slot) {
            lane->slots =
                mt_xrealloc(lane->slots, mt_array_bytes(lane->slot_count + (size_t)1,
                                                        sizeof *lane->slots));
            slot = &lane->slots[lane->slot_count++];
            *slot = (ho_lane_slot){.value = {.type = GR_NONE}, .name = name};
        }
        free(block_of(&slot->value));
        slot->value = value;
    }
    return MT_OK;
}

/* In byte order of the names. */
static void lane_walk(void *state,
                      void (*each)(void *user, mt_str key, const gr_value *value),
                      void *user)
{
    const ho_lane *lane = state;
    const ho_lanes *all = lane->all;
    mt_arena a = {0};
    mt_map_entry *sorted = mt_new_array(&a, mt_map_entry, all->names.len);
    if (all->names.len) {
        memcpy(sorted, all->names.entries, all->names.len * sizeof *sorted);
        mt_sort_by(sorted, all->names.len, key);
    }
    for (uint32_t i = 0; i < all->names.len; i++) {
        const ho_lane_slot *slot = slot_of(lane, (uint32_t)sorted[i].value);
        if (slot) {
            each(user, sorted[i].key, &slot->value);
        }
    }
    mt_arena_free(&a);
}

static void nothing_to_free(void *state)
{
    (void)state; /* the lanes own it */
}

ho_context ho_lane_context(ho_lane *lane)
{
    return (ho_context){lane, lane_get, lane_apply, lane_walk, nothing_to_free};
}

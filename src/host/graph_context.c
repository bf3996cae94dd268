#include "host/graph_context.h"

#include <stdlib.h>

#include "base/map.h"

/* Each key owns one heap block for its text or series, reused while it is large
 * enough, so a long run does not grow with the number of writes. */
typedef struct cell {
    gr_value value;
    void *block;
    size_t cap; /* bytes of the block; it is used again */
} cell;

typedef struct memory {
    mt_arena arena; /* keys, cells and the table */
    mt_map cells;   /* -> cell* */
} memory;

static const gr_value *memory_get(void *state, mt_str key)
{
    const cell *c = (const cell *)mt_map_get(&((memory *)state)->cells, key, 0);
    return c ? &c->value : NULL;
}

static cell *cell_for(memory *m, mt_str key)
{
    mt_map_entry *e = mt_map_find(&m->cells, key);
    if (!e) {
        bool added;
        e = mt_map_add(&m->arena, &m->cells, mt_str_dup(&m->arena, key), &added);
        e->value = (uintptr_t)mt_new(&m->arena, cell);
    }
    return (cell *)e->value;
}

static size_t block_bytes(const gr_value *v)
{
    return v->type == GR_SERIES   ? v->len * sizeof(double)
           : v->type == GR_STRING ? v->len
                                  : 0;
}

/* The value is copied into the cell's own block, which may overlap where it came from.
 */
static void put(cell *c, const gr_value *v)
{
    size_t bytes = block_bytes(v);
    if (bytes > c->cap) {
        c->block = mt_xrealloc(c->block, bytes * 2);
        c->cap = bytes * 2;
    }
    c->value = *v;
    if (v->type == GR_SERIES) {
        if (bytes) {
            memmove(c->block, v->as.series, bytes);
        }
        c->value.as.series = c->block;
    } else if (v->type == GR_STRING) {
        if (bytes) {
            memmove(c->block, v->as.text, bytes);
        }
        c->value.as.text = c->block;
    }
}

static mt_err memory_apply(void *state, const gr_effect_write *writes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put(cell_for(state, writes[i].key), &writes[i].value);
    }
    return MT_OK;
}

/* In byte order of the keys, so that what is written from it is the same everywhere. */
static void memory_walk(void *state,
                        void (*each)(void *user, mt_str key, const gr_value *value),
                        void *user)
{
    memory *m = state;
    size_t count = m->cells.len;
    if (!count) {
        return;
    }
    mt_map_entry *sorted = mt_xmalloc(mt_array_bytes(count, sizeof *sorted));
    memcpy(sorted, m->cells.entries, count * sizeof *sorted);
    mt_sort_by(sorted, count, key);
    for (size_t i = 0; i < count; i++) {
        each(user, sorted[i].key, &((const cell *)sorted[i].value)->value);
    }
    free(sorted);
}

static void memory_free(void *state)
{
    memory *m = state;
    for (uint32_t i = 0; i < m->cells.len; i++) {
        free(((cell *)m->cells.entries[i].value)->block);
    }
    mt_arena_free(&m->arena);
    free(m);
}

ho_context ho_context_in_memory(void)
{
    memory *m = mt_xmalloc(sizeof *m);
    *m = (memory){0};
    return (ho_context){m, memory_get, memory_apply, memory_walk, memory_free};
}

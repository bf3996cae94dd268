/* agent/tape.c - see tape.h and tape_impl.h.
 *
 * A tape is slots (one per key; one for a tape without keys) that hold states, and
 * states that know who holds them, so that a cycle finds the eligible receivers from
 * the few states that are live. The key of a slot is found by open addressing without
 * tombstones: a removed key's gap is closed at once, so a tape that lives for months
 * does not degrade.
 *
 * Symbols of the program come first in the list of states; a state nobody mentioned is
 * learned when it first appears, and if it is a form (`/oneof(…)`), every gate is
 * asked once and the hits are remembered.
 *
 * Invariants: the sum of all cells is `size` and never above the limit
 * agent_tape_nodes; a slot's serial is the order of insertion, which compat mode
 * shows; freed slots are used again. What may fail: MT_E_LIMIT, and MT_E_SYNTAX for a
 * state that is not a token; the tape is then unchanged. */
#include "agent/tape_impl.h"

#include <stdlib.h>

const mt_str AG_LIST = MT_STR_INIT("tape");

/* ---- the index from key to slot: open addressing, tombstone-free deletion ---- */

struct ag_index {
    uint32_t *cells; /* slot + 1, 0: free */
    uint32_t mask, used;
};

static uint32_t key_hash(mt_str key)
{
    return (uint32_t)mt_hash(key) ^ (key.ptr ? 0 : 0x9E3779B9u);
}

static bool key_eq(mt_str a, mt_str b)
{
    return !a.ptr == !b.ptr && mt_str_eq(a, b);
}

/* Open addressing, at most half full. Removed entries are not marked but closed up, so
 * growing only counts what is used. */
static void index_grow(ag_tape *t)
{
    struct ag_index *x = t->index;
    uint32_t mask = x->mask ? x->mask * 2 + 1 : 15;
    uint32_t *cells = mt_xmalloc(((size_t)mask + 1) * sizeof *cells);
    memset(cells, 0, ((size_t)mask + 1) * sizeof *cells);
    for (uint32_t s = 0; s < t->slot_count; s++) {
        if (t->slots[s].used) {
            uint32_t at = key_hash(t->slots[s].key) & mask;
            while (cells[at]) {
                at = (at + 1) & mask;
            }
            cells[at] = s + 1;
        }
    }
    free(x->cells);
    x->cells = cells;
    x->mask = mask;
}

static uint32_t index_cell(const ag_tape *t, mt_str key)
{
    const struct ag_index *x = t->index;
    uint32_t at = key_hash(key) & x->mask;
    while (x->cells[at] && !key_eq(t->slots[x->cells[at] - 1].key, key)) {
        at = (at + 1) & x->mask;
    }
    return at;
}

uint32_t ag_tape_slot(const ag_tape *t, mt_str key)
{
    if (!t->index->cells) {
        return AG_NO_SLOT;
    }
    uint32_t found = t->index->cells[index_cell(t, key)];
    return found ? found - 1 : AG_NO_SLOT;
}

/* Closes the gap, so that every key stays reachable from its home cell. */
static void index_remove(ag_tape *t, mt_str key)
{
    struct ag_index *x = t->index;
    uint32_t hole = index_cell(t, key), at = hole;
    for (;;) {
        at = (at + 1) & x->mask;
        if (!x->cells[at]) {
            break;
        }
        uint32_t home = key_hash(t->slots[x->cells[at] - 1].key) & x->mask;
        if (((at - home) & x->mask) >= ((at - hole) & x->mask)) {
            x->cells[hole] = x->cells[at];
            hole = at;
        }
    }
    x->cells[hole] = 0;
    x->used--;
}

/* ---- growing arrays on the heap ---- */

static void *grown(void *items, uint32_t len, uint32_t *cap, size_t size)
{
    if (len < *cap) {
        return items;
    }
    *cap = *cap ? *cap * 2 : 4;
    return mt_xrealloc(items, mt_array_bytes(*cap, size));
}

#define GROW(t, items, len, cap)                                                       \
    ((t)->items = grown((t)->items, (t)->len, &(t)->cap, sizeof *(t)->items))

/* ---- states ---- */

static void add_state(ag_tape *t, mt_str text)
{
    GROW(t, states, state_count, state_cap);
    t->states[t->state_count++] = (ag_state){.text = text, .live = UINT32_MAX};
}

/* Symbols of the program come first and in its order: symbol and state have the same
 * number, and hits are borrowed from the program. */
static void add_program_states(ag_tape *t)
{
    const ag_program *p = t->p;
    for (ag_symbol s = 0; s < p->nodes.len; s++) {
        add_state(t, p->nodes.items[s]->text);
        ag_state *state = &t->states[s];
        state->hits = p->eligible.hits + p->eligible.start[s];
        state->hit_count = p->eligible.start[s + 1] - p->eligible.start[s];
        state->wild = p->wild.len > 0;
    }
}

/* A form the program does not know: asks every gate once, and remembers. */
static void find_hits(ag_tape *t, ag_state *state, const ag_node *node)
{
    const ag_program *p = t->p;
    MT_VEC(ag_hit) hits = {0};
    for (uint32_t i = 0; i < p->agent->receiver_count; i++) {
        const ag_receiver *r = &p->agent->receivers[i];
        for (uint32_t g = 0;
             r->parsed && p->places[i].live && g < r->route.count[AG_SOURCE]; g++) {
            if (ag_accepts(p->agent->mode, &r->route.nodes[g], node)) {
                mt_vec_push(&t->arena, &hits, ((ag_hit){i, g}));
            }
        }
    }
    state->hits = hits.items;
    state->hit_count = (uint32_t)hits.len;
}

static mt_err tape_symbol(ag_tape *t, mt_str text, ag_symbol *out);

/* A state that no route mentions. Plain ones are known only to gates that accept
 * unknown names; forms are asked about once and keep their hits. They are never
 * forgotten, so a tape's memory grows with the different names it has seen. */
static mt_err learn(ag_tape *t, mt_str text, ag_symbol *out)
{
    mt_map_entry *known = mt_map_find(&t->foreign, text);
    if (known) {
        *out = (ag_symbol)known->value;
        return MT_OK;
    }
    ag_node node;
    mt_str kept = mt_str_dup(&t->arena, text);
    mt_err err = ag_node_parse(&t->arena, t->p->agent->mode, kept, &node, NULL);
    if (err) {
        return err;
    }
    if (!mt_str_eq(node.text,
                   text)) { /* written otherwise: look the canonical one up */
        return tape_symbol(t, node.text, out);
    }
    add_state(t, node.text);
    ag_state *state = &t->states[t->state_count - 1];
    state->wild = node.kind == AG_PLAIN && t->p->wild.len > 0;
    if (node.kind != AG_PLAIN) {
        find_hits(t, state, &node);
    }
    *out = t->state_count - 1;
    mt_map_put(&t->arena, &t->foreign, node.text, *out);
    return MT_OK;
}

/* The tape's symbol for a canonical text it has or learns. */
static mt_err tape_symbol(ag_tape *t, mt_str text, ag_symbol *out)
{
    *out = ag_program_symbol(t->p, text);
    return *out == AG_UNKNOWN ? learn(t, text, out) : MT_OK;
}

/* ---- cells and holders ---- */

/* A state with at least one holder; the list has no order. */
static void make_live(ag_tape *t, ag_symbol s)
{
    ag_state *state = &t->states[s];
    if (state->live == UINT32_MAX && (state->hit_count || state->wild)) {
        GROW(t, live, live_count, live_cap);
        state->live = t->live_count;
        t->live[t->live_count++] = s;
    }
}

static void make_dead(ag_tape *t, ag_symbol s)
{
    ag_state *state = &t->states[s];
    if (state->live != UINT32_MAX) {
        ag_symbol last = t->live[--t->live_count];
        t->live[state->live] = last;
        t->states[last].live = state->live;
        state->live = UINT32_MAX;
    }
}

/* Cell and holder point at each other, so both directions are walked without
 * searching. */
static void add_cell(ag_tape *t, uint32_t slot, ag_symbol s)
{
    ag_slot *x = &t->slots[slot];
    ag_state *state = &t->states[s];
    GROW(x, cells, len, cap);
    GROW(state, holders, len, cap);
    x->cells[x->len] = (ag_cell){s, state->len};
    state->holders[state->len++] = (ag_holder){slot, x->len++};
    make_live(t, s);
    t->size++;
}

/* The last holder takes the place of the one that goes, and its cell is told; constant
 * time per cell. */
static void drop_cells(ag_tape *t, uint32_t slot)
{
    ag_slot *x = &t->slots[slot];
    for (uint32_t i = 0; i < x->len; i++) {
        ag_state *state = &t->states[x->cells[i].symbol];
        uint32_t at = x->cells[i].holder;
        ag_holder moved = state->holders[--state->len];
        state->holders[at] = moved;
        t->slots[moved.slot].cells[moved.cell].holder = at;
        if (!state->len) {
            make_dead(t, x->cells[i].symbol);
        }
    }
    t->size -= x->len;
    x->len = 0;
}

void ag_tape_put(ag_tape *t, uint32_t slot, const ag_symbol *symbols, uint32_t count)
{
    drop_cells(t, slot);
    for (uint32_t i = 0; i < count; i++) {
        add_cell(t, slot, symbols[i]);
    }
}

/* Freed slots are used again, but get a new serial: a key that comes back stands at the
 * end of the insertion order. The key is copied. */
uint32_t ag_tape_make_slot(ag_tape *t, mt_str key)
{
    uint32_t slot = ag_tape_slot(t, key);
    if (slot != AG_NO_SLOT) {
        return slot;
    }
    if (t->free_count) {
        slot = t->free_slots[--t->free_count];
    } else {
        GROW(t, slots, slot_count, slot_cap);
        slot = t->slot_count++;
        t->slots[slot] = (ag_slot){0};
    }
    ag_slot *x = &t->slots[slot];
    char *copy = key.ptr ? mt_xmalloc(key.len + 1) : NULL;
    if (copy) {
        memcpy(copy, key.ptr, key.len);
        copy[key.len] = 0;
    }
    x->key = mt_str_from(copy, key.len);
    x->serial = t->serial++;
    if (t->index->used * 2 >= t->index->mask) {
        index_grow(t);
    }
    x->used = true;
    t->index->cells[index_cell(t, key)] = slot + 1;
    t->index->used++;
    return slot;
}

/* ---- the outside ---- */

/* A list is a slot of a key of its own that no application can name. */
ag_tape *ag_tape_new(const ag_program *p, ag_shape shape)
{
    ag_tape *t = mt_xmalloc(sizeof *t);
    memset(t, 0, sizeof *t);
    t->p = p;
    t->shape = shape;
    t->index = mt_xmalloc(sizeof *t->index);
    memset(t->index, 0, sizeof *t->index);
    add_program_states(t);
    if (!ag_shape_indexed(shape)) {
        ag_tape_make_slot(t, AG_LIST);
    }
    return t;
}

static void free_key(ag_slot *x)
{
    union {
        const char *in;
        char *out;
    } key = {x->key.ptr};
    free(key.out);
    x->key = AG_NULL_KEY;
}

void ag_tape_free(ag_tape *t)
{
    if (!t) {
        return;
    }
    for (uint32_t i = 0; i < t->slot_count; i++) {
        free_key(&t->slots[i]);
        free(t->slots[i].cells);
    }
    for (uint32_t i = 0; i < t->state_count; i++) {
        free(t->states[i].holders);
    }
    free(t->index->cells);
    free(t->index);
    free(t->slots);
    free(t->states);
    free(t->live);
    free(t->free_slots);
    mt_arena_free(&t->arena);
    free(t);
}

ag_shape ag_tape_shape(const ag_tape *t)
{
    return t->shape;
}

size_t ag_tape_size(const ag_tape *t)
{
    return t->size;
}

size_t ag_tape_keys(const ag_tape *t)
{
    return t->index->used;
}

bool ag_tape_has(const ag_tape *t, mt_str key)
{
    return ag_tape_slot(t, key) != AG_NO_SLOT;
}

/* The order of the other keys does not change. */
void ag_tape_remove(ag_tape *t, mt_str key)
{
    uint32_t slot = ag_tape_slot(t, key);
    if (slot == AG_NO_SLOT) {
        return;
    }
    drop_cells(t, slot);
    index_remove(t, key);
    free_key(&t->slots[slot]);
    t->slots[slot].used = false;
    GROW(t, free_slots, free_count, free_cap);
    t->free_slots[t->free_count++] = slot;
}

/* Nothing is changed when it fails: limits and tokens are checked before the slot is
 * made. Symbols learnt on the way stay, which does no harm. */
mt_err ag_tape_set(ag_tape *t, mt_str key, const mt_str *states, size_t count)
{
    uint32_t slot = ag_tape_slot(t, key);
    size_t held = slot == AG_NO_SLOT ? 0 : t->slots[slot].len;
    if (count > t->p->limits.agent_tape_nodes ||
        t->size - held + count > t->p->limits.agent_tape_nodes) {
        return MT_E_LIMIT;
    }
    ag_symbol *symbols = mt_xmalloc(count * sizeof *symbols + 1);
    mt_err err = MT_OK;
    for (size_t i = 0; i < count && !err; i++) {
        err = tape_symbol(t, states[i], &symbols[i]);
    }
    if (!err) {
        ag_tape_put(t, ag_tape_make_slot(t, key), symbols, (uint32_t)count);
    }
    free(symbols);
    return err;
}

const mt_str *ag_tape_states(const ag_tape *t, mt_arena *a, mt_str key, size_t *count)
{
    uint32_t slot = ag_tape_slot(t, key);
    *count = slot == AG_NO_SLOT ? 0 : t->slots[slot].len;
    mt_str *texts = mt_new_array(a, mt_str, *count);
    for (size_t i = 0; i < *count; i++) {
        texts[i] = t->states[t->slots[slot].cells[i].symbol].text;
    }
    return texts;
}

int ag_key_cmp(mt_str a, mt_str b)
{
    if (!a.ptr || !b.ptr) {
        return (a.ptr != NULL) - (b.ptr != NULL);
    }
    return mt_str_cmp(a, b);
}

static int by_key(const void *x, const void *y, void *host)
{
    const ag_tape *t = host;
    return ag_key_cmp(t->slots[*(const uint32_t *)x].key,
                      t->slots[*(const uint32_t *)y].key);
}

static int by_serial(const void *x, const void *y, void *host)
{
    const ag_tape *t = host;
    uint64_t a = t->slots[*(const uint32_t *)x].serial;
    uint64_t b = t->slots[*(const uint32_t *)y].serial;
    return (a > b) - (a < b);
}

/* By key for canonical output, by serial for compat. Slots of removed keys are left
 * out. */
uint32_t *ag_tape_order(const ag_tape *t, mt_arena *a, bool sorted, uint32_t *count)
{
    union {
        const void *in;
        void *out;
    } host = {t};
    uint32_t *order = mt_new_array(a, uint32_t, t->index->used);
    *count = 0;
    for (uint32_t i = 0; i < t->slot_count; i++) {
        if (t->slots[i].used) {
            order[(*count)++] = i;
        }
    }
    qsort_r(order, *count, sizeof *order, sorted ? by_key : by_serial, host.out);
    return order;
}

const mt_str *ag_tape_key_list(const ag_tape *t, mt_arena *a, size_t *count)
{
    uint32_t n;
    uint32_t *order = ag_tape_order(t, a, false, &n);
    mt_str *keys = mt_new_array(a, mt_str, n);
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = t->slots[order[i]].key;
    }
    *count = n;
    return keys;
}

/* agent/cycle_tape.c - which receivers are eligible, and what they do to the tape.
 *
 * Profile order: priority, canonical route, key, state, registration. Compat order:
 * priority, registration, key insertion, state, gate; one call per accepting gate.
 *
 * Collecting walks the states that some gate may accept, not all cells: symbols have
 * rows of receivers (program.c). Updating is in two passes: count the nodes every
 * touched slot gets, lay them out in one array, fill in what stays and what was
 * activated, each node once, in activation order; only if the whole fits the limits it
 * is committed.
 *
 * Invariants: a slot that no receiver spoke about keeps its states; deltas say per key
 * what was added and removed, in the order of the tape; nothing is changed when a
 * limit is met (agent_tape_nodes, agent_activations). */
#include "agent/cycle_impl.h"

/* ---- eligibility ---- */

/* The key and state it was eligible by are kept with it, since the tape changes later.
 */
static void activate(ag_cycle *c, ag_hit hit, uint32_t slot, uint32_t cell,
                     ag_symbol symbol)
{
    ag_activation *x = mt_vec_add(&c->arena, &c->activations);
    memset(x, 0, sizeof *x);
    x->receiver = hit.index;
    x->gate = hit.gate;
    x->slot = slot;
    x->order = cell;
    x->symbol = symbol;
    if (slot != AG_NO_SLOT) {
        x->key = c->tape->slots[slot].key;
        x->state = c->tape->states[symbol].text;
    }
}

/* Hits that are known by symbol, then gates that accept names nobody mentioned. */
static void collect_cell(ag_cycle *c, uint32_t slot, uint32_t cell, ag_symbol symbol)
{
    const ag_program *p = c->p;
    const ag_state *state = &c->tape->states[symbol];
    for (uint32_t i = 0; i < state->hit_count; i++) {
        activate(c, state->hits[i], slot, cell, symbol);
    }
    if (!state->wild) {
        return;
    }
    ag_symbol asked = symbol < p->nodes.len ? symbol : AG_UNKNOWN;
    for (size_t i = 0; i < p->wild.len; i++) {
        ag_hit hit = p->wild.items[i];
        ag_symbol gate = p->receivers[hit.index].symbols[hit.gate];
        if (ag_gate_accepts(&p->gates[gate], asked)) {
            activate(c, hit, slot, cell, symbol);
        }
    }
}

static bool too_many(ag_cycle *c)
{
    if (c->activations.len <= c->p->limits.agent_activations) {
        return false;
    }
    c->limit = "agent_activations";
    return true;
}

static void collect_key(ag_cycle *c, mt_str key)
{
    uint32_t slot = ag_tape_slot(c->tape, key);
    for (uint32_t i = 0; slot != AG_NO_SLOT && i < c->tape->slots[slot].len; i++) {
        collect_cell(c, slot, i, c->tape->slots[slot].cells[i].symbol);
    }
}

/* By live state, not by slot: a tape of a million keys has few different states. */
static bool collect_states(ag_cycle *c)
{
    const ag_tape *t = c->tape;
    for (uint32_t i = 0; i < t->live_count; i++) {
        const ag_state *state = &t->states[t->live[i]];
        for (uint32_t h = 0; h < state->len; h++) {
            collect_cell(c, state->holders[h].slot, state->holders[h].cell, t->live[i]);
            if (too_many(c)) {
                return false;
            }
        }
    }
    return true;
}

/* Compat with flow off: routes are labels, every receiver runs. */
static void collect_everything(ag_cycle *c)
{
    for (uint32_t i = 0; i < c->p->agent->receiver_count; i++) {
        if (c->p->places[i].live) {
            activate(c, (ag_hit){i, 0}, AG_NO_SLOT, 0, AG_UNKNOWN);
        }
    }
}

#define CMP(a, b) ((a) != (b) ? ((a) > (b) ? 1 : -1) : 0)

static int profile_order(const ag_cycle *c, const ag_activation *a,
                         const ag_activation *b)
{
    uint32_t ra = c->p->places[a->receiver].rank, rb = c->p->places[b->receiver].rank;
    int d = CMP(ra, rb);
    d = d || a->slot == b->slot ? d : ag_key_cmp(a->key, b->key);
    d = d || a->symbol == b->symbol ? d : mt_str_cmp(a->state, b->state);
    d = d ? d : CMP(a->receiver, b->receiver);
    return d ? d : CMP(a->gate, b->gate);
}

/* The insertion order of keys is part of compat, hence the serial and not the key's
 * text. */
static int compat_order(const ag_cycle *c, const ag_activation *a,
                        const ag_activation *b)
{
    const ag_place *pa = &c->p->places[a->receiver], *pb = &c->p->places[b->receiver];
    int d = CMP(pa->batch, pb->batch);
    d = d ? d : CMP(pa->rank, pb->rank);
    if (!d && a->slot != b->slot) {
        d = CMP(c->tape->slots[a->slot].serial, c->tape->slots[b->slot].serial);
    }
    d = d ? d : CMP(a->order, b->order);
    return d ? d : CMP(a->gate, b->gate);
}

static int by_rule(const void *x, const void *y, void *host)
{
    const ag_cycle *c = host;
    return c->p->agent->mode == AG_COMPAT ? compat_order(c, x, y)
                                          : profile_order(c, x, y);
}

/* Few of them, mostly: insertion needs no call. */
static void sort_activations(ag_cycle *c)
{
    ag_cycle_sort(c, c->activations.items, c->activations.len,
                  sizeof *c->activations.items, by_rule);
}

/* Profile: a receiver runs once per (key, state), whatever gates accept. */
static void drop_repeats(ag_cycle *c)
{
    ag_activation *x = c->activations.items;
    size_t kept = 0;
    for (size_t i = 0; i < c->activations.len; i++) {
        if (!kept || x[kept - 1].receiver != x[i].receiver ||
            x[kept - 1].slot != x[i].slot || x[kept - 1].symbol != x[i].symbol) {
            x[kept++] = x[i];
        }
    }
    c->activations.len = kept;
}

/* False: the limit agent_activations was met, and nothing has been called. Initial
 * routes are eligible exactly once (§6.2); they have no slot until they are put
 * down. */
bool ag_cycle_collect(ag_cycle *c)
{
    const ag_program *p = c->p;
    bool compat = p->agent->mode == AG_COMPAT;
    if (compat && p->agent->flow_off) {
        collect_everything(c);
    } else {
        for (size_t i = 0; i < p->initial.len; i++) {
            activate(c, (ag_hit){p->initial.items[i], 0}, AG_NO_SLOT, 0, AG_UNKNOWN);
        }
        if (c->message.only_key) {
            collect_key(c, *c->message.only_key);
        } else if (!collect_states(c)) {
            return false;
        }
    }
    if (too_many(c)) {
        return false;
    }
    sort_activations(c);
    if (!compat) {
        drop_repeats(c);
    }
    return true;
}

/* ---- the update ---- */

/* What a slot is to hold. */
typedef struct proposal {
    uint32_t slot;
    uint32_t first, count; /* in the array of symbols */
} proposal;

typedef struct update {
    MT_VEC(proposal) slots;
    ag_symbol *symbols;
    uint32_t total; /* symbols of all proposals */
} update;

/* `mark` is the place in the list plus one, so that a slot is found in constant time;
 * it is cleared before the update ends. */
static proposal *propose(ag_cycle *c, update *u, uint32_t slot)
{
    ag_slot *x = &c->tape->slots[slot];
    if (!x->mark) {
        proposal *added = mt_vec_add(&c->arena, &u->slots);
        *added = (proposal){.slot = slot};
        x->mark = (uint32_t)u->slots.len;
    }
    return &u->slots.items[x->mark - 1];
}

/* Where the nodes of an activation go: its key, or the null key (compat: the list). */
static uint32_t home_of(ag_cycle *c, const ag_activation *x)
{
    if (x->slot != AG_NO_SLOT) {
        return x->slot;
    }
    bool list = c->p->agent->mode == AG_COMPAT && !ag_shape_indexed(c->tape->shape);
    return ag_tape_make_slot(c->tape, list ? AG_LIST : AG_NULL_KEY);
}

/* A failed receiver did not run: it neither activates nor empties its key. */
static const ag_symbol *activated(const ag_cycle *c, const ag_activation *x,
                                  uint32_t *count)
{
    const ag_route *route = &c->p->agent->receivers[x->receiver].route;
    const ag_node *nodes = ag_route_activates(route, x->event.action, count);
    return c->p->receivers[x->receiver].symbols + (nodes - route->nodes);
}

static bool keeps_old(const ag_cycle *c)
{
    return c->p->agent->rule == AG_ADD && c->p->agent->mode == AG_PROFILE;
}

/* Compat: every key that was uploaded is emptied first. */
static void propose_all(ag_cycle *c, update *u)
{
    if (c->message.only_key) {
        uint32_t slot = ag_tape_slot(c->tape, *c->message.only_key);
        if (slot != AG_NO_SLOT) {
            propose(c, u, slot);
        }
        return;
    }
    for (uint32_t s = 0; s < c->tape->slot_count; s++) {
        if (c->tape->slots[s].used) {
            propose(c, u, s);
        }
    }
}

/* First pass: only counts. Proposing a slot even for no nodes matters: a receiver that
 * activates nothing empties its key, unless old nodes are kept. */
static void count_nodes(ag_cycle *c, update *u, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        const ag_activation *x = &c->activations.items[i];
        uint32_t nodes;
        if (!x->failed) {
            activated(c, x, &nodes);
            propose(c, u, home_of(c, x))->count += nodes;
        }
    }
}

/* Room for what may stay and what was activated, in one array for all slots. */
static void lay_out(ag_cycle *c, update *u)
{
    for (size_t i = 0; i < u->slots.len; i++) {
        proposal *x = &u->slots.items[i];
        uint32_t room = x->count;
        if (keeps_old(c)) {
            room += c->tape->slots[x->slot].len;
        }
        x->first = u->total;
        x->count = 0;
        u->total += room;
    }
    u->symbols = mt_alloc(&c->arena, (u->total + 1) * sizeof *u->symbols);
}

static void fill_old(ag_cycle *c, update *u)
{
    for (size_t i = 0; i < u->slots.len && keeps_old(c); i++) {
        proposal *x = &u->slots.items[i];
        const ag_slot *slot = &c->tape->slots[x->slot];
        for (uint32_t k = 0; k < slot->len; k++) {
            u->symbols[x->first + x->count++] = slot->cells[k].symbol;
        }
    }
}

enum { KEYED = 1, INITIAL = 2 };

/* Failed ones activate nothing; `which` keeps nodes of initial routes apart where
 * their place matters. */
static void fill_activated(ag_cycle *c, update *u, uint32_t first, uint32_t count,
                           unsigned which)
{
    for (uint32_t i = first; i < first + count; i++) {
        const ag_activation *a = &c->activations.items[i];
        if (a->failed || !(which & (a->slot == AG_NO_SLOT ? INITIAL : KEYED))) {
            continue;
        }
        uint32_t nodes;
        const ag_symbol *symbols = activated(c, a, &nodes);
        proposal *x = propose(c, u, home_of(c, a));
        memcpy(u->symbols + x->first + x->count, symbols, nodes * sizeof *symbols);
        x->count += nodes;
    }
}

/* A number instead of clearing: a symbol was seen if its mark is this one. */
static void next_generation(ag_cycle *c)
{
    uint32_t need = c->tape->state_count;
    if (c->seen_cap < need) {
        c->seen = mt_xrealloc(c->seen, need * sizeof *c->seen);
        memset(c->seen + c->seen_cap, 0, (need - c->seen_cap) * sizeof *c->seen);
        c->seen_cap = need;
    }
    if (++c->generation == 0) {
        memset(c->seen, 0, c->seen_cap * sizeof *c->seen);
        c->generation = 1;
    }
}

static bool seen_now(ag_cycle *c, ag_symbol s)
{
    bool before = c->seen[s] == c->generation;
    c->seen[s] = c->generation;
    return before;
}

/* Each node once, in activation order. */
static void keep_first(ag_cycle *c, update *u, proposal *x)
{
    uint32_t kept = 0;
    next_generation(c);
    for (uint32_t i = 0; i < x->count; i++) {
        ag_symbol s = u->symbols[x->first + i];
        if (!seen_now(c, s)) {
            u->symbols[x->first + kept++] = s;
        }
    }
    x->count = kept;
}

/* A slot that stays as it is has no delta. */
static bool same_cells(const ag_slot *slot, const ag_symbol *symbols, uint32_t count)
{
    if (slot->len != count) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (slot->cells[i].symbol != symbols[i]) {
            return false;
        }
    }
    return true;
}

/* Texts of the `count` symbols that were not seen in this generation. */
static mt_str *unseen(ag_cycle *c, const ag_symbol *symbols, uint32_t count,
                      uint32_t *kept)
{
    mt_str *texts = mt_alloc(&c->arena, count * sizeof *texts);
    *kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!seen_now(c, symbols[i])) {
            texts[(*kept)++] = c->tape->states[symbols[i]].text;
        }
    }
    return texts;
}

/* Two comparisons by generation: what is new, then what is gone. */
static void note_delta(ag_cycle *c, const ag_slot *slot, const ag_symbol *symbols,
                       uint32_t count)
{
    ag_delta *d = mt_vec_add(&c->arena, &c->deltas);
    d->key = slot->key;
    ag_symbol *old = mt_alloc(&c->arena, slot->len * sizeof *old);
    next_generation(c);
    for (uint32_t i = 0; i < slot->len; i++) {
        old[i] = slot->cells[i].symbol;
        seen_now(c, old[i]);
    }
    d->added = unseen(c, symbols, count, &d->added_count);
    next_generation(c);
    for (uint32_t i = 0; i < count; i++) {
        seen_now(c, symbols[i]);
    }
    d->removed = unseen(c, old, slot->len, &d->removed_count);
    if (!d->added_count && !d->removed_count) {
        c->deltas.len--; /* only the order changed */
    }
}

/* Of the whole tape as it would be, before anything is changed. */
static bool fits(ag_cycle *c, const update *u)
{
    size_t size = c->tape->size;
    for (size_t i = 0; i < u->slots.len; i++) {
        size += u->slots.items[i].count;
        size -= c->tape->slots[u->slots.items[i].slot].len;
    }
    if (size <= c->p->limits.agent_tape_nodes) {
        return true;
    }
    c->limit = "agent_tape_nodes";
    return false;
}

/* Only slots whose cells differ are written and noted. */
static void commit(ag_cycle *c, const update *u)
{
    for (size_t i = 0; i < u->slots.len; i++) {
        const proposal *x = &u->slots.items[i];
        const ag_symbol *symbols = u->symbols + x->first;
        const ag_slot *slot = &c->tape->slots[x->slot];
        if (!same_cells(slot, symbols, x->count)) {
            note_delta(c, slot, symbols, x->count);
            ag_tape_put(c->tape, x->slot, symbols, x->count);
        }
    }
}

/* First count, then fill: the array is allocated once. In the profile each node is kept
 * once per key, in order of activation. False: agent_tape_nodes would be exceeded, and
 * the tape is as it was. */
bool ag_cycle_apply(ag_cycle *c, uint32_t first, uint32_t count)
{
    bool compat = c->p->agent->mode == AG_COMPAT;
    update u = {0};
    if (compat) {
        propose_all(c, &u);
    }
    count_nodes(c, &u, first, count);
    lay_out(c, &u);
    fill_old(c, &u);
    if (compat) { /* nodes of initial routes follow those of the list */
        fill_activated(c, &u, first, count, KEYED);
        fill_activated(c, &u, first, count, INITIAL);
    } else {
        fill_activated(c, &u, first, count, KEYED | INITIAL);
    }
    for (size_t i = 0; i < u.slots.len; i++) {
        if (!compat) {
            keep_first(c, &u, &u.slots.items[i]);
        }
        c->tape->slots[u.slots.items[i].slot].mark = 0;
    }
    bool ok = fits(c, &u);
    if (ok) {
        commit(c, &u);
    }
    return ok;
}

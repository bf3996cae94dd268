/* agent/tape_impl.h - the inside of a tape: slots (keys), states, holders.
 * Room: agent. May include base/ only. For tape.c and cycle*.c.
 * Each state of a slot has a twin in its symbol's list of holders, so the slots that
 * hold a state are found without looking at the others. */
#ifndef AG_TAPE_IMPL_H
#define AG_TAPE_IMPL_H

#include "agent/program_impl.h"
#include "agent/tape.h"

typedef struct ag_cell {
    ag_symbol symbol;
    uint32_t holder; /* index of the twin in the symbol's holders */
} ag_cell;

typedef struct ag_slot {
    mt_str key;      /* owned; ptr NULL: the null key */
    uint64_t serial; /* grows with every new key: insertion order */
    ag_cell *cells;
    uint32_t len, cap;
    bool used;
    uint32_t mark; /* scratch of the cycle */
} ag_slot;

typedef struct ag_holder {
    uint32_t slot, cell;
} ag_holder;

/* A state on, or once on, the tape. Symbols below the program's count are its own. */
typedef struct ag_state {
    mt_str text;
    ag_holder *holders;
    uint32_t len, cap;
    uint32_t live;      /* index in the live list, UINT32_MAX when not there */
    const ag_hit *hits; /* receivers this state makes eligible, without the wild */
    uint32_t hit_count;
    bool wild; /* also ask the wild gates */
} ag_state;

struct ag_tape {
    const ag_program *p;
    ag_shape shape;
    mt_arena arena; /* states beyond the program's */
    mt_map foreign; /* text to symbol of those */
    ag_state *states;
    uint32_t state_count, state_cap;
    ag_symbol *live; /* states somebody holds and some receiver may want */
    uint32_t live_count, live_cap;
    ag_slot *slots;
    uint32_t slot_count, slot_cap;
    uint32_t *free_slots;
    uint32_t free_count, free_cap;
    struct ag_index *index; /* key to slot */
    uint64_t serial;
    size_t size;
};

#define AG_NO_SLOT UINT32_MAX
uint32_t ag_tape_slot(const ag_tape *t, mt_str key);
/* Finds or adds. */
uint32_t ag_tape_make_slot(ag_tape *t, mt_str key);
/* Replaces the states of a slot. The caller has checked the limit. */
void ag_tape_put(ag_tape *t, uint32_t slot, const ag_symbol *symbols, uint32_t count);
int ag_key_cmp(mt_str a, mt_str b);
/* Slots in order of their keys (sorted) or of their coming. *count of them, in `a`. */
uint32_t *ag_tape_order(const ag_tape *t, mt_arena *a, bool sorted, uint32_t *count);

#endif

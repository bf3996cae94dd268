/* contract/front/symbols.c - the interning table. Open addressing, linear probing,
 * never more than half full. The seed differs per process, so hostile texts cannot be
 * made to collide; no output depends on it, because symbols are numbered in order of
 * appearance. */
#include "contract/front/symbols.h"

#include <pthread.h>

#include "base/map.h"

enum { FIRST_CAP = 512, FIRST_SLOTS = 1024 };

static const mt_str WORDS[CT_WORD_COUNT] = {[CT_W_none] = MT_STR_INIT(""),
                                            [CT_W_empty] = MT_STR_INIT(""),
#define CT_WORD_TEXT(name) [CT_W_##name] = MT_STR_INIT(#name),
                                            CT_CONSTRUCT_WORDS(CT_WORD_TEXT)
                                                CT_FIELD_WORDS(CT_WORD_TEXT)
                                                    CT_OTHER_WORDS(CT_WORD_TEXT)
#undef CT_WORD_TEXT
};

_Static_assert(CT_WORD_COUNT < FIRST_CAP / 2, "the known words leave room");

/* The table that every elaboration starts from. */
static ct_symbol template_items[FIRST_CAP];
static ct_symbol_slot template_slots[FIRST_SLOTS];
static uint64_t template_seed;
static pthread_once_t template_once = PTHREAD_ONCE_INIT;

static void put_slot(ct_symbol_slot *slots, uint32_t mask, uint32_t hash, ct_sym sym)
{
    uint32_t at = hash & mask;
    while (slots[at].sym) {
        at = (at + 1) & mask;
    }
    slots[at] = (ct_symbol_slot){hash, sym};
}

static void build_template(void)
{
    template_seed = mt_hash(MT_STR("symbols"));
    template_items[0] = (ct_symbol){.ptr = ""};
    for (ct_sym w = CT_W_empty; w < CT_WORD_COUNT; w++) {
        uint32_t hash = ct_symbol_hash(template_seed, WORDS[w].ptr, WORDS[w].len);
        template_items[w] = (ct_symbol){WORDS[w].ptr, (uint32_t)WORDS[w].len, hash,
                                        ct_symbol_part(WORDS[w].ptr, WORDS[w].len)};
        put_slot(template_slots, FIRST_SLOTS - 1, hash, w);
    }
}

void ct_symbols_init(ct_symbols *s, mt_arena *a)
{
    pthread_once(&template_once, build_template);
    *s = (ct_symbols){.arena = a,
                      .items = mt_alloc(a, sizeof template_items),
                      .slots = mt_alloc(a, sizeof template_slots),
                      .seed = template_seed,
                      .len = CT_WORD_COUNT,
                      .cap = FIRST_CAP,
                      .mask = FIRST_SLOTS - 1};
    memcpy(s->items, template_items, CT_WORD_COUNT * sizeof *s->items);
    memcpy(s->slots, template_slots, sizeof template_slots);
}

static void grow(ct_symbols *s)
{
    uint32_t cap = s->cap * 2;
    ct_symbol *items = mt_alloc(s->arena, mt_array_bytes(cap, sizeof *items));
    memcpy(items, s->items, s->len * sizeof *items);
    ct_symbol_slot *slots = mt_new_array(s->arena, ct_symbol_slot, (size_t)cap * 2);
    uint32_t mask = cap * 2 - 1;
    for (ct_sym i = CT_W_empty; i < s->len; i++) {
        put_slot(slots, mask, items[i].hash, i);
    }
    s->items = items;
    s->slots = slots;
    s->cap = cap;
    s->mask = mask;
}

ct_sym ct_symbol_add(ct_symbols *s, mt_str text, ct_symbol_head head, uint32_t hash)
{
    if (s->len == s->cap) {
        grow(s);
    }
    ct_sym sym = s->len++;
    s->items[sym] = (ct_symbol){text.ptr, (uint32_t)text.len, hash, head};
    put_slot(s->slots, s->mask, hash, sym);
    return sym;
}

static ct_sym lookup(const ct_symbols *s, mt_str text, uint32_t hash)
{
    for (uint32_t at = hash & s->mask; s->slots[at].sym; at = (at + 1) & s->mask) {
        if (s->slots[at].hash == hash &&
            mt_str_eq(ct_text(s, s->slots[at].sym), text)) {
            return s->slots[at].sym;
        }
    }
    return CT_W_none;
}

ct_sym ct_symbol_find(const ct_symbols *s, mt_str text)
{
    return lookup(s, text, ct_symbol_hash(s->seed, text.ptr, text.len));
}

ct_sym ct_intern(ct_symbols *s, mt_str text)
{
    uint32_t hash = ct_symbol_hash(s->seed, text.ptr, text.len);
    ct_sym found = lookup(s, text, hash);
    return found ? found
                 : ct_symbol_add(s, text, ct_symbol_part(text.ptr, text.len), hash);
}

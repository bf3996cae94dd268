/* contract/front/symbols.c - the interning table. Open addressing, linear probing,
 * never more than half full. The seed differs per process, so hostile texts cannot be
 * made to collide; no output depends on it, because symbols are numbered in order of
 * appearance. */
#include "contract/front/symbols.h"

#include <pthread.h>

#include "base/map.h"

enum { FIRST_CAP = 512, FIRST_SLOTS = 1024 };

/* clang-format off */
static const mt_str WORDS[FR_WORD_COUNT] = {
    [FR_W_none] = MT_STR_INIT(""),
    [FR_W_empty] = MT_STR_INIT(""),
#define X_CONSTRUCT(ID, text, word, many) [FR_W_##word] = MT_STR_INIT(#word),
#include "lang/nodes.def"
    [FR_W_import] = MT_STR_INIT("import"),
    [FR_W_type] = MT_STR_INIT("type"),
#define FR_WORD_TEXT(name) [FR_W_##name] = MT_STR_INIT(#name),
    FR_FIELD_WORDS(FR_WORD_TEXT)
    FR_OTHER_WORDS(FR_WORD_TEXT)
#undef FR_WORD_TEXT
#define X_BASE(ID, text, HELD, TRAITS, result) [FR_W_BASE_##ID] = MT_STR_INIT(text),
#define X_STEP(ID, text, DOES, word, phrase) [FR_W_STEP_##ID] = MT_STR_INIT(text),
#include "lang/nodes.def"
};
/* clang-format on */

_Static_assert(FR_WORD_COUNT < FIRST_CAP / 2, "the known words leave room");

/* The table that every elaboration starts from. */
static fr_symbol template_items[FIRST_CAP];
static fr_symbol_slot template_slots[FIRST_SLOTS];
static uint64_t template_seed;
static pthread_once_t template_once = PTHREAD_ONCE_INIT;

/* Ends because the table is never full. */
static void put_slot(fr_symbol_slot *slots, uint32_t mask, uint32_t hash, fr_sym sym)
{
    uint32_t at = hash & mask;
    while (slots[at].sym) {
        at = (at + 1) & mask;
    }
    slots[at] = (fr_symbol_slot){hash, sym};
}

/* Once per process: every small contract would pay for interning all known words. */
static void build_template(void)
{
    template_seed = mt_hash(MT_STR("symbols"));
    template_items[0] = (fr_symbol){.ptr = ""};
    for (fr_sym w = FR_W_empty; w < FR_WORD_COUNT; w++) {
        uint32_t hash = fr_symbol_hash(template_seed, WORDS[w].ptr, WORDS[w].len);
        template_items[w] = (fr_symbol){WORDS[w].ptr, (uint32_t)WORDS[w].len, hash,
                                        fr_symbol_part(WORDS[w].ptr, WORDS[w].len)};
        put_slot(template_slots, FIRST_SLOTS - 1, hash, w);
    }
}

/* FR_W_none and FR_W_empty have the same text; only the latter is found by look-up. */
void fr_symbols_init(fr_symbols *s, mt_arena *a)
{
    pthread_once(&template_once, build_template);
    *s = (fr_symbols){.arena = a,
                      .items = mt_alloc(a, sizeof template_items),
                      .slots = mt_alloc(a, sizeof template_slots),
                      .seed = template_seed,
                      .len = FR_WORD_COUNT,
                      .cap = FIRST_CAP,
                      .mask = FIRST_SLOTS - 1};
    memcpy(s->items, template_items, FR_WORD_COUNT * sizeof *s->items);
    memcpy(s->slots, template_slots, sizeof template_slots);
}

/* Doubles. Symbols keep their numbers; the old arrays stay in the arena until it is
 * freed. */
static void grow(fr_symbols *s)
{
    uint32_t cap = s->cap * 2;
    fr_symbol *items = mt_alloc(s->arena, mt_array_bytes(cap, sizeof *items));
    memcpy(items, s->items, s->len * sizeof *items);
    fr_symbol_slot *slots = mt_new_array(s->arena, fr_symbol_slot, (size_t)cap * 2);
    uint32_t mask = cap * 2 - 1;
    for (fr_sym i = FR_W_empty; i < s->len; i++) {
        put_slot(slots, mask, items[i].hash, i);
    }
    s->items = items;
    s->slots = slots;
    s->cap = cap;
    s->mask = mask;
}

fr_sym fr_symbol_add(fr_symbols *s, mt_str text, fr_symbol_head head, uint32_t hash)
{
    if (s->len == s->cap) {
        grow(s);
    }
    fr_sym sym = s->len++;
    s->items[sym] = (fr_symbol){text.ptr, (uint32_t)text.len, hash, head};
    put_slot(s->slots, s->mask, hash, sym);
    return sym;
}

/* Hashes are compared before texts, so nearly every comparison of texts succeeds. */
static fr_sym lookup(const fr_symbols *s, mt_str text, uint32_t hash)
{
    for (uint32_t at = hash & s->mask; s->slots[at].sym; at = (at + 1) & s->mask) {
        if (s->slots[at].hash == hash &&
            mt_str_eq(fr_text(s, s->slots[at].sym), text)) {
            return s->slots[at].sym;
        }
    }
    return FR_W_none;
}

fr_sym fr_symbol_find(const fr_symbols *s, mt_str text)
{
    return lookup(s, text, fr_symbol_hash(s->seed, text.ptr, text.len));
}

fr_sym fr_intern(fr_symbols *s, mt_str text)
{
    uint32_t hash = fr_symbol_hash(s->seed, text.ptr, text.len);
    fr_sym found = lookup(s, text, hash);
    return found ? found
                 : fr_symbol_add(s, text, fr_symbol_part(text.ptr, text.len), hash);
}

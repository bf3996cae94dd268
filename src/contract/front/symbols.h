/* contract/front/symbols.h - every word and literal text of a bundle, interned once.
 * Room: contract/front.
 * Equal texts have equal numbers, so the passes compare and index numbers and never
 * hash again. The words the language knows have fixed numbers, FR_W_fact and so on.
 * Ownership: texts are borrowed from the sources or live in the arena. */
#ifndef FR_FRONT_SYMBOLS_H
#define FR_FRONT_SYMBOLS_H

#include "base/str.h"
#include "lang/lang.h"

typedef uint32_t fr_sym; /* 0: none */

/* clang-format off */
#define FR_FIELD_WORDS(X) \
    X(path) X(protocol) X(description) X(states) X(initial) X(transitions) X(parent) \
    X(stratum) X(when) X(produce) X(verdict) X(payload) X(allowed_personas) \
    X(personas) X(precondition) X(require) X(effects) X(error_contract) X(outcomes) \
    X(snapshot) X(entry) X(steps) X(op) X(on_failure) X(condition) X(if_true) \
    X(if_false) X(from_persona) X(to_persona) X(next) X(on_success) X(branches) \
    X(join) X(id) X(outcome) X(then) X(to) X(on_all_success) X(on_any_failure) \
    X(on_all_complete) X(members) X(shared_personas) X(shared_entities) X(triggers) \
    X(contracts) X(on) X(target) X(default) X(amount) X(currency) X(value) X(unit) \
    X(min) X(max) X(precision) X(scale) X(max_length) X(values) X(element_type) \
    X(fields) X(variants) X(tag)
#define FR_OTHER_WORDS(X) \
    X(Terminate) X(Compensate) X(Escalate) \
    X(Branch) X(JoinPolicy) X(null) X(true) X(false) X(and) X(or) X(not) X(forall) \
    X(exists) X(in) X(present) X(len) X(verdict_present) X(success) X(failure) \
    X(escalation) X(at_initiation) X(http) X(database) X(graphql) X(grpc) X(static) \
    X(manual) X(base_url) X(dialect) X(endpoint) X(auth) X(schema_ref) X(proto_ref) \
    X(seconds) X(minutes) X(hours) X(days) X(matches) X(like) X(contains) X(sum) \
    X(count) X(average) X(avg) X(state) X(precondition_failed) X(persona_rejected) \
    X(size) X(length) X(for)

enum {
    FR_W_none,
    FR_W_empty, /* the empty text */
/* What begins a construct, in the order of fr_kind. */
    FR_W_FIRST_CONSTRUCT,
    FR_W_BEFORE_CONSTRUCT = FR_W_FIRST_CONSTRUCT - 1,
#define X_CONSTRUCT(ID, text, word, many) FR_W_##word,
#include "lang/nodes.def"
    FR_W_import, FR_W_type,
#define FR_WORD_ENUM(name) FR_W_##name,
    FR_FIELD_WORDS(FR_WORD_ENUM)
    FR_OTHER_WORDS(FR_WORD_ENUM)
#undef FR_WORD_ENUM
/* Base types and steps, each in the order of its enum. */
    FR_W_FIRST_BASE,
    FR_W_BEFORE_BASE = FR_W_FIRST_BASE - 1,
#define X_BASE(ID, text, HELD, TRAITS, result) FR_W_BASE_##ID,
#include "lang/nodes.def"
    FR_W_FIRST_STEP,
    FR_W_BEFORE_STEP = FR_W_FIRST_STEP - 1,
#define X_STEP(ID, text, DOES, word, phrase) FR_W_STEP_##ID,
#include "lang/nodes.def"
    FR_WORD_COUNT,
    FR_W_Terminal = FR_W_STEP_TERMINAL /* of a target as well */
};
/* clang-format on */

static inline bool fr_is_construct_word(fr_sym s)
{
    return s >= FR_W_FIRST_CONSTRUCT && s <= FR_W_type;
}

/* The base type, or kind of step, that is written as the word; the count if none. */
static inline ln_base fr_base_of_word(fr_sym s)
{
    fr_sym n = s - FR_W_FIRST_BASE;
    return n < LN_BASE_COUNT ? (ln_base)n : LN_BASE_COUNT;
}

static inline ln_step fr_step_of_word(fr_sym s)
{
    fr_sym n = s - FR_W_FIRST_STEP;
    return n < LN_STEP_COUNT ? (ln_step)n : LN_STEP_COUNT;
}

/* The first 16 bytes of text as numbers, zeros behind its end: short texts are equal
 * if these and the lengths are. */
typedef struct fr_symbol_head {
    uint64_t low, high;
} fr_symbol_head;

/* `ptr` need not end with a zero: words are borrowed from the source as they stand. */
typedef struct fr_symbol {
    const char *ptr;
    uint32_t len;
    uint32_t hash;
    fr_symbol_head head;
} fr_symbol;

/* The hash is kept beside the number, so that most probes do not touch the symbol. */
typedef struct fr_symbol_slot {
    uint32_t hash;
    fr_sym sym; /* 0: free */
} fr_symbol_slot;

typedef struct fr_symbols {
    mt_arena *arena;
    fr_symbol *items; /* [0] is none */
    fr_symbol_slot *slots;
    uint64_t seed;           /* of the process; see symbols.c */
    uint32_t len, cap, mask; /* symbols, room for them, slots - 1 */
} fr_symbols;

/* Fills the table with the known words. */
void fr_symbols_init(fr_symbols *s, mt_arena *a);
/* The number of `text`; a new symbol borrows the text. At most 4 GB of text. */
fr_sym fr_intern(fr_symbols *s, mt_str text);
/* The number of `text` if it is interned, 0 otherwise. Symbols that are only looked up
 * are not added: tools ask without changing a unit. */
fr_sym fr_symbol_find(const fr_symbols *s, mt_str text);
/* Slow path of the lexer's inlined lookup: adds text known to be absent. */
fr_sym fr_symbol_add(fr_symbols *s, mt_str text, fr_symbol_head head, uint32_t hash);

static inline mt_str fr_text(const fr_symbols *s, fr_sym sym)
{
    return mt_str_from(s->items[sym].ptr, s->items[sym].len);
}

/* Multiply and fold: every bit of both numbers reaches the result. */
static inline uint64_t fr_fold(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t fr_hash_step(uint64_t h, fr_symbol_head part)
{
    return fr_fold(part.low ^ h, part.high ^ 0x9e3779b97f4a7c15u);
}

static inline uint32_t fr_hash_end(uint64_t h)
{
    return (uint32_t)(h ^ h >> 32);
}

/* Up to 16 bytes of p[0..len); reads no byte outside. */
static inline fr_symbol_head fr_symbol_part(const char *p, size_t len)
{
    fr_symbol_head part = {0, 0};
    memcpy(&part, p, len < sizeof part ? len : sizeof part);
    return part;
}

/* Hash of p[0..len) in steps of 16 bytes; reads no byte outside. */
static inline uint32_t fr_symbol_hash(uint64_t seed, const char *p, size_t len)
{
    uint64_t h = seed ^ len;
    do {
        size_t step = len < 16 ? len : 16;
        h = fr_hash_step(h, fr_symbol_part(p, step));
        p += step;
        len -= step;
    } while (len);
    return fr_hash_end(h);
}

#endif

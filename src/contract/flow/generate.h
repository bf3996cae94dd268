/* contract/flow/generate.h - values made up from types, and simpler ones.
 * Room: contract. May include base/ and contract/ only.
 * For properties that must hold for all facts: values at the ends of a range, at the
 * numbers the contract compares with and beside them, and any others. Money has the
 * digits of its currency. The same seed gives the same values everywhere.
 * Ownership: values live in the arena given; a generator borrows its model. */
#ifndef CT_FLOW_GENERATE_H
#define CT_FLOW_GENERATE_H

#include "base/vec.h"
#include "contract/wire/model.h"

/* A literal of the contract, with its type. */
typedef struct ct_hint {
    const ct_type *type;
    const ct_value *value;
} ct_hint;

typedef struct ct_generator {
    const ct_model *m;
    uint64_t state;
    MT_VEC(ct_hint) hints;
} ct_generator;

/* Literals are collected from rules, payloads and conditions, into `a`. */
ct_generator ct_generator_new(mt_arena *a, const ct_model *m, uint64_t seed);
/* A number below `below`, which is not 0. */
uint64_t ct_draw(ct_generator *g, uint64_t below);
/* Fills `out`, type->slots of them, with a value of the type. */
void ct_generate(ct_generator *g, mt_arena *a, const ct_type *type, ct_value *out);

/* Makes the value simpler, in place, as long as `still` says that it will do: towards
 * 0, the first choice, the empty text and list. Gives up where `still` says so by
 * *enough. Returns whether anything changed. */
typedef struct ct_shrinker {
    mt_arena *a;
    bool (*still)(void *state);
    void *state;
    const bool *enough;
} ct_shrinker;
bool ct_shrink(const ct_shrinker *s, const ct_type *type, ct_value *value);

#endif

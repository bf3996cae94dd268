/* tests/unit/contract/small_contract.h - random contracts whose facts have few values,
 * so that all fact sets can be tried.
 * Source text, rule by rule, with quantifiers, indices, variants, payloads and sums; it
 * elaborates. The same seed gives the same text. Shares nothing with src/contract. */
#ifndef TEST_SMALL_CONTRACT_H
#define TEST_SMALL_CONTRACT_H

#include "base/str.h"

enum { SMALL_FACTS = 5, SMALL_RULES = 5 };

typedef struct small_fact {
    mt_str name, type;    /* as the language writes it */
    const mt_str *values; /* JSON, every value of the type unless `sampled` */
    uint32_t count;
    bool sampled; /* there are more values than these */
} small_fact;

typedef struct small_rule {
    mt_str name, when, payload; /* payload: `Type = term` */
    int stratum;
} small_rule;

typedef struct small_contract {
    small_fact facts[SMALL_FACTS];
    uint32_t fact_count;
    small_rule rules[SMALL_RULES];
    uint32_t rule_count;
    uint64_t seed; /* goes on */
} small_contract;

/* `whole`: no fact is sampled, so every fact set can be tried. */
small_contract small_contract_new(mt_arena *a, uint64_t seed, bool whole);
/* One that is written: `facts` are kinds (b Bool, i Int 0..2, e Enum, l list of Int, r
 * record, t list of records, u union, h hours), named f0, f1, …; `rules` are
 * conditions, "condition | payload" with a payload, each in a stratum of its own: v0,
 * v1, … */
small_contract small_contract_of(mt_arena *a, const char *facts,
                                 const char *const *rules);
/* The source, with these conditions and payloads in place of the rules' own; NULL or an
 * empty text: the rule's own. */
mt_str small_source(mt_arena *a, const small_contract *c, const mt_str *whens,
                    const mt_str *payloads);
/* {"x": value} by the number of each fact's value. */
mt_str small_facts(mt_arena *a, const small_contract *c, const uint32_t *chosen);
/* The next combination of values of the facts with moves[i]; false: that was the last.
 */
bool small_next(const small_contract *c, const bool *moves, uint32_t *chosen);
uint64_t small_random(uint64_t *seed);

#endif

/* tests/unit/contract/random_contract.h - random contracts and fact sets for them.
 * Well typed by construction, with the type rules of the specification; values lean to
 * the edges. The same seed gives the same texts. */
#ifndef TEST_RANDOM_CONTRACT_H
#define TEST_RANDOM_CONTRACT_H

#include "base/str.h"

typedef struct random_contract random_contract;

random_contract *random_contract_new(mt_arena *a, uint64_t seed);
mt_str random_bundle(random_contract *c);
/* One in eight has a fault in it. */
mt_str random_facts(random_contract *c);

#endif

/* tests/unit/contract/random_source.h - random contract source, every construct and
 * nesting, written as tokens and laid out with noise.
 * Knows the language, not the formatter or the parser. A plain program is well typed
 * and elaborates; an edgy one has values at and beyond the limits of the types and of
 * the model, deep nesting, and now and then a token that does not belong. The same seed
 * gives the same text. */
#ifndef TEST_RANDOM_SOURCE_H
#define TEST_RANDOM_SOURCE_H

#include "contract/elaborate.h"

typedef enum random_source_kind { RANDOM_PLAIN, RANDOM_EDGY } random_source_kind;

typedef struct random_program {
    mt_memory_file files[2]; /* the root, and a library it may import */
    size_t count;
} random_program;

random_program random_source(mt_arena *a, uint64_t seed, random_source_kind kind);
/* A further number from a seed, for whoever shares one. */
uint64_t random_next(uint64_t *seed);

#endif

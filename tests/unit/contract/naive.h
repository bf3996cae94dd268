/* tests/unit/contract/naive.h - a second evaluator, to compare with the first.
 * A direct transcription of the specification's §5.2, §7 and §10 over the JSON trees of
 * bundle and facts. Slow on purpose; shares nothing with src/contract. */
#ifndef TEST_NAIVE_H
#define TEST_NAIVE_H

#include "base/json_read.h"

typedef struct naive_result {
    const char *fault; /* kind, NULL when there is none */
    mt_str where;      /* path of the fact, or rule */
    mt_str json;       /* {"verdicts":[…]} otherwise */
} naive_result;

naive_result naive_evaluate(mt_arena *a, const mt_json *bundle, const mt_json *facts);

#endif

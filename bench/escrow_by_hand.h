/* bench/escrow_by_hand.h - the escrow decision written by hand in C, as a baseline.
 * Two forms: on typed values, recording for every verdict which facts and verdicts it
 * rests on; and from JSON text to JSON text with a parser made for these five facts,
 * which checks UTF-8, types, ranges, lengths, duplicates and completeness. Both know
 * this one contract only and use nothing of the engine but the decimal. */
#ifndef BENCH_ESCROW_BY_HAND_H
#define BENCH_ESCROW_BY_HAND_H

#include "base/decimal.h"

enum { HAND_ITEMS = 100 };

typedef struct hand_item {
    mt_str id, description;
    mt_decimal amount;
    bool valid;
} hand_item;

typedef enum hand_status { HAND_PENDING, HAND_CONFIRMED, HAND_FAILED } hand_status;

typedef struct hand_facts {
    mt_decimal amount, threshold;
    hand_status status;
    bool refund;
    hand_item items[HAND_ITEMS];
    size_t item_count;
} hand_facts;

/* Bits of facts and verdicts; ORDER HAND_FACT_NAMES, HAND_RULES. */
typedef struct hand_verdicts {
    unsigned present;
    unsigned facts[8], verdicts[8]; /* what each rests on */
    const char *payload[8];         /* its JSON */
} hand_verdicts;

void hand_decide(const hand_facts *f, hand_verdicts *out);
/* False when the text is not a correct fact set. */
bool hand_read(mt_str json, hand_facts *out);
void hand_print(mt_buf *out, const hand_verdicts *v);

#endif

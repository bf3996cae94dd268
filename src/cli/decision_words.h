/* cli/decision_words.h - a decision (exec/evidence/decision.h) in words for people.
 * Room: cli. Used by receipts and audits, so that both say the same. */
#ifndef CLI_DECISION_WORDS_H
#define CLI_DECISION_WORDS_H

#include "base/json_read.h"

/* Everything is empty where the record says nothing about it. */
typedef struct cli_decision {
    mt_str time, kind, contract, etag;
    mt_str who;    /* "clerk 7 (t-1a2b)" */
    mt_str as;     /* the persona */
    mt_str what;   /* "operation release_escrow" */
    mt_str on;     /* "EscrowAccount/e1, DeliveryRecord/d1" */
    mt_str result; /* "done: released", "refused: precondition_failed" */
    mt_str why;    /* of a refusal */
    bool refused;
    bool decides; /* somebody asked for something, and this is what came of it */
} cli_decision;

/* From the canonical JSON of a decision; texts live in the arena. */
void cli_decision_read(mt_arena *a, const mt_json *decision, cli_decision *out);

/* Appends text from a ledger; what a terminal would obey is shown as \uXXXX. */
void cli_add_plain(mt_buf *out, mt_str text);

#endif

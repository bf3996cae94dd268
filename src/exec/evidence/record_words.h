/* exec/evidence/record_words.h - a ledger record in words, for people.
 * Room: exec. Pure: it is told from the record's body alone, so a copy that was
 * exported tells the same. */
#ifndef EX_RECORD_WORDS_H
#define EX_RECORD_WORDS_H

#include "base/json_read.h"
#include "base/str.h"

/* What happened, in one sentence: "release_escrow: EscrowAccount acc-1 held -> released
 * (released)". Of a kind that is not known here: its members. */
void ex_record_what(mt_buf *out, const mt_json *body);
/* Who did it: "escrow_agent (clerk)", "clerk", or nothing. */
void ex_record_who(mt_buf *out, const mt_json *body);
/* Why it was decided so, as lines: verdicts, facts with their values and where they
 * came from, or what refused it. Nothing where the record does not say. */
void ex_record_why(mt_buf *out, const mt_json *body);
/* A JSON value as people write it: text without quotes, 5000.00 USD. */
void ex_plain_value(mt_buf *out, const mt_json *value);

#endif

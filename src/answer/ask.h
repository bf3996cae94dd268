/* answer/ask.h - a question in words about a contract or a System.
 * Room: answer. */
#ifndef AW_ASK_H
#define AW_ASK_H

#include "analyze/facts/union.h"
#include "answer/reply.h"
#include "base/limits.h"

/* The answer is JSON or prose; with `smt2` (may be NULL) also what it rests on, as
 * SMT-LIB 2. AW_HOLDS: yes; AW_FAILS: no or unknown; AW_USAGE: it was not understood.
 */
typedef struct aw_question {
    mt_str text;
    uint32_t instances; /* of each entity, where the question does not say */
    bool json;
    mt_buf *smt2;
} aw_question;
int aw_ask(const an_union *about, const mt_limits *limits, const aw_question *q,
           aw_reply *r);

#endif

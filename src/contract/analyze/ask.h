/* contract/analyze/ask.h - questions about a contract, in a few words.
 * Room: contract, in the library contract_prove. May include base/ and contract/.
 *
 *     can PERSONA|anyone reach ENTITY.STATE
 *     can PERSONA|anyone move ENTITY from STATE to STATE
 *     can PERSONA|anyone perform OPERATION
 *         … with N instances
 *     can CONDITION hold
 *     who can reach ENTITY.STATE | move ENTITY from STATE to STATE | perform OPERATION
 *     when is CONDITION          when can OPERATION
 *     is CONDITION implied by CONDITION
 *     is CONDITION possible | always
 *
 * A CONDITION is made of verdicts, Bool facts, operations (their preconditions) and
 * comparisons, with and, or, not and parentheses. A question mark at the end is
 * ignored. Ownership: a reply lives in the arena. */
#ifndef CT_ANALYZE_ASK_H
#define CT_ANALYZE_ASK_H

#include "contract/analyze/prove.h"

typedef enum ct_reply_kind {
    CT_REPLY_YES,     /* also: somebody can, there is a condition */
    CT_REPLY_NO,      /* also: nobody, never */
    CT_REPLY_UNKNOWN, /* a limit was reached; the text says which */
    CT_REPLY_FAULT    /* the question was not understood: `text` says why */
} ct_reply_kind;

typedef struct ct_reply {
    ct_reply_kind kind;
    mt_str text;  /* for people, whole lines */
    mt_str json;  /* one object; empty for CT_REPLY_FAULT */
    size_t place; /* CT_REPLY_FAULT: offset in the question */
} ct_reply;

/* `p` is a prover over `program`, which is its first side. */
ct_reply ct_ask(mt_arena *a, ct_prover *p, const ct_program *program, mt_str question);

#endif

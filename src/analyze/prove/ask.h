/* analyze/prove/ask.h - questions about a contract, in a few words.
 * Room: analyze, in the library analyze_prove. May include base/ and contract/.
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
#ifndef AN_ANALYZE_ASK_H
#define AN_ANALYZE_ASK_H

#include "analyze/prove/prove.h"

typedef enum an_reply_kind {
    AN_REPLY_YES,     /* also: somebody can, there is a condition */
    AN_REPLY_NO,      /* also: nobody, never */
    AN_REPLY_UNKNOWN, /* a limit was reached; the text says which */
    AN_REPLY_FAULT    /* the question was not understood: `text` says why */
} an_reply_kind;

typedef struct an_reply {
    an_reply_kind kind;
    mt_str text;  /* for people, whole lines */
    mt_str json;  /* one object; empty for AN_REPLY_FAULT */
    size_t place; /* AN_REPLY_FAULT: offset in the question */
} an_reply;

/* `p` is a prover over `program`, which is its first side. */
an_reply an_ask(mt_arena *a, an_prover *p, const ct_program *program, mt_str question);

#endif

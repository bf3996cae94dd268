/* exec/contract/invariants.h - what a version must keep, decided before it is served.
 * Room: exec. A promise is a question whose answer must be yes (analyze/prove/ask.h);
 * those of the request and those of the configuration (`invariants`, by contract) count
 * alike. One that was not decided is not kept.
 * Threads: any number may ask; one at a time is answered, since the memory of the
 * solver is bounded for the whole process. */
#ifndef EX_CONTRACT_INVARIANTS_H
#define EX_CONTRACT_INVARIANTS_H

#include "analyze/prove/ask.h"

enum { EX_MOST_INVARIANTS = 1000 };

typedef struct ex_promises {
    an_invariant *items;
    size_t len, cap;
    size_t unmet; /* by the last ex_promises_judge() */
} ex_promises;

/* Adds a list of texts; NULL: nothing. MT_E_TYPE: `why` says what is wrong with it. */
mt_err ex_promises_add(mt_arena *a, const mt_json *list, ex_promises *to, mt_buf *why);
/* Adds those that the settings have for the contract. */
mt_err ex_promises_of(mt_arena *a, const mt_json *settings, mt_str contract,
                      ex_promises *to, mt_buf *why);
/* How many are not kept; their replies are in the list. */
size_t ex_promises_judge(mt_arena *a, const ct_program *program,
                         const mt_limits *limits, ex_promises *p);
/* One question about the contract, likewise. False: another is being answered. */
bool ex_question_ask(mt_arena *a, const ct_program *program, const mt_limits *limits,
                     mt_str question, an_reply *out);
/* The first that is not kept, as lines. */
void ex_promises_text(mt_buf *out, const ex_promises *p);
/* An array of all that are not. */
void ex_promises_json(mt_jw *w, const ex_promises *p);

#endif

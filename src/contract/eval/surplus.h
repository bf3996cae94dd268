/* contract/eval/surplus.h - what fact sets were given that their contract does not
 * know. Room: contract. May include base/ and contract/. ct_facts_read() passes such
 * members over and counts them; here they are told, a sentence each, with the nearest
 * name that there is. Names are escaped and cut, so a sentence may go to a terminal.
 * Ownership: sentences live in the arena given. */
#ifndef CT_EVAL_SURPLUS_H
#define CT_EVAL_SURPLUS_H

#include "base/json_read.h"
#include "contract/eval/facts.h"

/* So many are told; of the others, how many they are. */
enum { CT_SURPLUS_TOLD = 20 };

typedef struct ct_surplus {
    mt_arena *arena;
    mt_str told[CT_SURPLUS_TOLD];
    size_t len;   /* of told */
    size_t count; /* of all */
} ct_surplus;

/* Members of the text that `f` was last filled from and that no type knows, as far as
 * it was read; at least 1 if some value did not fit, since there may be more behind its
 * fault. Mostly 0, and then there is nothing to add. */
size_t ct_facts_surplus(const ct_facts *f);
/* Adds what is surplus in that text; `where` (may be empty) stands before each. */
void ct_surplus_add(ct_surplus *s, const ct_facts *f, mt_str json,
                    const mt_limits *limits, mt_str where);
/* The same of facts that are a tree already, and only what is inside the contract's. */
void ct_surplus_fields(ct_surplus *s, const ct_model *m, const mt_json *facts);
/* "and 7 more names that the contract does not have"; empty: all were told. */
mt_str ct_surplus_more(const ct_surplus *s);

#endif

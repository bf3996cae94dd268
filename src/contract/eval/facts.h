/* contract/eval/facts.h - fact sets: assembled once, checked to the leaves, immutable.
 * Room: contract. May include base/ and contract/.
 * From JSON text in one pass guided by the contract's types, or from typed values.
 * Ownership: a ct_facts owns its values; texts without escapes borrow from the JSON
 * text, which must live as long. Reuse it: after warm-up assembling allocates nothing.
 * Threads: belongs to one thread while it is filled, may be shared afterwards. */
#ifndef CT_EVAL_FACTS_H
#define CT_EVAL_FACTS_H

#include "contract/eval/fault.h"
#include "contract/wire/model.h"

typedef struct ct_facts ct_facts;

/* One set is filled again and again; the model must outlive it. */
ct_facts *ct_facts_new(const ct_model *m);
void ct_facts_free(ct_facts *f);

/* Fills the set from one JSON object, replacing what it held. Missing facts take their
 * default. MT_OK; MT_E_SYNTAX, MT_E_LIMIT, MT_E_TYPE: *fault says what and where; its
 * texts live until the set is filled again. `strict`: a fact the contract does not
 * declare is a fault (CT_FAULT_SURPLUS_FACT) instead of being ignored. */
mt_err ct_facts_read(ct_facts *f, mt_str json, const mt_limits *limits, bool strict,
                     ct_fault *fault);

/* From typed values: begin, set any number of facts, end. Values are checked as JSON
 * ones are; they and what they point to are borrowed. */
void ct_facts_begin(ct_facts *f);
/* Checks like ct_facts_read(). A value that is refused leaves the fact as it was. */
mt_err ct_facts_set(ct_facts *f, uint32_t fact, const ct_value *value, ct_fault *fault);
/* Defaults are filled in; MT_E_TYPE names a required fact that is missing. */
mt_err ct_facts_end(ct_facts *f, ct_fault *fault);
/* Room in the set for values that ct_facts_set() is to point at. */
mt_arena *ct_facts_arena(ct_facts *f);

/* The fact's slots, of its declared type. */
const ct_value *ct_facts_value(const ct_facts *f, uint32_t fact);
/* assertion_source (spec §5.3): given from outside, or the contract's default? */
bool ct_facts_external(const ct_facts *f, uint32_t fact);

#endif

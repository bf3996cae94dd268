/* contract/eval/facts_internal.h - shared by the two ways to fill a fact set.
 * Room: contract/eval, private to it. */
#ifndef CT_EVAL_FACTS_INTERNAL_H
#define CT_EVAL_FACTS_INTERNAL_H

#include "contract/eval/program_internal.h"

/* Starts a fault; always false. `detail` follows the path in the message. */
bool ct_fact_fault(mt_arena *a, ct_fault *fault, ct_fault_kind kind, mt_str detail);
/* The fault lies inside this member or element. */
void ct_fact_inside(mt_arena *a, ct_fault *fault, mt_str name);
void ct_fact_at(mt_arena *a, ct_fault *fault, size_t index);
/* Completes the message; the code that goes with it. */
mt_err ct_fact_finish(mt_arena *a, ct_fault *fault);

/* Gives every fact not yet given its default. */
bool ct_facts_complete(ct_facts *f, ct_fault *fault);
/* ["a", "b"] */
mt_str ct_choices_text(mt_arena *a, const ct_type *type);

/* Is it a key of the object that a value of this type may be written as? Keys of the
 * interchange's own form (`kind`) are, though a fact set says nothing by them. */
bool ct_fact_key_known(const ct_type *in, mt_str key);
/* The nearest of those keys; `in` NULL: of the facts. Empty: none is near. */
mt_str ct_fact_key_nearest(const ct_model *m, const ct_type *in, mt_str key);

#endif

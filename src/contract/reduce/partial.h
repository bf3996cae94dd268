/* contract/reduce/partial.h - evaluation with some facts unknown: what is left to
 * decide. Room: contract. May include base/ and contract/. For every rule: its verdict
 * is present, absent, or depends on a condition over what is unknown. The condition
 * comes to what the rule's own would for every completion of the facts, typed errors
 * included: a part that fails fails there, too, reading the facts that make it. (Limits
 * of steps and time are not facts and not kept.) A pure function of contract and known
 * facts. Ownership: a ct_partial owns what it says until it evaluates again; literals
 * in it borrow from the fact set. Threads: it belongs to one. */
#ifndef CT_REDUCE_PARTIAL_H
#define CT_REDUCE_PARTIAL_H

#include "contract/eval/facts.h"
#include "contract/eval/program.h"

typedef struct ct_partial ct_partial;

/* ORDER CT_PARTLY_NAMES. */
typedef enum ct_partly {
    CT_PARTLY_ABSENT,
    CT_PARTLY_PRESENT,
    CT_PARTLY_OPEN, /* depends on its condition */
    CT_PARTLY_FAILS /* of a condition: it ends in an error, whatever is unknown */
} ct_partly;
extern const char *const CT_PARTLY_NAMES[4]; /* "absent", "present", "depends", … */

/* What is left of a rule, or of a condition (which has no payload). */
typedef struct ct_left {
    uint8_t state;           /* ct_partly; of a condition: false, true, open, fails */
    const ct_expr *when;     /* OPEN, FAILS: over unknown facts and open verdicts */
    const ct_value *payload; /* of the rule's payload_type; NULL: absent or not known */
} ct_left;

/* Working room for one program, reused for any number of fact sets. */
ct_partial *ct_partial_new(const ct_program *p);
void ct_partial_free(ct_partial *x);
/* For the conditions that read nothing unknown. */
void ct_partial_limit(ct_partial *x, ct_patience patience);

/* Facts with unknown[i] set are not looked at. MT_OK; otherwise some rule ends in an
 * error whatever the unknown facts are, and *fault says which, with texts that live
 * until the next call. */
mt_err ct_partial_evaluate(ct_partial *x, const ct_facts *facts, const bool *unknown,
                           ct_fault *fault);

/* After that; `index` is a rule, or a condition of the model. What stays open reads
 * something: if it comes to one value wherever no rule fails, that is its state. */
const ct_left *ct_partial_rule(ct_partial *x, uint32_t index);
ct_left ct_partial_condition(ct_partial *x, uint32_t index, ct_fault *fault);
/* The same for any predicate of the model that stands outside a quantifier. */
ct_left ct_partial_predicate(ct_partial *x, const ct_expr *e, ct_fault *fault);

/* What is left, written over unknown facts alone: open verdicts are replaced by their
 * conditions. Where that cannot be written, or would be long, verdicts stay. It comes
 * to the same wherever no rule fails, and some rule fails then as before. */
const ct_expr *ct_partial_flat(ct_partial *x, const ct_expr *e);

const ct_model *ct_partial_model(const ct_partial *x);
bool ct_partial_unknown(const ct_partial *x, uint32_t fact);
const ct_facts *ct_partial_facts(const ct_partial *x);

#endif

/* contract/flow/why.h - why a predicate is true or false.
 * Room: contract. May include base/ and contract/ only.
 * A reason is a set of atoms (comparisons, verdict_present, Bool terms, quantifiers)
 * whose present values alone decide the predicate, whatever the others were: it then
 * comes to the same, and does not end in an error. A false conjunction needs one false
 * part, a false disjunction all of them; `not` turns it round; a false `forall` names
 * an element that breaks it. A part that may fail is named, too, where it comes first.
 * Ownership: everything lives in the arena given. */
#ifndef CT_FLOW_WHY_H
#define CT_FLOW_WHY_H

#include "base/vec.h"
#include "contract/eval/program.h"
#include "contract/reduce/partial.h"

typedef struct ct_reason {
    const ct_expr *atom; /* printed with ct_expr_text() */
    bool value;          /* what it came out as */
    ct_used used;        /* the facts and verdicts it read */
} ct_reason;

typedef struct ct_reasons {
    ct_reason *items;
    size_t len, cap;
} ct_reasons;

/* The smallest reason for the predicate being what it is; ties go to what is written
 * first. Each choice is made on its own, so where one atom stands in several parts a
 * smaller reason may exist. MT_E_OVERFLOW, MT_E_RANGE, MT_E_TYPE: it has no value,
 * *fault says why. */
mt_err ct_why(mt_arena *a, const ct_snapshot *s, const ct_expr *predicate, bool *value,
              ct_reasons *out, ct_fault *fault);

/* The same where facts are unknown: the atoms that decide it are known. *state says
 * what it comes to; there is no reason where that is open. */
mt_err ct_why_partly(mt_arena *a, ct_partial *x, const ct_expr *predicate,
                     ct_partly *state, ct_reasons *out, ct_fault *fault);

/* The facts at the root of what was read: those read, and for each verdict those its
 * own reason rests on, and so on. Indices in `a`, each once, in order of first use. */
uint32_t *ct_why_roots(mt_arena *a, const ct_snapshot *s, const ct_used *used,
                       uint32_t *count);

/* Every atom that has a part in it: all false parts of a false conjunction. */
mt_err ct_why_all(mt_arena *a, const ct_snapshot *s, const ct_expr *predicate,
                  bool *value, ct_reasons *out, ct_fault *fault);

#endif

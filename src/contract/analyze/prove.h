/* contract/analyze/prove.h - what no fact set can do, and a fact set for what one can.
 * Room: contract, in a library of its own (contract_prove): the only part that links a
 * solver. May include base/ and contract/.
 * A claim is a statement about what one or two contracts make of a fact set. Asking
 * whether a claim is possible gives a proof that it is not, a fact set for which it is
 * (the evaluator itself has confirmed it), or "unknown" with the reason. Predicates,
 * verdicts and arithmetic are modelled as the evaluator runs them; what the model
 * leaves open is treated as if it could be anything, so that a "never" stays a proof.
 * Ownership: claims and answers live in the arena they are made in; a prover borrows
 * the programs. Threads: a prover belongs to one thread. */
#ifndef CT_ANALYZE_PROVE_H
#define CT_ANALYZE_PROVE_H

#include "contract/eval/program.h"

typedef struct ct_prover ct_prover;
typedef struct ct_claim ct_claim;

/* Facts of the same name are the same fact. `second` may be NULL. `limits` gives the
 * prove_* rows and what facts may be; NULL: the defaults. */
ct_prover *ct_prover_new(const ct_program *first, const ct_program *second,
                         const mt_limits *limits);
void ct_prover_free(ct_prover *p);
const mt_limits *ct_prover_limits(const ct_prover *p);
/* Should fact sets be made plain (zero, false, empty where that will do)? They are
 * unless told otherwise; it takes a few more questions to the solver. */
void ct_prover_plain(ct_prover *p, bool plain);

/* ---- Claims -------------------------------------------------------------------- */

typedef enum ct_side { CT_FIRST, CT_SECOND } ct_side;

/* The evaluation ends without a fault and the predicate holds. NULL: it ends. */
const ct_claim *ct_claim_holds(mt_arena *a, ct_side side, const ct_expr *predicate);
/* The evaluation ends without a fault and the rule's verdict is present. */
const ct_claim *ct_claim_verdict(mt_arena *a, ct_side side, uint32_t rule);
const ct_claim *ct_claim_not(mt_arena *a, const ct_claim *c);
const ct_claim *ct_claim_and(mt_arena *a, const ct_claim *x, const ct_claim *y);
const ct_claim *ct_claim_or(mt_arena *a, const ct_claim *x, const ct_claim *y);

/* ---- Answers ------------------------------------------------------------------- */

typedef enum ct_possible { CT_NEVER, CT_POSSIBLE, CT_UNKNOWN } ct_possible;

typedef struct ct_answer {
    ct_possible possible;
    mt_str facts;  /* CT_POSSIBLE: one JSON object that both contracts accept */
    mt_str reason; /* CT_UNKNOWN: why, one line */
} ct_answer;

/* Is there a fact set for which the claim is true? */
ct_answer ct_prove_possible(ct_prover *p, mt_arena *a, const ct_claim *claim);
/* Ends the question being asked; it and later ones are unknown. The only function that
 * may be called while another runs: from a signal handler, or another thread. */
void ct_prover_interrupt(ct_prover *p);
bool ct_prover_stopped(const ct_prover *p);
/* Fact sets that an exact model promised and the evaluator refused: our fault. */
unsigned ct_prover_disagreements(const ct_prover *p);

/* ---- Comparing two predicates --------------------------------------------------- */

/* ORDER CT_RELATION_NAMES. */
typedef enum ct_relation {
    CT_REL_EQUAL,    /* hold for the same fact sets */
    CT_REL_WEAKER,   /* the new one holds wherever the old one did, and elsewhere */
    CT_REL_STRONGER, /* the new one holds only where the old one did, not everywhere */
    CT_REL_NEITHER,  /* each holds where the other does not */
    CT_REL_UNKNOWN
} ct_relation;
extern const char *const CT_RELATION_NAMES[5];

typedef struct ct_comparison {
    ct_relation relation;
    ct_answer gained; /* new holds, old does not */
    ct_answer lost;   /* old holds, new does not */
} ct_comparison;

/* Compares the predicate `old` of the first program with `now` of the second, over the
 * fact sets both contracts accept. A predicate that ends in a fault does not hold.
 * NULL: always holds. */
ct_comparison ct_prove_compare(ct_prover *p, mt_arena *a, const ct_expr *old,
                               const ct_expr *now);

#endif

/* analyze/prove/prove.h - what no fact set can do, and a fact set for what one can.
 * Room: analyze, in a library of its own (analyze_prove): the only part that links a
 * solver. May include base/ and contract/.
 * A claim is a statement about what one or two contracts make of a fact set. Asking
 * whether a claim is possible gives a proof that it is not, a fact set for which it is
 * (the evaluator itself has confirmed it), or "unknown" with the reason. Predicates,
 * verdicts and arithmetic are modelled as the evaluator runs them; what the model
 * leaves open is treated as if it could be anything, so that a "never" stays a proof.
 * Ownership: claims and answers live in the arena they are made in; a prover borrows
 * the programs. Threads: a prover belongs to one thread. */
#ifndef AN_ANALYZE_PROVE_H
#define AN_ANALYZE_PROVE_H

#include "contract/eval/program.h"

typedef struct an_prover an_prover;
typedef struct an_claim an_claim;

/* Facts of the same name are the same fact. `second` may be NULL. `limits` gives the
 * prove_* rows and what facts may be; NULL: the defaults. */
an_prover *an_prover_new(const ct_program *first, const ct_program *second,
                         const mt_limits *limits);
void an_prover_free(an_prover *p);
/* Those it was made with. */
const mt_limits *an_prover_limits(const an_prover *p);
/* Should fact sets be made plain (zero, false, empty where that will do)? They are
 * unless told otherwise; it takes a few more questions to the solver. */
void an_prover_plain(an_prover *p, bool plain);

/* From now on every question to the solver is written to `out` as a script of SMT-LIB
 * 2.6 with its status; scripts are separated by (reset). `about` stands before each as
 * a comment. NULL: no more. */
void an_prover_smt2(an_prover *p, mt_buf *out, mt_str about);

/* ---- Claims ---- */

typedef enum an_side { AN_FIRST, AN_SECOND } an_side;

/* The evaluation ends without a fault and the predicate holds. NULL: it ends. */
const an_claim *an_claim_holds(mt_arena *a, an_side side, const ct_expr *predicate);
/* The evaluation ends without a fault and the rule's verdict is present. */
const an_claim *an_claim_verdict(mt_arena *a, an_side side, uint32_t rule);
/* The rules before this one come through, and this one ends in a fault. */
const an_claim *an_claim_faults(mt_arena *a, an_side side, uint32_t rule);
const an_claim *an_claim_not(mt_arena *a, const an_claim *c);
const an_claim *an_claim_and(mt_arena *a, const an_claim *x, const an_claim *y);
const an_claim *an_claim_or(mt_arena *a, const an_claim *x, const an_claim *y);

/* ---- Answers ---- */

typedef enum an_possible { AN_NEVER, AN_POSSIBLE, AN_UNKNOWN } an_possible;

typedef struct an_answer {
    an_possible possible;
    mt_str facts;  /* AN_POSSIBLE: one JSON object that both contracts accept */
    mt_str reason; /* AN_UNKNOWN: why, one line */
} an_answer;

/* Is there a fact set for which the claim is true? */
an_answer an_prove_possible(an_prover *p, mt_arena *a, const an_claim *claim);
/* Ends the question being asked; it and later ones are unknown. The only function that
 * may be called while another runs: from a signal handler, or another thread. */
void an_prover_interrupt(an_prover *p);
/* By an_prover_interrupt(); answers are unknown from then on. */
bool an_prover_stopped(const an_prover *p);
/* Fact sets that an exact model promised and the evaluator refused: our fault. */
unsigned an_prover_disagreements(const an_prover *p);

/* ---- Comparing two predicates ---- */

/* ORDER AN_RELATION_NAMES. */
typedef enum an_relation {
    AN_REL_EQUAL,    /* hold for the same fact sets */
    AN_REL_WEAKER,   /* the new one holds wherever the old one did, and elsewhere */
    AN_REL_STRONGER, /* the new one holds only where the old one did, not everywhere */
    AN_REL_NEITHER,  /* each holds where the other does not */
    AN_REL_UNKNOWN
} an_relation;
extern const char *const AN_RELATION_NAMES[5];

typedef struct an_comparison {
    an_relation relation;
    an_answer gained; /* new holds, old does not */
    an_answer lost;   /* old holds, new does not */
} an_comparison;

/* Compares the predicate `old` of the first program with `now` of the second, over the
 * fact sets both contracts accept. A predicate that ends in a fault does not hold.
 * NULL: always holds. */
an_comparison an_prove_compare(an_prover *p, mt_arena *a, const ct_expr *old,
                               const ct_expr *now);

#endif

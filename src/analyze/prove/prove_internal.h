/* analyze/prove/prove_internal.h - how predicates become formulas.
 * Room: analyze, private to prove*.c.
 * Every value is made of Booleans and whole numbers: Int, Duration and Date as they
 * are, Decimal and Money times a power of ten, DateTime in nanoseconds, Enum, tags and
 * Text as the number of their text. A list is its length and a few elements that stand
 * for all of them (prove_lists.c). A question is asked in one of two worlds. In the
 * SMALL one every value is exact but some (Money, long lists) are held to a part of
 * their domain: what is possible there is possible. In the LARGE one nothing is left
 * out but more than can be is let in: what is impossible there is impossible. */
#ifndef AN_ANALYZE_PROVE_INTERNAL_H
#define AN_ANALYZE_PROVE_INTERNAL_H

#include <signal.h>

#include "analyze/prove/prove.h"
#include "base/late_z3.h"
#include "base/vec.h"
#include "contract/eval/facts.h"
#include "contract/reduce/may_fail.h"

/* 2000-01-01, where any day or moment will do. */
#define PV_PLAIN_DAY   10957
#define PV_PLAIN_NANOS "946684800000000000"

typedef enum pv_world { PV_SMALL, PV_LARGE } pv_world;

typedef struct pv_sym pv_sym;
struct pv_sym {
    const ct_type *type;
    Z3_ast v;        /* the value; a list's length; a union's tag */
    unsigned scale;  /* of a Decimal or Money: v is the value times 10^scale */
    unsigned digits; /* of those: |v| < 10^digits */
    Z3_ast plain;    /* of a fact with a default: that, where it can be */
    Z3_ast near;     /* the value that the one shown should be near to; or NULL */
    pv_sym **parts;  /* fields, payloads of the variants, elements */
    uint32_t count;  /* of parts */
    mt_str name;     /* path of the fact; of a list: what identifies it */
    bool whole;      /* a list: parts are all elements it can have */
    bool opaque;     /* a list: quantifiers over it are not looked into */
};

/* A term: its value, unless a fault or an absent verdict ended it. */
typedef struct pv_term {
    pv_sym *s;
    Z3_ast err, gone; /* where it faults; where the verdict is absent */
} pv_term;

typedef struct pv_pred {
    Z3_ast v, err; /* where it is true; where it faults */
} pv_pred;

/* What a rule comes to. */
typedef struct pv_rule {
    bool needed, done; /* by the question at hand */
    Z3_ast present;
    Z3_ast err; /* it faults, and no rule before it does */
    pv_sym *payload;
} pv_rule;

typedef struct pv_side {
    const ct_program *program;
    const ct_model *model;
    const bool *may_fault; /* by rule */
    ct_facts *facts;
    ct_verdicts *verdicts;
    /* Of the question being asked. */
    bool asked;
    pv_rule *rules;
    Z3_ast err; /* some rule faults */
} pv_side;

/* A list of a fact, by its path: `orders`, `orders[].items`. */
typedef struct pv_list {
    mt_str path; /* by which lists of both contracts are one */
    const ct_type *type;
    uint32_t prefix; /* elements read by position */
    bool by_value;   /* compared, or read at a computed position */
    bool visiting, known;
    uint32_t elements;        /* that stand for all; UINT32_MAX: no number would do */
    MT_VEC(uint32_t *) atoms; /* quantifiers over it: count, then outer list numbers */
} pv_list;

/* A fact of either contract. */
typedef struct pv_fact {
    mt_str id;
    const ct_type *type;       /* what both contracts accept; NULL: nothing */
    const ct_value *otherwise; /* default, where every contract that has it has one */
    bool left_out;             /* not given: each contract takes its own default */
    const ct_value *fixed;     /* the only value it has in this question; or NULL */
    pv_sym *s;                 /* of the question, once it is read */
} pv_fact;

struct an_prover {
    mt_arena keep; /* lives with the prover */
    mt_arena tmp;  /* of one question */
    mt_limits limits;
    bool plain;                    /* examples are made as plain as they can be */
    const ct_facts *near;          /* or as near to these as they can be; or NULL */
    volatile sig_atomic_t stopped; /* set by an_prover_interrupt() */
    unsigned disagreements;
    mt_buf *smt2;   /* where questions are written; NULL: nowhere */
    mt_str about;   /* a comment on them */
    bool nonlinear; /* two values were multiplied */
    pv_side sides[2];
    unsigned side_count;
    MT_VEC(pv_fact) facts;
    mt_map fact_names;    /* index + 1 */
    mt_str mismatch;      /* a fact no value of which both contracts accept; or empty */
    unsigned money_scale; /* in the small world */
    Z3_context z;
    Z3_sort int_sort, bool_sort;
    Z3_ast yes, no, zero;
    const char *missing; /* why the solver cannot be loaded, or NULL */
    bool broken;         /* the solver reported an error, or is missing */
    mt_map texts;        /* every text met: its number + 1 */
    MT_VEC(mt_str) text_list;
    /* Of one question. */
    pv_world world;
    bool restricted; /* the small world is not the whole one */
    bool loose;      /* something was left open */
    bool too_large;
    size_t unfolded;         /* bodies of quantifiers written out */
    MT_VEC(Z3_ast) bounds;   /* what is true of every fact set */
    MT_VEC(pv_sym *) leaves; /* of facts: for plain fact sets */
    MT_VEC(pv_sym *) text_leaves;
    MT_VEC(pv_list) lists;
    mt_map list_paths;
    size_t list_steps; /* bounds the look at lists */
    MT_VEC(pv_sym *) variables;
    mt_map claims; /* parts of the claim already seen: claims may share parts */
};

/* prove_smt.c: formulas; constants are folded where that is easy. */
Z3_ast pv_and(an_prover *p, Z3_ast a, Z3_ast b);
Z3_ast pv_or(an_prover *p, Z3_ast a, Z3_ast b);
Z3_ast pv_not(an_prover *p, Z3_ast a);
Z3_ast pv_if(an_prover *p, Z3_ast c, Z3_ast a, Z3_ast b);
Z3_ast pv_eq(an_prover *p, Z3_ast a, Z3_ast b);
Z3_ast pv_le(an_prover *p, Z3_ast a, Z3_ast b);
Z3_ast pv_lt(an_prover *p, Z3_ast a, Z3_ast b);
Z3_ast pv_add(an_prover *p, Z3_ast a, Z3_ast b);
Z3_ast pv_sub(an_prover *p, Z3_ast a, Z3_ast b);
Z3_ast pv_mul(an_prover *p, Z3_ast a, Z3_ast b);
Z3_ast pv_minus(an_prover *p, Z3_ast a);
Z3_ast pv_int(an_prover *p, int64_t value);
Z3_ast pv_digits(an_prover *p, mt_str digits);
/* 10^n */
Z3_ast pv_power(an_prover *p, unsigned n);
/* 10^28, times 10^n */
Z3_ast pv_word(an_prover *p, unsigned n);
Z3_ast pv_constant(an_prover *p, mt_str name, Z3_sort sort);
/* Is v a multiple of 10^digits? */
Z3_ast pv_divisible(an_prover *p, Z3_ast v, unsigned digits);
/* v / 10^digits, half to even. */
Z3_ast pv_round(an_prover *p, Z3_ast v, unsigned digits);
/* a <= v <= b */
Z3_ast pv_between(an_prover *p, Z3_ast v, Z3_ast a, Z3_ast b);
/* -most < v < most */
Z3_ast pv_within(an_prover *p, Z3_ast v, Z3_ast most);
/* Opens a context, false when the solver cannot. */
bool pv_open(an_prover *p);
void pv_close(an_prover *p);

/* prove_domain.c */
bool pv_facts_join(an_prover *p);
/* The value of a fact, free within its type. */
pv_sym *pv_fact_sym(an_prover *p, uint32_t fact);
/* A free value; `path` names it, `list_path` its lists. */
pv_sym *pv_free_sym(an_prover *p, const ct_type *type, mt_str path, mt_str list_path);
/* v times 10^(scale - its own), where the scale is not smaller. */
Z3_ast pv_scaled(an_prover *p, const pv_sym *s, unsigned scale);
/* A value of the contract as formulas. */
pv_sym *pv_literal(an_prover *p, const ct_type *type, const ct_value *value);
pv_sym *pv_scalar(an_prover *p, const ct_type *type, Z3_ast v);
/* `digits`: at most so many, which bounds sums without asking the solver. */
pv_sym *pv_number(an_prover *p, const ct_type *type, Z3_ast v, unsigned scale,
                  unsigned digits);
/* The number of the text. */
Z3_ast pv_text(an_prover *p, mt_str text);
/* c ? a : b, part by part. */
pv_sym *pv_sym_if(an_prover *p, Z3_ast c, pv_sym *a, pv_sym *b);
/* Equality of any two comparable values. */
Z3_ast pv_sym_eq(an_prover *p, const pv_sym *a, const pv_sym *b);
/* Both at the larger scale. */
void pv_align(an_prover *p, const pv_sym *a, const pv_sym *b, Z3_ast *x, Z3_ast *y);
/* A value nothing is known of but that equal keys have equal ones. */
Z3_ast pv_opaque(an_prover *p, Z3_sort sort, const char *what, Z3_ast a, Z3_ast b);
/* Bounds of texts, once all are known. */
void pv_text_bounds(an_prover *p);

/* From now on the fact has this value and no other; NULL: any again. One contract. */
void pv_fix(an_prover *p, mt_str fact, const ct_value *value);
/* From now on the fact is not given, where both contracts have a default for it. */
void pv_leave_out(an_prover *p, mt_str fact, bool yes);

/* prove_lists.c: how many elements stand for a list, seen from the predicates that are
 * going to be translated. */
void pv_lists_begin(an_prover *p);
void pv_lists_look(an_prover *p, const pv_side *side, const ct_expr *e);
void pv_lists_count(an_prover *p);
/* NULL: no quantifier and no index looks at it. */
const pv_list *pv_list_at(const an_prover *p, mt_str path);

/* prove_term.c */
pv_term pv_translate_term(an_prover *p, pv_side *side, const ct_expr *e);
/* The payload of a rule in its declared type; an absent verdict is a fault. */
pv_term pv_translate_payload(an_prover *p, pv_side *side, const ct_rule *r);

/* prove_predicate.c */
pv_pred pv_translate(an_prover *p, pv_side *side, const ct_expr *e);
/* Which rules the predicate and the rules that may fault need, and what they read. */
void pv_need(pv_side *side, const ct_expr *e);
/* Also what needed rules read, and every rule that may fault. */
void pv_need_all(pv_side *side);
/* Translates what is needed; side->err is set. */
void pv_translate_rules(an_prover *p, pv_side *side);

/* prove_plain.c: a model of the same formulas with values that people write. */
Z3_model pv_make_plain(an_prover *p, Z3_solver s, Z3_model m);
/* Values that are shown are to be near to these, part by part. */
void pv_set_near(an_prover *p, pv_sym *s, const pv_sym *given);

/* prove_witness.c */
/* The fact set of a model of the formulas, as JSON. */
mt_str pv_witness(an_prover *p, mt_arena *a, Z3_model model);
/* Is the claim true of the fact set, says the evaluator? */
bool pv_confirm(an_prover *p, const an_claim *claim, mt_str facts);

/* What is noted about a part of the claim; *added: nothing was yet. */
uintptr_t *pv_claim_note(mt_arena *a, mt_map *notes, const an_claim *c, bool *added);

/* prove.c */
typedef enum pv_claim_op { PV_HOLDS, PV_FAULTS, PV_NOT, PV_AND, PV_OR } pv_claim_op;
struct an_claim {
    pv_claim_op op;
    an_side side;
    const ct_expr *predicate; /* PV_HOLDS */
    uint32_t rule;            /* PV_FAULTS */
    const an_claim *x, *y;
};

#endif

/* contract/eval/program_internal.h - the code a model compiles to.
 * Room: contract/eval, private to it, and to generate, which prints it as C.
 * Code is one array of 32-byte instructions: the rules in order of evaluation, one
 * after the other, then the conditions. A test jumps or falls through, so `and`, `or`
 * and `not` cost nothing. An operand is a base register and a slot offset: base 0 is
 * the fact set, 1 the constants, 2 temporaries; higher ones hold what is found while
 * running (a quantifier's element, a list item, a union's payload, a verdict's). */
#ifndef CT_EVAL_PROGRAM_INTERNAL_H
#define CT_EVAL_PROGRAM_INTERNAL_H

#include "contract/eval/facts.h"
#include "contract/eval/program.h"

enum { CT_AT_FACTS, CT_AT_CONSTANTS, CT_AT_TEMPS, CT_AT_FIRST_FREE };

typedef enum ct_code {
    /* Tests: jump to `target` when bit (order + 1) of `mask` is set, where order is
     * -1, 0 or 1; CT_CODE_BOOL uses bit 0 for false and bit 1 for true. */
    CT_CODE_BOOL,
    CT_CODE_INT,
    CT_CODE_DECIMAL,
    CT_CODE_TEXT,
    CT_CODE_CHOICE,
    CT_CODE_TIME,
    CT_CODE_SECONDS, /* durations; `wide` = seconds per unit of a | of b << 32 */
    CT_CODE_DEEP,    /* any two comparable values; `extra`, `extra`+1: their types;
                        `wide`: they can be large */
    CT_CODE_HAVE,    /* verdicts: jump when (present[extra] & wide) differs from want */
    CT_CODE_JUMP,
    /* Quantifiers: a list; `base` walks its elements. */
    /* `wide` is what one element costs in steps; all are paid for at the beginning. */
    CT_CODE_EACH, /* jump when the list is empty */
    CT_CODE_NEXT, /* back to `b` with the next element, or jump when there is none */
    CT_CODE_ALL_BOOL, /* jump when some element's Bool at slot b is in `mask` */
    /* What was read. */
    CT_CODE_TOUCH,          /* mask |= wide */
    CT_CODE_TOUCH_IN_ORDER, /* site `extra`, unless it was touched before */
    CT_CODE_FORGET,         /* nothing was read yet */
    /* Terms: into register `base`, or temporary `b` where nothing else is said. */
    CT_CODE_PAYLOAD, /* of verdict `extra`; jump when absent */
    CT_CODE_NEED,    /* likewise; absent is a fault */
    CT_CODE_VARIANT, /* payload of tag `extra`; another tag is a fault */
    CT_CODE_TAG,     /* temporary `target` = tag of a */
    CT_CODE_LEN,
    CT_CODE_INDEX, /* element number b of list a, `extra` slots each */
    CT_CODE_COPY,  /* temporaries from `target` on = the `extra` values at a */
    CT_CODE_LIST,  /* temporary `target` = list of `extra` elements at a */
    CT_CODE_UNION, /* temporary `target` = union of tag `extra` with the payload at a */
    CT_CODE_TO_DECIMAL,
    CT_CODE_ADD_INT, /* from here: temporary `target` = a op b, of type `extra` */
    CT_CODE_SUB_INT,
    CT_CODE_MUL_INT,
    CT_CODE_ADD_DECIMAL,
    CT_CODE_SUB_DECIMAL,
    CT_CODE_MUL_DECIMAL,  /* by a literal: rounded to the type's scale */
    CT_CODE_MUL_DECIMALS, /* of two variables: to 28 digits besides */
    CT_CODE_ADD_MONEY,
    CT_CODE_SUB_MONEY,
    CT_CODE_ADD_DURATION, /* `wide`: factors, as for CT_CODE_SECONDS */
    CT_CODE_SUB_DURATION,
    CT_CODE_ADD_TIME, /* DateTime a, Duration b in `wide` seconds */
    CT_CODE_TIME_DIFFERENCE,
    CT_CODE_FIT_INT, /* from here: temporary `target` = a, if it is of type `extra` */
    CT_CODE_FIT_DECIMAL,
    CT_CODE_FIT_TEXT,
    /* Ends. */
    CT_CODE_PRODUCE,      /* verdict `extra` with payload a; it used `wide` as well */
    CT_CODE_PRODUCE_COPY, /* the same when a is a temporary */
    CT_CODE_DONE,         /* all rules are evaluated */
    CT_CODE_TRUE,         /* a condition holds, or not */
    CT_CODE_FALSE
} ct_code;

typedef struct ct_insn {
    uint8_t op;   /* ct_code */
    uint8_t mask; /* of tests */
    uint16_t a_base, b_base;
    uint16_t base; /* register that is set */
    uint32_t a, b; /* slot offsets from their bases */
    uint32_t target;
    uint32_t extra;
    uint64_t wide;
} ct_insn;

/* Places where a fact or a verdict is read, in the order they are written. */
typedef struct ct_site {
    bool is_verdict;
    uint32_t index; /* of the fact or the rule */
} ct_site;

/* How a piece of code records what it read. */
typedef enum ct_trace {
    CT_TRACE_STATIC, /* every site, always: nothing is recorded */
    CT_TRACE_MASK,   /* one bit per site; their order is the order of use */
    CT_TRACE_ORDER   /* sites in order of first use: loops, or more than 64 sites */
} ct_trace;

/* The code of one rule or condition. */
typedef struct ct_piece {
    uint32_t start, end; /* instructions */
    uint32_t first_site, site_count;
    uint8_t trace;
    uint32_t order_at; /* CT_TRACE_ORDER in a rule: its room in ct_verdicts.order */
    uint32_t first_loop, loop_count; /* of ct_program.loops */
} ct_piece;

/* A comparison of texts takes a step for so many bytes. */
enum { CT_TEXT_OF_A_STEP = 256 };

typedef enum ct_loop_kind {
    CT_LOOP_LIST,  /* a quantifier */
    CT_LOOP_TEXT,  /* a comparison of two texts, which may be long */
    CT_LOOP_WHOLE, /* a comparison that walks all there is in a value, lists in lists
                      too */
} ct_loop_kind;

/* What takes longer the larger the facts are: for the bound of work.c. In the order of
 * the expression, so what is inside a loop follows it, one deeper. */
typedef struct ct_loop {
    uint8_t kind;
    uint32_t depth;  /* 1: inside no other */
    uint32_t weight; /* steps of one turn, without those of loops inside */
    uint32_t slot;   /* of list or text in the fact set; CT_NONE: found while running */
    uint32_t other;  /* of the other text, likewise */
    uint32_t max;    /* its declared length; of text in steps */
} ct_loop;

/* What came of a condition (ct_remember). */
typedef struct ct_memo {
    bool known, holds;
    mt_err err; /* MT_OK, or why it has no value; never MT_E_TIMEOUT */
    ct_fault fault;
    uint64_t mask; /* sites it touched, as in ct_verdicts */
    const uint32_t *order;
} ct_memo;

/* What of a verdict's JSON does not depend on the facts (report.c). By rule. */
typedef struct ct_json_parts {
    mt_str payload; /* constant payload; empty when it is computed */
    mt_str used;    /* facts_used and what precedes it, when static; else empty */
    mt_str between; /* `],"rule":"…","stratum":n,"verdicts_used":[` */
    mt_str end;     /* `]},"type":"…"}` */
} ct_json_parts;

struct ct_program {
    const ct_model *model;
    const ct_insn *code;       /* rules by stratum, CT_CODE_DONE, then conditions */
    const ct_value *constants; /* literals and folded terms */
    const ct_type *const *types;
    const ct_site *sites; /* what pieces read, piece after piece */
    const ct_piece *rules, *conditions;
    /* For whoever prints a program: by constant its type, NULL inside a record. */
    const ct_type *const *constant_types;
    uint32_t code_count, constant_count, type_count, site_count;
    uint32_t rules_end; /* instructions before it belong to rules */
    uint32_t bases, temps, seen_words, present_words;
    uint32_t order_room, condition_order; /* the latter: where conditions write */
    const ct_json_parts *json;            /* by rule */
    const ct_loop *loops;                 /* those of rules, then of conditions */
    uint32_t loop_count, rule_loops;
    uint64_t nodes; /* of all expressions, each counted once */
};

struct ct_facts {
    const ct_model *model;
    ct_value *values; /* by slot, as the model lays them out */
    uint8_t *given;   /* by fact: was it asserted from outside? */
    mt_arena arena;   /* texts, list elements, payloads; errors */
    uint16_t *notes;  /* which member followed which in the objects read so far */
    ct_value *room;   /* the memory behind values, given and notes */
    size_t surplus;   /* members of the last text that no type knows */
    bool passed_over; /* a value did not fit: behind its fault there may be more */
};

struct ct_verdicts {
    const ct_program *program;
    uint64_t *present;        /* one bit per rule */
    const ct_value **payload; /* by rule, where present */
    uint64_t *used;           /* by rule: CT_TRACE_MASK bits */
    uint32_t *order;          /* CT_TRACE_ORDER: count, then sites, at order_at */
    ct_value *store;          /* by rule: payloads that were computed */
    /* Working room. */
    const ct_value **bases;
    uint32_t *left; /* by register: elements a quantifier still has to see */
    ct_value *temps;
    uint64_t *seen; /* sites touched, CT_TRACE_ORDER */
    uint64_t mask;  /* what a condition touched */
    /* Of the budget of what is being evaluated: in memory, not in the loop's registers,
     * which are needed for what every instruction does. */
    int64_t steps_left;   /* of the slice that was taken last */
    uint64_t steps_taken; /* beyond the first slice */
    ct_patience patience;
    int64_t first_slice; /* of its steps, which nobody has to be asked for */
    ct_memo *memo;       /* by condition; NULL: none is kept */
};

/* The working state that an instruction stream needs besides the above. Aligned,
 * because where the loop lies moves its speed by a tenth, and what is linked before it
 * would decide that. */
mt_err ct_program_run(const ct_program *p, const ct_insn *pc, const ct_value *facts,
                      const ct_verdicts *read, ct_verdicts *work, bool *holds,
                      mt_arena *errors, ct_fault *fault) __attribute__((aligned(64)));

/* work.c: can a value be large, that is, are there lists or long texts in it; how many
 * steps it takes to walk it: one for each element of a list, and those of texts. */
bool ct_type_is_large(const ct_type *t);
uint64_t ct_breadth(const ct_type *t, const ct_value *v);

/* report.c: prepares ct_program.json. */
void ct_prepare_json(mt_arena *keep, ct_program *p);

/* compile.c: one condition, for ct_holds_expr(). The program borrows from `base`. */
const ct_program *ct_compile_one(mt_arena *keep, const ct_program *base,
                                 const ct_expr *predicate);
/* What the piece read, as names. */
ct_used ct_piece_used(mt_arena *a, const ct_program *p, const ct_piece *piece,
                      uint64_t mask, const uint32_t *order);

#endif

/* analyze/prove/ask_internal.h - shared by the kinds of questions.
 * Room: analyze, private to ask*.c. */
#ifndef AN_ANALYZE_ASK_INTERNAL_H
#define AN_ANALYZE_ASK_INTERNAL_H

#include "analyze/facts/joint.h"
#include "analyze/prove/ask.h"
#include "base/json_write.h"
#include "base/vec.h"
#include "contract/flow/scenario.h"

typedef enum ask_token_kind {
    ASK_WORD,
    ASK_TEXT,
    ASK_NUMBER,
    ASK_SIGN,
    ASK_END
} ask_token_kind;

typedef struct ask_token {
    ask_token_kind kind;
    mt_str text; /* of ASK_TEXT without its quotes */
    size_t at;
} ask_token;

typedef struct asker {
    mt_arena *a;
    an_prover *p;
    const ct_program *program;
    const ct_model *m;
    MT_VEC(ask_token) tokens;
    size_t next;  /* the token to be read */
    mt_str error; /* the first fault; empty: none */
    size_t place;
    unsigned depth;
    mt_buf text; /* the reply for people */
    /* The reply's object: what there is of it. */
    mt_str alone, condition, covers, facts, path, personas, reason, undecided, ways;
    const char *proof; /* "proven", "facts", "trace" or "none" */
} asker;

/* Notes the fault (the first counts) at the token; always false. */
bool ask_fault(asker *k, const ask_token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The token that is next; never NULL, the last one is ASK_END. */
const ask_token *ask_peek(const asker *k);
/* Takes the next token if it is this word or sign. */
bool ask_take(asker *k, const char *word);
/* The same; a fault otherwise. */
bool ask_want(asker *k, const char *word);
bool ask_want_name(asker *k, ask_token *out);

/* ask_condition.c: NULL after a fault. */
const ct_expr *ask_condition(asker *k);
ct_expr *ask_expr(mt_arena *a, ct_op op, const ct_expr *left, const ct_expr *right);

/* ask_when.c: the condition over facts alone, as short as proofs make it. */
typedef struct ask_weakest {
    an_possible holds, fails; /* for some fact set? */
    const ct_expr *condition; /* where both can be */
    bool exact;               /* proven to be the same */
    mt_str facts;             /* for which it holds */
    mt_str reason;
} ask_weakest;
/* The condition on facts under which it holds, as short as proofs can make it. */
ask_weakest ask_weakest_of(asker *k, const ct_expr *e);

/* Nothing follows, or a fault. */
bool ask_at_end(asker *k);

/* ---- questions about personas ---- */

/* What is asked: to reach `to`, to go from `from` to `to`, or to perform. */
typedef struct ask_goal {
    uint32_t entity;    /* of a performed operation: the first it moves, or CT_NONE */
    uint32_t from, to;  /* CT_NONE: any */
    uint32_t operation; /* CT_NONE: any */
    uint32_t instances; /* of each entity type */
} ask_goal;

typedef struct ask_step {
    an_joint_step step;
    uint32_t persona;
    bool named; /* several outcomes match, so the caller names this one */
} ask_step;

/* How a persona gets there. */
typedef struct ask_way {
    bool found;            /* the engine executed every step */
    bool alone;            /* nobody else acts */
    bool alone_open, open; /* not decided: without others; at all */
    ask_step *steps;
    uint32_t count;
} ask_way;

/* A question under way; ask_way.c. */
typedef struct ask_search {
    asker *k;
    const ct_plan *plan;
    ask_goal goal;
    ct_bench bench;      /* executes the ways that are shown */
    an_answer *possible; /* by operation */
    bool *asked;
    an_setting scene;    /* everybody */
    an_outline outline;  /* by structure alone */
    an_outline proven;   /* without what the solver rules out; made when first needed */
    bool guess;          /* an operation that is not decided counts as possible */
    bool unsure, cut;    /* one was met; the bound was met */
    mt_str reason;       /* of the first thing not decided */
    uint64_t *moved;     /* bit per effect of the plan: `mover` can cause it */
    bool moved_open;     /* there may be more of them */
    uint32_t mover;      /* CT_NONE: nobody is watched */
    uint64_t *entities;  /* bit per entity: searched */
    size_t joint_states; /* of the widest search, all of them unless `cut` */
} ask_search;

/* false: the engine refuses the contract; k->reason says why. */
bool ask_search_open(asker *k, const ask_goal *g, ask_search *out);
void ask_search_close(ask_search *s);
/* The way of one persona (CT_NONE: of anybody), alone if that can be. */
ask_way ask_way_of(ask_search *s, uint32_t persona);
/* The same of every persona, by index, and what `mover` does. */
ask_way *ask_ways(ask_search *s, uint32_t mover);
/* Proven for however many instances? Only where nobody gets there. */
bool ask_never(ask_search *s, uint32_t persona);
/* Asks the solver once per operation. */
const an_answer *ask_can_hold(ask_search *s, uint32_t operation);

/* ask_reach.c: the questions about personas, from the word after `can` on. */
an_reply_kind ask_persona(asker *k, bool who);
bool ask_is_persona(const asker *k);
/* Says why; never says no. */
an_reply_kind ask_unknown(asker *k, mt_str reason);

#endif

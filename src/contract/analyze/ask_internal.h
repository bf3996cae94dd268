/* contract/analyze/ask_internal.h - shared by the kinds of questions.
 * Room: contract, private to ask*.c. */
#ifndef CT_ANALYZE_ASK_INTERNAL_H
#define CT_ANALYZE_ASK_INTERNAL_H

#include "base/json_write.h"
#include "base/vec.h"
#include "contract/analyze/ask.h"

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
    ct_prover *p;
    const ct_program *program;
    const ct_model *m;
    MT_VEC(ask_token) tokens;
    size_t next;
    mt_str error; /* the first fault; empty: none */
    size_t place;
    unsigned depth;
    mt_buf text; /* the reply for people */
    /* The reply's object: what there is of it. */
    mt_str condition, facts, path, personas, reason;
    const char *proof; /* "proven", "facts", "structure" or "none" */
} asker;

/* Notes the fault (the first counts) at the token; always false. */
bool ask_fault(asker *k, const ask_token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
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
    ct_possible holds, fails; /* for some fact set? */
    const ct_expr *condition; /* where both can be */
    bool exact;               /* proven to be the same */
    mt_str facts;             /* for which it holds */
    mt_str reason;
} ask_weakest;
ask_weakest ask_weakest_of(asker *k, const ct_expr *e);

/* Nothing follows, or a fault. */
bool ask_at_end(asker *k);

/* ask_reach.c: the questions about personas, from the word after `can` on. */
ct_reply_kind ask_persona(asker *k, bool who);
bool ask_is_persona(const asker *k);

#endif

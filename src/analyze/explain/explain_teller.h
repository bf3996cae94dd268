/* analyze/explain/explain_teller.h - reasons told from the top down to facts.
 * Room: analyze. Private to analyze/explain*.c. */
#ifndef AN_ANALYZE_EXPLAIN_TELLER_H
#define AN_ANALYZE_EXPLAIN_TELLER_H

#include "analyze/explain/explain.h"
#include "analyze/explain/explain_form.h"

/* `told` has a bit per rule whose verdict was explained; prose and JSON use it
 * alike. Of `z` and `x` one is there: all facts are known, or some are not. */
typedef struct an_teller {
    mt_arena a;
    const ct_frozen *z;
    ct_partial *x;
    const ct_model *m;
    const ct_facts *facts;
    an_prose p;
    mt_jw *w; /* JSON instead of prose */
    uint64_t *told;
    ct_partial *deep; /* all reasons and remedies, too; NULL: no */
} an_teller;

/* To be released with mt_arena_free(&t->a). */
void an_teller_start(an_teller *t, const ct_frozen *z, mt_buf *out,
                     an_explain_form form);
void an_teller_start_partly(an_teller *t, ct_partial *x, mt_buf *out,
                            an_explain_form form);

/* "because ... / and ...", with the facts and verdicts they read. */
void an_tell_reasons(an_teller *t, unsigned depth, const ct_reasons *reasons);
/* The same for the smallest reason of a condition. */
void an_tell_condition(an_teller *t, unsigned depth, const ct_expr *e);
/* Each verdict that the expression reads, and why it is as it is. */
void an_tell_verdicts(an_teller *t, unsigned depth, const ct_expr *e);

/* Member "why" of the open object, if it is to be told (explain_deep.h). */
void an_tell_why(an_teller *t, const ct_expr *e);
/* Arrays in the writer. */
void an_tell_reasons_json(an_teller *t, const ct_reasons *reasons);
void an_tell_condition_json(an_teller *t, const ct_expr *e);
void an_tell_verdicts_json(an_teller *t, const ct_expr *e);

#endif

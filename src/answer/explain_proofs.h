/* answer/explain_proofs.h - what an explanation asks the solver.
 * Room: answer. */
#ifndef AW_EXPLAIN_PROOFS_H
#define AW_EXPLAIN_PROOFS_H

#include "analyze/explain/explain.h"
#include "answer/case.h"

/* One of them; the other is CT_NONE. */
typedef struct aw_subject {
    uint32_t rule, operation;
} aw_subject;

/* Every minimal reason. */
int aw_explain_all(aw_case *x, const aw_subject *what, bool json, an_explain_form form,
                   aw_reply *r);
/* The smallest change of facts under which it holds. */
int aw_explain_change(aw_case *x, const aw_subject *what, bool json, aw_reply *r);

#endif

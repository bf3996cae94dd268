/* answer/explain.h - a contract in prose or JSON, and why things are so.
 * Room: answer. */
#ifndef AW_EXPLAIN_H
#define AW_EXPLAIN_H

#include "analyze/explain/explain.h"
#include "answer/case.h"

/* What is explained: one of verdict, operation and flow, or the whole contract. Texts
 * that are not given have ptr NULL. */
typedef struct aw_explain_request {
    mt_str verdict, operation, flow;
    mt_str persona;   /* for a flow; of an operation: who tries it */
    bool all, change; /* every minimal reason; the smallest change of facts */
    bool states;      /* states were given: an operation is judged by them, too */
    bool json;
    an_explain_form form; /* of prose */
    bool verbose;         /* of the whole contract: everything */
    aw_holes *holes;      /* evaluated; NULL: all facts are known */
} aw_explain_request;

/* Does it fit together? AW_USAGE: no. `holes`: some facts will be left open. */
int aw_explain_check(const aw_explain_request *q, bool holes, aw_reply *r);
/* Is it about facts, not about the contract alone? */
bool aw_explain_needs_facts(const aw_explain_request *q);
/* The case has what the request needs: facts and states, or holes. AW_HOLDS if the
 * verdict is present, the flow open, the operation possible or a change found. */
int aw_explain(aw_case *x, const aw_explain_request *q, aw_reply *r);

#endif

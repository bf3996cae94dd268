/* graph/expression.h - a formula in a manifest becomes a cluster of standard
 * primitives. Room: graph. May include base/ only. expression := or or      := and
 * ("or" and)*                 and := not ("and" not)* not     := "not" not | compare
 *     compare := sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
 *     sum     := product (("+" | "-") product)*
 *     product := unary (("*" | "/") unary)*
 *     unary   := "-" unary | atom
 *     atom    := number | "true" | "false" | name | call | "(" expression ")"
 *     call    := name "(" expression ("," expression)* ")"
 * Names are inputs and parameters of the manifest. Calls: abs(n) min(n, n) max(n, n)
 * select(b, x, x) append(s, n) window(s, NUMBER) mean(s) sum(s) len(s)
 * safe_divide(n, n, NUMBER). A literal in a call's parameter place must be a number or
 * a parameter's name. A Compute has one output, of the expression's type. A Trigger's
 * expression is Bool; an Event input of the Trigger (at most one) gates it. */
#ifndef GR_EXPRESSION_H
#define GR_EXPRESSION_H

#include "graph/cluster.h"
#include "graph/manifest.h"

/* NULL when the expression is wrong; reported under "X.10" for types and
 * "expression.syntax" otherwise. */
const gr_cluster *gr_expression_cluster(mt_arena *a, const gr_manifest *m,
                                        const gr_subject *s);

#endif

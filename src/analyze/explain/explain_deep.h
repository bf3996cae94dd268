/* analyze/explain/explain_deep.h - everything there is to say about a condition.
 * Room: analyze. May include base/ and contract/ only. */
#ifndef AN_ANALYZE_EXPLAIN_DEEP_H
#define AN_ANALYZE_EXPLAIN_DEEP_H

#include "base/json_write.h"
#include "contract/eval/program.h"
#include "contract/reduce/partial.h"

/* Writes {"changes","reasons","reasons_left_out","tree"} of the condition on this
 * snapshot:
 *   tree     its parts with their values, through the verdicts they read;
 *   reasons  every smallest set of parts over facts that decides it;
 *   changes  sets of facts which, changed alone, can make it come out otherwise, each
 *            with the condition under which it does.
 * `x` is working room of the same program; a change that it does not confirm is not
 * told. */
void an_explain_deep(mt_jw *w, const ct_snapshot *s, ct_partial *x, const ct_expr *e);

#endif

/* contract/flow/partly.h - what is left to decide, told: verdicts and operations.
 * Room: contract. May include base/ and contract/ only.
 * Conditions are in the language, over unknown facts where that can be written. */
#ifndef CT_FLOW_PARTLY_H
#define CT_FLOW_PARTLY_H

#include "base/json_write.h"
#include "contract/flow/plan.h"
#include "contract/reduce/partial.h"

/* Of a precondition: "refused", "holds", "depends", "error". ORDER ct_partly. */
extern const char *const CT_PARTLY_OPERATION_NAMES[4];
/* What is left of an operation's precondition; PRESENT where it has none. */
ct_left ct_partly_operation(ct_partial *x, uint32_t operation, ct_fault *fault);

/* The condition, over unknown facts alone where that can be written, as text in `a`. */
mt_str ct_partly_text(mt_arena *a, ct_partial *x, const ct_expr *e);

/* Members "operations", "unknown" and "verdicts" of an open object, in that order. */
void ct_partly_members(mt_jw *w, ct_partial *x);
/* {"operations","unknown","verdicts"} */
void ct_partly_json(mt_buf *out, ct_partial *x);
/* The same as lines for people. */
void ct_partly_lines(mt_buf *out, ct_partial *x);
/* ["a","b"] of the facts that are unknown. */
void ct_partly_unknown(mt_jw *w, const ct_partial *x);
/* ["a"] of the unknown facts that the condition reads. */
void ct_partly_reads(mt_jw *w, const ct_partial *x, const ct_expr *e);

#endif

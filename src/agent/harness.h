/* agent/harness.h - the black-box runner: one question in, one answer out.
 * Room: agent. May include base/ only; pure.
 * A question is {"op": …, …}; operations: parse, style, node, tokens, accepts,
 * route_accepts, outcome, activations, tape, responds, triggers, hook_order, wrap,
 * recover, cycle, dna. An answer has "ok"; failures say why in "error". */
#ifndef AG_HARNESS_H
#define AG_HARNESS_H

#include "agent/program.h"

/* Appends the answer to one question as one line of JSON, newline included. Never
 * fails: what is not a question gets an answer with ok false. */
void ag_harness_line(ag_mode mode, mt_str line, mt_buf *out);

#endif

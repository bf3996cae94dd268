/* whatif/body.h - what a ledger record says about a decision.
 * Room: whatif.
 * Bodies of the kinds operation, flow_started, flow_waiting and flow_ended as the
 * executor writes them (docs/internals/executor.md); members that do not matter are
 * skipped.
 * Ownership: texts borrow from the body, those with escapes live until the next read;
 * lists are reused from one body to the next. */
#ifndef WI_WHATIF_BODY_H
#define WI_WHATIF_BODY_H

#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"

/* Enough to know whose record it is: read up to the member `kind`. */
typedef struct wi_head {
    mt_str contract, etag, execution, kind;
} wi_head;

/* An entity with the instance bound to it, or the state it is in. */
typedef struct wi_pair {
    mt_str entity, value; /* value: an instance, or a state */
} wi_pair;

/* One instance an operation moved. */
typedef struct wi_move {
    mt_str entity, before, after;
} wi_move;

/* What one step did. An operation on its own is one step without an id. */
typedef struct wi_step {
    mt_str kind, step, op;
    mt_str persona; /* who acted; hand-off: from whom */
    mt_str to;      /* hand-off, escalation */
    mt_str result;  /* outcome; "true" or "false" of a branch; empty: an error */
    mt_str error;   /* its type; "error" where only a sentence is known */
    uint32_t first_move, move_count;
} wi_step;

typedef struct wi_body {
    mt_str flow, persona, outcome, status, step;
    bool has_states, has_steps; /* older ledgers may lack them */
    mt_buf facts; /* {"id":value,…} of what did not come from the contract */
    MT_VEC(mt_str) verdicts;
    MT_VEC(wi_pair) bindings, states;
    MT_VEC(wi_step) steps; /* in the order in which they began */
    MT_VEC(wi_move) moves;
    mt_arena memory, texts; /* lists, kept; texts, of one record */
} wi_body;

/* MT_OK; an error of base/json_pull.h: the body is not what the executor writes. */
mt_err wi_head_read(mt_arena *texts, mt_str body, const mt_limits *limits,
                    wi_head *out);
mt_err wi_body_read(wi_body *b, mt_str body, const mt_limits *limits);
/* Forgets what was read; adds another body to it, so that the steps of several records
 * stand one after the other. The facts are then no whole object. */
void wi_body_clear(wi_body *b);
/* More of the same decision: a flow has several records. */
mt_err wi_body_add(wi_body *b, mt_str body, const mt_limits *limits);
void wi_body_free(wi_body *b);

#endif

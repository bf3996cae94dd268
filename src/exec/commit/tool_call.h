/* exec/commit/tool_call.h - calls of tools elsewhere, and the instances that they hold.
 * Room: exec. */
#ifndef EX_TOOL_CALL_H
#define EX_TOOL_CALL_H

#include "exec/commit/commit.h"

/* job->work of what ends a call: its document as it was read. */
typedef struct ex_tool_call {
    st_doc doc;
    mt_json tree;
    bool committed; /* before the tool was called */
} ex_tool_call;

/* Member `guard` of records; `call` and `why` may be empty. */
mt_str ex_tool_json(ex_job *job, mt_str call, const char *event, mt_str why);
void ex_tool_reply(ex_job *job, mt_str call, const char *status, int64_t number);
/* Record, document, claims and reply of what was decided: the tool is to be called. */
mt_err ex_tool_allow(ex_job *job, ex_group *g, mt_str call);
/* The document alone, of what is done already. */
mt_err ex_tool_keep(ex_job *job, ex_group *g, mt_str call, const char *status,
                    int64_t allowed);

/* Reads the call that is to end, and what it was decided on. */
bool ex_refused_tool_call(ex_job *job);
/* Ends it as the caller says. `done`: does what the tool means, and ends it with
 * ex_tool_forget(), or finds that it does not fit any more: ex_tool_unknown(). */
typedef mt_err ex_tool_done(ex_job *job, ex_group *g);
mt_err ex_tool_end(ex_job *job, ex_group *g, ex_tool_done *done);
/* Document and claims are gone with what the group writes. */
mt_err ex_tool_forget(ex_job *job, ex_group *g);
mt_err ex_tool_unknown(ex_job *job, ex_group *g, mt_str why);

/* ---- Instances that a guarded call holds (claims.c) ---- */

/* Is the entity one that the operation changes? CT_NONE: it is. */
bool ex_changes(const ex_version *v, uint32_t op, uint32_t entity);
/* Does the store have any? Asked once, when opening. */
mt_err ex_claims_open(ex_executor *x);
/* Answers the job (job->answered) if another call holds what the operation changes;
 * `op` CT_NONE: anything that is bound. Of a shared store: as far as this process
 * knows, unless the job is a guarded call itself. */
mt_err ex_held_refused(ex_job *job, ex_group *g, uint32_t op);
/* Which guarded call holds the locked instance; empty: none. */
mt_err ex_row_held(ex_group *g, const st_instance *row, mt_str *call);
/* Holds what the operation changes, for this call; lets go of it. */
mt_err ex_hold(ex_job *job, ex_group *g, uint32_t op, mt_str call);
mt_err ex_let_go(ex_group *g, mt_str call);

#endif

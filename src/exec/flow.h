/* exec/flow.h - what the two halves of flows share: beginning, and going on.
 * Room: runtime, private to exec_flow*.c and what starts flows. */
#ifndef EX_EXEC_FLOW_H
#define EX_EXEC_FLOW_H

#include "exec/exec.h"

/* One turn of one flow in one transaction. */
typedef struct ex_turn {
    ex_job *job;
    ex_group *g;
    ct_run *run; /* NULL: none was taken up (a cancellation) */
    const ex_caller *who;
    st_flow row;
    bool is_new;
    bool resuming;         /* by a caller: one named outcome is for one operation */
    size_t records_before; /* of the run, when this turn took it up */
    int64_t record;        /* the last one written */
    mt_err err;            /* the store's, out of a host's callback */
} ex_turn;

/* One more turn of a flow whose row the group has locked; the job has its snapshot. */
mt_err ex_flow_turn(ex_job *job, ex_group *g, ex_flow_row *f, const ex_caller *who);
/* The same for a job whose flow is not finished. */
mt_err ex_flow_continue(ex_job *job, ex_group *g);
/* Binds the job's snap as the row says. True: refused. */
bool ex_flow_bind(ex_job *job, const st_flow *row);
/* The end of a flow: its record, and what follows from it (x->flow_ended). */
mt_err ex_record_flow_ended(ex_turn *t, mt_str error);
/* A flow's row as JSON: its members (`v` is its version, or NULL: not known); a whole
 * answer. */
void ex_flow_members(mt_jw *w, const ex_version *v, const st_flow *row);
void ex_reply_flow(ex_job *job, const st_flow *row);
/* The version of a flow that waits, whose words its row needs; NULL for others. */
const ex_version *ex_waiting_version(ex_executor *x, const st_flow *row);

/* Finds the row's version (job->v), restores its snapshot and binds it. True:
 * refused. */
bool ex_flow_restore(ex_job *job, const st_flow *row);
/* What resuming would do, with nothing left behind. Always true: answered. */
bool ex_flow_resume_dry_run(ex_job *job, const st_flow *row);
/* May the caller resume the flow? True: refused. */
bool ex_refused_resume(ex_job *job, const st_flow *row);

/* exec_outcome.c. ct_host.choose of a flow; its context is the turn. */
uint32_t ex_outcome_choose(void *turn, const ct_run *run, uint32_t step, uint32_t op,
                           const uint32_t *matching, uint32_t count);
/* "outcomes":[…], those given or all of an operation */
void ex_outcomes_json(mt_jw *w, const ct_plan *p, const uint32_t *outcomes,
                      uint32_t count);
void ex_all_outcomes_json(mt_jw *w, const ct_plan *p, uint32_t op);
/* The operation at which a row that waits stands, or CT_NONE. */
uint32_t ex_waiting_operation(const ex_version *v, const st_flow *row);
/* "waiting":{…} of a row that waits, `op` being the operation it waits for. */
void ex_waiting_json(mt_jw *w, const ex_version *v, uint32_t op, const st_flow *row);
/* Are the outcomes named by the request such as the contract has? True: refused. */
bool ex_refused_outcome_names(ex_job *job);
/* The run was just taken up to be resumed: is an outcome to be named, or wrongly named?
 * True: refused. */
bool ex_refused_outcome(ex_turn *t);

#endif

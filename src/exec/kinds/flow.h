/* exec/kinds/flow.h - flows: begun, taken up again, read.
 * Room: exec, private to kinds/flow*.c and the table of kinds. */
#ifndef EX_KIND_FLOW_H
#define EX_KIND_FLOW_H

#include "exec/commit/commit.h"

/* One turn of one flow in one transaction. */
typedef struct ex_turn {
    ex_job *job;
    ex_group *g; /* NULL: a dry run */
    ct_run *run;
    const ex_caller *who;
    st_flow row;
    mt_str asked_as; /* the persona as which the caller drives it; empty: it goes on */
    bool is_new;
    bool resuming;         /* by a caller: one named outcome is for one operation */
    size_t records_before; /* of the run, when this turn took it up */
    int64_t record;        /* the last one written */
    mt_err err;            /* the store's, out of a host's callback */
} ex_turn;

bool ex_flow_start_prepare(ex_job *job);
void ex_flow_start_claim(ex_job *job, ex_group *g);
mt_err ex_flow_start_commit(ex_job *job, ex_group *g);
bool ex_flow_resume_prepare(ex_job *job);
void ex_flow_resume_claim(ex_job *job, ex_group *g);
mt_err ex_flow_resume_commit(ex_job *job, ex_group *g);
bool ex_flow_cancel_prepare(ex_job *job);
mt_err ex_flow_cancel_commit(ex_job *job, ex_group *g);
/* On a worker: reads and evaluates the snapshot of the job's flow, and leaves the job
 * to the committer. */
void ex_flow_think(ex_job *job);
bool ex_flow_list(ex_job *job);
bool ex_flow_get(ex_job *job);

/* ---- Guarded calls (flow_guard.c) ---- */

bool ex_guard_flow_prepare(ex_job *job);
void ex_guard_flow_claim(ex_job *job, ex_group *g);
mt_err ex_guard_flow_commit(ex_job *job, ex_group *g);
bool ex_guard_flow_end_prepare(ex_job *job);
mt_err ex_guard_flow_end_commit(ex_job *job, ex_group *g);

/* ---- Turns (flow_turn.c) ---- */

/* Reads a flow's row. MT_E_NOTFOUND. */
mt_err ex_flow_read(ex_job *job, mt_str id, st_flow *row);
bool ex_refuse_execution(ex_job *job, mt_str id);
/* Finds the row's version (job->v), restores its snapshot and binds it. */
bool ex_refused_restore(ex_job *job, const st_flow *row);
/* Restores the flow and claims what it is bound to; nothing when it is refused. */
void ex_flow_claim(ex_job *job, ex_group *g, const st_flow *row);
/* The first turn of a flow: its states were read. *started: the record of that. */
mt_err ex_flow_first_turn(ex_job *job, ex_group *g, int64_t *started);
/* Bound instances that are not there, of another version, outcomes that nothing has. */
bool ex_refused_start(ex_job *job);
/* For a call of a tool (flow_guard.c): can who asks do the first operation it
 * comes to, now, and does it not fail on its way as far as nobody else is needed? The
 * job is answered if not; its states were read. `g` NULL: a dry run. */
mt_err ex_flow_entry_refused(ex_job *job, ex_group *g, bool outcome_later);
/* One more turn of a flow whose row the group has locked; the job has its snapshot. */
mt_err ex_flow_turn(ex_job *job, ex_group *g, ex_flow_row *f, const ex_caller *who);
/* The same for a job whose flow is not finished. */
mt_err ex_flow_continue(ex_job *job, ex_group *g);
/* What beginning or resuming would do, with nothing left behind; the states were read.
 * Always true: answered. */
bool ex_flow_start_dry_run(ex_job *job);
bool ex_flow_resume_dry_run(ex_job *job, const st_flow *row);

/* ---- Outcomes (flow_outcome.c) ---- */

/* Did a step of the run have another outcome than the one named for it, which did not
 * match? Then the job is answered. */
bool ex_refused_other_outcomes(ex_turn *t);
/* ct_host.choose of a flow; its context is the turn. */
uint32_t ex_outcome_choose(void *turn, const ct_run *run, uint32_t step, uint32_t op,
                           const uint32_t *matching, uint32_t count);
/* What the caller named for this operation, which is next; CT_NONE: nothing it has. */
uint32_t ex_outcome_named(const ex_turn *t, uint32_t op);
/* Whose the next step's operation is. */
uint32_t ex_next_persona(const ct_run *run);
/* The request names an outcome that the contract does not have. */
bool ex_refused_outcome_names(ex_job *job);
/* The run was just taken up to be resumed: an outcome is to be named, or wrongly named.
 */
bool ex_refused_outcome(ex_turn *t);

#endif

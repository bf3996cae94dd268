/* exec/commit/effects.h - what operations and flows leave behind: instances that moved,
 * rows of flows. Room: exec. */
#ifndef EX_EFFECTS_H
#define EX_EFFECTS_H

#include "exec/commit/commit.h"
#include "exec/commit/ledger.h"

/* What one operation changes. */
typedef struct ex_effects {
    const ex_version *v;
    const ct_change *changes;
    uint32_t count;
    const mt_str *instances; /* per entity */
    mt_str flow, operation;
} ex_effects;

/* Moves every instance the changes name. */
mt_err ex_apply(ex_group *g, const ex_effects *f);
/* The record of the operation is about each of them. */
void ex_effect_subjects(ex_group *g, const ex_effects *f, ex_record *r);
/* The instances are not at the versions the caller expects. */
bool ex_refused_unless_versions(ex_job *job);
/* The job's version is not the one that is served any more. */
bool ex_refused_unless_current(ex_job *job);

/* "outcomes":[…], those given or all of an operation */
void ex_outcomes_json(mt_jw *w, const ct_plan *p, const uint32_t *outcomes,
                      uint32_t count);
void ex_all_outcomes_json(mt_jw *w, const ct_plan *p, uint32_t op);
/* "waiting":{…} of a row that waits, `op` being the operation it waits for. */
void ex_waiting_json(mt_jw *w, const ex_version *v, uint32_t op, const st_flow *row);
/* The version of a flow that waits, whose words its row needs; NULL for others. */
const ex_version *ex_waiting_version(ex_executor *x, const st_flow *row);
/* A flow's row as JSON: its members (`v` is its version, or NULL: not known); a whole
 * answer, which names a record (or EX_NO_RECORD). */
void ex_flow_members(mt_jw *w, const ex_version *v, const st_flow *row);
void ex_reply_flow(ex_job *job, const st_flow *row, int64_t record);
/* "states":{…} that a flow finds when it begins and leaves when it ends: with them a
 * ledger says all that decided it. */
void ex_states_json(mt_jw *w, const ct_plan *p, const uint32_t *states);
/* Binds the job's snap as the row says. */
bool ex_refused_row_bindings(ex_job *job, const st_flow *row);
/* How a flow ended. */
typedef struct ex_flow_end {
    const st_flow *row;
    const ex_version *v; /* the row's */
    const ct_run *run;   /* NULL: none was taken up (a cancellation) */
    mt_str error;        /* empty: none */
    mt_str asked_as;     /* the persona as which the caller asked; empty: not known */
} ex_flow_end;
/* The end of a flow: its record, and what a System promises for it. */
mt_err ex_flow_ended(ex_job *job, ex_group *g, const ex_flow_end *end, int64_t *id);

/* The problem that an attempt of the operation job->what is, which has an error; always
 * true. */
bool ex_refuse_attempt(ex_job *job, const ct_attempt *a);

#endif

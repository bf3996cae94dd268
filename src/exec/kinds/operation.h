/* exec/kinds/operation.h - one operation, alone.
 * Room: exec, private to kinds/operation*.c and the table of kinds. */
#ifndef EX_KIND_OPERATION_H
#define EX_KIND_OPERATION_H

#include "exec/commit/distinct.h"
#include "exec/commit/effects.h"

bool ex_operation_prepare(ex_job *job);
void ex_operation_claim(ex_job *job, ex_group *g);
mt_err ex_operation_commit(ex_job *job, ex_group *g);

/* Tries it on the states that the snap has. */
ct_attempt ex_operation_try(ex_job *job);
/* Is it refused, whatever the states are? */
bool ex_needs_no_state(const ct_attempt *a);
ex_act ex_operation_act(const ex_job *job);
/* Instances move and the record is written; nothing is answered. */
mt_err ex_operation_do(ex_job *job, ex_group *g, const ct_attempt *a, int64_t *record);

/* ---- Guarded calls (operation_guard.c) ---- */

bool ex_guard_begin_prepare(ex_job *job);
mt_err ex_guard_begin_commit(ex_job *job, ex_group *g);
bool ex_guard_end_prepare(ex_job *job);
void ex_guard_claim(ex_job *job, ex_group *g);
mt_err ex_guard_end_commit(ex_job *job, ex_group *g);

/* ---- Words (operation_words.c) ---- */

/* The answer of an attempt that succeeded; `record` is 0 for a dry run. */
void ex_reply_operation(ex_job *job, const ct_attempt *a, int64_t record);
/* Its record, and those of the other instances it changed. */
mt_err ex_record_operation(ex_job *job, ex_group *g, const ct_attempt *a,
                           const ex_effects *f, int64_t *id);

#endif

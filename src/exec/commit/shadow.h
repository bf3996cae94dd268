/* exec/commit/shadow.h - a candidate contract that looks on.
 * Room: exec. */
#ifndef EX_SHADOW_H
#define EX_SHADOW_H

#include "exec/commit/commit.h"
#include "exec/commit/ledger.h"

/* `path` NULL: there is none. */
mt_err ex_shadow_open(ex_executor *x, const char *path, mt_buf *why);
void ex_shadow_close(ex_executor *x);
/* Does the shadow look at this contract? */
bool ex_shadows(const ex_executor *x, const ex_version *v);
/* After record `id` was written from g->body; overwrites it when they disagree. */
mt_err ex_shadow_record(ex_group *g, const ex_record *r, int64_t id);
/* An operation was refused, on the group's states. Overwrites g->body. */
mt_err ex_shadow_refusal(ex_job *job, ex_group *g, const ct_attempt *a);

#endif

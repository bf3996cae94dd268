/* exec/call/rights.h - what the caller of a job may do, see and give.
 * Room: exec. */
#ifndef EX_RIGHTS_H
#define EX_RIGHTS_H

#include "exec/call/problem.h"

/* Who does what the job does: the caller, or who called a tool whose end this is. */
const ex_caller *ex_actor_of(const ex_job *job);
mt_str ex_caller_id(const ex_job *job);
/* {"actor","id","known_by","name"}: as records, receipts and sessions show an identity.
 */
void ex_identity_json(mt_jw *w, const ex_caller *c);
/* Everything of an identity that a flow goes on by when nobody calls: written down, and
 * read again (texts borrow from the tree). */
void ex_acting_json(mt_jw *w, const ex_caller *c);
ex_caller *ex_acting_read(mt_arena *a, const mt_json *who);
/* Over this contract; over one at least, when it is not known yet which. */
bool ex_refused_without(ex_job *job, mt_str contract, mt_str right);
bool ex_refused_without_anywhere(ex_job *job, mt_str right);
/* Does the job's contract concern the caller? */
bool ex_refused_unless_seen(ex_job *job);
/* May the caller act as the request's persona? The contract's is then known, or
 * CT_NONE. */
bool ex_refused_unless_held(ex_job *job);
/* May the caller see the contract's instances, states and flows? Those of every
 * contract, whichever are deployed? Read its records? The facts that its calls were
 * decided on? (docs/reference/rights.md, who reads what) */
bool ex_may_see(const ex_job *job, mt_str contract);
bool ex_may_see_all(const ex_job *job);
bool ex_may_read_ledger(const ex_job *job, mt_str contract);
bool ex_may_read_facts(const ex_job *job, mt_str contract);
/* Is it to know that this graph ("graphs:") or agent ("agents:") is served? */
bool ex_may_use(ex_job *job, const char *prefix, mt_str name);
/* May the caller assert the fact? With a call, where an adapter may serve it? */
bool ex_may_assert(const ex_caller *who, const ex_version *v, uint32_t fact);
bool ex_may_give(const ex_caller *who, const ex_version *v, uint32_t fact);
/* grant.c: by its grants alone, does a contract concern the caller, whatever it
 * declares (empty: every contract does)? May it assert a fact of this system? */
bool ex_caller_concerns(const ex_caller *who, mt_str contract);
bool ex_fact_granted(const ex_caller *who, mt_str contract, mt_str fact, mt_str system);
/* What would grant it. */
mt_str ex_fact_right(mt_arena *a, mt_str fact);

/* One more of the caller's quota; `of` names it for people. */
bool ex_refused_quota(ex_job *job, ex_quota what, const char *of);
/* The same of so many at once: all or none. */
bool ex_refused_quota_of(ex_job *job, ex_quota what, size_t count, const char *of);

#endif

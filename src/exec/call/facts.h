/* exec/call/facts.h - the facts that a call is decided on: gathered, checked, evaluated
 * once.
 * Room: exec. */
#ifndef EX_FACTS_H
#define EX_FACTS_H

#include "exec/call/problem.h"

enum { EX_SHORT_BYTES = 256 << 10 }; /* of a body that holds up nobody */

/* The contract has no fact of this name; the nearest is told. Always true. */
bool ex_refuse_unknown_fact(ex_job *job, mt_str name);
/* The caller may not give these facts. Always true. */
bool ex_refuse_given(ex_job *job, const uint32_t *facts, size_t count);
/* Gathers and evaluates the facts of a request into the snap. */
bool ex_refused_facts(ex_job *job);
/* Fills the snap from a flow's row. MT_E_CORRUPT: it does not fit its contract;
 * MT_E_BUSY: it would take long, and may not here; MT_E_LIMIT, MT_E_TIMEOUT: *fault. */
mt_err ex_snapshot_restore(ex_job *job, const st_flow *row, ct_fault *fault);
/* Is the fact one that an adapter fetches? */
bool ex_served(const ex_version *v, uint32_t fact);
/* On a shared store another process may have asserted a fact that the job was prepared
 * without. Such a job is prepared again, once: then it has what was true after the call
 * came. A job that writes is looked at in its group, where it costs no round trip; one
 * that was answered at once, before the answer is given. */
mt_err ex_facts_check(ex_job *job);
void ex_facts_mark(ex_job *job, int64_t stamp);
/* {"fact":value} of all facts. */
void ex_facts_json(mt_buf *out, const ex_version *v, const ex_snap *s);
/* [FactProvenance] (§5.3, enriched §5A.10). */
void ex_fact_provenance(mt_jw *w, const ex_version *v, const ex_snap *s);
/* ["verdict"] that are present. */
void ex_verdict_names(mt_jw *w, const ex_version *v, const ct_verdicts *verdicts);

/* The snap's ct_partial, with the limits of the call. */
ct_partial *ex_partial_room(ex_job *job);
/* Evaluates into the snap's ct_partial, as far as known facts go. */
bool ex_refused_partly(ex_job *job);
/* Some of the facts are not known, says the request: job->unknown is then set. */
bool ex_refused_unknown(ex_job *job);
/* Does the call ask about facts, and do nothing? */
bool ex_only_asks(const ex_job *job);
/* "hidden":[…]: facts that are unknown because the caller may not read them. */
void ex_hidden_json(mt_jw *w, const ex_job *job);

/* May this thread take long over the job? */
bool ex_may_linger(const ex_job *job);
/* When its evaluations together are to end; they have limits.eval_ms. */
os_deadline *ex_deadline(ex_job *job);
/* From now on what is decided is to be durable, and no clock may have a part in it;
 * what takes long has been evaluated. */
void ex_stop_clock(ex_job *job);
/* Evaluates rules, and what conditions the call may ask for. MT_E_BUSY: it would take
 * long, and may not here; MT_E_TIMEOUT, MT_E_LIMIT and others as ct_evaluate(). */
mt_err ex_evaluate_rules(ex_job *job, const ex_version *v, ex_snap *s, ct_fault *fault);
mt_err ex_evaluate_conditions(ex_job *job, const ex_version *v, ex_snap *s,
                              ct_fault *fault);
/* The problem for what evaluating found; always true. */
bool ex_refuse_evaluation(ex_job *job, const ct_fault *fault);
/* The job's facts and verdicts, as the engine takes them. */
ct_frozen ex_frozen(const ex_job *job);

#endif

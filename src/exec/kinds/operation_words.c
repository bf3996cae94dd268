/* exec/kinds/operation_words.c - what is said of an operation that was done: the
 * answer, and the record of it. Why one was refused: commit/attempt.c. Room: exec.
 * INVARIANT: record and answer are made from the same attempt, with the same
 * provenance. May fail: the store, when the record is written. */
#include "contract/flow/report.h"
#include "exec/call/facts.h"
#include "exec/commit/effects.h"
#include "exec/kinds/operation.h"

/* ---- Answer and record ---- */

/* Borrowed from the job; valid as long as its snap is. */
static ct_op_report report_of(const ex_job *job, const ct_frozen *z,
                              const ct_attempt *a)
{
    return (ct_op_report){.frozen = z,
                          .op = job->what,
                          .persona = job->request.persona,
                          .attempt = a,
                          .changes = job->snap->changes,
                          .instances = job->snap->instances,
                          .simulation = job->simulation};
}

/* Versions of the bound instances come back, so that the next call can say which it
 * expects. */
void ex_reply_operation(ex_job *job, const ct_attempt *a, int64_t record)
{
    const ct_plan *p = job->v->plan;
    ct_frozen z = ex_frozen(job);
    ct_op_report r = report_of(job, &z, a);
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_keyz(&w, "changes");
    ct_op_changes_json(&w, &r);
    mt_jw_key_str(&w, "contract", job->v->contract);
    mt_jw_key_str(&w, "etag", job->v->etag);
    mt_jw_key_str(&w, "operation", ct_operation_id(p, job->what));
    mt_jw_key_str(&w, "outcome", p->outcomes[a->outcome].label);
    mt_jw_key_str(&w, "persona", job->request.persona);
    mt_jw_keyz(&w, "provenance");
    ct_op_provenance_json(&w, &r);
    ex_reply_record(&w, job, record);
    if (job->simulation) {
        mt_jw_key_bool(&w, "simulation", true);
    }
    mt_jw_keyz(&w, "versions");
    mt_jw_begin_unsorted(&w);
    for (uint32_t e = 0; e < p->model->entity_count; e++) {
        if (job->snap->states[e] != CT_NONE) {
            mt_jw_key(&w, p->model->entities[e].id);
            mt_jw_i64(&w, job->snap->versions[e]);
        }
    }
    mt_jw_end_object(&w);
    ex_reply_end(&w);
}

/* §9.5. The history of every instance that changed finds it. */
mt_err ex_record_operation(ex_job *job, ex_group *g, const ct_attempt *a,
                           const ex_effects *f, int64_t *id)
{
    const ex_version *v = job->v;
    ct_frozen z = ex_frozen(job);
    ct_op_report report = report_of(job, &z, a);
    mt_jw w = ex_record_begin(g);
    ex_caller_json(&w, job);
    mt_jw_key_str(&w, "contract", v->contract);
    mt_jw_key_str(&w, "etag", v->etag);
    mt_jw_keyz(&w, "facts");
    if (job->facts_said.len) {
        mt_jw_raw(&w, job->facts_said);
    } else {
        ex_fact_provenance(&w, v, job->snap);
    }
    if (job->guard_json.len) {
        mt_jw_keyz(&w, "guard");
        mt_jw_raw(&w, job->guard_json);
    }
    mt_jw_key_str(&w, "kind", MT_STR("operation"));
    mt_jw_keyz(&w, "provenance");
    ct_op_provenance_json(&w, &report);
    ex_record_time(&w, g);
    mt_jw_keyz(&w, "verdicts");
    ex_verdict_names(&w, v, job->snap->verdicts);
    ex_record r = {
        .kind = "operation", .contract = v->contract, .unsorted = !v->sorted};
    ex_effect_subjects(g, f, &r);
    return ex_record_end(g, &w, &r, id);
}

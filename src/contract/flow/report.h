/* contract/flow/report.h - what a run did, as JSON and as the suite's step list.
 * Room: contract. May include base/ and contract/ only.
 * Steps: flat [{"result","step_id","step_type"}] in the conformance suite's words.
 * Provenance: one record per step, sub-flows and branches nested in theirs; an
 * operation's record has the closure of facts and verdicts over verdict provenance.
 * Since the snapshot is frozen, what a condition read is found again when it is
 * printed and costs a run nothing. Keys are in byte order everywhere. */
#ifndef CT_FLOW_REPORT_H
#define CT_FLOW_REPORT_H

#include "base/json_write.h"
#include "contract/flow/run.h"

/* "operation", "branch", "handoff", "sub_flow", "parallel", "compensation",
 * "escalation". */
mt_str ct_record_kind_name(ct_record_kind kind);
/* The record's step id as the suite writes it ("comp:undo" for a compensation). */
void ct_record_step_text(mt_buf *out, const ct_run *run, const ct_record *r);
/* "approved", "true", "error: …", "escalated to manager", "b1:done, b2:failure". */
void ct_record_result_text(mt_buf *out, const ct_run *run, const ct_record *r);
/* Is the record in the flat list? Those inside a sub-flow are not. */
bool ct_record_is_flat(const ct_run *run, const ct_record *r);

void ct_run_steps_json(mt_jw *w, const ct_run *run);
/* [{"entity_id","from","instance_id","to"}] in the order of application. */
void ct_run_changes_json(mt_jw *w, const ct_run *run);
/* Only the steps of it: FlowProvenance (§11.6), one StepRecord each. */
void ct_run_records_json(mt_jw *w, const ct_run *run);

/* Everything: verdicts, outcome or error, steps, changes, provenance; compact. */
void ct_run_json(mt_buf *out, const ct_run *run);
/* "flow error in 'f': why", of a run that FAILED. */
void ct_run_fault_text(mt_buf *out, const ct_run *run);

/* A single operation, tried or run: {"error"…|"outcome"…, "provenance", …}. */
typedef struct ct_op_report {
    const ct_frozen *frozen;
    uint32_t op;
    mt_str persona;
    const ct_attempt *attempt;
    const ct_change *changes;
    const mt_str *instances; /* per entity */
    bool simulation;
} ct_op_report;

void ct_op_json(mt_buf *out, const ct_op_report *r);
/* Parts of it: OperationProvenance (§9.5) of an operation on its own, of record `r` of
 * a run, and the changes. */
void ct_op_provenance_json(mt_jw *w, const ct_op_report *r);
void ct_record_provenance_json(mt_jw *w, const ct_run *run, const ct_record *r);
void ct_op_changes_json(mt_jw *w, const ct_op_report *r);

#endif

/* contract/flow/position.h - where a run stands, as JSON, and taking it up again.
 * Room: contract. May include base/ and contract/ only.
 * Written by names, never by indices, so a position outlives the process and fits any
 * program made from the same bundle; docs/reference/flows.md describes every key. The
 * snapshot is not in it: the host keeps the facts and evaluates them again, which gives
 * the same verdicts. What is read is checked against the contract like any other input.
 * Ownership: a run that was taken up owns copies of all names. */
#ifndef CT_FLOW_POSITION_H
#define CT_FLOW_POSITION_H

#include "base/json_write.h"
#include "contract/flow/run.h"

/* One compact object, keys in byte order. */
void ct_position_write(mt_buf *out, const ct_run *run);

/* Takes a run up where it stood. Of `input` plan, snapshot, host and simulation are
 * used; flow, persona, bindings and states come from the position. A run that waited or
 * was stopped is ready to go on. MT_E_SYNTAX, MT_E_TYPE, MT_E_NOTFOUND, MT_E_RANGE,
 * MT_E_VERSION: the position does not fit, *why says what in one sentence (it lives in
 * the run), and the run must not be stepped. */
mt_err ct_position_read(ct_run *run, const ct_run_input *input, const mt_json *json,
                        mt_str *why);

/* The operation, a compensation included, at which a run with this position stands,
 * read without taking the run up; CT_NONE: it stands at none, or does not fit. */
uint32_t ct_position_operation(const ct_plan *p, const mt_json *json);

#endif

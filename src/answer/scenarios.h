/* answer/scenarios.h - an author's scenario file, run against its contract.
 * Room: answer.
 * The steps that `motet test`, the language server and the library share: read a file,
 * look at its names and conditions, run one of its scenarios, tell what came of it.
 * Ownership: what is read lives in the arena given. */
#ifndef AW_SCENARIOS_H
#define AW_SCENARIOS_H

#include "analyze/prove/ask.h"
#include "answer/conditions.h"
#include "answer/contract.h"
#include "answer/reply.h"
#include "contract/flow/property.h"

/* JSON if the path ends so, else YAML. False after adding to `why` what is wrong. */
bool aw_scenarios_parse(mt_arena *a, mt_str path, mt_str text, ct_scenarios *out,
                        mt_buf *why);
/* Names and conditions, which only the contract can judge. *out (may become NULL: no
 * condition) is to be closed in every case. False after saying why nothing of the file
 * can run. */
bool aw_scenarios_check(mt_arena *a, const ct_plan *p, mt_str bundle,
                        const mt_limits *limits, ct_scenarios *file,
                        aw_conditions **out, mt_buf *why);

/* One scenario of a file, ready to run. */
typedef struct aw_trial {
    ct_bench *bench;
    const ct_scenarios *file;
    size_t index;
    const ct_conditions *conditions; /* or NULL */
    ct_property_options properties;
    ct_coverage *coverage; /* or NULL */
} aw_trial;
/* A scenario or a property. `why`: what differs, or of a property that holds what was
 * tried. *p is filled in where it is a property. */
bool aw_trial_run(mt_arena *a, const aw_trial *t, mt_buf *why, ct_property *p);
/* Only yes passes. */
bool aw_invariant_run(mt_arena *a, an_asker *asker, mt_str question, mt_buf *why);

/* Cases of a file: its scenarios, then its invariants. */
size_t aw_scenarios_count(const ct_scenarios *file);
/* "escrow.scenarios.yaml: NAME"; of a file without cases "…: the file". */
mt_str aw_scenarios_name(mt_arena *a, const ct_scenarios *file, size_t index);
/* Its place in the file; 0 and 0: there is none. */
void aw_scenarios_place(const ct_scenarios *file, size_t index, uint32_t *line,
                        uint32_t *column);
/* The text of an invariant; empty: it is a scenario. */
mt_str aw_scenarios_invariant(const ct_scenarios *file, size_t index);

/* What came of one, as `motet test --json` lists it. */
typedef struct aw_told {
    mt_str name, why;      /* why of one that passed: a note */
    uint32_t line, column; /* 0: it stands in no file */
    bool ok;
} aw_told;
void aw_told_json(mt_jw *w, const aw_told *t);

/* A file that was not read from a disk. */
typedef struct aw_test {
    mt_str name, text;
    uint32_t number; /* only this case, counted from 1; 0: all */
    ct_property_options properties;
} aw_test;
/* As `motet test --json --coverage` prints it. AW_FAILS: a case fails. */
int aw_test_json(aw_contract *c, const aw_test *t, aw_reply *r);

#endif

/* contract/flow/scenario.h - an author's test: given, when, then.
 * Room: contract. May include base/ and contract/ only. docs/scenarios.md describes the
 * file format; JSON and YAML give the same tree.
 * Ownership: results live in the arena given; a scenario borrows from its tree. */
#ifndef CT_FLOW_SCENARIO_H
#define CT_FLOW_SCENARIO_H

#include "base/form.h"
#include "contract/eval/facts.h"
#include "contract/flow/coverage.h"
#include "contract/flow/states.h"

/* Working room for the scenarios of one contract, reused from one to the next. */
typedef struct ct_bench {
    const ct_plan *plan;
    const mt_limits *limits;
    ct_facts *facts;
    ct_verdicts *verdicts, *scratch;
    ct_run run;
} ct_bench;

ct_bench ct_bench_new(const ct_plan *p, const mt_limits *limits);
void ct_bench_free(ct_bench *b);

/* What is to be run. */
typedef struct ct_trial {
    mt_str facts;          /* JSON text */
    const mt_json *states; /* or NULL: every entity's `_default` in its initial state */
    const mt_json *bindings;  /* or NULL */
    mt_str persona;           /* empty: only the rules are evaluated */
    mt_str flow, operation;   /* one of them, or none */
    const mt_json *outcome;   /* a label, or {step: label}; NULL: none is named */
    const mt_json *meanwhile; /* {step: {entity: state}}: what others do before it */
} ct_trial;

/* What came of it. */
typedef struct ct_result {
    mt_str fault;      /* why there are no verdicts, or why the flow has no outcome */
    mt_str fault_kind; /* its type: "missing_fact", "precondition_failed", … */
    bool evaluated;    /* verdicts may be read */
    bool ran;          /* the bench's run may be read */
    mt_str outcome;    /* of the flow or operation; empty: none */
    ct_states states;  /* afterwards */
    ct_binding binding;
    ct_attempt attempt; /* of an operation */
    ct_change *changes;
    uint32_t op;
} ct_result;

/* Runs one trial. Author's faults (unknown names) are in result->fault too. */
void ct_trial_run(mt_arena *a, ct_bench *b, const ct_trial *t, ct_result *out);

/* What is given, of a file or of one scenario; NULL: not said. */
typedef struct ct_given {
    const mt_json *facts, *states, *bind;
} ct_given;

/* Who does what; all empty: only the rules are evaluated. */
typedef struct ct_when {
    mt_str persona, flow, operation;
    const mt_json *outcome, *meanwhile;
} ct_when;

/* What is expected; NULL: nothing is said of it. */
typedef struct ct_then {
    const mt_json *verdicts, *present, *absent; /* lists */
    const mt_json *payloads, *states;           /* maps */
    const mt_json *steps;                       /* list */
    const mt_json *outcome, *error;
} ct_then;

/* A property: it must hold for every fact set. Facts that the scenario itself does not
 * give are made up. */
typedef struct ct_for_all {
    bool asked;
    bool states;          /* states of entities that nobody gives, too */
    int64_t cases, seed;  /* cases 0, seed -1: as usual */
    const mt_json *where; /* a condition: only cases for which it holds; or NULL */
} ct_for_all;

/* The scenarios of a file. */
typedef struct ct_scenario {
    const mt_json *node; /* where it stands */
    mt_str name;
    ct_given given;
    ct_when when;
    ct_then then;
    ct_for_all for_all;
    const mt_json *for_all_written, *asserts; /* as they stand; a list of texts */
    const mt_json *when_written;              /* as it is recorded again; NULL: none */
    mt_str fault; /* lines FILE:LINE:COLUMN: why it cannot run; empty: it can */
} ct_scenario;

typedef struct ct_scenarios {
    mt_str path, text; /* of the file, for places */
    mt_str contract;   /* path as written, or empty */
    ct_given shared;
    const mt_json
        *invariants; /* a list of texts: questions whose answer is yes; NULL */
    ct_scenario *items;
    size_t len, cap;
} ct_scenarios;

/* The keys of the file. */
extern const mt_form_table CT_SCENARIOS_FORM;

/* `text` is what the tree was read from, for places. A scenario with a fault of its own
 * is kept with it; the others are as good as without it. MT_E_TYPE: *why says what is
 * wrong with the file. */
mt_err ct_scenarios_read(mt_arena *a, mt_str file, mt_str text, const mt_json *tree,
                         ct_scenarios *out, mt_str *why);

/* Appends "FILE:LINE:COLUMN: " of a node of the file's tree. */
void ct_scenario_place(mt_buf *out, const ct_scenarios *file, const mt_json *at);

/* Do all names exist that the scenarios use? A scenario that uses another one gets a
 * fault with its place and the nearest name. MT_E_TYPE: what all of them share does;
 * *why. */
mt_err ct_scenarios_check(mt_arena *a, const ct_plan *p, ct_scenarios *file,
                          mt_str *why);

/* Conditions of a scenario (`assert`, `where`), as whoever can read them gives them. */
typedef struct ct_conditions {
    void *state;
    bool reads_error; /* an assertion speaks of errors: they are not faults by
                         themselves */
    /* After a trial. *wanted: does `where` hold? false: an assertion does not; a line
     * in `why` for each. */
    bool (*judge)(void *state, mt_arena *a, const ct_bench *b, const ct_trial *t,
                  const ct_result *r, bool *wanted, mt_buf *why);
} ct_conditions;

/* Runs one that has no fault and is not a property, and compares. false: `why` says
 * line by line what differs. `conditions` and `coverage` may be NULL. */
bool ct_scenario_run(mt_arena *a, ct_bench *b, const ct_scenarios *file,
                     const ct_scenario *s, const ct_conditions *conditions,
                     ct_coverage *coverage, mt_buf *why);
/* Writes the scenario with `then` replaced by what happens today. `more`: further
 * facts, an object as text, or empty. */
void ct_scenario_record(mt_jw *w, mt_arena *a, ct_bench *b, const ct_scenarios *file,
                        const ct_scenario *s, mt_str more);
/* Writes `then` of a trial that was run: for recording what is not a scenario yet. */
void ct_result_json(mt_jw *w, const ct_bench *b, const ct_result *r);

#endif

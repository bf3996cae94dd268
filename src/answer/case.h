/* answer/case.h - a contract with facts and states: one case, ready to be asked about.
 * Room: answer.
 * Order: open, facts, states; then whatever is asked. Each says in its reply what is
 * wrong. Ownership: a case borrows its contract, in whose arena its plan and states
 * are; aw_case_free() may be called after any step. */
#ifndef AW_CASE_H
#define AW_CASE_H

#include "answer/contract.h"
#include "answer/reply.h"
#include "contract/flow/report.h"
#include "contract/flow/scenario.h"
#include "contract/reduce/partial.h"

typedef struct aw_case {
    aw_contract *contract;
    const ct_model *model; /* NULL when it was rejected */
    const ct_plan *plan;   /* likewise */
    ct_bench bench;        /* facts, verdicts and a run, reused */
    ct_frozen frozen;      /* once facts were given */
    ct_states states;      /* sealed */
    ct_binding binding;    /* resolved against the states */
} aw_case;

int aw_case_open(aw_case *x, aw_contract *c, aw_reply *r);
void aw_case_free(aw_case *x);

/* Reads the facts and evaluates; what they have that the contract does not is warned
 * of. */
int aw_case_facts(aw_case *x, mt_str json, bool strict, aw_reply *r);
/* No instance and no binding yet; ct_states_read() and its siblings may now add some.
 */
void aw_case_states_begin(aw_case *x);
/* Entities nobody mentioned have one instance `_default` in the initial state. */
void aw_case_states_end(aw_case *x);
/* Both with what JSON says: {"Entity":{"instance":"state"}} and {"Entity":"instance"};
 * NULL: nothing. */
int aw_case_states(aw_case *x, const mt_json *states, const mt_json *bind, aw_reply *r);

/* ---- Facts with holes ---- */

typedef struct aw_holes {
    mt_arena arena;
    ct_facts *facts;
    ct_partial *partial;
    bool *named;   /* by fact: unknown in every fact set */
    bool *unknown; /* by fact: in the one at hand */
} aw_holes;

void aw_holes_open(aw_holes *h, const ct_program *p, ct_patience patience);
void aw_holes_free(aw_holes *h);
/* Facts "a,b" are not known. AW_USAGE: there is no such fact. */
int aw_holes_name(aw_holes *h, mt_str names, aw_reply *r);
/* Reads one fact set and evaluates it as far as it goes; with `missing`, facts that are
 * not given and have no default are not known either. False: *fault says why not.
 * `text` must live as long as what is left is read. What is surplus in it can be asked
 * of h->facts. */
bool aw_holes_evaluate(aw_holes *h, mt_str text, const mt_limits *limits, bool missing,
                       bool strict, ct_fault *fault);

/* ---- Answers ---- */

/* Members of the text that `f` was filled from and the contract does not know: a
 * warning each. */
void aw_warn_surplus(aw_reply *r, const ct_facts *f, mt_str json,
                     const mt_limits *limits);
/* Every fault of a fact set, a sentence each; AW_FAILS. */
int aw_fail_evaluation(aw_reply *r, const ct_fault *fault);
/* "; did you mean 'x'?" of the nearest name of the kind, or nothing. */
const char *aw_near(mt_arena *a, const ct_model *m, ct_kind kind, mt_str name);

/* A flow that is run to its end in memory; `outcome` (may be empty) is taken where
 * several match. How it ended stands in x->bench.run, a run that failed included. */
typedef struct aw_act {
    mt_str flow, operation; /* one of them */
    mt_str persona, outcome;
    bool simulation; /* every record says so */
} aw_act;
int aw_run_flow(aw_case *x, const aw_act *act, aw_reply *r);
/* One operation that is tried; *report says what came of it. */
int aw_try_operation(aw_case *x, const aw_act *act, ct_op_report *report, aw_reply *r);
/* Either, as JSON: AW_FAILS if the flow breaks off or the operation is refused. */
int aw_act_json(aw_case *x, const aw_act *act, aw_reply *r);

/* AW_FAILS: the contract declares personas, and this is none of them. */
int aw_knows_persona(const aw_case *x, mt_str persona, aw_reply *r);
/* What the persona can do now, as JSON; `holes` NULL: all facts are known. */
int aw_actions_json(aw_case *x, mt_str persona, aw_holes *holes, aw_reply *r);

#endif

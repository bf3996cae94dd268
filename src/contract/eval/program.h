/* contract/eval/program.h - a model compiled for evaluation, and evaluation itself.
 * Room: contract. May include base/ and contract/.
 *     facts --ct_evaluate--> verdicts;  snapshot --ct_holds--> does a condition hold?
 * Facts and verdicts are slots, types are decided, so evaluating looks up no name,
 * hashes nothing and allocates nothing. What was read is recorded as one bit per place
 * in the expression where a fact or verdict stands ("site"), in order of first use, and
 * turned into names only when printed.
 * Threads: a program is immutable and shared; a ct_verdicts belongs to one thread while
 * it is written, and is immutable afterwards. */
#ifndef CT_EVAL_PROGRAM_H
#define CT_EVAL_PROGRAM_H

#include "base/json_write.h"
#include "contract/eval/fault.h"
#include "contract/wire/model.h"

typedef struct ct_program ct_program;
typedef struct ct_facts ct_facts; /* eval/facts.h */

/* Compiles the rules and all conditions of the model. Lives in `keep`, borrows `m`. */
const ct_program *ct_compile(mt_arena *keep, const ct_model *m);
const ct_model *ct_program_model(const ct_program *p);

/* ---- Verdicts ---- */

/* What one condition read, in order of first use: fact and verdict (rule) indices. */
typedef struct ct_used {
    const uint32_t *facts, *verdicts;
    uint32_t fact_count, verdict_count;
} ct_used;

/* The result of evaluating all rules: for each rule whether its verdict is present, its
 * payload and what it used. */
typedef struct ct_verdicts ct_verdicts;

/* How long one evaluation of all rules, or of one condition, may go on. A step is a
 * node of the body of a quantifier, times the length of its list, each time the
 * quantifier is come to (spec §16, S7), also if it stops early; besides an element of a
 * list, or 256 bytes of text, that a comparison walks. What else is outside of
 * quantifiers is bounded by the contract and not counted. So the same facts exceed
 * `steps` everywhere or nowhere. The engine has no clock: whoever has one is asked now
 * and then. */
typedef struct ct_patience {
    uint64_t steps;            /* at most so many; see work.c for what a step is */
    bool (*late)(void *state); /* NULL: it is never too late */
    void *state;
} ct_patience;

/* Room for the verdicts of one program, reusable for any number of evaluations, with
 * the patience of MT_LIMITS_DEFAULT. */
ct_verdicts *ct_verdicts_new(const ct_program *p);
void ct_verdicts_free(ct_verdicts *v);
/* Holds for evaluating into `v`, and for all conditions asked of a snapshot with it. */
void ct_verdicts_limit(ct_verdicts *v, ct_patience patience);
ct_patience ct_verdicts_patience(const ct_verdicts *v);

/* Evaluates every rule, stratum by stratum. MT_OK; MT_E_OVERFLOW, MT_E_RANGE (index),
 * MT_E_TYPE (union tag, absent verdict), MT_E_LIMIT (too many steps), MT_E_TIMEOUT (too
 * late): then *fault says what and where, with texts in
 * `errors`, and no verdict may be read. `v` borrows from `facts`. */
mt_err ct_evaluate(const ct_program *p, const ct_facts *facts, ct_verdicts *v,
                   mt_arena *errors, ct_fault *fault);

/* After ct_evaluate() succeeded. */
bool ct_verdict_present(const ct_verdicts *v, uint32_t rule);
/* Its payload, of the rule's payload_type; NULL when absent. */
const ct_value *ct_verdict_payload(const ct_verdicts *v, uint32_t rule);
/* What the rule read; arrays in `a`. Only for a verdict that is present. */
ct_used ct_verdict_used(mt_arena *a, const ct_verdicts *v, uint32_t rule);

/* Verdicts that somebody else has decided: none at first, then one by one. `payload` is
 * of the rule's payload_type and borrowed. What they used is not known of them. */
void ct_verdicts_clear(ct_verdicts *v);
void ct_verdicts_put(ct_verdicts *v, uint32_t rule, const ct_value *payload);

/* ---- Snapshots and conditions ---- */

/* Facts and verdicts frozen together (spec §11.4). Borrows both. */
typedef struct ct_snapshot {
    const ct_program *program;
    const ct_facts *facts;
    const ct_verdicts *verdicts; /* of these facts, evaluated once */
} ct_snapshot;

/* Does condition `index` (of the model's conditions) hold? Errors as ct_evaluate().
 * `scratch` is a ct_verdicts of the same program used as working room only, never
 * s->verdicts itself. `used` may be NULL; otherwise it is filled when the condition
 * holds (and when it does not: with what was read to find that out), arrays in `a`. */
mt_err ct_holds(const ct_snapshot *s, uint32_t index, ct_verdicts *scratch, bool *holds,
                mt_arena *a, ct_used *used, ct_fault *fault);

/* The same for any predicate of the model that stands outside a quantifier, so that an
 * explanation can ask about the parts of a condition. Compiles as it goes: slow. */
mt_err ct_holds_expr(const ct_snapshot *s, const ct_expr *predicate, bool *holds,
                     mt_arena *a, ct_used *used, ct_fault *fault);

/* ---- How much work ---- */

/* The most steps that evaluating can take: of rules and conditions with any facts; of
 * the rules, and of one condition, with these. UINT64_MAX: that many, or more. */
uint64_t ct_work_most(const ct_program *p);
/* A bound, with the lengths these facts have; saturates. */
uint64_t ct_work_rules(const ct_program *p, const ct_facts *facts);
uint64_t ct_work_condition(const ct_program *p, const ct_facts *facts, uint32_t index);

/* Evaluates condition `index` and keeps what came of it, a fault as well, so that
 * ct_holds() answers from then on without evaluating. `v` are the snapshot's verdicts,
 * which nobody else uses yet; `keep` lives as long as they are not evaluated anew.
 * MT_E_TIMEOUT: it is too late, and nothing is kept. */
mt_err ct_remember(const ct_snapshot *s, ct_verdicts *v, uint32_t index,
                   ct_verdicts *scratch, mt_arena *keep, ct_fault *fault);

/* Adds what the verdicts in `used` themselves used, and so on: the closure over verdict
 * provenance (§15.4: every chain ends at facts). A verdict that is absent rests on what
 * was read to find that out. Arrays in `a`, in order of first use. */
ct_used ct_used_closure(mt_arena *a, const ct_snapshot *s, ct_used used);

/* Appends {"verdicts":[…]} in the suite's shape, or only the array. */
void ct_verdicts_json(mt_buf *out, const ct_verdicts *v);
void ct_verdicts_json_array(mt_buf *out, const ct_verdicts *v);
/* FactProvenance of every fact (§5.3): the roots every chain ends in. */
void ct_facts_json(mt_jw *w, const ct_facts *facts);
/* {"provenance":{"contract","facts":[…]},"verdicts":[…]} */
void ct_evaluation_json(mt_buf *out, const ct_facts *facts, const ct_verdicts *v);
/* {"details":{"path","rule","type"},"error":…}, with "further" faults of a fact set. */
void ct_fault_json(mt_buf *out, const ct_fault *f);

#endif

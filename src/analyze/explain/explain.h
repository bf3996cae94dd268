/* analyze/explain/explain.h - a contract in prose, and why something is as it is.
 * Room: analyze. May include base/ and contract/ only.
 * One writer, three forms: text for a terminal (with or without colour), markdown, and
 * JSON for programs. */
#ifndef AN_ANALYZE_EXPLAIN_H
#define AN_ANALYZE_EXPLAIN_H

#include "contract/flow/action_space.h"

typedef enum an_explain_form {
    AN_EXPLAIN_TEXT,
    AN_EXPLAIN_COLOUR,
    AN_EXPLAIN_MARKDOWN
} an_explain_form;

/* The whole contract: summary, rules, each flow as a story, facts, and what to watch.
 * `verbose` adds states, preconditions and effects. */
void an_explain_contract(mt_buf *out, const ct_plan *p, an_explain_form form,
                         bool verbose);
/* The same as data. */
void an_explain_contract_json(mt_buf *out, const ct_plan *p);

/* A condition in words. */
void an_explain_condition(mt_buf *out, const ct_model *m, const ct_expr *e,
                          an_explain_form form);

/* Why the verdict of a rule is present or absent, down to facts: the smallest set of
 * atoms that decides each rule on the way. */
void an_explain_verdict(mt_buf *out, const ct_frozen *z, uint32_t rule,
                        an_explain_form form);
/* With `deep`, working room of the same program, all reasons and what would have to
 * change are told, too (explain_deep.h); NULL: they are not. */
void an_explain_verdict_json(mt_buf *out, const ct_frozen *z, uint32_t rule,
                             ct_partial *deep);

/* The same where facts are unknown: what it depends on, or why it is decided. */
void an_explain_verdict_partly(mt_buf *out, ct_partial *x, uint32_t rule,
                               an_explain_form form);
void an_explain_verdict_partly_json(mt_buf *out, ct_partial *x, uint32_t rule);

/* An operation that somebody is about to try. */
typedef struct an_try {
    uint32_t operation;
    mt_str persona;          /* empty: anybody whom it allows */
    const uint32_t *states;  /* by entity; CT_NONE: no instance. NULL: not asked */
    const mt_str *instances; /* by entity */
} an_try;

/* Why the operation may be performed, or what refuses it: the persona, the smallest set
 * of atoms that makes its precondition false, or a state. True: it may. */
bool an_explain_operation(mt_buf *out, const ct_frozen *z, const an_try *attempt,
                          an_explain_form form);
bool an_explain_operation_json(mt_buf *out, const ct_frozen *z, const an_try *attempt,
                               ct_partial *deep);
/* The same of its precondition alone, where facts are unknown. */
ct_partly an_explain_operation_partly(mt_buf *out, ct_partial *x, uint32_t operation,
                                      an_explain_form form);
ct_partly an_explain_operation_partly_json(mt_buf *out, ct_partial *x,
                                           uint32_t operation);

/* Parts of a reason as lines `depth` deep, or as an array. */
void an_explain_parts(mt_buf *out, const ct_frozen *z, const ct_reasons *parts,
                      unsigned depth, an_explain_form form);
void an_explain_parts_json(mt_buf *out, const ct_frozen *z, const ct_reasons *parts);

/* Why a flow is open to a persona, or what blocks it: the smallest set of facts,
 * verdicts or states. *open says which. */
void an_explain_flow(mt_buf *out, const ct_frozen *z, const ct_states *states,
                     uint32_t flow, mt_str persona, an_explain_form form, bool *open);
void an_explain_flow_json(mt_buf *out, const ct_frozen *z, const ct_states *states,
                          uint32_t flow, mt_str persona, ct_partial *deep, bool *open);

#endif

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

/* The whole contract: summary, each flow as a story, facts, and what to watch. */
void an_explain_contract(mt_buf *out, const ct_plan *p, an_explain_form form,
                         bool verbose);
/* The same as data. */
void an_explain_contract_json(mt_buf *out, const ct_plan *p);

/* Why the verdict of a rule is present or absent, down to facts: the smallest set of
 * atoms that decides each rule on the way. */
void an_explain_verdict(mt_buf *out, const ct_frozen *z, uint32_t rule,
                        an_explain_form form);
void an_explain_verdict_json(mt_buf *out, const ct_frozen *z, uint32_t rule);

/* Why a flow is open to a persona, or what blocks it: the smallest set of facts,
 * verdicts or states. *open says which. */
void an_explain_flow(mt_buf *out, const ct_frozen *z, const ct_states *states,
                     uint32_t flow, mt_str persona, an_explain_form form, bool *open);
void an_explain_flow_json(mt_buf *out, const ct_frozen *z, const ct_states *states,
                          uint32_t flow, mt_str persona, bool *open);

#endif

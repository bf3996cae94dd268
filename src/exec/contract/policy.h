/* exec/contract/policy.h - what becomes of flows in flight when a version is deployed.
 * Room: exec. A policy is a word for all flows, or {"FLOW": word, "*": word}. */
#ifndef EX_POLICY_H
#define EX_POLICY_H

#include "analyze/version/migrate.h"
#include "base/json_write.h"
#include "exec/executor.h"

/* The policy for a flow; AN_POLICY_NONE: none is declared. */
an_policy ex_policy_for(const mt_json *policy, mt_str flow);
/* "policy":…, if there is one. */
void ex_policy_members(mt_jw *w, const mt_json *policy);
/* What is wrong with text that is not one. */
mt_str ex_no_policy(mt_arena *a, mt_str bad);

#endif

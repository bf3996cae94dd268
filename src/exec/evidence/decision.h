/* exec/evidence/decision.h - what a record decided, in short: who asked as what, under
 * which version, what came of it and why. For receipts and audits.
 * Room: exec. Knows bodies of records, no executor. */
#ifndef EX_DECISION_H
#define EX_DECISION_H

#include "base/json_read.h"

/* The decision of a record's body, as canonical JSON in the arena: what is small and
 * says who, what and why, without values of facts. MT_E_CORRUPT: it is not a body. */
mt_err ex_decision_of(mt_arena *a, mt_str body, mt_str *out);
/* The same for a receipt: a decision about somebody else has no reasons. */
mt_err ex_decision_for_asker(mt_arena *a, mt_str body, mt_str *out);

/* Of a refusal as its caller is told of it: what holds no value of a fact. */
mt_json ex_refusal_without_values(mt_arena *a, const mt_json *problem);
/* The members of an object but those (up to NULL). */
mt_json ex_members_but(mt_arena *a, const mt_json *from, const char *const *names);

/* Does the body bind the instance? Empty: any entity, any instance. */
bool ex_body_binds(const mt_json *body, mt_str entity, mt_str instance);

#endif

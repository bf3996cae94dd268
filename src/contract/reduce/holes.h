/* contract/reduce/holes.h - fact sets in which some facts are not known.
 * Room: contract. May include base/ and contract/.
 * A fact set is always whole. Where a fact is unknown some value stands in its place,
 * which nobody looks at: ct_partial_evaluate() is told which facts these are. */
#ifndef CT_REDUCE_HOLES_H
#define CT_REDUCE_HOLES_H

#include "base/limits.h"
#include "contract/wire/model.h"

/* Some value of the type: zero, false, empty, the first. */
const ct_value *ct_some_value(mt_arena *a, const ct_type *type);

/* The JSON of the facts with some value for each unknown one, to be read by
 * ct_facts_read(). unknown[i] is by fact; with `missing`, facts that are not given and
 * have no default become unknown, too. What is not JSON is given back as it is, for the
 * reader to complain about. The text lives in the arena, or is `facts` itself. */
mt_str ct_holes_fill(mt_arena *a, const ct_model *m, mt_str facts,
                     const mt_limits *limits, bool missing, bool *unknown);

/* Sets unknown[i] for "a,b"; a name that no fact has: false, and *name is it. */
bool ct_holes_read(const ct_model *m, mt_str names, bool *unknown, mt_str *name);

#endif

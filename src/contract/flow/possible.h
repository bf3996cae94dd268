/* contract/flow/possible.h - can these conditions be as they are said to be, together?
 * Room: contract. May include base/ and contract/ only.
 * Comparisons and verdict_present are taken as free yes-or-no questions, the same
 * question wherever it is asked, since a flow's snapshot is frozen. So "impossible" is
 * certain and "possible" is not. */
#ifndef CT_FLOW_POSSIBLE_H
#define CT_FLOW_POSSIBLE_H

#include "contract/wire/model.h"

typedef struct ct_demand {
    const ct_expr *predicate;
    bool value; /* that the predicate must have */
} ct_demand;

/* False is sure; true only means that nothing here excludes it. */
bool ct_possible(const ct_demand *demands, size_t count);

#endif

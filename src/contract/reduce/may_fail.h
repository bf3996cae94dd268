/* contract/reduce/may_fail.h - can a condition end without a value? By structure alone.
 * Room: contract. May include base/ and contract/.
 * A typed error (overflow, another tag, an index outside its list) ends an evaluation,
 * so a part that may fail guards what stands behind it and may be neither moved nor
 * left out. False means never, whatever the facts; true means that some may. */
#ifndef CT_REDUCE_MAY_FAIL_H
#define CT_REDUCE_MAY_FAIL_H

#include "contract/wire/model.h"

/* An index, a variant, arithmetic that may leave its range. NULL never fails. */
bool ct_may_fail(const ct_expr *e);
/* Can the arithmetic of this node never fail, whatever its operands? */
bool ct_arith_safe(const ct_expr *e);
/* Is every value of `from` one of `to`, once it is rounded to its scale? */
bool ct_fit_safe(const ct_type *to, const ct_type *from);
/* Its term, an absent verdict in it, or what brings it to its type. */
bool ct_payload_may_fail(const ct_rule *r);
/* Is a verdict's payload read somewhere? Where it is absent, the comparison is false.
 */
bool ct_reads_payload(const ct_expr *e);

#endif

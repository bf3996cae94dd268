/* contract/flow/text.h - values and expressions as the language writes them.
 * Room: contract. May include base/ and contract/ only.
 * For people: provenance, explanations, reasons. Operators are written with words and
 * ASCII signs, parentheses only where the meaning needs them. */
#ifndef CT_FLOW_TEXT_H
#define CT_FLOW_TEXT_H

#include "contract/wire/model.h"

/* true, 3, 1.50, "text", draft, 2026-01-31, 5.00 USD, 30 days, {a: 1}, [1, 2] */
void ct_value_text(mt_buf *out, const ct_type *type, const ct_value *value);
void ct_expr_text(mt_buf *out, const ct_model *m, const ct_expr *e);

#endif

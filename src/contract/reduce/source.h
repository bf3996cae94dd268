/* contract/reduce/source.h - values and expressions as the language writes them.
 * Room: contract. May include base/ and contract/.
 * What ct_expr_source() writes is read back as the same condition, in the contract it
 * is of: operators as words and ASCII signs, parentheses only where the meaning needs
 * them, Money, durations, dates and texts as literals of the language. */
#ifndef CT_REDUCE_SOURCE_H
#define CT_REDUCE_SOURCE_H

#include "contract/wire/model.h"

/* true, 3, 1.50, "text", Money { amount: "5.00", currency: "USD" }, … */
void ct_value_source(mt_buf *out, const ct_type *type, const ct_value *value);
void ct_expr_source(mt_buf *out, const ct_model *m, const ct_expr *e);

/* The same with another writer of literals, for text that nobody reads back. */
typedef void ct_value_writer(mt_buf *out, const ct_type *type, const ct_value *value);
void ct_expr_write(mt_buf *out, const ct_model *m, const ct_expr *e,
                   ct_value_writer *value);

#endif

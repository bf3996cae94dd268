/* contract/front/check.h - what the files of pass 4 share.
 * Room: contract/front, pass4_*.c only. */
#ifndef CT_FRONT_CHECK_H
#define CT_FRONT_CHECK_H

#include "contract/front/types.h"

typedef struct ct_variable {
    ct_sym name;
    const ct_type *type;
} ct_variable;

/* One expression being checked. */
typedef struct ct_check {
    ct_unit *u;
    const ct_construct *c;
    mt_str field;
    ct_tok tok;    /* where faults are shown; 0: at the expression itself */
    ct_tok anchor; /* first token of the comparison, whose line the suite shows; or 0 */
    bool late;     /* the suite does not look here */
    bool in_payload; /* two variables may be multiplied */
    int64_t stratum; /* verdicts of lower strata may be read; INT64_MAX: all */
    unsigned quantifiers;
    MT_VEC(ct_variable) variables; /* innermost last */
} ct_check;

/* Where a fault of `e` is shown. */
ct_place ct_check_at(const ct_check *k, const ct_expr *e, bool late);

/* The type of a value, CT_UNKNOWN after a report. `direct` operands of a comparison in
 * a rule are what the suite looks at. */
const ct_type *ct_term_type(ct_check *k, ct_expr *e, bool direct);
/* Checks a condition. */
void ct_check_condition(ct_check *k, ct_expr *e);

/* Reports a verdict that is read at its own stratum or below. */
void ct_check_stratum(ct_check *k, const ct_expr *e, const ct_rule *rule);
void ct_report_product(ct_check *k, const ct_expr *e, bool late);
bool ct_is_literal(const ct_expr *e);

#endif

/* contract/front/check.h - what the files of pass 4 share.
 * Room: contract/front, pass4_*.c only. */
#ifndef FR_FRONT_CHECK_H
#define FR_FRONT_CHECK_H

#include "contract/front/types.h"

typedef struct fr_variable {
    fr_sym name;
    const fr_type *type;
} fr_variable;

/* One expression being checked. */
typedef struct fr_check {
    fr_unit *u;
    const fr_construct *c;
    mt_str field;
    fr_tok tok;    /* where faults are shown; 0: at the expression itself */
    fr_tok anchor; /* first token of the comparison, whose line the suite shows; or 0 */
    bool late;     /* the suite does not look here */
    bool in_payload; /* two variables may be multiplied */
    int64_t stratum; /* verdicts of lower strata may be read; INT64_MAX: all */
    unsigned quantifiers;
    const fr_type *beside; /* of the operand on the left while the right is read */
    MT_VEC(fr_variable) variables; /* innermost last */
} fr_check;

/* Where a fault of `e` is shown. */
fr_place fr_check_at(const fr_check *k, const fr_expr *e, bool late);

/* The same, and for people a message with the types spelled out: text, type, text,
 * type, text. Both may be NULL. */
fr_place fr_check_types(const fr_check *k, const fr_expr *e, const char *before,
                        const fr_type *a, const char *between, const fr_type *b,
                        const char *behind);

/* The type of a value, FR_UNKNOWN after a report. `direct` operands of a comparison in
 * a rule are what the suite looks at. */
const fr_type *fr_term_type(fr_check *k, fr_expr *e, bool direct);
/* Checks a condition. */
void fr_check_condition(fr_check *k, fr_expr *e);

/* Reports a verdict that is read at its own stratum or below. */
void fr_check_stratum(fr_check *k, const fr_expr *e, const fr_rule *rule);
void fr_report_product(fr_check *k, const fr_expr *e, bool late);
bool fr_is_literal(const fr_expr *e);

/* pass4_parts.c: a record, list or union that is written out. */
bool fr_is_structured(const fr_expr *e);
/* As a value of the type: `want`, or FR_UNKNOWN after a report. */
const fr_type *fr_structure_type(fr_check *k, fr_expr *e, const fr_type *want);
/* Where no place gives it a type: that which it names, else FR_UNKNOWN after a report.
 */
const fr_type *fr_untyped_structure(fr_check *k, fr_expr *e);
/* The declared type whose name stands before its brace; NULL if there is none. */
const fr_type *fr_named_structure(fr_check *k, const fr_expr *e);
/* Is every Int, or Duration, of `inner` one of `outer`? */
bool fr_contains(const fr_type *outer, const fr_type *inner);
/* Why a typed term does not always fit; empty when it does. */
mt_str fr_value_fault(fr_check *k, const fr_type *want, const fr_expr *e);

#endif

/* contract/front/types.h - questions about types, for passes 3 to 5.
 * Room: contract/front. */
#ifndef CT_FRONT_TYPES_H
#define CT_FRONT_TYPES_H

#include "contract/front/unit.h"
#include "contract/wire/round_text.h"

extern const ct_type CT_BOOL, CT_TEXT, CT_DATE, CT_DATETIME, CT_UNKNOWN;

/* The type with every reference replaced by what it names; reports unknown ones at the
 * construct's keyword. */
ct_type *ct_resolve_type(ct_unit *u, ct_type *t, const ct_construct *c);

const char *ct_base_name(ct_base base);
/* As in messages: Int(min: 0, max: 5), Money(currency: USD), Text. */
mt_str ct_type_text(const ct_unit *u, mt_arena *a, const ct_type *t);
bool ct_type_equal(const ct_type *a, const ct_type *b);
/* The field or variant, NULL if there is none. */
const ct_type *ct_type_field_of(const ct_unit *u, const ct_type *t, ct_sym name);

static inline bool ct_is_unknown(const ct_type *t)
{
    return t->base == CT_TYPE_ERROR;
}

/* Checks parameters of a type and everything in it, once. */
void ct_check_type(ct_unit *u, ct_type *t, const ct_construct *c, mt_str field);
/* Why the literal is no value of the type, empty if it is one. `tolerated` is set for
 * an integer where a Duration is needed. */
mt_str ct_literal_fault(ct_unit *u, const ct_type *t, const ct_expr *e,
                        bool *tolerated);

/* Number of digits of |n|; 1 for 0. */
unsigned ct_digits(int64_t n);
/* Decimal(precision, 0) that holds every value of an Int. */
unsigned ct_int_precision(const ct_type *t);
/* precision and scale of a decimal literal as written */
void ct_decimal_literal(mt_str text, uint32_t *precision, uint32_t *scale);
/* Seconds in a unit, 0 for an unknown one. */
int64_t ct_unit_seconds(ct_sym unit);
/* As the loader and the facts read them. */
bool ct_valid_date(mt_str text);
bool ct_valid_datetime(mt_str text);
bool ct_valid_decimal(mt_str text);

#endif

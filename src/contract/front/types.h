/* contract/front/types.h - questions about types, for passes 3 to 5.
 * Room: contract/front. */
#ifndef FR_FRONT_TYPES_H
#define FR_FRONT_TYPES_H

#include "contract/front/unit.h"
#include "contract/wire/round_text.h"

/* FR_BOOL and so on: without their parameters, to begin from where a type is made. */
#define X_BASE(ID, text, HELD, TRAITS, result) extern const fr_type FR_##ID;
#include "lang/nodes.def"
extern const fr_type FR_UNKNOWN;

/* The type with every reference replaced by what it names; reports unknown ones at the
 * construct's keyword. */
fr_type *fr_resolve_type(fr_unit *u, fr_type *t, const fr_construct *c);

const char *fr_base_name(fr_base base);
/* As in messages: Int(min: 0, max: 5), Money(currency: USD), Text. */
mt_str fr_type_text(const fr_unit *u, mt_arena *a, const fr_type *t);
/* As it is written, with all parameters: Text(5), Decimal(4, 2), List(Int(...), max:
 * 3). Not for messages of the suite. */
mt_str fr_type_spell(const fr_unit *u, mt_arena *a, const fr_type *t);
/* An unknown type equals every other: it has been reported. */
bool fr_type_equal(const fr_type *a, const fr_type *b);
/* The field or variant, NULL if there is none, or the type has none at all. */
const fr_type *fr_type_field_of(const fr_unit *u, const fr_type *t, fr_sym name);

/* Is it a value of the Enum? */
bool fr_has_value(const fr_type *t, fr_sym value);

static inline bool fr_is_unknown(const fr_type *t)
{
    return t->base == FR_TYPE_ERROR;
}

/* Checks parameters of a type and everything in it, once. */
void fr_check_type(fr_unit *u, fr_type *t, const fr_construct *c, mt_str field);
/* Why the literal is not a value of the type, empty if it is one. `tolerated` is set
 * for an integer where a Duration is needed. */
mt_str fr_literal_fault(fr_unit *u, const fr_type *t, const fr_expr *e,
                        bool *tolerated);

/* Has the literal digits behind the dot, other than zeros, that a Decimal or Money does
 * not keep where it is rounded to its scale? */
bool fr_literal_loses(const fr_unit *u, const fr_type *t, const fr_expr *e);
/* Digits behind the dot of a Money default, whatever the currency: the suite's bytes.
 */
enum { FR_MONEY_SCALE = 2 };

/* Number of digits of |n|; 1 for 0. */
unsigned fr_digits(int64_t n);
/* Decimal(precision, 0) that holds every value of an Int. */
unsigned fr_int_precision(const fr_type *t);
/* precision and scale of a decimal literal as written */
void fr_decimal_literal(mt_str text, uint32_t *precision, uint32_t *scale);
/* Seconds in a unit, 0 for an unknown one. */
int64_t fr_unit_seconds(fr_sym unit);
/* As the loader and the facts read them. */
bool fr_valid_date(mt_str text);
bool fr_valid_datetime(mt_str text);
bool fr_valid_decimal(mt_str text);

#endif

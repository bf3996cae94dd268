/* contract/wire/made.h - a structured value put together from those of its parts.
 * Room: contract. May include base/ and contract/wire only. */
#ifndef CT_WIRE_MADE_H
#define CT_WIRE_MADE_H

#include "contract/wire/model.h"

/* The value that a CT_MAKE of this type and index comes to, laid out as value.h says;
 * parts in the order of ct_part_of(). It lives in the arena, and what its parts point
 * at lives on. */
const ct_value *ct_made_value(mt_arena *a, const ct_type *type, uint32_t index,
                              const ct_value *const *parts);

#endif

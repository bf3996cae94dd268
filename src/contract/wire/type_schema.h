/* contract/wire/type_schema.h - what the JSON of a fact's value looks like.
 * Room: contract. May include base/ and contract/wire only. */
#ifndef CT_WIRE_TYPE_SCHEMA_H
#define CT_WIRE_TYPE_SCHEMA_H

#include "base/json_write.h"
#include "contract/wire/value.h"

/* Writes the type as one JSON Schema (2020-12). */
void ct_type_schema(mt_jw *w, const ct_type *t);

/* Parts of other schemas, as members of the open object: a word, a property that has
 * one value, the names of one or two that must be there (`second` may be NULL). */
void ct_schema_word(mt_jw *w, const char *key, const char *value);
void ct_schema_constant(mt_jw *w, const char *key, mt_str value);
void ct_schema_required(mt_jw *w, const char *first, const char *second);

#endif

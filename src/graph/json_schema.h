/* graph/json_schema.h - JSON Schema 2020-12, the part that describes payloads.
 * Room: graph. May include base/ only.
 * Supported: type, enum, const, properties, required, additionalProperties,
 * patternProperties, propertyNames, minProperties, maxProperties, items, prefixItems,
 * minItems, maxItems, uniqueItems, minimum, maximum, exclusiveMinimum,
 * exclusiveMaximum, multipleOf, minLength, maxLength, pattern, allOf, anyOf, oneOf,
 * not, if/then/else, $defs, local $ref; annotations are ignored. Another keyword of the
 * standard is refused when the schema is compiled, never silently skipped.
 * Numbers are compared as doubles. Patterns are PCRE2 in UTF mode with match limits.
 * Ownership: a schema lives in its arena; patterns need gr_schema_free().
 * Threads: immutable, may be shared. */
#ifndef GR_JSON_SCHEMA_H
#define GR_JSON_SCHEMA_H

#include "base/json_read.h"

typedef struct gr_schema gr_schema;

typedef struct gr_schema_error {
    mt_str path; /* in the instance, or in the schema for a compile error: $.a[0] */
    const char *keyword; /* static: "maximum" */
    mt_str message;
} gr_schema_error;

/* MT_OK, MT_E_SYNTAX for what is not a schema, MT_E_LIMIT. `source` must outlive it. */
mt_err gr_schema_compile(mt_arena *a, const mt_json *source, gr_schema **out,
                         gr_schema_error *error);
void gr_schema_free(gr_schema *s);

/* MT_OK, or MT_E_REJECTED and the first violation in document order (texts in `a`). */
mt_err gr_schema_check(const gr_schema *s, mt_arena *a, const mt_json *instance,
                       gr_schema_error *error);

#endif

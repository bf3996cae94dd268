/* lang/schema.h - the shapes of interchange as a JSON Schema (draft 2020-12).
 * Room: lang. May include base/ only. */
#ifndef LN_SCHEMA_H
#define LN_SCHEMA_H

#include "base/str.h"

/* Appends the schema of a bundle, pretty, with a newline at the end:
 * schema/interchange-schema.json. */
void ln_schema_write(mt_buf *out);

#endif

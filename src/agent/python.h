/* agent/python.h - what existing Python agents do to values on the wire.
 * Room: agent. May include base/ only; pure.
 * For the harness's compat mode. Our own runtime never re-decodes texts. */
#ifndef AG_PYTHON_H
#define AG_PYTHON_H

#include "base/json_read.h"

/* Appends json.dumps(value): ", " and ": ", ASCII only, floats as repr. */
void ag_py_dumps(mt_buf *out, const mt_json *value);
/* Appends repr(text). */
void ag_py_repr(mt_buf *out, mt_str text);
/* The type tree: "str", "bool", "int", "float", "null" at the leaves. */
mt_json ag_py_type(mt_arena *a, const mt_json *value);
/* Decodes every text that is JSON, again and again, then casts by the type tree. */
mt_json ag_py_recover(mt_arena *a, mt_str line);

#endif

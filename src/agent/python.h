/* agent/python.h - what existing Python agents do to values on the wire.
 * Room: agent. May include base/ only; pure.
 * For the harness's compat mode. Our own runtime never re-decodes texts. */
#ifndef AG_PYTHON_H
#define AG_PYTHON_H

#include "base/json_read.h"

/* What to make of values that JSON does not have: AG_PY_AS_IS keeps NaN and the
 * infinities as numbers of that text and half of a surrogate pair as its three bytes,
 * for answers to Python; AG_PY_AS_JSON makes them texts and U+FFFD, for everything that
 * is kept or sent. */
typedef enum ag_py_form { AG_PY_AS_IS, AG_PY_AS_JSON } ag_py_form;

/* json.loads(text): JSON, and what Python takes beyond it. MT_E_SYNTAX, MT_E_LIMIT;
 * `limits` may be NULL. The result may borrow from `text`. */
mt_err ag_py_loads(mt_arena *a, mt_str text, const mt_json_limits *limits,
                   ag_py_form form, mt_json *out);
/* Appends json.dumps(value): ", " and ": ", ASCII only, floats as repr. */
void ag_py_dumps(mt_buf *out, const mt_json *value);
/* Appends repr(text). */
void ag_py_repr(mt_buf *out, mt_str text);
/* The type tree: "str", "bool", "int", "float", "null" at the leaves. */
mt_json ag_py_type(mt_arena *a, const mt_json *value);
/* Decodes every text that is JSON, again and again, then casts by the type tree. */
mt_json ag_py_recover(mt_arena *a, mt_str line);

#endif

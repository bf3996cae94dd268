/* contract/wire/shape.h - does a JSON value have a shape? With the place of every
 * fault. Room: contract. May include base/ and lang/ only. */
#ifndef CT_WIRE_SHAPE_H
#define CT_WIRE_SHAPE_H

#include "base/diag.h"
#include "base/json_read.h"
#include "lang/shape.h"

typedef struct ct_shape_walk ct_shape_walk;

struct ct_shape_walk {
    mt_diags *ds;
    mt_str file, text;
    mt_buf path;        /* of the value being looked at: constructs[3].type */
    bool is_loose;      /* only what a model cannot be made without, see model.h */
    bool has_unknown;   /* some object has a key that no shape names */
    bool tells_unknown; /* nothing else is told: a second walk over what is good */
    bool
        is_newer; /* of a later minor version: constructs we do not know are passed over
                   */
};

/* Adds a diagnostic for every place where the value does not have the shape. */
void ct_shape_check(ct_shape_walk *w, const ln_shape *shape, const mt_json *value);
/* The alternative of a choice that the value means, NULL if none: who reads a value
 * asks here too, so that he reads what was checked. */
const ln_when *ct_shape_meant(const ln_shape *choice, const mt_json *value);
/* A fault at a value. */
void ct_shape_fault(ct_shape_walk *w, const char *code, const mt_json *value,
                    mt_str message);

#endif

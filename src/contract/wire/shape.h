/* contract/wire/shape.h - what a JSON value must look like, as data.
 * Room: contract. May include base/ only.
 * A shape is a small schema: enough for interchange, with the place of every fault.
 * Shapes are static and immutable. */
#ifndef CT_WIRE_SHAPE_H
#define CT_WIRE_SHAPE_H

#include "base/diag.h"
#include "base/json_read.h"

typedef struct ct_shape ct_shape;
typedef struct ct_shape_walk ct_shape_walk;

typedef struct ct_shape_field {
    const char *key; /* NULL ends the list */
    const ct_shape *shape;
    bool optional;
} ct_shape_field;

/* One alternative of a tagged object: its fields apply when the tag has this text. */
typedef struct ct_shape_case {
    const char *tag; /* NULL ends the list */
    const ct_shape_field *fields;
} ct_shape_case;

typedef enum ct_shape_kind {
    CT_SHAPE_ANY,
    CT_SHAPE_STRING, /* one of `words`, if given */
    CT_SHAPE_INT,    /* fits 64 bits; at least `least` if `has_least` */
    CT_SHAPE_BOOL,
    CT_SHAPE_OBJECT, /* `fields` */
    CT_SHAPE_TAGGED, /* `fields`, then those of the case `key` names */
    CT_SHAPE_LIST,   /* of `element`, at least `least` of them */
    CT_SHAPE_MAP,    /* object with free keys, values `element` */
    CT_SHAPE_CHOICE  /* `choose` picks the shape by looking at the value */
} ct_shape_kind;

struct ct_shape {
    ct_shape_kind kind;
    const char *name; /* for messages: "a type" */
    const ct_shape_field *fields;
    const char *key; /* TAGGED */
    const ct_shape_case *cases;
    const ct_shape *element;
    const char *const *words; /* ends with NULL */
    bool has_least;
    int64_t least;
    const ct_shape *(*choose)(const mt_json *value); /* NULL: none fits */
};

struct ct_shape_walk {
    mt_diags *ds;
    mt_str file, text;
    mt_buf path; /* of the value being looked at: constructs[3].type */
};

/* Adds a diagnostic for every place where the value does not have the shape. */
void ct_shape_check(ct_shape_walk *w, const ct_shape *shape, const mt_json *value);
/* A fault at a value. */
void ct_shape_fault(ct_shape_walk *w, const char *code, const mt_json *value,
                    mt_str message);

#endif

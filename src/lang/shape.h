/* lang/shape.h - what a JSON value of interchange must look like, as data.
 * Room: lang. May include base/ only.
 * A shape is a small schema, made from nodes.def: contract/wire/shape.c checks values
 * against it, schema.c writes it as a JSON Schema. Shapes are static and immutable. */
#ifndef LN_SHAPE_H
#define LN_SHAPE_H

#include "base/str.h"

typedef struct ln_shape ln_shape;

typedef enum ln_demand {
    LN_NEED,  /* must be there */
    LN_FORM,  /* must be there, but a model can be made without it */
    LN_MAY,   /* may be there */
    LN_UNLESS /* must be there if the key `other` is not, else ignored */
} ln_demand;

typedef struct ln_field {
    const char *key; /* NULL ends the list */
    const ln_shape *shape;
    ln_demand demand;
    const char *other; /* LN_UNLESS */
} ln_field;

/* One case of a family: its fields apply when the family's key has this text. */
typedef struct ln_case {
    const ln_shape *family; /* cases of one family stand in a row */
    const char *text;
    const ln_field *fields;
    unsigned since; /* minor version of 1.x */
} ln_case;

typedef enum ln_test { LN_IS_TEXT, LN_IS_SCALAR, LN_HAS_KEY, LN_IS_OBJECT } ln_test;

/* One alternative of a choice; the first whose test holds is meant. */
typedef struct ln_when {
    const ln_shape *shape; /* NULL ends the list */
    ln_test test;
    const char *key; /* LN_HAS_KEY */
} ln_when;

typedef enum ln_shape_kind {
    LN_SHAPE_ANY,
    LN_SHAPE_STRING, /* one of `words`, if given */
    LN_SHAPE_INT,    /* fits 64 bits; not negative if `is_natural` */
    LN_SHAPE_BOOL,
    LN_SHAPE_OBJECT, /* `fields` */
    LN_SHAPE_FAMILY, /* `fields`, then those of the case that `key` names */
    LN_SHAPE_LIST,   /* of `element` */
    LN_SHAPE_MAP,    /* object with free keys, values `element` */
    LN_SHAPE_CHOICE  /* `whens` */
} ln_shape_kind;
enum { LN_SHAPE_KINDS = LN_SHAPE_CHOICE + 1 };

struct ln_shape {
    ln_shape_kind kind;
    const char *id;   /* in nodes.def: "TYPE" */
    const char *name; /* for messages: "a type"; NULL: by its kind */
    const ln_field *fields;
    const char *key;      /* FAMILY */
    const ln_case *cases; /* FAMILY: its first */
    const ln_shape *element;
    const char *const *words; /* ends with NULL */
    const char *pattern;      /* STRING: for the schema; who reads the text checks it */
    bool is_natural;
    bool is_value; /* CHOICE: a type judges it besides */
    const ln_when *whens;
};

extern const ln_shape *const LN_SHAPE_BUNDLE;
extern const ln_shape *const LN_SHAPE_CONSTRUCT;
extern const ln_shape *const LN_SHAPE_EXPRESSION;
extern const ln_shape *const LN_SHAPE_HANDLER;
extern const ln_shape *const LN_SHAPE_MANIFEST;
extern const ln_shape *const LN_SHAPE_STEP;
extern const ln_shape *const LN_SHAPE_TYPE;

/* Does an alternative that is told by a key exclude the one that `rival` tells? It does
 * unless the rival's key is a field of its own. */
bool ln_when_excludes(const ln_when *when, const ln_when *rival);

/* The case of the family that has this text, NULL if there is none. */
const ln_case *ln_case_find(const ln_shape *family, mt_str text);

#endif

/* base/json_read.h - strict JSON text to a tree.
 * Room: base. May include base/ only.
 * Strict: RFC 8259 and valid UTF-8, duplicate keys refused, lone surrogates refused,
 * nothing after the value. Numbers keep their exact text. Limits on bytes and depth.
 * Ownership: nodes live in the arena; strings without escapes and number texts borrow
 * from the input, so the input must live as long as the tree. */
#ifndef MT_BASE_JSON_READ_H
#define MT_BASE_JSON_READ_H

#include "base/str.h"

typedef enum mt_json_type {
    MT_JSON_NULL,
    MT_JSON_BOOL,
    MT_JSON_NUMBER,
    MT_JSON_STRING,
    MT_JSON_ARRAY,
    MT_JSON_OBJECT
} mt_json_type;

typedef struct mt_json mt_json;
typedef struct mt_json_member mt_json_member;

struct mt_json {
    uint8_t type;    /* mt_json_type */
    bool boolean;    /* MT_JSON_BOOL */
    uint32_t count;  /* bytes of text, items or members */
    uint32_t offset; /* of the value's first byte in the input */
    union {
        const char *text;              /* number (as written) or string (decoded) */
        const mt_json *items;          /* array */
        const mt_json_member *members; /* object, in input order */
    } as;
};

struct mt_json_member {
    mt_str key;
    mt_json value;
};

typedef struct mt_json_error {
    size_t offset;       /* in the input */
    const char *message; /* static text, lower case, no full stop */
    mt_str detail;       /* the duplicate key, or empty */
} mt_json_error;

/* No limit raises the nesting beyond this, so that walking a tree may recurse. */
enum { MT_JSON_MAX_DEPTH = 2048 };

typedef struct mt_json_limits {
    size_t bytes, depth; /* 0: the default of base/limits.h */
} mt_json_limits;

/* MT_OK; MT_E_SYNTAX; MT_E_LIMIT. `limits` and `error` may be NULL. */
mt_err mt_json_read(mt_arena *a, mt_str text, const mt_json_limits *limits,
                    mt_json *out, mt_json_error *error);

/* 1-based line and column (in characters) of an offset. */
void mt_json_place(mt_str text, size_t offset, uint32_t *line, uint32_t *column);

/* The member's value, NULL if absent or `object` is not an object (or NULL). */
const mt_json *mt_json_get(const mt_json *object, mt_str key);
#define mt_json_at(object, literal) mt_json_get((object), MT_STR(literal))

/* Text of a string or number node; empty for others and NULL. */
mt_str mt_json_text(const mt_json *node);
static inline bool mt_json_is(const mt_json *node, mt_json_type type)
{
    return node && node->type == (uint8_t)type;
}
/* Integers only, written without fraction or exponent: MT_E_TYPE, MT_E_RANGE. */
mt_err mt_json_i64(const mt_json *node, int64_t *out);
/* "null", "boolean", "number", "string", "array", "object". */
const char *mt_json_type_name(const mt_json *node);
/* Fills order[0 .. count) with the members of an object by byte order of their keys. */
void mt_json_sort(const mt_json *object, const mt_json_member **order);
/* Structural equality, key order ignored, numbers by value. */
bool mt_json_equal(const mt_json *a, const mt_json *b);

#endif

/* connect/document.h - what a document says can be asked for: a list of places.
 * Room: connect. Pure.
 *
 * A place is one value that an adapter could fetch: a member of an answer, a column, a
 * field of a message. Its shape says what is known of the value, its names where it
 * stands, its settings (docs/facts.md) how an adapter gets it. The document is somebody
 * else's: its bytes, its nesting and the number of its places are limited.
 * Ownership: places live in the arena and may borrow from the document's bytes. */
#ifndef CN_DOCUMENT_H
#define CN_DOCUMENT_H

#include "base/json_read.h"
#include "base/limits.h"
#include "base/vec.h"
#include "proto/proto.h"

/* clang-format off */
#define CN_FORMAT_MAP(X)                                      \
    X(OPENAPI, "openapi", "http")                             \
    X(GRAPHQL, "graphql", "graphql")                          \
    X(SQL,     "sql",     "database")                         \
    X(PROTO,   "proto",   "grpc")
/* clang-format on */
typedef enum cn_format {
#define CN_FORMAT_ENUM(ID, name, protocol) CN_##ID,
    CN_FORMAT_MAP(CN_FORMAT_ENUM)
#undef CN_FORMAT_ENUM
        CN_FORMAT_COUNT
} cn_format;
extern const char *const CN_FORMAT_NAMES[CN_FORMAT_COUNT];
/* The protocol whose sources such a document describes. */
extern const char *const CN_FORMAT_PROTOCOLS[CN_FORMAT_COUNT];

typedef enum cn_kind {
    CN_BOOL,
    CN_WHOLE,
    CN_REAL,
    CN_TEXT,
    CN_DATE,
    CN_MOMENT, /* with an offset */
    CN_LOCAL,  /* a moment without one */
    CN_SPAN,   /* ISO 8601 */
    CN_CHOICE,
    CN_OBJECT,
    CN_LIST,
    CN_ANY /* nothing is known */
} cn_kind;
/* ORDER CN_KIND_NAMES: both are indexed by the kind. */
enum { CN_KIND_COUNT = CN_ANY + 1 };
extern const char *const CN_KIND_NAMES[CN_KIND_COUNT]; /* "a whole number" */

typedef struct cn_shape cn_shape;

/* A member of an object, a column or a field
 * of a message, in the order of the document. */
typedef struct cn_member {
    mt_str name;
    const cn_shape *shape;
    mt_str note; /* what the document says of it */
} cn_member;

/* What is known of a value; CN_ANY alone says nothing and is true of everything. A
 * shape is not changed any more once its place is added. */
struct cn_shape {
    cn_kind kind;
    bool nullable;
    bool as_text;   /* a number that is written as JSON text */
    bool from_text; /* a column: the adapter makes the notation fit */
    bool has_range;
    int64_t least, most; /* with has_range */
    size_t max_length;   /* 0: nothing is said */
    const mt_str *choices;
    size_t choice_count;
    const cn_member *members; /* CN_OBJECT */
    size_t member_count;
    const cn_shape *element; /* CN_LIST */
    mt_str known; /* a message that the adapter knows: "Money", "Date", "Duration" */
};

/* One value that could be fetched. `names` are what it is compared by: for `GET
 * /orders/{id}` and `data.total` they are orders, data, total, with around = 1. */
typedef struct cn_place {
    const cn_shape *shape;
    mt_str shown;        /* "GET /orders/{id} data.total" */
    const mt_str *names; /* the last is its own */
    size_t name_count;
    size_t around;        /* so many of the names are of the request, not the answer */
    mt_str settings;      /* JSON object, without convert */
    const mt_str *params; /* {names} that must be filled */
    size_t param_count;
    mt_str path; /* as a contract would write it, parameters as {} */
    mt_str note;
    mt_str column; /* SQL: what the query selects, for conversions in it */
} cn_place;

typedef struct cn_document {
    cn_format format;
    const cn_place *places;
    size_t count;
} cn_document;

/* Nesting of answers that is looked into, and of schemas behind each other. */
enum { CN_MOST_DEPTH = 8, CN_MOST_SCHEMA = 64 };

/* What the bytes are, by the file's name and by themselves; CN_FORMAT_COUNT: unknown. A
 * guess: it is cn_read() that says whether they are such a document. */
cn_format cn_format_of(mt_str name, mt_str bytes);

/* MT_OK: *out is set and has at least one place. Otherwise (MT_E_SYNTAX, MT_E_LIMIT, …)
 * `why` gets one sentence, without the document's name, which the caller puts before
 * it; a limit is named in it. `name` is how faults of .proto text call the file.
 * `loader` gives the imports of .proto text and is not called for other formats;
 * `state` is passed to it. */
mt_err cn_read(mt_arena *a, cn_format format, mt_str name, mt_str bytes,
               const mt_limits *limits, pb_loader *loader, void *state, mt_buf *why,
               cn_document *out);

#endif

/* connect/build.h - a document while it is being read. Room: connect, private to it. */
#ifndef CN_BUILD_H
#define CN_BUILD_H

#include "base/json_write.h"
#include "connect/document.h"

typedef struct cn_build {
    mt_arena *arena;
    const mt_limits *limits;
    mt_buf *why;
    mt_err err;
    size_t shapes; /* made so far; limited as places are */
    MT_VEC(cn_place) places;
} cn_build;

/* The first fault is kept. False. */
bool cn_fault(cn_build *b, mt_err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A new shape; NULL when there are too many, and then the fault is said. */
cn_shape *cn_shape_new(cn_build *b, cn_kind kind);

/* A request whose answer has places. `make` writes the settings of one. */
typedef struct cn_request cn_request;
struct cn_request {
    cn_build *build;
    mt_str shown, path;   /* "GET /orders/{id}", "orders/{}" */
    const mt_str *around; /* names that belong to the request */
    size_t around_count;
    const mt_str *params;
    size_t param_count;
    void (*write)(mt_buf *out, const cn_request *r, const mt_str *way, size_t count,
                  const cn_shape *leaf);
    const void *state;
};
/* Adds a place for everything in the answer that is not inside a list. */
bool cn_add_places(const cn_request *r, const cn_shape *answer);
/* "a.b.c" */
mt_str cn_dotted(mt_arena *a, const mt_str *way, size_t count);

/* What a string's format, a column's type or a scalar's name says of its values; false
 * when it says nothing. */
bool cn_named_kind(mt_str name, cn_shape *shape);

bool cn_read_openapi(cn_build *b, const mt_json *tree);
bool cn_read_graphql_text(cn_build *b, mt_str text);
bool cn_read_graphql_json(cn_build *b, const mt_json *tree);
bool cn_read_sql(cn_build *b, mt_str text);
bool cn_read_proto(cn_build *b, const pb_schema *schema);

#endif

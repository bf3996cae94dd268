/* connect/build.h - a document while it is being read. Room: connect, private to it.
 *
 * Every reader (openapi.c, graphql.c, sql.c, proto.c) does the same in the same order:
 * it parses, makes shapes with cn_shape_new(), and adds places. Readers answer true, or
 * false after cn_fault(). INVARIANT: no more shapes and no more places are made than
 * the limit connect_places, so that the work for a small document that names itself
 * again and again is bounded as well. */
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

/* Says why the document cannot be read and answers false, so
 * that a reader can write `return cn_fault(…)`. Only the
 * first fault is kept: what comes after it is a consequence. */
bool cn_fault(cn_build *b, mt_err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A new shape, everything but its kind zero; NULL when
 * there are too many, or when there was a fault before, and
 * then the fault is said. A reader returns at once on NULL. */
cn_shape *cn_shape_new(cn_build *b, cn_kind kind);

/* A request whose answer has places, as a reader describes it on its stack for one call
 * of cn_add_places(). The array `around` is copied; `params` and the text of the names
 * must live as long as the places. `write` appends the settings of one place as a JSON
 * object with sorted keys: `way` is the names from the answer's top to the value,
 * `leaf` what stands there. `state` is for `write` alone. */
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
/* Adds a place for everything in the answer that is not inside a list: for `{"data":
 * {"total": 1, "lines": [{"sku": "x"}]}}` those are data, data.total and data.lines,
 * but nothing of sku, because a fact is one value. Members deeper than CN_MOST_DEPTH
 * are left out silently. An answer that is not an object has no place. */
bool cn_add_places(const cn_request *r, const cn_shape *answer);
/* "a.b.c" */
mt_str cn_dotted(mt_arena *a, const mt_str *way, size_t count);

/* What a string's format or a scalar's name says of its values: `date-time`, `DateTime`
 * and `DATETIME` are the same name. True: kind and as_text of the shape are set. False:
 * the name says nothing, the shape is as it was. */
bool cn_named_kind(mt_str name, cn_shape *shape);

/* The readers. True: all places are in `b`, perhaps none.
 * False: cn_fault() was called. `tree` and `text` must live
 * as long as the places do, for these borrow names from them. */
bool cn_read_openapi(cn_build *b, const mt_json *tree);
bool cn_read_graphql_text(cn_build *b, mt_str text);
bool cn_read_graphql_json(cn_build *b, const mt_json *tree);
bool cn_read_sql(cn_build *b, mt_str text);
bool cn_read_proto(cn_build *b, const pb_schema *schema);

#endif

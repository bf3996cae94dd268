/* proto/build.h - a schema while it is being read.
 * Room: proto, private to it. Both readers fill it, link.c makes a schema of it. */
#ifndef PB_BUILD_H
#define PB_BUILD_H

#include "base/map.h"
#include "proto/proto.h"

typedef struct pb_build {
    mt_arena *arena;
    mt_buf *why; /* gets the first fault */
    mt_err err;
    size_t things;
    mt_map named; /* full name -> pb_named + 1 */
    MT_VEC(struct pb_named) names;
    MT_VEC(pb_message *) messages;
    MT_VEC(pb_method) methods;
    MT_VEC(mt_str) files;   /* asked for, each once */
    MT_VEC(mt_str) waiting; /* imports that nobody has read yet */
} pb_build;

typedef struct pb_named {
    pb_message *message; /* one of the two */
    pb_enum *choices;
} pb_named;

/* The first fault is kept. False. */
bool pb_fault(pb_build *b, mt_err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* One more thing was read; false when there are too many. */
bool pb_count(pb_build *b);
/* "outer.name", or the name alone. */
mt_str pb_join(mt_arena *a, mt_str outer, mt_str name);
/* False after a fault: the name is taken. */
bool pb_add_message(pb_build *b, pb_message *m);
bool pb_add_enum(pb_build *b, pb_enum *e);
/* lowerCamelCase, as JSON has it. */
mt_str pb_camel(mt_arena *a, mt_str name);
/* Ascending numbers, no number twice. */
bool pb_sort_fields(pb_build *b, mt_str message, pb_field *fields, size_t count);

bool pb_read_text(pb_build *b, mt_str file, mt_str text);
bool pb_read_set(pb_build *b, mt_str bytes);
/* Names become pointers. */
bool pb_link(pb_build *b, pb_schema *out);

/* The text of a file of Google's that is built in; ptr NULL. */
mt_str pb_known_file(mt_str name);

#endif

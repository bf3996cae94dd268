/* proto/build.h - a schema while it is being read.
 * Room: proto, private to it. Both readers fill it, link.c makes a schema of it. A type
 * is kept by the name that was written until all files are read: imports may be
 * circular in what they name, and a type may stand behind its use. */
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

/* Writes one sentence and answers false. The
 * first fault is kept: later ones follow from it. */
bool pb_fault(pb_build *b, mt_err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* One more thing was read; false, with the fault said, when there are more than
 * PB_MOST_THINGS in all files together. */
bool pb_count(pb_build *b);
/* "outer.name", or the name alone. */
mt_str pb_join(mt_arena *a, mt_str outer, mt_str name);
/* False after a fault: the name is taken, or one of the limits is met. Messages and
 * enums share one space of names, as the language wants it. */
bool pb_add_message(pb_build *b, pb_message *m);
bool pb_add_enum(pb_build *b, pb_enum *e);
/* lowerCamelCase, as JSON has it. */
mt_str pb_camel(mt_arena *a, mt_str name);
/* Ascending numbers, no number and no name twice; false after a fault. Must be called
 * before the message is added: pb_field_numbered() searches by halves. */
bool pb_sort_fields(pb_build *b, mt_str message, pb_field *fields, size_t count);

/* The two readers: true when everything was added, false after
 * pb_fault(). `file` is how faults name the text. Imports are
 * only put into `waiting`; pb_read() goes after them. */
bool pb_read_text(pb_build *b, mt_str file, mt_str text);
bool pb_read_set(pb_build *b, mt_str bytes);
/* Names become pointers. Every file must have been read. True: *out is complete, and
 * nothing of the build may be changed any more. */
bool pb_link(pb_build *b, pb_schema *out);

/* The text of a file of Google's that is built in; ptr NULL. */
mt_str pb_known_file(mt_str name);

#endif

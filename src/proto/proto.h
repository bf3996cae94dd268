/* proto/proto.h - what a .proto file or a descriptor set says: messages, enums,
 * methods. Room: proto. May include base/ only.
 *
 * Text is proto2, proto3 or an edition, of which field_presence is read. Custom
 * options, extensions and reserved ranges are read over, groups are refused. The
 * well-known types of Google that a message may use are built in. Whatever it says was
 * made by somebody else: bytes, files, nesting and the number of things are limited,
 * and a limit that is hit is named.
 * Ownership: a schema lives in the arena given and borrows from the texts. Immutable
 * once read; threads may share it. */
#ifndef PB_PROTO_H
#define PB_PROTO_H

#include "base/str.h"
#include "base/vec.h"

/* The numbers are those of descriptor.proto. */
typedef enum pb_kind {
    PB_DOUBLE = 1,
    PB_FLOAT,
    PB_INT64,
    PB_UINT64,
    PB_INT32,
    PB_FIXED64,
    PB_FIXED32,
    PB_BOOL,
    PB_STRING,
    PB_GROUP, /* refused */
    PB_MESSAGE,
    PB_BYTES,
    PB_UINT32,
    PB_ENUM,
    PB_SFIXED32,
    PB_SFIXED64,
    PB_SINT32,
    PB_SINT64
} pb_kind;
enum { PB_KIND_COUNT = PB_SINT64 + 1 };

/* "double", "int64", …; NULL for kinds that have another name. */
extern const char *const PB_KIND_NAMES[PB_KIND_COUNT];

typedef struct pb_message pb_message;

typedef struct pb_enum_value {
    mt_str name;
    int32_t number;
} pb_enum_value;

typedef struct pb_enum {
    mt_str name; /* full: "bank.v1.Status" */
    const pb_enum_value *values;
    size_t count;
} pb_enum;

/* A field as the file declares it. Exactly one of `message` and `choices` is set for
 * PB_MESSAGE and PB_ENUM, none for other kinds. */
typedef struct pb_field {
    mt_str name, json_name;
    uint32_t number;
    pb_kind kind;
    bool repeated;
    bool presence;             /* absent is something else than its default */
    uint32_t oneof;            /* of which only one is set, counted from 1; 0: none */
    mt_str type_name;          /* as written, until it is linked */
    const pb_message *message; /* PB_MESSAGE */
    const pb_enum *choices;    /* PB_ENUM */
    mt_str comment;            /* what stands beside it, one line; or empty */
} pb_field;

struct pb_message {
    mt_str name;            /* full */
    const pb_field *fields; /* in ascending order of their numbers */
    size_t count;
    uint32_t oneofs; /* numbers of oneofs are not larger */
    bool is_map_entry;
};

typedef struct pb_method {
    mt_str service; /* full: "bank.v1.Accounts" */
    mt_str name;
    mt_str input_name, output_name;
    const pb_message *input, *output;
    bool streams; /* in either direction */
    mt_str comment;
} pb_method;

typedef struct pb_schema {
    const pb_message *const *messages;
    size_t message_count;
    const pb_method *methods; /* in the order of the files */
    size_t method_count;
} pb_schema;

/* Gives the text of an imported file: MT_OK, MT_E_NOTFOUND, or another fault. The name
 * is relative and has no "..". The text must live as long as the arena: names borrow
 * from it. Each name is asked for once. */
typedef mt_err pb_loader(void *state, mt_arena *a, mt_str name, mt_str *text);

enum {
    PB_MOST_BYTES = 4 << 20, /* of one file */
    PB_MOST_FILES = 200,
    PB_MOST_NAME = 255,     /* bytes of one name */
    PB_MOST_PATH = 1000,    /* of a name with all that is around it */
    PB_MOST_NESTING = 32,   /* messages inside messages */
    PB_MOST_THINGS = 100000 /* messages, fields, enums, values and methods together */
};

/* MT_OK: *out is set. MT_E_SYNTAX, MT_E_LIMIT, MT_E_NOTFOUND or the loader's: `why`
 * gets one sentence. Bytes that are not text are read as a FileDescriptorSet. `loader`
 * may be NULL: nothing can be imported but what is built in. `name` is how faults call
 * the first file, and what an import of it would be called. A fault in any file is one
 * of all: no schema is made of what was good. */
mt_err pb_read(mt_arena *a, mt_str name, mt_str bytes, pb_loader *loader, void *state,
               mt_buf *why, const pb_schema **out);

/* By full name, with or without a leading dot; NULL. */
const pb_message *pb_message_find(const pb_schema *s, mt_str name);
/* "Service/Method", or "/Service/Method" as HTTP/2 has it, the service with or without
 * its package; NULL when there is none or several. */
const pb_method *pb_method_find(const pb_schema *s, mt_str path);
/* By the name in the file or in JSON; NULL. */
const pb_field *pb_field_find(const pb_message *m, mt_str name);
const pb_field *pb_field_numbered(const pb_message *m, uint64_t number);
const pb_enum_value *pb_enum_named(const pb_enum *e, mt_str name);
/* A map is a repeated field of entries that have a key and a value. */
static inline bool pb_is_map(const pb_field *f)
{
    return f->repeated && f->message && f->message->is_map_entry;
}

/* Messages of Google that JSON writes in a way of their own. */
typedef enum pb_known {
    PB_PLAIN,
    PB_TIMESTAMP, /* RFC 3339 text */
    PB_DURATION,  /* "3.5s" */
    PB_INSIDE     /* what its only field, or the one that is set, has inside */
} pb_known;
/* By full name and fields: somebody's own
 * google.protobuf.Duration with other fields is plain. */
pb_known pb_known_of(const pb_message *m);

#endif

/* proto/message.h - messages to JSON trees and back, by a schema.
 * Room: proto.
 *
 * JSON has the names of the file's fields. Whole numbers of 64 bits are text, enums are
 * names, bytes are base64, a Timestamp is RFC 3339, a Duration "3.5s", wrappers and
 * Struct are what they hold. A field without presence that is missing has its default;
 * a field with presence that is missing is not there. */
#ifndef PB_MESSAGE_H
#define PB_MESSAGE_H

#include "base/json_read.h"
#include "proto/proto.h"

enum { PB_MOST_DEPTH = 100, PB_MOST_VALUES = 1000000 };

/* MT_OK: *out is set, in the arena. MT_E_SYNTAX: the bytes are no such message,
 * MT_E_LIMIT: too deep, or too many values; `why` says it in one sentence. */
mt_err pb_decode(mt_arena *a, const pb_message *m, mt_str bytes, mt_json *out,
                 const char **why);

/* Appends the message that an object describes. MT_E_TYPE: `why` gets one sentence. */
mt_err pb_encode(mt_buf *out, const pb_message *m, const mt_json *object, mt_buf *why);

#endif

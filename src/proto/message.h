/* proto/message.h - messages to JSON trees and back, by a schema.
 * Room: proto.
 *
 * JSON has the names of the file's fields. Whole numbers of 64 bits are text, enums are
 * names, bytes are base64, a Timestamp is RFC 3339, a Duration "3.5s", wrappers and
 * Struct are what they hold. A field without presence that is missing has its default;
 * a field with presence that is missing is not there.
 *
 * The way back is not the whole mirror: a Duration is sent as {"seconds": 3} and not as
 * text, and a google.protobuf.Value cannot be sent. Requests of facts need neither. */
#ifndef PB_MESSAGE_H
#define PB_MESSAGE_H

#include "base/json_read.h"
#include "proto/proto.h"

/* Messages inside messages, in both directions; values of one decoded message, which
 * bound the memory that few bytes can ask for. */
enum { PB_MOST_DEPTH = 100, PB_MOST_VALUES = 1000000 };

/* MT_OK: *out is set, in the arena, and borrows strings from `bytes`. MT_E_SYNTAX: the
 * bytes are not such a message, MT_E_LIMIT: too deep, or too many values; `why` is a
 * constant that says it in one sentence, and *out is not to be read. */
mt_err pb_decode(mt_arena *a, const pb_message *m, mt_str bytes, mt_json *out,
                 const char **why);

/* Appends the message that an object describes. MT_E_TYPE, or MT_E_LIMIT for what is
 * nested too deep: `why` gets one sentence, and what was appended is to be thrown away.
 * A member that is null is left out; a member that the message has not is a fault. */
mt_err pb_encode(mt_buf *out, const pb_message *m, const mt_json *object, mt_buf *why);

#endif

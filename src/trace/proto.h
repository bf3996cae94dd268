/* trace/proto.h - the few things of the Protocol Buffers encoding that OTLP needs.
 * Room: trace. Appends fields to a buffer. A message inside a message is opened and
 * closed; its length is put in front of it when it is closed. */
#ifndef TR_PROTO_H
#define TR_PROTO_H

#include <stdint.h>

#include "base/str.h"

void tr_proto_varint(mt_buf *out, unsigned field, uint64_t value);
void tr_proto_fixed64(mt_buf *out, unsigned field, uint64_t value);
void tr_proto_double(mt_buf *out, unsigned field, double value);
/* Also for texts. */
void tr_proto_bytes(mt_buf *out, unsigned field, mt_str bytes);
/* Where the message begins, for tr_proto_close(). Also for packed lists. */
size_t tr_proto_open(mt_buf *out, unsigned field);
void tr_proto_close(mt_buf *out, size_t open);
/* An item of a packed list. */
void tr_proto_item64(mt_buf *out, uint64_t value);
uint64_t tr_proto_bits(double value);

#endif

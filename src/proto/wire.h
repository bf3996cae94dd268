/* proto/wire.h - the bytes of messages: tags, varints, spans.
 * Room: proto. Knows no schema. Reading never allocates: spans borrow from the bytes,
 * and no length is believed before it was compared with what is left. */
#ifndef PB_WIRE_H
#define PB_WIRE_H

#include "base/str.h"

/* The numbers are those of the format; 6 and 7 do not exist. */
typedef enum pb_wire {
    PB_VARINT = 0,
    PB_EIGHT = 1,
    PB_SPAN = 2,
    PB_BEGIN = 3, /* of a group */
    PB_END = 4,
    PB_FOUR = 5
} pb_wire;

/* One field as it stands in the bytes. */
typedef struct pb_part {
    uint32_t number;
    pb_wire wire;
    uint64_t value; /* of PB_VARINT, PB_EIGHT and PB_FOUR */
    mt_str span;    /* of PB_SPAN */
} pb_part;

/* Takes the next field from the front. Groups are passed over, nested ones up to 64
 * deep. False at the end, and at bytes that are none: then *bad is set. */
bool pb_next(mt_str *rest, pb_part *out, bool *bad);
/* One varint from the front; false when it is cut short or longer than 64 bits, and
 * then `rest` is as it was. pb_fixed: 4 or 8 bytes, the least first. */
bool pb_varint(mt_str *rest, uint64_t *out);
bool pb_fixed(mt_str *rest, size_t bytes, uint64_t *out);

/* Writing cannot fail. A number of 32 bits that is negative is written as one of 64,
 * ten bytes long, as the format demands: callers extend the sign first. */
void pb_put_varint(mt_buf *out, uint64_t value);
void pb_put_tag(mt_buf *out, uint32_t number, pb_wire wire);
void pb_put_fixed(mt_buf *out, uint64_t value, size_t bytes);
void pb_put_span(mt_buf *out, uint32_t number, mt_str bytes);

#endif

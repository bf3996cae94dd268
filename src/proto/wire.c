/* proto/wire.c - tags, varints and spans. Room: proto. */
#include "proto/wire.h"

/* Groups are passed over without recursion; the number of a field has 29 bits. */
enum { MOST_GROUPS = 64, MOST_NUMBER = (1 << 29) - 1 };

/* Seven bits a byte, the least first. Longer
 * forms than needed are allowed, up to ten bytes. */
bool pb_varint(mt_str *rest, uint64_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < rest->len && i < 10; i++) {
        unsigned char byte = (unsigned char)rest->ptr[i];
        if (i == 9 && byte > 1) {
            return false; /* beyond 64 bits */
        }
        value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (!(byte & 0x80)) {
            *rest = mt_str_skip(*rest, i + 1);
            *out = value;
            return true;
        }
    }
    return false;
}

bool pb_fixed(mt_str *rest, size_t bytes, uint64_t *out)
{
    uint64_t value = 0;
    if (rest->len < bytes) {
        return false;
    }
    for (size_t i = 0; i < bytes; i++) {
        value |= (uint64_t)(unsigned char)rest->ptr[i] << (8 * i);
    }
    *rest = mt_str_skip(*rest, bytes);
    *out = value;
    return true;
}

static bool take_span(mt_str *rest, mt_str *out)
{
    uint64_t len;
    if (!pb_varint(rest, &len) || len > rest->len) {
        return false;
    }
    *out = mt_str_from(rest->ptr, (size_t)len);
    *rest = mt_str_skip(*rest, (size_t)len);
    return true;
}

/* One tag with its value. The begin and the end of a group have none, and which of them
 * is allowed here is for the caller to say. */
static bool take_one(mt_str *rest, pb_part *out)
{
    uint64_t tag;
    if (!pb_varint(rest, &tag) || tag >> 3 == 0 || tag >> 3 > MOST_NUMBER) {
        return false;
    }
    *out = (pb_part){.number = (uint32_t)(tag >> 3), .wire = (pb_wire)(tag & 7)};
    switch (tag & 7) {
    case PB_VARINT: return pb_varint(rest, &out->value);
    case PB_EIGHT: return pb_fixed(rest, 8, &out->value);
    case PB_SPAN: return take_span(rest, &out->span);
    case PB_FOUR: return pb_fixed(rest, 4, &out->value);
    case PB_BEGIN:
    case PB_END: return true;
    default: return false;
    }
}

/* To the end of the group that just began: ends must match their begins. */
static bool pass_group(mt_str *rest, uint32_t number)
{
    uint32_t open[MOST_GROUPS] = {number};
    size_t depth = 1;
    pb_part part;
    while (depth) {
        if (!take_one(rest, &part)) {
            return false;
        }
        if (part.wire == PB_BEGIN) {
            if (depth == MOST_GROUPS) {
                return false;
            }
            open[depth++] = part.number;
        } else if (part.wire == PB_END && part.number != open[--depth]) {
            return false;
        }
    }
    return true;
}

/* *bad is only ever set, never cleared: the caller begins with false. */
bool pb_next(mt_str *rest, pb_part *out, bool *bad)
{
    while (rest->len) {
        if (!take_one(rest, out) || out->wire == PB_END) {
            *bad = true;
            return false;
        }
        if (out->wire != PB_BEGIN) {
            return true;
        }
        if (!pass_group(rest, out->number)) {
            *bad = true;
            return false;
        }
    }
    return false;
}

void pb_put_varint(mt_buf *out, uint64_t value)
{
    for (; value > 0x7f; value >>= 7) {
        mt_buf_addc(out, (char)(0x80 | (value & 0x7f)));
    }
    mt_buf_addc(out, (char)value);
}

void pb_put_tag(mt_buf *out, uint32_t number, pb_wire wire)
{
    pb_put_varint(out, (uint64_t)number << 3 | (unsigned)wire);
}

void pb_put_fixed(mt_buf *out, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        mt_buf_addc(out, (char)(value >> (8 * i) & 0xff));
    }
}

void pb_put_span(mt_buf *out, uint32_t number, mt_str bytes)
{
    pb_put_tag(out, number, PB_SPAN);
    pb_put_varint(out, bytes.len);
    mt_buf_adds(out, bytes);
}

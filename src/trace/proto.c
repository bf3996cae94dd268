#include "trace/proto.h"

#include <string.h>

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2, VARINT_MOST = 10 };

static size_t put_varint(char *to, uint64_t value)
{
    size_t n = 0;
    while (value >= 0x80) {
        to[n++] = (char)(value | 0x80);
        value >>= 7;
    }
    to[n++] = (char)value;
    return n;
}

static void add_varint(mt_buf *out, uint64_t value)
{
    char bytes[VARINT_MOST];
    mt_buf_add(out, bytes, put_varint(bytes, value));
}

static void add_tag(mt_buf *out, unsigned field, unsigned type)
{
    add_varint(out, (uint64_t)field << 3 | type);
}

void tr_proto_varint(mt_buf *out, unsigned field, uint64_t value)
{
    add_tag(out, field, VARINT);
    add_varint(out, value);
}

/* Little endian, whatever the machine is. */
void tr_proto_item64(mt_buf *out, uint64_t value)
{
    char bytes[8];
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char)(value >> (8 * i));
    }
    mt_buf_add(out, bytes, sizeof bytes);
}

void tr_proto_fixed64(mt_buf *out, unsigned field, uint64_t value)
{
    add_tag(out, field, FIXED64);
    tr_proto_item64(out, value);
}

uint64_t tr_proto_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void tr_proto_double(mt_buf *out, unsigned field, double value)
{
    tr_proto_fixed64(out, field, tr_proto_bits(value));
}

void tr_proto_bytes(mt_buf *out, unsigned field, mt_str bytes)
{
    add_tag(out, field, LENGTH);
    add_varint(out, bytes.len);
    mt_buf_adds(out, bytes);
}

/* One byte is kept for the length, which is enough for most. */
size_t tr_proto_open(mt_buf *out, unsigned field)
{
    add_tag(out, field, LENGTH);
    mt_buf_addc(out, '\0');
    return out->len;
}

void tr_proto_close(mt_buf *out, size_t open)
{
    char length[VARINT_MOST];
    size_t len = out->len - open, n = put_varint(length, len);
    if (n > 1 && mt_buf_room(out, n - 1)) {
        memmove(out->ptr + open + n - 1, out->ptr + open, len);
        out->len += n - 1;
    }
    memcpy(out->ptr + open - 1, length, n);
}

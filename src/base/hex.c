/* base/hex.c - hexadecimal text. Reading is strict about length and refuses every other
 * character; mt_unhex_lower() refuses capitals as well, because a hash in a ledger has
 * one spelling. */
#include "base/hash.h"

void mt_hex(const unsigned char *bytes, size_t count, char *out)
{
    static const char DIGITS[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = DIGITS[bytes[i] >> 4];
        out[2 * i + 1] = DIGITS[bytes[i] & 15];
    }
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool mt_unhex(mt_str hex, unsigned char *out, size_t count)
{
    if (hex.len != 2 * count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        int high = hex_digit(hex.ptr[2 * i]), low = hex_digit(hex.ptr[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        out[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

bool mt_unhex_lower(mt_str hex, unsigned char *out, size_t count)
{
    for (size_t i = 0; i < hex.len; i++) {
        if (hex.ptr[i] >= 'A' && hex.ptr[i] <= 'F') {
            return false;
        }
    }
    return mt_unhex(hex, out, count);
}

void mt_buf_add_hex(mt_buf *out, const unsigned char *bytes, size_t count)
{
    if (mt_buf_room(out, 2 * count)) {
        mt_hex(bytes, count, out->ptr + out->len);
        out->len += 2 * count;
    }
}

mt_str mt_sha256_hex(mt_arena *a, mt_sha256 digest)
{
    char *text = mt_alloc(a, MT_SHA256_HEX + 1);
    mt_hex(digest.bytes, MT_SHA256_BYTES, text);
    text[MT_SHA256_HEX] = '\0';
    return mt_str_from(text, MT_SHA256_HEX);
}

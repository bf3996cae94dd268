#include "base/percent.h"

static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '-' || c == '.' || c == '_' || c == '~';
}

void mt_percent_encode(mt_buf *out, mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (is_unreserved(text.ptr[i])) {
            mt_buf_addc(out, text.ptr[i]);
        } else {
            mt_buf_addf(out, "%%%02X", (unsigned)(unsigned char)text.ptr[i]);
        }
    }
}

void mt_percent_segment(mt_buf *out, mt_str text)
{
    if (mt_str_is(text, ".") || mt_str_is(text, "..")) {
        mt_buf_addz(out, text.len == 1 ? "%2E" : "%2E%2E");
    } else {
        mt_percent_encode(out, text);
    }
}

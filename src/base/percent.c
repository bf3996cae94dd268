#include "base/percent.h"

#include "base/hash.h"

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

void mt_percent_path(mt_buf *out, mt_str path)
{
    for (size_t end; path.len; path = mt_str_skip(path, end)) {
        end = mt_str_find(path, '/');
        mt_percent_encode(out, mt_str_from(path.ptr, end));
        if (end < path.len) {
            mt_buf_addc(out, '/');
            end++;
        }
    }
}

bool mt_percent_decode(mt_buf *out, mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (byte == '%') {
            if (text.len - i < 3 ||
                !mt_unhex(mt_str_from(text.ptr + i + 1, 2), &byte, 1)) {
                return false;
            }
            i += 2;
        }
        mt_buf_addc(out, (char)byte);
    }
    return true;
}

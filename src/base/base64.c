#include "base/base64.h"

#include <sodium.h>

void mt_base64_put(const unsigned char *bytes, size_t count, char *out)
{
    sodium_bin2base64(out, MT_BASE64_LEN(count) + 1, bytes, count,
                      sodium_base64_VARIANT_ORIGINAL);
}

mt_str mt_base64(mt_arena *a, const unsigned char *bytes, size_t count)
{
    char *text = mt_alloc(a, MT_BASE64_LEN(count) + 1);
    mt_base64_put(bytes, count, text);
    return mt_str_from(text, MT_BASE64_LEN(count));
}

/* libsodium takes some bytes beyond ASCII for digits where char is signed. All are
 * looked at, so that it takes the same time for every text. */
static bool is_ascii(mt_str text)
{
    unsigned char all = 0;
    for (size_t i = 0; i < text.len; i++) {
        all |= (unsigned char)text.ptr[i];
    }
    return all < 0x80;
}

bool mt_unbase64(mt_str text, unsigned char *out, size_t count)
{
    size_t got;
    return text.len == MT_BASE64_LEN(count) && is_ascii(text) &&
           sodium_base642bin(out, count, text.ptr, text.len, NULL, &got, NULL,
                             sodium_base64_VARIANT_ORIGINAL) == 0 &&
           got == count;
}

mt_str mt_unbase64url(mt_arena *a, mt_str text)
{
    size_t len = 0;
    unsigned char *out = mt_new_array(a, unsigned char, text.len + 1);
    bool good = is_ascii(text) &&
                sodium_base642bin(out, text.len + 1, text.ptr, text.len, NULL, &len,
                                  NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0;
    return good ? mt_str_from((const char *)out, len) : (mt_str){0};
}

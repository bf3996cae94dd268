/* base/base64.h - standard base64 with padding, and base64url without (libsodium).
 * Room: base. May include base/ only.
 * One spelling per value: white space, missing padding and stray bits are refused.
 * Both ways take the same time for all bytes of one length, so keys may pass. */
#ifndef MT_BASE_BASE64_H
#define MT_BASE_BASE64_H

#include "base/str.h"

/* Length of the text for `count` bytes. */
#define MT_BASE64_LEN(count) (((count) + 2) / 3 * 4)

/* Writes the text and a NUL: MT_BASE64_LEN(count) + 1 bytes. */
void mt_base64_put(const unsigned char *bytes, size_t count, char *out);
/* The text, in the arena, followed by a NUL. */
mt_str mt_base64(mt_arena *a, const unsigned char *bytes, size_t count);
/* False unless `text` stands for exactly `count` bytes. */
bool mt_unbase64(mt_str text, unsigned char *out, size_t count);
/* Bytes of base64url without padding (RFC 7515), in the arena. NULL ptr: it is none, or
 * spelt otherwise than it would be written. */
mt_str mt_unbase64url(mt_arena *a, mt_str text);

#endif

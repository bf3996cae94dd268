/* base/hash.h - SHA-256 (libcrypto) and lower-case hex.
 * Room: base. May include base/ only. */
#ifndef MT_BASE_HASH_H
#define MT_BASE_HASH_H

#include "base/str.h"

enum { MT_SHA256_BYTES = 32, MT_SHA256_HEX = 64 };

typedef struct mt_sha256 {
    unsigned char bytes[MT_SHA256_BYTES];
} mt_sha256;

/* From any thread. */
mt_sha256 mt_sha256_of(mt_str data);
/* Of the one followed by the other. */
mt_sha256 mt_sha256_of_two(mt_str first, mt_str second);

/* In pieces. A stream belongs to one thread; reuse it with start, free it once. */
typedef struct mt_sha256_stream mt_sha256_stream;
mt_sha256_stream *mt_sha256_stream_new(void);
/* May be called again after mt_sha256_end(), for the next digest. */
void mt_sha256_start(mt_sha256_stream *s);
void mt_sha256_add(mt_sha256_stream *s, mt_str data);
mt_sha256 mt_sha256_end(mt_sha256_stream *s);
void mt_sha256_stream_free(mt_sha256_stream *s);

/* 2 * count lower-case digits, no NUL. */
void mt_hex(const unsigned char *bytes, size_t count, char *out);
/* False unless `hex` is exactly 2 * count hex digits (either case). */
bool mt_unhex(mt_str hex, unsigned char *out, size_t count);
/* The same, lower-case digits only: one spelling for one value. */
bool mt_unhex_lower(mt_str hex, unsigned char *out, size_t count);
/* Appends the digits. */
void mt_buf_add_hex(mt_buf *out, const unsigned char *bytes, size_t count);
/* The 64-digit text, in the arena. */
mt_str mt_sha256_hex(mt_arena *a, mt_sha256 digest);

#endif

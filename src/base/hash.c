/* base/hash.c - SHA-256 by libcrypto.
 *
 * Its plain functions, not the envelope (EVP) around them: nothing is looked up,
 * nothing allocated, no thread keeps anything, and a program that only hashes does not
 * wake the rest of libcrypto, which makes 4,800 small allocations before its first
 * envelope. They are deprecated since 3.0, so they are asked for as 1.1 had them.
 *
 * They cannot fail. Where there is no libcrypto, port/wasm/hash.c stands in for this
 * file. */
#define OPENSSL_API_COMPAT 0x10100000L
#include "base/hash.h"

#include <openssl/sha.h>
#include <stdlib.h>

mt_sha256 mt_sha256_of(mt_str data)
{
    return mt_sha256_of_two(data, (mt_str){0});
}

mt_sha256 mt_sha256_of_two(mt_str first, mt_str second)
{
    mt_sha256 digest;
    SHA256_CTX ctx;
    SHA256_Init(&ctx);
    SHA256_Update(&ctx, first.ptr, first.len);
    SHA256_Update(&ctx, second.ptr, second.len);
    SHA256_Final(digest.bytes, &ctx);
    return digest;
}

struct mt_sha256_stream {
    SHA256_CTX ctx;
};

mt_sha256_stream *mt_sha256_stream_new(void)
{
    return mt_xmalloc(sizeof(mt_sha256_stream));
}

void mt_sha256_start(mt_sha256_stream *s)
{
    SHA256_Init(&s->ctx);
}

void mt_sha256_add(mt_sha256_stream *s, mt_str data)
{
    SHA256_Update(&s->ctx, data.ptr, data.len);
}

mt_sha256 mt_sha256_end(mt_sha256_stream *s)
{
    mt_sha256 digest;
    SHA256_Final(digest.bytes, &s->ctx);
    return digest;
}

void mt_sha256_stream_free(mt_sha256_stream *s)
{
    free(s);
}

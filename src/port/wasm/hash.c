/* port/wasm/hash.c - base/hash.h without libcrypto; stands in for base/hash.c.
 * Room: port. The same digests, so etags and ledgers of a page are those of the native
 * program. */
#include <stdlib.h>

#include "base/hash.h"
#include "port/sha256.h"

struct mt_sha256_stream {
    pt_sha256 state;
};

mt_sha256 mt_sha256_of(mt_str data)
{
    return mt_sha256_of_two(data, (mt_str){0});
}

mt_sha256 mt_sha256_of_two(mt_str first, mt_str second)
{
    mt_sha256 digest;
    pt_sha256 state;
    pt_sha256_start(&state);
    pt_sha256_add(&state, first.ptr, first.len);
    pt_sha256_add(&state, second.ptr, second.len);
    pt_sha256_end(&state, digest.bytes);
    return digest;
}

/* Not started yet; mt_sha256_start() comes first, also before each further use. */
mt_sha256_stream *mt_sha256_stream_new(void)
{
    return mt_xmalloc(sizeof(mt_sha256_stream));
}

void mt_sha256_start(mt_sha256_stream *s)
{
    pt_sha256_start(&s->state);
}

void mt_sha256_add(mt_sha256_stream *s, mt_str data)
{
    pt_sha256_add(&s->state, data.ptr, data.len);
}

mt_sha256 mt_sha256_end(mt_sha256_stream *s)
{
    mt_sha256 digest;
    pt_sha256_end(&s->state, digest.bytes);
    return digest;
}

void mt_sha256_stream_free(mt_sha256_stream *s)
{
    free(s);
}

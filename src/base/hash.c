/* base/hash.c - SHA-256 by libcrypto.
 *
 * The algorithm is fetched once, before main(), and every thread keeps one context:
 * with both a short hash costs a few hundred nanoseconds, and the ledger and the chain
 * make nothing but short hashes. The context of a thread is released by the destructor
 * of a thread key when the thread ends.
 *
 * Threads: mt_sha256_of() may be called from any thread. A stream belongs to whoever
 * made it.
 *
 * libcrypto fails here only when there is no memory or no SHA-256 at all; both are
 * MT_BUG(), so no caller has an error to handle. Where there is no libcrypto,
 * port/wasm/hash.c stands in for this file. */
#include "base/hash.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>

/* EVP_sha256() looks the algorithm up on every use; fetching it once before main()
 * makes a short hash several times cheaper. Never freed: it lives with the process. */
static EVP_MD *sha256;

/* Making a context costs more than a short hash, so each thread keeps one. The key's
 * destructor releases it when the thread ends. */
static _Thread_local EVP_MD_CTX *thread_ctx;
static pthread_key_t thread_ctx_key;

static void free_ctx(void *ctx)
{
    EVP_MD_CTX_free(ctx);
}

__attribute__((constructor)) static void fetch_sha256(void)
{
    sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    if (!sha256 || pthread_key_create(&thread_ctx_key, free_ctx) != 0) {
        MT_BUG("SHA-256 is not available in libcrypto");
    }
}

/* Made on first use; the key's destructor owns it from then on. */
static EVP_MD_CTX *context_of_thread(void)
{
    if (MT_UNLIKELY(!thread_ctx)) {
        thread_ctx = EVP_MD_CTX_new();
        if (!thread_ctx || pthread_setspecific(thread_ctx_key, thread_ctx) != 0) {
            MT_BUG("out of memory in libcrypto");
        }
    }
    return thread_ctx;
}

struct mt_sha256_stream {
    EVP_MD_CTX *ctx;
};

static void must(int ok)
{
    if (ok != 1) {
        MT_BUG("SHA-256 failed in libcrypto");
    }
}

mt_sha256 mt_sha256_of(mt_str data)
{
    return mt_sha256_of_two(data, (mt_str){0});
}

mt_sha256 mt_sha256_of_two(mt_str first, mt_str second)
{
    mt_sha256 digest;
    EVP_MD_CTX *ctx = context_of_thread();
    must(EVP_DigestInit_ex(ctx, sha256, NULL));
    must(EVP_DigestUpdate(ctx, first.ptr, first.len));
    if (second.len) {
        must(EVP_DigestUpdate(ctx, second.ptr, second.len));
    }
    must(EVP_DigestFinal_ex(ctx, digest.bytes, NULL));
    return digest;
}

mt_sha256_stream *mt_sha256_stream_new(void)
{
    mt_sha256_stream *s = mt_xmalloc(sizeof *s);
    s->ctx = EVP_MD_CTX_new();
    if (!s->ctx) {
        MT_BUG("out of memory in libcrypto");
    }
    return s;
}

void mt_sha256_start(mt_sha256_stream *s)
{
    must(EVP_DigestInit_ex(s->ctx, sha256, NULL));
}

void mt_sha256_add(mt_sha256_stream *s, mt_str data)
{
    must(EVP_DigestUpdate(s->ctx, data.ptr, data.len));
}

mt_sha256 mt_sha256_end(mt_sha256_stream *s)
{
    mt_sha256 digest;
    must(EVP_DigestFinal_ex(s->ctx, digest.bytes, NULL));
    return digest;
}

void mt_sha256_stream_free(mt_sha256_stream *s)
{
    if (s) {
        EVP_MD_CTX_free(s->ctx);
        free(s);
    }
}

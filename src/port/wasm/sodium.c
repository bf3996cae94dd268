/* port/wasm/sodium.c - what libsodium's signatures need of the rest of libsodium.
 * Room: port. There is one implementation of everything, so nothing has to be chosen at
 * the start. */
#include <sodium.h>
#include <stdlib.h>
#include <unistd.h>

int sodium_init(void)
{
    return 0;
}

void sodium_misuse(void)
{
    abort();
}

/* getentropy() gives at most 256 bytes at a time. */
void randombytes_buf(void *const out, const size_t count)
{
    for (size_t done = 0, part; done < count; done += part) {
        part = count - done < 256 ? count - done : 256;
        if (getentropy((char *)out + done, part) != 0) {
            abort();
        }
    }
}

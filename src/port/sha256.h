/* port/sha256.h - SHA-256 (FIPS 180-4) in plain C, where there is no libcrypto.
 * Room: port. The native build tests it against libcrypto and does not use it. Nothing
 * can fail and nothing is allocated; one state is used by one thread. */
#ifndef PORT_SHA256_H
#define PORT_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { PT_SHA256_BLOCK = 64, PT_SHA256_BYTES = 32 };

typedef struct pt_sha256 {
    uint32_t state[8];
    uint64_t bytes; /* added so far */
    unsigned char block[PT_SHA256_BLOCK];
} pt_sha256;

/* ORDER: start, add as often as need be, end. Adding no bytes is fine. After the end a
 * state is used up; start makes it new. */
void pt_sha256_start(pt_sha256 *s);
void pt_sha256_add(pt_sha256 *s, const void *bytes, size_t count);
void pt_sha256_end(pt_sha256 *s, unsigned char out[PT_SHA256_BYTES]);

#endif

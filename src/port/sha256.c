/* port/sha256.c - see sha256.h. Bytes gather in a block of 64; each full block is mixed
 * into the state by 64 rounds. The end is a bit, zeros, and the length in bits. */
#include "port/sha256.h"

#include <string.h>

enum { ROUNDS = 64, LENGTH_AT = PT_SHA256_BLOCK - 8 };

/* Fractions of the square roots and cube roots of the first primes (4.2.2, 5.3.3). */
static const uint32_t START[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
static const uint32_t K[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

/* To the right; `by` is 1 to 31, since a shift by 32 has no meaning in C. */
static uint32_t turn(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

/* Big-endian on every machine, as the standard has it. */
static uint32_t read_word(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void write_word(unsigned char *p, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++) {
        p[i] = (unsigned char)(word >> (24 - 8 * i));
    }
}

/* The 16 words of a block become one for each round (6.2.2, step 1). */
static void schedule(const unsigned char *block, uint32_t w[ROUNDS])
{
    for (size_t i = 0; i < 16; i++) {
        w[i] = read_word(block + 4 * i);
    }
    for (size_t i = 16; i < ROUNDS; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) +
               (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
}

/* v[0] to v[7] are a to h of the standard; the memmove is the step by which each takes
 * the place of the next. */
static void mix(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[ROUNDS], v[8];
    schedule(block, w);
    memcpy(v, state, sizeof v);
    for (size_t i = 0; i < ROUNDS; i++) {
        uint32_t choose = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t most = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        uint32_t one = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) +
                       choose + K[i] + w[i];
        uint32_t two = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) + most;
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (size_t i = 0; i < 8; i++) {
        state[i] += v[i];
    }
}

void pt_sha256_start(pt_sha256 *s)
{
    memcpy(s->state, START, sizeof START);
    s->bytes = 0;
}

void pt_sha256_add(pt_sha256 *s, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    while (count) {
        size_t at = s->bytes % PT_SHA256_BLOCK, room = PT_SHA256_BLOCK - at;
        size_t take = count < room ? count : room;
        memcpy(s->block + at, p, take);
        s->bytes += take;
        p += take;
        count -= take;
        if (take == room) {
            mix(s->state, s->block);
        }
    }
}

/* At least one byte of padding: where the length does not fit behind it, another block
 * is begun. Lengths are of less than 2^61 bytes. */
void pt_sha256_end(pt_sha256 *s, unsigned char out[PT_SHA256_BYTES])
{
    static const unsigned char PAD[PT_SHA256_BLOCK] = {0x80};
    uint64_t bits = s->bytes * 8;
    size_t at = s->bytes % PT_SHA256_BLOCK;
    unsigned char length[8];
    write_word(length, (uint32_t)(bits >> 32));
    write_word(length + 4, (uint32_t)bits);
    pt_sha256_add(s, PAD, (at < LENGTH_AT ? LENGTH_AT : LENGTH_AT + 64) - at);
    pt_sha256_add(s, length, sizeof length);
    for (size_t i = 0; i < 8; i++) {
        write_word(out + 4 * i, s->state[i]);
    }
}

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

/* One round; what is written out is h, the new a, and d, the new e. Who calls it turns
 * the names instead of moving eight words (6.2.2, step 3). `choose` and `most` are
 * those of the standard with one operation less. */
static inline void turn_once(uint32_t a, uint32_t b, uint32_t c, uint32_t *d,
                             uint32_t e, uint32_t f, uint32_t g, uint32_t *h,
                             uint32_t more)
{
    uint32_t choose = g ^ (e & (f ^ g)), most = (a & b) | (c & (a | b));
    uint32_t one = *h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choose + more;
    *d += one;
    *h = one + (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + most;
}

/* Eight rounds at a time, after which every name is at its place again: in eight
 * variables, which stay in registers. */
static void mix(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[ROUNDS];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    schedule(block, w);
    for (size_t i = 0; i < ROUNDS; i += 8) {
        turn_once(a, b, c, &d, e, f, g, &h, K[i] + w[i]);
        turn_once(h, a, b, &c, d, e, f, &g, K[i + 1] + w[i + 1]);
        turn_once(g, h, a, &b, c, d, e, &f, K[i + 2] + w[i + 2]);
        turn_once(f, g, h, &a, b, c, d, &e, K[i + 3] + w[i + 3]);
        turn_once(e, f, g, &h, a, b, c, &d, K[i + 4] + w[i + 4]);
        turn_once(d, e, f, &g, h, a, b, &c, K[i + 5] + w[i + 5]);
        turn_once(c, d, e, &f, g, h, a, &b, K[i + 6] + w[i + 6]);
        turn_once(b, c, d, &e, f, g, h, &a, K[i + 7] + w[i + 7]);
    }
    uint32_t v[8] = {a, b, c, d, e, f, g, h};
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
        if (s->bytes % PT_SHA256_BLOCK == 0 && count >= PT_SHA256_BLOCK) {
            mix(s->state, p); /* without a copy */
            s->bytes += PT_SHA256_BLOCK;
            p += PT_SHA256_BLOCK;
            count -= PT_SHA256_BLOCK;
            continue;
        }
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

/* runtime/graph_ids.c - event ids as hashes: 8 bytes each, in memory up to PART of
 * them, then in a temporary file. To find repetitions they are gone through once per
 * part of the hashes' range, with a table that holds one part. */
#include "runtime/graph_ids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { PART = 1 << 20, SLOTS = 2 * PART };

struct rt_id_notes {
    uint64_t *recent; /* those that are not in the file; the lowest bit: excused */
    size_t recent_count, total;
    FILE *spilled;
    uint64_t *slots; /* 0: free */
    size_t slot_count;
    uint64_t *piece; /* of the file */
    uint64_t secret[2];
};

/* ---- SipHash-2-4: keyed, so that nobody can choose ids that are suspected ---- */

static uint64_t turned(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static void round_of(uint64_t v[4])
{
    v[0] += v[1], v[1] = turned(v[1], 13) ^ v[0], v[0] = turned(v[0], 32);
    v[2] += v[3], v[3] = turned(v[3], 16) ^ v[2];
    v[0] += v[3], v[3] = turned(v[3], 21) ^ v[0];
    v[2] += v[1], v[1] = turned(v[1], 17) ^ v[2], v[2] = turned(v[2], 32);
}

static void take_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    round_of(v);
    round_of(v);
    v[0] ^= word;
}

static uint64_t hash_of(const uint64_t secret[2], mt_str s)
{
    uint64_t v[4] = {secret[0] ^ 0x736f6d6570736575u, secret[1] ^ 0x646f72616e646f6du,
                     secret[0] ^ 0x6c7967656e657261u, secret[1] ^ 0x7465646279746573u};
    uint64_t word;
    size_t at = 0;
    for (; s.len - at >= sizeof word; at += sizeof word) {
        memcpy(&word, s.ptr + at, sizeof word);
        take_word(v, word);
    }
    word = (uint64_t)s.len << 56;
    for (size_t i = at; i < s.len; i++) {
        word |= (uint64_t)(unsigned char)s.ptr[i] << 8 * (i - at);
    }
    take_word(v, word);
    v[2] ^= 0xff;
    for (int i = 0; i < 4; i++) {
        round_of(v);
    }
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- notes ---- */

rt_id_notes *rt_id_notes_new(void)
{
    rt_id_notes *n = mt_xmalloc(sizeof *n);
    *n = (rt_id_notes){0};
    /* Without entropy suspicions can be provoked, which costs time only. */
    (void)!getrandom(n->secret, sizeof n->secret, GRND_NONBLOCK);
    return n;
}

void rt_id_notes_free(rt_id_notes *n)
{
    if (n) {
        if (n->spilled) {
            fclose(n->spilled);
        }
        free(n->recent);
        free(n->slots);
        free(n->piece);
        free(n);
    }
}

static mt_err spill(rt_id_notes *n)
{
    if (!n->spilled && !(n->spilled = tmpfile())) {
        return MT_E_IO;
    }
    size_t put = fwrite(n->recent, sizeof *n->recent, n->recent_count, n->spilled);
    bool whole = put == n->recent_count;
    n->recent_count = 0;
    return whole ? MT_OK : MT_E_IO;
}

mt_err rt_id_notes_add(rt_id_notes *n, mt_str id, bool excused)
{
    if (n->recent_count == PART) {
        mt_err err = spill(n);
        if (err) {
            return err;
        }
    }
    if (!(n->recent_count & (n->recent_count - 1))) { /* full at each power of two */
        size_t room = n->recent_count ? 2 * n->recent_count : 1;
        n->recent = mt_xrealloc(n->recent, room * sizeof *n->recent);
    }
    n->recent[n->recent_count++] = (hash_of(n->secret, id) & ~(uint64_t)1) | excused;
    n->total++;
    return MT_OK;
}

/* Adds a hash to the table; true when it was there. */
static bool was_there(rt_id_notes *n, uint64_t hash)
{
    uint64_t key = hash | 1; /* never 0 */
    size_t at = (size_t)(hash >> 1) % n->slot_count;
    while (n->slots[at] && n->slots[at] != key) {
        at = (at + 1) % n->slot_count;
    }
    bool there = n->slots[at] == key;
    n->slots[at] = key;
    return there;
}

typedef struct search {
    size_t part, parts;
    size_t from, found;
} search;

static void search_list(rt_id_notes *n, search *s, const uint64_t *list, size_t count,
                        size_t first)
{
    for (size_t i = 0; i < count && first + i < s->found; i++) {
        bool mine = s->parts == 1 || (list[i] >> 32) % s->parts == s->part;
        if (mine && was_there(n, list[i] & ~(uint64_t)1) && !(list[i] & 1) &&
            first + i >= s->from) {
            s->found = first + i;
        }
    }
}

static mt_err search_part(rt_id_notes *n, search *s)
{
    size_t first = 0, got = 0;
    memset(n->slots, 0, n->slot_count * sizeof *n->slots);
    if (n->spilled) {
        rewind(n->spilled);
        while ((got = fread(n->piece, sizeof *n->piece, PART, n->spilled))) {
            search_list(n, s, n->piece, got, first);
            first += got;
        }
        if (first + n->recent_count != n->total) {
            return MT_E_IO;
        }
    }
    search_list(n, s, n->recent, n->recent_count, first);
    return MT_OK;
}

mt_err rt_id_notes_suspect(rt_id_notes *n, size_t from, size_t *index)
{
    /* Half of what the table is made for, as the parts are not equal. */
    search s = {.parts = n->total / (PART / 2) + 1, .from = from, .found = SIZE_MAX};
    mt_err err = MT_OK;
    s.parts = n->spilled ? s.parts : 1;
    n->slot_count = n->spilled ? SLOTS : 2 * n->total + 1;
    n->slots = mt_xrealloc(n->slots, n->slot_count * sizeof *n->slots);
    n->piece = n->spilled ? mt_xrealloc(n->piece, PART * sizeof *n->piece) : NULL;
    for (; s.part < s.parts && !err; s.part++) {
        err = search_part(n, &s);
    }
    *index = s.found;
    return err;
}

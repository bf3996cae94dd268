/* host/graph_ids.c - event ids as hashes: 8 bytes each, in memory up to PART of
 * them, then in a temporary file. To find repetitions they are gone through once per
 * part of the hashes' range, with a table that holds one part. */
#include "host/graph_ids.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { PART = 1 << 20, SLOTS = 2 * PART };

struct ho_id_notes {
    uint64_t *recent; /* those that are not in the file; the lowest bit: excused */
    size_t recent_count, total;
    FILE *spilled;
    uint64_t *slots; /* 0: free */
    size_t slot_count;
    uint64_t *piece; /* of the file */
    unsigned char secret[crypto_shorthash_KEYBYTES];
};

/* Keyed, so that nobody can choose ids that are suspected. */
static uint64_t hash_of(const ho_id_notes *n, mt_str s)
{
    uint64_t hash;
    _Static_assert(sizeof hash == crypto_shorthash_BYTES, "a hash is one word");
    crypto_shorthash((unsigned char *)&hash, (const unsigned char *)s.ptr, s.len,
                     n->secret);
    return hash;
}

/* ---- notes ---- */

ho_id_notes *ho_id_notes_new(void)
{
    ho_id_notes *n = mt_xmalloc(sizeof *n);
    *n = (ho_id_notes){0};
    /* Without entropy suspicions can be provoked, which costs time only. */
    (void)!getrandom(n->secret, sizeof n->secret, GRND_NONBLOCK);
    return n;
}

void ho_id_notes_free(ho_id_notes *n)
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

static mt_err spill(ho_id_notes *n)
{
    if (!n->spilled && !(n->spilled = tmpfile())) {
        return MT_E_IO;
    }
    size_t put = fwrite(n->recent, sizeof *n->recent, n->recent_count, n->spilled);
    bool whole = put == n->recent_count;
    n->recent_count = 0;
    return whole ? MT_OK : MT_E_IO;
}

mt_err ho_id_notes_add(ho_id_notes *n, mt_str id, bool excused)
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
    n->recent[n->recent_count++] = (hash_of(n, id) & ~(uint64_t)1) | excused;
    n->total++;
    return MT_OK;
}

/* Adds a hash to the table; true when it was there. */
static bool was_there(ho_id_notes *n, uint64_t hash)
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

static void search_list(ho_id_notes *n, search *s, const uint64_t *list, size_t count,
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

/* One part of all ids at a time, so that any number of them is compared in bounded
 * memory. */
static mt_err search_part(ho_id_notes *n, search *s)
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

mt_err ho_id_notes_suspect(ho_id_notes *n, size_t from, size_t *index)
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

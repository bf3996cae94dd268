/* contract/front/sort.c - constructs in the order of their ids, or of their strata.
 *
 * Ids are compared eight bytes at a time, as numbers. The eight bytes of all ids are
 * sorted, then every run of ids that have them in common by the next eight. The numbers
 * are sorted byte by byte, last byte first, leaving out bytes that all have in common.
 * So time grows with the bytes of the ids, not with count * log(count) comparisons that
 * each wait for two texts from memory: contracts have many thousands of ids.
 *
 * INVARIANT: every step is stable. Of equal ids, a fault that was reported, the first
 * stays first; rules sorted by id and then by stratum stay sorted by id within one. */
#include "contract/front/unit.h"

typedef struct sort_key {
    uint64_t word; /* the part of the id, or the stratum, that is sorted by now */
    fr_sym id;
    uint32_t from; /* where the construct stood */
} sort_key;

typedef struct sorter {
    const fr_symbols *syms;
    fr_construct **unsorted;
    sort_key *keys, *spare; /* as many of each */
} sorter;

/* ---- by one number ---- */

static void insertion_sort(sort_key *keys, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        sort_key key = keys[i];
        size_t at = i;
        for (; at && keys[at - 1].word > key.word; at--) {
            keys[at] = keys[at - 1];
        }
        keys[at] = key;
    }
}

static void sort_by_byte(const sort_key *from, sort_key *to, size_t count, int shift)
{
    size_t start[256] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++) {
        start[from[i].word >> shift & 0xFF]++;
    }
    for (size_t byte = 0; byte < 256; byte++) {
        size_t here = start[byte];
        start[byte] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++) {
        to[start[from[i].word >> shift & 0xFF]++] = from[i];
    }
}

static void sort_by_word(sort_key *keys, sort_key *spare, size_t count)
{
    enum { FEW = 24 };
    if (count <= FEW) {
        insertion_sort(keys, count);
        return;
    }
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++) {
        differ |= keys[i].word ^ keys[0].word;
    }
    sort_key *from = keys, *to = spare;
    for (int shift = 0; shift < 64; shift += 8) {
        if (differ >> shift & 0xFF) {
            sort_by_byte(from, to, count, shift);
            sort_key *sorted = to;
            to = from;
            from = sorted;
        }
    }
    if (from != keys) {
        memcpy(keys, from, count * sizeof *keys);
    }
}

/* ---- by id ---- */

/* Eight bytes of the id, big-endian, so that the order of numbers is the order of
 * bytes; zeros stand behind a shorter id, which therefore comes first. */
static uint64_t word_at(const fr_symbol *s, size_t at)
{
    uint64_t word = 0;
    if (at < sizeof s->head) {
        word = at ? s->head.high : s->head.low;
    } else if (at < s->len) {
        memcpy(&word, s->ptr + at, s->len - at < 8 ? s->len - at : 8);
    }
    return __builtin_bswap64(word);
}

/* Says whether any id goes on behind these eight bytes. */
static bool read_words(const sorter *s, sort_key *keys, size_t count, size_t at)
{
    bool goes_on = false;
    for (size_t i = 0; i < count; i++) {
        const fr_symbol *id = &s->syms->items[keys[i].id];
        keys[i].word = word_at(id, at);
        goes_on |= id->len > at + 8;
    }
    return goes_on;
}

static size_t run_length(const sort_key *keys, size_t count)
{
    size_t run = 1;
    while (run < count && keys[run].word == keys[0].word) {
        run++;
    }
    return run;
}

/* The bytes before `at` are the same in all. A beginning that all have in common is
 * passed in the loop: each call inside a call needs an id that is longer by eight bytes
 * than one that left, so the depth is bounded by the root of the size of the source. */
static void sort_from(const sorter *s, sort_key *keys, size_t count, size_t at)
{
    size_t run = count;
    for (; run == count; at += 8) {
        bool goes_on = read_words(s, keys, count, at);
        sort_by_word(keys, s->spare, count);
        if (!goes_on) {
            return;
        }
        run = run_length(keys, count);
    }
    for (size_t i = 0; i < count; i += run) {
        run = run_length(keys + i, count - i);
        if (run > 1) {
            sort_from(s, keys + i, run, at);
        }
    }
}

/* ---- constructs ---- */

/* What is sorted by is copied out of the constructs, which lie far apart. */
static sorter start(const fr_unit *u, fr_construct *const *items, size_t count)
{
    sort_key *keys = mt_alloc(u->keep, mt_array_bytes(count, 2 * sizeof *keys));
    fr_construct **unsorted =
        mt_alloc(u->keep, mt_array_bytes(count, sizeof *unsorted));
    for (size_t i = 0; i < count; i++) {
        fr_ask_ahead(items, count, i, 12, 64);
        unsorted[i] = items[i];
        keys[i] = (sort_key){.id = items[i]->id, .from = (uint32_t)i};
    }
    return (sorter){&u->syms, unsorted, keys, keys + count};
}

static void finish(const sorter *s, fr_construct **items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        items[i] = s->unsorted[s->keys[i].from];
    }
}

void fr_sort_by_id(const fr_unit *u, fr_construct **items, size_t count)
{
    if (count < 2) {
        return;
    }
    mt_mark mark = mt_arena_mark(u->keep);
    sorter s = start(u, items, count);
    sort_from(&s, s.keys, count, 0);
    finish(&s, items, count);
    mt_arena_rewind(u->keep, mark);
}

/* The sign bit is turned over, so that the order of numbers without a sign is right. */
void fr_sort_by_stratum(const fr_unit *u, fr_construct **rules, size_t count)
{
    static const uint64_t SIGN = (uint64_t)1 << 63;
    if (count < 2) {
        return;
    }
    mt_mark mark = mt_arena_mark(u->keep);
    sorter s = start(u, rules, count);
    for (size_t i = 0; i < count; i++) {
        const fr_rule *r = (const fr_rule *)rules[i];
        s.keys[i].word = (uint64_t)r->stratum ^ SIGN;
    }
    sort_by_word(s.keys, s.spare, count);
    finish(&s, rules, count);
    mt_arena_rewind(u->keep, mark);
}

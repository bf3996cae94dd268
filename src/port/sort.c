/* port/sort.c - see sort.h. Merges runs of 1, 2, 4 ... items, back and forth between
 * the items and a copy of them. */
#include "port/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct sorter {
    size_t size;
    pt_compare *compare;
    void *user;
} sorter;

/* from[low, middle) and from[middle, high), each in order, to the same place of `to`.
 * The left one is taken where both are equal: that is what keeps their order. */
static void merge(const sorter *s, const char *from, char *to, size_t low,
                  size_t middle, size_t high)
{
    size_t left = low, right = middle;
    for (size_t at = low; at < high; at++) {
        const char *a = from + left * s->size, *b = from + right * s->size;
        bool take_left =
            right == high || (left < middle && s->compare(a, b, s->user) <= 0);
        memcpy(to + at * s->size, take_left ? a : b, s->size);
        left += take_left;
        right += !take_left;
    }
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* `from` is where the items are now; after an odd number of turns that is the copy. */
void pt_sort(void *items, size_t count, size_t size, pt_compare *compare, void *user)
{
    if (count < 2) {
        return;
    }
    const sorter s = {size, compare, user};
    char *copy = malloc(count * size), *from = items, *to = copy;
    if (!copy) {
        abort();
    }
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t low = 0; low < count; low += 2 * run) {
            merge(&s, from, to, low, least(low + run, count),
                  least(low + 2 * run, count));
        }
        char *other = from;
        from = to;
        to = other;
    }
    if (from != items) {
        memcpy(items, from, count * size);
    }
    free(copy);
}

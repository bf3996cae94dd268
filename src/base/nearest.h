/* base/nearest.h - "did you mean": the known name nearest to a mistyped one.
 * Room: base. May include base/ only. */
#ifndef MT_BASE_NEAREST_H
#define MT_BASE_NEAREST_H

#include "base/str.h"

/* A name is near when less than a third of the word and one letter more would have to
 * change (inserted, left out or replaced); longer words than this are near to nothing.
 * Nothing is nearer than the same word in letters of another size. */
enum { MT_NEAREST_LONGEST = 40 };

/* Names are offered one by one; the first of those that are equally near is kept:
 *     mt_nearest n = mt_nearest_to(word);
 *     for (...) mt_nearest_offer(&n, name);
 *     if (n.best.len) ... */
typedef struct mt_nearest {
    mt_str word, best; /* best.len 0: nothing is near */
    size_t distance;   /* what is offered must be nearer than this */
} mt_nearest;

/* Then offer names; `best` is empty when none is near enough. */
mt_nearest mt_nearest_to(mt_str word);
void mt_nearest_offer(mt_nearest *n, mt_str name);

/* The nearest of a list that ends with NULL, or NULL. */
const char *mt_nearest_of(const char *word, const char *const *names);

#endif

/* port/sort.h - a sort that keeps the order of equals, as glibc's qsort() does.
 * Room: port. Other C libraries do not keep it, and then the same contract would have
 * other bytes there; so every port sorts by this one. */
#ifndef PORT_SORT_H
#define PORT_SORT_H

#include <stddef.h>

typedef int pt_compare(const void *a, const void *b, void *user);

/* Ends the process when there is no memory for a copy of the items. */
void pt_sort(void *items, size_t count, size_t size, pt_compare *compare, void *user);

#endif

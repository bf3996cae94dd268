/* graph/ranks.h - numbers in order: the k-th of those that are in, in O(log n).
 * Room: graph. May include base/ only. The order is total: -0.0 stands before 0.0.
 * Ownership: gr_ranks_free() releases it; all zero is empty. */
#ifndef GR_RANKS_H
#define GR_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gr_rank_node gr_rank_node;

typedef struct gr_ranks {
    gr_rank_node *nodes; /* [0] stands for none */
    uint32_t room, used, spare, root;
} gr_ranks;

/* x must be finite. */
void gr_ranks_add(gr_ranks *r, double x);
/* One of those that are equal to x; x must be in. */
void gr_ranks_take(gr_ranks *r, double x);
uint32_t gr_ranks_count(const gr_ranks *r);
/* k from 0, below the count. */
double gr_ranks_at(const gr_ranks *r, uint32_t k);
void gr_ranks_free(gr_ranks *r);

/* A number whose unsigned order is the order of doubles, and back. */
uint64_t gr_rank_of(double x);
double gr_rank_value(uint64_t rank);

#endif

/* graph/validate.h - is the expanded graph one that may run? (E.3, V.1 .. V.5, I.4)
 * Room: graph. May include base/ only. */
#ifndef GR_VALIDATE_H
#define GR_VALIDATE_H

#include "graph/expand.h"

/* Per input of every node the index of its edge + 1, 0 when nothing is connected; the
 * inputs of node n begin at first[n]. */
typedef struct gr_wiring {
    uint32_t *edge;  /* per input: the edge into it + 1, 0: none */
    uint32_t *first; /* per node: its first input in `edge` */
} gr_wiring;

/* Of several edges into one input the last counts; check_edge() reports them. */
gr_wiring gr_wire(mt_arena *a, const gr_flat *flat);

/* Reports every violation. True when there is none. */
bool gr_validate(mt_arena *a, const gr_flat *flat, const gr_wiring *w, bool alone,
                 mt_diags *ds);

/* Topological order; among ready nodes the one whose id is least in byte order (n10
 * before n2). False and V.1 reported when there is a cycle. */
bool gr_order(mt_arena *a, const gr_flat *flat, mt_diags *ds, uint32_t *order);

#endif

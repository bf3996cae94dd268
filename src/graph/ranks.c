/* graph/ranks.c - numbers in order, as an AVL tree in one array.
 *
 * A node is a number with how often it is in; each knows how many are below it. Heights
 * of neighbours differ by one at most, whatever comes in and in which order, so that
 * nobody who chooses the numbers can make it slow; recursion is as deep as the tree,
 * 1.44 log2 n. Nodes that were taken out are used again. Nothing can fail. */
#include "graph/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

struct gr_rank_node {
    uint64_t rank;
    uint32_t child[2];
    uint32_t times; /* how often the number is in */
    uint32_t below; /* of it and everything under it */
    uint32_t height;
};

uint64_t gr_rank_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

double gr_rank_value(uint64_t rank)
{
    uint64_t bits = rank >> 63 ? rank & ~((uint64_t)1 << 63) : ~rank;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t new_node(gr_ranks *r, uint64_t rank)
{
    uint32_t n = r->spare;
    if (n) {
        r->spare = r->nodes[n].child[0];
    } else {
        if (r->used + 1 >= r->room) {
            r->room = r->room ? r->room * 2 : 16;
            r->nodes = mt_xrealloc(r->nodes, mt_array_bytes(r->room, sizeof *r->nodes));
            r->nodes[0] = (gr_rank_node){0};
        }
        n = ++r->used;
    }
    r->nodes[n] = (gr_rank_node){.rank = rank, .times = 1, .below = 1, .height = 1};
    return n;
}

static void settle(gr_ranks *r, uint32_t n)
{
    gr_rank_node *at = &r->nodes[n];
    const gr_rank_node *a = &r->nodes[at->child[0]], *b = &r->nodes[at->child[1]];
    at->below = a->below + b->below + at->times;
    at->height = (a->height > b->height ? a->height : b->height) + 1;
}

/* The child on `side` takes the place of n. */
static uint32_t rotate(gr_ranks *r, uint32_t n, int side)
{
    uint32_t up = r->nodes[n].child[side];
    r->nodes[n].child[side] = r->nodes[up].child[!side];
    r->nodes[up].child[!side] = n;
    settle(r, n);
    settle(r, up);
    return up;
}

static uint32_t height(const gr_ranks *r, uint32_t n, int side)
{
    return r->nodes[r->nodes[n].child[side]].height;
}

/* What stands at this place after one of the two sides grew or shrank by one. */
static uint32_t balance(gr_ranks *r, uint32_t n)
{
    settle(r, n);
    for (int side = 0; side < 2; side++) {
        if (height(r, n, side) > height(r, n, !side) + 1) {
            uint32_t child = r->nodes[n].child[side];
            if (height(r, child, !side) > height(r, child, side)) {
                r->nodes[n].child[side] = rotate(r, child, !side);
            }
            return rotate(r, n, side);
        }
    }
    return n;
}

static uint32_t add_under(gr_ranks *r, uint32_t n, uint64_t rank)
{
    if (!n) {
        return new_node(r, rank);
    }
    if (r->nodes[n].rank == rank) {
        r->nodes[n].times++;
        r->nodes[n].below++;
        return n;
    }
    int side = rank > r->nodes[n].rank;
    uint32_t child = add_under(r, r->nodes[n].child[side], rank); /* may move nodes */
    r->nodes[n].child[side] = child;
    return balance(r, n);
}

/* Takes the least node out and hands it back. */
static uint32_t cut_least(gr_ranks *r, uint32_t n, uint32_t *least)
{
    if (!r->nodes[n].child[0]) {
        *least = n;
        return r->nodes[n].child[1];
    }
    r->nodes[n].child[0] = cut_least(r, r->nodes[n].child[0], least);
    return balance(r, n);
}

static uint32_t remove_node(gr_ranks *r, uint32_t n)
{
    uint32_t a = r->nodes[n].child[0], b = r->nodes[n].child[1], least = 0;
    r->nodes[n].child[0] = r->spare;
    r->spare = n;
    if (!a || !b) {
        return a ? a : b;
    }
    b = cut_least(r, b, &least);
    r->nodes[least].child[0] = a;
    r->nodes[least].child[1] = b;
    return balance(r, least);
}

static uint32_t take_under(gr_ranks *r, uint32_t n, uint64_t rank)
{
    MT_ASSERT(n);
    if (r->nodes[n].rank == rank) {
        if (r->nodes[n].times == 1) {
            return remove_node(r, n);
        }
        r->nodes[n].times--;
        r->nodes[n].below--;
        return n;
    }
    int side = rank > r->nodes[n].rank;
    r->nodes[n].child[side] = take_under(r, r->nodes[n].child[side], rank);
    return balance(r, n);
}

void gr_ranks_add(gr_ranks *r, double x)
{
    r->root = add_under(r, r->root, gr_rank_of(x));
}

void gr_ranks_take(gr_ranks *r, double x)
{
    r->root = take_under(r, r->root, gr_rank_of(x));
}

uint32_t gr_ranks_count(const gr_ranks *r)
{
    return r->root ? r->nodes[r->root].below : 0;
}

double gr_ranks_at(const gr_ranks *r, uint32_t k)
{
    uint32_t n = r->root;
    for (;;) {
        const gr_rank_node *at = &r->nodes[n];
        uint32_t before = r->nodes[at->child[0]].below;
        if (k < before) {
            n = at->child[0];
        } else if (k < before + at->times) {
            return gr_rank_value(at->rank);
        } else {
            k -= before + at->times;
            n = at->child[1];
        }
    }
}

void gr_ranks_free(gr_ranks *r)
{
    free(r->nodes);
    *r = (gr_ranks){0};
}

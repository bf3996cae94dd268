/* base/arena.c - memory that is given out in a row and taken back all at once.
 * Room: base. A block is twice as large as the one before, up to LARGEST_BLOCK; what
 * does not fit gets a block of its own size. Rewinding puts blocks aside as spare,
 * so a loop that rewinds each time allocates nothing after its first round. Only
 * mt_arena_free() gives memory back to the system.
 * Memory that is not given out is fenced (mt_fence()), so under ASan a use after a
 * rewind is caught as if it had been freed. Out of memory ends the program: behind
 * the limits at the doors nobody could do better. Threads: an arena belongs to one
 * at a time. */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The first holds what a small request needs; beyond the largest, doubling would
 * only reserve what is not used. */
enum { FIRST_BLOCK = 16 * 1024, LARGEST_BLOCK = 4 * 1024 * 1024 };

struct mt_block {
    mt_block *prev; /* the block before, or the next spare one */
    size_t size;    /* usable bytes after the header */
};

/* The header is padded so that what follows keeps malloc's 16-byte alignment. */
#define HEADER ((sizeof(mt_block) + MT_ALIGN - 1) & ~(size_t)(MT_ALIGN - 1))

static char *block_start(mt_block *b)
{
    return (char *)b + HEADER;
}

void *mt_xmalloc(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p) {
        fprintf(stderr, "motet: out of memory (%zu bytes)\n", size);
        abort();
    }
    return p;
}

void *mt_xrealloc(void *old, size_t size)
{
    void *p = realloc(old, size ? size : 1);
    if (!p) {
        fprintf(stderr, "motet: out of memory (%zu bytes)\n", size);
        abort();
    }
    return p;
}

static void use_block(mt_arena *a, mt_block *b)
{
    b->prev = a->block;
    a->block = b;
    a->cur = block_start(b);
    a->end = a->cur + b->size;
    mt_fence(a->cur, b->size);
}

/* Takes the first spare block that is large enough off the spare list.
 * First fit is enough: there are few, and they grow. */
static mt_block *take_spare(mt_arena *a, size_t need)
{
    for (mt_block **link = &a->spare; *link; link = &(*link)->prev) {
        if ((*link)->size >= need) {
            mt_block *b = *link;
            *link = b->prev;
            return b;
        }
    }
    return NULL;
}

void *mt_arena_grow(mt_arena *a, size_t size)
{
    if (size > SIZE_MAX / 2) {
        MT_BUG("allocation larger than memory");
    }
    size_t need = mt_arena_room(size);
    mt_block *b = take_spare(a, need);
    if (!b) {
        size_t next = a->block ? a->block->size * 2 : FIRST_BLOCK;
        size_t bytes = next > LARGEST_BLOCK ? LARGEST_BLOCK : next;
        if (bytes < need) {
            bytes = need;
        }
        b = mt_xmalloc(HEADER + bytes);
        b->size = bytes;
        a->reserved += HEADER + bytes;
    }
    use_block(a, b);
    void *p = a->cur;
    a->cur += need;
    mt_hand_out(p, size);
    return p;
}

mt_mark mt_arena_mark(const mt_arena *a)
{
    return (mt_mark){a->block, a->cur};
}

/* INVARIANT: marks are rewound in the opposite order of their making. A mark that
 * was rewound past has its block among the spare ones, and the walk would not meet
 * it. */
void mt_arena_rewind(mt_arena *a, mt_mark m)
{
    char *used = a->cur; /* up to here, of the block that stays */
    while (a->block != m.block) {
        mt_block *b = a->block;
        mt_fence(block_start(b), b->size);
        a->block = b->prev;
        b->prev = a->spare;
        a->spare = b;
        used = NULL;
    }
    a->cur = m.cur;
    a->end = m.block ? block_start(m.block) + m.block->size : NULL;
    mt_fence(a->cur, (size_t)((used ? used : a->end) - a->cur));
}

void mt_arena_reset(mt_arena *a)
{
    mt_arena_rewind(a, (mt_mark){NULL, NULL});
}

void mt_arena_free(mt_arena *a)
{
    mt_arena_reset(a);
    while (a->spare) {
        mt_block *b = a->spare;
        a->spare = b->prev;
        free(b);
    }
    *a = (mt_arena){0};
}

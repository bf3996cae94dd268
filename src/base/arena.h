/* base/arena.h - memory that is released all at once.
 * Room: base. May include base/ only.
 * Ownership: everything allocated from an arena lives until the arena is rewound past
 * it, reset or freed. True out-of-memory aborts: input is bounded at the door instead.
 * Threads: an arena belongs to one thread at a time. */
#ifndef MT_BASE_ARENA_H
#define MT_BASE_ARENA_H

#include <stddef.h>
#include <string.h>

#include "base/err.h"

typedef struct mt_block mt_block;

typedef struct mt_arena {
    char *cur, *end; /* free room in the current block */
    mt_block *block; /* current block; earlier ones behind it */
    mt_block *spare; /* blocks given back by rewind and reset, reused first */
    size_t reserved; /* bytes asked of malloc and still held */
} mt_arena;

/* A place to rewind to. */
typedef struct mt_mark {
    mt_block *block;
    char *cur;
} mt_mark;

/* An all-zero mt_arena is an empty, usable arena. */
void mt_arena_free(mt_arena *a);
/* Forgets the contents but keeps the memory for the next use. */
void mt_arena_reset(mt_arena *a);
mt_mark mt_arena_mark(const mt_arena *a);
/* Everything allocated since the mark is gone; the memory is used again. */
void mt_arena_rewind(mt_arena *a, mt_mark m);

/* Slow path of mt_alloc(): starts a new block. */
void *mt_arena_grow(mt_arena *a, size_t size);

#define MT_ALIGN 16u

/* AddressSanitizer knows nothing of arenas, so it is told: what was not handed out, or
 * was taken back, must not be touched, nor the fence behind each allocation. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MT_FENCE MT_ALIGN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define MT_FENCE MT_ALIGN
#endif
#ifdef MT_FENCE
#include <sanitizer/asan_interface.h>
static inline void mt_fence(const void *start, size_t size)
{
    __asan_poison_memory_region(start, size);
}
static inline void mt_hand_out(const void *start, size_t size)
{
    __asan_unpoison_memory_region(start, size);
}
#else
#define MT_FENCE 0u
static inline void mt_fence(const void *start, size_t size)
{
    (void)start, (void)size;
}
static inline void mt_hand_out(const void *start, size_t size)
{
    (void)start, (void)size;
}
#endif

/* What an allocation takes from its block. */
static inline size_t mt_arena_room(size_t size)
{
    return ((size + (MT_ALIGN - 1)) & ~(size_t)(MT_ALIGN - 1)) + MT_FENCE;
}

/* Uninitialised memory, 16-byte aligned. Never NULL, also for size 0. */
static inline void *mt_alloc(mt_arena *a, size_t size)
{
    size_t need = mt_arena_room(size);
    if (MT_UNLIKELY(need < size || need > (size_t)(a->end - a->cur) || !a->cur)) {
        return mt_arena_grow(a, size);
    }
    void *p = a->cur;
    a->cur += need;
    mt_hand_out(p, size);
    return p;
}

static inline void *mt_zalloc(mt_arena *a, size_t size)
{
    return memset(mt_alloc(a, size), 0, size);
}

/* count * size with overflow check; aborts on overflow (input is bounded earlier). */
static inline size_t mt_array_bytes(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        MT_BUG("array size overflows");
    }
    return bytes;
}

/* One zeroed T; an array of zeroed T. */
#define mt_new(a, T)          ((T *)mt_zalloc((a), sizeof(T)))
#define mt_new_array(a, T, n) ((T *)mt_zalloc((a), mt_array_bytes((n), sizeof(T))))

/* Heap memory that aborts when there is none, for what no arena can hold. */
void *mt_xmalloc(size_t size);
void *mt_xrealloc(void *old, size_t size);

#endif

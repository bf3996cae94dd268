/* base/vec.h - typed growing arrays in an arena.
 * Room: base. May include base/ only.
 *     MT_VEC(ct_rule) rules = {0};
 *     *mt_vec_add(arena, &rules) = rule;
 * Ownership: items live in the arena; growth copies them, so hold indices, not
 * pointers, while a vector still grows. */
#ifndef MT_BASE_VEC_H
#define MT_BASE_VEC_H

#include "base/arena.h"

#define MT_VEC(T)                                                                      \
    struct {                                                                           \
        T *items;                                                                      \
        size_t len, cap;                                                               \
    }

/* Larger copy of `items`, for the macros below, which hand out what is added to it. */
void *mt_vec_grown(mt_arena *a, const void *items, size_t len, size_t *cap,
                   size_t item_size);

/* Pointer to one more, uninitialised item at the end. */
#define mt_vec_add(a, v)                                                               \
    ((v)->len == (v)->cap                                                              \
         ? (void)((v)->items = mt_vec_grown((a), (v)->items, (v)->len, &(v)->cap,      \
                                            sizeof *(v)->items))                       \
         : (void)0,                                                                    \
     mt_hand_out(&(v)->items[(v)->len], sizeof *(v)->items), &(v)->items[(v)->len++])

#define mt_vec_push(a, v, item) (*mt_vec_add((a), (v)) = (item))

#endif

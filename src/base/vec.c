#include "base/vec.h"

void *mt_vec_grown(mt_arena *a, const void *items, size_t len, size_t *cap,
                   size_t item_size)
{
    size_t wider = *cap ? *cap * 2 : 8;
    void *copy = mt_alloc(a, mt_array_bytes(wider, item_size));
    if (len) {
        memcpy(copy, items, len * item_size);
    }
    mt_fence((char *)copy + len * item_size, (wider - len) * item_size);
    *cap = wider;
    return copy;
}

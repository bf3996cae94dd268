/* host/graph_context.h - the context a graph's episodes share: the only memory
 * between them (Execution Model §6.3).
 * Room: host. An interface, so that a durable store can take its place; the one here
 * lives in memory.
 * Ownership: values handed out are valid until the next apply. */
#ifndef HO_GRAPH_CONTEXT_H
#define HO_GRAPH_CONTEXT_H

#include "graph/effect.h"

typedef struct ho_context ho_context;

struct ho_context {
    void *state;
    /* The value under `key`, or NULL. */
    const gr_value *(*get)(void *state, mt_str key);
    /* Applies all writes of one episode, or none of them. */
    mt_err (*apply)(void *state, const gr_effect_write *writes, size_t count);
    /* Calls `each` for every key in byte order. */
    void (*walk)(void *state,
                 void (*each)(void *user, mt_str key, const gr_value *value),
                 void *user);
    void (*free)(void *state);
};

/* Empty; release with c.free(c.state). */
ho_context ho_context_in_memory(void);

#endif

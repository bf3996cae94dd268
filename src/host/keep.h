/* host/keep.h - what an agent must not forget: its state and its unsent messages.
 * Room: host. One interface; a file implements it (keep_file.c), a store may.
 * A commit is whole or not at all: after a crash the last finished commit is there. A
 * message counts as unsent until ho_keep_sent(), which may be forgotten in a crash:
 * then it is sent again, never lost. Threads: one. */
#ifndef HO_KEEP_H
#define HO_KEEP_H

#include "base/str.h"

typedef struct ho_keep ho_keep;

struct ho_keep {
    /* The new state, one line of JSON (ptr NULL: unchanged), together with the messages
     * it wants sent, each ending in '\n'. Durable when it returns MT_OK. */
    mt_err (*commit)(ho_keep *k, mt_str state, mt_str lines);
    /* The `count` oldest unsent messages are on their way. */
    mt_err (*sent)(ho_keep *k, size_t count);
    void (*close)(ho_keep *k);
    mt_buf state;  /* as last committed; empty: none yet */
    mt_buf unsent; /* messages, each ending in '\n', oldest first */
};

/* Opens or creates the file. Only one process may have it open: MT_E_BUSY otherwise.
 * MT_E_CORRUPT when it does not verify, MT_E_IO; `why` says more. A last record that a
 * crash cut short is dropped; `why` then says so, although the answer is MT_OK. */
mt_err ho_keep_open_file(const char *path, ho_keep **out, mt_buf *why);
/* Nothing durable: for agents that may forget. */
ho_keep *ho_keep_open_memory(void);
void ho_keep_close(ho_keep *k);

#endif

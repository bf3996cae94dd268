/* host/keep.h - what an agent must not forget: its state and its unsent messages.
 * Room: host. The one way in which agents are durable (docs/adr/0012): the host gives
 * the state, one line of JSON (agent/actor.h), and the messages it wants sent,
 * together; where they go is the keep's.
 *
 *     file     one file, appended to: for an agent that runs alone (keep_file.c)
 *     store    documents, in the transaction of a call: for one that is served
 *              (keep_store.c)
 *     memory   nowhere: for an agent that may forget
 *
 * A commit is whole or not at all: after a crash the last finished commit is there. A
 * message counts as unsent until ho_keep.sent(), which may be forgotten in a crash:
 * then it is sent again, never lost. With a durable relay (docs/adr/0027) a commit also
 * says which message of its stream was the last, and messages have numbers, so that
 * none counts twice. Threads: one. */
#ifndef HO_KEEP_H
#define HO_KEEP_H

#include "base/str.h"
#include "store/store.h"

typedef struct ho_keep ho_keep;

enum { HO_STREAM_TEXT = 32, HO_SENDER_TEXT = 16 };

/* Where an agent stands with a durable relay. */
typedef struct ho_stand {
    char sender[HO_SENDER_TEXT + 1]; /* its numbers are counted under this name */
    char stream[HO_STREAM_TEXT + 1]; /* whose sequence it is; "": of none yet */
    uint64_t seq;                    /* the last message that has had its effects */
} ho_stand;

struct ho_keep {
    /* The new state, one line of JSON (ptr NULL: unchanged), together with the messages
     * it wants sent, each ending in '\n', and where the agent stands (NULL: where it
     * did). Durable when it returns MT_OK; in a store, with the transaction that was
     * lent. A stand alone is durable with the next commit that has more. */
    mt_err (*commit)(ho_keep *k, mt_str state, mt_str lines, const ho_stand *stand);
    /* The `count` oldest unsent messages are on their way. */
    mt_err (*sent)(ho_keep *k, size_t count);
    void (*close)(ho_keep *k);
    mt_buf state;  /* as last committed; empty: none yet */
    mt_buf unsent; /* messages, each ending in '\n', oldest first */
    ho_stand stand;
    uint64_t done; /* messages sent ever: the oldest unsent has the number done + 1 */
};

/* Opens or creates the file. Only one process may have it open: MT_E_BUSY otherwise.
 * MT_E_CORRUPT when it does not verify, MT_E_IO; `why` says more. A last record that a
 * crash cut short is dropped; `why` then says so, although the answer is MT_OK. */
mt_err ho_keep_open_file(const char *path, ho_keep **out, mt_buf *why);
/* Nothing durable: for agents that may forget. */
ho_keep *ho_keep_open_memory(void);
void ho_keep_close(ho_keep *k);

/* ---- In a store ---- */

/* Reads what the store has of the agent `name`, which must live as long as the keep. */
mt_err ho_keep_open_store(mt_str name, st_tx *tx, ho_keep **out);
/* How many messages are kept, received and sent. */
int64_t ho_keep_messages(const ho_keep *k);
/* Lends the transaction and keeps the message that was received; what the agent then
 * commits goes there, too, and is whole with ho_keep_store_end(). MT_E_CONFLICT: the
 * stored state is not the one that was read. After any fault the keep is to be closed
 * and read again. */
mt_err ho_keep_store_begin(ho_keep *k, st_tx *tx, int64_t now_ms, mt_str received);
mt_err ho_keep_store_end(ho_keep *k);
/* Tape and memory as they are stored; "null" before the first message. The messages,
 * oldest first; a row's body is one. */
mt_err ho_keep_store_state(st_tx *tx, mt_str name, mt_buf *state);
mt_err ho_keep_store_log(st_tx *tx, mt_str name, st_page page, st_doc_walker *each,
                         void *state);

/* ---- For keeps --------------------------------------------------------------------
 * What a keep has in memory after a commit, and after messages were sent. */

void ho_keep_remember(ho_keep *k, mt_str state, mt_str lines, const ho_stand *stand);
void ho_keep_forget_sent(ho_keep *k, size_t count);

#endif

/* exec/threads.h - what the executor's own threads have in hand: signing, receipts,
 * witnesses, guesses.
 * Room: exec. Private to exec/; a part of the executor (executor_internal.h). */
#ifndef EX_THREADS_H
#define EX_THREADS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/str.h"
#include "ledger/note.h"
#include "store/store.h"

typedef struct ex_executor ex_executor;
typedef struct ex_job ex_job;
typedef struct ex_cache ex_cache;

/* The thread that signs (commit/sign.c); all but the thread itself under the lock. */
typedef struct ex_signing {
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    bool stop;
    bool due;         /* so many records are unsigned that it must not wait */
    bool replaced;    /* the ledger is signed with another key now */
    int64_t size;     /* records there are, as far as is known */
    int64_t covered;  /* of them signed for */
    int64_t since_ms; /* an unsigned record is known; 0: none is */
    int64_t again_ms; /* when to look again after a failure; 0: there was none */
    mt_buf fault;     /* why nothing is signed; empty: nothing is wrong */
    mt_buf told; /* the failure that the log has; empty: none since the last success */
} ex_signing;

/* Answers that wait for a receipt (commit/receipts.c); all but the thread itself under
 * the lock. */
typedef struct ex_receipting {
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    bool stop;
    ex_job *first, *last;
} ex_receipting;

/* A witness of the configuration. */
typedef struct ex_witness_of {
    lg_note_key key; /* with its name */
    mt_str url;      /* where it is asked */
    const char *ca;  /* PEM file of its authority, or NULL */
    unsigned timeout_ms;
} ex_witness_of;

/* The thread that asks one witness (commit/witnesses.c). */
typedef struct ex_watch {
    ex_executor *x;
    ex_witness_of of;
    pthread_t thread;
    bool running;
    atomic_bool stop;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t more;
    bool news;             /* something was signed */
    bool alarm;            /* the fault is that it contradicts us */
    int64_t pause_ms;      /* before it is asked again, after a failure; 0: none */
    uint64_t size, wanted; /* signed by it; by us */
    int64_t time;          /* of its last signature, in seconds; 0: none */
    unsigned long long failures;
    mt_buf fault; /* why it does not sign; empty: it does */
} ex_watch;

/* Groups that lock nothing first (commit/guess.c), on a shared store. */
typedef struct ex_guessing {
    ex_cache *seen;       /* instances as this process last knew them; NULL: never */
    st_id_block block;    /* numbers of records that are drawn and not used */
    uint32_t draw;        /* how many are drawn next */
    unsigned rest, pause; /* groups until the next guess; until the one after a fault */
} ex_guessing;

#endif

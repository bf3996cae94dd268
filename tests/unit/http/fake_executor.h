/* An executor and a store that exist only in the test: calls are written down and
 * answered as told, at once or later by another thread. Defines every function of
 * exec/executor.h and those of store/store.h that the front door uses. */
#ifndef FAKE_EXECUTOR_H
#define FAKE_EXECUTOR_H

#include <pthread.h>
#include <stdatomic.h>

#include "exec/executor.h"

typedef struct fake_token {
    mt_str id, body;
} fake_token;

struct ex_executor {
    pthread_mutex_t lock;
    /* What was asked last: "ACTION contract name id body|key|who". */
    char last[1024];
    size_t calls;
    int status;       /* of the next answers */
    const char *body; /* likewise */
    const char *etag, *location;
    bool replayed;     /* likewise */
    char digest[65];   /* of the last request with an idempotency key */
    unsigned later_ms; /* 0: at once, else by another thread after so long */
    bool ready;
    ex_news *news;
    void *news_state;
};

extern ex_executor fake;
extern fake_token fake_tokens[8];
extern size_t fake_token_count;
extern int64_t fake_stamp;
extern atomic_int fake_transactions; /* begun and not ended */
extern bool fake_store_fails;        /* from now on nothing can be begun */
/* Adds a record to the ledger and tells the front door. */
void fake_record(const char *kind, const char *subject, const char *body);
void fake_reset(void);
/* From now on answers come after so long. */
void fake_later(unsigned ms);

#endif

/* os/trouble.h - something that may fail and work again: when is it worth a line?
 * Room: os. Whoever uses it says each time how it went; a line is due when it begins to
 * fail, when it fails for another reason, and when it works again, however many
 * failures there are in between. Threads: any. */
#ifndef OS_TROUBLE_H
#define OS_TROUBLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

typedef enum os_turn {
    OS_AS_BEFORE, /* nothing to say */
    OS_BEGAN,
    OS_CHANGED, /* another reason; said once a second at most */
    OS_ENDED
} os_turn;

/* All zero: it works. */
typedef struct os_trouble {
    pthread_mutex_t lock; /* os_trouble_make() */
    atomic_int reason;    /* 0: it works */
    uint64_t failures;    /* since it began */
    int64_t since_ms, said_ms;
} os_trouble;

/* What is to be said. */
typedef struct os_told {
    os_turn turn;
    uint64_t failures; /* so far, this one included */
    int64_t lasted_ms;
} os_told;

void os_trouble_make(os_trouble *t);
void os_trouble_drop(os_trouble *t);
/* `reason`: 0 when it worked, else a number for why not. */
os_told os_trouble_note(os_trouble *t, int reason);

#endif

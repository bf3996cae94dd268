/* net/durable_member.h - one who reads from and writes to a durable stream: what it has
 * heard, what it has acknowledged, what of its own is not stored yet.
 * Room: net; private to durable*.c. Knows no server and no thread. */
#ifndef NT_DURABLE_MEMBER_H
#define NT_DURABLE_MEMBER_H

#include "net/backlog.h"
#include "net/durable.h"

enum {
    NT_SUBJECT_TEXT = 256,
    NT_REPLY_TEXT = 320,
    NT_MARK_EVERY = 64, /* deliveries for one mark */
    NT_MARKS = NT_DURABLE_WINDOW / NT_MARK_EVERY + 2
};

/* The server is told `reply` once the member has acknowledged `need`. */
typedef struct nt_mark {
    uint64_t need;
    char reply[NT_REPLY_TEXT];
} nt_mark;

typedef struct nt_member nt_member;

struct nt_member {
    uint64_t who;
    void *owner;
    nt_hello hello;
    char subject[NT_SUBJECT_TEXT]; /* what it sends is stored under */
    size_t own; /* subjects that begin with so much of it are its own */

    bool deaf; /* nobody wants to hear what comes for it */
    bool welcomed, consuming, gone;
    struct __natsSubscription *inbox; /* what it hears through; NULL: not yet */
    char consumer[NT_REPLY_TEXT];     /* "": there is none */
    uint64_t round;     /* of its consumers; later words of others are void */
    uint64_t delivered; /* by this consumer, as it counts */
    uint64_t heard, passed, acked; /* last sequence: come; handed over; acknowledged */
    nt_mark marks[NT_MARKS];
    size_t first_mark, mark_count, since_mark;
    int64_t alive_ms,
        retry_ms; /* when its consumer was last heard of; is tried again */

    nt_backlog backlog; /* its lines that are not known to be stored */
    uint64_t number;    /* of the last of them */
    uint64_t kept;      /* the last one that is stored */
    bool kept_news;     /* which is an event already */
    bool careful;       /* one line at a time, after a fault */
    bool hole;          /* one was refused, and later ones may be stored */
    bool unsure;        /* the stream may know more of its lines than `kept` */
    int64_t again_ms, progress_ms;

    bool queued; /* has something to be done */
    nt_member *next;
};

/* Where a delivery stands, as its reply subject says. */
typedef struct nt_delivery {
    mt_str consumer;
    uint64_t times, seq, count; /* how often it came; in the stream; by the consumer */
} nt_delivery;

bool nt_delivery_read(mt_str reply, nt_delivery *out);

typedef enum nt_verdict {
    NT_PASS, /* hand it over */
    NT_SKIP, /* not for it, or acknowledged already */
    NT_GAP   /* something before it never came: ask anew */
} nt_verdict;

bool nt_member_owns(const nt_member *m, mt_str subject);
/* Takes note of a delivery; `skip`: it is not for this member. */
nt_verdict nt_member_hear(nt_member *m, bool skip, mt_str reply, const nt_delivery *at);
/* The newest mark that is due, which is forgotten with those before; NULL: none. */
const nt_mark *nt_member_due(nt_member *m);
void nt_member_new_consumer(nt_member *m);
/* Line `number` is stored. True: that is news. */
bool nt_member_stored(nt_member *m, uint64_t number);
/* All up to `number` are stored, as the stream says. */
void nt_member_settle(nt_member *m, uint64_t number);
/* Line `number` did not come through: it and all after are to be sent again, slowly at
 * first. */
void nt_member_again(nt_member *m, uint64_t number, int64_t again_ms);

#endif

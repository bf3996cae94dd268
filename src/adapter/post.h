/* adapter/post.h - one request to an address that the operator's configuration names.
 * Room: adapter. For what the server itself tells others, on a thread that may wait:
 * it blocks until there is an answer, the time is up, or the caller wants to stop. The
 * gate (adapter/gate.h) judges the address that is connected to; there are no redirects
 * and no proxies of the environment.
 * Threads: any number at once. */
#ifndef AD_POST_H
#define AD_POST_H

#include <stdatomic.h>

#include "adapter/gate.h"

typedef struct ad_post {
    const ad_gate *gate; /* NULL: any address */
    mt_str url;          /* http or https, without a name or password in it */
    const char *type;    /* of the body */
    mt_str body;
    const char *const *headers; /* further ones, "Name: value"; NULL ends, or none */
    const char *ca_file;        /* PEM; NULL: the system's authorities */
    unsigned timeout_ms;
    size_t max_bytes;        /* of an answer */
    const atomic_bool *stop; /* true: give up soon; NULL: never */
} ad_post;

/* MT_OK: there was an answer, whatever its status; `answer` gets its body. Otherwise
 * `why` gets one sentence: MT_E_DENIED (the gate), MT_E_TIMEOUT, MT_E_LIMIT (it is
 * too long), MT_E_CLOSED (told to stop), MT_E_IO. */
mt_err ad_post_send(const ad_post *post, long *status, mt_buf *answer, mt_buf *why);

#endif

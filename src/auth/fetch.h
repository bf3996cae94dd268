/* auth/fetch.h - one answer from a provider, through the one outgoing gate.
 * Room: auth. Blocks; never for the network threads. No redirects, no proxy, at most
 * `most` bytes, a few seconds. */
#ifndef AU_FETCH_H
#define AU_FETCH_H

#include <stdatomic.h>

#include "adapter/gate.h"

typedef struct au_ask {
    mt_str url;            /* its origin must be one the gate lists */
    mt_str form;           /* empty: GET; else POST of a form */
    mt_str user, password; /* basic authentication; empty: none */
    mt_str ca_file;        /* empty: the system's */
    size_t most;
    const atomic_bool *ending; /* becomes true: no answer is waited for any more */
} au_ask;

/* MT_E_DENIED: the gate; MT_E_IO: no answer, or not 200. `why` gets one sentence
 * without what is secret. */
mt_err au_fetch(const ad_gate *gate, const au_ask *ask, mt_buf *out, mt_buf *why);

#endif

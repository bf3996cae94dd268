/* runtime/graph_run.h - a whole run: from the first event to the capture on disk.
 * Room: runtime. Whatever way it ends, the journal holds what was committed, and the
 * capture is assembled from it. */
#ifndef RT_GRAPH_RUN_H
#define RT_GRAPH_RUN_H

#include <signal.h>

#include "base/sign.h"
#include "runtime/graph_host.h"
#include "runtime/graph_ingress.h"

typedef struct rt_run_options {
    rt_graph_host *host;
    rt_ingress *ingress;
    rt_journal *journal;               /* NULL: none */
    rt_egress *egress;                 /* NULL: none */
    uint64_t max_events;               /* 0: no limit */
    uint64_t max_ms;                   /* of wall clock; 0: no limit */
    const volatile sig_atomic_t *stop; /* set by a signal handler; NULL: never */
    void (*observe)(void *user, const rt_graph_step *step); /* NULL: nobody looks */
    void *user;
} rt_run_options;

typedef struct rt_run_result {
    const char *reason; /* NULL: completed; else an interruption code */
    mt_str message;     /* a sentence about it; lives in the given arena */
    bool asked;         /* the user asked for this end (stop, max_events, max_ms) */
} rt_run_result;

/* Runs until the ingress ends, something breaks or the user wants it to stop. The
 * egress channels are stopped in any case. */
rt_run_result rt_graph_run(mt_arena *a, const rt_run_options *options);

/* Reads a journal and writes capture v3 with its checksum file CAPTURE.sum (the digest
 * and name, as sha256sum writes and checks them) and, with a key, its signature
 * CAPTURE.sig (public key and Ed25519 signature of the digest, in hex). */
mt_err rt_capture_export(const char *journal, const char *capture, bool pretty,
                         const mt_sign_key *key, mt_buf *why);

typedef enum rt_sum_state { RT_SUM_ABSENT, RT_SUM_GOOD, RT_SUM_BAD } rt_sum_state;

/* Does CAPTURE.sum, if there is one, agree with these bytes? */
rt_sum_state rt_capture_sum(const char *capture, mt_str bytes);
/* Does CAPTURE.sig, if there is one, sign these bytes, by this key (NULL: any)? */
rt_sum_state rt_capture_signature(const char *capture, mt_str bytes,
                                  const mt_sign_public *expected);

#endif

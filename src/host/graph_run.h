/* host/graph_run.h - a whole run: from the first event to the capture on disk.
 * Room: host. Whatever way it ends, the journal holds what was committed, and the
 * capture is assembled from it. */
#ifndef HO_GRAPH_RUN_H
#define HO_GRAPH_RUN_H

#include <signal.h>

#include "host/graph_host.h"
#include "host/graph_ingress.h"

typedef struct ho_run_options {
    ho_graph_host *host;
    ho_ingress *ingress;
    ho_journal *journal; /* NULL: none */
    ho_egress *egress;   /* NULL: none */
    ho_graph_step *last; /* of a resumed run: its intents may not all be sent. NULL:
                            this run begins anew */
    bool repeats; /* the ingress begins anew, too: what the journal has already is
                     passed over once */
    bool pump;    /* what was deferred runs as soon as its time has come */
    uint64_t max_events;               /* 0: no limit */
    uint64_t max_ms;                   /* of wall clock; 0: no limit */
    const volatile sig_atomic_t *stop; /* set by a signal handler; NULL: never */
    void (*observe)(void *user, const ho_graph_step *step); /* NULL: nobody looks */
    void *user;
} ho_run_options;

typedef struct ho_run_result {
    const char *reason; /* NULL: completed; else an interruption code */
    mt_str message;     /* a sentence about it; lives in the given arena */
    bool asked;         /* the user asked for this end (stop, max_events, max_ms) */
} ho_run_result;

/* Runs until the ingress ends, something breaks or the user wants it to stop. The
 * egress channels are stopped in any case. */
ho_run_result ho_graph_run(mt_arena *a, const ho_run_options *options);

#endif

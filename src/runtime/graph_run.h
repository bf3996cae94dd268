/* runtime/graph_run.h - a whole run: from the first event to the capture on disk.
 * Room: runtime. Whatever way it ends, the journal holds what was committed, and the
 * capture is assembled from it. */
#ifndef RT_GRAPH_RUN_H
#define RT_GRAPH_RUN_H

#include <signal.h>

#include "runtime/graph_host.h"
#include "runtime/graph_ingress.h"

typedef struct rt_run_options {
    rt_graph_host *host;
    rt_ingress *ingress;
    rt_journal *journal; /* NULL: none */
    rt_egress *egress;   /* NULL: none */
    rt_graph_step *last; /* of a resumed run: its intents may not all be sent. NULL:
                            this run begins anew */
    bool repeats; /* the ingress begins anew, too: what the journal has already is
                     passed over once */
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

#endif

/* exec/voices.h - the other two voices: graphs with their sources of events, agents.
 * Room: exec. Private to exec/. */
#ifndef EX_VOICES_H
#define EX_VOICES_H

#include <pthread.h>

#include "exec/executor.h"
#include "host/agent_service.h"
#include "host/graph_service.h"

typedef struct ex_job ex_job;
typedef struct ex_agent ex_agent;

/* What the settings name under `graphs` and `agents`. */
mt_err ex_graphs_open(ex_executor *x, mt_buf *why);
void ex_graphs_close(ex_executor *x);
ho_graph_service *ex_graph_named(ex_executor *x, mt_str name);

/* A source of a graph's events with the thread that reads it (feeds.c). */
mt_err ex_feeds_start(ex_executor *x);
/* While the committer still runs. */
void ex_feeds_stop(ex_executor *x);

/* An agent with the thread that runs its cycles. */
struct ex_agent {
    ex_executor *x;
    ho_agent_service *service;
    pthread_t thread;
    bool running, stop;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    ex_job *first, *last; /* waiting for the thread */
    /* The job in hand, once it is with the committer. */
    ho_agent_done done;
    ex_done *reply_to;
    void *reply_state;
    bool settled, committed;
    bool overtaken; /* by another node: the cycle is to run again */
};

mt_err ex_agents_open(ex_executor *x, mt_buf *why);
/* While the committer still runs: what waits is answered first. */
void ex_agents_close(ex_executor *x);
/* Where a message for an agent waits, instead of the committer's queue. */
void ex_agent_enqueue(ex_agent *a, ex_job *job);

#endif
